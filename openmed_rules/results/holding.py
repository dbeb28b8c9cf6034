"""A report held against a baseline: what is worse fails the run, and what drifted is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from msgspec.structs import replace

from openmed_rules.results.baseline import (
    WORSE_THAN_BASELINE,
    Baseline,
    BaselineCheck,
    Share,
    TrendPoint,
    drifts,
    ratio_line,
)
from openmed_rules.results.report import Metrics, ReasonLine, Report
from openmed_rules.results.small_cells import SIDES, withheld


def hold_against(report: Report, baseline: Baseline, file: str) -> Report:
    """``report`` with how it stands to ``baseline``; failed where a ratio is worse. ``file``: what to call it."""
    measured, hidden = ratios_of(report), withheld_ratios(report, baseline.ratios)
    lines = tuple(
        ratio_line(name, recorded, measured.get(name), baseline.slack, withheld=name in hidden)
        for name, recorded in baseline.ratios.items()
    )
    drift = tuple(drifts(baseline.locators, report.locators or {}, baseline.slack))
    check = BaselineCheck(file, baseline.slack, lines, drift)
    held = replace(report, baseline=check)
    return _failed(held, check) if check.worse else held


def with_trend(report: Report, baselines: Sequence[tuple[Baseline, str]]) -> Report:
    """``report`` with the way to it: the ratios of ``baselines``, from the oldest, and its own."""
    if len(baselines) <= 1:
        return report
    earlier = (TrendPoint(file, baseline.ratios) for baseline, file in baselines)
    return replace(report, trend=(*earlier, TrendPoint("this run", ratios_of(report))))


def _failed(report: Report, check: BaselineCheck) -> Report:
    if report.verdict == "not_evaluated":
        return report
    line = ReasonLine(
        "run", WORSE_THAN_BASELINE, len(check.worse), len(check.lines), check.slack.tolerance, failed=True
    )
    of_citations = any(not line.name.startswith("coverage.") for line in check.worse)
    of_coverage = any(not line.name.startswith("citations.") for line in check.worse)
    return replace(
        report,
        verdict="failed",
        reasons=tuple(sorted({*report.reasons, WORSE_THAN_BASELINE})),
        lines=(*report.lines, line),
        citations=_with_reason(report.citations) if of_citations else report.citations,
        coverage=_with_reason(report.coverage) if of_coverage else report.coverage,
    )


def _with_reason(metrics: Metrics | None) -> Metrics | None:
    if metrics is None:
        return None
    reasons = cast("list[str]", metrics["failure_reasons"])
    return {**metrics, "passed": False, "failure_reasons": sorted({*reasons, WORSE_THAN_BASELINE})}


def ratios_of(report: Report) -> dict[str, Share]:
    """Every ratio of a report that is of something, higher for better; by class too, so that none can hide."""
    return {name: share for name, share in _ratios(report) if share.whole}


def _ratios(report: Report) -> Iterator[tuple[str, Share]]:
    if report.citations is not None:
        said = report.citations
        yield "citations.coverage", _share(said, "supported_claim_count", "claim_count")
        yield "citations.evidence_coverage", _share(said, "referenced_evidence_count", "valid_evidence_record_count")
        valid, citations = cast("int", said["valid_citation_count"]), cast("int", said["citation_count"])
        yield "citations.valid_citations", Share(valid, citations)
    if report.coverage is not None:
        yield "coverage.recall", _share(report.coverage, "cited_fact_count", "source_fact_count")
    for label, counts in report.classes.items():
        claims, facts = counts["claim"], counts["fact"]
        yield f"classes.{label}.coverage", Share(claims - counts["unsupported_claim"], claims)
        yield f"classes.{label}.recall", Share(facts - counts["omission"], facts)


def withheld_ratios(report: Report, recorded: Mapping[str, Share]) -> frozenset[str]:
    """The ratios by class that are not shown: what they count is withheld in ``report``, or was too few before."""
    return frozenset(_withheld_now(report)) | frozenset(_withheld_before(recorded, report.min_cell))


def _withheld_now(report: Report) -> Iterator[str]:
    for label, counts in report.shown_classes().items():
        for (whole, part), kind in zip(SIDES, ("coverage", "recall"), strict=True):
            if counts[whole] is None or counts[part] is None:
                yield f"classes.{label}.{kind}"


def _withheld_before(recorded: Mapping[str, Share], least: int) -> Iterator[str]:
    for total, kind in (("citations.coverage", "coverage"), ("coverage.recall", "recall")):
        named = ((name, share) for name, share in recorded.items() if name.startswith("classes."))
        shares = {name: share for name, share in named if name.endswith(f".{kind}")}
        of = recorded.get(total, Share(0, 0))
        # Ratios that were kept from different runs need not add up.
        whole = max(of.whole - sum(share.whole for share in shares.values()), 0)
        part = min(max(of.part - sum(share.part for share in shares.values()), 0), whole)
        hidden = withheld(shares, Share(part, whole), least)
        yield from hidden.wholes | hidden.parts


def _share(metrics: Metrics, part: str, whole: str) -> Share:
    """A ratio of a report, which is 0 where the report fails closed."""
    counted = 0 if metrics["fail_closed"] else cast("int", metrics[part])
    return Share(counted, cast("int", metrics[whole]))
