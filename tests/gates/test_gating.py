"""Gates side by side: what happens to one of them does not get lost, and nothing of a record gets out."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest

from openmed_rules.cli.boundary import run
from openmed_rules.running import jobs
from samples import FAILING, PASSING, RULES, case

PROJECT = """\
gates:
  - {name: one, rules: rules.yaml, summary: pass.json}
  - {name: two, rules: rules.yaml, summary: fail.json, formats: [json]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {"rules.yaml": RULES, "pass.json": json.dumps(PASSING), "fail.json": json.dumps(FAILING)}
    for name, text in {**texts, "openmed-rules.yaml": PROJECT}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jobs, "SHARE", 1)
    return tmp_path


def broken(*_: object) -> NoReturn:
    raise ValueError("CANARY")


def dead(*_: object) -> NoReturn:
    os._exit(1)


def test_a_gate_may_be_shown_in_another_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gate"]) == 1
    shown = capsys.readouterr().out

    report = json.loads(shown.split("== two\n\n")[1].split("\n== All gates")[0])
    assert report["verdict"] == "failed"
    assert "  two  failed, " in shown


@pytest.mark.parametrize(("said", "shown"), [("", None), ("min_cell: 2, ", None), ("min_cell: 1, ", 1)])
def test_a_gate_says_how_small_a_count_it_shows(
    folder: Path, said: str, shown: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    by_class = "evidence: {class: {path: kind, labels: [allergy]}}\n"
    (folder / "by_class.yaml").write_text(f"version: 1\nextends: rules.yaml\n{by_class}", encoding="utf-8")
    project = f"gates: [{{name: one, {said}rules: by_class.yaml, summary: facts.json}}]"
    (folder / "openmed-rules.yaml").write_text(project, encoding="utf-8")
    value = case("f1", facts=("f1", "f2"))
    value["facts"][0]["kind"] = "allergy"
    (folder / "facts.json").write_text(json.dumps(value), encoding="utf-8")

    run(["gate", "--format", "json"])

    (gate,) = json.loads(capsys.readouterr().out)["gates"]
    assert gate["report"]["classes"]["allergy"]["fact"] == shown


@pytest.mark.parametrize("processes", [1, 2])
def test_an_unknown_error_is_told_without_what_it_says(
    processes: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if processes > 1 and multiprocessing.get_start_method() != "fork":
        pytest.skip("a patch does not reach the workers")
    monkeypatch.setattr(jobs, "judge", broken)

    assert run(["gate", "--format", "json", "--jobs", str(processes)]) == 70
    shown = capsys.readouterr()

    assert [gate["problem"]["code"] for gate in json.loads(shown.out)["gates"]] == ["OMR-901", "OMR-901"]
    assert "CANARY" not in shown.out + shown.err


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="a patch does not reach the workers")
def test_a_worker_that_died_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(jobs, "judge", dead)

    assert run(["gate", "--jobs", "2"]) == 70
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("OMR-902: a process that judged a part of the input died")
    assert shown.err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals and pipes with names")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_interruption_ends_the_workers_too(folder: Path, sent: signal.Signals, code: int) -> None:
    """Each gate waits for a pipe into which nobody writes."""
    for name in ("pass.json", "fail.json"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
    package = str(Path(jobs.__file__).parents[2])
    gate = subprocess.Popen(
        [sys.executable, "-m", "openmed_rules", "gate", "--jobs", "2"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": package},
        stderr=subprocess.PIPE,
        text=True,
    )
    writers = [_opened_by_a_reader(folder / name) for name in ("pass.json", "fail.json")]
    gate.send_signal(sent)

    assert gate.wait(timeout=30) == code
    assert gate.stderr is not None
    assert "Traceback" not in gate.stderr.read()
    gate.stderr.close()
    for writer in writers:
        with pytest.raises(BrokenPipeError):  # nobody reads any more
            os.write(writer, b"{")
        os.close(writer)


def _opened_by_a_reader(pipe: Path) -> int:
    """The end to write into, once a gate has opened the other one."""
    for _ in range(600):
        with suppress(OSError):
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.05)
    raise AssertionError("no gate opened it")


def test_gates_side_by_side_give_what_they_give_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [(run(["gate", "--jobs", str(processes)]), capsys.readouterr().out) for processes in (1, 2, 3)]

    assert shown[0][0] == 1
    assert shown[1:] == shown[:1] * 2


def test_what_one_gate_gives_is_what_check_gives(capsys: pytest.CaptureFixture[str]) -> None:
    run(["gate", "--format", "json", "two"])
    (gate,) = json.loads(capsys.readouterr().out)["gates"]
    run(["check", "-r", "rules.yaml", "fail.json", "-f", "json"])
    checked: dict[str, Any] = json.loads(capsys.readouterr().out)

    assert gate["report"] == checked
