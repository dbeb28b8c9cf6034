"""What went wrong elsewhere with records: the numbers are the same by either way, in a program and at the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from judged import BASE, measure, numbers, rule_set
from openmed_rules import Rules
from openmed_rules.cli.boundary import run

TABLE = Path(__file__).parents[1] / "data" / "cases" / "judged.yaml"
BOTH = """\
citations: {records: citations, id: [id, evidence_id, '@'], span: {start: start, end: end}}
evidence: {records: $.evidence, id: id, span: {start: start, end: end}}
"""
EXITS = {"passed": 0, "failed": 1}


@pytest.fixture(params=yaml.safe_load(TABLE.read_text(encoding="utf-8")), ids=lambda row: f"{row['id']} {row['says']}")
def row(request: pytest.FixtureRequest) -> dict[str, Any]:
    row: dict[str, Any] = {"rule": BOTH, **request.param}
    if "reasons" in row["gives"]:
        row["gives"]["reasons"] = set(row["gives"]["reasons"])
    return row


def test_the_numbers_are_right(row: dict[str, Any]) -> None:
    assert measure(row) == row["gives"]


def test_a_program_gets_the_same_numbers(row: dict[str, Any]) -> None:
    result = Rules(rule_set(row["rule"])).check(row["case"], row.get("evidence"))
    got = numbers(result.report)

    assert {name: got.get(name, 0) for name in row["gives"]} == row["gives"]


def test_the_command_ends_as_the_numbers_say(
    row: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, summary, evidence = (tmp_path / name for name in ("rules.yaml", "summary.json", "evidence.json"))
    rules.write_text(yaml.safe_dump({**yaml.safe_load(BASE), **yaml.safe_load(row["rule"])}), encoding="utf-8")
    summary.write_text(json.dumps(row["case"]), encoding="utf-8")
    evidence.write_text(json.dumps(row.get("evidence")), encoding="utf-8")

    code = run(
        ["check", "-f", "json", "-r", str(rules), str(summary)]
        + (["--evidence", str(evidence)] if "evidence" in row else [])
    )
    result = json.loads(capsys.readouterr().out)

    assert code == EXITS[result["verdict"]]
    assert result["verdict"] == row["gives"].get("verdict", result["verdict"])
    assert result["citations"]["passed"] == row["gives"].get("passed", result["citations"]["passed"])
