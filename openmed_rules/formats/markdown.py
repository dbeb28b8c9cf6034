"""The report as Markdown, made to be a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from openmed_rules.errors import meaning
from openmed_rules.formats.wording import (
    READS_TEXT,
    VERDICTS,
    besides,
    cases,
    counts,
    printable,
    ratios,
    standing,
)
from openmed_rules.results.report import Report

_ROWS = 100
"""How many rows the longest table has: a comment has a size that it may not pass."""

_PLAIN = re.compile(r"[^`|\\\s](?:[^`|\\]*[^`|\\\s])?")
"""What stands between two backticks, in a cell of a table too, as it is."""


def render_markdown(report: Report) -> str:
    """A heading with the verdict, and tables under it."""
    verdict, why = VERDICTS[report.verdict]
    blocks = [f"### {_name(report.rules.name)}: {verdict}{why and f', {why}'}"]
    if told := list(besides(report)):
        blocks.append("\n".join(f"- {_name(line)}" for line in told))
    blocks.append(_measures(report))
    blocks += _reasons(report)
    blocks += _positions(report)
    blocks += _unreadable(report)
    if report.reads_text:
        blocks.append(READS_TEXT)
    return "\n\n".join(blocks) + "\n"


def _measures(report: Report) -> str:
    rows = [(ratio.name, ratio.percent, ratio.share) for ratio in ratios(report)]
    rows.append(("cases", str(report.cases.total), cases(report.cases)))
    if left_out := counts(report.left_out):
        rows.append(("left out by `where`", "", _name(left_out)))
    if joined := counts(report.joined):
        rows.append(("joined by `merge`", "", _name(joined)))
    return _table(("measure", "value", "of"), rows)


def _reasons(report: Report) -> Iterator[str]:
    lines = [line for line in report.lines if line.found or line.failed]
    untold = [reason for reason in report.reasons if reason not in {line.reason for line in lines if line.failed}]
    rows = [
        (
            f"`{line.reason}`",
            line.report,
            str(line.found),
            "" if line.of is None else str(line.of),
            _name(line.limit),
            "**failed**" if line.failed else standing(line),
        )
        for line in lines
    ]
    rows += [(f"`{reason}`", "run", "", "", "", "**failed**") for reason in untold]
    if rows:
        yield _table(("reason", "report", "found", "of", "limit", ""), rows)


def _positions(report: Report) -> Iterator[str]:
    header = ("file", "case", "claim", "citation", "record", "reason")
    rows = [
        (
            _name(str(position.place)),
            str(position.case),
            *(str(number or "") for number in (position.claim, position.citation, position.record)),
            f"`{position.reason}`",
        )
        for position in report.positions[:_ROWS]
    ]
    if rows:
        yield _folded("Where to look", header, rows, len(report.positions) + report.positions_left)


def _unreadable(report: Report) -> Iterator[str]:
    rows = [
        (_name(str(unreadable.place)), f"`{unreadable.code}`", meaning(unreadable.code))
        for unreadable in report.unreadable[:_ROWS]
    ]
    if rows:
        yield _folded("Unreadable", ("file", "code", "meaning"), rows, report.cases.unreadable)


def _folded(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], found: int) -> str:
    rest = f"and {found - len(rows)} more" if found > len(rows) else ""
    blocks = (f"<details><summary>{title} ({found})</summary>", _table(header, rows), rest, "</details>")
    return "\n\n".join(filter(None, blocks))


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def _name(name: str) -> str:
    """A name as code, so that nothing in it can mark up the page or begin another row."""
    name = printable(name)
    if _PLAIN.fullmatch(name):
        return f"`{name}`"
    return f"<code>{''.join(letter if letter.isalnum() else f'&#{ord(letter)};' for letter in name)}</code>"
