"""Where results go: several at once, each whole, and none in the way of another."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run
from openmed_rules.formats import FORMATS
from samples import FAILING, PASSING, RULES

COMMAND = [sys.executable, "-m", "openmed_rules", "check", "-r", "rules.yaml"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules and inputs, which is also where the command runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "pass.json").write_text(json.dumps(PASSING), encoding="utf-8")
    (tmp_path / "fail.json").write_text(json.dumps(FAILING), encoding="utf-8")
    (tmp_path / "cut.jsonl").write_text(f"{json.dumps(FAILING)}\n" * 3 + "{\n", encoding="utf-8")
    return tmp_path


def check(*arguments: str) -> int:
    return run(["check", "-r", "rules.yaml", *arguments])


def test_every_format_goes_to_its_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = {}
    for name in FORMATS:
        assert check("fail.json", "-f", name) == 1
        alone[name] = capsys.readouterr().out

    files = [part for name in FORMATS if name != "text" for part in ("-f", f"{name}=out.{name}")]
    assert check("fail.json", "-f", "text", *files) == 1

    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (alone.pop("text"), "")
    for name, text in alone.items():
        assert (folder / f"out.{name}").read_text(encoding="utf-8") == text


def test_the_old_pair_goes_together_with_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("fail.json", "--format", "json", "--output", "a.json", "-f", "junit=b.xml") == 1

    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("openmed-rules: failed, ")
    assert json.loads((folder / "a.json").read_text("utf-8"))["verdict"] == "failed"
    assert (folder / "b.xml").read_text("utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-f yaml", "OMR-627: there is no format yaml; the formats are text, json, "),
        ("-f jsn=a", "OMR-627: there is no format jsn; did you mean json?"),
        ("-f json=", "OMR-627: --format json=: the name of the file is missing"),
        ("-f json -f text", "OMR-628: two results go to standard output"),
        ("-f json=- -f text", "OMR-628: two results go to standard output"),
        ("-f json=/dev/stdout -f text", "OMR-628: two results go to standard output"),
        ("-f json=a -f text=a", "OMR-628: two results go to a"),
        ("-f json=a -f text=./b/../a", "OMR-628: two results go to ./b/../a"),
        ("-f json=a -f text=link", "OMR-628: two results go to link"),
        ("-f json --output a -f text=a", "OMR-628: two results go to a"),
        ("-f json -f text --output a", "OMR-628: two results go to a"),
        ("-f json=a --output b", "OMR-628: --output b: every format has a file of its own"),
        ("-f json=a --worklist a", "OMR-628: two results go to a"),
        ("--worklist -", "OMR-628: two results go to standard output"),
    ],
)
def test_outputs_that_do_not_go_together_are_refused_before_anything_is_done(
    folder: Path, arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "link").symlink_to("a")
    before = sorted(folder.iterdir())

    assert check("missing.json", *arguments.split()) == 2

    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(message)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["pass.json", "fail.json"])
def test_one_that_cannot_be_written_is_told_and_the_others_are_there(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "closed").mkdir()
    (folder / "old.json").write_text("old", encoding="utf-8")
    assert check(name, "-f", "csv=closed", "-f", "junit=no/b.xml", "-f", "json=old.json", "-f", "text") == 3

    shown = capsys.readouterr()
    assert shown.err.splitlines() == [
        "OMR-701: closed: cannot be written: Is a directory",
        "OMR-701: no/b.xml: cannot be written: No such file or directory",
    ]
    assert shown.out.startswith(("PASSED", "FAILED"))
    assert (folder / "old.json").read_text(encoding="utf-8").startswith("{")
    assert not list(folder.rglob("*.tmp"))


def test_a_pipe_with_a_name_is_written_to(folder: Path) -> None:
    command = [*COMMAND, "fail.json", "-f", "text", "-f", "github=/dev/stderr"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert ended.stdout.startswith("FAILED")
    assert ended.stderr.startswith("::error ")


@pytest.mark.parametrize("layout", FORMATS)
def test_a_terminal_without_utf_8_gets_plain_letters(folder: Path, layout: str) -> None:
    (folder / "fail.json").rename(folder / "naïve→.json")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [*COMMAND, "naïve→.json", "-f", layout]
    ended = subprocess.run(command, cwd=folder, capture_output=True, env=environment, check=False)

    assert (ended.returncode, ended.stderr) == (1, b"")
    assert ended.stdout.isascii()


# --- the worklist -------------------------------------------------------------------------------------


def test_the_worklist_has_every_place_and_the_report_its_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("cut.jsonl", "-f", "json", "--positions", "2", "--worklist", "work.jsonl") == 3
    report = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in (folder / "work.jsonl").read_text("utf-8").splitlines()]
    assert check("cut.jsonl", "-f", "json", "--positions", "2") == 3

    assert report == json.loads(capsys.readouterr().out)
    assert len(report["positions"]) == 2
    assert report["positions"] == lines[:2]
    assert len(lines) == 2 + report["positions_left"] + 1
    assert lines[-1] == {"file": "cut.jsonl", "line": 4, "code": "OMR-612", "reason": "unreadable_case"}
    known = {"file", "line", "case", "claim", "citation", "record", "reason", "code"}
    assert all(set(line) <= known for line in lines)


def test_a_worklist_may_be_all_that_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("fail.json", "-f", f"json={folder / 'a.json'}", "--worklist", "-") == 1

    assert json.loads(capsys.readouterr().out.splitlines()[0])["reason"] == "missing_source_record"


# --- while it writes ----------------------------------------------------------------------------------

WRITER = """\
import sys
from openmed_rules.running.output import write_output
texts = ["a" * 3_000_000, "b" * 2_000_000]
while True:
    for text in texts:
        write_output("report.txt", text)
"""


def whole(text: str) -> bool:
    return text in {"old", "a" * 3_000_000, "b" * 2_000_000}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no such signal")
@pytest.mark.parametrize("pause", [0.0, 0.003, 0.007, 0.011, 0.017, 0.023])
def test_a_kill_at_any_moment_leaves_one_report_whole(folder: Path, pause: float) -> None:
    report = folder / "report.txt"
    report.write_text("old")
    process = subprocess.Popen([sys.executable, "-c", WRITER], cwd=folder)
    while report.stat().st_size == 3:
        time.sleep(0.001)
    time.sleep(pause)
    process.kill()
    process.wait()

    assert whole(report.read_text())


def test_two_runs_at_once_do_not_mix(folder: Path) -> None:
    report = folder / "report.txt"
    report.write_text("old")
    writers = [subprocess.Popen([sys.executable, "-c", WRITER], cwd=folder) for _ in range(2)]
    while report.stat().st_size == 3:
        time.sleep(0.001)
    try:
        for _ in range(30):
            assert whole(report.read_text())
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()


# --- schema -------------------------------------------------------------------------------------------


def test_the_schema_of_the_report_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "report"]) == 0
    assert json.loads(capsys.readouterr().out)["properties"]["schema_version"] == {"const": 1}
    assert run(["schema", "summary"]) == 2
