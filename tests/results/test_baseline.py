"""A run beside its baseline: how each ratio stands, what drifted, and what of that fails which report."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from judged import judge
from openmed_rules.results.baseline import (
    Baseline,
    BaselineCheck,
    Drift,
    LocatorCounts,
    Share,
    Slack,
    drifts,
    ratio_line,
)
from openmed_rules.results.holding import hold_against, ratios_of, withheld_ratios
from openmed_rules.results.report import Report

NINE = Share(9, 10)


@pytest.mark.parametrize(
    ("found", "slack", "standing"),
    [
        (None, Slack(), "not_held"),
        (Share(0, 9), Slack(floor=10), "not_held"),
        (Share(0, 10), Slack(floor=10), "worse"),
        (Share(10, 10), Slack(), "better"),
        (Share(18, 20), Slack(), "same"),
        (Share(89, 100), Slack(), "worse"),
        (Share(89, 100), Slack("1%"), "within_tolerance"),
        (Share(889, 1000), Slack("1%"), "worse"),
    ],
)
def test_how_a_ratio_stands(found: Share | None, slack: Slack, standing: str) -> None:
    assert ratio_line("r", NINE, found, slack).to_dict() == {
        "recorded": {"part": 9, "whole": 10},
        "found": None if found is None else {"part": found.part, "whole": found.whole},
        "standing": standing,
    }


def test_a_ratio_that_is_withheld_is_in_no_dictionary() -> None:
    shown = ratio_line("r", NINE, NINE, Slack(), withheld=True).to_dict()

    assert shown == {"recorded": None, "found": None, "standing": "same"}


# --- drift ------------------------------------------------------------------------------------

FOUND = {"tried": 10, "found": 10}


@pytest.mark.parametrize(
    ("before", "now", "sign"),
    [
        (FOUND, FOUND, None),
        (FOUND, {"tried": 10, "found": 0}, ("finds nothing any more", (10, 10), (0, 10))),
        (FOUND, {"tried": 10, "found": 9}, None),
        (FOUND, {"tried": 10, "found": 8}, ("is found less often", (10, 10), (8, 10))),
        (FOUND, {"tried": 20, "found": 40, "met": 17}, ("is found less often", (10, 10), (17, 20))),
        (FOUND, {"tried": 20, "found": 8, "met": 19}, None),
        (FOUND, {**FOUND, "malformed": 1}, None),
        (FOUND, {**FOUND, "malformed": 2}, ("finds what cannot be used", (0, 10), (2, 10))),
        ({**FOUND, "malformed": 2}, {**FOUND, "malformed": 3}, None),
        ({**FOUND, "malformed": 2}, FOUND, None),
        ({**FOUND, "numbers": 10}, {**FOUND, "numbers": 9}, None),
        ({**FOUND, "numbers": 10}, {**FOUND, "numbers": 8}, ("numbers turned to text", (10, 10), (8, 10))),
        ({**FOUND, "numbers": 1}, {**FOUND, "numbers": 3}, ("text turned to numbers", (1, 10), (3, 10))),
        ({"tried": 10, "found": 0}, {**FOUND, "numbers": 10}, None),
    ],
)
def test_what_shows_that_a_layout_moved(
    before: LocatorCounts, now: LocatorCounts, sign: tuple[str, tuple[int, int], tuple[int, int]] | None
) -> None:
    expected = [] if sign is None else [Drift("claims.id", sign[0], Share(*sign[1]), Share(*sign[2]))]

    assert list(drifts({"claims.id": before}, {"claims.id": now}, Slack())) == expected


@pytest.mark.parametrize(
    ("before", "now", "floor", "told"),
    [
        (10, 10, 10, True),
        (9, 10, 10, False),
        (10, 9, 10, False),
        (1, 1, 0, True),
        (1, 0, 0, False),
        (0, 1, 0, False),
        (1, None, 0, False),
    ],
)
def test_a_locator_that_was_tried_too_seldom_has_not_drifted(
    before: int, now: int | None, floor: int, told: bool
) -> None:
    recorded = {"claims.id": {"tried": before, "found": before}}
    found = {} if now is None else {"claims.id": {"tried": now, "found": 0}}

    assert bool(list(drifts(recorded, found, Slack(floor=floor)))) is told


# --- the run ----------------------------------------------------------------------------------

BY_CLASS = """\
claims: {records: $.claims, class: {path: kind, labels: [allergy, drug]}}
evidence: {records: $.evidence, id: id, class: {path: kind, labels: [allergy, drug]}}
policy: {tolerate: {unsupported_claim: any, invalid_citation: any, omitted_source_fact: any, duplicate_citation: any}}
"""


def run(*, evidence: int = 4) -> Report:
    """Four claims of allergies, of which three cite something and two what is there; no allergy is a fact."""
    cited = [["e0"], ["e1", "e0"], ["x", "x"], []]
    return judge(
        BY_CLASS,
        {
            "claims": [{"kind": "allergy", "citations": ids} for ids in cited],
            "evidence": [{"id": f"e{number}", "kind": "drug"} for number in range(evidence)],
        },
    )


def held(report: Report, slack: Slack = Slack(), **recorded: Share) -> tuple[Report, BaselineCheck]:  # noqa: B008 - frozen
    """The run beside ratios by their names, in which `__` stands for a dot."""
    ratios = {name.replace("__", "."): share for name, share in recorded.items()}
    report = hold_against(report, Baseline("small", "0" * 64, slack, ratios, {}), "base.json")
    assert report.baseline is not None
    return report, report.baseline


def test_the_ratios_of_a_run() -> None:
    assert ratios_of(run()) == {
        "citations.coverage": Share(2, 4),
        "citations.evidence_coverage": Share(2, 4),
        "citations.valid_citations": Share(3, 5),
        "coverage.recall": Share(2, 4),
        "classes.allergy.coverage": Share(2, 4),
        "classes.drug.recall": Share(2, 4),
    }


def test_where_evidence_is_not_available_nothing_is_covered_though_counts_go_on() -> None:
    report = judge("policy: {unavailable: count}", {"claims": [{"citations": ["e"]}], "evidence": ["e", True]})

    assert {name: share.part for name, share in ratios_of(report).items()} == {
        "citations.coverage": 0,
        "citations.evidence_coverage": 0,
        "citations.valid_citations": 1,
        "coverage.recall": 0,
    }


@pytest.mark.parametrize(
    ("worse", "citations", "coverage"),
    [
        ("citations__coverage", False, True),
        ("coverage__recall", True, False),
        ("classes__allergy__coverage", False, False),
        (None, True, True),
    ],
)
def test_what_is_worse_fails_the_report_that_it_stands_in(worse: str | None, citations: bool, coverage: bool) -> None:
    recorded = {"citations__evidence_coverage": Share(2, 4)} | ({} if worse is None else {worse: Share(3, 4)})
    report, check = held(run(), Slack("1%"), **recorded)

    assert check.file == "base.json"
    assert report.verdict == ("passed" if citations and coverage else "failed")
    for metrics, passes in ((report.citations, citations), (report.coverage, coverage)):
        assert metrics is not None
        assert metrics["passed"] is passes
        assert metrics["failure_reasons"] == ([] if passes else ["worse_than_baseline"])
    lines = [line for line in report.lines if line.report == "run"]
    assert [(line.reason, line.found, line.of, line.limit, line.failed) for line in lines] == (
        [] if citations and coverage else [("worse_than_baseline", 1, len(check.lines), "1%", True)]
    )
    assert report.lines[: len(run().lines)] == run().lines


def test_a_run_that_was_not_evaluated_stays_so() -> None:
    nothing = replace(run(), verdict="not_evaluated")

    assert held(nothing, citations__coverage=Share(4, 4))[0].verdict == "not_evaluated"


def test_a_run_without_its_locators_has_no_drift() -> None:
    recorded = Baseline("small", "0" * 64, Slack(), {}, {"claims.records": {"tried": 1, "found": 4}})
    report = run()
    moved = replace(report, locators={"claims.records": {"tried": 1, "found": 0}})

    assert [check.drift for check in (hold_against(report, recorded, "b").baseline,) if check] == [()]
    assert [len(check.drift) for check in (hold_against(moved, recorded, "b").baseline,) if check] == [1]


# --- what is withheld ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "hidden"),
    [
        ({"citations.coverage": (40, 80), "classes.a.coverage": (20, 40), "classes.b.coverage": (20, 40)}, ""),
        ({"citations.coverage": (22, 44), "classes.a.coverage": (20, 40), "classes.b.recall": (20, 40)}, "a.coverage"),
        ({"coverage.recall": (22, 44), "classes.a.recall": (20, 40)}, "a.recall"),
        ({"coverage.recall": (40, 80), "classes.a.recall": (20, 40)}, ""),
        ({"coverage.recall": (39, 80), "classes.a.recall": (38, 40)}, "a.recall"),
        ({"classes.a.coverage": (20, 40)}, ""),
        ({"citations.coverage": (1, 2), "classes.a.coverage": (20, 40)}, ""),
    ],
)
def test_a_ratio_of_what_was_too_few_is_withheld(recorded: dict[str, tuple[int, int]], hidden: str) -> None:
    shares: dict[str, Share] = {name: Share(*share) for name, share in recorded.items()}
    nothing: Any = replace(run(), classes={}, unclassed={})

    assert withheld_ratios(nothing, shares) == frozenset(f"classes.{name}" for name in hidden.split())


@pytest.mark.parametrize(
    ("claims", "facts", "hidden"),
    [
        ((20, 40), (20, 40), ""),
        ((3, 40), (20, 40), "coverage"),
        ((20, 40), (38, 40), "recall"),
        ((2, 4), (0, 0), "coverage"),
        ((0, 0), (0, 4), "recall"),
    ],
)
def test_a_count_that_is_withheld_now_withholds_its_ratio(
    claims: tuple[int, int], facts: tuple[int, int], hidden: str
) -> None:
    counts = {"unsupported_claim": claims[0], "claim": claims[1], "omission": facts[0], "fact": facts[1]}
    unclassed = {"unsupported_claim": 20, "claim": 40, "omission": 20, "fact": 40}
    report = replace(run(), classes={"a": counts}, unclassed=unclassed)

    assert withheld_ratios(report, {}) == frozenset(f"classes.a.{kind}" for kind in hidden.split())
    assert withheld_ratios(replace(report, min_cell=1), {}) == frozenset()
