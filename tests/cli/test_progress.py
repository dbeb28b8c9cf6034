"""The progress bar: on a terminal, after a moment, and gone when the run ends."""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stderr

import pytest

from openmed_rules.cli import progress as bar
from openmed_rules.cli.progress import progress


class Terminal(io.StringIO):
    """Standard error on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return Terminal()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock says, which the test moves."""
    now = [100.0]
    monkeypatch.setattr(bar, "monotonic", lambda: now[0])
    return now


def shown_after(terminal: Terminal, clock: list[float], steps: list[float], size: int | None = 10_000_000) -> None:
    """Tell of a million bytes and of a thousand cases at each step, in seconds from the one before."""
    with redirect_stderr(terminal), progress(size) as tell:
        for step in steps:
            clock[0] += step
            assert tell is not None
            tell(1_000_000, 1000)


def test_it_tells_how_far_and_how_fast(terminal: Terminal, clock: list[float]) -> None:
    shown_after(terminal, clock, [0.5] * 4)
    plain = re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", terminal.getvalue())

    assert "20%" in plain
    assert "40% 2 MB/s  2,000 cases/s" in re.sub("[━╸╺ ]+40", "40", plain)
    assert terminal.getvalue().endswith(("\x1b[2K", "\x1b[?25h"))


def test_it_is_drawn_some_times_a_second(terminal: Terminal, clock: list[float]) -> None:
    shown_after(terminal, clock, [0.001] * 3000)

    assert terminal.getvalue().count("MB/s") <= 12


@pytest.mark.parametrize("steps", [[0.1] * 9, []])
def test_a_short_run_shows_none(steps: list[float], terminal: Terminal, clock: list[float]) -> None:
    shown_after(terminal, clock, steps)

    assert terminal.getvalue() == ""


def test_one_whose_end_is_not_known_tells_how_fast(terminal: Terminal, clock: list[float]) -> None:
    shown_after(terminal, clock, [0.6] * 3, size=None)

    assert "cases/s" in terminal.getvalue()


def test_it_goes_away_when_the_run_is_interrupted(terminal: Terminal, clock: list[float]) -> None:
    with pytest.raises(KeyboardInterrupt), redirect_stderr(terminal), progress(10) as tell:  # noqa: PT012 - as a signal would come
        assert tell is not None
        clock[0] += 2
        tell(5, 1)
        raise KeyboardInterrupt

    assert terminal.getvalue().endswith(("\x1b[2K", "\x1b[?25h"))


def test_a_terminal_that_went_away_is_no_matter(terminal: Terminal, clock: list[float]) -> None:
    def gone(_: str) -> int:
        raise OSError(5, "Input/output error")

    terminal.write = gone  # type: ignore[method-assign]
    shown_after(terminal, clock, [0.5] * 6)


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_without_a_terminal_nobody_is_told(stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with progress(10) as tell:
        assert tell is None
