"""``validate`` and ``test``: what is wrong with rule files, and whether their own tests pass."""

from __future__ import annotations

from collections.abc import Iterator

import click

from openmed_rules.authoring.rule_tests import RuleTestRun, run_rule_tests
from openmed_rules.cli.streams import show
from openmed_rules.ruleset.loader import RuleFile, load_rule_file
from openmed_rules.ruleset.problems import RuleFileError

TEST_FAILED = 1
WRONG_FILE = 2

_rule_files = click.argument("rule_files", nargs=-1, required=True, metavar="RULES...")
_root = click.option("--root", metavar="DIR", help="Where `extends` may reach.")


@click.command("validate")
@_rule_files
@_root
def validate_command(rule_files: tuple[str, ...], root: str | None) -> int:
    """Tell every problem of rule files at once, each with its place.

    Exit code: 0 all can be used, 2 one cannot.
    """
    code = 0
    for name in rule_files:
        file = _load(name, root)
        if file:
            show(f"{name}: ok ({file.rules.name}, version {file.rules.version})\n")
        else:
            code = WRONG_FILE
    return code


@click.command("test")
@_rule_files
@_root
def test_command(rule_files: tuple[str, ...], root: str | None) -> int:
    """Run the tests that rule files bring along.

    Exit code: 0 all passed, 1 one failed, 2 a file cannot be used, or its tests prove nothing.
    """
    code = 0
    for name in rule_files:
        file = _load(name, root)
        if not file:
            code = WRONG_FILE
            continue
        run = run_rule_tests(file)
        show("".join(f"{line}\n" for line in _lines(name, run)))
        code = max(code, WRONG_FILE if run.refusal else TEST_FAILED if run.failed else 0)
    return code


def _load(name: str, root: str | None) -> RuleFile | None:
    """The rule file, or None once its problems are told."""
    try:
        return load_rule_file(name, root=root)
    except RuleFileError as error:
        show(f"{error}\n")
    return None


def _lines(name: str, run: RuleTestRun) -> Iterator[str]:
    yield f"{name}: {len(run.outcomes) - run.failed} of {len(run.outcomes)} tests passed"
    for outcome in run.outcomes:
        yield f"  {'ok' if outcome.passed else 'FAILED'}  {outcome.name}"
        for difference in outcome.differences:
            yield f"    {difference.what}: expected {difference.expected}, got {difference.got}"
    if run.refusal:
        yield f"  REFUSED: {run.refusal}"
    if run.untried:
        yield "  found nothing in any test:"
        yield from (f"    {locator}" for locator in run.untried)
