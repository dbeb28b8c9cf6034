"""A signal at any moment: its exit code, one line, and outputs that are the old ones or the new ones."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run
from samples import FAILING, PASSING, RULES

pytest.importorskip("pty", reason="this system has no signals of that kind")
MOMENTS = os.environ.get("OPENMED_RULES_MOMENTS", "10")
"""Over how many moments of a command a signal is tried; ``.ci/full`` tries more."""

TO_MEND = RULES.replace("$.claims", "$.claims[*]")
WORDS = {signal.SIGINT: (130, "openmed-rules: interrupted\n"), signal.SIGTERM: (143, "openmed-rules: terminated\n")}
RUNS = [
    (signal.SIGINT, "result.txt", "check -r rules.yaml fail.json --output result.txt", 1),
    (signal.SIGTERM, "base.json", "baseline update -r rules.yaml pass.json --baseline base.json", 0),
    (signal.SIGTERM, "mended.yaml", "validate --fix mended.yaml", 0),
]
"""A signal, the file that the command writes, the command, and its code where nothing disturbs it."""


@pytest.mark.parametrize("row", RUNS, ids=lambda row: row[2].split()[0])
def test_a_signal_at_any_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: tuple[signal.Signals, str, str, int]
) -> None:
    number, target, arguments, code = row
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("rules.yaml", RULES),
        ("mended.yaml", TO_MEND),
        ("result.txt", "old\n"),
        ("pass.json", json.dumps(PASSING)),
        ("fail.json", json.dumps(FAILING)),
    ):
        Path(name).write_text(text, encoding="utf-8")
    assert run(["baseline", "update", "-r", "rules.yaml", "fail.json", "--baseline", "base.json"]) == 0
    before = Path(target).read_text(encoding="utf-8")

    script = Path(__file__).with_name("moments.py")
    command = [sys.executable, str(script), str(int(number)), MOMENTS, target, *arguments.split()]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    unharmed, *moments = map(json.loads, told)

    assert (unharmed["code"], unharmed["held"] == before) == (code, False)  # or there would be nothing to tell apart
    assert len(moments) > int(MOMENTS)
    ended, word = WORDS[number]
    for moment in moments:
        assert (moment["held"], moment["files"]) in [(held, unharmed["files"]) for held in (before, unharmed["held"])]
        if moment["code"] in {-number, code}:  # nothing was left to do, and the process ended as any does
            assert (moment["held"], moment["err"]) == (unharmed["held"], unharmed["err"])
        else:
            assert (moment["code"], moment["err"].removeprefix(unharmed["err"])) == (ended, word)
    assert {ended, -number} <= {moment["code"] for moment in moments}
