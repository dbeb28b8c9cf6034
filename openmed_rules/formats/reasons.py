"""What failed, reason by reason, in words and with its places: what the formats for pipelines list."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from openmed_rules.errors import meaning
from openmed_rules.formats.wording import numbers, standing
from openmed_rules.results.baseline import WORSE_THAN_BASELINE
from openmed_rules.results.places import Place
from openmed_rules.results.report import ReasonLine, Report

MEANINGS: Final = MappingProxyType[str, str](
    {
        "duplicate_citation": "citations that repeat another one of their claim",
        "duplicate_source_evidence": "evidence records that share a reference with an earlier one",
        "duplicate_source_fact": "source facts that share a reference with an earlier one",
        "invalid_citation": "citations that lead to no record, or that cannot be used",
        "invalid_source_evidence": "evidence records that cannot be used",
        "missing_citation": "claims without a citation",
        "missing_source_evidence": "cases without a usable evidence record",
        "missing_source_record": "citations of a record that does not exist",
        "missing_summary_citation": "claims without a usable reference",
        "no_citations": "claims, and not one citation in the whole run",
        "no_claims": "cases in which no claim was found",
        "omitted_source_fact": "source facts that no valid citation leads to",
        "orphan_citation": "citations that belong to no claim",
        "unavailable_span": "citations of a span that no record has",
        "unknown_citation": "references that name no known fact",
        "unreadable_case": "cases that could not be read",
        "unsupported_claim": "claims without a valid citation",
        "unsupported_summary_fact": "claims without a valid citation",
        WORSE_THAN_BASELINE: "a ratio is worse than that of the baseline",
    }
)
"""Each reason in words: of what it counts how many were found."""

_SHARED: Final = ("invalid_source_evidence", "missing_source_evidence", "no_claims", "orphan_citation")
REASONS_OF: Final = MappingProxyType[str, tuple[str, ...]](
    {
        "citations": (
            *_SHARED,
            "duplicate_citation",
            "duplicate_source_evidence",
            "invalid_citation",
            "missing_citation",
            "missing_source_record",
            "unavailable_span",
            "unsupported_claim",
        ),
        "coverage": (
            *_SHARED,
            "duplicate_source_fact",
            "missing_summary_citation",
            "omitted_source_fact",
            "unknown_citation",
            "unsupported_summary_fact",
        ),
        "run": ("no_citations", "unreadable_case"),
    }
)
"""What each report looks for, and what is looked for in the run as a whole."""


class Spot(Struct, frozen=True):
    """One place of what failed: ``numbers`` says where in its document, or why it cannot be read."""

    place: Place
    numbers: str
    reason: str
    known: dict[str, str | int]


class Concern(Struct, frozen=True):
    """One reason that fails the gate, or that only a warning or a waiver lets be.

    ``standing``: ``failed``, ``warning`` or ``waived``. ``lines``: what each report found of it; ``spots``: the
    first places of it. ``rule_line``: the line of the rule file that decides on it, where that is known.
    """

    reason: str
    standing: str
    meaning: str
    lines: tuple[ReasonLine, ...]
    spots: tuple[Spot, ...]
    rule_line: Place | None

    @property
    def found(self) -> str:
        """``citations: 1 of 41, tolerated: 0``, and so for each report."""
        return "; ".join(f"{line.report}: {amount(line)}, tolerated: {line.limit}" for line in self.lines)


def failures(report: Report) -> Iterator[Concern]:
    """Every reason that fails the gate; none where it passed."""
    if not report.passed:
        told = {line.reason for line in report.lines if line.failed}
        yield from _concerns(report, "failed", {*report.reasons, *told})


def let_be(report: Report) -> Iterator[Concern]:
    """Every reason that would fail the gate, but for a warning or a waiver."""
    for kind in ("warning", "waived"):
        yield from _concerns(report, kind, {line.reason for line in report.lines if standing(line) == kind})


def _concerns(report: Report, kind: str, reasons: set[str]) -> Iterator[Concern]:
    spots = tuple(all_spots(report))
    for reason in sorted(reasons):
        yield Concern(
            reason,
            kind,
            words(reason),
            tuple(line for line in report.lines if line.reason == reason and standing(line) == kind),
            tuple(spot for spot in spots if spot.reason == reason),
            _decided_at(report, reason),
        )


def _decided_at(report: Report, reason: str) -> Place | None:
    if reason == WORSE_THAN_BASELINE and report.baseline is not None:
        return Place(report.baseline.file, 1)
    return report.rule_lines.get(reason)


def all_spots(report: Report) -> Iterator[Spot]:
    """The first places of what failed, and those that could not be read."""
    for position in report.positions:
        yield Spot(position.place, numbers(position), position.reason, position.to_dict())
    for unreadable in report.unreadable:
        why = f"{unreadable.code}: {meaning(unreadable.code)}"
        yield Spot(unreadable.place, why, "unreadable_case", unreadable.to_dict())


def spots_left(report: Report) -> int:
    """How many more places there are than ``all_spots`` gives."""
    return report.positions_left + max(report.cases.unreadable - len(report.unreadable), 0)


def amount(line: ReasonLine) -> str:
    """``1 of 41``."""
    return str(line.found) if line.of is None else f"{line.found} of {line.of}"


def words(reason: str) -> str:
    """A reason in words."""
    return MEANINGS.get(reason, reason.replace("_", " "))
