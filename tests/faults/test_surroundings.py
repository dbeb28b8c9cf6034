"""Surroundings that lack something, or say odd things: the same verdict, the same code, and no word too many."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run
from openmed_rules.gates import clock
from samples import FAILING, RULES

COMMAND = [sys.executable, "-m", "openmed_rules"]
CHECK = ["check", "-r", "rules.yaml", "fail.json"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.yaml").write_text(RULES, encoding="utf-8")
    Path("fail.json").write_text(json.dumps(FAILING), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "settings",
    [
        {"HOME": None, "USER": None, "LOGNAME": None},
        {"HOME": "/nowhere", "TMPDIR": "/nowhere", "XDG_CACHE_HOME": "/nowhere"},
        {"LC_ALL": "C", "LANG": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "xx_XX.odd", "TZ": "Nowhere/None"},
        {"TERM": "nonsense", "COLUMNS": "0", "LINES": "-1", "FORCE_COLOR": "", "PATH": ""},
        {"PYTHONDEVMODE": "1", "PYTHONWARNINGS": "error", "PYTHONOPTIMIZE": "1"},
    ],
    ids=["no home", "home is nowhere", "C locale", "odd locale", "odd terminal", "development mode"],
)
def test_an_environment(settings: dict[str, str | None], capsys: pytest.CaptureFixture[str]) -> None:
    environment = {name: value for name, value in {**os.environ, **settings}.items() if value is not None}
    outcome = subprocess.run([*COMMAND, *CHECK], env=environment, capture_output=True, text=True, check=False)

    assert run(CHECK) == 1
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (1, capsys.readouterr().out, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not let a directory go that is in use")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "-r", "{}/rules.yaml", "{}/fail.json"], 1),
        (["check", "-r", "{}/rules.yaml", "fail.json"], 3),
        (["check", "-r", "{}/rules.yaml", "{}/fail.json", "--output", "new.txt"], 3),
        (["gate"], 2),
    ],
)
def test_a_directory_that_was_removed(folder: Path, arguments: list[str], code: int) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    command = ["sh", "-c", script, "sh", *COMMAND, *(word.format(folder) for word in arguments)]
    outcome = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert outcome.returncode == code
    assert outcome.stderr.count("\n") == (1 if "--output" in arguments or arguments == ["gate"] else 0)
    assert "internal error" not in outcome.stderr


# --- a clock that jumps -------------------------------------------------------------------------------

UNTIL = date(2026, 6, 30)
WAIVING = f"""{RULES}
policy: {{waivers: [{{reason: invalid_citation, until: {UNTIL}, because: the vendor mends it, owner: us}}]}}
"""


@pytest.mark.parametrize(
    ("day", "code"),
    [
        (date.min, 2),
        (date(1970, 1, 1), 2),
        (UNTIL - timedelta(days=181), 2),
        (UNTIL - timedelta(days=180), 0),
        (UNTIL, 0),
        (UNTIL + timedelta(days=1), 1),
        (date(2038, 1, 19), 1),
        (date.max, 1),
    ],
)
@pytest.mark.parametrize("command", ["check -r rules.yaml fail.json", "gate"])
def test_a_waiver_on_any_day(command: str, day: date, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is wrong lets nothing be for longer than a waiver says and a project allows."""
    Path("rules.yaml").write_text(WAIVING, encoding="utf-8")
    gate = "gates: [{name: one, rules: rules.yaml, summary: fail.json}]"
    Path("openmed-rules.yaml").write_text(gate, encoding="utf-8")
    monkeypatch.setattr(clock, "today", lambda: day)

    assert run(command.split()) == code


@pytest.mark.parametrize("first", [UNTIL, UNTIL + timedelta(days=1)])
def test_midnight_passes_during_a_run(first: date, monkeypatch: pytest.MonkeyPatch) -> None:
    """The day is asked for when the rules are loaded, and when they are held; the later one decides."""
    Path("rules.yaml").write_text(WAIVING, encoding="utf-8")
    days = iter([first, first + timedelta(days=1), first + timedelta(days=2)])
    monkeypatch.setattr(clock, "today", lambda: next(days))

    assert run(CHECK) == 1


@pytest.mark.parametrize("days", [(date(2026, 1, 1), date(2020, 1, 1)), (date(2026, 1, 1), date.max)])
def test_a_baseline_keeps_the_days_that_a_clock_said(days: tuple[date, date], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ordered by its entries, not by their days; nothing is held against a day."""
    update = ["baseline", "update", *CHECK[1:], "--baseline", "base.json", "--because", "a clock"]
    for day in days:
        monkeypatch.setattr(clock, "today", lambda day=day: day)
        assert run(update) == 0

    history = json.loads(Path("base.json").read_text(encoding="utf-8"))["history"]
    assert [change["date"] for change in history] == [day.isoformat() for day in days]
    assert run([*CHECK, "--baseline", "base.json"]) == 1
