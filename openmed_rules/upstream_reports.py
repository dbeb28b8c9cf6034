"""What the calls of ``openmed`` 3.1.0 return: metrics and reports, with upstream's attributes and texts.

Nothing here holds anything of a record. Metrics that are made by hand are held to that: a count is a count, a
ratio lies within 0 and 1, and a reason is a reason code.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from openmed_rules.running.output import write_output

SUMMARY_CITATION_CONSISTENCY = "summary_citation_consistency"
SUMMARY_FACT_COVERAGE = "summary_fact_coverage"
SCHEMA_VERSION = 1


# --- what both reports do -------------------------------------------------------------------------


def _refuse_unusable_metrics(metrics: SummaryCitationMetrics | SummaryCoverageMetrics) -> None:
    """Refuse what is no metric, and put the reasons in order.

    Raises:
        TypeError: a count, a ratio or a flag has another type.
        ValueError: a ratio does not lie within 0 and 1, a reason is no reason code, or the version is none.
    """
    if type(metrics.schema_version) is not int or metrics.schema_version < 1:
        raise ValueError("the schema version of a summary report is invalid")
    for metric in fields(metrics):
        value = getattr(metrics, metric.name)
        if metric.type == "int" and (type(value) is not int or value < 0):
            raise TypeError(f"{metric.name} must be a non-negative integer")
        if metric.type == "bool" and type(value) is not bool:
            raise TypeError(f"{metric.name} must be a boolean")
        if metric.type == "float" and type(value) not in (int, float):
            raise TypeError(f"{metric.name} must be a finite ratio")
        if metric.type == "float" and not 0 <= value <= 1:
            raise ValueError(f"{metric.name} must be a finite ratio")
    reasons = metrics.failure_reasons
    if not all(type(reason) is str and re.fullmatch("[a-z_]+", reason) for reason in reasons):
        raise ValueError("failure reasons must be reason codes")
    object.__setattr__(metrics, "failure_reasons", tuple(sorted(set(reasons))))


def _refuse_unusable_report(report: SummaryCitationReport | SummaryCoverageReport, suite: str) -> None:
    """Refuse a report of another suite, or of no count of fixtures."""
    if type(report.fixture_count) is not int or report.fixture_count < 0:
        raise ValueError("fixture_count must be a non-negative integer")
    if report.suite != suite:
        raise ValueError("the suite of a summary report is invalid")
    if report.synthetic is not True:
        raise ValueError("summary reports must be synthetic")


def _by_name(metrics: SummaryCitationMetrics | SummaryCoverageMetrics, **second_names: str) -> dict[str, Any]:
    """Every metric by its name, and where it has a second one by that too."""
    said: dict[str, Any] = {"schema_version": metrics.schema_version}
    for metric in fields(metrics):
        value = getattr(metrics, metric.name)
        said[metric.name] = float(value) if metric.type == "float" else value
        if metric.name in second_names:
            said[second_names[metric.name]] = value
    return said | {"failure_reasons": list(metrics.failure_reasons)}


def _as_mapping(report: SummaryCitationReport | SummaryCoverageReport, metrics: dict[str, Any]) -> dict[str, Any]:
    return {
        "suite": report.suite,
        "schema_version": SCHEMA_VERSION,
        "fixture_count": report.fixture_count,
        "synthetic": True,
        "passed": report.passed,
        "metrics": metrics,
    }


def _as_markdown(title: str, promise: str, rows: Iterable[tuple[str, object]]) -> str:
    lines = [
        f"# {title}",
        "",
        f"Aggregate citation evidence only; {promise} values are never rendered.",
        "",
        "| Metric | Value |",
        "| --- | ---: |",
        *(f"| {name} | {_six_digits(value) if isinstance(value, float) else value} |" for name, value in rows),
    ]
    return "\n".join(lines) + "\n"


def _six_digits(ratio: float) -> str:
    """A ratio that reads as all or nothing only where it is."""
    return f"{ratio if ratio in (0, 1) else min(max(ratio, 0.000001), 0.999999):.6f}"


def _verdict_rows(metrics: SummaryCitationMetrics | SummaryCoverageMetrics) -> tuple[tuple[str, object], ...]:
    return (
        ("Evidence available", metrics.source_evidence_available),
        ("Fail closed", metrics.fail_closed),
        ("Verdict", "pass" if metrics.passed else "fail"),
        ("Failure reasons", f"`{', '.join(metrics.failure_reasons) or 'none'}`"),
    )


def _write(path: str | os.PathLike[str], text: str) -> Path:
    """Write a whole file, or leave the old one; folders above it are made."""
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    write_output(str(place), text)
    return place


# --- citation consistency -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SummaryCitationMetrics:
    """The counts of the citation report.

    ``coverage``: claims with a valid citation, of all claims. ``abstention_rate``: the others, of all claims.
    ``evidence_coverage``: records that a valid citation leads to, of the valid records.
    """

    coverage: float
    abstention_rate: float
    claim_count: int
    supported_claim_count: int
    unsupported_claim_count: int
    abstention_count: int
    citation_count: int
    valid_citation_count: int
    invalid_citation_count: int
    duplicate_citation_count: int
    missing_citation_count: int
    missing_source_record_count: int
    unavailable_span_count: int
    evidence_record_count: int
    valid_evidence_record_count: int
    invalid_evidence_record_count: int
    duplicate_evidence_record_count: int
    referenced_evidence_count: int
    evidence_coverage: float
    source_evidence_available: bool
    fail_closed: bool
    passed: bool
    failure_reasons: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION

    def __post_init__(self) -> None:
        """Refuse what is no metric."""
        _refuse_unusable_metrics(self)

    @property
    def citation_coverage(self) -> float:
        """Another name of ``coverage``."""
        return self.coverage

    @property
    def abstained_claim_count(self) -> int:
        """Another name of ``abstention_count``."""
        return self.abstention_count

    @property
    def unsupported_count(self) -> int:
        """Another name of ``unsupported_claim_count``."""
        return self.unsupported_claim_count

    @property
    def duplicate_citations(self) -> int:
        """Another name of ``duplicate_citation_count``."""
        return self.duplicate_citation_count

    def to_dict(self) -> dict[str, Any]:
        """Every metric by its name."""
        return _by_name(self)

    def to_json(self) -> str:
        """The metrics as one line of JSON."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":"))

    def __getitem__(self, key: str) -> Any:
        """The metric of that name."""
        return self.to_dict()[key]


@dataclass(frozen=True, slots=True)
class SummaryCitationReport:
    """The citation report: its metrics, and how many fixtures they are of."""

    metrics: SummaryCitationMetrics
    fixture_count: int = 1
    suite: str = SUMMARY_CITATION_CONSISTENCY
    synthetic: bool = True

    def __post_init__(self) -> None:
        """Refuse what is no such report."""
        _refuse_unusable_report(self, SUMMARY_CITATION_CONSISTENCY)

    @property
    def coverage(self) -> float:
        """Claims with a valid citation, of all claims."""
        return self.metrics.coverage

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return self.metrics.passed

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return _as_mapping(self, self.metrics.to_dict())

    def to_json(self, *, indent: int | None = None) -> str:
        """The report as JSON, its keys in order."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=indent, sort_keys=True)

    def to_markdown(self) -> str:
        """The report as a page of Markdown."""
        metrics = self.metrics
        rows = (
            ("Coverage", float(metrics.coverage)),
            ("Abstention rate", float(metrics.abstention_rate)),
            ("Claims", metrics.claim_count),
            ("Supported claims", metrics.supported_claim_count),
            ("Unsupported claims", metrics.unsupported_claim_count),
            ("Citations", metrics.citation_count),
            ("Duplicate citations", metrics.duplicate_citation_count),
            ("Missing source records", metrics.missing_source_record_count),
            ("Unavailable spans", metrics.unavailable_span_count),
        )
        return _as_markdown("Summary Citation Consistency", "claim and source", (*rows, *_verdict_rows(metrics)))

    def write_json(self, path: str | os.PathLike[str], *, indent: int | None = 2) -> Path:
        """Write the report to a file as JSON; returns its path."""
        return _write(path, self.to_json(indent=indent) + "\n")

    def write_markdown(self, path: str | os.PathLike[str]) -> Path:
        """Write the report to a file as Markdown; returns its path."""
        return _write(path, self.to_markdown())

    def __getitem__(self, key: str) -> Any:
        """That part of ``to_dict()``."""
        return self.to_dict()[key]


# --- fact coverage --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SummaryCoverageMetrics:
    """The counts of the coverage report.

    ``recall``: facts that a valid citation leads to, of the valid facts.
    """

    recall: float
    source_fact_count: int
    summary_fact_count: int
    cited_fact_count: int
    omission_count: int
    unsupported_fact_count: int
    invalid_citation_count: int
    missing_citation_count: int
    invalid_source_fact_count: int
    duplicate_source_fact_count: int
    source_evidence_count: int
    source_evidence_available: bool
    fail_closed: bool
    passed: bool
    failure_reasons: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION

    def __post_init__(self) -> None:
        """Refuse what is no metric."""
        _refuse_unusable_metrics(self)

    @property
    def omissions(self) -> int:
        """Another name of ``omission_count``."""
        return self.omission_count

    @property
    def unsupported_facts(self) -> int:
        """Another name of ``unsupported_fact_count``."""
        return self.unsupported_fact_count

    @property
    def coverage_available(self) -> bool:
        """Whether ``recall`` rests on evidence that is available."""
        return self.source_evidence_available and not self.fail_closed

    def to_dict(self) -> dict[str, Any]:
        """Every metric by its name, and two of them by a second one."""
        return _by_name(self, omission_count="omissions", unsupported_fact_count="unsupported_facts")

    def __getitem__(self, key: str) -> Any:
        """The metric of that name."""
        return self.to_dict()[key]


@dataclass(frozen=True, slots=True)
class SummaryCoverageReport:
    """The coverage report: its metrics as ``coverage``, and how many fixtures they are of."""

    coverage: SummaryCoverageMetrics
    fixture_count: int = 1
    suite: str = SUMMARY_FACT_COVERAGE
    synthetic: bool = True

    def __post_init__(self) -> None:
        """Refuse what is no such report."""
        _refuse_unusable_report(self, SUMMARY_FACT_COVERAGE)

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """The metrics as plain values, under the name of the report."""
        return {SUMMARY_FACT_COVERAGE: self.coverage.to_dict()}

    @property
    def recall(self) -> float:
        """Facts that a valid citation leads to, of the valid facts."""
        return self.coverage.recall

    @property
    def passed(self) -> bool:
        """Whether every fact is cited and nothing is wrong."""
        return self.coverage.passed

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return _as_mapping(self, self.metrics)

    def to_json(self, *, indent: int | None = 2) -> str:
        """The report as JSON, its keys in order."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=indent, sort_keys=True)

    def to_markdown(self) -> str:
        """The report as a page of Markdown."""
        metrics = self.coverage
        rows = (
            ("Recall", float(metrics.recall)),
            ("Source facts", metrics.source_fact_count),
            ("Summary facts", metrics.summary_fact_count),
            ("Cited facts", metrics.cited_fact_count),
            ("Omissions", metrics.omission_count),
            ("Unsupported facts", metrics.unsupported_fact_count),
            ("Invalid citations", metrics.invalid_citation_count),
        )
        return _as_markdown("Summary Fact Coverage", "source and summary", (*rows, *_verdict_rows(metrics)))

    def write_json(self, path: str | os.PathLike[str], *, indent: int | None = 2) -> Path:
        """Write the report to a file as JSON; returns its path."""
        return _write(path, self.to_json(indent=indent) + "\n")

    def write_markdown(self, path: str | os.PathLike[str]) -> Path:
        """Write the report to a file as Markdown; returns its path."""
        return _write(path, self.to_markdown())

    def __getitem__(self, key: str) -> Any:
        """That part of ``to_dict()``."""
        return self.to_dict()[key]
