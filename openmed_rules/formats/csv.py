"""The report as one table, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, Final

from openmed_rules.formats.reasons import all_spots
from openmed_rules.formats.wording import printable, standing
from openmed_rules.results.baseline import BaselineCheck
from openmed_rules.results.report import Report

COLUMNS: Final = (
    "row",
    "report",
    "name",
    "value",
    "of",
    "limit",
    "standing",
    "file",
    "line",
    "case",
    "claim",
    "citation",
    "record",
    "code",
)
"""``row`` says what a row is: ``rules``, ``verdict``, ``cases``, ``metric``, ``reason``, ``waiver``, ``baseline``,
``drift`` or ``place``."""

_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What makes a spreadsheet take a cell for a formula; the last four are the first four in full width."""


def render_csv(report: Report) -> str:
    """A heading, and a row for everything that has a number; a cell is never a formula."""
    table = io.StringIO()
    writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in _rows(report):
        writer.writerow({column: _cell(value) for column, value in row.items()})
    return table.getvalue()


def _rows(report: Report) -> Iterator[dict[str, Any]]:
    yield {"row": "rules", "report": "run", "name": report.rules.name, "value": report.rules.sha256}
    report_only = "report only" if report.report_only else ""
    yield {"row": "verdict", "report": "run", "name": report.verdict, "standing": report_only}
    totals = report.cases
    for name, count in (("passed", totals.passed), ("failed", totals.failed), ("unreadable", totals.unreadable)):
        yield {"row": "cases", "report": "run", "name": name, "value": count, "of": totals.total}
    for part, metrics in (("citations", report.citations), ("coverage", report.coverage)):
        for name, value in (metrics or {}).items():
            if not isinstance(value, list):
                yield {"row": "metric", "report": part, "name": name, "value": value}
    for line in report.lines:
        yield {
            "row": "reason",
            "report": line.report,
            "name": line.reason,
            "value": line.found,
            "of": line.of,
            "limit": line.limit,
            "standing": standing(line),
        }
    for waiver in report.waivers:
        until = f"until {waiver.until.isoformat()}"
        yield _row("waiver", waiver.reason, waiver.waived, until, waiver.state)
    if report.baseline is not None:
        yield from _baseline(report.baseline)
    for spot in all_spots(report):
        known = {name: value for name, value in spot.known.items() if name != "reason"}
        yield {"row": "place", "report": "run", "name": spot.reason, **known}


def _baseline(check: BaselineCheck) -> Iterator[dict[str, Any]]:
    for line in check.lines:
        value = None if line.found is None or line.withheld else float(line.found.ratio)
        recorded = None if line.withheld else float(line.recorded.ratio)
        yield _row("baseline", line.name, value, recorded, line.standing)
    for drift in check.drift:
        yield _row("drift", drift.locator, float(drift.found.ratio), float(drift.recorded.ratio), drift.what)


def _row(row: str, name: str, value: object, limit: object, standing: str) -> dict[str, Any]:
    return {"row": row, "report": "run", "name": name, "value": value, "limit": limit, "standing": standing}


def _cell(value: object) -> str:
    """A value as text that no spreadsheet obeys: what would be a formula is quoted by an apostrophe."""
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else printable(str(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
