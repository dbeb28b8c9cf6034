"""A rule in the making: which collections, and how each is read. It holds keys and words, and no values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from openmed_rules.authoring.inference.shapes import Steps
from openmed_rules.ruleset.model import Input, Scalar


@dataclass(frozen=True, slots=True)
class FieldAt:
    """The value at the first of ``paths`` that is there; the empty path is the record itself.

    ``climb``: the paths start that many objects above the record. ``capture``: a pattern over the whole value.
    """

    paths: tuple[Steps, ...]
    climb: int = 0
    capture: str | None = None


@dataclass(frozen=True, slots=True)
class PlaceAt:
    """The record's position counted from ``base``, its key, or its pointer."""

    what: Literal["position", "key", "pointer"]
    base: int = 0


@dataclass(frozen=True, slots=True)
class PartsOf:
    """Several readings that are one id."""

    parts: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class SpanAt:
    """A span; ``end``, ``length`` or neither (``start`` is then an array of two)."""

    start: FieldAt
    end: FieldAt | None = None
    length: FieldAt | None = None
    within: FieldAt | None = None
    closed: bool = False
    base: int = 0
    text_numbers: bool = False


Name: TypeAlias = FieldAt | PlaceAt | PartsOf
Reading: TypeAlias = Name | SpanAt
ITSELF = FieldAt(((),))


@dataclass(frozen=True, slots=True)
class Marker:
    """Citations that are marks in a text."""

    pattern: str
    split: str | None = None


@dataclass(frozen=True, slots=True)
class RangeOf:
    """Citations that are the whole numbers between two fields."""

    first: Steps
    last: Steps


@dataclass(frozen=True, slots=True)
class Condition:
    """A field that is one of ``wanted``, or that is there at all (``wanted`` empty)."""

    field: Steps
    wanted: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class Citing:
    """Claims and the citations of each: ``claim`` from the case, ``records`` from the claim."""

    claim: Steps
    records: Steps
    reading: Reading
    form: Marker | RangeOf | None = None
    where: Condition | None = None
    claim_where: Condition | None = None


@dataclass(frozen=True, slots=True)
class Allowed:
    """One collection of evidence: ``records`` from the case."""

    input: Input
    records: Steps
    reading: Reading
    where: Condition | None = None
    merge: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A whole rule. ``cases``: where the cases stand in a document of the summary, empty where it is one."""

    cases: Steps
    citing: tuple[Citing, ...]
    allowed: tuple[Allowed, ...]
    join: tuple[Steps, Steps] | None = None
    with_coverage: bool = False
    tolerated: tuple[str, ...] = ()

    @property
    def reads_text(self) -> bool:
        """Whether citations are marks in a text."""
        return any(isinstance(citing.form, Marker) for citing in self.citing)
