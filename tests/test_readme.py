"""The README's commands are those that CI runs, and its rule file is a real one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from openmed_rules.api import Rules
from openmed_rules.cli.boundary import run
from openmed_rules.ruleset.loader import load_rule_text

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)


def test_ci_runs_every_command_of_the_readme() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    run = re.findall(r'bash -euo pipefail -c "\$\(readme_command (\d+)\)"', ci)

    assert [int(number) for number in run] == list(range(1, len(blocks("sh")) + 1))


def test_the_readme_has_one_command_to_check_and_one_to_test() -> None:
    check, test = blocks("sh")

    assert re.fullmatch(r"pip install \. && openmed-rules check .*\n", check)
    assert test == "pip install '.[dev]' && python -m pytest --numprocesses auto\n"


def test_the_rule_file_of_the_readme_passes_its_own_tests() -> None:
    (text,) = blocks("yaml")
    rule_file = load_rule_text(text)

    assert rule_file.tests
    for test in rule_file.tests:
        for case in test.cases:
            result = Rules(rule_file.rules).check(case.summary, case.evidence)
            assert result.passed == test.expect["passed"]
            assert set(test.expect["reasons"]) <= set(result.reasons)


def test_the_readme_shows_what_its_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (picture,) = blocks("text")

    assert run(shlex.split(blocks("sh")[0])[5:]) == 0
    printed = capsys.readouterr().out

    assert printed.startswith(picture)
