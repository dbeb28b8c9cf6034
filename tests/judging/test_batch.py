"""A run of many cases: what is tolerated, joined, left out, counted by class, and when the run passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from judged import judge, numbers
from openmed_rules.results.report import Report

FACTS = ["e1", "e2", "e3", "e4"]
ALL = ["e1", "e2", "e3", "e4"]


def case(*of_each: Sequence[object], evidence: object = FACTS) -> dict[str, Any]:
    """A case of several claims, by the citations of each."""
    return {"claims": [{"citations": citations} for citations in of_each], "evidence": evidence}


def outcome(report: Report) -> tuple[str, int, dict[str, int]]:
    """The verdict, how many cases failed, and what was tolerated."""
    return report.verdict, report.cases.failed, report.tolerated


# --- tolerated ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tolerate", "expected"),
    [
        ("{invalid_citation: 1}", ("passed", 0, {"invalid_citation": 2, "missing_source_record": 2})),
        ("{missing_source_record: any}", ("passed", 0, {"invalid_citation": 2, "missing_source_record": 2})),
        ("{invalid_citation: any, missing_source_record: 0}", ("failed", 2, {"invalid_citation": 2})),
        ("{}", ("failed", 2, {})),
    ],
)
def test_what_is_tolerated_is_counted_as_tolerated(tolerate: str, expected: tuple[str, int, dict[str, int]]) -> None:
    report = judge(f"policy: {{tolerate: {tolerate}}}", case([*ALL, "x"]), case([*ALL, "x"]))

    assert outcome(report) == expected
    assert numbers(report)["invalid_citation"] == 2


def test_only_what_did_not_fail_its_case_is_tolerated() -> None:
    report = judge("policy: {tolerate: {invalid_citation: 1}}", case([*ALL, "x"]), case([*ALL, "x", "y"]))

    assert outcome(report) == ("failed", 1, {"invalid_citation": 1, "missing_source_record": 1})


def test_the_larger_count_of_the_two_reports_is_tolerated() -> None:
    """Two references that lead nowhere are one citation in one report, and two references in the other."""
    rules = """\
citations: {records: citations, id: id, span: {start: start, end: end}}
evidence: {records: $.evidence, id: id, span: {start: start, end: end}}
policy: {tolerate: {invalid_citation: 2}}
"""
    evidence = [{"id": "e1", "start": 0, "end": 5}]
    report = judge(rules, case([{"id": "e1"}, {"id": "x", "start": 1, "end": 2}], evidence=evidence))

    assert outcome(report) == (
        "passed",
        0,
        {"invalid_citation": 2, "missing_source_record": 1, "unavailable_span": 1},
    )


def test_evidence_that_is_tolerated_is_available() -> None:
    report = judge(
        "policy: {tolerate: {invalid_source_evidence: 1, duplicate_source_evidence: 50%}}",
        case(ALL, evidence=[*FACTS, True, "e1"]),
    )

    assert outcome(report) == ("passed", 0, {"duplicate_source_evidence": 1, "invalid_source_evidence": 1})
    assert numbers(report)["source_evidence_available"] is True


def test_no_claims_and_no_citations_are_tolerated_by_name() -> None:
    report = judge("reports: [citations]\npolicy: {tolerate: {no_claims: any}}", case(), case(ALL))

    assert outcome(report) == ("passed", 0, {"no_claims": 1})


# --- when a run passes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failed_cases", "verdict"),
    [("0", "failed"), ("1", "passed"), ("2", "passed"), ("33%", "failed"), ("33.34%", "passed")],
)
def test_some_cases_may_fail(failed_cases: str, verdict: str) -> None:
    report = judge(f"policy: {{failed_cases: {failed_cases}}}", case(ALL), case([*ALL, "x"]), case(ALL))

    assert (report.verdict, report.cases.passed, report.cases.failed) == (verdict, 2, 1)
    got = numbers(report)
    assert report.passed is got["passed"] is got["coverage.passed"] is (verdict == "passed")
    assert set(report.reasons) == {*got["failure_reasons"], *got["coverage.failure_reasons"]}
    assert set(report.reasons) == (
        {"invalid_citation", "missing_source_record", "unknown_citation"} if verdict == "failed" else set()
    )


def test_a_run_fails_where_its_reports_fail_different_cases() -> None:
    """One case fails one report, and another the other: two cases failed, and neither report says that it passed."""
    report = judge("policy: {failed_cases: 1}", case(["e1"]), case([*ALL, "e1"]), case(ALL))
    got = numbers(report)

    assert (report.verdict, report.cases.failed) == ("failed", 2)
    assert (got["passed"], got["failure_reasons"]) == (False, ["duplicate_citation"])
    assert (got["coverage.passed"], got["coverage.failure_reasons"]) == (False, ["omitted_source_fact"])


def test_a_report_that_no_case_fails_passes_also_where_the_other_fails() -> None:
    got = numbers(judge("policy: {failed_cases: 1}", case(["e1"]), case(["e2"]), case(ALL)))

    assert (got["verdict"], got["passed"], got["coverage.passed"]) == ("failed", True, False)


def test_no_citations_fails_the_run_whatever_cases_may_fail() -> None:
    report = judge("policy: {failed_cases: 100%}", case([]), case([]))

    assert (report.verdict, "no_citations" in report.reasons) == ("failed", True)


# --- per batch ---------------------------------------------------------------------------------------


def test_a_batch_holds_its_sums_against_the_tolerances() -> None:
    rules = "policy: {per: batch, tolerate: {omitted_source_fact: 25%}}"

    held = judge(rules, case(ALL), case(["e1", "e2"]))
    missed = judge(rules, case(["e1", "e2", "e3"]), case(["e1", "e2"]), case(ALL))

    assert outcome(held) == ("passed", 0, {"omitted_source_fact": 2})
    assert outcome(judge(rules.replace("batch", "case"), case(ALL), case(["e1", "e2"])))[:2] == ("failed", 1)
    assert outcome(missed) == ("passed", 0, {"omitted_source_fact": 3})
    assert outcome(judge(rules, case(["e1"]), case(ALL)))[:2] == ("failed", 1)


def test_a_batch_lists_where_its_sums_failed() -> None:
    report = judge("policy: {per: batch}", case(ALL), case([*ALL, "x"]))

    assert (report.cases.passed, report.cases.failed) == (1, 1)
    assert [(position.case, position.citation) for position in report.positions] == [(2, 5)]


def test_no_claims_in_one_case_of_a_batch_is_no_batch_without_claims() -> None:
    rules = "reports: [citations]\npolicy: {per: batch}"

    assert judge(rules, case(), case(ALL)).verdict == "passed"
    assert judge(rules, case(), case()).reasons == ("no_claims",)


def test_evidence_is_judged_per_case_in_a_batch_too() -> None:
    """One case without available evidence fails closed, however little it is of the whole batch."""
    rules = """\
reports: [citations]
policy: {per: batch, unavailable: count, tolerate: {invalid_source_evidence: 10%}}
"""

    report = judge(rules, case(["e1"], evidence=["e1", True]), case(["e1"], evidence=[f"e{n}" for n in range(20)]))

    assert numbers(report)["fail_closed"] is True
    assert (report.verdict, report.reasons) == ("failed", ("invalid_source_evidence",))


def test_what_fails_closed_gives_a_reason() -> None:
    rules = "reports: [coverage]\npolicy: {tolerate: {no_claims: any, invalid_source_evidence: any}}"

    report = judge(rules, case(evidence=[True]))

    assert numbers(report)["coverage.fail_closed"] is True
    assert report.verdict == "failed"


# --- classes, joined, left out -----------------------------------------------------------------------


def test_counts_by_class() -> None:
    rules = """\
claims: {records: $.claims, class: {path: meta.type, labels: [allergy, drug]}}
evidence: {records: $.evidence.*, id: {place: key}, class: {path: type, labels: [allergy, drug]}}
"""
    document = {
        "claims": [
            {"meta": {"type": "allergy"}, "citations": ["a"]},
            {"meta": {"type": " allergy "}, "citations": ["x"]},
            {"meta": {"type": "fall"}, "citations": ["b"]},
            {"meta": "allergy", "citations": ["b"]},
        ],
        "evidence": {
            "a": {"type": "drug"},
            "b": {"type": "allergy"},
            "c": {"type": "allergy"},
            "d": {"type": True},
        },
    }

    assert judge(rules, document, document).classes == {
        "allergy": {"claim": 4, "unsupported_claim": 2, "fact": 4, "omission": 2},
        "drug": {"claim": 0, "unsupported_claim": 0, "fact": 2, "omission": 0},
    }


def test_a_class_may_be_the_key() -> None:
    rules = "evidence: {records: $.facts.*, id: id, class: {place: key, labels: [allergy]}}"

    report = judge(rules, {"claims": [{"citations": ["1"]}], "facts": {"allergy": {"id": 1}, "drug": {"id": 2}}})

    assert report.classes == {"allergy": {"claim": 0, "unsupported_claim": 0, "fact": 1, "omission": 0}}


@pytest.mark.parametrize(
    ("tolerate", "verdict"),
    [
        ("{default: 0, allergy: 1}", "passed"),
        ("{default: 1}", "passed"),
        ("{allergy: 1, drug: 0}", "passed"),
        ("{default: any, allergy: 0}", "failed"),
        ("{allergy: 49%}", "failed"),
        ("{allergy: 50%}", "passed"),
        ("{drug: 1}", "failed"),
        ("any", "passed"),
        ("25%", "passed"),
        ("24%", "failed"),
    ],
)
@pytest.mark.parametrize("reason", ["unsupported_claim", "omitted_source_fact"])
def test_a_tolerance_by_class(reason: str, tolerate: str, verdict: str) -> None:
    """One of two of a class, of four in all, is unsupported or omitted."""
    rules = f"""\
claims: {{records: $.claims, class: {{path: type, labels: [allergy, drug]}}}}
evidence: {{records: $.evidence, id: id, class: {{path: type, labels: [allergy, drug]}}}}
reports: [{"citations" if reason == "unsupported_claim" else "coverage"}]
policy: {{tolerate: {{invalid_citation: any, {reason}: {tolerate}}}}}
"""
    types = ["allergy", "allergy", "drug", "other"]
    document: dict[str, Any]
    last = "x" if reason == "unsupported_claim" else "4"
    document = {
        "claims": [{"type": kind, "citations": [cited]} for kind, cited in zip(types, [last, *"123"], strict=True)],
        "evidence": [{"type": kind, "id": number} for kind, number in zip(types, [9, 1, 2, 3], strict=True)],
    }
    if reason == "omitted_source_fact":
        document["claims"] = document["claims"][1:]
    else:
        document["evidence"] = document["evidence"][1:]

    assert judge(rules, document).verdict == verdict


def test_a_class_is_a_word_of_the_rule_file() -> None:
    """What a record says beyond the labels that are listed is never shown."""
    report = judge(
        "claims: {records: $.claims, class: {path: name, labels: [allergy]}}",
        {"claims": [{"name": "somebody", "citations": ["e1"]}], "evidence": ["e1"]},
    )

    assert report.classes == {}


def test_how_many_were_joined() -> None:
    rules = """\
claims: {records: $.claims, id: id, merge: true}
evidence: {records: $.evidence, id: id, merge: true}
"""
    document = {
        "claims": [
            {"id": 1, "citations": ["e1"]},
            {"id": 1},
            {"id": "1"},
            {"id": 2, "citations": ["e2"]},
            {},
        ],
        "evidence": [{"id": "e1"}, {"id": "e2"}, {"id": "e2"}, {"id": None}],
    }

    assert judge(rules, document, document).joined == {"claims": 4, "evidence": 2}


def test_how_many_were_left_out() -> None:
    rules = """\
claims: {records: $.claims, where: {type: claim}}
citations:
- records: citations
  where: {use: {not: hint}}
  kinds: {web: {where: {kind: web}, ignore: true}, fact: {id: id}}
- {records: more, where: {use: proof}, kind: fact}
evidence: [{records: $.a, where: {void: null}}, {records: $.b, where: {void: null}}]
"""
    document = {
        "claims": [
            {
                "type": "claim",
                "citations": [{"id": "e1"}, {"use": "hint"}, {"kind": "web"}],
                "more": [{"use": "x"}],
            },
            {"type": "title"},
            {"type": "title"},
        ],
        "a": ["e1", {"void": 1}],
        "b": [{"void": 1}, {"void": 2}],
    }

    report = judge(rules, document)

    assert report.left_out == {"claims": 2, "citations": 3, "evidence": 3}
    assert (numbers(report)["claim"], numbers(report)["citation"], numbers(report)["evidence_record"]) == (
        1,
        1,
        1,
    )
