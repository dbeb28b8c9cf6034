"""Known layouts: each that comes with the package, tried by the engine on the sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from openmed_rules.errors import CodedError
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import Document
from openmed_rules.results.report import Report
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import RuleFile, load_rule_file

_LEAST_VALID: Final = 0.75
_LEAST_RECORDS: Final = 0.9


@dataclass(frozen=True, slots=True)
class Recognised:
    """A layout that the sample has: its name, its rule file, and how many of the citations found their record."""

    name: str
    file: RuleFile
    report: Report
    valid: int
    citations: int


def recognise(documents: Sequence[Document], evidence: Sequence[Document] | None) -> list[Recognised]:
    """The layouts that read the sample, the one that explains most of it first."""
    found = [known for name in builtin_names() if (known := _tried(name, documents, evidence)) is not None]
    return sorted(found, key=lambda known: (-known.valid, not known.report.passed))


def _tried(name: str, documents: Sequence[Document], evidence: Sequence[Document] | None) -> Recognised | None:
    file = load_rule_file(name)
    if file.rules.reads_evidence_input != (evidence is not None):
        return None
    try:
        report = judge_batch(file.rules, documents, evidence, positions=0)
    except CodedError:
        return None
    valid, citations, sound = _counts(report)
    fits = sound and valid and valid >= _LEAST_VALID * citations
    return Recognised(name, file, report, valid, citations) if fits else None


def _counts(report: Report) -> tuple[int, int, bool]:
    """Valid citations, all citations, and whether the evidence is what the layout says."""
    if report.cases.unreadable:
        return 0, 0, False
    if report.citations is not None:
        counts = report.citations
        records, valid = _number(counts["evidence_record_count"]), _number(counts["valid_evidence_record_count"])
        return (
            _number(counts["valid_citation_count"]),
            _number(counts["citation_count"]) + report.orphan_citations,
            valid >= _LEAST_RECORDS * records > 0,
        )
    counts = report.coverage or {}
    cited = _number(counts["cited_fact_count"])
    bad = _number(counts["invalid_source_fact_count"]) + _number(counts["duplicate_source_fact_count"])
    return cited, cited + _number(counts["invalid_citation_count"]), not bad


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
