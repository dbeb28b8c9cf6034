"""What is counted of a locator stands under its path in the rule file."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from judged import lines
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_mapping

WORDS = """\
version: 1
name: every-locator
inputs: {summary: {cases: $.cases, join: case}, evidence: {cases: $.cases, join: [name, case]}}
claims: {records: [$.claims, $.more], id: id, where: {type: claim}, class: {path: type, labels: [claim, other]}}
citations:
  - records: [r, {path: text, find_all: "(e[0-9])"}]
    where: {type: {not: none}}
    id: {parts: [kind, {path: ref, default: none}]}
    span: [{each: parts, start: s, length: n, within: d}, {pair: range, within: d}, {start: s, end: e, within: d}]
    kind: plain
  - records: $.edges
    kind: rest
    claim: of
    id: ref
    follow: [{records: $.chunks, id: id, to: facts}]
evidence:
  in: evidence
  records: $.known
  class: {path: type, labels: [claim]}
  kinds:
    plain: {where: {type: plain}, id: [name, id], span: {start: s, end: e, within: d}}
    other: {where: {type: other}, ignore: true}
    rest: {id: number}
reads_text: true
"""
PLAIN = """\
version: 1
name: plain-members
claims: {records: $.claims, id: name}
citations: [{records: r, id: ref, span: {start: s, end: e}}, {records: q, span: {start: s, end: e}}]
evidence: {in: evidence, records: $.known, id: id, span: {start: s, end: e}}
"""
SUMMARY = {
    "case": 1,
    "claims": [{"id": "c1", "type": "claim", "r": [{"ref": "e1", "s": 0, "e": 5, "d": "A"}]}],
    "edges": [{}],
}
EVIDENCE = {"case": 1, "known": [{"type": "plain", "id": "e1", "s": 0, "e": 5, "d": "A"}, {}]}


def counted(rules: dict[str, Any]) -> Report:
    summaries, evidence = lines([{"cases": [SUMMARY]}], "notes"), lines([{"cases": [EVIDENCE]}], "facts")
    return judge_batch(load_rule_mapping(rules), summaries, evidence, locators=True)


def at(value: Any, path: str) -> Any:
    """What stands under ``path`` (``citations[1].id``) of a rule file; a list of one entry is that entry."""
    for key, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if key and isinstance(value, list):
            (value,) = value
        value = value[key] if key else value[int(number)]
    return value


@pytest.mark.parametrize(("words", "several"), [(WORDS, 30), (PLAIN, 10)])
def test_every_count_stands_under_a_path_of_the_rule_file(words: str, several: int) -> None:
    rules = yaml.safe_load(words)
    locators = counted(rules).locators or {}

    assert len(locators) > several
    for path in locators:
        assert at(rules, path) is not None


@pytest.mark.parametrize(
    "path",
    [
        "inputs.summary.cases",
        "inputs.evidence.join[1]",
        "claims.records[1]",
        "claims.id",
        "citations[0].records[1]",
        "citations[0].id.parts[1]",
        "citations[0].span[0].each",
        "citations[0].span[0].start",
        "citations[0].span[0].length",
        "citations[0].span[1].pair",
        "citations[0].span[2].within",
        "citations[0].span[2].end",
        "citations[1].claim",
        "citations[1].follow.records",
        "evidence.kinds.plain.id[1]",
        "evidence.kinds.rest.id",
    ],
)
def test_a_locator_is_counted(path: str) -> None:
    assert path in (counted(yaml.safe_load(WORDS)).locators or {})


def test_plain_members_are_counted_one_by_one() -> None:
    claims = [{"name": "c1", "r": [{"ref": "e1", "s": 0, "e": 5}, {"ref": "e1"}], "q": [{"s": 0, "e": 5}]}]
    known = [{"id": "e1", "s": 0, "e": 5}]
    summaries, evidence = lines([{"claims": claims}], "notes"), lines([{"known": known}], "facts")
    report = judge_batch(load_rule_mapping(yaml.safe_load(PLAIN)), summaries, evidence, locators=True)

    found = {path: (counts["tried"], counts["found"]) for path, counts in (report.locators or {}).items()}
    assert found == {
        "claims.records": (1, 1),
        "claims.id": (1, 1),
        "citations[0].records": (1, 2),
        "citations[0].id": (2, 2),
        "citations[0].span.start": (2, 1),
        "citations[0].span.end": (2, 1),
        "citations[1].records": (1, 1),
        "citations[1].span.start": (1, 1),
        "citations[1].span.end": (1, 1),
        "evidence.records": (1, 1),
        "evidence.id": (1, 1),
        "evidence.span.start": (1, 1),
        "evidence.span.end": (1, 1),
    }
