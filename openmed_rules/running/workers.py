"""Work in other processes: one pipe to each and one back, no queue, no lock and no thread that a death could break."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple, TypeAlias, TypeVar

from openmed_rules.errors import InternalError, meaning
from openmed_rules.running.following import Tell

Task = TypeVar("Task")
Answer = TypeVar("Answer")
Work: TypeAlias = Callable[[Task, Tell | None], Answer]

_TOLD_AT_ONCE = 1 << 22
"""After how many bytes a worker says how far it is."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Progress(NamedTuple):
    """What a worker did since it told last."""

    size: int
    cases: int


class _Worker(NamedTuple):
    """A process, the pipe into which its tasks go, and the one out of which its answers come."""

    process: BaseProcess
    tasks: Connection
    answers: Connection


def in_workers(
    work: Work[Task, Answer], tasks: Sequence[Task], processes: int, tell: Tell | None = None
) -> list[Answer]:
    """What ``work`` gives for each of ``tasks``, in their order, done by up to so many ``processes``.

    ``work`` and what it takes and gives must be such as can be pickled, and it must raise nothing: a worker that
    raises dies without a word, since what it would say may hold a record. ``tell`` hears what was done meanwhile.
    When this returns or raises, all of them have ended.

    Raises:
        InternalError: a worker died.
    """
    crew: list[_Worker] = []
    answers: list[Answer] | None
    try:
        for _ in range(min(processes, len(tasks))):
            with _signals_held():
                crew.append(_started(work, listens=tell is not None))
        answers = _done(crew, tasks, tell)
    except (EOFError, OSError):  # a pipe of which the other end is gone, or no process could be started
        answers = None
    finally:
        for worker in crew:
            worker.process.kill()
        for worker in crew:
            worker.process.join()
            worker.tasks.close()
            worker.answers.close()
    if answers is None:
        raise InternalError("OMR-902", f"{meaning('OMR-902')}: the system ended it, or a file was cut short meanwhile")
    return answers


def _done(crew: Sequence[_Worker], tasks: Sequence[Task], tell: Tell | None) -> list[Answer]:
    """All answers; each worker has one task at a time."""
    waiting = iter(enumerate(tasks))
    answers: dict[int, Answer] = {}
    at_work: dict[int, _Worker] = {}
    idle = list(crew)
    while True:
        for worker, (number, task) in zip(idle, waiting):  # noqa: B905 - as many as there are of both
            worker.tasks.send(task)
            at_work[number] = worker
        if not at_work:
            return [answers[number] for number in range(len(tasks))]
        idle = []
        ready = wait([worker.answers for worker in at_work.values()])
        for number, worker in list(at_work.items()):
            if worker.answers not in ready:
                continue
            said = worker.answers.recv()
            if isinstance(said, _Progress):
                if tell is not None:
                    tell(*said)
            else:
                answers[number] = said
                idle.append(at_work.pop(number))


def _started(work: Work[Task, Answer], *, listens: bool) -> _Worker:
    theirs, tasks = multiprocessing.Pipe(duplex=False)
    answers, back = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_serve, args=(work, theirs, back, listens), daemon=True)
    process.start()
    theirs.close()  # only the worker has them now, so that its end is seen
    back.close()
    return _Worker(process, tasks, answers)


def _serve(work: Work[Task, Answer], tasks: Connection, back: Connection, listens: bool) -> None:
    """What a worker does: task by task, until there is nobody any more who gives it one."""
    for number in _SIGNALS:
        # How an interruption ends is left to the run that started the worker; a system that can hold signals
        # has held them since then.
        signal.signal(number, signal.SIG_IGN)
    with suppress(BaseException):  # Python would show what it says
        while True:
            told = _Teller(back) if listens else None
            answer = work(tasks.recv(), told)
            if told is not None:
                told.flush()
            back.send(answer)
    os._exit(0)


class _Teller:
    """Hands on what was done, a good deal at once."""

    def __init__(self, back: Connection) -> None:
        self._back = back
        self._size = 0
        self._cases = 0

    def __call__(self, size: int, cases: int) -> None:
        self._size += size
        self._cases += cases
        if self._size >= _TOLD_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        self._back.send(_Progress(self._size, self._cases))
        self._size = self._cases = 0


@contextmanager
def _signals_held() -> Iterator[None]:
    """What comes meanwhile waits: no process is lost that has just been started, and none ends before it can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
