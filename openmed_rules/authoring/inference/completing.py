"""From the best candidate to a whole rule: conditions, further collections, and fields that take turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from openmed_rules.authoring.inference.candidates import LEAST_FOUND, Candidate
from openmed_rules.authoring.inference.conditions import discriminator
from openmed_rules.authoring.inference.draft import Allowed, Citing, Condition, Draft, FieldAt, PlaceAt
from openmed_rules.authoring.inference.identities import Side
from openmed_rules.authoring.inference.shapes import Shape, Spot, Steps
from openmed_rules.authoring.inference.words import CITATION, says

_WHOLE: Final = 0.98
_MANY_LACK: Final = 0.1
_FEW: Final = 10
_ENOUGH_FOR_A_FAULT: Final = 4


def complete(best: Candidate, others: Sequence[Candidate], summary: Side, other: Side | None) -> Draft | None:
    """The rule around ``best``; None where too many of its citations stay unexplained."""
    side = other if other and best.identity.input == "evidence" else summary
    best, alternatives = _with_alternatives(best, others)
    chosen = [best, *_other_evidence(best, others)]
    explained = [any(found) for found in zip(*(one.fit.found for one in chosen), strict=True)]
    left = len(explained) - sum(explained)
    where = best.where if len(chosen) == 1 else None
    if where is None and left > max((1 - LEAST_FOUND) * len(explained), len(explained) >= _ENOUGH_FOR_A_FAULT):
        return None
    citing = [_conditioned(best, where, summary), *_further(best, others, summary)]
    allowed = [_allowed(one, side) for one in chosen]
    if alternatives:
        allowed[0] = replace(allowed[0], reading=alternatives, where=None)
    return Draft(best.scope.shape.steps, tuple(citing), tuple(dict.fromkeys(allowed)))


def _with_alternatives(best: Candidate, others: Sequence[Candidate]) -> tuple[Candidate, FieldAt | None]:
    """Where one field is missing another names the record: both become a list of paths."""
    mine, theirs = best.reading, best.identity.reading
    if not (isinstance(mine, FieldAt) and isinstance(theirs, FieldAt)) or best.form or mine.paths == ((),):
        return best, None
    met = {id(spot) for spot, _ in best.cells}
    for other in others:
        if (
            other.record is not best.record
            or other.identity.record is not best.identity.record
            or other.way.claim is not best.way.claim
            or not (isinstance(other.reading, FieldAt) and isinstance(other.identity.reading, FieldAt))
            or other.fit.share < LEAST_FOUND
            or other.reading.climb != mine.climb
            or other.reading.capture != mine.capture
            or other.form
        ):
            continue
        cells = [(spot, text) for spot, text in other.cells if id(spot) not in met]
        if len(cells) < len(other.cells):
            continue
        met |= {id(spot) for spot, _ in cells}
        mine = replace(mine, paths=(*mine.paths, *other.reading.paths))
        theirs = replace(theirs, paths=tuple(dict.fromkeys((*theirs.paths, *other.identity.reading.paths))))
    if len(mine.paths) == 1:
        return best, None
    return replace(best, reading=mine), theirs


def _other_evidence(best: Candidate, others: Sequence[Candidate]) -> Iterator[Candidate]:
    """Further collections, read alike, that name what the best one does not."""
    left = [not found for found in best.fit.found]
    for other in others:
        if sum(left) < (1 - _WHOLE) * len(left):
            return
        if (
            other.record is best.record
            and other.way == best.way
            and other.cells == best.cells
            and other.identity.record is not best.identity.record
            and type(other.identity.reading) is type(best.identity.reading)
            and not isinstance(best.identity.reading, PlaceAt)
            and sum(a and b for a, b in zip(left, other.fit.found, strict=True)) > 0.5 * sum(left)
            and other.scope == best.scope
        ):
            left = [a and not b for a, b in zip(left, other.fit.found, strict=True)]
            yield other


def _further(best: Candidate, others: Sequence[Candidate], summary: Side) -> Iterator[Citing]:
    """Further citations of the same evidence: in the same claims, or in claims of the same making elsewhere."""
    taken: set[tuple[Steps, Steps]] = {(best.way.claim.steps, best.way.records)}
    for other in others:
        place = other.way.claim.steps, other.way.records
        if (
            place in taken
            or other.identity.record is not best.identity.record
            or other.identity.reading != best.identity.reading
            or other.fit.share < LEAST_FOUND
            or other.scope != best.scope
            or type(other.form) is not type(best.form)
            or other.record is best.record
            or any(_overlap(place, known) for known in taken)
        ):
            continue
        same_claims = other.way.claim is best.way.claim
        alike = other.name == best.name and (best.record.name == other.record.name)
        if alike or (same_claims and says(other.name, CITATION) and not other.form):
            taken.add(place)
            yield _conditioned(other, None, summary)


def _overlap(place: tuple[Steps, Steps], known: tuple[Steps, Steps]) -> bool:
    """Whether one of two places of citations is the other, or stands in it."""
    whole, other = (*place[0], *place[1]), (*known[0], *known[1])
    shorter = min(len(whole), len(other))
    return whole[:shorter] == other[:shorter]


def repaired(candidate: Candidate, summary: Side) -> Candidate:
    """``candidate`` with the condition under which its records are citations, where it needs one and there is one."""
    if candidate.fit.share >= _WHOLE or candidate.form:
        return candidate
    good: dict[int, bool] = {}
    for (spot, _), found in zip(candidate.cells, candidate.fit.found, strict=True):
        good[id(spot)] = good.get(id(spot), True) and found
    where = discriminator(candidate.record, summary, good)
    return replace(candidate, where=where) if where else candidate


def _conditioned(candidate: Candidate, where: Condition | None, summary: Side) -> Citing:
    """The citations with the conditions under which a record is one."""
    citing = candidate.citing()
    if candidate.way.claim is candidate.record:
        cited = {id(spot) for spot, _ in candidate.cells}
        lacking = _lacking(candidate.record, cited)
        claim_where = where or (discriminator(candidate.record, summary, lacking) if _many(lacking) else None)
        if claim_where is None and _many(lacking) and candidate.identity.record is candidate.record:
            claim_where = Condition(candidate.way.records)
        return replace(citing, claim_where=claim_where)
    cited = {id(spot) for spot, _ in candidate.cells}
    lacking = _lacking(candidate.record, cited)
    if (
        where is None
        and _many(lacking)
        and isinstance(candidate.reading, FieldAt)
        and len(candidate.reading.paths) == 1
    ):
        where = discriminator(candidate.record, summary, lacking)
        if where is None and candidate.reading.paths[0] and not candidate.reading.climb:
            where = Condition(candidate.reading.paths[0])
    return replace(citing, where=where, claim_where=_claim_condition(candidate, summary))


def _claim_condition(candidate: Candidate, summary: Side) -> Condition | None:
    """What tells the claims with citations from records of their collection that have none."""
    levels = candidate.record.depth - candidate.way.claim.depth
    citing = {id(spot.climb(levels)) for spot, _ in candidate.cells}
    lacking = _lacking(candidate.way.claim, citing)
    return discriminator(candidate.way.claim, summary, lacking) if _many(lacking) else None


def _allowed(candidate: Candidate, side: Side) -> Allowed:
    """The evidence, without the records of its collection that have no name at all."""
    allowed = candidate.allowed()
    if not isinstance(candidate.identity.reading, FieldAt) or candidate.identity.reading.paths == ((),):
        return allowed
    named = {id(spot) for spot, _ in candidate.identity.cells}
    lacking = _lacking(candidate.identity.record, named)
    if not _many(lacking):
        return allowed
    where = discriminator(candidate.identity.record, side, lacking)
    return replace(allowed, where=where or Condition(candidate.identity.reading.paths[0]))


def _lacking(record: Shape, good: set[int]) -> dict[int, bool]:
    spots: list[Spot] = [spot for spot in record.spots if spot.value is not None]
    return {id(spot): id(spot) in good for spot in spots}


def _many(good: dict[int, bool]) -> bool:
    """Whether more records fail than the faults of a sample explain."""
    bad = len(good) - sum(good.values())
    return bad > _MANY_LACK * len(good) and (len(good) >= _FEW or bad > 0)
