"""Composite ids: two fields of a citation that name a record together, and neither of them alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

from openmed_rules.authoring.inference.candidates import LEAST_FOUND, Candidate
from openmed_rules.authoring.inference.claiming import claimings
from openmed_rules.authoring.inference.draft import FieldAt, PartsOf
from openmed_rules.authoring.inference.identities import Identity, Side, joined
from openmed_rules.authoring.inference.searching import best_fit, may_name
from openmed_rules.authoring.inference.shapes import Shape

_Pair: TypeAlias = tuple[Identity, Identity]
"""A field of the citation, and the field of the evidence that it may name."""

_WEIGHT = 1.0


def composite_candidates(summary: Side, other: Side | None, *, one_evidence: bool) -> Iterator[Candidate]:
    """Every two fields of one collection that name the records of another."""
    side = other or summary
    targets = list(dict.fromkeys(identity.record for identity in side.identities))
    for record in list(summary.by_record):
        for target in targets:
            if target is not record:
                for first, second in _pairs(record, target, summary, side):
                    yield from _candidates(record, first, second, summary, one_evidence=one_evidence)


def _pairs(record: Shape, target: Shape, summary: Side, side: Side) -> Iterator[tuple[_Pair, _Pair]]:
    mine, theirs = summary.parts(record, places=False), side.parts(target, places=False)
    if not summary.spend(len(mine) * len(theirs)):
        return
    known = [(c, e) for c in mine for e in theirs if not _means_one(e) and may_name(c, e)]
    for (c1, e1), (c2, e2) in combinations(known, 2):
        if c1.reading != c2.reading and e1.reading != e2.reading and _own(c1, c2) and _own(e1, e2):
            yield (c1, e1), (c2, e2)


def _candidates(
    record: Shape, first: _Pair, second: _Pair, summary: Side, *, one_evidence: bool
) -> Iterator[Candidate]:
    cells = joined(first[0], second[0]).cells
    identity = joined(first[1], second[1])
    best = best_fit(cells, record, identity, summary, one_evidence=one_evidence) if cells else None
    if best is None or best[1].share < LEAST_FOUND:
        return
    fields = [part.reading for part in (first[0], second[0]) if isinstance(part.reading, FieldAt)]
    for way in claimings(record, fields, best[0].shape)[:2]:
        reading = PartsOf(way.fields)
        yield Candidate(best[0], record, second[0].name, way, reading, identity, best[1], cells, _WEIGHT)


def _own(first: Identity, second: Identity) -> bool:
    """Whether at least one of two parts stands in the record itself."""
    return any(isinstance(part.reading, FieldAt) and not part.reading.climb for part in (first, second))


def _means_one(identity: Identity) -> bool:
    return len(identity.texts) == len(identity.cells) > 1
