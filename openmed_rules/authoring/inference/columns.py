"""Columns: the values of one field over all records of a collection, as they are compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from openmed_rules.authoring.inference.shapes import Shape, Spot, Steps

_LONGEST_ID = 300
_MOST_BLANKS = 2


@dataclass(eq=False, slots=True)
class Column:
    """One field of the records at ``record``: ``field`` from the record, and its comparable values.

    ``cells``: the record of each value, and the value as text.
    """

    record: Shape
    field: Steps
    cells: list[tuple[Spot, str]] = dataclasses.field(repr=False)

    @property
    def name(self) -> str:
        """The last key on the way to the value."""
        own = next((step for step in reversed(self.field) if isinstance(step, str)), "")
        return own or self.record.name

    @property
    def leaf(self) -> Steps:
        """The path of the value from the document."""
        return (*self.record.steps, *self.field)

    @property
    def counts_records(self) -> bool:
        """Whether each value is only the position of its own record, from 0 or from 1."""
        return bool(self.field) and any(
            all(isinstance(spot.key, int) and text == str(spot.key + base) for spot, text in self.cells)
            for base in (0, 1)
        )


def columns(root: Shape) -> Iterator[Column]:
    """Every column below ``root`` whose values could be ids."""
    for leaf in root.everything():
        record = leaf.record
        levels = leaf.depth - record.depth
        cells = [(spot.climb(levels), text) for spot in leaf.spots if (text := as_id(spot.value)) is not None]
        if cells and leaf.is_shared and not _is_prose(cells):
            yield Column(record, leaf.steps[record.depth :], cells)


def texts(root: Shape) -> Iterator[Shape]:
    """The paths below ``root`` that hold text."""
    for leaf in root.everything():
        if leaf.is_shared and any(isinstance(spot.value, str) for spot in leaf.spots):
            yield leaf


def as_id(value: object) -> str | None:
    """A value as ids are compared; None where it can be none."""
    if isinstance(value, str):
        return value.strip() or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _is_prose(cells: list[tuple[Spot, str]]) -> bool:
    wordy = sum(text.count(" ") > _MOST_BLANKS or len(text) > _LONGEST_ID for _, text in cells)
    return wordy * 2 > len(cells)
