"""``check``: both reports and the verdict."""

from __future__ import annotations

import sys
from typing import Final

import click

from openmed_rules.cli.streams import show, tell
from openmed_rules.errors import UsageError
from openmed_rules.formats import FORMATS
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.running.files import STDIN, InputFormat, find_files
from openmed_rules.running.output import write_output
from openmed_rules.running.reading import read_documents

GATE_FAILED: Final = 1
NOT_READ: Final = 3


@click.command("check")
@click.option(
    "-r", "--rules", "rule_file", required=True, metavar="RULES", help="A rule file or a built-in layout."
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--evidence", multiple=True, metavar="FILE", help="The second input; may be given again.")
@click.option("--format", "layout", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option("--output", metavar="FILE", help="Where the result goes, instead of standard output.")
@click.option("--input-format", type=click.Choice(["json", "jsonl"]), help="How the inputs are laid out.")
@click.option("--strict-json", is_flag=True, help="Refuse objects with two members of one name.")
@click.option("--positions", type=click.IntRange(min=0), default=20, show_default=True, metavar="N")
@click.option("--locators", is_flag=True, help="Tell how often each path was tried and found.")
@click.option("--report-only", is_flag=True, help="A gate that failed is no failure of the command.")
@click.option("--root", metavar="DIR", help="Where `extends` may reach.")
def check_command(  # noqa: PLR0913 - the options of the command, by name
    *,
    rule_file: str,
    inputs: tuple[str, ...],
    evidence: tuple[str, ...],
    layout: str,
    output: str | None,
    input_format: InputFormat | None,
    strict_json: bool,
    positions: int,
    locators: bool,
    report_only: bool,
    root: str | None,
) -> int:
    """Judge INPUT... by a rule file: files, directories or globs of JSON or JSONL, also .gz or .zst; or -.

    Exit code: 0 passed, 1 a gate failed, 2 wrong use or rule file, 3 an input that is missing or unreadable.
    """
    if [*inputs, *evidence].count(STDIN) > 1:
        raise UsageError("OMR-624", "standard input can be read only once")
    rules = load_rule_file(rule_file, root=root).rules
    summary_files = find_files(inputs, input_format)
    evidence_files = find_files(evidence, input_format)
    report = judge_batch(
        rules,
        read_documents(summary_files),
        read_documents(evidence_files) if evidence else None,
        strict_json=strict_json,
        positions=positions,
        locators=locators,
    )
    _write(report, layout, output)
    return _exit_code(report, report_only=report_only)


def _write(report: Report, layout: str, output: str | None) -> None:
    if output is not None and output != STDIN:
        write_output(output, FORMATS[layout](report))
        tell(f"openmed-rules: {', '.join((report.verdict, *report.reasons))}\n")
    elif layout == "text" and sys.stdout is not None and sys.stdout.isatty():
        from openmed_rules.cli.terminal import in_colour

        show(in_colour(report))
    else:
        show(FORMATS[layout](report))


def _exit_code(report: Report, *, report_only: bool) -> int:
    if report.verdict == "not_evaluated" or report.cases.unreadable:
        return NOT_READ
    return 0 if report.passed or report_only else GATE_FAILED
