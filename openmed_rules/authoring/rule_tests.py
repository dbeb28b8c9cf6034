"""The tests that a rule file brings along: what each expects and got, and what they leave untried."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from openmed_rules.errors import CodedError, meaning
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import Document, PlainValue
from openmed_rules.results.places import Place
from openmed_rules.results.report import Metrics, Report
from openmed_rules.ruleset.loader import RuleFile, RuleTest
from openmed_rules.ruleset.model import RuleSet
from openmed_rules.running.files import find_files
from openmed_rules.running.reading import read_documents

NO_TESTS = "there are no tests"
NONE_FAILS = "none of the tests fails the gate, so a gate that lets everything through would pass them all"

_CLOSE = 0.0005
"""How far a ratio may be from what a test writes with three decimals."""


class Difference(Struct, frozen=True):
    """One thing that a test expects and did not get, in words."""

    what: str
    expected: str
    got: str


class RuleTestOutcome(Struct, frozen=True):
    """How one test ended. ``report`` is None where its inputs do not go with the rules."""

    name: str
    differences: tuple[Difference, ...]
    report: Report | None = None

    @property
    def passed(self) -> bool:
        """Whether the test got what it expects."""
        return not self.differences


class RuleTestRun(Struct, frozen=True):
    """How the tests of one rule file ended.

    ``refusal``: why they prove nothing, even where all of them pass; or empty. ``untried``: the locators that
    found nothing in any test; what holds only such (a kind, a collection) stands for all of them. ``unseen``: reasons
    of which the rules speak, and that no test gave.
    """

    outcomes: tuple[RuleTestOutcome, ...]
    refusal: str
    untried: tuple[str, ...]
    unseen: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        """How many tests did not get what they expect."""
        return sum(not outcome.passed for outcome in self.outcomes)


def run_rule_tests(file: RuleFile, word: str = "") -> RuleTestRun:
    """Run the tests of ``file``: every one, or those whose name has ``word`` in it.

    A part of the tests proves nothing about the whole, so nothing is said of what it leaves open.
    """
    named = (test for test in file.tests if word.casefold() in test.name.casefold())
    outcomes = tuple(_run(test, file.rules, locators=True) for test in named)
    if word:
        return RuleTestRun(outcomes, "" if outcomes else f"no test has {word} in its name", ())
    reports = [outcome.report for outcome in outcomes if outcome.report]
    return RuleTestRun(outcomes, _refusal(file, reports), _untried(reports), _unseen(file.rules, reports))


def all_pass(tests: Iterable[RuleTest], rules: RuleSet) -> bool:
    """Whether ``rules`` pass all of ``tests``; the first that fails is the last that is run."""
    return all(_run(test, rules, locators=False).passed for test in tests)


def _run(test: RuleTest, rules: RuleSet, *, locators: bool) -> RuleTestOutcome:
    try:
        summary, evidence = _inputs(test)
        report = judge_batch(rules, summary, evidence, locators=locators)
    except CodedError as error:
        return RuleTestOutcome(test.name, (Difference("inputs", "inputs that go with the rules", str(error)),))
    return RuleTestOutcome(test.name, tuple(_differences(test.expect, report)), report)


def _inputs(test: RuleTest) -> tuple[Iterable[Document], Iterable[Document] | None]:
    if test.files:
        summary, evidence = test.files
        return _read(summary), None if evidence is None else _read(evidence)
    evidence_cases = [case.evidence for case in test.cases if case.evidence is not None]
    return (
        _documents("summary", (case.summary for case in test.cases)),
        _documents("evidence", evidence_cases) if evidence_cases else None,
    )


def _read(file: Path) -> Iterator[Document]:
    return read_documents(find_files([os.fspath(file)]))


def _documents(name: str, values: Iterable[object]) -> Iterator[Document]:
    return (PlainValue(Place(name), value) for value in values)


def _differences(expect: Mapping[str, Any], report: Report) -> Iterator[Difference]:
    for unreadable in report.unreadable[:1]:
        yield Difference("inputs", "cases that can be read", f"{unreadable.place}: {meaning(unreadable.code)}")
    if not report.cases.total:
        yield Difference("inputs", "at least one case", "none")
    if expect.get("passed", report.passed) != report.passed:
        yield Difference("passed", _word(expect["passed"]), _word(report.passed))
    if missing := [reason for reason in expect.get("reasons", ()) if reason not in report.reasons]:
        yield Difference("reasons", _word(missing), _word([*report.reasons]))
    yield from _metric_differences("citations", expect.get("citations", {}), report.citations)
    yield from _metric_differences("coverage", expect.get("coverage", {}), report.coverage)


def _metric_differences(name: str, expected: Mapping[str, Any], metrics: Metrics | None) -> Iterator[Difference]:
    got = metrics or {}  # nothing is expected of a report that the rules do not ask for
    for metric, wanted in expected.items():
        if not _same(wanted, got[metric]):
            yield Difference(f"{name}.{metric}", _word(wanted), _word(got[metric]))


def _same(wanted: object, got: object) -> bool:
    """Whether a metric is what a test writes: a ratio with three decimals, but all and nothing exactly."""
    if isinstance(wanted, list):
        return set(wanted) == set(cast("list[str]", got))
    if isinstance(wanted, float) and isinstance(got, float) and not {wanted, got} & {0.0, 1.0}:
        return abs(wanted - got) < _CLOSE
    return wanted == got


def _word(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refusal(file: RuleFile, reports: Iterable[Report]) -> str:
    verdicts = {report.verdict for report in reports}
    if not file.tests:
        return NO_TESTS
    return NONE_FAILS if "failed" not in verdicts else ""


def _untried(reports: Iterable[Report]) -> tuple[str, ...]:
    """The locators that found nothing; what holds only such (a kind, a collection) stands for all of them."""
    found: Counter[str] = Counter()
    for report in reports:
        for locator, counts in (report.locators or {}).items():
            for part in _enclosing(locator):
                found[part] += counts["found"]
    widest = (next((part for part in _enclosing(locator) if not found[part]), None) for locator in found)
    return tuple(dict.fromkeys(filter(None, widest)))


def _enclosing(locator: str) -> Iterator[str]:
    """``citations[1].id`` stands in ``citations``, in ``citations[1]``, and is itself the last."""
    for end in re.finditer(r"(?=[.\[])|$", locator):
        yield locator[: end.start()]


def _unseen(rules: RuleSet, reports: Iterable[Report]) -> tuple[str, ...]:
    """The reasons that the rules tolerate or can give, and that no report has."""
    told = [reason for reason, _ in (*rules.policy.tolerate, *rules.policy.warn)]
    references = [each for citing in rules.citations for each in (citing.kinds or (citing,))]
    possible = (
        ("unsupported_claim", True),
        ("missing_source_record", any(each.id or not each.span for each in references)),
        ("unavailable_span", any(each.span for each in references)),
        ("omitted_source_fact", "coverage" in rules.reports),
        ("orphan_citation", any(citing.claim for citing in rules.citations)),
    )
    told += [reason for reason, can_be in possible if can_be]
    seen = {reason for report in reports for reason in (*report.reasons, *report.tolerated, *report.warnings)}
    return tuple(reason for reason in dict.fromkeys(told) if reason not in seen)
