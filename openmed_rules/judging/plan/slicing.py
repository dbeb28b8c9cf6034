"""A long document as many short ones: each holds some records of one array, where the array stood.

Nothing is decoded here but where the arrays stand; what they hold stays where it is and is copied slice by slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from operator import attrgetter
from typing import Any, Final

import msgspec

from openmed_rules.judging.plan.layout import Way
from openmed_rules.judging.plan.shape import Shape

SLICE = 1 << 18
"""About how many bytes of records a slice has; one record may be longer."""
_OTHERS: Final = bytes(set(range(256)) - set(b'"{}[]'))
_OPENING: Final = frozenset(b"{[")
_CLOSING: Final = frozenset(b"}]")
_COMMA: Final = ord(",")

Locate = Callable[[Any], "list[msgspec.Raw | None]"]


class Slicer:
    """One collection of a document, cut into slices: documents that hold nothing but some of its records."""

    def __init__(self, ways: Sequence[Way]) -> None:
        """``ways``: paths of which the first that is there leads to the records; one path where it has ``None``."""
        self._ways = [_Located(way) for way in ways]

    def slices(self, document: memoryview) -> Iterator[bytes] | None:
        """The slices of ``document``, in order.

        None where it is not laid out as the paths say, or something else stands in the place of an array.

        Raises:
            msgspec.MsgspecError: it is no JSON, or not what the decoder reads.
        """
        for located in self._ways:
            arrays = located.arrays(document)
            if arrays is None:
                return None
            if arrays:
                return located.slices(arrays)
        return iter(())


class _Located:
    """One path to an array, or to several arrays where it passes through the items of others."""

    def __init__(self, way: Way) -> None:
        opening = (b"[" if name is None else b"{%b:" % msgspec.json.encode(name) for name in way)
        closing = (b"]" if name is None else b"}" for name in reversed(way))
        self._before, self._after = b"".join((*opening, b"[")), b"".join((b"]", *closing))
        shape = Shape()
        self._locate = _locate(way, shape) if way else None
        self._decode = msgspec.json.Decoder(shape.struct() if way else msgspec.Raw).decode

    def arrays(self, document: memoryview) -> list[memoryview] | None:
        """What stands between the brackets of each array that is there; None where something else is there."""
        found = self._decode(document)
        raws = [found] if self._locate is None else self._locate(found)
        there = [memoryview(raw) for raw in raws if raw is not None]
        there = [text for text in there if bytes(text[:5]) != b"null"]
        if not all(bytes(text[:1]) == b"[" for text in there):
            return None
        return [text[1:-1] for text in there]

    def slices(self, arrays: Iterable[memoryview]) -> Iterator[bytes]:
        """The records of all arrays as documents; those of short arrays stand together."""
        waiting: list[bytes] = []
        size = 0
        for array in arrays:
            for piece in cut(array, SLICE):
                if piece and not piece.isspace():
                    waiting.append(piece)
                    size += len(piece)
                if size >= SLICE // 2:
                    yield self._document(waiting)
                    waiting, size = [], 0
        if waiting:
            yield self._document(waiting)

    def _document(self, pieces: Iterable[bytes]) -> bytes:
        return b"".join((self._before, b",".join(pieces), self._after))


def _locate(way: Way, shape: Shape) -> Locate:
    """How the arrays are found in a decoded object of ``shape``, of which their places are declared."""
    names = tuple(name for name in takewhile(lambda name: name is not None, way) if name is not None)
    rest = way[len(names) + 1 :]
    if not rest:
        array = attrgetter(shape.leaf(names, msgspec.Raw)[1:])
        return lambda value: [array(value)]
    item = Shape()
    inner = _locate(rest, item)
    outer = attrgetter(shape.rows(names, item, on_the_way=True)[1:])
    return lambda value: [raw for one in outer(value) or () for raw in inner(one)]


def cut(items: memoryview, size: int) -> Iterator[bytes]:
    """The text between the brackets of an array in pieces of about ``size`` bytes that hold whole items.

    Of text that is no JSON the pieces are none, either: whoever decodes them finds out.
    """
    start, wanted = 0, size
    while start + wanted < len(items):
        piece = bytes(items[start : start + wanted])
        end = last_comma(piece)
        if end is None:
            wanted *= 2  # An item that is longer.
            continue
        yield piece[:end]
        start, wanted = start + end + 1, size
    yield bytes(items[start:])


def last_comma(text: bytes) -> int | None:
    """Where the last comma between two items is in ``text``, which begins with an item and ends anywhere."""
    plain = text.replace(rb"\\", b"--").replace(rb"\"", b"--") if b"\\" in text else text
    # How deep its end is, at the speed of a search: of texts only the quotes and the brackets between them are left.
    marks = plain.translate(None, _OTHERS).replace(b'""', b"").split(b'"')
    outside = b"".join(marks[::2])
    depth = outside.count(b"{") + outside.count(b"[") - outside.count(b"}") - outside.count(b"]")
    end = plain.rfind(b'"') if len(marks) % 2 == 0 else len(plain)
    while end >= 0:
        start = plain.rfind(b'"', 0, end) + 1
        for place in range(end - 1, start - 1, -1):
            mark = plain[place]
            if mark == _COMMA and depth == 0:
                return place
            depth += (mark in _CLOSING) - (mark in _OPENING)
        end = plain.rfind(b'"', 0, start - 1) if start else -1
    return None
