"""The report as text: what a reviewer wants to read first stands first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Literal, TypeAlias

from msgspec import Struct

from openmed_rules.errors import meaning
from openmed_rules.formats.wording import (
    READS_TEXT,
    VERDICTS,
    beside_baseline,
    besides,
    by_class,
    cases,
    class_count,
    counts,
    numbers,
    printable,
    ratios,
    share,
    standing,
    waiver_words,
)
from openmed_rules.results.report import ReasonLine, Report

Role: TypeAlias = Literal["passed", "failed", "not_evaluated", "heading", "reason", "plain"]

_LISTED = 20
"""How many unreadable cases are told one by one."""


class Line(Struct, frozen=True):
    """One line and what it is, for those who can show it in colour."""

    text: str
    role: Role = "plain"


def render_text(report: Report) -> str:
    """The lines of ``text_lines``, without colour."""
    return "".join(f"{line.text}\n" for line in text_lines(report))


def text_lines(report: Report) -> Iterator[Line]:
    """Verdict and ratios, what failed and where, what was tolerated, and what was evaluated at all."""
    verdict, why = VERDICTS[report.verdict]
    name, beside = printable(report.rules.name), besides(report)
    yield Line(f"{verdict.upper()}  {name}  {', '.join(filter(None, (why, *beside)))}".rstrip(), report.verdict)
    yield from _section("Drift", _drift(report), "reason")
    yield from _section("", ((ratio.name, ratio.percent, ratio.share) for ratio in ratios(report)))
    yield from _section("Reasons", _reasons(report), "reason")
    yield from _section("Warnings", _amounts(report.warnings))
    yield from _section("Waived", _amounts(report.waived))
    yield from _section("Waivers", _waivers(report))
    yield from _section("Baseline", _baseline(report))
    yield from _section("Tolerated", _tolerated(report))
    yield from _section("Where to look", _positions(report))
    yield from _section("Unreadable", _unreadable(report))
    yield from _section(by_class(report), _classes(report))
    yield from _section("Evaluated", _evaluated(report))
    yield from _section("Locators", _locators(report))


def _section(heading: str, rows: Iterable[tuple[str, ...]], role: Role = "plain") -> Iterator[Line]:
    """The rows as columns under a heading; nothing where there is no row."""
    rows = list(rows)
    if not rows:
        return
    yield Line("")
    if heading:
        yield Line(heading, "heading")
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    for row in rows:
        yield Line(f"  {'  '.join(map(str.ljust, row, widths))}".rstrip(), role)


def _reasons(report: Report) -> Iterator[tuple[str, ...]]:
    told = set()
    for line in report.lines:
        if line.failed:
            told.add(line.reason)
            yield _row(line)
    for reason in report.reasons:
        if reason not in told:
            yield ("run", reason)


def _tolerated(report: Report) -> Iterator[tuple[str, ...]]:
    return (_row(line) for line in report.lines if line.found and standing(line) == "tolerated")


def _row(line: ReasonLine) -> tuple[str, ...]:
    found = str(line.found) if line.of is None else f"{line.found} of {line.of}"
    return line.report, line.reason, found, f"tolerated: {printable(line.limit)}"


def _drift(report: Report) -> Iterator[tuple[str, ...]]:
    for drift in report.baseline.drift if report.baseline is not None else ():
        yield printable(drift.locator), drift.what, f"was {share(drift.recorded)}", f"is {share(drift.found)}"


def _amounts(found: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    return ((reason, str(amount)) for reason, amount in found.items())


def _waivers(report: Report) -> Iterator[tuple[str, ...]]:
    for waiver in report.waivers:
        because = f"{printable(waiver.because)} ({printable(waiver.owner)})"
        yield waiver.reason, waiver_words(waiver), f"waived: {waiver.waived}", because


def _baseline(report: Report) -> Iterator[tuple[str, ...]]:
    for line in report.baseline.lines if report.baseline is not None else ():
        recorded, found = beside_baseline(line)
        yield printable(line.name), f"recorded {recorded}", found, line.standing.replace("_", " ")


def _positions(report: Report) -> Iterator[tuple[str, ...]]:
    for position in report.positions:
        yield printable(str(position.place)), numbers(position), position.reason
    if report.positions_left:
        yield (f"and {report.positions_left} more",)


def _unreadable(report: Report) -> Iterator[tuple[str, ...]]:
    for unreadable in report.unreadable[:_LISTED]:
        yield printable(str(unreadable.place)), unreadable.code, meaning(unreadable.code)
    left = report.cases.unreadable - len(report.unreadable[:_LISTED])
    if left > 0:
        yield (f"and {left} more",)


def _classes(report: Report) -> Iterator[tuple[str, ...]]:
    for label, found in report.shown_classes().items():
        yield printable(label), *(f"{name.replace('_', ' ')} {class_count(count)}" for name, count in found.items())


def _evaluated(report: Report) -> Iterator[tuple[str, str]]:
    yield "cases", f"{report.cases.total}: {cases(report.cases)}"
    if left_out := counts(report.left_out):
        yield "left out by where", left_out
    if joined := counts(report.joined):
        yield "joined by merge", joined
    if report.orphan_citations:
        yield "orphan citations", str(report.orphan_citations)
    yield "rules", f"version {report.rules.version}, sha256 {report.rules.sha256[:12]}"
    if report.reads_text:
        yield "reads text", READS_TEXT


def _locators(report: Report) -> Iterator[tuple[str, ...]]:
    for path, found in (report.locators or {}).items():
        dead = ("never found",) if found["tried"] and not found["found"] else ()
        yield printable(path), f"tried {found['tried']}", f"found {found['found']}", *dead
