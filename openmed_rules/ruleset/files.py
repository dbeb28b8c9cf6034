"""Rule files on disk: by path, or a layout that comes with the package by its name."""

from __future__ import annotations

import os
from pathlib import Path

from openmed_rules.ruleset.bounds import MAX_BYTES
from openmed_rules.ruleset.problems import did_you_mean

_PACKAGE = Path(__file__).parents[1]
_BUILTIN = (_PACKAGE / "rules", _PACKAGE.parent / "rules")
"""Where the layouts stand: in an installed package, and in a checkout."""

_ROOT_MARKERS = ("openmed-rules.yaml", ".git")
WHAT_THE_ROOT_IS = "the root is the directory upwards with openmed-rules.yaml or .git, or --root"


class FileError(Exception):
    """Why a rule file cannot be had; ``hint`` may be empty."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(code, message, hint)
        self.code = code
        self.message = message
        self.hint = hint


def builtin_directory() -> Path:
    """The directory of the built-in layouts."""
    return next((place for place in _BUILTIN if place.is_dir()), _BUILTIN[0])


def builtin_names() -> tuple[str, ...]:
    """The names of the built-in layouts, sorted."""
    return tuple(sorted(file.stem for file in builtin_directory().glob("*.yaml")))


def find_builtin(name: str) -> Path:
    """The file of a built-in layout.

    Raises:
        FileError: where no layout has that name.
    """
    names = builtin_names()
    if name in names:
        return builtin_directory() / f"{name}.yaml"
    hint = did_you_mean(name, names) or "the name of a file ends in .yaml; openmed-rules list names the layouts"
    raise FileError("OMR-501", f"there is no built-in layout {name}", hint)


def names_a_file(text: str) -> bool:
    """Whether a text is the path of a rule file, and not the name of a built-in layout."""
    return text.endswith((".yaml", ".yml")) or "/" in text or "\\" in text


def is_file(path: str | Path) -> bool:
    """Whether there is a file at ``path``; unlike pathlib it never raises, whatever the name, and whoever may look."""
    return os.path.isfile(path)  # noqa: PTH113


def read_file(path: Path) -> bytes:
    """The bytes of a rule file; of one that is too long, one more than is read.

    Raises:
        FileError: where there is no such file, or it cannot be read.
    """
    try:
        if not path.exists() and path.is_symlink():
            raise FileError("OMR-503", "that path leads nowhere")
        if not path.exists():
            beside = [file.name for file in path.parent.glob("*.y*ml")]
            raise FileError("OMR-502", "there is no file of that name", did_you_mean(path.name, beside))
        if not path.is_file():
            raise FileError("OMR-503", "that is no file")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise FileError("OMR-503", f"that file cannot be read: {type(error).__name__}") from None


def resolved(path: Path) -> Path:
    """The whole path, without links and dots.

    Raises:
        FileError: where it leads nowhere.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a NUL character
        raise FileError("OMR-503", "that path leads nowhere") from None


def is_inside(path: Path, root: Path) -> bool:
    """Whether a path leads to somewhere below ``root``, also where it goes over links.

    Raises:
        FileError: where it leads nowhere.
    """
    return resolved(path).is_relative_to(resolved(root))


def root_of(file: Path) -> Path:
    """The directory that ``extends`` of a file does not leave.

    It is the nearest one upwards that holds ``openmed-rules.yaml`` or ``.git``; without one, that of the file.
    """
    directory = resolved(file).parent
    for place in (directory, *directory.parents):
        if any((place / marker).exists() for marker in _ROOT_MARKERS):
            return place
    return directory
