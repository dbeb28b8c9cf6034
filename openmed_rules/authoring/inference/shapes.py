"""The structure of sample documents: which paths there are, and every value that stands at each.

An array stands for its items and a map, an object keyed by ids, for its values; an array of fixed length whose
places differ in type (a row) has a path for each place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

MAX_DEPTH = 40
MOST_KEYS = 200
"""An object path with more different keys than this is a map, whatever the keys look like."""

_LONGEST_ROW = 8
_FEW_SHARED = 0.25
_FEW = 5
_PLAIN_WORD = re.compile(r"[@$%#_]?[A-Za-z][A-Za-z_]*(?:[0-9][A-Za-z_]+)*")
"""A key of letters, as far as its looks tell no id; asked where so few have it that nothing else can tell."""

_ID_LIKE = re.compile(r"[0-9a-fA-F-]{12,}|[0-9]+")


class Many(Enum):
    """A step to all items of an array, or to all values of a map."""

    ITEMS = "[*]"
    VALUES = ".*"


Step: TypeAlias = str | int | Many
Steps: TypeAlias = tuple[Step, ...]


class Spot:
    """One value of one document with where it stands: the spot around it, and its key or position there."""

    __slots__ = ("document", "key", "up", "value")

    def __init__(self, value: object, up: Spot | None, key: str | int) -> None:
        """``key`` of a whole document is its number in the sample."""
        self.value = value
        self.up = up
        self.key = key
        self.document: int = up.document if up else int(key)

    def climb(self, levels: int) -> Spot:
        """The spot that many levels up."""
        spot = self
        for _ in range(levels):
            spot = spot.up or spot
        return spot


@dataclass(eq=False, slots=True)
class Shape:
    """One path: its steps from the document, the values there, and the paths below."""

    steps: Steps
    up: Shape | None
    spots: list[Spot] = field(default_factory=list, repr=False)
    below: dict[Step, Shape] = field(default_factory=dict, repr=False)
    shared: bool | None = field(default=None, init=False, repr=False)

    @property
    def depth(self) -> int:
        """How many levels lie between the document and a value here."""
        return len(self.steps)

    @property
    def is_record(self) -> bool:
        """Whether each value is one of many: an item of an array or a value of a map."""
        return bool(self.steps) and isinstance(self.steps[-1], Many)

    @property
    def record(self) -> Shape:
        """The nearest path upwards, this one included, that is one of many; the document where there is none."""
        shape = self
        while shape.up is not None and not shape.is_record:
            shape = shape.up
        return shape

    @property
    def enclosing(self) -> Shape | None:
        """The record around this record; None for the document."""
        return self.up.record if self.up is not None else None

    @property
    def name(self) -> str:
        """The last key of the path; empty where there is none."""
        return next((step for step in reversed(self.steps) if isinstance(step, str)), "")

    @property
    def is_shared(self) -> bool:
        """Whether every key of the path may be told: many objects and documents have it, or of few it is a word."""
        if self.up is None:
            return True
        if self.shared is None:
            step = self.steps[-1]
            self.shared = self.up.is_shared and (not isinstance(step, str) or self._has_many(step))
        return self.shared

    def _has_many(self, key: str) -> bool:
        around = [spot for spot in self.up.spots if isinstance(spot.value, dict)] if self.up else []
        documents = len({spot.document for spot in around}), len({spot.document for spot in self.spots})
        for every, own in (documents, (len(around), len(self.spots))):
            if every >= _FEW and own < max(2, every // 50):
                return False
        return max(documents[0], len(around)) >= _FEW or _PLAIN_WORD.fullmatch(key) is not None

    def is_above(self, other: Shape) -> bool:
        """Whether ``other`` is this path or lies below it."""
        return other.steps[: self.depth] == self.steps

    def everything(self) -> Iterator[Shape]:
        """This path and all below it."""
        yield self
        for shape in self.below.values():
            yield from shape.everything()


def grow(documents: Sequence[object]) -> Shape:
    """The structure of ``documents``."""
    root = Shape((), None, [Spot(value, None, number) for number, value in enumerate(documents)])
    _grow(root)
    return root


def _grow(shape: Shape) -> None:
    if shape.depth >= MAX_DEPTH:
        return
    objects = [spot for spot in shape.spots if isinstance(spot.value, dict)]
    arrays = [spot for spot in shape.spots if isinstance(spot.value, list)]
    is_map, is_row = _is_map(objects), _is_row(shape, arrays)
    for spot in objects:
        for key, value in spot.value.items():  # type: ignore[attr-defined]
            _child(shape, Many.VALUES if is_map else key).spots.append(Spot(value, spot, key))
    for spot in arrays:
        for number, value in enumerate(spot.value):  # type: ignore[arg-type]
            _child(shape, number if is_row else Many.ITEMS).spots.append(Spot(value, spot, number))
    for below in shape.below.values():
        _grow(below)


def _child(shape: Shape, step: Step) -> Shape:
    found = shape.below.get(step)
    if found is None:
        found = shape.below[step] = Shape((*shape.steps, step), shape)
    return found


def _is_map(objects: Sequence[Spot]) -> bool:
    """Whether the keys of these objects are ids: made of one pattern with digits, or hardly ever the same."""
    keys = Counter(key for spot in objects for key in spot.value)  # type: ignore[attr-defined]
    if not keys:
        return False
    if len(keys) > MOST_KEYS:
        return True
    kinds = {
        _kind(value)
        for spot in objects
        for value in spot.value.values()  # type: ignore[attr-defined]
        if value is not None
    }
    if len(kinds) > 1:
        return False
    patterns = {_ID_LIKE.sub("#", key) for key in keys}
    if len(patterns) == 1 and patterns != set(keys) and (len(keys) > 1 or patterns == {"#"}):
        return True
    shared = sum(keys.values()) / (len(objects) * len(keys))
    return len(keys) > 4 and shared < _FEW_SHARED and kinds <= {"object", "array"}  # noqa: PLR2004


def _is_row(shape: Shape, arrays: Sequence[Spot]) -> bool:
    """Whether these arrays are rows: of one length, and each place with a type of its own."""
    values: list[list[object]] = [spot.value for spot in arrays]  # type: ignore[misc]
    lengths = {len(value) for value in values}
    if len(lengths) != 1 or not 2 <= (length := lengths.pop()) <= _LONGEST_ROW:  # noqa: PLR2004
        return False
    kinds = [{_kind(value[n]) for value in values if value[n] is not None} for n in range(length)]
    if any(len(kind) > 1 for kind in kinds):
        return False
    different = set().union(*kinds)
    several, in_list = len(values) > 1, shape.steps[-1:] == (Many.ITEMS,)
    if len(different) > 1:
        return several or (in_list and bool(different & {"object", "array"}))
    return several and in_list and different == {"text"}


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "array"
    return "text" if isinstance(value, str) else "other"
