"""What holds for every test: nothing opens a socket, neither here nor in a process that a test starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import watched

watched.install()
CLOSED = str(Path(__file__).with_name("closed"))


@pytest.fixture(autouse=True)
def sockets_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever tries is refused, and the test fails also where the refusal was swallowed."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (CLOSED, os.environ.get("PYTHONPATH")))))
    before = len(watched.refused)
    yield
    assert watched.refused[before:] == []


@pytest.fixture
def open_sockets(sockets_are_closed: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # noqa: ARG001 - after it
    """For an engine that a test starts, and that talks to itself over sockets."""
    kept = [place for place in os.environ["PYTHONPATH"].split(os.pathsep) if place != CLOSED]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(kept))
    with watched.open_sockets():
        yield
