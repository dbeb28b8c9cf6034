"""What the rule language says about its corners, and what went wrong for others who did this job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonpath_ng import jsonpath

from judged import judge, measure, numbers, rule_set
from openmed_rules.ruleset import paths
from openmed_rules.ruleset.problems import RuleFileError

DATA = Path(__file__).parents[1] / "data"


def table(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load((DATA / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("corner", table("corners.yaml"), ids=lambda corner: corner["says"])
def test_a_corner(corner: dict[str, Any]) -> None:
    assert measure(corner) == corner["gives"]


BOTH = """\
citations: {records: citations, id: [id, evidence_id, '@'], span: {start: start, end: end}}
evidence: {records: $.evidence, id: id, span: {start: start, end: end}}
"""


@pytest.mark.parametrize("fault", table("faults_elsewhere.yaml"), ids=lambda fault: fault["says"])
def test_what_went_wrong_elsewhere(fault: dict[str, Any]) -> None:
    if "refused" in fault:
        with pytest.raises(RuleFileError):
            rule_set(fault["rule"])
    else:
        assert measure(fault, fault.get("rule", BOTH)) == fault["gives"]


def test_the_library_is_not_asked_while_records_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rule_set("evidence: {records: \"$.evidence[?(@.kind == 'fact')].refs\", id: id}")
    monkeypatch.setattr(jsonpath, "auto_id_field", "id")
    monkeypatch.setattr(jsonpath.JSONPath, "find", None)
    monkeypatch.setattr(paths, "parse_path", None)

    report = judge(
        rules,
        {"claims": [{"citations": ["evidence.[0]"]}], "evidence": [{"kind": "fact", "refs": [{"n": 1}]}]},
    )

    assert numbers(report)["invalid_evidence_record"] == 1
