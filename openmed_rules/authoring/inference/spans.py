"""Spans: two offsets of a citation that are the two offsets of an evidence record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from openmed_rules.authoring.inference.candidates import LEAST_FOUND, Candidate
from openmed_rules.authoring.inference.claiming import claimings
from openmed_rules.authoring.inference.columns import Column
from openmed_rules.authoring.inference.draft import FieldAt, SpanAt
from openmed_rules.authoring.inference.identities import SEPARATOR, Identity, Side
from openmed_rules.authoring.inference.searching import best_fit, may_name
from openmed_rules.authoring.inference.shapes import Many, Shape, Spot
from openmed_rules.authoring.inference.words import words

_START: Final = frozenset({"start", "begin", "from", "offset", "first"})
_END: Final = frozenset({"end", "stop", "to", "last"})
_LENGTH: Final = frozenset({"length", "len"})


@dataclass(eq=False, slots=True)
class _Offsets:
    """The spans of one collection: half-open pairs as they stand, by record."""

    record: Shape
    reading: SpanAt
    pairs: dict[int, tuple[Spot, int, int]] = field(repr=False)


_ADJUSTED: Final = (
    (0, 0, "", ""),
    (0, 1, "closed", ""),
    (0, -1, "", "closed"),
    (-1, -1, "base", ""),
    (1, 1, "", "base"),
)
"""How much is added to the start and the end of a citation, and what either side is called then."""


def span_candidates(summary: Side, other: Side | None, *, one_evidence: bool) -> Iterator[Candidate]:
    """Every collection of citations whose spans are those of a collection of evidence."""
    mine = [*_offsets(summary)]
    theirs = [*_offsets(other)] if other else mine
    for citing in mine:
        for known in theirs:
            if known is not citing and known.record is not citing.record:
                yield from _candidates(citing, known, summary, other or summary, one_evidence=one_evidence)


def _candidates(
    citing: _Offsets, known: _Offsets, summary: Side, side: Side, *, one_evidence: bool
) -> Iterator[Candidate]:
    for start, end, mine, theirs in _ADJUSTED:
        pairs = {n: (spot, a + start, b + end) for n, (spot, a, b) in citing.pairs.items()}
        ours = {(a, b) for _, a, b in pairs.values()}
        if len(ours & {(a, b) for _, a, b in known.pairs.values()}) < LEAST_FOUND * len(ours):
            continue
        read = replace(citing, reading=_called(citing.reading, mine), pairs=pairs)
        allowed = replace(known, reading=_called(known.reading, theirs))
        weight = 3.0 if not (start or end) else 0.0
        yield from _within(read, allowed, summary, side, weight, one_evidence=one_evidence)
        return


def _within(  # noqa: PLR0913 - the two sides, and how they meet
    citing: _Offsets, known: _Offsets, summary: Side, side: Side, weight: float, *, one_evidence: bool
) -> Iterator[Candidate]:
    documents: list[tuple[Identity | None, Identity | None]] = [(None, None)]
    for mine in summary.parts(citing.record, places=False):
        if _is_offset(mine, citing.reading):
            continue
        for theirs in side.parts(known.record, places=False):
            if not _is_offset(theirs, known.reading) and may_name(mine, theirs):
                documents.append((mine, theirs))  # noqa: PERF401 - two loops read better
    for mine_in, theirs_in in documents:
        cells = _cells(citing, mine_in)
        reading = _inside(known.reading, theirs_in)
        identity = Identity(side.input, known.record, reading, known.record.name, _cells(known, theirs_in))
        best = best_fit(cells, citing.record, identity, summary, one_evidence=one_evidence) if cells else None
        if best is None or best[1].share < LEAST_FOUND:
            continue
        offsets = [part for part in (citing.reading.start, citing.reading.end, citing.reading.length) if part]
        fields = [*offsets, *([mine_in.reading] if mine_in and isinstance(mine_in.reading, FieldAt) else [])]
        for way in claimings(citing.record, fields, best[0].shape)[:2]:
            placed = _placed(citing.reading, way.fields, has_document=mine_in is not None)
            extra = 1.5 * (mine_in is not None)
            yield Candidate(best[0], citing.record, "span", way, placed, identity, best[1], cells, weight + extra)


def _offsets(side: Side) -> Iterator[_Offsets]:
    for record, columns in side.by_record.items():
        for start in columns:
            if not _counts(start) or not words(start.name) & _START or words(start.name) & _END:
                continue
            for end in columns:
                if end is start or not _counts(end) or end.field[:-1] != start.field[:-1]:
                    continue
                if words(end.name) & _END:
                    yield from _pairs(record, start, end, is_length=False)
                elif words(end.name) & _LENGTH:
                    yield from _pairs(record, start, end, is_length=True)
    for shape in side.root.everything():
        values = [spot for spot in shape.spots if isinstance(spot.value, list)]
        if (
            values
            and shape.is_shared
            and Many.ITEMS in shape.below
            and not shape.is_record
            and all(map(_is_pair, values))
        ):
            record = shape.record
            found = {id(up): (up, *spot.value) for spot in values if (up := spot.climb(shape.depth - record.depth))}  # type: ignore[misc]
            yield _Offsets(record, SpanAt(FieldAt((shape.steps[record.depth :],))), found)


def _pairs(record: Shape, start: Column, end: Column, *, is_length: bool) -> Iterator[_Offsets]:
    ends = {id(spot): int(text) for spot, text in end.cells}
    found = {
        id(spot): (spot, int(text), ends[id(spot)] + (int(text) if is_length else 0))
        for spot, text in start.cells
        if id(spot) in ends
    }
    if not found or any(b < a for _, a, b in found.values()):
        return
    first, last = FieldAt((start.field,)), FieldAt((end.field,))
    texts = any(isinstance(_value(spot, start), str) for spot, _, _ in found.values())
    reading = SpanAt(first, None if is_length else last, last if is_length else None, text_numbers=texts)
    yield _Offsets(record, reading, found)


def _value(spot: Spot, column: Column) -> object:
    value = spot.value
    for step in column.field:
        value = value[step]  # type: ignore[index]
    return value


def _counts(column: Column) -> bool:
    return bool(column.field) and all(text.isdecimal() and len(text) < 16 for _, text in column.cells)  # noqa: PLR2004


def _is_pair(spot: Spot) -> bool:
    value = spot.value
    return (
        isinstance(value, list)
        and len(value) == 2  # noqa: PLR2004
        and all(isinstance(offset, int) and not isinstance(offset, bool) for offset in value)
        and 0 <= value[0] < value[1]
    )


def _is_offset(identity: Identity, reading: SpanAt) -> bool:
    return identity.reading in (reading.start, reading.end, reading.length)


def _cells(offsets: _Offsets, document: Identity | None) -> list[tuple[Spot, str]]:
    if document is None:
        return [(spot, f"{a}{SEPARATOR}{b}") for spot, a, b in offsets.pairs.values()]
    names = {id(spot): text for spot, text in document.cells}
    return [
        (spot, SEPARATOR.join((names[key], str(a), str(b))))
        for key, (spot, a, b) in offsets.pairs.items()
        if key in names
    ]


def _called(reading: SpanAt, name: str) -> SpanAt:
    if name == "closed":
        return replace(reading, closed=True)
    return replace(reading, base=1) if name == "base" else reading


def _inside(reading: SpanAt, document: Identity | None) -> SpanAt:
    within = document.reading if document else None
    return replace(reading, within=within) if isinstance(within, FieldAt) else reading


def _placed(reading: SpanAt, fields: tuple[FieldAt, ...], *, has_document: bool) -> SpanAt:
    rest = list(fields)
    start = rest.pop(0)
    end = rest.pop(0) if reading.end else None
    length = rest.pop(0) if reading.length else None
    return replace(reading, start=start, end=end, length=length, within=rest.pop(0) if has_document else None)
