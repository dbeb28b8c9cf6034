"""What holds for every test, and for each process that it starts: no socket is opened, and interruptions are heard."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import watched

watched.install()
CLOSED = str(Path(__file__).with_name("closed"))

# By which the differential tests of the plan draw: another one in each run, the same in all processes of one.
os.environ.setdefault("OPENMED_RULES_SEED", str(secrets.randbelow(1 << 32)))

# How long an example takes tells only what else the machine does.
EXAMPLES = int(os.environ.get("OPENMED_RULES_EXAMPLES", "100"))
settings.register_profile("unhurried", deadline=None, max_examples=min(EXAMPLES, 100))
settings.load_profile("unhurried")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The seed with which a run can be had again."""
    terminalreporter.write_line(f"OPENMED_RULES_SEED={os.environ['OPENMED_RULES_SEED']}")


@pytest.fixture(autouse=True)
def sockets_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever tries is refused, and the test fails also where the refusal was swallowed."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (CLOSED, os.environ.get("PYTHONPATH")))))
    before = len(watched.refused)
    yield
    assert watched.refused[before:] == []


@pytest.fixture(autouse=True)
def interruptions_are_heard() -> Iterator[None]:
    """Also where the tests run in the background of a shell, whose processes ignore them from birth."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def open_sockets(sockets_are_closed: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # noqa: ARG001 - after it
    """For an engine that a test starts, and that talks to itself over sockets."""
    kept = [place for place in os.environ["PYTHONPATH"].split(os.pathsep) if place != CLOSED]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(kept))
    with watched.open_sockets():
        yield
