"""Processes that judge parts of an input: one that dies or fails, and a run that is ended while they are at work."""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest

from canaries import MARK, marks_in, plain
from openmed_rules.cli.boundary import run
from openmed_rules.judging.batch import Judging
from openmed_rules.running import dividing, jobs, reading
from openmed_rules.running.dividing import Job
from openmed_rules.running.workers import in_workers
from samples import RULES, TWO_INPUTS

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals"),
    pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="a patch does not reach the workers"),
]
DIED = (
    "OMR-902: a process that judged a part of the input died: the system ended it, or a file was cut short meanwhile\n"
)
CHECK = ["check", "-r", "rules.yaml", "a.jsonl", "--output", "result.txt", "--jobs", "2"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jobs, "SHARE", 1)
    Path("rules.yaml").write_text(RULES, encoding="utf-8")
    Path("a.jsonl").write_bytes((json.dumps(plain("unknown")).encode() + b"\n") * 2000)
    Path("result.txt").write_text("old", encoding="utf-8")
    return tmp_path


class Unsendable:
    """An answer that says in its error what it holds."""

    def __reduce__(self) -> NoReturn:
        raise ValueError(MARK)


def killed(*_: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def ends(*_: object) -> NoReturn:
    raise SystemExit(MARK)


def runs_out(*_: object) -> NoReturn:
    raise MemoryError(MARK)


def fails(job: Job, *_: object) -> NoReturn:
    raise KeyError(MARK, Path(job.summary[0].name).read_bytes())


JUDGED = jobs.judge


def dies_at_last(job: Job, *more: Any) -> Any:
    """It judges well, but for the stretch that goes to the end of the file."""
    stretch = job.summary[0].stretch
    return killed() if stretch is not None and stretch.end is None else JUDGED(job, *more)


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        (killed, DIED),
        (dies_at_last, DIED),
        (ends, DIED),
        (lambda *_: Unsendable(), DIED),
        (fails, "OMR-901: KeyError while judging\n"),
        (runs_out, "OMR-901: MemoryError while judging\n"),
    ],
)
def test_a_worker_that_fails_is_told_without_what_it_held(
    judge: Any, told: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jobs, "judge", judge)

    assert run(CHECK) == 70
    shown = capfd.readouterr()

    assert (shown.out, shown.err) == ("", told)
    assert Path("result.txt").read_text(encoding="utf-8") == "old"
    assert multiprocessing.active_children() == []


def test_a_worker_that_the_system_refuses_is_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refused() -> NoReturn:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refused)

    assert run(CHECK) == 70
    assert capfd.readouterr().err == DIED


@pytest.mark.parametrize("count", ["1", "2"])
@pytest.mark.parametrize("arguments", ["one.json", "a.jsonl --evidence one.json"])
def test_a_long_document_that_is_cut_short_while_it_is_judged(
    arguments: str, count: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It stays in its file, and the system ends whoever reads there what is there no more."""
    Path("one.json").write_text(json.dumps({"claims": [], "facts": [{"id": "f1"}] * 2000}), encoding="utf-8")
    Path("rules.yaml").write_text(TWO_INPUTS if "--evidence" in arguments else RULES, encoding="utf-8")
    judge = Judging.judge

    def meanwhile(documents: Any) -> Any:
        found = [*documents]
        faulthandler.disable()  # pytest's own would tell of it
        os.truncate("one.json", 10)
        yield from found

    def cut(self: Judging, summary: Any, evidence: Any, tally: Any) -> None:
        judge(self, meanwhile(summary), evidence and meanwhile(evidence), tally)

    for module in (reading, dividing):
        monkeypatch.setattr(module, "LONG", 10_000)
    check = ["check", "-r", "rules.yaml", *arguments.split(), "--output", "result.txt", "--jobs", count]
    assert run(check) == 1
    Path("result.txt").write_text("old", encoding="utf-8")
    monkeypatch.setattr(Judging, "judge", cut)

    assert run(check) == 70
    assert capfd.readouterr().err.endswith(DIED)
    assert Path("result.txt").read_text(encoding="utf-8") == "old"


def doubled(task: int, _: object) -> int:
    return task * 2


@pytest.mark.parametrize("count", [1, 2, 5])
def test_answers_come_in_the_order_of_the_tasks(count: int) -> None:
    assert in_workers(doubled, range(40), count) == list(range(0, 80, 2))
    assert in_workers(doubled, [], count) == []
    assert multiprocessing.active_children() == []


# --- as a process ---------------------------------------------------------------------------------

SLOW = """\
import os, sys, time
from openmed_rules.running import jobs
jobs.SHARE, judge = 1, jobs.judge

def slowly(job, tell):
    judged = judge(job, tell)
    open(f"at_work_{os.getpid()}", "w").close()
    time.sleep(60)
    return judged

jobs.judge = slowly
from openmed_rules.cli import main
main()
"""


def started() -> tuple[subprocess.Popen[str], list[int]]:
    """A check of which both workers are in the middle of their work, and their ids."""
    package = str(Path(jobs.__file__).parents[2])
    check = subprocess.Popen(
        [sys.executable, "-c", SLOW, *CHECK],
        env={**os.environ, "PYTHONPATH": package},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for _ in range(600):
        workers = [int(path.name.removeprefix("at_work_")) for path in Path.cwd().glob("at_work_*")]
        if len(workers) == 2:
            return check, workers
        time.sleep(0.05)
    raise AssertionError("no worker began")


def is_alive(process: int) -> bool:
    """Whether it runs; one that ended and was not yet asked for counts as ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")


@needs_proc
@pytest.mark.parametrize("to_all", [False, True], ids=["to the run", "to its group"])
@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_ends_the_run_and_its_workers(number: signal.Signals, code: int, word: str, to_all: bool) -> None:
    check, workers = started()
    (os.killpg if to_all else os.kill)(check.pid, number)
    shown = check.communicate(timeout=30)

    assert (check.returncode, *shown) == (code, "", f"openmed-rules: {word}\n")
    assert not any(map(is_alive, workers))
    assert Path("result.txt").read_text(encoding="utf-8") == "old"


@needs_proc
def test_a_worker_that_is_killed_ends_the_run_and_the_other_worker() -> None:
    check, workers = started()
    os.kill(workers[0], signal.SIGKILL)
    shown = check.communicate(timeout=30)

    assert (check.returncode, *shown) == (70, "", DIED)
    assert not any(map(is_alive, workers))
    assert not marks_in(str(shown))
    assert Path("result.txt").read_text(encoding="utf-8") == "old"
