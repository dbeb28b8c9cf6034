"""The report as JUnit XML: a test for everything that was looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Literal, TypeAlias

from msgspec import Struct

from openmed_rules.formats.reasons import REASONS_OF, Concern, amount, failures, spots_left, words
from openmed_rules.formats.wording import VERDICTS, besides, printable, ratios, standing
from openmed_rules.results.report import ReasonLine, Report

Ending: TypeAlias = Literal["passed", "failure", "error", "skipped"]


class _Test(Struct, frozen=True):
    """One reason of one report, and how it ended; ``message`` and ``detail`` may be empty."""

    name: str
    ending: Ending
    message: str = ""
    detail: str = ""


def render_junit(report: Report) -> str:
    """One suite for each report and one for the run; ASCII, so that no encoding can break it."""
    suites = {name: list(_tests(report, name)) for name in _suite_names(report)}
    whole = _numbers([test for tests in suites.values() for test in tests])
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="{_text(report.rules.name)}" {whole}>']
    for name, tests in suites.items():
        skipped = sum(test.ending == "skipped" for test in tests)
        lines.append(f'  <testsuite name="{name}" {_numbers(tests)} skipped="{skipped}">')
        if name == "run":
            lines += ("    <properties>", *_properties(report), "    </properties>")
        lines += (line for test in tests for line in _lines(report, name, test))
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines).encode("ascii", "xmlcharrefreplace").decode("ascii") + "\n"


def _suite_names(report: Report) -> Iterator[str]:
    if report.citations is not None:
        yield "citations"
    if report.coverage is not None:
        yield "coverage"
    yield "run"


def _tests(report: Report, suite: str) -> Iterator[_Test]:
    failed = {failure.reason: failure for failure in failures(report)}
    lines = {line.reason: line for line in report.lines if line.report == suite}
    told = {line.reason for line in report.lines}
    # What failed and was found by no report stands with the run.
    others = [*lines, *(reason for reason in failed if suite == "run" and reason not in told)]
    if report.verdict == "not_evaluated" and suite == "run":
        yield _Test("evaluated", "error", VERDICTS[report.verdict][1])
    for reason in sorted({*REASONS_OF[suite], *others}):
        yield _test(report, reason, lines.get(reason), failed.get(reason) if reason in others else None)


def _test(report: Report, reason: str, line: ReasonLine | None, failure: Concern | None) -> _Test:
    if failure and (line is None or line.failed):
        ending: Ending = "error" if reason == "unreadable_case" else "failure"
        message = f"{failure.meaning}: {amount(line)}, tolerated: {line.limit}" if line else failure.meaning
        return _Test(reason, ending, message, _places(failure))
    if report.verdict == "not_evaluated":
        return _Test(reason, "skipped", VERDICTS[report.verdict][1])
    if line and line.found:
        detail = f"{standing(line)}: {words(reason)}: {amount(line)}, tolerated: {line.limit}"
        return _Test(reason, "passed", detail=detail)
    return _Test(reason, "passed")


def _places(failure: Concern) -> str:
    places = [f"{spot.place}: {spot.numbers}" for spot in failure.spots]
    if failure.rule_line:
        places.insert(0, f"decided at {failure.rule_line}")
    return "\n".join(map(printable, places))


def _lines(report: Report, suite: str, test: _Test) -> Iterator[str]:
    head = f'    <testcase classname="{_text(f"{report.rules.name}.{suite}")}" name="{_text(test.name)}"'
    if test.ending == "passed" and not test.detail:
        yield f"{head}/>"
        return
    yield f"{head}>"
    if test.ending == "passed":
        yield f"      <system-out>{_text(test.detail)}</system-out>"
    elif test.detail:
        attributes = f'type="{_text(test.name)}" message="{_text(test.message)}"'
        detail = "\n".join(map(_text, test.detail.split("\n")))
        yield f"      <{test.ending} {attributes}>{detail}</{test.ending}>"
    else:
        yield f'      <{test.ending} type="{_text(test.name)}" message="{_text(test.message)}"/>'
    yield "    </testcase>"


def _properties(report: Report) -> Iterator[str]:
    found = [
        ("verdict", report.verdict),
        *((ratio.name, f"{ratio.percent}, {ratio.share}") for ratio in ratios(report)),
    ]
    found += [("cases", str(report.cases.total)), ("places left out", str(spots_left(report)))]
    found += [("rules sha256", report.rules.sha256), *(("told", told) for told in besides(report))]
    return (f'      <property name="{_text(name)}" value="{_text(value)}"/>' for name, value in found)


def _numbers(tests: list[_Test]) -> str:
    endings = Counter(test.ending for test in tests)
    counts = {"tests": len(tests), "failures": endings["failure"], "errors": endings["error"]}
    return " ".join(f'{name}="{count}"' for name, count in counts.items())


def _text(text: str) -> str:
    """Text that marks up nothing, and that holds no character that XML does not know."""
    return escape(printable(text))
