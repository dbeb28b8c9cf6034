"""What the page about gates shows can be used as it stands."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
import yaml

from judged import BASE
from openmed_rules.cli.boundary import run
from openmed_rules.gates import clock
from openmed_rules.gates.project import load_project

PAGE = (Path(__file__).parents[2] / "docs" / "gates.md").read_text(encoding="utf-8")
PROJECT, POLICY = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
LABELS = "evidence: {records: $.evidence, id: id, class: {path: kind, labels: [allergy]}}\n"


def test_the_project_file_can_be_used(tmp_path: Path) -> None:
    file = tmp_path / "openmed-rules.yaml"
    file.write_text(PROJECT, encoding="utf-8")

    project = load_project(file)

    assert [gate.name for gate in project.gates] == ["discharge", "radiology"]
    assert project.max_days == 365


def test_the_policy_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "today", lambda: date(2027, 1, 1))
    said = {**yaml.safe_load(BASE), **yaml.safe_load(LABELS)}
    rules = tmp_path / "rules.yaml"
    rules.write_text(yaml.safe_dump(said) + POLICY, encoding="utf-8")

    assert run(["validate", str(rules)]) == 0


def test_every_option_of_a_baseline_is_on_the_page() -> None:
    from openmed_rules.cli.baselines import baseline_command

    told = {"--because", "--tolerance", "--floor", "--drift", "--gate"}

    assert told <= {option for parameter in baseline_command.params for option in parameter.opts}
    assert all(option in PAGE for option in told)
