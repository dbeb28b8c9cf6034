"""Marks in a text, such as ``[1]``: looked for only as a last resort, and asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from openmed_rules.authoring.inference.candidates import Candidate
from openmed_rules.authoring.inference.claiming import Claiming
from openmed_rules.authoring.inference.columns import texts
from openmed_rules.authoring.inference.draft import FieldAt, Marker, PlaceAt
from openmed_rules.authoring.inference.identities import SEPARATOR, Side
from openmed_rules.authoring.inference.searching import best_fit, identities_for
from openmed_rules.authoring.inference.shapes import Shape, Spot


class _Mark(NamedTuple):
    """How a mark looks: the pattern of the whole, and of what is the id in each piece."""

    pattern: str
    capture: str | None


_MARKS: Final = (
    _Mark(r"\[(\d[\d, ]*)\]", None),
    _Mark(r"\[(doc\d+(?:, *doc\d+)*)\]", r"\s*doc(\d+)\s*"),
    _Mark(r"\[([^\[\]]+)\]", None),
    _Mark(r"\[([^\[\]]+/[^\[\]]+)\]", r"\s*([^/]+)/(.+?)\s*"),
)
_WEIGHT: Final = -6.0
_FROM_ONE: Final = 2.0


def marker_candidates(summary: Side, other: Side | None, *, one_evidence: bool) -> Iterator[Candidate]:
    """Texts whose marks name records; a number counts from 1 by custom."""
    for leaf in texts(summary.root):
        for mark in _MARKS:
            yield from _candidates(leaf, mark, summary, other, one_evidence=one_evidence)


def _candidates(
    leaf: Shape, mark: _Mark, summary: Side, other: Side | None, *, one_evidence: bool
) -> Iterator[Candidate]:
    record = leaf.record
    levels = leaf.depth - record.depth
    whole, inner = re.compile(mark.pattern), re.compile(mark.capture or r"\s*(.*?)\s*")
    cells: list[tuple[Spot, str]] = []
    is_list = False
    for spot in leaf.spots:
        for found in whole.findall(spot.value) if isinstance(spot.value, str) else ():
            is_list = is_list or "," in found
            for piece in found.split(","):
                match = inner.fullmatch(piece)
                cells.append((spot.climb(levels), SEPARATOR.join(match.groups()) if match else piece))
    if not cells:
        return
    reading = FieldAt(((),), capture=mark.capture)
    for side in [other, summary] if other else [summary]:
        for identity in identities_for(cells, side, None):
            best = best_fit(cells, record, identity, summary, one_evidence=one_evidence)
            if best is None or (identity.input == "summary" and identity.record is record):
                continue
            way = Claiming(record, leaf.steps[record.depth :], (reading,), 0.0)
            weight = _WEIGHT
            if isinstance(identity.reading, PlaceAt):
                weight += _FROM_ONE * identity.reading.base - 1.0
            form = Marker(mark.pattern, "," if is_list else None)
            yield Candidate(best[0], record, leaf.name, way, reading, identity, best[1], cells, weight, form)
