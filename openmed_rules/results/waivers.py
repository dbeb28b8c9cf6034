"""Waivers on the day of a run: which of them are in force, and what each of them let be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from msgspec.structs import replace

from openmed_rules.results.report import WaiverLine
from openmed_rules.ruleset.model import RuleSet, Waiver

SOON = timedelta(days=14)
"""How long before its last day a waiver is told as expiring soon."""

PARENTS = {
    "missing_citation": "unsupported_claim",
    "missing_source_record": "invalid_citation",
    "unavailable_span": "invalid_citation",
}
"""Details by the reason that they are a detail of."""


def in_force(rules: RuleSet, today: date | None) -> RuleSet:
    """``rules`` with those waivers only that are in force ``today``; without a day, none is."""
    waivers = rules.policy.waivers
    held = tuple(waiver for waiver in waivers if today is not None and _holds(waiver, today))
    return rules if held == waivers else replace(rules, policy=replace(rules.policy, waivers=held))


def waiver_lines(waivers: Iterable[Waiver], today: date, waived: Mapping[str, int]) -> tuple[WaiverLine, ...]:
    """Every waiver with how it stands; ``waived``: by reason, what waivers let be."""
    waivers = tuple(waivers)
    reasons = {waiver.reason for waiver in waivers if _holds(waiver, today)}
    lines = []
    for waiver in waivers:
        holds = _holds(waiver, today)
        parent = PARENTS.get(waiver.reason, "")
        # The coverage report tells details of citations under their parent's name only.
        let_be = waived.get(waiver.reason) or (0 if parent in reasons else waived.get(parent, 0))
        lines.append(
            WaiverLine(
                reason=waiver.reason,
                until=waiver.until,
                because=waiver.because,
                owner=waiver.owner,
                state="expired" if not holds else "used" if let_be else "unused",
                expires_soon=holds and waiver.until - today <= SOON,
                waived=let_be if holds else 0,
            )
        )
    return tuple(lines)


def _holds(waiver: Waiver, today: date) -> bool:
    """The last day is a day of it."""
    return today <= waiver.until
