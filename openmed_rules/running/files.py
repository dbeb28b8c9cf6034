"""Which files the words of a command line name, and how each is laid out."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct

from openmed_rules.errors import InputError, UsageError

STDIN = "-"

InputFormat: TypeAlias = Literal["json", "jsonl", "parquet"]
Packing: TypeAlias = Literal["gz", "zst"]

INPUT_FORMATS: Final[tuple[InputFormat, ...]] = get_args(InputFormat)
_FORMATS: dict[str, InputFormat] = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_PACKINGS: dict[str, Packing] = {".gz": "gz", ".zst": "zst"}


class _Extra(NamedTuple):
    """What a kind of file needs beside this package: the code where it is missing, the package, and its extra."""

    code: str
    package: str
    extra: str


_EXTRAS: dict[str, _Extra] = {
    "zst": _Extra("OMR-605", "zstandard", "zstd"),
    "parquet": _Extra("OMR-606", "pyarrow", "parquet"),
}


class Stretch(Struct, frozen=True):
    """From one line of a file to another: byte offsets, ``end`` None where that of the file is meant.

    ``identity``: the device and the number of the file that was cut, which is read only while it is the same.
    """

    start: int
    end: int | None
    identity: tuple[int, int]


class InputFile(Struct, frozen=True):
    """One file as it was named.

    ``format``: ``json`` is one document, ``jsonl`` one a line, ``parquet`` one a row; None where the first line tells.
    ``packing``: how it is compressed, None where it is not. ``column``: of a table, the column that holds the
    document; None where the row is the document, or its only column. ``stretch``: the part of it that is meant.
    """

    name: str
    format: InputFormat | None = None
    packing: Packing | None = None
    column: str | None = None
    stretch: Stretch | None = None


def find_files(
    words: Iterable[str], input_format: InputFormat | None = None, column: str | None = None
) -> tuple[InputFile, ...]:
    """The files that ``words`` name: files, ``-`` for standard input, directories and globs.

    A directory stands for its files in sorted order, without hidden ones and sub-directories; a glob for what
    a shell would make of it. ``input_format`` says the layout outright, whatever the names say. ``column``: the one
    of their tables that holds the document.

    Raises:
        InputError: a glob or a directory that holds nothing, a directory that cannot be read, or a ``.zst`` or
            ``.parquet`` file where the package that reads it is not installed.
        UsageError: a column is named, and a file is no table.
    """
    files = tuple(_described(name, input_format, column) for word in words for name in _named(word))
    for file in files:
        _refuse_unsupported(file)
        if column is not None and file.format != "parquet":
            raise UsageError("OMR-629", f"{file.name}: is no table, so it has no column {column}")
    return files


def _refuse_unsupported(file: InputFile) -> None:
    for kind in (file.packing, file.format):
        code, package, extra = _EXTRAS.get(kind or "", (None, "", ""))
        if code is not None and find_spec(package) is None:
            raise InputError(code, f"{file.name}: needs the package {package}: pip install 'openmed-rules[{extra}]'")


def _named(word: str) -> Iterator[str]:
    if not word:  # an unset variable of a shell, which would be the directory at hand
        raise InputError("OMR-602", "the name of an input is empty")
    if any(letter in word for letter in "*?[") and not os.path.exists(word):  # noqa: PTH110 - asks, and never raises
        matches = sorted(glob.glob(word))  # noqa: PTH207 - pathlib has no glob that may be absolute
        if not matches:
            raise InputError("OMR-602", f"{word}: matches nothing")
        for match in matches:
            yield from _opened_directory(match)
    else:
        yield from _opened_directory(word)


def _opened_directory(name: str) -> list[str]:
    directory = Path(name)
    if not os.path.isdir(name):  # noqa: PTH112 - as above
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


def _described(name: str, input_format: InputFormat | None, column: str | None) -> InputFile:
    suffix = Path(name).suffix.lower()
    packing = _PACKINGS.get(suffix)
    layout = Path(name[: -len(suffix)]).suffix.lower() if packing else suffix
    return InputFile(name, input_format or _FORMATS.get(layout), packing, column)
