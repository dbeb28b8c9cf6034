"""How far a run is, and how fast: on a terminal, and only where it takes longer than a moment."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

from openmed_rules.running.following import Tell

if TYPE_CHECKING:
    from rich.progress import Progress

_SILENT: Final = 1.0
"""How many seconds nothing is shown."""
_PAUSE: Final = 0.2
"""How many seconds there are from one picture to the next."""


@contextmanager
def progress(size: int | None) -> Iterator[Tell | None]:
    """What to tell how far a run is, or None where nobody looks. ``size``: how many bytes it reads, where known."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(size)
    try:
        yield bar.tell
    finally:
        bar.stop()


class _Bar:
    """A bar on standard error, which goes away when the run ends; rich is imported once there is one."""

    def __init__(self, size: int | None) -> None:
        self._size = size
        self._read = 0
        self._cases = 0
        self._begun = self._shown = monotonic()
        self._progress: Progress | None = None

    def tell(self, size: int, cases: int) -> None:
        """Take what was done since it was told last."""
        self._read += size
        self._cases += cases
        now = monotonic()
        if now - self._begun >= _SILENT and now - self._shown >= _PAUSE:
            self._shown = now
            with suppress(OSError):  # a terminal that went away is no matter of the run
                self._show(now - self._begun)

    def stop(self) -> None:
        """Take it off the terminal."""
        if self._progress is not None:
            with suppress(OSError):
                self._progress.stop()

    def _show(self, seconds: float) -> None:
        if self._progress is None:
            self._progress = _new_progress()
            self._progress.add_task("", total=self._size, speed="")
            self._progress.start()
        speed = f"{self._read / seconds / 1e6:,.0f} MB/s  {self._cases / seconds:,.0f} cases/s"
        self._progress.update(self._progress.task_ids[0], completed=self._read, speed=speed)
        self._progress.refresh()


def _new_progress() -> Progress:
    """Without a thread of its own: it is shown when the run says so."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TextColumn("{task.fields[speed]}"))
    console = Console(file=sys.stderr)
    return Progress(
        *columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
    )
