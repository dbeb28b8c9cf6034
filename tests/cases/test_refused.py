"""What went wrong elsewhere with rule files: each is refused at its place, and at the command with exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from openmed_rules import RuleFileError
from openmed_rules.cli.boundary import run
from openmed_rules.ruleset.loader import load_rule_file

TABLE = Path(__file__).parents[1] / "data" / "cases" / "refused.yaml"
RULES = """\
version: 1
name: notes
claims: {records: $.claims}
citations: {records: citations}
evidence: {records: $.evidence, id: id}
"""


def text_of(row: dict[str, Any]) -> str:
    if "text" in row:
        return str(row["text"]) * int(row.get("times", 1))
    before, after = row.get("swap", ("", ""))
    assert before in RULES
    return RULES.replace(before, after, 1) + str(row.get("adds", "")) + "\n"


@pytest.mark.parametrize(
    "row", yaml.safe_load(TABLE.read_text(encoding="utf-8")), ids=lambda row: f"{row['id']} {row['says']}"
)
def test_a_rule_file_is_refused(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.yaml").write_text(text_of(row), encoding="utf-8")
    Path("case.json").write_text('{"claims": [{"citations": ["e1"]}], "evidence": [{"id": "e1"}]}', encoding="utf-8")
    code, line = row["refused"]

    with pytest.raises(RuleFileError) as refused:
        load_rule_file("rules.yaml", text=text_of(row))
    told = [problem for problem in refused.value.problems if (problem.code, problem.mark.line) == (code, line)]
    assert told, refused.value
    assert row.get("hint", "") in told[0].hint

    assert run(["check", "-r", "rules.yaml", "case.json"]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert shown.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["case.json", "rules.yaml"]


def test_the_rule_file_that_they_change_is_right(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")

    assert load_rule_file(tmp_path / "rules.yaml").rules.name == "notes"
