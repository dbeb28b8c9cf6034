"""What a process does besides computing, as Python's audit events tell it; opening a socket is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Event(NamedTuple):
    """One audit event of Python: its name and its arguments."""

    name: str
    arguments: tuple[Any, ...]


refused: list[str] = []
"""The events of sockets that were refused so far."""

_HARMLESS = frozenset({"socket.gethostname"})
_recordings: list[list[Event]] = []
_are_open = False


def _watch(name: str, arguments: tuple[Any, ...]) -> None:
    if _recordings:
        for recording in _recordings:
            recording.append(Event(name, arguments))
    if name.startswith("socket.") and not _are_open and name not in _HARMLESS:
        refused.append(name)
        raise ConnectionRefusedError(f"{name}: the tests run with sockets closed")


def install() -> None:
    """Watch this process from now on; there is no way back."""
    sys.addaudithook(_watch)


@contextmanager
def recording() -> Iterator[list[Event]]:
    """The events meanwhile."""
    events: list[Event] = []
    _recordings.append(events)
    try:
        yield events
    finally:
        _recordings.remove(events)


@contextmanager
def open_sockets() -> Iterator[None]:
    """For what talks to itself over sockets, such as an engine that a test starts."""
    global _are_open  # noqa: PLW0603 - a hook knows nothing but what stands in its module
    before, _are_open = _are_open, True
    try:
        yield
    finally:
        _are_open = before
