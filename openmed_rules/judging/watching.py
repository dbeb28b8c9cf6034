"""Counts, when asked for, how often each locator of a rule file was tried and found; otherwise it is not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from openmed_rules.judging.nodes import ABSENT, DENIED

Given = TypeVar("Given", contravariant=True)
Value = TypeVar("Value", covariant=True)


class Watch:
    """One place of a rule file, under its path there (``citations[1].id[0]``).

    Without ``counts`` it hands every function back as it is, so that watching costs nothing when it is off.
    """

    __slots__ = ("_counts", "_name")

    def __init__(self, counts: dict[str, list[int]] | None = None, name: str = "") -> None:
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

    def each(self, count: int) -> Sequence[Watch]:
        """The places of a list of ``count`` entries; the place itself where it is one entry."""
        if count == 1:
            return [self]
        return [Watch(self._counts, f"{self._name}[{number}]") for number in range(count)]

    def reader(self, read: Callable[[Given], Value]) -> Callable[[Given], Value]:
        """``read``, counted: a value is found where it is there, usable or not."""
        if self._counts is None:
            return read
        count = self._counts.setdefault(self._name, [0, 0])

        def counted(given: Given) -> Value:
            value = read(given)
            count[0] += 1
            count[1] += value is not ABSENT and value is not DENIED and value is not False and value is not None
            return value

        return counted

    def add(self, tried: int, found: int) -> None:
        """Count what was tried and found at once."""
        if self._counts is not None:
            count = self._counts.setdefault(self._name, [0, 0])
            count[0] += tried
            count[1] += found
