"""Ids: columns whose values are the names of records, alone, in parts, or by a capture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from openmed_rules.authoring.inference.candidates import LEAST_FOUND, Candidate
from openmed_rules.authoring.inference.claiming import claimings
from openmed_rules.authoring.inference.columns import Column
from openmed_rules.authoring.inference.draft import FieldAt, PlaceAt, RangeOf
from openmed_rules.authoring.inference.fitting import Cells, Fit, Scope, fit, scopes
from openmed_rules.authoring.inference.identities import (
    CAPTURES,
    SEPARATOR,
    Identity,
    Side,
    captured,
    joined,
)
from openmed_rules.authoring.inference.shapes import Shape, Spot
from openmed_rules.authoring.inference.words import words

LEAST_PART = 0.25
"""The share of a column that a collection must name to be looked at: others may name the rest."""

_FIRST = frozenset({"start", "begin", "first", "from"})
_LAST = frozenset({"end", "stop", "last", "to"})
_LONGEST_RANGE = 10_000


def best_fit(
    cells: Cells, record: Shape, identity: Identity, summary: Side, *, one_evidence: bool
) -> tuple[Scope, Fit] | None:
    """The case in which ``identity`` names most of ``cells``; the widest of those in which names mean one record."""
    other = identity.record if identity.input == "summary" else None
    best: tuple[Scope, Fit] | None = None
    for scope in scopes(summary.root, record, other, one_evidence=one_evidence):
        if not summary.spend(len(cells) + len(identity.cells)):
            return best
        found = fit(cells, record, identity, scope)
        if found.unique and (best is None or found.count > best[1].count):
            best = scope, found
    return best if best and best[1].share >= LEAST_PART else None


def id_candidates(summary: Side, other: Side | None, *, one_evidence: bool) -> Iterator[Candidate]:
    """Every column that names records, of the second input where there is one."""
    targets = [other, summary] if other else [summary]
    for column in summary.columns:
        values = {text for _, text in column.cells}
        for side in targets:
            for identity in side.identities:
                if _is_same(column, identity):
                    continue
                if len(values & identity.texts) < LEAST_PART * len(values):
                    continue
                yield from _simple(column, identity, summary, one_evidence=one_evidence)
            yield from _by_capture(column, side, summary, one_evidence=one_evidence)


def range_candidates(found: Sequence[Candidate], summary: Side) -> Iterator[Candidate]:
    """Two columns of one record, of which each names a record, and so does every number between them."""
    for first in found:
        if not words(first.name) & _FIRST or not isinstance(first.reading, FieldAt) or not first.reading.paths[0]:
            continue
        for last in summary.by_record[first.record]:
            if words(last.name) & _LAST and all(text.isdecimal() for _, text in last.cells):
                yield from _range(first, last)


def may_name(citing: Identity, known: Identity) -> bool:
    """Whether the values of one field may name those of another, and it is not one and the same field."""
    if citing.input == known.input and citing.leaf == known.leaf:
        return False
    return len(citing.texts & known.texts) >= LEAST_FOUND * len(citing.texts) > 0


def _is_same(column: Column, identity: Identity) -> bool:
    return (
        identity.input == "summary"
        and identity.record is column.record
        and (not isinstance(identity.reading, FieldAt) or identity.reading.paths == (column.field,))
    )


def _simple(column: Column, identity: Identity, summary: Side, *, one_evidence: bool) -> Iterator[Candidate]:
    best = best_fit(column.cells, column.record, identity, summary, one_evidence=one_evidence)
    if best is None:
        return
    weight = -4.0 * column.counts_records - 8.0 * (column.counts_records and best[1].distinct == 1)
    if isinstance(identity.reading, PlaceAt):
        weight -= 1.0 + (identity.reading.what == "position" and not _is_counter(column, identity.reading.base))
    yield from _ways(column, FieldAt((column.field,)), identity, best, column.cells, weight)


def _is_counter(column: Column, base: int) -> bool:
    """Whether the lowest of the positions is what it should be."""
    return min(int(text) for _, text in column.cells if text.isdecimal()) == base


def _ways(  # noqa: PLR0913, PLR0917 - what a candidate is made of
    column: Column, reading: FieldAt, identity: Identity, best: tuple[Scope, Fit], cells: Cells, weight: float
) -> Iterator[Candidate]:
    for way in claimings(column.record, (reading,), best[0].shape)[:2]:
        yield Candidate(best[0], column.record, column.name, way, way.fields[0], identity, best[1], cells, weight)


def _by_capture(column: Column, side: Side, summary: Side, *, one_evidence: bool) -> Iterator[Candidate]:
    for pattern in CAPTURES:
        cells = captured(column, pattern)
        if not cells:
            continue
        reading = FieldAt((column.field,), capture=pattern)
        for identity in identities_for(cells, side, column):
            best = best_fit(cells, column.record, identity, summary, one_evidence=one_evidence)
            if best is not None:
                whole = len(cells) / len(column.cells)
                yield from _ways(column, reading, identity, best, cells, -0.5 - 20.0 * (1 - whole))


def identities_for(cells: Cells, side: Side, column: Column | None) -> Iterator[Identity]:
    """The identities that may name what a capture gives: one field, or two together."""
    pieces = [text.split(SEPARATOR) for _, text in cells]
    if len(pieces[0]) == 1:
        values = {piece[0] for piece in pieces}
        for identity in side.identities:
            if len(values & identity.texts) >= LEAST_PART * len(values) and not (column and _is_same(column, identity)):
                yield identity
        return
    firsts, seconds = ({piece[n] for piece in pieces} for n in (0, 1))
    for record in {identity.record for identity in side.identities}:
        parts = side.parts(record, places=True)
        for second in _naming(parts, seconds):
            for first in _naming(parts, firsts):
                if first.reading != second.reading:
                    yield joined(first, second)


def _naming(parts: Iterable[Identity], values: set[str]) -> list[Identity]:
    return [part for part in parts if len(values & part.texts) >= LEAST_PART * len(values)]


def _range(first: Candidate, last: Column) -> Iterator[Candidate]:
    ends = {id(spot): int(text) for spot, text in last.cells}
    cells: list[tuple[Spot, str]] = []
    for spot, text in first.cells:
        start, end = int(text) if text.isdecimal() else 0, ends.get(id(spot), -1)
        if not 0 <= end - start <= _LONGEST_RANGE:
            return
        cells += [(spot, str(number)) for number in range(start, end + 1)]
    found = fit(cells, first.record, first.identity, first.scope)
    if found.share < LEAST_FOUND or not isinstance(first.reading, FieldAt) or first.reading.climb:
        return
    form = RangeOf(first.reading.paths[0], last.field)
    yield replace(first, fit=found, cells=cells, form=form, reading=FieldAt(((),)), weight=first.weight + 11.0)
