"""What a policy lets be, and by which part of it: tolerances, warnings, waivers."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
import yaml

from judged import BASE, lines
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_mapping

TODAY = date(2026, 12, 1)
CLASSES = """\
claims: {records: $.claims}
evidence: {records: $.evidence, id: id, class: {path: kind, labels: [allergy, drug]}}
"""


def held(policy: str, *cases: object, said: str = "", today: date | None = TODAY) -> Report:
    """The report under ``policy``, the same whichever way the engine takes."""
    rules = load_rule_mapping(
        {**yaml.safe_load(BASE), **yaml.safe_load(said or "{}"), "policy": yaml.safe_load(policy)}
    )
    documents = lines(cases, "notes")
    quickly = judge_batch(rules, documents, today=today)
    slowly = judge_batch(rules, documents, today=today, strict_json=True)
    assert quickly == slowly
    return quickly


def case(*cited: str, evidence: tuple[str, ...] = ("e1",)) -> dict[str, Any]:
    return {"claims": [{"citations": list(cited)}], "evidence": list(evidence)}


def waiver(reason: str, until: date = TODAY) -> str:
    return f"{{reason: {reason}, until: '{until}', because: known, owner: us}}"


TWICE = case("e1", "e1")
FAILS = {"verdict": "failed", "tolerated": {}, "warnings": {}, "waived": {}}


@pytest.mark.parametrize(
    ("policy", "differs"),
    [
        ("{}", {}),
        ("{tolerate: {duplicate_citation: 1}}", {"verdict": "passed", "tolerated": {"duplicate_citation": 1}}),
        ("{warn: {duplicate_citation: 1}}", {"verdict": "passed", "warnings": {"duplicate_citation": 1}}),
        ("{warn: {duplicate_citation: 0}}", {}),
        ("{warn: {duplicate_citation: 49%}}", {}),
        ("{warn: {duplicate_citation: 50%}}", {"verdict": "passed", "warnings": {"duplicate_citation": 1}}),
        (
            "{tolerate: {duplicate_citation: 1}, warn: {duplicate_citation: 5}}",
            {"verdict": "passed", "tolerated": {"duplicate_citation": 1}},
        ),
        (
            "{tolerate: {duplicate_citation: 1}, warn: {duplicate_citation: 0}}",
            {"verdict": "passed", "tolerated": {"duplicate_citation": 1}},
        ),
        (f"{{waivers: [{waiver('duplicate_citation')}]}}", {"verdict": "passed", "waived": {"duplicate_citation": 1}}),
        (f"{{waivers: [{waiver('orphan_citation')}]}}", {}),
        (
            f"{{warn: {{duplicate_citation: any}}, waivers: [{waiver('duplicate_citation')}]}}",
            {"verdict": "passed", "warnings": {"duplicate_citation": 1}},
        ),
        (f"{{waivers: [{waiver('duplicate_citation', TODAY - timedelta(1))}]}}", {}),
        ("{per: batch, warn: {duplicate_citation: 1}}", {"verdict": "passed", "warnings": {"duplicate_citation": 1}}),
        (
            f"{{per: batch, waivers: [{waiver('duplicate_citation')}]}}",
            {"verdict": "passed", "waived": {"duplicate_citation": 1}},
        ),
    ],
)
def test_what_lets_it_be_is_told(policy: str, differs: dict[str, Any]) -> None:
    report = held(policy, TWICE)

    said = {
        "verdict": report.verdict,
        "tolerated": report.tolerated,
        "warnings": report.warnings,
        "waived": report.waived,
    }
    assert said == {**FAILS, **differs}
    assert report.exit_code == (0 if said["verdict"] == "passed" else 1)


@pytest.mark.parametrize(
    ("reason", "value"),
    [
        ("unsupported_claim", {"claims": [{"citations": ["e1"]}, {"citations": []}], "evidence": ["e1"]}),
        ("missing_citation", {"claims": [{"citations": ["e1"]}, {}], "evidence": ["e1"]}),
        ("invalid_citation", case("e1", "x")),
        ("missing_source_record", case("e1", "x")),
        ("duplicate_citation", TWICE),
        ("omitted_source_fact", case("e1", evidence=("e1", "e2"))),
        ("invalid_source_evidence", {"claims": [{"citations": ["e1"]}], "evidence": ["e1", True]}),
        ("duplicate_source_evidence", case("e1", evidence=("e1", "e1"))),
        ("no_claims", {"claims": [], "evidence": []}),
        ("no_citations", {"claims": [{}], "evidence": ["e1"]}),
    ],
)
def test_every_reason_can_be_a_warning_or_waived(reason: str, value: object) -> None:
    others = "omitted_source_fact: any, unsupported_claim: any" if reason in {"no_citations", "no_claims"} else ""
    warned = held(f"{{tolerate: {{{others}}}, warn: {{{reason}: any}}}}", value)
    waived = held(f"{{tolerate: {{{others}}}, waivers: [{waiver(reason)}]}}", value)

    assert reason in warned.warnings
    assert reason in waived.waived
    assert warned.verdict == waived.verdict
    if reason != "no_claims":  # which has no evidence here
        assert warned.verdict == "passed"
    assert waived.waivers[0].state == "used"


def test_a_class_budget_is_not_paid_with_another_class() -> None:
    facts = [{"id": "a", "kind": "allergy"}, *({"id": f"d{number}", "kind": "drug"} for number in range(19))]
    value = {"claims": [{"citations": [fact["id"] for fact in facts[1:]]}], "evidence": facts}
    budget = "tolerate: {omitted_source_fact: {default: 10%, allergy: 0}}"

    assert held("{tolerate: {omitted_source_fact: 10%}}", value, said=CLASSES).passed
    assert not held(f"{{{budget}}}", value, said=CLASSES).passed
    assert not held(f"{{{budget}, warn: {{omitted_source_fact: 50%}}}}", value, said=CLASSES).passed
    assert held(f"{{{budget}, warn: {{omitted_source_fact: {{allergy: 1}}}}}}", value, said=CLASSES).warnings
    assert held(f"{{{budget}, waivers: [{waiver('omitted_source_fact')}]}}", value, said=CLASSES).waived


def test_what_a_class_may_stays_where_a_warning_allows_it_less() -> None:
    facts = [{"id": "a", "kind": "allergy"}, {"id": "d", "kind": "drug"}]
    value = {"claims": [{"citations": ["d"]}], "evidence": facts}
    both = "tolerate: {omitted_source_fact: {default: 0, allergy: 1}}, warn: {omitted_source_fact: {allergy: 0}}"

    report = held(f"{{{both}}}", value, said=CLASSES)

    assert (report.verdict, report.tolerated, report.warnings) == ("passed", {"omitted_source_fact": 1}, {})

    both = "tolerate: {omitted_source_fact: {allergy: 1}}, warn: {omitted_source_fact: {allergy: 0, drug: 1}}"

    report = held(f"{{{both}}}", {**value, "evidence": [*facts, {"id": "e", "kind": "drug"}]}, said=CLASSES)

    assert (report.verdict, report.tolerated, report.warnings) == ("passed", {}, {"omitted_source_fact": 2})


def test_each_reason_is_told_by_the_part_that_lets_it_be() -> None:
    both = "tolerate: {invalid_citation: any}, warn: {invalid_citation: 0, duplicate_citation: 1}"
    report = held(f"{{{both}}}", case("e1", "e1", "x"))

    assert report.verdict == "passed"
    assert set(report.tolerated) == {"invalid_citation", "missing_source_record"}
    assert report.warnings == {"duplicate_citation": 1}


@pytest.mark.parametrize(
    ("reason", "value"),
    [
        ("no_claims", {"claims": [], "evidence": ["e1"]}),
        ("no_citations", {"claims": [{"citations": []}], "evidence": ["e1"]}),
    ],
)
def test_the_strictest_part_that_lets_a_reason_be_is_the_one_that_counts(reason: str, value: object) -> None:
    others = "omitted_source_fact: any, unsupported_claim: any, missing_citation: any"
    tolerated = held(f"{{tolerate: {{{others}, {reason}: any}}}}", value)
    also_warned = held(f"{{tolerate: {{{others}, {reason}: any}}, warn: {{{reason}: any}}}}", value)

    for name in ("verdict", "reasons", "tolerated", "warnings", "citations", "coverage"):
        assert getattr(also_warned, name) == getattr(tolerated, name), name


@pytest.mark.parametrize(
    ("days", "state", "soon"),
    [(-1, "expired", False), (0, "used", True), (14, "used", True), (15, "used", False)],
)
def test_how_a_waiver_stands(days: int, state: str, soon: bool) -> None:
    (line,) = held(f"{{waivers: [{waiver('duplicate_citation', TODAY + timedelta(days))}]}}", TWICE).waivers

    assert (line.state, line.expires_soon) == (state, soon)
    assert line.waived == (0 if state == "expired" else 1)
    assert (line.reason, line.until) == ("duplicate_citation", TODAY + timedelta(days))
    assert (line.because, line.owner) == ("known", "us")


@pytest.mark.parametrize(
    ("reports", "waivers", "waived"),
    [
        ("[coverage]", {"missing_source_record": 0}, {"missing_source_record": 1}),
        ("[coverage]", {"missing_source_record": 0, "invalid_citation": 0}, {"invalid_citation": 1}),
        ("[coverage]", {"missing_citation": 0, "invalid_citation": 0}, {"invalid_citation": 1}),
        (
            "[citations]",
            {"missing_source_record": 0, "invalid_citation": 0},
            {"missing_source_record": 1, "invalid_citation": 1},
        ),
        ("[citations]", {"missing_source_record": -1, "invalid_citation": 0}, {"invalid_citation": 1}),
    ],
)
def test_a_waiver_of_a_detail_is_used_under_the_name_that_the_report_has(
    reports: str, waivers: dict[str, int], waived: dict[str, int]
) -> None:
    held_by = ", ".join(waiver(reason, TODAY + timedelta(days)) for reason, days in waivers.items())
    report = held(f"{{waivers: [{held_by}]}}", case("e1", "x"), said=f"reports: {reports}")

    assert report.passed
    assert {line.reason: line.waived for line in report.waivers if line.waived} == waived
    assert {line.reason for line in report.waivers} == set(waivers)


def test_a_waiver_that_nothing_needed_is_told() -> None:
    (line,) = held(f"{{waivers: [{waiver('duplicate_citation')}]}}", case("e1")).waivers

    assert (line.state, line.waived) == ("unused", 0)


def test_without_a_day_no_waiver_waives() -> None:
    report = held(f"{{waivers: [{waiver('duplicate_citation')}]}}", TWICE, today=None)

    assert not report.passed
    assert report.waivers == ()


def test_some_cases_may_be_warned_of_and_another_fail() -> None:
    report = held("{warn: {duplicate_citation: 1}}", TWICE, case("e1", "e1", "e1"))
    (line,) = (line for line in report.lines if line.reason == "duplicate_citation")

    assert (line.found, line.warned, line.failed) == (3, 1, True)
    assert (report.cases.passed, report.cases.failed) == (1, 1)
    assert held("{warn: {duplicate_citation: 1}, failed_cases: 1}", TWICE, case("e1", "e1", "e1")).passed
