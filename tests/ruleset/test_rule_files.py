"""Rule files that are wrong, with what is said of each: golden files, since people read this."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openmed_rules.errors import CODES
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.ruleset.problems import RuleFileError

FOLDER = Path(__file__).parents[1] / "golden" / "rule_files"
WRONG = sorted(file.stem for file in FOLDER.glob("*.yaml"))


def said_of(name: str) -> RuleFileError:
    with pytest.raises(RuleFileError) as refused:
        load_rule_file(Path(f"{name}.yaml"))
    return refused.value


@pytest.mark.parametrize("name", WRONG)
def test_what_is_said_of_a_wrong_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    golden = FOLDER / f"{name}.txt"
    said = f"{said_of(name)}\n"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(said, encoding="utf-8")

    assert said == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", WRONG)
def test_every_problem_has_a_place_and_a_code_that_is_explained(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    error = said_of(name)

    assert error.problems == tuple(sorted(error.problems, key=lambda problem: problem.mark))
    assert all(problem.mark.line and problem.source for problem in error.problems)
    assert {problem.code for problem in error.problems} <= set(CODES)
    assert error.exit_code == 2
