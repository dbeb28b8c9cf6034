"""How strict the gate is, in words, and what that asks of the two ratios."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from msgspec import Struct

from openmed_rules.formats.reasons import words
from openmed_rules.formats.wording import percent
from openmed_rules.results.report import Metrics, Report
from openmed_rules.results.reporting import tolerance_words
from openmed_rules.ruleset.model import NOTHING, Policy, Tolerance, Tolerances


class Goal(Struct, frozen=True):
    """One ratio and what is asked of it.

    ``least``: what it must not fall below, where one number says it. ``asked`` says it in words. ``holds``:
    whether there was evidence to judge by, and what lowers the ratio is within what is tolerated.
    """

    name: str
    ratio: float
    least: float | None
    asked: str
    holds: bool


def goals(report: Report) -> Iterator[Goal]:
    """The ratios that the rule set asks for, as ``wording.ratios`` has them, and their limits."""
    if report.verdict == "not_evaluated":
        return
    if report.citations is not None:
        yield _goal(report, report.citations, "citation coverage", "coverage", ("unsupported_claim", "claim_count"))
    if report.coverage is not None:
        yield _goal(report, report.coverage, "fact recall", "recall", ("omitted_source_fact", "source_fact_count"))


def _goal(report: Report, metrics: Metrics, name: str, ratio: str, lowered_by: tuple[str, str]) -> Goal:
    reason, of = lowered_by
    entry = dict(report.policy.tolerate).get(reason, Tolerances())
    asked = _tolerated(entry)
    least = _least(report, entry.default, cast("int", metrics[of]))
    if least is not None:
        asked = f"at least {percent(least)} ({asked} may be missing)" if least < 1 else "all of them"
    each = "" if report.policy.per == "batch" or report.cases.total == 1 else ", in each case"
    failed = {line.reason for line in report.lines if line.failed}
    holds = reason not in failed and not metrics["fail_closed"]
    return Goal(name, cast("float", metrics[ratio]), least, f"{asked}{each}", holds)


def _least(report: Report, tolerance: Tolerance, of: int) -> float | None:
    """The ratio that is asked for; a count of each of many cases is no ratio of them all."""
    if tolerance.any:
        return None
    if tolerance.whole:
        return 1 - tolerance.parts / tolerance.whole
    if not tolerance.count:
        return 1.0
    if report.policy.per == "batch" or report.cases.total == 1:
        return max(1 - tolerance.count / of, 0.0) if of else None
    return None


def policy_words(policy: Policy) -> Iterator[str]:
    """The policy, a sentence at a time."""
    if policy.per == "batch":
        yield "The sums over all cases must hold; evidence is judged case by case."
    elif policy.failed_cases == NOTHING:
        yield "Each case must hold."
    else:
        yield f"Each case must hold, but for {_count(policy.failed_cases)} of the cases."
    for reason, entry in policy.tolerate:
        yield f"Tolerated: {words(reason)}, {_tolerated(entry)} ({reason})."
    for reason, entry in policy.warn:
        yield f"Beyond that, {words(reason)}, {_tolerated(entry)}, only warn ({reason})."
    for waiver in policy.waivers:
        yield f"Waived until {waiver.until.isoformat()} (UTC): {words(waiver.reason)} ({waiver.reason})."
    rest = "Nothing else" if policy.tolerate or policy.warn or policy.waivers else "Nothing"
    yield f"{rest} is tolerated, and a case that cannot be read or has no evidence never is."
    if policy.malformed == "ignore":
        yield "A field that cannot be used counts as absent."
    else:
        yield "A field that cannot be used makes its citation or its evidence record invalid."
    if policy.spans == "inside":
        yield "A cited span may lie inside a span of the evidence."
    if policy.unavailable == "count":
        yield "Where the evidence is not available the counts go on, and only the ratios are 0."


def _tolerated(entry: Tolerances) -> str:
    """``up to 5%, of allergy none``."""
    of_classes = (f"of {label} {_count(tolerance)}" for label, tolerance in entry.classes)
    return ", ".join((_count(entry.default), *of_classes))


def _count(tolerance: Tolerance) -> str:
    if tolerance.any:
        return "any number"
    return "none" if tolerance == NOTHING else f"up to {tolerance_words(tolerance)}"
