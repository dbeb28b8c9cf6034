"""The words in which text and Markdown say the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final, cast

from msgspec import Struct

from openmed_rules.results.baseline import RatioLine, Share
from openmed_rules.results.places import Position
from openmed_rules.results.report import CaseTotals, Metrics, ReasonLine, Report, WaiverLine

VERDICTS: Final = MappingProxyType(
    {
        "passed": ("passed", ""),
        "failed": ("failed", ""),
        "not_evaluated": ("not evaluated", "no case could be read"),
    }
)
"""Each verdict in words, and why."""
_LOG_COMMAND: Final = re.compile(r"^\s*::|##(?=\w*\[)")
"""How a line begins, or what stands in one, that the runner of a pipeline takes for a command."""
WITHHELD = "withheld"
"""What stands in place of a count by class that is not shown."""
READS_TEXT = "This rule set reads text: it looks for citations inside what was written (find_all)."


class Ratio(Struct, frozen=True):
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
    """A name without what a terminal, a page or the log of a pipeline would obey: such letters are spelt out."""
    spelt = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in name
    )
    return _LOG_COMMAND.sub(lambda found: "".join(f"\\x{ord(letter):02x}" for letter in found[0]), spelt)


def printable_lines(text: str) -> str:
    """Every line of a text as ``printable`` spells it."""
    return "\n".join(map(printable, text.split("\n")))


def besides(report: Report) -> Iterator[str]:
    """What is told beside the verdict: warnings, waivers, drift, and that a failed gate fails nothing."""
    if report.warnings:
        yield f"with warnings: {', '.join(report.warnings)}"
    if report.waived:
        yield f"waived: {counts(report.waived)}"
    for waiver in report.waivers:
        if waiver.state != "used" or waiver.expires_soon:
            yield f"waiver of {waiver.reason}: {waiver_words(waiver)}"
    if drift := report.baseline.drift if report.baseline is not None else ():
        yield f"drift: {', '.join(printable(line.locator) for line in drift)}"
    if report.report_only:
        yield "report only: a failed gate does not fail the command"


def standing(line: ReasonLine) -> str:
    """What became of one reason: ``failed``, ``waived``, ``warning`` or ``tolerated``."""
    if line.failed:
        return "failed"
    return "waived" if line.waived else "warning" if line.warned else "tolerated"


def waiver_words(waiver: WaiverLine) -> str:
    """``expired on 2027-01-31 (UTC)``."""
    verb = "expired on" if waiver.state == "expired" else "until"
    signs = (("expires soon", waiver.expires_soon), ("unused", waiver.state == "unused"))
    more = [word for word, told in signs if told]
    return ", ".join((f"{verb} {waiver.until.isoformat()} (UTC)", *more))


def share(of: Share) -> str:
    """``97.4% (38/39)``."""
    return f"{percent(float(of.ratio))} ({of.part}/{of.whole})"


def by_class(report: Report) -> str:
    """The heading over the counts by class, with why some of them are not there."""
    missing = any(count is None for counts in report.shown_classes().values() for count in counts.values())
    return f"By class, without counts below {report.min_cell}" if missing else "By class"


def class_count(count: int | None) -> str:
    """A count by class, or that it is not shown."""
    return WITHHELD if count is None else str(count)


def beside_baseline(line: RatioLine) -> tuple[str, str]:
    """The recorded ratio and that of the run."""
    if line.withheld:
        return WITHHELD, WITHHELD
    return share(line.recorded), "not measured" if line.found is None else share(line.found)


def _share(metrics: Metrics, kept: str, lost: str) -> str:
    part = cast("int", metrics[kept])
    return f"{part}/{part + cast('int', metrics[lost])}"


def _ratio(name: str, metrics: Metrics, ratio: str, of: str) -> Ratio:
    closed = "; fails closed: the evidence is not available" if metrics["fail_closed"] else ""
    return Ratio(name, percent(cast("float", metrics[ratio])), of + closed)
