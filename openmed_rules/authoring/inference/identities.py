"""What a record may be named by: a field, a position, a key, a pointer, or two of these together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from openmed_rules.authoring.inference.columns import Column, columns
from openmed_rules.authoring.inference.draft import FieldAt, PartsOf, PlaceAt, Reading, SpanAt
from openmed_rules.authoring.inference.shapes import Many, Shape, Spot, Steps
from openmed_rules.authoring.inference.words import CITATION, EVIDENCE, ID, says
from openmed_rules.ruleset.model import Input

SEPARATOR: Final = "\0"
"""Stands between the parts of a composite; no id holds it."""

_MOST_COLUMNS: Final = 200

CAPTURES: Final = (
    r"#(.+)",
    r"(?:.*/)?([A-Z]\w*)/([\w.-]+)(?:/_history/.+)?",
    r"([^/]+)/(.+)",
    r"(.+):([^:]+)",
    r"(.+)#([^#]+)",
)
"""Forms of a reference that names its record in one or two parts."""


@dataclass(eq=False, slots=True)
class Identity:
    """A way to name the records at ``record``: how it is read, and the name of each record as text.

    ``leaf``: the path of the field that gives it, where it is one.
    """

    input: Input
    record: Shape
    reading: Reading
    name: str
    cells: list[tuple[Spot, str]] = field(repr=False)
    leaf: Steps = ()
    texts: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Collect the names, for a first quick look."""
        self.texts = frozenset(text for _, text in self.cells)


@dataclass(eq=False, slots=True)
class Side:
    """One input: its structure, its columns by record, and the names that its records may have."""

    input: Input
    root: Shape
    columns: list[Column] = field(init=False)
    by_record: dict[Shape, list[Column]] = field(init=False, repr=False)
    identities: list[Identity] = field(init=False, repr=False)
    places: list[Identity] = field(init=False, repr=False)
    known_parts: dict[Shape, list[Identity]] = field(init=False, default_factory=dict, repr=False)
    effort: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Read the columns; of very many, those whose names speak for them are looked at."""
        every = list(columns(self.root))
        self.by_record = defaultdict(list)
        for column in every:
            self.by_record[column.record].append(column)
        self.columns = sorted(every, key=lambda column: not says(column.name, CITATION | ID))[:_MOST_COLUMNS]
        named = sorted(self._fields(), key=lambda identity: not says(identity.name, ID | EVIDENCE))
        self.places = list(self._places())[:_MOST_COLUMNS]
        self.identities = [*named[:_MOST_COLUMNS], *self.places]

    def allow(self, effort: int) -> None:
        """Let the search look at that many cells from now on."""
        self.effort = effort

    def spend(self, effort: int) -> bool:
        """Take from what is allowed; whether there was something left."""
        self.effort -= effort
        return self.effort > 0

    def parts(self, record: Shape, *, places: bool) -> list[Identity]:
        """What a composite of ``record`` may be made of: its own fields, those around it, and its position."""
        if record not in self.known_parts:
            self.known_parts[record] = list(self._fields_around(record))
        found = self.known_parts[record]
        return [*found, *(one for one in self.places if one.record is record)] if places else found

    def _fields_around(self, record: Shape) -> Iterator[Identity]:
        for column in self.by_record.get(record, ()):
            reading = FieldAt((column.field,))
            yield Identity(self.input, record, reading, column.name, column.cells, column.leaf)
        outer = record.enclosing
        while outer is not None:
            yield from self._outer(record, outer)
            outer = outer.enclosing

    def _fields(self) -> Iterator[Identity]:
        for record, fields in self.by_record.items():
            for column in fields if record.is_record else ():
                yield Identity(self.input, record, FieldAt((column.field,)), column.name, column.cells)

    def _places(self) -> Iterator[Identity]:
        for shape in self.root.everything():
            if not shape.is_record or not shape.is_shared:
                continue
            spots = [spot for spot in shape.spots if spot.value is not None]
            if shape.steps[-1] is Many.VALUES:
                cells = [(spot, str(spot.key)) for spot in spots]
                yield Identity(self.input, shape, PlaceAt("key"), shape.name, cells)
                continue
            for base in (0, 1):
                cells = [(spot, str(int(spot.key) + base)) for spot in spots]
                yield Identity(self.input, shape, PlaceAt("position", base), shape.name, cells)
            if all(isinstance(spot.value, dict) for spot in spots):
                cells = [(spot, _pointer(spot)) for spot in spots]
                yield Identity(self.input, shape, PlaceAt("pointer"), shape.name, cells)

    def _outer(self, record: Shape, outer: Shape) -> Iterator[Identity]:
        objects = sum(step is not Many.ITEMS for step in record.steps[outer.depth :])
        levels = record.depth - outer.depth
        for column in self.by_record.get(outer, ()):
            known = {id(spot): text for spot, text in column.cells}
            cells = [(spot, text) for spot in record.spots if (text := known.get(id(spot.climb(levels)))) is not None]
            reading = FieldAt((column.field,), objects)
            yield Identity(self.input, record, reading, column.name, cells, column.leaf)


def joined(first: Identity, second: Identity) -> Identity:
    """Both together, for the records that have both."""
    others = {id(spot): text for spot, text in second.cells}
    cells = [(spot, f"{text}{SEPARATOR}{others[id(spot)]}") for spot, text in first.cells if id(spot) in others]
    parts = tuple(part.reading for part in (first, second) if not isinstance(part.reading, SpanAt))
    return Identity(first.input, first.record, PartsOf(parts), second.name, cells)


def captured(column: Column, pattern: str) -> list[tuple[Spot, str]]:
    """The cells of ``column`` as the groups of ``pattern``; none where hardly any value has this form."""
    form = re.compile(pattern)
    cells = [
        (spot, SEPARATOR.join(match.groups()))
        for spot, text in column.cells
        if (match := form.fullmatch(text)) is not None
    ]
    return cells if len(cells) * 2 >= len(column.cells) else []


def _pointer(spot: Spot) -> str:
    steps: list[str] = []
    while spot.up is not None:
        steps.append(str(spot.key).replace("~", "~0").replace("/", "~1"))
        spot = spot.up
    return "".join(f"/{step}" for step in reversed(steps))
