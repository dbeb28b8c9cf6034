"""A report's ratios, verdict and lines: made once from counts, never from rounded numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judged import judge, numbers, rule_set
from judged import lines as documents
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.report import Report
from openmed_rules.ruleset.words import CITATION_METRICS, COVERAGE_METRICS, FLAGS


def case(*of_each: object, evidence: object) -> dict[str, Any]:
    """A case of one claim that cites these; without claims where it cites none."""
    return {"claims": [{"citations": list(of_each)}] if of_each else [], "evidence": evidence}


GOOD = case("e1", evidence=["e1"])


def many(supported: int, of: int) -> dict[str, Any]:
    """A case in which so many of the claims and of the facts have a citation that meets them."""
    claims = [{"citations": [number if number < supported else "x"]} for number in range(of)]
    return {"claims": claims, "evidence": list(range(of))}


# --- ratios ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("supported", "of"), [(1, 3), (2, 3), (1, 7), (2999, 3000), (1, 3000), (0, 3), (3, 3)])
def test_a_ratio_is_its_counts_divided(supported: int, of: int) -> None:
    got = numbers(judge("", many(supported, of)))

    assert got["coverage"] == got["evidence_coverage"] == got["recall"] == supported / of
    assert got["abstention_rate"] == (of - supported) / of


def test_nearly_all_is_not_all() -> None:
    report = judge("policy: {tolerate: {invalid_citation: any}}", many(2999, 3000))

    assert numbers(report)["coverage"] < 1.0
    assert {"unsupported_claim", "omitted_source_fact"} <= set(report.reasons)


@pytest.mark.parametrize(("percent", "verdict"), [("0.033%", "failed"), ("0.0333%", "failed"), ("0.0334%", "passed")])
def test_a_percentage_is_held_against_counts_and_not_against_ratios(percent: str, verdict: str) -> None:
    tolerate = f"unsupported_claim: {percent}, omitted_source_fact: {percent}, invalid_citation: {percent}"

    assert judge(f"policy: {{tolerate: {{{tolerate}}}}}", many(2999, 3000)).verdict == verdict


def test_a_ratio_of_a_batch_is_of_its_sums() -> None:
    got = numbers(judge("", many(1, 1), many(1, 9)))

    assert (got["coverage"], got["recall"]) == (0.2, 0.2)


NO_CLAIMS = "policy: {tolerate: {no_claims: any}}"


@pytest.mark.parametrize(
    ("rules", "case", "coverage", "abstention"),
    [
        pytest.param("", case(evidence=["e1"]), 0.0, 1.0, id="no claims"),
        pytest.param(NO_CLAIMS, case(evidence=["e1"]), 1.0, 0.0, id="no claims, tolerated"),
        pytest.param(NO_CLAIMS, case(evidence=[]), 0.0, 0.0, id="neither claims nor evidence"),
        pytest.param("", case("e1", evidence=[]), 0.0, 1.0, id="no evidence"),
        pytest.param("", case("e1", evidence=["e1", True]), 0.0, 1.0, id="evidence not available"),
        pytest.param("policy: {unavailable: count}", case("e1", evidence=["e1", True]), 0.0, 0.0, id="counts go on"),
    ],
)
def test_where_there_is_nothing_to_divide_by(rules: str, case: object, coverage: float, abstention: float) -> None:
    got = numbers(judge(rules, case))

    assert got | {"coverage": coverage, "abstention_rate": abstention, "recall": 0.0} == got


# --- fail closed, not evaluated ----------------------------------------------------------------------


def test_one_case_without_available_evidence_closes_the_batch() -> None:
    report = judge("", GOOD, case("e1", evidence=["e1", "e1"]))
    got = numbers(report)

    assert got | {"source_evidence_available": False, "fail_closed": True, "coverage.fail_closed": True} == got
    assert got | {"coverage": 0.0, "evidence_coverage": 0.0, "recall": 0.0} == got
    assert got | {"supported_claim": 1, "referenced_evidence": 1} == got
    assert {"duplicate_source_evidence", "duplicate_source_fact"} <= set(report.reasons)


def test_nothing_evaluated_is_nothing_passed() -> None:
    report = judge("", b"{")
    got = numbers(report)

    assert (report.verdict, report.passed, report.reasons) == ("not_evaluated", False, ())
    assert got | {"passed": False, "coverage.passed": False} == got
    assert got | {"fail_closed": True, "coverage.fail_closed": True} == got
    assert got | {"coverage": 0.0, "abstention_rate": 1.0, "recall": 0.0} == got


def test_an_unreadable_case_lets_no_report_pass() -> None:
    got = numbers(judge("", GOOD, b"{"))

    assert got | {"passed": False, "coverage.passed": False, "fail_closed": False} == got
    assert got | {"verdict": "failed", "reasons": {"unreadable_case"}} == got


# --- verdict and reasons -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reports", "case", "reasons"),
    [
        ("citations", case("e1", evidence=["e1", "e2"]), set()),
        ("coverage", case("e1", evidence=["e1", "e2"]), {"omitted_source_fact"}),
        ("citations", case("e1", "e1", evidence=["e1"]), {"duplicate_citation"}),
        ("coverage", case("e1", "e1", evidence=["e1"]), set()),
        ("coverage", case("e1", "x", evidence=["e1"]), {"unknown_citation"}),
    ],
)
def test_only_the_reports_that_are_asked_for_decide(reports: str, case: object, reasons: set[str]) -> None:
    report = judge(f"reports: [{reports}]", case)

    assert set(report.reasons) == reasons
    assert {"citations", "coverage"} & report.to_dict().keys() == {reports}
    assert report.passed is (not reasons)


def test_the_reasons_of_a_batch_are_those_of_its_cases() -> None:
    report = judge("", GOOD, case("x", "e1", evidence=["e1"]), case(evidence=["e1"]))

    assert set(report.reasons) == {
        *("invalid_citation", "missing_source_record", "no_claims"),
        *("no_claims", "omitted_source_fact", "unknown_citation"),
    }
    assert report.reasons == tuple(sorted(report.reasons))
    assert report.citations is not None
    assert report.citations["failure_reasons"] == ["invalid_citation", "missing_source_record", "no_claims"]


# --- lines -------------------------------------------------------------------------------------------


def lines(report: Report) -> dict[tuple[str, str], tuple[int, int | None, str, bool]]:
    return {(line.report, line.reason): (line.found, line.of, line.limit, line.failed) for line in report.lines}


def test_a_line_says_how_much_of_how_many_and_what_is_tolerated() -> None:
    rules = """\
claims: {records: $.claims, class: {path: type, labels: [allergy]}}
policy:
  tolerate:
    unsupported_claim: {default: 12.5%, allergy: 0}
    missing_source_record: any
    duplicate_citation: 3
"""
    case = {
        "claims": [{"citations": ["e1", "e1", "x"]}, {"citations": [True]}, {}, {"citations": ["e2"]}],
        "evidence": ["e1", "e2", "e3"],
    }

    assert lines(judge(rules, case)) == {
        ("citations", "duplicate_citation"): (1, 5, "3", False),
        ("citations", "invalid_citation"): (2, 5, "0", True),
        ("citations", "missing_citation"): (1, 4, "12.5%, allergy 0", True),
        ("citations", "missing_source_record"): (1, 5, "any", False),
        ("citations", "unsupported_claim"): (2, 4, "12.5%, allergy 0", True),
        ("coverage", "missing_summary_citation"): (2, 4, "12.5%, allergy 0", True),
        ("coverage", "omitted_source_fact"): (1, 3, "0", True),
        ("coverage", "unknown_citation"): (1, 4, "0", False),
        ("coverage", "unsupported_summary_fact"): (2, 4, "12.5%, allergy 0", True),
    }


def test_the_run_has_lines_of_its_own() -> None:
    report = judge("reports: [citations]", {"claims": [{}, {}], "evidence": ["e1"]}, b"{", b"{")

    assert lines(report)["run", "no_citations"] == (2, None, "0", True)
    assert lines(report)["run", "unreadable_case"] == (2, 3, "0", True)


@pytest.mark.parametrize("percent", ["5%", "0.1%", "12.5%", "33.3333333%", "0.0000001%", "100%"])
def test_a_limit_is_shown_as_the_rule_file_writes_it(percent: str) -> None:
    rules = f"policy: {{tolerate: {{omitted_source_fact: {percent}}}}}"
    report = judge(rules, case("e1", evidence=["e1", "e2"]))

    assert lines(report)["coverage", "omitted_source_fact"][2] == percent


# --- as JSON -----------------------------------------------------------------------------------------


def test_the_published_names() -> None:
    report = judge("", GOOD)
    said = report.to_dict()

    assert list(said) == [
        *("schema_version", "rules", "reads_text", "verdict", "passed", "report_only", "exit_code", "reasons"),
        *("cases", "citations", "coverage", "tolerated", "warnings", "waived", "waivers", "joined", "left_out"),
        *("orphan_citations", "positions", "positions_left", "unreadable", "min_cell", "classes", "distribution"),
    ]
    assert set(report.citations or {}) == {*CITATION_METRICS, *FLAGS, "failure_reasons"}
    assert set(report.coverage or {}) == {*COVERAGE_METRICS, *FLAGS, "failure_reasons"}
    assert json.loads(json.dumps(said, allow_nan=False)) == said


def test_where_an_unreadable_case_stands_is_told() -> None:
    """Its file and line, for without them nobody finds it."""
    said = json.dumps(judge("", GOOD, b"{").to_dict())

    assert '"file": "notes", "line": 2' in said


def test_which_locator_found_something_is_told_where_it_is_asked_for() -> None:
    rules = rule_set("citations: {records: [refs, citations], id: [fact, '@']}\nreports: [citations]")

    report = judge_batch(rules, documents([GOOD, GOOD], "notes"), locators=True)

    assert report.locators == {
        "citations.id[0]": {"tried": 2, "found": 0},
        "citations.id[1]": {"tried": 2, "found": 2},
        "citations.records[0]": {"tried": 2, "found": 0},
        "citations.records[1]": {"tried": 2, "found": 2},
        "claims.records": {"tried": 2, "found": 2},
        "evidence.id": {"tried": 2, "found": 2},
        "evidence.records": {"tried": 2, "found": 2},
    }
