"""How the tests of rule files ended, as text and as JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import chain
from typing import TypeAlias

from openmed_rules.authoring.mutation import MutationRun
from openmed_rules.authoring.rule_tests import RuleTestRun
from openmed_rules.formats.wording import printable
from openmed_rules.ruleset.problems import spell

Ran: TypeAlias = tuple[str, RuleTestRun, "MutationRun | None"]
"""The name of a rule file, how its tests ended, and the mutants, where there were any."""


def text_lines(ran: Ran) -> Iterator[str]:
    """What is told of one rule file."""
    name, run, mutation = ran
    noticed = ""
    if mutation is not None:
        noticed = f", {mutation.tried - len(mutation.survivors)} of {mutation.tried} mutants noticed"
    yield f"{name}: {len(run.outcomes) - run.failed} of {len(run.outcomes)} tests passed{noticed}"
    for outcome in run.outcomes:
        yield f"  {'ok' if outcome.passed else 'FAILED'}  {outcome.name}"
        for difference in outcome.differences:
            yield f"    {difference.what}: expected {difference.expected}, got {difference.got}"
    if run.refusal:
        yield f"  REFUSED: {run.refusal}"
    if run.untried:
        yield "  found nothing in any test:"
        yield from (f"    {locator}" for locator in run.untried)
    if run.unseen and not run.refusal:
        yield f"  given by no test: {', '.join(run.unseen)}"
    if mutation is not None:
        for mark, mutant in mutation.survivors:
            yield f"    {mark.file}:{mark.line}: {spell(mutant.place)}: {mutant.what}, and no test noticed"


def junit_xml(ran: Sequence[Ran]) -> str:
    """One suite for each rule file, one case for each of its tests; ASCII, so that no encoding can break it."""
    suites = [list(_cases(each)) for each in ran]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="rule tests" {_numbers(list(chain.from_iterable(suites)))}>',
    ]
    for (name, _, _), cases in zip(ran, suites, strict=True):
        lines.append(f'  <testsuite name="{_text(name)}" {_numbers(cases)}>')
        for case, told in cases:
            head = f'    <testcase classname="{_text(name)}" name="{_text(case)}"'
            if told:
                message, *more = told
                detail = "\n".join(map(_text, more))
                lines += (
                    f"{head}>",
                    f'      <failure message="{_text(message)}">{detail}</failure>',
                    "    </testcase>",
                )
            else:
                lines.append(f"{head}/>")
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines).encode("ascii", "xmlcharrefreplace").decode("ascii") + "\n"


_Case: TypeAlias = tuple[str, list[str]]
"""The name of a test, and what is told of its failure; nothing where it passed."""


def _cases(ran: Ran) -> Iterator[_Case]:
    _, run, mutation = ran
    for outcome in run.outcomes:
        yield outcome.name, [f"{each.what}: expected {each.expected}, got {each.got}" for each in outcome.differences]
    if run.refusal:
        yield "the tests prove something", [run.refusal]
    for mark, mutant in mutation.survivors if mutation is not None else ():
        yield f"a mutant is noticed: {spell(mutant.place)}", [f"{mark.file}:{mark.line}: {mutant.what}"]


def _numbers(cases: Sequence[_Case]) -> str:
    return f'tests="{len(cases)}" failures="{sum(bool(told) for _, told in cases)}"'


def _text(text: str) -> str:
    """Text that marks up nothing, and that holds no character that XML does not know."""
    return escape(printable(text))
