"""``check``: both reports and the verdict."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import Final, NamedTuple

import click
from msgspec.structs import replace

from openmed_rules.cli.jobs import jobs_option, processes_of
from openmed_rules.cli.outputs import check_places, outputs_of, to_file, write_outputs
from openmed_rules.cli.progress import progress
from openmed_rules.cli.streams import tell
from openmed_rules.errors import InputError, UsageError
from openmed_rules.formats import FORMATS
from openmed_rules.formats.worklist import render_worklist
from openmed_rules.gates import clock
from openmed_rules.gates.runs import Run, baseline_of, rule_lines
from openmed_rules.gates.waiving import load_gate_rules
from openmed_rules.results.holding import with_trend
from openmed_rules.results.report import Report
from openmed_rules.results.small_cells import MIN_CELL
from openmed_rules.running.dividing import bytes_of
from openmed_rules.running.files import INPUT_FORMATS, STDIN, InputFormat, find_files

NOT_WRITTEN: Final = 3


@click.command("check")
@click.option("-r", "--rules", "rule_file", required=True, metavar="RULES", help="A rule file or a built-in layout.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--evidence", multiple=True, metavar="FILE", help="The second input; may be given again.")
@click.option(
    "-f",
    "--format",
    "formats",
    multiple=True,
    default=["text"],
    metavar="FORMAT[=FILE]",
    help=f"How the result is written, and where; may be given again. {', '.join(FORMATS)}. Default: text.",
)
@click.option("--output", metavar="FILE", help="Where a format without a FILE goes, instead of standard output.")
@click.option("--worklist", metavar="FILE", help="Write every place of what failed, one JSON object a line.")
@click.option("--input-format", type=click.Choice(INPUT_FORMATS), help="How the inputs are laid out.")
@click.option("--column", metavar="NAME", help="The column of a table that holds the case, instead of its row.")
@click.option(
    "--evidence-column",
    metavar="NAME",
    help="The same for the evidence; without --evidence it stands in the rows of INPUT.",
)
@click.option(
    "--engine",
    type=click.Choice(["python", "spark"]),
    default="python",
    show_default=True,
    help="What reads the inputs; Spark takes what it can read, wherever that is.",
)
@jobs_option
@click.option("--strict-json", is_flag=True, help="Refuse NaN, infinities, and two members of one name.")
@click.option("--positions", type=click.IntRange(min=0), default=20, show_default=True, metavar="N")
@click.option(
    "--min-cell",
    type=click.IntRange(min=1),
    default=MIN_CELL,
    show_default=True,
    metavar="N",
    help="The smallest count by class that is shown; 1 shows all.",
)
@click.option("--locators", is_flag=True, help="Tell how often each path was tried and found.")
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="FILE",
    help="Fail where a ratio is worse than the recorded one; the last of several counts, and the page shows the trend.",
)
@click.option("--report-only", is_flag=True, help="A gate that failed is no failure of the command.")
@click.option("--root", metavar="DIR", help="Where `extends` may reach.")
def check_command(  # noqa: PLR0913 - the options of the command, by name
    *,
    rule_file: str,
    inputs: tuple[str, ...],
    evidence: tuple[str, ...],
    formats: tuple[str, ...],
    output: str | None,
    worklist: str | None,
    input_format: InputFormat | None,
    column: str | None,
    evidence_column: str | None,
    engine: str,
    jobs: int | None,
    strict_json: bool,
    positions: int,
    min_cell: int,
    locators: bool,
    baselines: tuple[str, ...],
    report_only: bool,
    root: str | None,
) -> int:
    """Judge INPUT... by a rule file: files, directories or globs of JSON, JSONL (also .gz or .zst) or Parquet; or -.

    Exit code: 0 passed, 1 a gate failed, 2 wrong use or rule file, 3 an input that is missing or unreadable.
    """
    if [*inputs, *evidence].count(STDIN) > 1:
        raise UsageError("OMR-624", "standard input can be read only once")
    outputs = outputs_of(formats, output)
    worklists = () if worklist is None else (to_file(render_worklist, worklist),)
    check_places((*outputs, *worklists))
    file = load_gate_rules(rule_file, root=root)
    recorded = [baseline for name in baselines if (baseline := baseline_of(name, file.rules))]
    run = Run(
        rules=file.rules,
        summary=(),
        evidence=None,
        today=clock.today(),
        baseline=recorded[-1] if recorded else None,
        rule_lines=rule_lines(file),
        strict_json=strict_json,
        positions=sys.maxsize if worklists else positions,
        locators=locators,
        report_only=report_only,
        min_cell=min_cell,
    )
    tables = _Tables(input_format, column, evidence_column)
    judge = _judge_with_spark if engine == "spark" else partial(_judge_here, processes_of(jobs))
    whole = with_trend(judge(run, inputs, evidence, tables), recorded)
    report = whole.with_first(positions)
    written = write_outputs((*((output, report) for output in outputs), *((output, whole) for output in worklists)))
    if written and all(output.file for output in (*outputs, *worklists)):
        tell(f"openmed-rules: {', '.join((report.verdict, *report.reasons))}\n")
    return max(report.exit_code, 0 if written else NOT_WRITTEN)


class _Tables(NamedTuple):
    """How the inputs are laid out, and which columns of them are read."""

    layout: InputFormat | None
    column: str | None
    evidence_column: str | None


def _judge_here(processes: int, run: Run, inputs: Sequence[str], evidence: Sequence[str], tables: _Tables) -> Report:
    others = evidence or (inputs if tables.evidence_column is not None else ())
    run = replace(
        run,
        summary=find_files(inputs, tables.layout, tables.column),
        evidence=find_files(others, tables.layout, tables.evidence_column) if others else None,
    )
    with progress(bytes_of(run.job)) as told:
        return run.report(processes, told)


def _judge_with_spark(run: Run, inputs: Sequence[str], evidence: Sequence[str], tables: _Tables) -> Report:
    if evidence:
        raise UsageError("OMR-641", "Spark reads evidence from a column of the same rows: --evidence-column")
    if not all(map(find_spec, ("pyspark", "pyarrow", "pandas"))):
        raise InputError("OMR-642", "needs the package pyspark: pip install 'openmed-rules[spark]'")
    from openmed_rules.spark import judge_paths

    return run.held(judge_paths(run, inputs, *tables))
