"""What holds for any rules and records: order changes no number, counts add, less evidence never helps."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from generated import (
    LAYOUTS,
    NAMES,
    Content,
    Laid,
    Layout,
    contents,
    gates,
    laid_out,
    report_of,
    runs,
    span,
)
from judged import rule_set
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.records import read_record
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report

unhurried = settings(deadline=None, max_examples=50)


def figures(report: Report) -> dict[str, Any]:
    """Everything but the places, which follow the order by nature."""
    return {name: value for name, value in report.to_dict().items() if not name.startswith("positions")}


# --- order -------------------------------------------------------------------------------------------


@unhurried
@given(gates, runs, st.randoms(use_true_random=False))
def test_the_order_of_members_changes_no_number(layout: Layout, run: list[Content], random: Random) -> None:
    laid = laid_out(layout, run)
    turned = [Laid(*(shuffled_members(document, random) for document in case)) for case in laid]

    assert figures(report_of(layout, laid)) == figures(report_of(layout, turned))


def shuffled_members(value: Any, random: Random) -> Any:
    if isinstance(value, list):
        return [shuffled_members(item, random) for item in value]
    if not isinstance(value, dict):
        return value
    names = list(value)
    random.shuffle(names)
    return {name: shuffled_members(value[name], random) for name in names}


@unhurried
@given(gates, runs, st.randoms(use_true_random=False))
def test_the_order_of_what_a_run_is_made_of_changes_no_number(
    layout: Layout, run: list[Content], random: Random
) -> None:
    """Of records, claims, citations and cases.

    It holds because of two records that share a reference here, one is as good as the other. In general the
    first one counts: of three, of which the second shares its id with the first and its span with the third,
    the order decides how many are duplicates; and of two of different classes, which class has a fact.
    """
    ordered = list(enumerate(run))
    turned = [(number, shuffled_content(content, random)) for number, content in ordered]
    random.shuffle(turned)

    def figures_of(numbered: list[tuple[int, Content]]) -> dict[str, Any]:
        return figures(report_of(layout, [layout.lay_out(content, number) for number, content in numbered]))

    assert figures_of(ordered) == figures_of(turned)


def shuffled_content(content: Content, random: Random) -> Content:
    claims = [(name, kind, shuffled(cited, random)) for name, kind, cited in content.claims]
    return Content(shuffled(claims, random), shuffled(content.evidence, random))


def shuffled(items: Any, random: Random) -> tuple[Any, ...]:
    listed = list(items)
    random.shuffle(listed)
    return tuple(listed)


# --- sums --------------------------------------------------------------------------------------------


@unhurried
@given(gates, st.lists(contents(), min_size=2, max_size=4), st.data())
def test_the_counts_of_a_batch_are_the_sums_of_its_parts(
    layout: Layout, run: list[Content], data: st.DataObject
) -> None:
    """Ratios, verdicts and what is tolerated are made of the sums, and are no sums."""
    laid = laid_out(layout, run)
    cut = data.draw(st.integers(1, len(laid) - 1))

    whole, first, rest = (counts_of(report_of(layout, part)) for part in (laid, laid[:cut], laid[cut:]))

    assert whole == {name: first.get(name, 0) + rest.get(name, 0) for name in first | rest}


def counts_of(report: Report) -> dict[str, int]:
    said: dict[str, Any] = report.to_dict()
    counts = {"cases": report.cases.total, "orphans": report.orphan_citations}
    for group in ("citations", "coverage", "joined", "left_out"):
        counts |= {f"{group}.{name}": value for name, value in said[group].items() if type(value) is int}
    for label, of_class in report.classes.items():
        counts |= {f"classes.{label}.{name}": value for name, value in of_class.items()}
    return counts


# --- less evidence, more citations -------------------------------------------------------------------

GONE_AND_TOLD = """\
policy:
  tolerate: {omitted_source_fact: any, invalid_source_evidence: any, no_claims: any, no_citations: any}
"""


@unhurried
@given(st.sampled_from(LAYOUTS), contents(), st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.data())
def test_evidence_that_is_lost_never_turns_a_fail_into_a_pass(
    layout: Layout, content: Content, known: list[str], data: st.DataObject
) -> None:
    """A record that is deleted, or damaged beyond use, where none is a duplicate.

    What stands against it, and is tolerated here: a record that nobody cited is no longer omitted, and an
    invalid record is mended by deleting it. The other faults are not tolerated: where `invalid_citation` and
    `unsupported_claim` were both, two citations of one record would no longer be duplicates once it is gone.
    """
    good = [{"id": name, **span(name)} for name in known]
    lost = data.draw(st.integers(0, len(good) - 1))
    others = [record for record in content.evidence if not isinstance(record, dict)]
    told = layout._replace(rules=f"{layout.rules}\n{GONE_AND_TOLD}")
    instead: list[Any] = data.draw(st.sampled_from([[], [None], [{**good[lost], "id": {}, "start": {}, "kind": "p"}]]))
    left = [*good[:lost], *instead, *good[lost + 1 :]]

    before, after = (
        report_of(told, laid_out(told, [Content(content.claims, records)]))
        for records in ((*good, *others), (*left, *others))
    )

    assert before.passed or not after.passed
    assert ratios(before)["coverage"] >= ratios(after)["coverage"]


@unhurried
@given(gates, contents().filter(lambda content: any(cited for _, _, cited in content.claims)), st.data())
def test_a_citation_of_nothing_or_of_the_same_again_changes_no_ratio(
    layout: Layout, content: Content, data: st.DataObject
) -> None:
    """It may change a verdict both ways: a fault more, and in percent one of more citations."""
    at = data.draw(st.sampled_from([number for number, claim in enumerate(content.claims) if claim[2]]))
    name, kind, cited = content.claims[at]
    more = data.draw(st.sampled_from([{"id": "unknown"}, {"doc": "A", "start": 1, "end": 2}, *cited]))
    richer = (name, kind, (*cited, more))
    claims = (*content.claims[:at], richer, *content.claims[at + 1 :])

    before, after = (
        report_of(layout, laid_out(layout, [Content(of, content.evidence)])) for of in (content.claims, claims)
    )

    assert ratios(before) == ratios(after)


def ratios(report: Report) -> dict[str, float]:
    assert report.citations is not None
    assert report.coverage is not None
    named = {**report.citations, **report.coverage}
    return {name: value for name, value in named.items() if isinstance(value, float)}


# --- one answer --------------------------------------------------------------------------------------


@unhurried
@given(gates, runs)
def test_the_same_records_give_the_same_report_by_either_door(layout: Layout, run: list[Content]) -> None:
    """As text and as values, twice."""
    laid = laid_out(layout, run)

    def as_values(documents: list[Any], file: str) -> list[Any]:
        return [read_record(value, Place(file, number)) for number, value in enumerate(documents, 1)]

    evidence = [case.evidence for case in laid] if laid[0].evidence is not None else None
    by_value = judge_batch(
        rule_set(layout.rules),
        as_values([case.summary for case in laid], "notes"),
        None if evidence is None else as_values(evidence, "facts"),
    )

    assert report_of(layout, laid) == report_of(layout, laid) == by_value


@unhurried
@given(gates, runs, st.integers(0, 5))
def test_places_that_are_not_shown_are_counted(layout: Layout, run: list[Content], shown: int) -> None:
    laid = laid_out(layout, run)

    every, first = report_of(layout, laid, positions=1000), report_of(layout, laid, positions=shown)

    assert every.positions_left == 0
    assert first.positions == every.positions[:shown]
    assert len(first.positions) + first.positions_left == len(every.positions)


@unhurried
@given(gates, runs)
def test_the_numbers_of_a_report_agree(layout: Layout, run: list[Content]) -> None:
    report = report_of(layout, laid_out(layout, run))
    said: dict[str, Any] = json.loads(json.dumps(report.to_dict()))
    citations, coverage, cases = said["citations"], said["coverage"], said["cases"]

    assert report.passed is (not report.reasons) is (citations["passed"] and coverage["passed"])
    assert report.passed or report.positions or report.reasons == ("no_citations",)
    assert set(report.reasons) == {*citations["failure_reasons"], *coverage["failure_reasons"]}
    assert all(0.0 <= value <= 1.0 for value in ratios(report).values())
    assert cases["total"] == cases["passed"] + cases["failed"] == len(run)
    for report_said, whole, parts in (
        (citations, "claim", ["supported_claim", "unsupported_claim"]),
        (citations, "citation", ["valid_citation", "invalid_citation"]),
        (
            citations,
            "evidence_record",
            ["valid_evidence_record", "invalid_evidence_record", "duplicate_evidence_record"],
        ),
        (coverage, "source_fact", ["cited_fact", "omission"]),
    ):
        assert report_said[f"{whole}_count"] == sum(report_said[f"{part}_count"] for part in parts)
    assert citations["missing_source_record_count"] <= citations["invalid_citation_count"]
    assert citations["unavailable_span_count"] <= citations["invalid_citation_count"]
    assert (
        citations["missing_citation_count"] <= coverage["missing_citation_count"] <= coverage["unsupported_fact_count"]
    )
    assert citations["fail_closed"] is not citations["source_evidence_available"]
    assert all(
        of["omission"] <= of["fact"] and of["unsupported_claim"] <= of["claim"] for of in report.classes.values()
    )
