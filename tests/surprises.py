"""What a command does that nobody asked for: a file that was not named, a program, code that is not the package's."""

from __future__ import annotations

import os
import re
import shlex
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from canaries import PACKAGE, marks_in
from openmed_rules.ruleset.files import builtin_directory
from watched import Event

_FORBIDDEN = re.compile(
    r"subprocess\.|os\.(system|exec|spawn|posix_spawn|startfile|forkpty|mkdir|rmdir|link|symlink|chown|truncate|kill|putenv)"
    r"|pty\.|ctypes\.|socket\.|urllib\.|http\.|ftplib\.|smtplib\.|syslog\.|sqlite3\.|webbrowser\.|winreg\.|tempfile\."
    r"|shutil\.|signal\.pthread_kill|setopencodehook|builtins\.input|builtins\.breakpoint|code\.__new__"
)
_OPENS = frozenset({"open", "os.remove", "os.rename", "os.chmod", "os.utime"})
_LISTS = frozenset({"os.listdir", "os.scandir"})
_NAMES = frozenset({"import", "pickle.find_class"})

_OURS = (PACKAGE, builtin_directory())
_PYTHON = tuple(Path(path).resolve() for path in (*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix))
_SYSTEM = tuple(
    map(Path, ("/dev", "/proc/self", "/etc/localtime", "/usr/share/zoneinfo", "/usr/lib/locale", "/usr/share/locale"))
)

_MODES = frozenset({"r", "rb", "w", "wb", "x", "xb"})
_NAME = re.compile(r"[\w./-]+\.[a-z0-9]+")
_GLOB = re.compile(r"[\w.-]+/[\w./-]*\*[\w./*-]*")
_DRAFT = re.compile(r"\.openmed-rules-[0-9a-f]{16}\.tmp")
"""What an output is called until it is whole and takes its place; that is named, and is renamed to."""
_MADE = frozenset({"None", "<string>"})
"""Where code comes from that Python makes itself: named tuples, dataclasses, and what is built without a file."""


def surprises(command: str, folder: Path, events: list[Event]) -> list[str]:
    """In words, what of ``events`` is none of what ``command`` may do in ``folder``."""
    named = set(_named(command, folder))
    found = []
    for name, arguments in events:
        if name in _OPENS:
            found += [f"{name} {path}" for path in _paths(arguments[:2], folder) if not _may_open(path, named)]
        elif name in _LISTS:
            found += [f"{name} {path}" for path in _paths(arguments[:1], folder) if not _may_list(path, named)]
        elif name in {"compile", "exec"}:
            found += [f"{name} {told}" for told in _odd_code(name, *arguments[:2])]
        elif (
            _FORBIDDEN.match(name)
            or (name == "os.fork" and not command.startswith("gate"))
            or (name in _NAMES and marks_in(repr(arguments[:2])))
        ):
            found.append(name)
    return found


# --- files ----------------------------------------------------------------------------------------


def _named(command: str, folder: Path) -> Iterator[Path]:
    """The files that a command line names, and those that a rule or project file names that it names."""
    words = [part for word in shlex.split(command) for part in word.split("=")]
    if "gate" in words or "--gate" in words:
        words.append("openmed-rules.yaml")
    waiting = [folder / word for word in words]
    seen: set[Path] = set()
    while waiting:
        path = _normal(waiting.pop())
        if path in seen:
            continue
        seen.add(path)
        yield path
        if "[" in path.name or "*" in path.name:
            waiting += path.parent.glob(path.name)
        elif path.is_dir() and path != folder:
            waiting += [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
        elif path.suffix == ".yaml" and path.is_file():
            text = path.read_text(encoding="utf-8")
            waiting += [path.parent / word for word in (*_NAME.findall(text), *_GLOB.findall(text))]


def _paths(arguments: tuple[object, ...], folder: Path) -> Iterator[Path]:
    """The paths among the arguments of an event; a file that is open already is none."""
    for argument in arguments:
        if isinstance(argument, str | bytes | os.PathLike) and argument not in _MODES:
            yield _normal(folder / os.fsdecode(argument))


def _normal(path: Path) -> Path:
    """Without dots, and links as they stand."""
    return Path(os.path.normpath(path))


def _may_open(path: Path, named: set[Path]) -> object:
    folders = {name.parent for name in named}
    is_draft = _DRAFT.fullmatch(path.name) and path.parent in folders
    is_locked = path.is_dir() and path in folders  # that of a baseline, while it is written
    return path in named or is_draft or is_locked or _is_below(path, (*_OURS, *_PYTHON, *_SYSTEM))


def _may_list(path: Path, named: set[Path]) -> bool:
    places = {*named, *(name.parent for name in named), *map(_normal, map(Path, sys.path)), Path.cwd()}
    return path in places or _is_below(path, (*_OURS, *_PYTHON))


def _is_below(path: Path, places: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(place) or path.resolve().is_relative_to(place) for place in places)


# --- code -----------------------------------------------------------------------------------------


def _odd_code(event: str, source: object, file_name: object = None) -> Iterator[str]:
    """What of code that is compiled or run is made of a record, or stands where no code of ours does."""
    constants: object = source
    if isinstance(source, CodeType):
        file_name, constants = source.co_filename, (source.co_names, source.co_consts)
    if marks_in(repr(constants)):
        yield f"code with a mark, in {file_name!r}"
    name = os.fsdecode(file_name) if isinstance(file_name, bytes | os.PathLike) else str(file_name)
    is_parsed = event == "compile" and name == "<unknown>"  # a literal, which is parsed and never run
    is_made = name in _MADE or name.startswith(("<plan ", "<frozen "))
    if not (is_parsed or is_made or (Path(name).is_absolute() and _is_below(Path(name), (*_OURS, *_PYTHON)))):
        yield f"code of {name}"
