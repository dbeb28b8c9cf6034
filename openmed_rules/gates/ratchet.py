"""A baseline and a new run to the next baseline: it gets stricter by itself, and looser only for a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from msgspec import Struct

from openmed_rules.errors import InputError, UsageError
from openmed_rules.results.baseline import (
    Baseline,
    Change,
    LocatorCounts,
    Share,
    Slack,
    drifts,
    fraction,
)
from openmed_rules.results.holding import ratios_of, withheld_ratios
from openmed_rules.results.report import Report


class NewSlack(Struct, frozen=True):
    """What of a baseline's slack is said anew; None stays as it was."""

    tolerance: str | None = None
    floor: int | None = None
    drift: str | None = None

    def over(self, slack: Slack) -> Slack:
        """``slack`` with what is said anew."""
        return Slack(
            slack.tolerance if self.tolerance is None else self.tolerance,
            slack.floor if self.floor is None else self.floor,
            slack.drift if self.drift is None else self.drift,
        )


def next_baseline(known: Baseline | None, report: Report, said: NewSlack, because: str | None, today: date) -> Baseline:
    """The baseline after ``report``, which was made with its locators counted.

    Without ``because`` every ratio and locator keeps the better of what is known and what was measured; what this
    cannot keep is refused. With it the run is taken as it is.

    Raises:
        InputError: the run says nothing that could be kept: a case could not be read, or there was none.
        UsageError: something would get looser, and there is no reason.
    """
    if report.verdict == "not_evaluated" or report.cases.unreadable:
        raise InputError("OMR-805", "nothing is recorded of a run in which a case could not be read")
    measured = ratios_of(report)
    locators: Mapping[str, LocatorCounts] = report.locators or {}
    name, sha256 = report.rules.name, report.rules.measure_sha256
    slack = said.over(known.slack if known is not None else Slack())
    if known is None:
        first = () if because is None else (Change(today.isoformat(), because, ()),)
        return Baseline(name, sha256, slack, measured, locators, first)
    loosened = tuple(_loosened(known, report, slack))
    if loosened and because is None:
        raise UsageError("OMR-806", f"looser, and no --because says why: {'; '.join(loosened)}")
    if known.sha256 == sha256:
        measured = _kept_ratios(known, measured, slack, taken=because is not None)
        locators = _kept_locators(known.locators, locators, taken=because is not None)
    history = known.history
    if because is not None:
        history = (*history, Change(today.isoformat(), because, loosened))
    return Baseline(name, sha256, slack, measured, locators, history)


def _loosened(known: Baseline, report: Report, slack: Slack) -> Iterator[str]:
    """What gets looser, in words; without the counts of a ratio that is withheld."""
    if known.sha256 != report.rules.measure_sha256:
        yield "the rules measure something else"
        return
    for word, old, new in (
        ("tolerance", known.slack.tolerance, slack.tolerance),
        ("drift tolerance", known.slack.drift, slack.drift),
    ):
        if fraction(new) > fraction(old):
            yield f"{word} {old} to {new}"
    if slack.floor > known.slack.floor:
        yield f"floor {known.slack.floor} to {slack.floor}"
    measured, hidden = ratios_of(report), withheld_ratios(report, known.ratios)
    for name, recorded in known.ratios.items():
        found = measured.get(name)
        if found is not None and found.whole >= slack.floor and found.ratio < recorded.ratio:
            counts = f"{recorded.part}/{recorded.whole} to {found.part}/{found.whole}"
            yield f"{name} {'is lower' if name in hidden else counts}"
    for drift in drifts(known.locators, report.locators or {}, known.slack):
        yield f"{drift.locator} {drift.what}"


def _kept_ratios(known: Baseline, measured: Mapping[str, Share], slack: Slack, *, taken: bool) -> dict[str, Share]:
    """Every ratio, the new one where it is of enough things; what was not measured stays."""
    kept = dict(known.ratios)
    for name, found in measured.items():
        if taken or name not in kept or found.whole >= slack.floor:
            kept[name] = found
    return kept


def _kept_locators(
    known: Mapping[str, LocatorCounts], found: Mapping[str, LocatorCounts], *, taken: bool
) -> dict[str, LocatorCounts]:
    """Every locator with the higher rate, so that it cannot fall step by step."""
    kept = dict(known)
    for name, counts in found.items():
        if name not in kept or (counts["tried"] and (taken or _rate(counts) >= _rate(kept[name]))):
            kept[name] = counts
    return kept


def _rate(counts: LocatorCounts) -> float:
    return counts.get("met", counts["found"]) / counts["tried"] if counts["tried"] else 0.0
