"""Outputs that cannot be written, or only in part: the code is 3, and what was there is there as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run
from samples import FAILING, RULES

COMMAND = [sys.executable, "-m", "openmed_rules"]
CHECK = "check -r rules.yaml fail.json"
BASELINE = "baseline update -r rules.yaml fail.json --baseline"
FULL = "No space left on device"


def arrange(folder: Path) -> None:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    (folder / "mended.yaml").write_text(RULES.replace("$.claims", "$.claims[*]"), encoding="utf-8")
    (folder / "fail.json").write_text(json.dumps(FAILING), encoding="utf-8")
    (folder / "old.txt").write_text("old", encoding="utf-8")


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "filler"}


ROWS = [
    (f"{CHECK} --output old.txt", "old.txt"),
    (f"{CHECK} --output new.txt", "new.txt"),
    (f"{CHECK} -f text=/dev/null -f html=new.html", "new.html"),
    (f"{CHECK} -f text=/dev/null --worklist old.txt", "old.txt"),
    (f"{BASELINE} new.json", "new.json"),
    ("validate --fix mended.yaml", "mended.yaml"),
    ("init --no-recognise fail.json -o new.yaml", "new.yaml"),
    ("test rules.yaml --junit old.txt", "old.txt"),
]


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, on which nothing is left."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        arrange(tmp_path)
        with suppress(OSError), (tmp_path / "filler").open("wb", buffering=0) as filler:
            while filler.write(b"x" * 512):
                pass
        yield tmp_path
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is made as Linux makes one")
def test_a_full_disk(full: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(full)
    before = content(full)

    for command, target in ROWS:
        assert run(command.split()) == 3
        assert capsys.readouterr().err == f"OMR-701: {target}: cannot be written: {FULL}\n"
        assert content(full) == before
    monkeypatch.chdir("/")  # or the disk could not be taken away


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no limits of that kind")
@pytest.mark.parametrize("most", [0, 100])
def test_a_disk_that_takes_only_a_part(tmp_path: Path, most: int) -> None:
    arrange(tmp_path)
    before = content(tmp_path)
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}));"
    limited += "from openmed_rules.cli import main; main()"

    for command, target in (ROWS[0], ROWS[4]):
        script = [sys.executable, "-c", limited, *command.split()]
        ended = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False)

        assert ended.returncode == 3
        assert ended.stderr == f"OMR-701: {target}: cannot be written: File too large\n"
        assert content(tmp_path) == before


@pytest.mark.skipif(sys.platform != "linux", reason="a disk is made read-only as Linux does it")
def test_a_disk_that_is_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arrange(tmp_path)
    before = content(tmp_path)
    mounted = subprocess.run(["mount", "--bind", tmp_path, tmp_path], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", tmp_path], check=True)
        monkeypatch.chdir(tmp_path)
        for command, target in ROWS:
            assert run(command.split()) == 3
            assert capsys.readouterr().err == f"OMR-701: {target}: cannot be written: Read-only file system\n"
        assert run(CHECK.split()) == 1
        monkeypatch.chdir("/")
    finally:
        subprocess.run(["umount", tmp_path], check=True)
    assert content(tmp_path) == before


@pytest.mark.parametrize("read", [1, 70_000])
@pytest.mark.parametrize("layout", ["json", "text", "worklist"])
def test_a_reader_that_goes_away_after_a_while(tmp_path: Path, read: int, layout: str) -> None:
    """A pipe holds 64 KiB: the writer is in the middle when its reader leaves."""
    arrange(tmp_path)
    (tmp_path / "many.jsonl").write_text(f"{json.dumps(FAILING)}\n" * 1500, encoding="utf-8")
    shown = ["--worklist", "-", "-f", "json=result.json"] if layout == "worklist" else ["-f", layout]
    command = [*COMMAND, "check", "-r", "rules.yaml", "many.jsonl", "--positions", "100000", *shown]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdout.read(read)
        process.stdout.close()
        told = process.stderr.read()

    assert (process.returncode, told) == (1, b"")
