"""Counts, when asked for, how often each locator of a rule file was tried and found; otherwise it is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from operator import add
from typing import TypeVar

from openmed_rules.judging.nodes import ABSENT, DENIED, MALFORMED

Given = TypeVar("Given")
Value = TypeVar("Value")
Entry = TypeVar("Entry")


@dataclass(slots=True)
class LocatorCounts:
    """How often one locator was tried, in how many of these it met something, how much it found, and of what kind.

    ``numbers`` and ``malformed``: how many of the values were numbers, and how many could not be used.
    """

    tried: int = 0
    met: int = 0
    found: int = 0
    numbers: int = 0
    malformed: int = 0

    def add(self, found: int, values: Iterable[object] = ()) -> None:
        """Count one try. ``values``: those of what was found that are single values."""
        self.tried += 1
        self.met += found > 0
        self.found += found
        for value in values:
            self.numbers += type(value) is int or type(value) is float
            self.malformed += value is MALFORMED or type(value) is dict

    def plus(self, other: LocatorCounts) -> LocatorCounts:
        """The counts of both."""
        return LocatorCounts(*map(add, astuple(self), astuple(other)))

    def to_dict(self) -> dict[str, int]:
        """``tried`` and ``found``, and what else there is to tell."""
        counts = {"tried": self.tried, "found": self.found}
        if self.met != self.found:
            counts["met"] = self.met
        more = {"numbers": self.numbers, "malformed": self.malformed}
        return counts | {name: count for name, count in more.items() if count}


class Watch:
    """One place of a rule file, under its path there (``citations[1].id[0]``).

    Without ``counts`` it hands every function back as it is, so that watching costs nothing when it is off.
    """

    __slots__ = ("_counts", "_name")

    def __init__(self, counts: dict[str, LocatorCounts] | None = None, name: str = "") -> None:
        """Watch ``name``. ``counts``: by path, how often it was tried and how much was found."""
        self._counts = counts
        self._name = name

    @property
    def is_on(self) -> bool:
        """Whether anything is counted."""
        return self._counts is not None

    def at(self, key: str) -> Watch:
        """The place under ``key``."""
        return Watch(self._counts, f"{self._name}.{key}" if self._name else key)

    def each(self, entries: Sequence[Entry]) -> list[tuple[Entry, Watch]]:
        """The entries of a list at this place, each with its own; where it is one entry, that is the place itself."""
        if len(entries) == 1:
            return [(entries[0], self)]
        return [(entry, Watch(self._counts, f"{self._name}[{number}]")) for number, entry in enumerate(entries)]

    def reader(self, read: Callable[[Given], Value]) -> Callable[[Given], Value]:
        """``read``, counted: a value is found where it is there, usable or not."""
        if self._counts is None:
            return read
        count = self._counts.setdefault(self._name, LocatorCounts())

        def counted(given: Given) -> Value:
            value = read(given)
            is_there = value is not ABSENT and value is not DENIED and value is not False and value is not None
            count.add(int(is_there), [value])
            return value

        return counted

    def expect(self) -> Watch:
        """The place itself, of which counts are told also where it is never tried."""
        if self._counts is not None:
            self._counts.setdefault(self._name, LocatorCounts())
        return self

    def add(self, found: int, values: Iterable[object] = ()) -> None:
        """Count one try, and how much it found. ``values``: those of it that are single values."""
        if self._counts is not None:
            self._counts.setdefault(self._name, LocatorCounts()).add(found, values)
