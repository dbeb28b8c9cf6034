"""Jobs to what they count: in this process, or divided and judged by several of them; the result is the same."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from openmed_rules.errors import CodedError, contained
from openmed_rules.judging.batch import Part
from openmed_rules.running.dividing import Job, divided, is_long, weight_of
from openmed_rules.running.following import Reading, Tell
from openmed_rules.running.reading import read_documents

SHARE = 8 << 20
"""How many bytes a share has at least; an input of less than two is judged in the process at hand.

Two processes are started in about 30 ms, in which one judges 5 MB: they are even at some 12 MB.
"""
_SHARES_EACH = 4
"""Into how many shares the work of each process is divided: one that is slower does fewer."""


class Judged(NamedTuple):
    """What one share counts, and how many lines its last file has."""

    part: Part
    lines: int


def judge_job(job: Job, processes: int = 1, tell: Tell | None = None) -> Part:
    """Judge ``job`` with up to so many ``processes``, fewer where it is small or cannot be divided.

    What is long is left in its file, and judged by a process that may end where the file is cut short meanwhile.

    Raises:
        InputError: the rules read an evidence input, and there is none.
        InternalError: a process died or failed.
        UsageError: the inputs do not go together.
    """
    (shares,) = _shares([job], processes)
    if len(shares) == 1 and not is_long(job):
        return judge(job, tell).part
    outcome = _added(shares, _side_by_side(shares, processes, tell))
    if isinstance(outcome, CodedError):
        raise outcome
    return outcome


def judge_jobs(jobs: Sequence[Job], processes: int = 1, tell: Tell | None = None) -> list[Part | CodedError]:
    """The same for several jobs side by side; one that cannot be judged has its problem, and the others go on.

    Raises:
        InternalError: a process died.
    """
    shared = _shares(jobs, processes)
    tasks = [share for shares in shared for share in shares]
    if (processes > 1 and sum(map(weight_of, jobs)) >= 2 * SHARE) or any(map(is_long, jobs)):
        answers = iter(_side_by_side(tasks, processes, tell))
    else:
        answers = iter([_contained(task, tell) for task in tasks])
    return [_added(shares, [next(answers) for _ in shares]) for shares in shared]


def judge(job: Job, tell: Tell | None = None) -> Judged:
    """Judge ``job`` here and now; raises what ``judge_job`` does."""
    judging = job.judging()
    part = judging.part(job.positions)
    reading = Reading(None if tell is None else partial(_told, tell, part, [0]), maps=job.maps)
    with collector_paused():
        evidence = None if job.evidence is None else read_documents(job.evidence, Reading(maps=job.maps, keeps=True))
        judging.judge(read_documents(job.summary, reading), evidence, part.tally)
    return Judged(part, reading.lines)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Meanwhile nobody looks for cycles: judging makes none, and a large document is many objects to look at."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _told(tell: Tell, part: Part, before: list[int], size: int) -> None:
    cases = part.tally.total
    tell(size, cases - before[0])
    before[0] = cases


# --- divided --------------------------------------------------------------------------------------


def _shares(jobs: Sequence[Job], processes: int) -> list[list[Job]]:
    """Each job, divided where that is worth it."""
    if processes < 2:  # noqa: PLR2004 - there is nobody to share with
        return [[job] for job in jobs]
    whole = sum(map(weight_of, jobs))
    size = max(SHARE, whole // (processes * _SHARES_EACH))
    return [divided(job, size) for job in jobs]


def _side_by_side(tasks: Sequence[Job], processes: int, tell: Tell | None) -> list[Judged | CodedError]:
    for job in {id(task.rules): task for task in tasks}.values():
        contained("judging", job.judging)  # compiled here, each process that is forked has it; what is wrong it tells
    from openmed_rules.running.workers import in_workers

    return in_workers(_contained, [replace(task, maps=True) for task in tasks], processes, tell)


def _contained(job: Job, tell: Tell | None) -> Judged | CodedError:
    """What a job counts, or its problem; whatever else happens is told without a value of a record."""
    outcome = contained("judging", judge, job, tell)
    if isinstance(outcome, BaseException) and not isinstance(outcome, CodedError):
        raise outcome
    return outcome


def _added(shares: Sequence[Job], answers: Sequence[Judged | CodedError]) -> Part | CodedError:
    """What the shares of a job count together, or the first problem of one."""
    first = answers[0]
    if isinstance(first, CodedError):
        return first
    whole, lines = first
    cases = whole.tally.total
    for share, answer in zip(shares[1:], answers[1:], strict=True):
        if isinstance(answer, CodedError):
            return answer
        if not share.goes_on:
            cases = lines = 0
        counted = answer.part.tally.total
        whole.extend(answer.part, cases_before=cases, lines_before=lines)
        cases += counted
        lines += answer.lines
    return whole
