"""Which records are the claims, once it is known where the values that cite stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openmed_rules.authoring.inference.draft import ITSELF, FieldAt
from openmed_rules.authoring.inference.shapes import Many, Shape, Steps
from openmed_rules.authoring.inference.words import CITATION, CLAIM, says


@dataclass(frozen=True, slots=True)
class Claiming:
    """Claims at ``claim`` and their citations at ``records`` of each; ``fields`` as the citation reads them.

    ``weight``: how far the names agree with it.
    """

    claim: Shape
    records: Steps
    fields: tuple[FieldAt, ...]
    weight: float


def claimings(record: Shape, fields: Sequence[FieldAt], scope: Shape) -> list[Claiming]:
    """The ways to take ``record``, which holds ``fields``: as a citation of what encloses it, or as the claim."""
    found = [*_as_citations(record, fields, scope), *_as_claims(record, fields)]
    return sorted(found, key=lambda way: -way.weight)


def _as_citations(record: Shape, fields: Sequence[FieldAt], scope: Shape) -> Iterator[Claiming]:
    outer = record.enclosing if record.depth > scope.depth else None
    cites = 2.0 * says(record.name, CITATION) - 1.5 * (says(record.name, CLAIM) and not says(record.name, CITATION))
    distance = 0
    while outer is not None and scope.is_above(outer):
        steps = record.steps[outer.depth :]
        if outer.is_record and outer is not scope:
            weight = (
                cites
                + 1.5 * says(outer.name, CLAIM)
                - 2.0 * (says(outer.name, CITATION) and not says(outer.name, CLAIM))
            )
        else:
            weight = cites - 1.0
        yield Claiming(outer, steps, tuple(fields), weight + 1.0 - 1.5 * distance)
        if outer is scope:
            return
        outer, distance = outer.enclosing, distance + 1


def _as_claims(record: Shape, fields: Sequence[FieldAt]) -> Iterator[Claiming]:
    if any(field.climb or () in field.paths for field in fields):
        return
    weight = 2.0 * says(record.name, CLAIM) + 0.5 * any(says(name, CLAIM) for name in map(str, record.below))
    paths = [field.paths[0] for field in fields]
    if len(paths) == 1:
        (field,) = fields
        itself = FieldAt(ITSELF.paths, capture=field.capture)
        yield Claiming(record, paths[0], (itself,), weight)
        return
    shared = _shared(paths)
    if shared:
        inner = tuple(
            FieldAt((path[len(shared) :],), capture=field.capture) for path, field in zip(paths, fields, strict=True)
        )
        yield Claiming(record, shared, inner, weight)
        return
    first = min(paths, key=len)
    climb = sum(step is not Many.ITEMS and not isinstance(step, int) for step in first)
    around = tuple(FieldAt((path,), climb, field.capture) for path, field in zip(paths, fields, strict=True))
    yield Claiming(record, first, around, weight)


def _shared(paths: Sequence[Steps]) -> Steps:
    shared = paths[0][:-1]
    for path in paths[1:]:
        while shared != path[: len(shared)] or len(shared) == len(path):
            shared = shared[:-1]
    return shared
