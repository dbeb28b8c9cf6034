"""The calls of ``openmed`` 3.1.0 for its two summary reports, over two built-in rule files.

Arguments, attributes and texts are upstream's. What is read, and how strictly, stands in the rule files
``openmed-citations`` and ``openmed-coverage``. No exception that is raised here holds a record, and no frame
of this package that it has passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from openmed_rules.api import Rules, load_rules
from openmed_rules.errors import GateError, RulesError
from openmed_rules.ruleset.files import find_builtin
from openmed_rules.ruleset.model import Key, Path
from openmed_rules.upstream_reports import (
    SummaryCitationMetrics,
    SummaryCitationReport,
    SummaryCoverageMetrics,
    SummaryCoverageReport,
)

Records: TypeAlias = "Iterable[Any] | Mapping[Any, Any] | None"
"""Records in an iterable or in a mapping by id; one record that is a mapping; or None for no records.

A record is a mapping, a dataclass, an object with ``to_dict()`` or ``model_dump()``, or an id.
"""

CITATIONS = "openmed-citations"
COVERAGE = "openmed-coverage"

WORDS = {
    CITATIONS: ("summary citation input", "structured records"),
    COVERAGE: ("summary coverage input", "structured records or identifiers"),
}
"""By rule file: what upstream calls the input, and its records."""

TEXT_FIELDS = frozenset({"claim", "summary", "summary_text", "text", "value", "surface", "surface_form"})
"""Fields that no rule reads; they show that a mapping is one record, and not a mapping by id."""

EVIDENCE_REASONS = frozenset({"duplicate_source_fact", "invalid_source_evidence", "missing_source_evidence"})


class SummaryCitationError(ValueError):
    """The input of one of the two reports cannot be used; says nothing of what stood in it."""


class NotRecordsError(SummaryCitationError, TypeError):
    """An argument is neither an iterable nor a mapping."""


class CitationGateError(GateError):
    """The citation report did not pass; ``reasons`` are its reason codes."""

    def __str__(self) -> str:
        """The reason codes, in upstream's words."""
        return f"summary citation-consistency gate failed: {', '.join(self.reasons)}"


class CoverageGateError(GateError):
    """The coverage report did not pass; ``reasons`` are its reason codes."""

    def __str__(self) -> str:
        """The reason codes, in upstream's words."""
        return f"summary fact-coverage gate failed: {', '.join(self.reasons)}"


# --- citation consistency -------------------------------------------------------------------------
# Every public function lets go of its records before it may raise: a traceback keeps the frames it passed.


def compute_summary_citation_metrics(
    claims: Records = None,
    evidence: Records = None,
    *,
    summary_claims: Records = None,
    source_evidence: Records = None,
    source_records: Records = None,
) -> SummaryCitationMetrics:
    """Whether every claim cites a record that exists, in counts.

    ``summary_claims`` is another name of ``claims``; ``source_evidence`` and ``source_records`` are others of
    ``evidence``.

    Raises:
        SummaryCitationError: an argument is no collection of records, is given by two names, or its own
            methods fail.
    """
    outcome = _citation_metrics((claims, summary_claims), (evidence, source_evidence, source_records))
    del claims, evidence, summary_claims, source_evidence, source_records
    return _unless_refused(outcome)


def build_summary_citation_report(
    claims: Records = None,
    evidence: Records = None,
    *,
    fixture_count: int = 1,
    summary_claims: Records = None,
    source_evidence: Records = None,
    source_records: Records = None,
) -> SummaryCitationReport:
    """The metrics of ``compute_summary_citation_metrics``, as a report.

    Raises:
        SummaryCitationError: as there.
        ValueError: ``fixture_count`` is no whole number from 0.
    """
    outcome = _citation_metrics((claims, summary_claims), (evidence, source_evidence, source_records))
    del claims, evidence, summary_claims, source_evidence, source_records
    return SummaryCitationReport(_unless_refused(outcome), fixture_count)


def assert_summary_citation_gate(
    claims: Records = None,
    evidence: Records = None,
    *,
    fixture_count: int = 1,
    summary_claims: Records = None,
    source_evidence: Records = None,
    source_records: Records = None,
) -> SummaryCitationReport:
    """The report, where it passes.

    Raises:
        CitationGateError: it does not pass; an ``AssertionError`` of reason codes.
        SummaryCitationError, ValueError: as for ``build_summary_citation_report``.
    """
    __tracebackhide__ = True
    outcome = _citation_metrics((claims, summary_claims), (evidence, source_evidence, source_records))
    del claims, evidence, summary_claims, source_evidence, source_records
    report = SummaryCitationReport(_unless_refused(outcome), fixture_count)
    if not report.passed:
        raise CitationGateError(*report.metrics.failure_reasons)
    return report


def _citation_metrics(claims: tuple[Records, ...], evidence: tuple[Records, ...]) -> SummaryCitationMetrics | Exception:
    given: dict[str, Records] = {}
    for name, collections in (("claims", claims), ("evidence", evidence)):
        several = [records for records in collections if records is not None]
        if len(several) > 1:
            return SummaryCitationError(f"{name} was supplied more than once")
        given[name] = several[0] if several else None
    document = _document(CITATIONS, given)
    outcome = document if isinstance(document, Exception) else _judged(CITATIONS, document)
    return outcome if isinstance(outcome, Exception) else SummaryCitationMetrics(**outcome)


# --- fact coverage --------------------------------------------------------------------------------


def compute_summary_fact_coverage(
    source_facts: Records = None,
    summary_citations: Records = None,
    *,
    source_evidence: Records = None,
) -> SummaryCoverageMetrics:
    """Whether every source fact is cited and every claim has one, in counts.

    ``source_evidence``: where it is given, further evidence that must be as sound as the facts;
    an empty one fails closed.

    Raises:
        SummaryCitationError: an argument is no collection of records, or its own methods fail.
    """
    outcome = _coverage_metrics(source_facts, summary_citations, source_evidence)
    del source_facts, summary_citations, source_evidence
    return _unless_refused(outcome)


def run_summary_coverage(
    source_facts: Records = None,
    summary_citations: Records = None,
    *,
    source_evidence: Records = None,
    fixture_count: int = 1,
) -> SummaryCoverageReport:
    """The metrics of ``compute_summary_fact_coverage``, as a report.

    Raises:
        SummaryCitationError: as there.
        ValueError: ``fixture_count`` is no whole number from 0.
    """
    outcome = _coverage_metrics(source_facts, summary_citations, source_evidence)
    del source_facts, summary_citations, source_evidence
    return SummaryCoverageReport(_unless_refused(outcome), fixture_count)


build_summary_coverage_report = run_summary_coverage


def assert_summary_coverage_gate(
    source_facts: Records = None,
    summary_citations: Records = None,
    *,
    source_evidence: Records = None,
    fixture_count: int = 1,
) -> SummaryCoverageReport:
    """The report, where it passes.

    Raises:
        CoverageGateError: it does not pass; an ``AssertionError`` of reason codes.
        SummaryCitationError, ValueError: as for ``run_summary_coverage``.
    """
    __tracebackhide__ = True
    outcome = _coverage_metrics(source_facts, summary_citations, source_evidence)
    del source_facts, summary_citations, source_evidence
    report = SummaryCoverageReport(_unless_refused(outcome), fixture_count)
    if not report.passed:
        raise CoverageGateError(*report.coverage.failure_reasons)
    return report


def _coverage_metrics(
    source_facts: Records, summary_citations: Records, source_evidence: Records
) -> SummaryCoverageMetrics | Exception:
    given = {"source_facts": source_facts, "summary_citations": summary_citations}
    if source_evidence is not None:
        given["source_evidence"] = source_evidence
    document = _document(COVERAGE, given)
    if isinstance(document, Exception):
        return document
    further = document.pop("source_evidence", None)
    outcome = _judged(COVERAGE, document)
    if isinstance(outcome, Exception):
        return outcome
    metrics = SummaryCoverageMetrics(**outcome)
    if further is None:
        return metrics
    outcome = _judged(COVERAGE, {"source_facts": further})
    if isinstance(outcome, Exception):
        return outcome
    return _with_further_evidence(metrics, SummaryCoverageMetrics(**outcome))


def _with_further_evidence(metrics: SummaryCoverageMetrics, further: SummaryCoverageMetrics) -> SummaryCoverageMetrics:
    """``metrics``, which fail closed where the further evidence is not available either."""
    counted = replace(metrics, source_evidence_count=further.source_evidence_count)
    if further.source_evidence_available:
        return counted
    return replace(
        counted,
        recall=0.0,
        source_evidence_available=False,
        fail_closed=True,
        passed=False,
        failure_reasons=(*counted.failure_reasons, *EVIDENCE_REASONS.intersection(further.failure_reasons)),
    )


# --- from arguments to metrics --------------------------------------------------------------------
# Nothing below raises: an exception is returned, and raised where no frame holds a record any more.

Outcome = TypeVar("Outcome")


def _unless_refused(outcome: Outcome | Exception) -> Outcome:
    """``outcome``, or raise it where it is an exception."""
    __tracebackhide__ = True
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _judged(rules: str, document: dict[str, Any]) -> dict[str, Any] | Exception:
    """The metrics of the one report that the rule file asks for."""
    try:
        result = _rules(rules).check(document)
    except RulesError as error:
        return error.with_traceback(None)
    if result.verdict == "not_evaluated":
        return SummaryCitationError(f"{WORDS[rules][0]} is not accessible")
    return result.citations or result.coverage or {}


def _document(rules: str, given: Mapping[str, Records]) -> dict[str, Any] | Exception:
    """The arguments as the one document that the rule file reads."""
    said, records_are = WORDS[rules]
    document: dict[str, Any] = {}
    for name, records in given.items():
        try:
            document[name] = _collection(records, _known_fields(rules))
        except Exception:  # noqa: BLE001 - what a caller's own iterable raises may hold a record
            return SummaryCitationError(f"{said} is not accessible")
        if document[name] is None:
            return NotRecordsError(f"{name} must be an iterable of {records_are}")
    return document


def _collection(records: Records, known: frozenset[str]) -> list[Any] | Mapping[Any, Any] | None:
    """The records in a list, or in a mapping by id; None where they are in neither."""
    if records is None:
        return []
    if isinstance(records, Mapping):
        return [records] if _is_record(records, known) else records
    if isinstance(records, str | bytes):
        return [records]
    return list(records) if isinstance(records, Iterable) else None


def _is_record(records: Mapping[Any, Any], known: frozenset[str]) -> bool:
    """Whether a mapping is one record.

    It has a known field, and is not made of mappings alone, some of them under names that are not known.
    """
    names = set(records)
    if names.isdisjoint(known):
        return False
    return names <= known or not all(isinstance(member, Mapping) for member in records.values())


@lru_cache
def _rules(name: str) -> Rules:
    return load_rules(find_builtin(name))


@lru_cache
def _known_fields(rules: str) -> frozenset[str]:
    """The fields that show that a mapping is a record: those that the rule file reads, and those of texts."""
    rule_set = _rules(rules).rule_set
    return TEXT_FIELDS.union(_names((rule_set.claims, rule_set.citations, rule_set.evidence)))


def _names(part: object) -> Iterator[str]:
    """The names on every path in a part of a rule set that does not start at the case."""
    if isinstance(part, Path):
        if not part.from_case:
            yield from (step.name for step in part.steps if isinstance(step, Key))
    elif isinstance(part, tuple):
        for item in part:
            yield from _names(item)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _names(getattr(part, field.name))
