"""``gate``: every gate of a project file, and one verdict over them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from openmed_rules.cli.jobs import jobs_option, processes_of
from openmed_rules.cli.outputs import Output, check_places, to_file, write_outputs
from openmed_rules.cli.streams import show
from openmed_rules.formats import FORMATS
from openmed_rules.formats.wording import VERDICTS, besides, printable
from openmed_rules.gates.gating import GateResult, GatesResult, run_gates
from openmed_rules.gates.project import Gate, find_project, load_project
from openmed_rules.results.report import SCHEMA_VERSION, Report

NOT_WRITTEN: Final = 3


@click.command("gate")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--project", "project_file", metavar="FILE", help="Default: openmed-rules.yaml, upwards.")
@click.option("-f", "--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@jobs_option
@click.option("--report-only", is_flag=True, help="A gate that failed is no failure of the command.")
def gate_command(
    *, name: str | None, project_file: str | None, layout: str, jobs: int | None, report_only: bool
) -> int:
    """Run every gate of the project file, or the one called NAME.

    Exit code: 0 all passed, 1 one failed, 2 a project or rule file is wrong, 3 an input is missing or unreadable.
    """
    project = load_project(Path(project_file) if project_file is not None else find_project())
    gates = project.chosen(name)
    check_places(output for gate in gates for output in _outputs(gate) if output.file is not None)
    result = run_gates(project, gates, report_only=report_only, processes=processes_of(jobs))
    to_files = [
        (output, one.report)
        for one in result.results
        if one.report is not None
        for output in _outputs(one.gate)
        if output.file is not None
    ]
    written = write_outputs(to_files)
    show(_as_json(result) if layout == "json" else "".join(_as_text(result)))
    return max(result.exit_code, 0 if written else NOT_WRITTEN)


def _outputs(gate: Gate) -> list[Output]:
    return [to_file(FORMATS[name], file if file is not None else "-") for name, file in gate.outputs]


def _as_json(result: GatesResult) -> str:
    gates = [
        {"name": one.gate.name, "verdict": one.verdict, "exit_code": one.exit_code, **_report_or_problem(one)}
        for one in result.results
    ]
    whole = {
        "schema_version": SCHEMA_VERSION,
        "verdict": result.verdict,
        "passed": result.verdict == "passed",
        "report_only": result.report_only,
        "exit_code": result.exit_code,
        "gates": gates,
    }
    return json.dumps(whole, indent=2, allow_nan=False) + "\n"


def _report_or_problem(one: GateResult) -> dict[str, object]:
    if one.report is not None:
        return {"report": one.report.to_dict()}
    problem = one.problem
    return {"problem": {"code": problem.code, "message": problem.message}} if problem is not None else {}


def _as_text(result: GatesResult) -> Iterator[str]:
    """Each gate's results under its name, and a summary of all of them."""
    for one in result.results:
        yield f"== {printable(one.gate.name)}\n\n"
        if one.report is not None:
            shown = [output for output in _outputs(one.gate) if output.file is None]
            yield from (output.render(one.report) for output in shown)
            if not shown:
                yield FORMATS["text"](one.report)
        elif one.problem is not None:
            yield f"{printable(str(one.problem))}\n"
        yield "\n"
    yield "== All gates\n\n"
    width = max(len(printable(one.gate.name)) for one in result.results)
    for one in result.results:
        yield f"  {printable(one.gate.name).ljust(width)}  {', '.join(_words(one))}\n"
    report_only = "  report only: a failed gate does not fail the command" if result.report_only else ""
    yield f"\n{VERDICTS[result.verdict][0].upper()}  {_numbers(result)}{report_only}\n"


def _words(one: GateResult) -> Iterator[str]:
    yield VERDICTS[one.verdict][0]
    report: Report | None = one.report
    if report is not None:
        yield from report.reasons
        yield from besides(report)
    elif one.problem is not None:
        yield printable(str(one.problem))


def _numbers(result: GatesResult) -> str:
    verdicts = [one.verdict for one in result.results]
    told = [f"{verdicts.count(word)} {VERDICTS[word][0]}" for word in VERDICTS if word in verdicts]
    return f"{len(verdicts)} {'gate' if len(verdicts) == 1 else 'gates'}: {', '.join(told)}"
