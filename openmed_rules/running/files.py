"""Which files the words of a command line name, and how each is laid out."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from openmed_rules.errors import InputError

STDIN = "-"

InputFormat: TypeAlias = Literal["json", "jsonl"]
Packing: TypeAlias = Literal["gz", "zst"]

_FORMATS: dict[str, InputFormat] = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_PACKINGS: dict[str, Packing] = {".gz": "gz", ".zst": "zst"}


class InputFile(Struct, frozen=True):
    """One file as it was named.

    ``format``: ``json`` is one document, ``jsonl`` one a line; None where the first line tells.
    ``packing``: how it is compressed, None where it is not.
    """

    name: str
    format: InputFormat | None = None
    packing: Packing | None = None


def find_files(words: Iterable[str], input_format: InputFormat | None = None) -> tuple[InputFile, ...]:
    """The files that ``words`` name: files, ``-`` for standard input, directories and globs.

    A directory stands for its files in sorted order, without hidden ones and sub-directories; a glob for what
    a shell would make of it. ``input_format`` says the layout outright, whatever the names say.

    Raises:
        InputError: a glob or a directory that holds nothing, a directory that cannot be read, or a ``.zst``
            file where ``zstandard`` is not installed.
    """
    files = tuple(_described(name, input_format) for word in words for name in _named(word))
    for file in files:
        if file.packing == "zst" and find_spec("zstandard") is None:
            raise InputError("OMR-605", f"{file.name}: needs the package zstandard: pip install 'openmed-rules[zstd]'")
    return files


def _named(word: str) -> Iterator[str]:
    if any(letter in word for letter in "*?[") and not Path(word).exists():
        matches = sorted(glob.glob(word))  # noqa: PTH207 - pathlib has no glob that may be absolute
        if not matches:
            raise InputError("OMR-602", f"{word}: matches nothing")
        for match in matches:
            yield from _opened_directory(match)
    else:
        yield from _opened_directory(word)


def _opened_directory(name: str) -> list[str]:
    directory = Path(name)
    if not directory.is_dir():
        return [name]
    try:
        files = sorted(
            entry.name for entry in directory.iterdir() if not (entry.name.startswith(".") or entry.is_dir())
        )
    except OSError:
        raise InputError("OMR-603", f"{name}: the directory cannot be read") from None
    if not files:
        raise InputError("OMR-602", f"{name}: the directory holds no file")
    return [str(Path(name) / file) for file in files]


def _described(name: str, input_format: InputFormat | None) -> InputFile:
    suffix = Path(name).suffix.lower()
    packing = _PACKINGS.get(suffix)
    layout = Path(name[: -len(suffix)]).suffix.lower() if packing else suffix
    return InputFile(name, input_format or _FORMATS.get(layout), packing)
