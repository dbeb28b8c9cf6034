"""A candidate: citations of one collection that name the records of another, and how much speaks for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from openmed_rules.authoring.inference.claiming import Claiming
from openmed_rules.authoring.inference.draft import (
    Allowed,
    Citing,
    Condition,
    Marker,
    RangeOf,
    Reading,
)
from openmed_rules.authoring.inference.fitting import Cells, Fit, Scope
from openmed_rules.authoring.inference.identities import Identity
from openmed_rules.authoring.inference.shapes import Shape
from openmed_rules.authoring.inference.words import CITATION, EVIDENCE, GIVES, ID, OFFSET, TAKES, says, words

LEAST_FOUND: Final = 0.8
"""The share of citations that must find their record; a few faults of a sample may not hide a rule."""

_TEXT_WORDS: Final = frozenset(
    {"text", "title", "content", "name", "label", "type", "category", "role", "kind", "status"}
)
_MOST_INFORMATION: Final = 8.0
_REPAIRED: Final = 1.5
"""What it costs that only some records of a collection are the citations, and a condition tells which."""


@dataclass(eq=False, slots=True)
class Candidate:
    """One way to read the sample. ``cells`` are the values that cite, each at a record of ``record``."""

    scope: Scope
    record: Shape
    name: str
    way: Claiming
    reading: Reading
    identity: Identity
    fit: Fit
    cells: Cells = field(repr=False)
    weight: float = 0.0
    form: Marker | RangeOf | None = None
    where: Condition | None = None

    @property
    def score(self) -> float:
        """How much speaks for it."""
        return (
            self.weight
            + self.way.weight
            + self._information()
            + self._names()
            - self._lacking()
            - (_REPAIRED if self.where else 20.0 * (1.0 - self.fit.share))
        )

    def citing(self) -> Citing:
        """Claims and citations as a rule says them."""
        claim = self.way.claim.steps[self.scope.shape.depth :]
        return Citing(claim, self.way.records, self.reading, self.form, self.where)

    def allowed(self) -> Allowed:
        """The evidence as a rule says it."""
        inside = self.identity.input == "summary"
        steps = self.identity.record.steps[self.scope.shape.depth if inside else 0 :]
        return Allowed(self.identity.input, steps, self.identity.reading)

    def _lacking(self) -> float:
        """The share of the records without a value that could cite."""
        spots = sum(spot.value is not None for spot in self.record.spots)
        return 1.0 - len({id(spot) for spot, _ in self.cells}) / spots if spots else 0.0

    def _information(self) -> float:
        """How unlikely it is that these values were found by chance."""
        weak = all(len(text) < 5 and text.isdecimal() for _, text in self.cells)  # noqa: PLR2004
        bits = self.fit.distinct * (0.8 if weak else 2.5)
        return min(_MOST_INFORMATION, bits) + math.log2(1 + self.fit.count) / 2

    def _names(self) -> float:
        target, related = self.identity.record, self.identity.record.is_above(self.record)
        shared = words(self.name) & words(self.identity.name) - {"id"}
        return (
            1.5 * (says(self.name, ID) or says(self.name, CITATION))
            + 1.0 * says(self.name, TAKES)
            - 1.0 * says(self.name, GIVES)
            + 0.5 * ("id" in words(self.name))
            + 1.0 * says(self.identity.name, ID)
            + 1.0 * bool(shared)
            + 1.5 * says(target.name, EVIDENCE)
            + 4.0 * (self.identity.input == "evidence")
            - 8.0 * (says(self.name, OFFSET) or says(self.identity.name, OFFSET))
            - 2.0 * (words(self.name) == {"id"})
            + 0.5 * (words(self.identity.name) == {"id"})
            - 2.0 * related
            - 3.0 * (self.way.claim is not self.scope.shape and self.way.claim.is_above(target))
            - 2.0 * self.record.is_above(target)
            - 4.0 * says(self.name, _TEXT_WORDS)
            - 4.0 * says(self.identity.name, _TEXT_WORDS)
        )
