"""``validate`` and ``test``: what is wrong with rule files, and whether their own tests pass."""

from __future__ import annotations

import click
from msgspec.structs import replace

from openmed_rules.authoring.fixing import fix_rule_file
from openmed_rules.authoring.lint import lint
from openmed_rules.authoring.mutation import run_mutants
from openmed_rules.authoring.rule_test_results import Ran, junit_xml, text_lines
from openmed_rules.authoring.rule_tests import run_rule_tests
from openmed_rules.cli.streams import show
from openmed_rules.formats.wording import printable_lines
from openmed_rules.gates.waiving import load_gate_rules
from openmed_rules.ruleset.files import names_a_file
from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.problems import RuleFileError
from openmed_rules.running.output import write_output

TEST_FAILED = 1
WRONG_FILE = 2

_rule_files = click.argument("rule_files", nargs=-1, required=True, metavar="RULES...")
_root = click.option("--root", metavar="DIR", help="Where `extends` may reach.")


@click.command("validate")
@_rule_files
@_root
@click.option("--strict", is_flag=True, help="What is told as a warning is an error, too.")
@click.option("--fix", is_flag=True, help="Mend what is mechanical: missing quotes, a [*] that is dropped anyway.")
def validate_command(rule_files: tuple[str, ...], root: str | None, *, strict: bool, fix: bool) -> int:
    """Tell every problem of rule files at once, each with its place; and what is well formed, and probably wrong.

    Exit code: 0 all can be used, 2 one cannot, or with --strict has a warning.
    """
    code = 0
    for name in rule_files:
        if fix and names_a_file(name):
            _tell(*(f"{name}:{made.line}:{made.column}: mended" for made in fix_rule_file(name, root)))
        file = _load(name, root)
        warnings = lint(file) if file else ()
        for warning in warnings:
            _tell(str(warning if strict else replace(warning, message=f"warning: {warning.message}")))
        if file and not (strict and warnings):
            told = f", {len(warnings)} warning{'s' * (len(warnings) > 1)}" if warnings else ""
            _tell(f"{name}: ok ({file.rules.name}, version {file.rules.version}){told}")
        else:
            code = WRONG_FILE
    return code


@click.command("test")
@_rule_files
@_root
@click.option("-k", "word", default="", metavar="WORD", help="Only tests with WORD in their name.")
@click.option("--mutate", is_flag=True, help="Break each file in one place after the other; its tests must notice.")
@click.option("--require-tests", is_flag=True, help="A path or kind that no test reaches is refused, too.")
@click.option("--junit", metavar="FILE", help="Write how the tests ended as JUnit XML, too.")
def test_command(  # noqa: PLR0913 - the options of the command, by name
    rule_files: tuple[str, ...], root: str | None, *, word: str, mutate: bool, require_tests: bool, junit: str | None
) -> int:
    """Run the tests that rule files bring along.

    Exit code: 0 all passed, 1 one failed or a mutant survived, 2 a file cannot be used, or its tests prove nothing.
    """
    code = 0
    told: list[Ran] = []
    for name in rule_files:
        file = _load(name, root)
        if not file:
            code = WRONG_FILE
            continue
        run = run_rule_tests(file, word)
        if require_tests and run.untried and not run.refusal:
            run = replace(run, refusal="no test reaches what is named below")
        mutation = run_mutants(file) if mutate and not run.failed else None
        told.append((name, run, mutation))
        _tell(*text_lines(told[-1]))
        survived = mutation is not None and mutation.survivors
        code = max(code, WRONG_FILE if run.refusal else TEST_FAILED if run.failed or survived else 0)
    if junit is not None:
        write_output(junit, junit_xml(told))
    return code


def _load(name: str, root: str | None) -> RuleFile | None:
    """The rule file, or None once its problems are told."""
    try:
        return load_gate_rules(name, root=root)
    except RuleFileError as error:
        _tell(str(error))
    return None


def _tell(*texts: str) -> None:
    """Each text as lines of the result; also of a stranger's file, whose name or words a terminal could obey."""
    show("".join(f"{printable_lines(text)}\n" for text in texts))
