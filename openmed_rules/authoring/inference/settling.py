"""The engine's own word on a draft: judged on the sample, and what of the policy the sample asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from openmed_rules.authoring.inference.draft import Draft, SpanAt
from openmed_rules.authoring.inference.spelling import rule_mapping
from openmed_rules.errors import CodedError
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import Document
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_mapping
from openmed_rules.ruleset.problems import RuleFileError

_LEAST_VALID: Final = 0.75
_MOST_FAULTS: Final = 0.1
_ALL_CITED: Final = 0.9
_MOST_CASES: Final = 0.67


@dataclass(frozen=True, slots=True)
class Settled:
    """A draft that the engine agrees with, and its numbers on the sample."""

    draft: Draft
    report: Report

    @property
    def numbers(self) -> dict[str, float]:
        """The counts of the citation report."""
        return numbers(self.report)


def numbers(report: Report) -> dict[str, float]:
    """The counts of the citation report."""
    metrics = report.citations or {}
    return {name: value for name, value in metrics.items() if isinstance(value, int | float)}


def judged(draft: Draft, summary: Sequence[Document], evidence: Sequence[Document] | None) -> Report | None:
    """The report of the sample by ``draft``; None where its rule cannot be loaded or does not go with the inputs."""
    try:
        rules = load_rule_mapping(rule_mapping(draft, "sample"))
        return judge_batch(rules, summary, evidence, positions=0)
    except (RuleFileError, CodedError):
        return None


def settle(draft: Draft, summary: Sequence[Document], evidence: Sequence[Document] | None) -> Settled | None:
    """``draft`` with the policy that the sample asks for; None where the engine does not agree with it."""
    report = judged(draft, summary, evidence)
    counts = numbers(report) if report else {}
    if not counts or not counts["citation_count"]:
        return None
    if counts["duplicate_evidence_record_count"] > _MOST_FAULTS * counts["evidence_record_count"]:
        draft = _merged(draft)
        report = judged(draft, summary, evidence)
        counts = numbers(report) if report else {}
    if not counts or not _agrees(counts):
        return None
    draft = replace(draft, tolerated=tuple(_tolerated(draft, counts)))
    full = replace(draft, with_coverage=True)
    strict, lenient = judged(full, summary, evidence), judged(draft, summary, evidence)
    if strict is None or lenient is None:
        return None
    return Settled(full, strict) if _all_cited(strict, lenient) else Settled(draft, lenient)


def _agrees(counts: dict[str, float]) -> bool:
    return (
        counts["valid_citation_count"] >= _LEAST_VALID * counts["citation_count"]
        and counts["valid_evidence_record_count"] >= (1 - 2 * _MOST_FAULTS) * counts["evidence_record_count"]
        and counts["supported_claim_count"] > 0
    )


def _merged(draft: Draft) -> Draft:
    allowed = tuple(one if isinstance(one.reading, SpanAt) else replace(one, merge=True) for one in draft.allowed)
    return replace(draft, allowed=allowed)


def _all_cited(strict: Report, lenient: Report) -> bool:
    """Whether most cases without a fault cite every record; where each case has a fault, most of the records."""
    if lenient.cases.passed:
        return strict.cases.passed >= _MOST_CASES * lenient.cases.passed
    counts = numbers(strict)
    return counts["referenced_evidence_count"] >= _ALL_CITED * counts["valid_evidence_record_count"]


def _tolerated(draft: Draft, counts: dict[str, float]) -> list[str]:
    tolerated = []
    if counts["missing_citation_count"] > _MOST_FAULTS * counts["claim_count"]:
        tolerated.append("missing_citation")
    if draft.reads_text or counts["duplicate_citation_count"] > _MOST_FAULTS * counts["citation_count"]:
        tolerated.append("duplicate_citation")
    return tolerated
