"""Named files as documents, one at a time: what cannot be read becomes a word about it, never an error."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import IO

from openmed_rules.judging.documents import Document, JsonText, MappedText
from openmed_rules.results.places import Place, Unreadable
from openmed_rules.running.files import STDIN, InputFile
from openmed_rules.running.following import Followed, Reading
from openmed_rules.running.mapping import LONG, mapped
from openmed_rules.running.packed import DamagedFileError, unpacked

BOM = b"\xef\xbb\xbf"
_READ_AHEAD = 1 << 18


class _AnotherFileError(OSError):
    """Another file stands where the one was that was cut into stretches."""


def read_documents(files: Iterable[InputFile], reading: Reading | None = None) -> Iterator[Document]:
    """The documents of ``files`` in their order; a file that is one document a line is read line by line.

    A file that is missing, empty, damaged or cannot be read ends in an ``Unreadable``. ``reading``: is kept up to date.
    Lines of a stretch count from its beginning.
    """
    for file in files:
        yield from _documents(file, reading or Reading())


def _documents(file: InputFile, reading: Reading) -> Iterator[Document]:
    last: Place | None = None
    problem: str | None = None
    try:
        with _opened(file, reading) as stream:
            for document in _divided(stream, file, reading):
                last = document.place
                yield document
    except FileNotFoundError:
        problem = "OMR-601"
    except DamagedFileError:
        problem = "OMR-604"
    except OSError:
        problem = "OMR-603"
    else:
        problem = None if last or _goes_on(file) else "OMR-602"
    if problem:
        line = last.line + 1 if last and last.line else None
        yield Unreadable(Place(file.name, line), problem)


def _goes_on(file: InputFile) -> bool:
    return file.stretch is not None and file.stretch.start > 0


def _opened(file: InputFile, reading: Reading) -> AbstractContextManager[IO[bytes]]:
    if file.name == STDIN:
        if sys.stdin is None:
            raise FileNotFoundError
        return nullcontext(sys.stdin.buffer)
    if file.format == "parquet" and not file.packing:  # which is read here and there
        return open(file.name, "rb", buffering=_READ_AHEAD)  # noqa: PTH123 - a name such as /dev/stdin stays as it is
    stream = open(file.name, "rb", buffering=0)  # noqa: PTH123, SIM115 - the stream around it closes it
    length = None
    if file.stretch is not None:
        found = os.fstat(stream.fileno())
        if (found.st_dev, found.st_ino) != file.stretch.identity:
            stream.close()
            raise _AnotherFileError
        stream.seek(file.stretch.start)
        length = None if file.stretch.end is None else file.stretch.end - file.stretch.start
    followed = io.BufferedReader(Followed(stream, reading, length), _READ_AHEAD)
    return unpacked(followed, file.packing) if file.packing else followed


def _divided(stream: IO[bytes], file: InputFile, reading: Reading) -> Iterator[Document]:
    if file.format == "parquet":
        from openmed_rules.running.tables import read_table

        yield from read_table(stream, file.name, file.column)
        return
    for place, content in _texts(stream, file, reading):
        yield JsonText(place, content) if type(content) is bytes else MappedText(place, memoryview(content))


def _texts(stream: IO[bytes], file: InputFile, reading: Reading) -> Iterator[tuple[Place, bytes | memoryview]]:
    """Texts with their places; blank lines and a byte order mark are left out. A text that is mapped is a view."""
    name, layout = file.name, file.format
    if layout == "json":
        yield from _whole(name, _mapped(stream, file, reading) or stream.read())
        return
    lines = _lines(stream, file, reading)
    if layout is None:
        first = next(lines, None)
        second = next(lines, None)
        if not (first and second and _is_whole_json(first[1])):
            begun = [content for _, content in filter(None, (first, second))]
            yield from _whole(name, _mapped(stream, file, reading) or b"".join([*begun, stream.read()]))
            return
        yield first
        yield second
    yield from lines


def _mapped(stream: IO[bytes], file: InputFile, reading: Reading) -> memoryview | None:
    content = mapped(stream, LONG) if _may_map(file, reading) else None
    if content is not None and reading.tell is not None:
        reading.tell(len(content))
    return content


def _whole(name: str, content: bytes | memoryview) -> Iterator[tuple[Place, bytes | memoryview]]:
    content = _unmarked(content)
    if not _is_blank(content):
        yield Place(name), content


def _lines(stream: IO[bytes], file: InputFile, reading: Reading) -> Iterator[tuple[Place, bytes | memoryview]]:
    name, marked = file.name, 0 if _goes_on(file) else 1
    number, end = 0, 0 if file.stretch is None else file.stretch.start
    kept = mapped(stream, LONG) if reading.keeps and _may_map(file, reading) else None
    for number, line in enumerate(iter(partial(stream.readline, LONG), b""), 1):
        text = line if len(line) < LONG else _long_line(stream, line, end, may_map=_may_map(file, reading))
        if kept is not None and type(text) is bytes:
            text = kept[end : end + len(text)]
        end += len(text)
        content = _unmarked(text) if number == marked else text
        if not _is_blank(content):
            yield Place(name, number), content
    reading.lines = number


def _may_map(file: InputFile, reading: Reading) -> bool:
    return reading.maps and file.name != STDIN


def _long_line(stream: IO[bytes], begun: bytes, start: int, *, may_map: bool) -> bytes | memoryview:
    """The line that has ``begun`` at byte ``start`` of the file."""
    can_map = may_map and mapped(stream, LONG, start) is not None
    pieces, length = [begun], len(begun)
    piece = begun
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(LONG)
        length += len(piece)
        if not can_map:
            pieces.append(piece)
    line = mapped(stream, LONG, start, start + length) if can_map else None
    return line or b"".join(pieces)


def _unmarked(text: bytes | memoryview) -> bytes | memoryview:
    return text[len(BOM) :] if text[: len(BOM)] == BOM else text


def _is_blank(text: bytes | memoryview) -> bool:
    """Whether it is white space only, or nothing."""
    if type(text) is bytes:
        return not text or text.isspace()
    return bytes(text[:LONG]).isspace() and bytes(text).isspace()


def _is_whole_json(line: bytes | memoryview) -> bool:
    """Whether the line could be a document by itself, were its numbers and its letters in order."""
    try:
        json.loads(str(line, "utf-8", "replace"), parse_int=str, parse_float=str)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True
