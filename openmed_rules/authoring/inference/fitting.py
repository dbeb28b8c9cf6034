"""How well values that cite fit the names of records, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from openmed_rules.authoring.inference.identities import Identity
from openmed_rules.authoring.inference.shapes import Many, Shape, Spot

Cells = Sequence[tuple[Spot, str]]

_MOST_REPEATED = 0.1


@dataclass(frozen=True, slots=True)
class Scope:
    """What one case is: a value at ``shape`` of the summary, and the evidence document of its number, or the one."""

    shape: Shape
    one_evidence: bool = True

    def of_summary(self, spot: Spot, depth: int) -> object:
        """The case in which a spot of the summary stands, that deep down."""
        return id(spot.climb(depth - self.shape.depth))

    def of_evidence(self, spot: Spot, depth: int) -> object:
        """The evidence that a spot of the second input belongs to."""
        return None if self.one_evidence else spot.climb(depth).key

    def evidence_of(self, spot: Spot, depth: int) -> object:
        """The evidence that a spot of the summary meets."""
        return None if self.one_evidence else spot.climb(depth).key


@dataclass(slots=True)
class Fit:
    """Which of the citing cells were found; ``repeated``: the share of names that are no names of their own."""

    found: list[bool] = field(repr=False)
    distinct: int
    repeated: float

    @property
    def total(self) -> int:
        """How many cells there are."""
        return len(self.found)

    @property
    def count(self) -> int:
        """How many were found."""
        return sum(self.found)

    @property
    def share(self) -> float:
        """The share that was found."""
        return self.count / self.total if self.total else 0.0

    @property
    def unique(self) -> bool:
        """Whether a name means one record."""
        return self.repeated <= _MOST_REPEATED


def fit(cells: Cells, record: Shape, identity: Identity, scope: Scope) -> Fit:
    """How many of ``cells``, each at a record of ``record``, are the name of another record of its case."""
    inside = identity.input == "summary"
    names: Counter[tuple[object, str]] = Counter()
    named: dict[tuple[object, str], Spot] = {}
    for spot, text in identity.cells:
        if inside:
            case = scope.of_summary(spot, identity.record.depth)
        else:
            case = scope.of_evidence(spot, identity.record.depth)
        names[case, text] += 1
        named[case, text] = spot
    related = inside and identity.record.is_above(record)
    levels = record.depth - identity.record.depth
    found: list[bool] = []
    met: set[str] = set()
    for spot, text in cells:
        case = scope.of_summary(spot, record.depth) if inside else scope.evidence_of(spot, record.depth)
        target = named.get((case, text))
        there = target is not None and not (related and spot.climb(levels) is target)
        found.append(there)
        if there:
            met.add(text)
    repeated = 1 - len(names) / sum(names.values()) if names else 1.0
    return Fit(found, len(met), repeated)


def scopes(summary: Shape, record: Shape, other: Shape | None, *, one_evidence: bool) -> list[Scope]:
    """What a case may be for citations at ``record``: the document first, then what encloses both collections.

    ``other``: the evidence, where it stands in the summary as well.
    """
    if other is None:
        items = summary.below.get(Many.ITEMS)
        is_list = items is not None and items.is_above(record) and one_evidence
        return [Scope(items if items is not None and is_list else summary, one_evidence)]
    common: list[Shape] = []
    shape: Shape | None = record
    while shape is not None:
        if shape.is_above(other) and shape is not other:
            common.append(shape)
        shape = shape.enclosing
    return [Scope(shape) for shape in reversed(common)]
