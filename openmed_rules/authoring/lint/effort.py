"""A limit on how much is done, counted in calls of functions: unlike a time it is the same on a slow machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class EffortSpent(BaseException):
    """More calls than were allowed; no ``Exception``, so that what is tried cannot take it for an error of its own."""


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """What runs inside may make that many calls of functions that are written in Python.

    Raises:
        EffortSpent: it makes one more.
    """
    left = calls

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        if event == "call":
            left -= 1
            if left < 0:
                raise EffortSpent

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)
