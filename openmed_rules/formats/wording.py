"""The words in which text and Markdown say the same thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, cast

from openmed_rules.results.places import Position
from openmed_rules.results.report import CaseTotals, Metrics, Report

VERDICTS: Final = MappingProxyType(
    {
        "passed": ("passed", ""),
        "failed": ("failed", ""),
        "not_evaluated": ("not evaluated", "no case could be read"),
    }
)
"""Each verdict in words, and why."""
READS_TEXT = "This rule set reads text: it looks for citations inside what was written (find_all)."


@dataclass(frozen=True, slots=True)
class Ratio:
    """One ratio in words: ``citation coverage`` is ``97.4%``, ``38/39 claims supported``."""

    name: str
    percent: str
    share: str


def ratios(report: Report) -> Iterator[Ratio]:
    """The ratio of each report that the rule set asks for, where there was something to judge."""
    if report.verdict == "not_evaluated":
        return
    if report.citations is not None:
        share = _share(report.citations, "supported_claim_count", "unsupported_claim_count")
        yield _ratio("citation coverage", report.citations, "coverage", f"{share} claims supported")
    if report.coverage is not None:
        share = _share(report.coverage, "cited_fact_count", "omission_count")
        yield _ratio("fact recall", report.coverage, "recall", f"{share} facts cited")


def percent(ratio: float) -> str:
    """A ratio with one decimal; 0% and 100% are never the work of rounding."""
    if ratio in (0, 1):
        return f"{ratio:.0%}"
    tenths = min(max(round(1000 * ratio), 1), 999)
    return f"{tenths // 10}.{tenths % 10}%"


def numbers(position: Position) -> str:
    """``case 2, claim 4, citation 1``."""
    known = (
        ("case", position.case),
        ("claim", position.claim),
        ("citation", position.citation),
        ("record", position.record),
    )
    return ", ".join(f"{word} {number}" for word, number in known if number is not None)


def cases(totals: CaseTotals) -> str:
    """How the cases ended."""
    return f"{totals.passed} passed, {totals.failed} failed, {totals.unreadable} unreadable"


def counts(found: dict[str, int]) -> str:
    """``claims 2, evidence 1``; what is 0 is not told."""
    return ", ".join(f"{printable(name)} {count}" for name, count in found.items() if count)


def printable(name: str) -> str:
    """A name without what a terminal or a page would obey: such letters are spelt out."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in name
    )


def _share(metrics: Metrics, kept: str, lost: str) -> str:
    part = cast("int", metrics[kept])
    return f"{part}/{part + cast('int', metrics[lost])}"


def _ratio(name: str, metrics: Metrics, ratio: str, of: str) -> Ratio:
    closed = "; fails closed: the evidence is not available" if metrics["fail_closed"] else ""
    return Ratio(name, percent(cast("float", metrics[ratio])), of + closed)
