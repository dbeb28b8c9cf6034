"""What a rule file of the right shape cannot mean, and what it can."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from openmed_rules.ruleset.meaning import CHECKS, meaning_faults
from openmed_rules.ruleset.problems import spell
from openmed_rules.ruleset.shape import shape_faults

BASE: dict[str, Any] = {
    "version": 1,
    "name": "notes",
    "claims": {"records": "$.claims"},
    "citations": {"records": "refs", "id": "ref"},
    "evidence": {"records": "$.facts", "id": "id"},
}
KINDS = "evidence: {records: a, kinds: {b: {where: {t: 1}, id: c}, d: {span: {pair: e}}}}"


def said(text: str) -> dict[str, Any]:
    """The smallest rule file, with the top-level keys of a YAML text in place of its own."""
    data = {**copy.deepcopy(BASE), **yaml.safe_load(text)}
    assert shape_faults(data) == []
    return data


def told(text: str) -> list[tuple[str, str]]:
    return sorted((fault.code, spell(fault.place)) for fault in meaning_faults(said(text)))


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "claims: {records: a, id: b, merge: true}",
        "claims: {records: a, merge: false}",
        "evidence: {records: a, kinds: {b: {id: c}}, merge: true}\ncitations: {records: a, kind: b}",
        "claims: [{records: a}, {records: b, id: c}]\ncitations: {records: $.d, id: e, claim: f}",
        "citations: {siblings: following, where: {type: cite}, id: b}",
        "citations: {records: a, id: {place: key}}",
        "citations: {records: a, id: {parts: [b, {place: position, of: ^}]}}",
        "evidence: {records: a, id: {place: position}}",
        ("citations: {records: a, kinds: {b: {where: {t: 1}, id: c}, d: {where: {t: 2}, ignore: true}, e: {id: f}}}"),
        (f"{KINDS}\ncitations: {{records: a, kinds: {{b: {{where: {{t: 1}}, id: c}}, d: {{span: {{pair: e}}}}}}}}"),
        f"{KINDS}\ncitations: [{{records: a, kind: b, id: c}}, {{records: d, kind: d, span: {{pair: e}}}}]",
        (
            "claims: {records: a, class: {path: k, labels: [b]}}\n"
            "policy: {tolerate: {unsupported_claim: {b: 1, default: 2}}}"
        ),
        "citations: {records: {path: a, find_all: '(b)'}}\nreads_text: true",
        "reads_text: true",
        "evidence: {in: evidence, records: a}\ninputs: {summary: {join: b}, evidence: {join: c}}",
        "evidence: {in: evidence, records: a}\ninputs: {summary: {cases: b}, evidence: {cases: c}}",
        "policy: {per: case, failed_cases: 1}",
        "policy: {per: batch}",
        # within on both sides, on neither, and of kinds that never meet
        ("citations: {records: a, span: {pair: b, within: c}}\nevidence: {records: d, span: {pair: e, within: f}}"),
        "citations: {records: a, id: x, span: {pair: b, within: c}}",
        (
            "citations: [{records: a, kind: p, span: {pair: b}}, {records: a, kind: q, span: *q}]\n"
            "evidence: [{records: a, kind: p, span: {pair: b}}, {records: a, kind: q, span: *q}]"
        ).replace("*q", "{pair: b, within: c}"),
        # evidence that stands elsewhere, is told apart, or is read by another locator
        "citations: {records: refs, id: ref}\nevidence: {records: '$.claims[*].refs', id: id}",
        (
            "citations: {records: blocks, where: {t: cite}, id: id}\n"
            "evidence: {records: '$.claims[*].blocks', where: {t: source}, id: id}"
        ),
        "citations: {records: refs}\nevidence: {in: evidence, records: '$.claims[*].refs'}",
        "citations: {records: ^.refs}\nevidence: {records: $.refs}",
        ("tests: [{name: a, summary: {}, expect: {passed: true}}, {name: b, file: c.json, expect: {passed: false}}]"),
        (
            "evidence: {in: evidence, records: a}\n"
            "tests: [{name: a, summary: {}, evidence: null, expect: {passed: true}},"
            " {name: b, cases: [{summary: 1, evidence: 2}], expect: {passed: true}},"
            " {name: c, file: {summary: d, evidence: e}, expect: {passed: true}}]"
        ),
    ],
)
def test_what_can_be_meant_is_accepted(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("citations: {id: b}", [("OMR-202", "citations.records")]),
        ("claims: {records: a, merge: true}", [("OMR-401", "claims.merge")]),
        ("evidence: [{records: a}, {records: b, merge: true}]", [("OMR-401", "evidence[1].merge")]),
        ("citations: {records: a, claim: b}", [("OMR-402", "citations.claim")]),
        ("citations: {records: a, id: {place: position}}", [("OMR-403", "citations.id")]),
        ("citations: {records: a, id: [b, {place: pointer}]}", [("OMR-403", "citations.id")]),
        (
            "citations: {records: a, id: {parts: [{place: position}, {place: position, of: ^}]}}",
            [("OMR-403", "citations.id")],
        ),
        (
            "citations: {records: a, kinds: {b: {id: {place: pointer}}}}",
            [("OMR-403", "citations.kinds.b.id")],
        ),
        (
            "citations: {records: a, kinds: {b: {where: {c: d}}, e: {id: f}}}",
            [("OMR-404", "citations.kinds.b")],
        ),
        (
            "citations: {records: a, kinds: {b: {id: c}, d: {where: {e: f}, id: g}}}",
            [("OMR-405", "citations.kinds.b")],
        ),
        (
            "claims: {records: a, class: {path: k, labels: [b, default]}}",
            [("OMR-406", "claims.class.labels[1]")],
        ),
        ("claims: {records: {path: a, find_all: '(b)'}}", [("OMR-407", "claims.records.find_all")]),
        (
            "evidence: [{records: [a, {path: a, find_all: '(b)'}]}]",
            [("OMR-407", "evidence[0].records[1].find_all")],
        ),
        (
            "citations: {records: a, follow: [{records: {path: b, find_all: '(c)'}, id: d, to: e}]}",
            [("OMR-407", "citations.follow[0].records.find_all")],
        ),
        ("inputs: {evidence: {cases: a}}", [("OMR-411", "inputs.evidence")]),
        ("inputs: {summary: {join: a}}", [("OMR-412", "inputs.summary.join")]),
        (
            "evidence: {in: evidence, records: a}\ninputs: {evidence: {join: a}}",
            [("OMR-412", "inputs.evidence.join")],
        ),
        ("policy: {per: batch, failed_cases: 0}", [("OMR-413", "policy.failed_cases")]),
        (
            "policy: {tolerate: {unsupported_claim: {a: 1}}}",
            [("OMR-414", "policy.tolerate.unsupported_claim.a")],
        ),
        (
            (
                "evidence: {records: a, class: {path: k, labels: [allergy]}}\n"
                "policy: {tolerate: {omitted_source_fact: {alergy: 1}}}"
            ),
            [("OMR-414", "policy.tolerate.omitted_source_fact.alergy")],
        ),
        (
            ("tests: [{name: a, summary: 1, expect: {passed: true}}, {name: a, summary: 2, expect: {passed: true}}]"),
            [("OMR-415", "tests[1].name")],
        ),
        (
            "reports: [coverage]\ntests: [{name: a, summary: 1, expect: {citations: {coverage: 1}}}]",
            [("OMR-416", "tests[0].expect.citations")],
        ),
        ("reports: [coverage, coverage]", [("OMR-417", "reports[1]")]),
        (
            "evidence: {records: a, class: {path: k, labels: [b, c, b]}}",
            [("OMR-417", "evidence.class.labels[2]")],
        ),
        (
            "tests: [{name: a, summary: 1, evidence: 2, expect: {passed: true}}]",
            [("OMR-411", "tests[0].evidence")],
        ),
        (
            ("evidence: {in: evidence, records: a}\ntests: [{name: a, cases: [{summary: 1}], expect: {passed: true}}]"),
            [("OMR-202", "tests[0].cases[0].evidence")],
        ),
        (
            "evidence: {in: evidence, records: a}\ntests: [{name: a, file: b, expect: {passed: true}}]",
            [("OMR-202", "tests[0].file.evidence")],
        ),
        # kinds on both sides
        ("evidence: {records: a, kind: b}", [("OMR-422", "evidence.kind")]),
        (
            "evidence: [{records: a, kind: b}, {records: c}]\ncitations: {records: d, kind: b}",
            [("OMR-421", "evidence[1]")],
        ),
        (
            f"{KINDS}\ncitations: {{records: a, kinds: {{b: {{where: {{t: 1}}, id: c}}, e: {{id: c}}}}}}",
            [("OMR-422", "citations.kinds.e"), ("OMR-422", "evidence.kinds.d")],
        ),
        # within on one side
        (
            "citations: {records: a, span: {pair: b}}\nevidence: {records: c, span: {pair: d, within: e}}",
            [("OMR-423", "citations.span")],
        ),
        (
            "citations: {records: a, span: {pair: b, within: c}}\nevidence: {records: d, span: {pair: e}}",
            [("OMR-423", "evidence.span")],
        ),
        (
            (
                "citations: {records: a, kinds: {b: {span: [{pair: c, within: d}, {pair: e}]}}}\n"
                "evidence: {records: d, kind: b, span: {pair: e, within: f}}"
            ),
            [("OMR-423", "citations.kinds.b.span")],
        ),
        # evidence that would know everything
        (
            "citations: {records: refs, id: id}\nevidence: {records: '$.claims[*].refs', id: id}",
            [("OMR-424", "evidence.records")],
        ),
        (
            "citations: {records: refs}\nevidence: {records: '$.claims[*].refs[*]'}",
            [("OMR-424", "evidence.records")],
        ),
        (
            (
                "citations: {records: [x, refs], where: {t: 1}, span: {pair: p}}\n"
                "evidence: {records: [y, '$.claims.*.refs.*'], span: {pair: p}}"
            ),
            [("OMR-424", "evidence.records")],
        ),
        (
            (
                "claims: {records: a, id: b}\n"
                "citations: {records: $.edges, claim: c, id: d}\n"
                "evidence: [{records: e}, {records: $.edges, id: d}]"
            ),
            [("OMR-424", "evidence[1].records")],
        ),
        (
            "citations: {siblings: following, id: d}\nevidence: {records: $.claims, id: d}",
            [("OMR-424", "evidence.records")],
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_place(text: str, expected: list[tuple[str, str]]) -> None:
    assert told(text) == expected


def test_a_section_that_is_broken_hides_only_what_depends_on_it() -> None:
    data = said("inputs: {summary: {join: a}}\npolicy: {per: batch, failed_cases: 1}\nreports: [coverage, coverage]")
    data["claims"] = "anything"

    assert [fault.code for fault in meaning_faults(data, {"claims"})] == ["OMR-412", "OMR-413", "OMR-417"]


def test_every_check_says_what_it_is_for() -> None:
    assert all(check.__doc__ for _, check in CHECKS)
