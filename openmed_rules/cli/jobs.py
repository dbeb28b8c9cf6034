"""``--jobs``: how many processes may judge."""

from __future__ import annotations

import os
from typing import Final

import click

jobs_option: Final = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many processes may judge a large input; the result is the same. Default: the cores there are.",
)


def processes_of(jobs: int | None) -> int:
    """What ``--jobs`` says, or the cores that this process may use."""
    if jobs is not None:
        return jobs
    if hasattr(os, "process_cpu_count"):
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
