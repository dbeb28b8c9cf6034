"""Named files as documents, one at a time: what cannot be read becomes a word about it, never an error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import IO

from openmed_rules.judging.documents import Document, JsonText
from openmed_rules.results.places import Place, Unreadable
from openmed_rules.running.files import STDIN, InputFile, InputFormat
from openmed_rules.running.packed import DamagedFileError, open_packed

BOM = b"\xef\xbb\xbf"
_READ_AHEAD = 1 << 18


def read_documents(files: Iterable[InputFile]) -> Iterator[Document]:
    """The documents of ``files`` in their order; a file that is one document a line is read line by line.

    A file that is missing, empty, damaged or cannot be read ends in an ``Unreadable``.
    """
    for file in files:
        yield from _documents(file)


def _documents(file: InputFile) -> Iterator[Document]:
    last: Place | None = None
    problem: str | None = None
    try:
        with _opened(file) as stream:
            for document in _divided(stream, file):
                last = document.place
                yield document
    except FileNotFoundError:
        problem = "OMR-601"
    except DamagedFileError:
        problem = "OMR-604"
    except OSError:
        problem = "OMR-603"
    else:
        problem = None if last else "OMR-602"
    if problem:
        line = last.line + 1 if last and last.line else None
        yield Unreadable(Place(file.name, line), problem)


def _opened(file: InputFile) -> AbstractContextManager[IO[bytes]]:
    if file.name == STDIN:
        if sys.stdin is None:
            raise FileNotFoundError
        return nullcontext(sys.stdin.buffer)
    if file.packing:
        return open_packed(file.name, file.packing)
    return open(file.name, "rb", buffering=_READ_AHEAD)  # noqa: PTH123 - a name such as /dev/stdin stays as it is


def _divided(stream: IO[bytes], file: InputFile) -> Iterator[Document]:
    if file.format == "parquet":
        from openmed_rules.running.tables import read_table

        yield from read_table(stream, file.name, file.column)
        return
    for place, content in _texts(stream, file.name, file.format):
        yield JsonText(place, content)


def _texts(stream: IO[bytes], name: str, layout: InputFormat | None) -> Iterator[tuple[Place, bytes]]:
    """Texts with their places; blank lines and a byte order mark are left out."""
    if layout == "json":
        yield from _whole(name, stream.read())
        return
    lines = _lines(name, stream)
    if layout is None:
        first = next(lines, None)
        second = next(lines, None)
        if not (first and second and _is_whole_json(first[1])):
            begun = [content for _, content in filter(None, (first, second))]
            yield from _whole(name, b"".join([*begun, stream.read()]))
            return
        yield first
        yield second
    yield from lines


def _whole(name: str, content: bytes) -> Iterator[tuple[Place, bytes]]:
    content = content.removeprefix(BOM)
    if content and not content.isspace():
        yield Place(name), content


def _lines(name: str, stream: IO[bytes]) -> Iterator[tuple[Place, bytes]]:
    for number, line in enumerate(stream, 1):
        content = line.removeprefix(BOM) if number == 1 else line
        if content and not content.isspace():
            yield Place(name, number), content


def _is_whole_json(line: bytes) -> bool:
    """Whether the line could be a document by itself, were its numbers and its letters in order."""
    try:
        json.loads(line.decode(errors="replace"), parse_int=str, parse_float=str)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True
