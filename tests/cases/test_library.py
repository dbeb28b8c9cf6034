"""What went wrong elsewhere inside of a library: switches, shared defaults, recursion and numbers without end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonpath_ng import jsonpath

from judged import numbers, rule_set
from openmed_rules import Rules, load_rules
from openmed_rules.cli.boundary import run
from openmed_rules.ruleset import paths
from openmed_rules.ruleset.loader import load_rule_mapping
from openmed_rules.ruleset.model import Step
from openmed_rules.upstream import compute_summary_citation_metrics, compute_summary_fact_coverage
from samples import PASSING, RULES

FILTER = "evidence: {records: \"$.evidence[?(@.kind == 'fact')].refs\", id: id}"


def forget_paths() -> None:
    for cached in (paths.parse_path, paths.parse_records_path, rule_set):
        cached.cache_clear()


@pytest.mark.parametrize("digits", [4301, 5001])
def test_an_id_of_any_size(digits: int) -> None:
    """Where it may be no id it is an invalid citation; no error of Python's own is seen."""
    claims, evidence = [{"citations": [10 ** (digits - 1)]}], ["e1"]

    native = Rules(rule_set()).check({"claims": claims, "evidence": evidence})
    assert numbers(native.report) | {"coverage": 0.0, "invalid_citation": 1, "passed": False} == numbers(native.report)
    assert not compute_summary_citation_metrics(claims, evidence).passed
    assert compute_summary_fact_coverage(evidence, claims).recall == 0.0


def test_no_switch_of_the_library_makes_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library parses paths, and is not asked while records are judged."""
    case = {"claims": [{"citations": ["evidence.[0]"]}], "evidence": [{"kind": "fact", "refs": [{"n": 1}]}]}
    before = rule_set(FILTER)
    monkeypatch.setattr(jsonpath, "auto_id_field", "id")
    forget_paths()
    after = rule_set(FILTER)
    monkeypatch.setattr(jsonpath.JSONPath, "find", None)
    monkeypatch.setattr(paths, "parse_path", None)

    assert after == before
    report = Rules(after).check(case).report
    assert numbers(report) | {"coverage": 0.0, "invalid_evidence_record": 1, "passed": False} == numbers(report)


def test_a_path_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = paths._library_steps  # noqa: SLF001 - the one place that asks the library

    def counted(body: str) -> tuple[Step, ...]:
        parsed.append(body)
        return parse(body)

    monkeypatch.setattr(paths, "_library_steps", counted)
    forget_paths()

    rules = Rules(rule_set(FILTER))
    once = len(parsed)
    result = rules.check_many({"claims": [], "evidence": []} for _ in range(1000))

    assert once > 0
    assert len(parsed) == once
    assert (result.verdict, result.report.cases.total) == ("failed", 1000)


def test_two_rule_files_share_nothing() -> None:
    said: dict[str, Any] = {
        "version": 1,
        "name": "notes",
        "claims": {"records": "$.claims"},
        "citations": {"records": "citations"},
        "evidence": {"records": "$.evidence"},
    }
    first = load_rule_mapping(said)
    second = load_rule_mapping({**said, "policy": {"tolerate": {"no_claims": "any", "missing_source_record": 3}}})
    again = load_rule_mapping(said)

    assert first == again != second
    assert not first.policy.tolerate
    for rules in (first, again):
        result = Rules(rules).check({"claims": [], "evidence": []})
        assert (result.verdict, "no_claims" in result.reasons) == ("failed", True)


def test_a_record_may_be_nested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nested: dict[str, Any] = {"id": "x"}
    for _ in range(400):
        nested = {"child": nested}
    rules, file = tmp_path / "rules.yaml", tmp_path / "case.json"
    rules.write_text(RULES, encoding="utf-8")

    for record in (nested, {**PASSING, "facts": [nested]}):
        result = load_rules(rules).check(record)
        # How deep a record of the caller's may be, Python's own limit says, and that differs from one to the next.
        assert {unreadable.code for unreadable in result.report.unreadable} <= {"OMR-613"}
        assert not result.passed
        file.write_text(json.dumps(record), encoding="utf-8")
        assert run(["check", "-r", str(rules), str(file)]) == 1
    assert "Traceback" not in capsys.readouterr().err
