"""Upstream's metrics and reports as values: their texts, their files, and what they refuse to show."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from openmed_rules.upstream import build_summary_citation_report, build_summary_coverage_report
from openmed_rules.upstream_reports import (
    SummaryCitationReport,
    SummaryCoverageMetrics,
    SummaryCoverageReport,
)

CITATION_PAGE = """\
# Summary Citation Consistency

Aggregate citation evidence only; claim and source values are never rendered.

| Metric | Value |
| --- | ---: |
| Coverage | 0.500000 |
| Abstention rate | 0.500000 |
| Claims | 2 |
| Supported claims | 1 |
| Unsupported claims | 1 |
| Citations | 3 |
| Duplicate citations | 1 |
| Missing source records | 1 |
| Unavailable spans | 0 |
| Evidence available | True |
| Fail closed | False |
| Verdict | fail |
| Failure reasons | `duplicate_citation, invalid_citation, missing_source_record, unsupported_claim` |
"""

COVERAGE_PAGE = """\
# Summary Fact Coverage

Aggregate citation evidence only; source and summary values are never rendered.

| Metric | Value |
| --- | ---: |
| Recall | 1.000000 |
| Source facts | 1 |
| Summary facts | 1 |
| Cited facts | 1 |
| Omissions | 0 |
| Unsupported facts | 0 |
| Invalid citations | 0 |
| Evidence available | True |
| Fail closed | False |
| Verdict | pass |
| Failure reasons | `none` |
"""


@pytest.fixture
def citations() -> SummaryCitationReport:
    return build_summary_citation_report([{"citations": ["e1", "e1"]}, {"citations": ["e9"]}], ["e1", "e2"])


@pytest.fixture
def coverage() -> SummaryCoverageReport:
    return build_summary_coverage_report(["f1"], ["f1"], fixture_count=3)


def test_the_citation_report_reads_as_upstreams(citations: SummaryCitationReport) -> None:
    metrics = citations.metrics

    assert citations.to_markdown() == CITATION_PAGE
    assert citations.to_json() == json.dumps(citations.to_dict(), sort_keys=True)
    assert metrics.to_json() == json.dumps(metrics.to_dict(), separators=(",", ":"))
    assert next(iter(metrics.to_dict())) == "schema_version"
    assert (citations.coverage, citations["metrics"]["coverage"], metrics["coverage"]) == (0.5, 0.5, 0.5)
    assert (metrics.citation_coverage, metrics.abstained_claim_count) == (0.5, 1)
    assert (metrics.unsupported_count, metrics.duplicate_citations) == (1, 1)


def test_the_coverage_report_reads_as_upstreams(coverage: SummaryCoverageReport) -> None:
    metrics = coverage.coverage

    assert coverage.to_markdown() == COVERAGE_PAGE
    assert coverage.to_json() == json.dumps(coverage.to_dict(), indent=2, sort_keys=True)
    assert (coverage.recall, coverage["fixture_count"], metrics["recall"]) == (1.0, 3, 1.0)
    assert coverage.metrics == {"summary_fact_coverage": metrics.to_dict()}
    assert (metrics.omissions, metrics.unsupported_facts, metrics.coverage_available) == (0, 0, True)


def test_a_report_is_written_whole(tmp_path: Path, citations: SummaryCitationReport) -> None:
    page, data = tmp_path / "new" / "report.md", tmp_path / "new" / "report.json"

    assert citations.write_markdown(page) == page
    assert citations.write_json(str(data)) == data
    assert page.read_text(encoding="utf-8") == citations.to_markdown()
    assert data.read_text(encoding="utf-8") == citations.to_json(indent=2) + "\n"
    assert sorted(tmp_path.rglob("*.*")) == [data, page]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coverage": float("nan")}, "coverage must be a finite ratio"),
        ({"coverage": 1.5}, "coverage must be a finite ratio"),
        ({"coverage": True}, "coverage must be a finite ratio"),
        ({"claim_count": -1}, "claim_count must be a non-negative integer"),
        ({"claim_count": "| forged |"}, "claim_count must be a non-negative integer"),
        ({"passed": 1}, "passed must be a boolean"),
        ({"failure_reasons": ("none` |\n| forged | 1",)}, "failure reasons must be reason codes"),
        ({"failure_reasons": (7,)}, "failure reasons must be reason codes"),
        ({"schema_version": 0}, "the schema version of a summary report is invalid"),
    ],
)
def test_metrics_made_by_hand_are_held_to_what_a_report_may_show(
    citations: SummaryCitationReport, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\A{message}\Z"):
        dataclasses.replace(citations.metrics, **changes)


def test_reasons_are_put_in_order(coverage: SummaryCoverageReport) -> None:
    metrics: SummaryCoverageMetrics = dataclasses.replace(coverage.coverage, failure_reasons=("b", "a", "b"))

    assert metrics.failure_reasons == ("a", "b")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fixture_count": True}, "fixture_count must be a non-negative integer"),
        ({"suite": "another"}, "the suite of a summary report is invalid"),
        ({"synthetic": False}, "summary reports must be synthetic"),
    ],
)
def test_a_report_made_by_hand_is_held_to_what_it_is(
    citations: SummaryCitationReport, coverage: SummaryCoverageReport, changes: dict[str, Any], message: str
) -> None:
    for report in (citations, coverage):
        with pytest.raises(ValueError, match=rf"\A{message}\Z"):
            dataclasses.replace(report, **changes)


def test_metrics_and_reports_are_values(citations: SummaryCitationReport) -> None:
    assert citations == dataclasses.replace(citations)
    with pytest.raises(dataclasses.FrozenInstanceError):
        citations.fixture_count = 2  # type: ignore[misc]
