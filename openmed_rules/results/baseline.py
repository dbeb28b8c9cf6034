"""A baseline: the ratios of an earlier run, and how often each locator was found then; aggregates only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

WORSE_THAN_BASELINE = "worse_than_baseline"
"""The reason of a run of which a ratio is worse than the recorded one."""

Standing: TypeAlias = Literal["better", "same", "within_tolerance", "worse", "not_held"]
LocatorCounts: TypeAlias = Mapping[str, int]
"""What a report says of a locator: ``tried``, ``found``; ``met``, ``numbers``, ``malformed`` where they tell more."""


class Share(NamedTuple):
    """``part`` of ``whole``: a ratio that is not rounded."""

    part: int
    whole: int

    @property
    def ratio(self) -> Fraction:
        """The ratio; 0 of nothing."""
        return Fraction(self.part, self.whole) if self.whole else Fraction(0)

    def to_dict(self) -> dict[str, int]:
        """``part`` and ``whole``."""
        return {"part": self.part, "whole": self.whole}


class Slack(Struct, frozen=True):
    """How far a run may be off its baseline, in percent as it was written (``1%``).

    ``tolerance``: of a ratio; ``drift``: of the rate at which a locator is found. ``floor``: a share of fewer
    things is not held against anything.
    """

    tolerance: str = "0%"
    floor: int = 1
    drift: str = "10%"


class TrendPoint(Struct, frozen=True):
    """The ratios of one run on the way to this one; ``name``: what its baseline is called."""

    name: str
    ratios: Mapping[str, Share]


class Change(Struct, frozen=True):
    """Why a baseline was written anew: the day, the reason, and what became looser."""

    date: str
    because: str
    loosened: tuple[str, ...]


class Baseline(Struct, frozen=True):
    """What was recorded of an earlier run. ``sha256`` tells which rules measured it."""

    rules: str
    sha256: str
    slack: Slack
    ratios: Mapping[str, Share]
    locators: Mapping[str, LocatorCounts]
    history: tuple[Change, ...] = ()


class RatioLine(Struct, frozen=True):
    """One ratio beside the recorded one. ``found`` is None where the run does not measure it.

    ``withheld``: neither of them may be shown, for one of them is of too few.
    """

    name: str
    recorded: Share
    found: Share | None
    standing: Standing
    withheld: bool = False

    def to_dict(self) -> dict[str, object]:
        """How it stands, and both ratios; None in place of one that is withheld."""
        shown = not self.withheld
        return {
            "recorded": self.recorded.to_dict() if shown else None,
            "found": self.found.to_dict() if shown and self.found is not None else None,
            "standing": self.standing,
        }


class Drift(Struct, frozen=True):
    """One locator that meets another layout than it did: what changed, and the shares that tell it."""

    locator: str
    what: str
    recorded: Share
    found: Share

    def to_dict(self) -> dict[str, object]:
        """Every field under its name."""
        return {
            "locator": self.locator,
            "what": self.what,
            "recorded": self.recorded.to_dict(),
            "found": self.found.to_dict(),
        }


class BaselineCheck(Struct, frozen=True):
    """A run held against the baseline in ``file``."""

    file: str
    slack: Slack
    lines: tuple[RatioLine, ...]
    drift: tuple[Drift, ...]

    @property
    def worse(self) -> tuple[RatioLine, ...]:
        """The ratios that fail the run."""
        return tuple(line for line in self.lines if line.standing == "worse")

    def to_dict(self) -> dict[str, object]:
        """The slack, and every ratio with how it stands."""
        return {
            "file": self.file,
            "tolerance": self.slack.tolerance,
            "floor": self.slack.floor,
            "drift_tolerance": self.slack.drift,
            "ratios": {line.name: line.to_dict() for line in self.lines},
        }


def ratio_line(name: str, recorded: Share, found: Share | None, slack: Slack, *, withheld: bool = False) -> RatioLine:
    """One ratio of a run, held against the recorded one; a higher ratio is better."""
    return RatioLine(name, recorded, found, _standing(recorded, found, slack), withheld)


def _standing(recorded: Share, found: Share | None, slack: Slack) -> Standing:
    if found is None or min(recorded.whole, found.whole) < slack.floor:
        return "not_held"
    if found.ratio >= recorded.ratio:
        return "better" if found.ratio > recorded.ratio else "same"
    return "worse" if recorded.ratio - found.ratio > fraction(slack.tolerance) else "within_tolerance"


def fraction(percent: str) -> Fraction:
    """``2.5%`` as a fraction of one."""
    return Fraction(percent.removesuffix("%")) / 100


# --- drift ------------------------------------------------------------------------------------


def drifts(recorded: Mapping[str, LocatorCounts], found: Mapping[str, LocatorCounts], slack: Slack) -> Iterator[Drift]:
    """The locators of which the layout seems to have moved, each with the first sign of it.

    One that is no longer tried is none of them: what leads to it found nothing, and is told instead.
    """
    for locator, before in recorded.items():
        now = found.get(locator)
        if now is not None and min(before["tried"], now["tried"]) >= max(slack.floor, 1):
            sign = _first_sign(before, now, fraction(slack.drift))
            if sign is not None:
                yield Drift(locator, *sign)


def _first_sign(before: LocatorCounts, now: LocatorCounts, tolerance: Fraction) -> tuple[str, Share, Share] | None:
    met, meets = _rate(before), _rate(now)
    if met.part and not meets.part:
        return "finds nothing any more", met, meets
    if met.ratio - meets.ratio > tolerance:
        return "is found less often", met, meets
    unusable = _part(before, "malformed"), _part(now, "malformed")
    if unusable[1].ratio - unusable[0].ratio > tolerance:
        return "finds what cannot be used", *unusable
    numbers = _part(before, "numbers"), _part(now, "numbers")
    if abs(numbers[1].ratio - numbers[0].ratio) > tolerance and min(met.part, meets.part):
        turned = "numbers turned to text" if numbers[1].ratio < numbers[0].ratio else "text turned to numbers"
        return turned, *numbers
    return None


def _rate(counts: LocatorCounts) -> Share:
    """In how many tries a locator met something."""
    return Share(counts.get("met", counts["found"]), counts["tried"])


def _part(counts: LocatorCounts, kind: str) -> Share:
    """How much of what was found is of one kind."""
    return Share(counts.get(kind, 0), counts["found"])
