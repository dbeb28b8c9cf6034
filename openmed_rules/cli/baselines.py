"""``baseline update``: record the ratios of a run, against which later runs are held."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

import click
from msgspec.structs import replace

from openmed_rules.cli.streams import show
from openmed_rules.errors import UsageError
from openmed_rules.formats.wording import WITHHELD, printable, share
from openmed_rules.gates import clock
from openmed_rules.gates.baseline_file import rewrite_baseline
from openmed_rules.gates.gating import prepare
from openmed_rules.gates.project import Gate, find_project, load_project
from openmed_rules.gates.ratchet import NewSlack, next_baseline
from openmed_rules.gates.runs import Run
from openmed_rules.gates.waiving import load_gate_rules
from openmed_rules.results.baseline import Baseline
from openmed_rules.results.holding import withheld_ratios
from openmed_rules.ruleset.schema import PERCENT_PATTERN
from openmed_rules.running.files import INPUT_FORMATS, InputFormat

LONGEST_REASON = 200


def _percent(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    if value is not None and not PERCENT_PATTERN.fullmatch(value):
        message = f"{value} is no percentage such as 1%"
        raise click.BadParameter(message)
    return value


@click.command("baseline")
@click.argument("action", type=click.Choice(["update"]), metavar="update")
@click.argument("inputs", nargs=-1, metavar="[INPUT...]")
@click.option("-r", "--rules", "rule_file", metavar="RULES", help="A rule file or a built-in layout.")
@click.option("--evidence", multiple=True, metavar="FILE", help="The second input; may be given again.")
@click.option("--baseline", "file", metavar="FILE", help="The file that is written.")
@click.option("--gate", "gate_name", metavar="NAME", help="Rules, inputs and file of this gate.")
@click.option("--project", "project_file", metavar="FILE", help="Default: openmed-rules.yaml, upwards.")
@click.option("--because", metavar="REASON", help="Why it may get looser; kept in the file.")
@click.option("--tolerance", callback=_percent, metavar="N%", help="How much worse a ratio may get. First: 0%.")
@click.option("--floor", type=click.IntRange(min=0), help="Shares of fewer things are not held. First: 1.")
@click.option(
    "--drift", callback=_percent, metavar="N%", help="How much less often a locator may be found. First: 10%."
)
@click.option("--input-format", type=click.Choice(INPUT_FORMATS), help="How the inputs are laid out.")
@click.option("--root", metavar="DIR", help="Where `extends` may reach.")
def baseline_command(  # noqa: PLR0913 - the options of the command, by name
    *,
    action: str,  # noqa: ARG001 - there is one
    inputs: tuple[str, ...],
    rule_file: str | None,
    evidence: tuple[str, ...],
    file: str | None,
    gate_name: str | None,
    project_file: str | None,
    because: str | None,
    tolerance: str | None,
    floor: int | None,
    drift: str | None,
    input_format: InputFormat | None,
    root: str | None,
) -> int:
    """Judge INPUT... by a rule file, or run a gate, and record the ratios in a baseline.

    It gets stricter by itself; looser only with --because. Exit code: 0 written, 2 wrong use, a wrong file or no
    reason, 3 an input that is missing or unreadable, or a baseline that cannot be written.
    """
    if because is not None and not (because.strip() and because.isprintable() and len(because) <= LONGEST_REASON):
        raise UsageError("OMR-807", f"--because is one line of 1 to {LONGEST_REASON} characters")
    if gate_name is not None:
        if inputs or evidence or rule_file or file:
            raise UsageError("OMR-807", "--gate says which rules, inputs and baseline are meant; leave them out")
        target, run = _of_gate(gate_name, project_file)
    elif rule_file is None or file is None or not inputs:
        raise UsageError("OMR-807", "baseline update needs --rules, INPUT and --baseline; or --gate")
    else:
        said = Gate("", rule_file, inputs, evidence, (), None, None)
        target, run = file, prepare(said, load_gate_rules(rule_file, root=root), input_format=input_format)
    report = replace(run, locators=True).report()
    slack = NewSlack(tolerance, floor, drift)
    written = rewrite_baseline(
        target, lambda known: next_baseline(known, report, slack, because and because.strip(), clock.today())
    )
    show(_words(target, written, withheld_ratios(report, written.ratios)))
    return 0


def _of_gate(name: str, project_file: str | None) -> tuple[str, Run]:
    """The baseline file of a gate, and its run, which is not held against it."""
    project = load_project(Path(project_file) if project_file is not None else find_project())
    (gate,) = project.chosen(name)
    if gate.baseline is None:
        raise UsageError("OMR-807", f"{project.file}: the gate {name} names no baseline")
    file = load_gate_rules(gate.rules, layer=gate.policy, max_days=project.max_days)
    return gate.baseline, prepare(gate, file)


def _words(file: str, baseline: Baseline, hidden: AbstractSet[str]) -> str:
    width = max(map(len, baseline.ratios), default=0)
    rows = "".join(
        f"  {printable(name).ljust(width)}  {WITHHELD if name in hidden else share(of)}\n"
        for name, of in sorted(baseline.ratios.items())
    )
    slack = baseline.slack
    return f"{printable(file)}: written; tolerance {slack.tolerance}, floor {slack.floor}, drift {slack.drift}\n{rows}"
