"""The command as a process: signals, pipes, full disks, letters that cannot be written."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from samples import FAILING, PASSING, RULES

pty = pytest.importorskip("pty", reason="this system has no terminals and signals of that kind")
COMMAND = [sys.executable, "-m", "openmed_rules"]
full_disk = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "pass.json").write_text(json.dumps(PASSING), encoding="utf-8")
    (tmp_path / "fail.json").write_text(json.dumps(FAILING), encoding="utf-8")
    return tmp_path


def ended(folder: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run([*COMMAND, *arguments], cwd=folder, text=True, encoding="utf-8", check=False, **streams)


@pytest.mark.parametrize(("name", "code"), [("pass.json", 0), ("fail.json", 1), ("missing.json", 3)])
def test_the_process_ends_with_the_exit_code(folder: Path, name: str, code: int) -> None:
    outcome = ended(folder, "check", "-r", "rules.yaml", name)

    assert outcome.returncode == code
    assert outcome.stderr == ""
    assert outcome.stdout.startswith("PASSED" if code == 0 else ("FAILED" if code == 1 else "NOT EVALUATED"))


def test_without_docstrings_nothing_is_judged(folder: Path) -> None:
    check = ("check", "-r", "rules.yaml", "pass.json")
    one, two = (ended(folder, *check, env=os.environ | {"PYTHONOPTIMIZE": level}) for level in "12")

    assert one.returncode == 0
    assert two.returncode == 2
    assert two.stdout == ""
    assert "PYTHONOPTIMIZE=2" in two.stderr


@pytest.mark.parametrize(("setting", "coloured"), [({"TERM": "xterm-256color"}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_shows_colour(folder: Path, setting: dict[str, str], *, coloured: bool) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "TERM"}}
    reader, terminal = pty.openpty()
    outcome = ended(folder, "check", "-r", "rules.yaml", "fail.json", stdout=terminal, env=environment | setting)
    os.close(terminal)
    shown = os.read(reader, 1 << 16).decode().replace("\r\n", "\n")
    os.close(reader)

    assert outcome.returncode == 1
    assert ("\x1b[1;31mFAILED" in shown) is coloured
    plain = ended(folder, "check", "-r", "rules.yaml", "fail.json").stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == plain


def test_no_colour_goes_into_a_pipe(folder: Path) -> None:
    assert "\x1b" not in ended(folder, "check", "-r", "rules.yaml", "fail.json").stdout


@pytest.mark.parametrize(("name", "code"), [("pass.json", 0), ("fail.json", 1)])
def test_a_closed_pipe_keeps_the_code(folder: Path, name: str, code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    outcome = ended(folder, "check", "-r", "rules.yaml", name, stdout=writer)
    os.close(writer)

    assert (outcome.returncode, outcome.stderr) == (code, "")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_a_closed_pipe_is_no_matter_for_help(folder: Path, option: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    outcome = ended(folder, option, stdout=writer)
    os.close(writer)

    assert (outcome.returncode, outcome.stderr) == (0, "")


@full_disk
@pytest.mark.parametrize("arguments", [["check", "-r", "rules.yaml", "fail.json"], ["--help"], ["list"]])
def test_a_full_disk_is_told(folder: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        outcome = ended(folder, *arguments, stdout=full)

    assert outcome.returncode == 3
    assert outcome.stderr == "OMR-701: standard output: No space left on device\n"


@full_disk
def test_a_message_that_cannot_be_written_changes_no_code(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        assert ended(folder, "check", "-r", "missing.yaml", "fail.json", stderr=full).returncode == 2


@full_disk
def test_an_output_that_cannot_be_written_is_told(folder: Path) -> None:
    outcome = ended(folder, "check", "-r", "rules.yaml", "pass.json", "--output", "/dev/full")

    assert outcome.returncode == 3
    assert outcome.stderr == "OMR-701: /dev/full: cannot be written: No space left on device\n"


@pytest.mark.parametrize(("stream", "code"), [(1, 3), (2, 1)])
def test_a_closed_stream_is_no_traceback(folder: Path, stream: int, code: int) -> None:
    command = [*COMMAND, "check", "-r", "rules.yaml", "fail.json"]
    outcome = subprocess.run(
        ["sh", "-c", f'exec "$@" {stream}>&-', "sh", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )

    assert outcome.returncode == code
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_ends_the_run_and_leaves_the_old_result(
    folder: Path, number: signal.Signals, code: int, word: str
) -> None:
    (folder / "result.txt").write_text("old")
    os.mkfifo(folder / "slow.jsonl")
    command = [*COMMAND, "check", "-r", "rules.yaml", "slow.jsonl", "--output", "result.txt"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process, (folder / "slow.jsonl").open("w"):  # opened once the process reads it
        process.send_signal(number)
        shown = process.communicate()

    assert process.returncode == code
    assert shown == ("", f"openmed-rules: {word}\n")
    assert (folder / "result.txt").read_text() == "old"
    assert {path.name for path in folder.iterdir()} >= {"slow.jsonl", "result.txt"}
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_letter_that_cannot_be_written_changes_no_code(folder: Path, encoding: str) -> None:
    (folder / "fail.json").rename(folder / "naïve→.json")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [*COMMAND, "check", "-r", "rules.yaml", "naïve→.json"]
    outcome = subprocess.run(command, cwd=folder, capture_output=True, env=environment, check=False)

    assert (outcome.returncode, outcome.stderr) == (1, b"")
    assert "naïve→.json".encode(encoding, "backslashreplace") in outcome.stdout


@pytest.mark.parametrize("layout", ["text", "json", "markdown"])
def test_a_file_name_that_is_no_text_changes_no_code(folder: Path, layout: str) -> None:
    name = os.fsdecode(b"odd\xff\n.json")
    (folder / "fail.json").rename(folder / name)
    outcome = ended(folder, "check", "-r", "rules.yaml", "--format", layout, name)

    assert (outcome.returncode, outcome.stderr) == (1, "")


def test_no_package_is_loaded_before_a_command_needs_it(folder: Path) -> None:
    code = "import sys; from openmed_rules.cli.boundary import run; run(sys.argv[1:]); print(*sys.modules)"
    heavy = {"cerberus", "jsonpath_ng", "msgspec", "re2", "rich", "yaml", "zstandard"}

    def loaded(*arguments: str) -> set[str]:
        command = [sys.executable, "-c", code, *arguments]
        shown = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
        return heavy & set(shown.split())

    assert loaded("--version") == set()
    assert loaded("explain-code", "OMR-601") == set()
    assert not loaded("check", "-r", "rules.yaml", "pass.json") & {"rich", "zstandard"}
