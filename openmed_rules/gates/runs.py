"""One run of a gate: all that it needs, and the report that it gives."""

from __future__ import annotations

from datetime import date
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from openmed_rules.errors import CodedError
from openmed_rules.gates.baseline_file import read_baseline
from openmed_rules.judging.batch import Part
from openmed_rules.results.baseline import Baseline
from openmed_rules.results.holding import hold_against
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report, RulesInfo
from openmed_rules.results.small_cells import MIN_CELL
from openmed_rules.results.waivers import in_force
from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.model import RuleSet
from openmed_rules.ruleset.reason_lines import reason_marks
from openmed_rules.running.dividing import Job
from openmed_rules.running.files import InputFile
from openmed_rules.running.following import Tell
from openmed_rules.running.jobs import judge_job

NamedBaseline: TypeAlias = "tuple[Baseline, str] | None"
"""A baseline, and what to call its file."""


class Run(Struct, frozen=True):
    """All that one run needs. ``baseline``: with what to call its file."""

    rules: RuleSet
    summary: tuple[InputFile, ...]
    evidence: tuple[InputFile, ...] | None
    today: date
    baseline: NamedBaseline = None
    rule_lines: tuple[tuple[str, Place], ...] = ()
    strict_json: bool = False
    positions: int = 20
    locators: bool = False
    report_only: bool = False
    min_cell: int = MIN_CELL

    @property
    def job(self) -> Job:
        """What is to be judged."""
        return Job(
            in_force(self.rules, self.today),
            self.summary,
            self.evidence,
            strict_json=self.strict_json,
            positions=self.positions,
            locators=self.counts_locators,
        )

    def report(self, processes: int = 1, tell: Tell | None = None) -> Report:
        """Judge it, and hold it against its baseline; ``processes`` and ``tell`` as in ``judge_job``.

        Raises:
            InputError: the rules read an evidence input, and there is none.
            InternalError: a process died or failed.
            UsageError: the inputs do not go together.
        """
        part = judge_job(self.job, processes, tell)
        return self.held(part.report(self.rules.policy.waivers, self.today))

    def ended(self, part: Part | CodedError) -> Report | CodedError:
        """The report, once all that is to be judged is in ``part``; a problem stays one."""
        if isinstance(part, CodedError):
            return part
        return self.held(part.report(self.rules.policy.waivers, self.today))

    @property
    def counts_locators(self) -> bool:
        """Whether locators are to be counted: for the report, or to be held against the baseline."""
        return self.locators or self.baseline is not None

    def held(self, report: Report) -> Report:
        """``report``, judged as this run says, held against the baseline and told as it is to be told."""
        report = replace(report, rule_lines=dict(self.rule_lines), report_only=self.report_only, min_cell=self.min_cell)
        if self.baseline is not None:
            report = hold_against(report, *self.baseline)
        return report if self.locators else replace(report, locators=None)


def rule_lines(file: RuleFile) -> tuple[tuple[str, Place], ...]:
    """Each reason, with the line of the rule file that decides on it."""
    return tuple((reason, Place(mark.file, mark.line)) for reason, mark in reason_marks(file).items())


def baseline_of(file: str | None, rules: RuleSet) -> NamedBaseline:
    """The baseline in ``file``, measured by ``rules``, with the name of the file; None where none is named.

    Raises:
        RuleFileError: it cannot be used.
    """
    if file is None:
        return None
    info = RulesInfo(rules.name, rules.version, rules.sha256, rules.measure_sha256)
    return read_baseline(file, info), file
