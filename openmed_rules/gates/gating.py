"""Gates to their reports: one run for each, side by side where that is worth it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from openmed_rules.errors import CodedError, InputError, InternalError
from openmed_rules.gates import clock
from openmed_rules.gates.project import Gate, Project
from openmed_rules.gates.runs import NamedBaseline, Run, baseline_of, rule_lines
from openmed_rules.gates.waiving import load_gate_rules
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.problems import RuleFileError
from openmed_rules.running.files import InputFormat, find_files
from openmed_rules.running.jobs import judge_jobs


class GateResult(Struct, frozen=True):
    """How one gate ended: with a report, or with the problem for which there is none."""

    gate: Gate
    report: Report | None
    problem: CodedError | None = None

    @property
    def exit_code(self) -> int:
        """The code of the report, or of the problem."""
        if self.report is not None:
            return self.report.exit_code
        return self.problem.exit_code if self.problem is not None else InternalError.exit_code

    @property
    def verdict(self) -> str:
        """The verdict of the report; ``not_evaluated`` where there is none."""
        return self.report.verdict if self.report is not None else "not_evaluated"


class GatesResult(Struct, frozen=True):
    """How all gates ended, and the one verdict over them."""

    results: tuple[GateResult, ...]
    report_only: bool = False

    @property
    def verdict(self) -> str:
        """``failed`` where one gate did, ``not_evaluated`` where one could not be, and else ``passed``."""
        verdicts = {result.verdict for result in self.results}
        return next((word for word in ("failed", "not_evaluated") if word in verdicts), "passed")

    @property
    def exit_code(self) -> int:
        """The largest code of a gate."""
        return max(result.exit_code for result in self.results)


def run_gates(project: Project, gates: Sequence[Gate], *, report_only: bool = False, processes: int = 1) -> GatesResult:
    """Run ``gates`` of ``project``. ``processes``: how many may judge them, as in ``judge_jobs``.

    A gate whose inputs cannot be had has a problem in place of a report, and the others go on.

    Raises:
        RuleFileError: with everything that is wrong with the rule files and baselines; then none is run.
        InternalError: a worker died.
    """
    loaded = [_loaded(project, gate) for gate in gates]
    problems = [problem for one in loaded if isinstance(one, RuleFileError) for problem in one.problems]
    if problems:
        raise RuleFileError(dict.fromkeys(problems))
    files = [one for one in loaded if not isinstance(one, RuleFileError)]
    prepared = [_ready(gate, *one, report_only=report_only) for gate, one in zip(gates, files, strict=True)]
    runs = [run for run in prepared if isinstance(run, Run)]
    parts = iter(judge_jobs([run.job for run in runs], processes))
    ended = [
        (gate, run.ended(next(parts)) if isinstance(run, Run) else run)
        for gate, run in zip(gates, prepared, strict=True)
    ]
    results = [
        GateResult(gate, outcome) if isinstance(outcome, Report) else GateResult(gate, None, outcome)
        for gate, outcome in ended
    ]
    return GatesResult(tuple(results), report_only)


def _loaded(project: Project, gate: Gate) -> tuple[RuleFile, NamedBaseline] | RuleFileError:
    """The rule file and the baseline of a gate, or what is wrong with them."""
    try:
        file = load_gate_rules(gate.rules, layer=gate.policy, max_days=project.max_days)
        return file, baseline_of(gate.baseline, file.rules)
    except RuleFileError as error:
        return error


def _ready(gate: Gate, file: RuleFile, baseline: NamedBaseline, *, report_only: bool) -> Run | InputError:
    """The run of a gate, or why its inputs cannot be had."""
    try:
        return prepare(gate, file, baseline, report_only=report_only)
    except InputError as error:
        return error


def prepare(
    gate: Gate,
    file: RuleFile,
    baseline: NamedBaseline = None,
    *,
    input_format: InputFormat | None = None,
    report_only: bool = False,
) -> Run:
    """The run of a gate whose files have been loaded.

    Raises:
        InputError: a pattern of its inputs matches nothing.
    """
    return Run(
        file.rules,
        find_files(gate.summary, input_format),
        find_files(gate.evidence, input_format) if gate.evidence else None,
        clock.today(),
        baseline,
        rule_lines(file),
        report_only=report_only,
        min_cell=gate.min_cell,
    )
