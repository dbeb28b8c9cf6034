"""The calls of ``openmed`` 3.1.0 for its two summary reports, over two built-in rule files.

Arguments, attributes and texts are upstream's. What is read, and how strictly, stands in the rule files
``openmed-citations`` and ``openmed-coverage``. No exception that is raised here holds a record, and no frame
of this package that it has passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from openmed_rules.api import Rules
from openmed_rules.errors import GateError, bare, contained
from openmed_rules.ruleset.files import find_builtin
from openmed_rules.ruleset.loader import load_rule_text
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

ARGUMENTS = frozenset({"claims", "summary_claims", "source_records", "source_facts", "summary_citations"})
"""Names that no record has; a mapping with one of them holds the arguments of a call, and is no record."""

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
    return _citation_report(_unless_refused(outcome), fixture_count)


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
    report = _citation_report(_unless_refused(outcome), fixture_count)
    if not report.passed:
        raise CitationGateError(*report.metrics.failure_reasons)
    return report


def _citation_report(metrics: SummaryCitationMetrics, fixture_count: int) -> SummaryCitationReport:
    """The report; one of no fixture and no claim is about nothing, and does not pass."""
    if fixture_count == 0 and not metrics.claim_count:
        reasons = (*metrics.failure_reasons, "no_claims")
        metrics = replace(metrics, coverage=0.0, abstention_rate=1.0, passed=False, failure_reasons=reasons)
    return SummaryCitationReport(metrics, fixture_count)


def _citation_metrics(
    claims: tuple[Records, ...], evidence: tuple[Records, ...]
) -> SummaryCitationMetrics | BaseException:
    given: dict[str, Records] = {}
    for name, collections in (("claims", claims), ("evidence", evidence)):
        several = [records for records in collections if records is not None]
        if len(several) > 1:
            return SummaryCitationError(f"{name} was supplied more than once")
        given[name] = several[0] if several else None
    document = _document(CITATIONS, given)
    outcome = document if isinstance(document, BaseException) else _judged(CITATIONS, document)
    return outcome if isinstance(outcome, BaseException) else SummaryCitationMetrics(**outcome)


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
) -> SummaryCoverageMetrics | BaseException:
    given = {"source_facts": source_facts, "summary_citations": summary_citations}
    if source_evidence is not None:
        given["source_evidence"] = source_evidence
    document = _document(COVERAGE, given)
    if isinstance(document, BaseException):
        return document
    further = document.pop("source_evidence", None)
    outcome = _judged(COVERAGE, document)
    if isinstance(outcome, BaseException):
        return outcome
    metrics = SummaryCoverageMetrics(**outcome)
    if further is None:
        return metrics
    outcome = _judged(COVERAGE, {"source_facts": further})
    if isinstance(outcome, BaseException):
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


def _unless_refused(outcome: Outcome | BaseException) -> Outcome:
    """``outcome``, or raise it where it is an exception."""
    __tracebackhide__ = True
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _judged(rules: str, document: dict[str, Any]) -> dict[str, Any] | BaseException:
    """The metrics of the one report that the rule file asks for."""
    result = contained("judging", lambda: _rules(rules).check(document))
    if isinstance(result, BaseException):
        return result
    if result.verdict == "not_evaluated":
        return SummaryCitationError(f"{WORDS[rules][0]} is not accessible")
    return result.citations or result.coverage or {}


def _document(rules: str, given: Mapping[str, Records]) -> dict[str, Any] | BaseException:
    """The arguments as the one document that the rule file reads."""
    said, records_are = WORDS[rules]
    document: dict[str, Any] = {}
    for name, records in given.items():
        try:
            document[name] = _collection(records, _known_fields(rules))
        except Exception:  # noqa: BLE001 - what a caller's own iterable raises may hold a record
            return SummaryCitationError(f"{said} is not accessible")
        except BaseException as ending:  # noqa: BLE001 - it is raised where no frame holds a record
            return bare(ending)
        if document[name] is None:
            return NotRecordsError(f"{name} must be an iterable of {records_are}")
    return document


def _collection(records: Records, known: frozenset[str]) -> list[Any] | Mapping[Any, Any] | None:
    """The records in a list, or in a mapping by id; None where they are in neither."""
    if records is None:
        return []
    if isinstance(records, Mapping):
        if not _is_record(records, known):
            return records
        return [records] if ARGUMENTS.isdisjoint(records) else None
    if isinstance(records, str | bytes):
        return [records]
    return list(records) if isinstance(records, Iterable) else None


def _is_record(records: Mapping[Any, Any], known: frozenset[str]) -> bool:
    """Whether a mapping is one record.

    It has a known field, and is not made of records alone, some of them under names that are not known.
    """
    names = set(records)
    if names.isdisjoint(known):
        return False
    return names <= known or not all(isinstance(member, Mapping) or _is_pair(member) for member in records.values())


def _is_pair(member: object) -> bool:
    """Whether it is a record that is nothing but a pair of offsets."""
    return isinstance(member, list | tuple) and [type(offset) for offset in member] == [int, int]


@lru_cache
def _rules(name: str) -> Rules:
    """A built-in rule file, without its tests: to read them takes a third as long as the rest, and nobody runs them."""
    said, _, _ = find_builtin(name).read_text(encoding="utf-8").partition("\ntests:\n")
    return Rules(load_rule_text(said, name).rules)


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
    elif isinstance(part, Struct):
        for name in part.__struct_fields__:
            yield from _names(getattr(part, name))
