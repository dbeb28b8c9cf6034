"""The report as annotations of a GitHub workflow: commands that its runner reads in the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from openmed_rules.formats.reasons import Concern, all_spots, failures, let_be, spots_left
from openmed_rules.formats.wording import VERDICTS, besides, printable, ratios
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report

MOST: Final = 10
"""How many errors, and how many warnings, of one step GitHub shows."""


def render_github(report: Report) -> str:
    """An error for each reason at its line of the rule file, then for each place; and the verdict as a notice.

    What only warns, or is waived, is a warning. There are as many of both as GitHub shows, and a notice says how
    many more there are.
    """
    errors = list(_errors(report))
    warnings = [_at_rules("warning", concern) for concern in let_be(report)]
    more = max(len(errors) - MOST, 0) + max(len(warnings) - MOST, 0) + (0 if report.passed else spots_left(report))
    lines = [*errors[:MOST], *warnings[:MOST], _verdict(report)]
    if more:
        lines.append(_command("notice", {"title": report.rules.name}, f"and {more} more in the report"))
    return "".join(f"{line}\n" for line in lines)


def _verdict(report: Report) -> str:
    verdict, why = VERDICTS[report.verdict]
    measured = (f"{ratio.name} {ratio.percent}, {ratio.share}" for ratio in ratios(report))
    said = "; ".join(filter(None, (verdict, why, *besides(report), *measured)))
    return _command("notice", {"title": report.rules.name}, said)


def _errors(report: Report) -> Iterator[str]:
    for concern in failures(report):
        yield _at_rules("error", concern)
    if not report.passed:
        for spot in all_spots(report):
            yield _command("error", {**_place(spot.place), "title": spot.reason}, f"{spot.place}: {spot.numbers}")


def _at_rules(name: str, concern: Concern) -> str:
    counts = f": {concern.found}" if concern.lines else ""
    place = _place(concern.rule_line) if concern.rule_line else {}
    waived = "waived: " if concern.standing == "waived" else ""
    return _command(name, {**place, "title": concern.reason}, f"{waived}{concern.meaning}{counts}")


def _place(place: Place) -> dict[str, str]:
    return {name: str(value) for name, value in place.to_dict().items()}


def _command(name: str, properties: Mapping[str, str], message: str) -> str:
    said = ",".join(f"{key}={_escaped(value, also=':,')}" for key, value in properties.items())
    return f"::{name} {said}::{_escaped(message)}"


def _escaped(text: str, also: str = "") -> str:
    """Text that ends neither a property nor the command."""
    return "".join(f"%{ord(letter):02X}" if letter == "%" or letter in also else letter for letter in printable(text))
