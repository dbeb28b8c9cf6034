"""What of which reason is tolerated: counts held against a policy, for both reports."""

from __future__ import annotations

from typing import Any

import pytest

from judged import rule_set
from openmed_rules.results.counts import ClassCounts, Counts
from openmed_rules.results.gate import Limits, citation_findings, coverage_findings

OF: dict[str, Any] = {
    "claim": 20,
    "supported_claim": 20,
    "citation": 20,
    "valid_citation": 20,
    "reference": 20,
    "evidence_record": 20,
    "valid_evidence_record": 20,
    "referenced_evidence": 20,
}
"""Twenty of everything, and nothing wrong."""


WITH_CLASSES = """\
claims: {records: $.claims, class: {path: type, labels: [allergy, drug]}}
evidence: {records: $.evidence, id: id, class: {path: type, labels: [allergy, drug]}}
"""


def limits(tolerate: str) -> Limits:
    return Limits.of(rule_set(f"{WITH_CLASSES}policy: {{tolerate: {{{tolerate}}}}}").policy)


def failing(tolerate: str, **counted: Any) -> set[str]:
    """What fails, in both reports. ``counted``: what differs from twenty of everything."""
    held = limits(tolerate)
    counts = Counts(**{**OF, **counted})
    return {
        finding.reason
        for finding in (*citation_findings(counts, held), *coverage_findings(counts, held))
        if finding.failed
    }


def faults(reason: str, number: int) -> dict[str, int]:
    """Counts in which ``number`` of twenty have one fault, and whatever goes with it."""
    return {
        "unsupported_claim": {"supported_claim": 20 - number},
        "missing_citation": {
            "supported_claim": 20 - number,
            "missing_citation": number,
            "claim_without_reference": number,
        },
        "invalid_citation": {"valid_citation": 20 - number, "unknown_id": number},
        "missing_source_record": {
            "valid_citation": 20 - number,
            "missing_source_record": number,
            "only_missing_record": number,
            "unknown_id": number,
        },
        "unavailable_span": {
            "valid_citation": 20 - number,
            "unavailable_span": number,
            "only_unavailable_span": number,
            "unknown_span": number,
        },
        "duplicate_citation": {"duplicate_citation": number},
        "omitted_source_fact": {"referenced_evidence": 20 - number},
        "invalid_source_evidence": {"evidence_record": 20, "invalid_evidence_record": number},
        "duplicate_source_evidence": {"evidence_record": 20, "duplicate_evidence_record": number},
        "orphan_citation": {
            "citation": 20 - number,
            "valid_citation": 20 - number,
            "orphan_citation": number,
        },
    }[reason]


NAMES = {
    "unsupported_claim": {"unsupported_claim", "unsupported_summary_fact"},
    "missing_citation": {"missing_citation", "missing_summary_citation"},
    "invalid_citation": {"invalid_citation", "unknown_citation"},
    "missing_source_record": {"missing_source_record"},
    "unavailable_span": {"unavailable_span"},
    "duplicate_citation": {"duplicate_citation"},
    "omitted_source_fact": {"omitted_source_fact"},
    "invalid_source_evidence": {"invalid_source_evidence"},
    "duplicate_source_evidence": {"duplicate_source_evidence", "duplicate_source_fact"},
    "orphan_citation": {"orphan_citation"},
}
"""Reasons as they are tolerated, and their names in the two reports."""
PARENTS = {
    "missing_citation": "unsupported_claim",
    "missing_source_record": "invalid_citation",
    "unavailable_span": "invalid_citation",
}


@pytest.mark.parametrize("reason", NAMES)
def test_without_an_entry_nothing_is_tolerated(reason: str) -> None:
    assert failing("", **faults(reason, 1)) == NAMES[reason] | NAMES.get(PARENTS.get(reason, ""), set())


@pytest.mark.parametrize("reason", NAMES)
@pytest.mark.parametrize(
    ("tolerated", "most"),
    [
        ("0", 0),
        ("1", 1),
        ("19", 19),
        ("0%", 0),
        ("5%", 1),
        ("9.999%", 1),
        ("10%", 2),
        ("99.9%", 19),
        ("100%", 20),
        ("any", 20),
    ],
)
def test_a_tolerance_holds_up_to_its_edge(reason: str, tolerated: str, most: int) -> None:
    """A detail with an entry leaves its parent's count while it holds, and is held against itself alone."""
    entry = f"{reason}: {tolerated}"

    assert failing(entry, **faults(reason, most)) == set()
    if most < 20:
        assert NAMES[reason] <= failing(entry, **faults(reason, most + 1))


@pytest.mark.parametrize("reason", sorted(NAMES.keys() - PARENTS.keys()))
def test_a_reason_that_is_tolerated_tolerates_no_other(reason: str) -> None:
    for other in NAMES.keys() - {reason}:
        if PARENTS.get(other) != reason:
            assert NAMES[other] <= failing(f"{reason}: any", **faults(other, 1))


@pytest.mark.parametrize(
    ("percent", "found", "of", "fails"),
    [
        ("33.3%", 333, 1000, False),
        ("33.3%", 1, 3, True),
        ("33.33333333333333%", 1, 3, True),
        ("33.33333333333334%", 1, 3, False),
        ("0.1%", 1, 1000, False),
        ("0.1%", 1, 999, True),
        ("0.0000001%", 1, 10**9, False),
        ("0.0000001%", 1, 10**9 - 1, True),
        ("29%", 29, 100, False),
        ("99.9999999%", 10**18, 10**18, True),
        ("0%", 1, 10**18, True),
    ],
)
def test_percentages_are_compared_in_integers(percent: str, found: int, of: int, *, fails: bool) -> None:
    """As floats, 0.29 * 100 is less than 29, and one of 10**18 is none."""
    held = failing(f"duplicate_citation: {percent}", citation=of, valid_citation=of, duplicate_citation=found)

    assert held == ({"duplicate_citation"} if fails else set())


UNCITED = {"supported_claim": 17, "missing_citation": 2, "claim_without_reference": 2}
"""Three unsupported claims, of which two have no citation."""


@pytest.mark.parametrize(
    ("tolerate", "expected"),
    [
        ("", {"unsupported_claim", "missing_citation"}),
        ("unsupported_claim: 3", set()),
        ("unsupported_claim: 2", {"unsupported_claim", "missing_citation"}),
        ("missing_citation: any", {"unsupported_claim"}),
        ("missing_citation: 2", {"unsupported_claim"}),
        ("missing_citation: 1", {"unsupported_claim", "missing_citation"}),
        ("missing_citation: any, unsupported_claim: 1", set()),
        ("missing_citation: 1, unsupported_claim: 2", {"unsupported_claim", "missing_citation"}),
        ("missing_citation: 0, unsupported_claim: any", {"missing_citation"}),
        ("missing_citation: 10%, unsupported_claim: 5%", set()),
        ("missing_citation: 9%, unsupported_claim: 14%", {"unsupported_claim", "missing_citation"}),
        ("missing_citation: 9%, unsupported_claim: 15%", {"missing_citation"}),
    ],
)
def test_uncited_claims_follow_or_leave_the_unsupported_ones(tolerate: str, expected: set[str]) -> None:
    assert failing(tolerate, **UNCITED) == {name for reason in expected for name in NAMES[reason]}


LOST = {
    "valid_citation": 14,
    "missing_source_record": 3,
    "unavailable_span": 3,
    "unresolved_both": 1,
    "only_missing_record": 2,
    "only_unavailable_span": 1,
    "only_unresolved_both": 1,
    "unknown_id": 3,
    "unknown_span": 3,
    "reference": 30,
}
"""Six invalid citations: 2 by an unknown id, 1 by an unknown span, 1 by both, 1 by an unknown span beside a
malformed field, and 1 malformed."""


@pytest.mark.parametrize(
    ("tolerate", "expected"),
    [
        ("", {"invalid_citation", "missing_source_record", "unavailable_span", "unknown_citation"}),
        ("invalid_citation: 6", set()),
        (
            "invalid_citation: 5",
            {"invalid_citation", "missing_source_record", "unavailable_span", "unknown_citation"},
        ),
        ("missing_source_record: 3", {"invalid_citation", "unavailable_span", "unknown_citation"}),
        ("missing_source_record: 3, invalid_citation: 4", set()),
        ("missing_source_record: 3, invalid_citation: 3", {"invalid_citation", "unavailable_span"}),
        ("missing_source_record: 2, invalid_citation: 6", {"missing_source_record"}),
        ("unavailable_span: any", {"invalid_citation", "missing_source_record", "unknown_citation"}),
        (
            "missing_source_record: 2, invalid_citation: 4",
            {"invalid_citation", "missing_source_record", "unavailable_span", "unknown_citation"},
        ),
        (
            "unavailable_span: 2, invalid_citation: 5",
            {"invalid_citation", "missing_source_record", "unavailable_span", "unknown_citation"},
        ),
        ("unavailable_span: any, invalid_citation: 5", set()),
        ("unavailable_span: any, invalid_citation: 4", {"invalid_citation", "missing_source_record"}),
        ("unavailable_span: 3, missing_source_record: 3", {"invalid_citation"}),
        ("unavailable_span: 3, missing_source_record: 3, invalid_citation: 2", set()),
        ("unavailable_span: 3, missing_source_record: 3, invalid_citation: 1", {"invalid_citation"}),
    ],
)
def test_unresolved_citations_follow_or_leave_the_invalid_ones(tolerate: str, expected: set[str]) -> None:
    """A citation leaves the count only where all its faults do; the coverage report counts references."""
    assert failing(tolerate, **LOST) == expected


CLASSES = {
    "supported_claim": 16,
    "referenced_evidence": 16,
    "classes": {"allergy": ClassCounts(10, 2, 1, 10, 2), "drug": ClassCounts(5, 1, 0, 5, 1)},
}
"""Of 20 claims and 20 facts, 10 are of one class and 5 of another; 2, 1 and 1 are unsupported or omitted."""


@pytest.mark.parametrize("reason", ["unsupported_claim", "omitted_source_fact"])
@pytest.mark.parametrize(
    ("tolerated", "fails"),
    [
        ("4", False),
        ("3", True),
        ("20%", False),
        ("19%", True),
        ("{default: 4}", False),
        ("{default: 3}", True),
        ("{default: 20%}", False),
        ("{allergy: 2}", True),
        ("{allergy: 2, default: 2}", False),
        ("{allergy: 1, default: any}", True),
        ("{allergy: 20%, default: 20%}", False),
        ("{allergy: 19%, default: any}", True),
        ("{allergy: any, drug: 1, default: 1}", False),
        ("{allergy: any, drug: 1}", True),
        ("{allergy: any, drug: 0, default: any}", True),
        ("{allergy: 2, default: 19%}", True),
        ("any", False),
    ],
)
def test_a_class_with_an_entry_is_held_against_it_and_the_rest_together(
    reason: str, tolerated: str, *, fails: bool
) -> None:
    other = "omitted_source_fact" if reason == "unsupported_claim" else "unsupported_claim"

    assert failing(f"{reason}: {tolerated}, {other}: any", **CLASSES) == (NAMES[reason] if fails else set())


def test_uncited_claims_leave_the_count_of_their_class() -> None:
    by_class = {**CLASSES, "missing_citation": 1, "claim_without_reference": 1}

    assert (
        failing(
            "omitted_source_fact: any, unsupported_claim: {allergy: 1, default: 2}, missing_citation: 1",
            **by_class,
        )
        == set()
    )
    assert failing("omitted_source_fact: any, unsupported_claim: {allergy: 1, default: 2}", **by_class)


@pytest.mark.parametrize(
    ("counted", "reasons"),
    [
        ({"case_without_evidence": 1}, {"missing_source_evidence"}),
        ({"case_without_records": 1}, {"missing_source_evidence"}),
    ],
)
def test_evidence_that_is_missing_cannot_be_tolerated(counted: dict[str, int], reasons: set[str]) -> None:
    everything = ", ".join(f"{reason}: any" for reason in NAMES)

    assert failing(everything, **counted) == reasons


def test_no_claims_is_tolerated_or_not() -> None:
    nothing = {"claim": 0, "supported_claim": 0, "citation": 0, "valid_citation": 0, "case_without_claims": 1}

    assert failing("", **nothing) == {"no_claims"}
    assert failing("no_claims: any", **nothing) == set()


@pytest.mark.parametrize(
    ("tolerate", "counted", "available"),
    [
        ("", {}, True),
        ("", {"invalid_evidence_record": 1}, False),
        ("", {"duplicate_evidence_record": 1}, False),
        ("invalid_source_evidence: 1", {"invalid_evidence_record": 1}, True),
        ("invalid_source_evidence: 1", {"invalid_evidence_record": 2}, False),
        ("invalid_source_evidence: 5%", {"invalid_evidence_record": 1}, True),
        ("duplicate_source_evidence: any", {"duplicate_evidence_record": 9}, True),
        ("duplicate_source_evidence: any", {"invalid_evidence_record": 1}, False),
        ("invalid_source_evidence: any", {"valid_evidence_record": 0, "invalid_evidence_record": 1}, False),
        ("invalid_source_evidence: any", {"valid_evidence_record": 0, "evidence_record": 0}, False),
    ],
)
def test_when_evidence_is_available(tolerate: str, counted: dict[str, int], *, available: bool) -> None:
    assert limits(tolerate).available(Counts(**{**OF, **counted})) is available


def test_records_none_of_which_is_valid_are_missing_evidence_in_one_report_only() -> None:
    """Upstream's coverage report knows that reason for no record at all."""
    counts = Counts(claim=1, evidence_record=1, invalid_evidence_record=1, case_without_evidence=1)
    held = limits("")

    assert "missing_source_evidence" in {finding.reason for finding in citation_findings(counts, held)}
    assert "missing_source_evidence" not in {finding.reason for finding in coverage_findings(counts, held)}


def test_each_report_names_its_own_reasons() -> None:
    counts = Counts(
        **{**OF, **UNCITED, **LOST, "invalid_evidence_record": 1, "duplicate_evidence_record": 1},
        duplicate_citation=1,
        orphan_citation=1,
        case_without_evidence=1,
        case_without_records=1,
        case_without_claims=1,
    )._replace(referenced_evidence=1)
    held = limits("")

    assert {(finding.report, finding.reason) for finding in citation_findings(counts, held)} == {
        ("citations", reason)
        for reason in (
            *(
                "duplicate_citation",
                "duplicate_source_evidence",
                "invalid_citation",
                "invalid_source_evidence",
            ),
            *("missing_citation", "missing_source_evidence", "missing_source_record", "unavailable_span"),
            *("unsupported_claim", "orphan_citation", "no_claims"),
        )
    }
    assert {(finding.report, finding.reason) for finding in coverage_findings(counts, held)} == {
        ("coverage", reason)
        for reason in (
            *("missing_source_evidence", "invalid_source_evidence", "duplicate_source_fact"),
            *(
                "missing_summary_citation",
                "unknown_citation",
                "unsupported_summary_fact",
                "omitted_source_fact",
            ),
            *("orphan_citation", "no_claims"),
        )
    }


def test_what_is_let_be_changes_nothing_else_of_the_policy() -> None:
    for said, per_batch, abstains in (
        ("per: batch, unavailable: count", True, False),
        ("failed_cases: 3", False, True),
    ):
        policy = rule_set(f"policy: {{{said}, warn: {{missing_citation: 1}}}}").policy
        held = Limits.of(policy)
        assert (held.per_batch, held.abstains, held.failed_cases) == (per_batch, abstains, policy.failed_cases)
