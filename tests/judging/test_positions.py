"""The first places of what failed: files and numbers that count from 1, and the closest reason."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged import judge, rule_set
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import JsonText, PlainValue
from openmed_rules.judging.judge import compile_judge
from openmed_rules.judging.nodes import CaseNode, CaseRoots
from openmed_rules.judging.watching import Watch
from openmed_rules.results.notes import NOTED, Note
from openmed_rules.results.places import Place
from openmed_rules.ruleset.loader import load_rule_mapping

SPANS = """\
claims: {records: $.claims, id: id}
citations: {records: citations, id: id, span: {start: s, end: e}}
evidence: {records: $.evidence, id: id, span: {start: s, end: e}}
"""
E1 = {"id": "e1", "s": 0, "e": 5}


EDGED = """\
claims: {records: $.claims, id: id}
citations:
- {records: citations, id: id, span: {start: s, end: e}}
- {records: $.edges, claim: claim, id: id, span: {start: s, end: e}}
evidence: {records: $.evidence, id: id, span: {start: s, end: e}}
"""
REFERENCE = st.fixed_dictionaries(
    {}, optional={"id": st.sampled_from(["e1", "e2", True]), "s": st.sampled_from([0, 3, -1]), "e": st.just(5)}
)
RECORDS = st.lists(st.one_of(REFERENCE, st.just(5)), max_size=4)
CLAIMS = st.lists(
    st.fixed_dictionaries({"id": st.sampled_from(["c1", "c2"])}, optional={"citations": RECORDS}), max_size=3
)
EDGES = st.lists(
    st.builds(lambda edge, claim: {**edge, "claim": claim}, REFERENCE, st.sampled_from(["c1", "c2", "c9"])), max_size=3
)


def places(rules: str, *cases: object, **asked: Any) -> list[str]:
    """Each position as ``line.case: c<claim>.<citation> r<record> reason``, by what is known of it."""
    said = []
    for position in judge(rules, *cases, **asked).positions:
        where = f"{position.place.line}.{position.case}"
        claim = "" if position.claim is None else f" c{position.claim}"
        citation = "" if position.citation is None else f".{position.citation}"
        record = "" if position.record is None else f" r{position.record}"
        said.append(f"{where}:{claim}{citation}{record} {position.reason}")
    return said


@pytest.mark.parametrize(
    ("citation", "reason"),
    [
        ({"id": "x"}, "missing_source_record"),
        ({"s": 1, "e": 2}, "unavailable_span"),
        ({"id": "x", "s": 0, "e": 5}, "missing_source_record"),
        ({"id": "e1", "s": 1, "e": 2}, "unavailable_span"),
        ({"id": "x", "s": 1, "e": 2}, "missing_source_record"),
        ({"id": "e1", "s": 9, "e": 3}, "invalid_citation"),
        ({"id": "e1", "s": 7, "e": 9}, "invalid_citation"),
        ({}, "invalid_citation"),
        ("e1", "invalid_citation"),
        ({"s": 7, "e": 9}, "duplicate_citation"),
    ],
)
def test_the_closest_reason_of_a_citation(citation: object, reason: str) -> None:
    claims = [{"citations": [{"id": "e1"}]}, {"citations": [{"id": "e2"}, citation]}]

    assert places(SPANS, {"claims": claims, "evidence": [E1, {"id": "e2", "s": 7, "e": 9}]}) == [f"1.1: c2.2 {reason}"]


@pytest.mark.parametrize(
    ("reports", "tolerate", "reason"),
    [
        ("citations", "", "missing_source_record"),
        ("coverage", "", "unknown_citation"),
        ("citations", "missing_source_record: any, unavailable_span: any", None),
        ("citations", "invalid_citation: any", None),
        ("citations", "invalid_citation: any, unavailable_span: 0", "unavailable_span"),
        ("citations", "missing_source_record: any", "unavailable_span"),
        ("coverage", "missing_source_record: any", "unknown_citation"),
    ],
)
def test_a_place_is_listed_under_the_closest_reason_that_failed(
    reports: str, tolerate: str, reason: str | None
) -> None:
    rules = f"{SPANS}reports: [{reports}]\npolicy: {{tolerate: {{{tolerate}}}}}"
    case = {"claims": [{"citations": [{"id": "e1"}, {"id": "x", "s": 1, "e": 2}]}], "evidence": [E1]}

    assert places(rules, case) == ([f"1.1: c1.2 {reason}"] if reason else [])


@pytest.mark.parametrize(
    ("claim", "reports", "reason"),
    [
        ({}, "citations", "missing_citation"),
        ({}, "coverage", "missing_summary_citation"),
        ("text", "citations", "missing_citation"),
        ({"citations": [{"id": "x"}]}, "citations", "unsupported_claim"),
        ({"citations": [{"id": "x"}]}, "coverage", "unsupported_summary_fact"),
    ],
)
def test_the_closest_reason_of_a_claim(claim: object, reports: str, reason: str) -> None:
    case = {"claims": [{"citations": [{"id": "e1"}]}, claim], "evidence": [E1]}

    assert f"1.1: c2 {reason}" in places(f"{SPANS}reports: [{reports}]", case)


def test_records_of_evidence_have_numbers_too() -> None:
    case = {
        "claims": [{"citations": [{"id": "e1"}]}],
        "evidence": [True, E1, {"id": "e2"}, {"id": "e2"}, {"id": "e3"}],
    }

    assert places(f"{SPANS}policy: {{unavailable: count}}", case) == [
        "1.1: r1 invalid_source_evidence",
        "1.1: r4 duplicate_source_evidence",
        "1.1: r3 omitted_source_fact",
        "1.1: r5 omitted_source_fact",
    ]


def test_records_of_two_collections_are_counted_through() -> None:
    rules = "evidence: [{records: $.a}, {records: $.b}]"

    assert places(rules, {"claims": [{"citations": ["e1"]}], "a": ["e1", "e2"], "b": ["e3"]}) == [
        "1.1: r2 omitted_source_fact",
        "1.1: r3 omitted_source_fact",
    ]


def test_citations_of_two_collections_are_counted_through() -> None:
    rules = "citations: [{records: a}, {records: b}]"

    assert places(rules, {"claims": [{"a": ["e1"], "b": ["x"]}], "evidence": ["e1"]}) == [
        "1.1: c1.2 missing_source_record"
    ]


def test_an_orphan_has_a_number_in_its_case() -> None:
    rules = "claims: {records: $.claims, id: id}\ncitations: {records: $.edges, claim: claim, id: fact}"
    edges = [{"claim": "c1", "fact": "e1"}, {"claim": "x", "fact": "e1"}, {"fact": "e1"}]

    assert places(rules, {"claims": [{"id": "c1"}], "edges": edges, "evidence": ["e1"]}) == [
        "1.1:.1 orphan_citation",
        "1.1:.2 orphan_citation",
    ]


def test_what_makes_evidence_unavailable_is_told_with_the_claims_that_it_leaves_unsupported() -> None:
    """No claim is supported there, so each is a place to look at."""
    case = {"claims": [{"citations": ["e1"]}], "evidence": ["e1", True]}

    assert places("reports: [citations]", case) == [
        "1.1: r2 invalid_source_evidence",
        "1.1: c1 unsupported_claim",
    ]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ({"claims": [], "evidence": ["e1"]}, "no_claims"),
        ({"claims": [{"citations": ["e1"]}], "evidence": []}, "missing_source_evidence"),
    ],
)
def test_what_is_wrong_with_a_whole_case_has_no_number_in_it(case: object, reason: str) -> None:
    good = {"claims": [{"citations": ["e1"]}], "evidence": ["e1"]}

    assert f"2.2: {reason}" in places("reports: [citations]", good, case)


def test_positions_stand_in_the_order_of_the_run() -> None:
    case = {"claims": [{"citations": ["x", "e1"]}, {}], "evidence": ["e1"]}

    assert places("", case, {"claims": [{"citations": ["e1"]}], "evidence": ["e1"]}, case) == [
        "1.1: c1.1 missing_source_record",
        "1.1: c2 missing_citation",
        "3.3: c1.1 missing_source_record",
        "3.3: c2 missing_citation",
    ]


def test_positions_of_a_case_are_what_is_wrong_with_it_then_its_orphans_then_each_claim_before_its_citations() -> None:
    rules = "claims: {records: $.claims, id: id}\ncitations: {records: $.edges, claim: claim, id: fact}"
    edges = [{"claim": "c1", "fact": "x"}, {"fact": "e1"}, {"fact": "e1"}, {"claim": "c1", "fact": "y"}]

    assert places(rules, {"claims": [{"id": "c1"}], "edges": edges, "evidence": [True]}) == [
        "1.1: missing_source_evidence",
        "1.1: r1 invalid_source_evidence",
        "1.1:.1 orphan_citation",
        "1.1:.2 orphan_citation",
        "1.1: c1 unsupported_claim",
        "1.1: c1.1 missing_source_record",
        "1.1: c1.2 missing_source_record",
    ]


def test_each_citation_has_one_place_whatever_leads_nowhere() -> None:
    lost = [{"id": "x", "s": 1, "e": 2}, {"id": "x", "s": 1, "e": 3}, {"id": "y"}, {"id": "z"}, {"s": 1, "e": 4}]
    citations = [{"id": "e1"}, *lost, {"s": 1, "e": 5}, True, {}]

    assert places(SPANS, {"claims": [{"citations": citations}], "evidence": [E1]}) == [
        "1.1: c1.2 missing_source_record",
        "1.1: c1.3 missing_source_record",
        "1.1: c1.4 missing_source_record",
        "1.1: c1.5 missing_source_record",
        "1.1: c1.6 unavailable_span",
        "1.1: c1.7 unavailable_span",
        "1.1: c1.8 invalid_citation",
        "1.1: c1.9 invalid_citation",
    ]


@given(case=st.fixed_dictionaries({"claims": CLAIMS, "edges": EDGES, "evidence": RECORDS}))
def test_there_are_as_many_notes_of_each_kind_as_are_counted(case: dict[str, Any]) -> None:
    notes: list[Note] = []
    counts = compile_judge(rule_set(EDGED), Watch())(CaseRoots(CaseNode(case), []), notes)

    noted = Counter(note.reasons for note in notes)
    assert {reasons: noted[reasons] for reasons, _ in NOTED} == {reasons: count(counts) for reasons, count in NOTED}


def test_a_case_counts_within_its_file_and_a_line_within_the_text() -> None:
    rules = load_rule_mapping(
        {
            "version": 1,
            "name": "two files",
            "inputs": {"summary": {"cases": "$.all"}},
            "claims": {"records": "$.claims"},
            "citations": {"records": "citations"},
            "evidence": {"records": "$.evidence"},
        }
    )
    bad = {"claims": [{"citations": ["x"]}], "evidence": ["e1"]}
    good = {"claims": [{"citations": ["e1"]}], "evidence": ["e1"]}
    text = json.dumps({"all": [good, {"claims": [{"citations": ["x", "e1"]}], "evidence": ["e1"]}]}).encode()

    report = judge_batch(
        rules,
        [
            JsonText(Place("a.jsonl", 1), text),
            JsonText(Place("a.jsonl", 7), text),
            PlainValue(Place("b.json"), {"all": [bad]}),
        ],
    )

    assert [position.to_dict() for position in report.positions if position.citation] == [
        {
            "file": "a.jsonl",
            "line": 1,
            "case": 2,
            "claim": 1,
            "citation": 1,
            "reason": "missing_source_record",
        },
        {
            "file": "a.jsonl",
            "line": 7,
            "case": 4,
            "claim": 1,
            "citation": 1,
            "reason": "missing_source_record",
        },
        {"file": "b.json", "case": 1, "claim": 1, "citation": 1, "reason": "missing_source_record"},
    ]


@pytest.mark.parametrize(("asked", "shown", "left"), [(0, 0, 30), (1, 1, 29), (7, 7, 23), (20, 20, 10), (50, 30, 0)])
def test_the_first_positions_are_shown_and_the_rest_is_counted(asked: int, shown: int, left: int) -> None:
    case = {"claims": [{"citations": ["e1", "x", "y"]}], "evidence": ["e1", "e2"]}
    cases = [case] * 10

    every = judge("", *cases, positions=50)
    report = judge("", *cases, positions=asked)

    assert report.positions == every.positions[:shown]
    assert report.positions_left == left
    assert numbers_of(report) == numbers_of(every)


def numbers_of(report: Any) -> dict[str, Any]:
    return {name: value for name, value in report.to_dict().items() if not name.startswith("positions")}


def test_what_is_tolerated_has_no_place() -> None:
    case = {"claims": [{"citations": ["e1", "x"]}, {}], "evidence": ["e1"]}
    report = judge("policy: {tolerate: {unsupported_claim: any}}", case)

    assert [position.reason for position in report.positions] == ["missing_source_record"]
    assert report.positions_left == 0


def test_in_a_case_that_passes_nothing_has_a_place() -> None:
    """What one case may have is listed where another case has too much of it, and only there."""
    rules = "policy: {tolerate: {invalid_citation: 1}}"

    assert places(
        rules,
        {"claims": [{"citations": ["e1", "x"]}], "evidence": ["e1"]},
        {"claims": [{"citations": ["e1", "x", "y"]}], "evidence": ["e1"]},
    ) == ["2.2: c1.2 missing_source_record", "2.2: c1.3 missing_source_record"]


def test_no_position_holds_a_value() -> None:
    case = {"claims": [{"id": "secret", "citations": [{"id": "secret"}]}], "evidence": [{"id": "secret2"}]}

    assert "secret" not in str(judge(SPANS, case).to_dict())
