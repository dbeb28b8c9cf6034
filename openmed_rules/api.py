"""Rules and results as a program meets them: load, check, assert."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from openmed_rules.errors import GateError, UsageError, contained
from openmed_rules.formats.json import render_json
from openmed_rules.formats.markdown import render_markdown
from openmed_rules.formats.text import render_text
from openmed_rules.gates import clock
from openmed_rules.gates.waiving import load_gate_rules
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.records import is_collection, read_records
from openmed_rules.results.places import Place, Position
from openmed_rules.results.report import Metrics, Report, VerdictWord
from openmed_rules.ruleset.model import RuleSet

SUMMARY = Place("summary")
EVIDENCE = Place("evidence")


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How a check ended: counts, ratios, codes and positions, and nothing of what stood in a record.

    It is true where the gate passed.
    """

    report: Report

    def __bool__(self) -> bool:
        """Whether the gate passed."""
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether the gate passed; never where no case could be read."""
        return self.report.passed

    @property
    def verdict(self) -> VerdictWord:
        """``passed``, ``failed``, or ``not_evaluated`` where no case could be read."""
        return self.report.verdict

    @property
    def reasons(self) -> tuple[str, ...]:
        """The codes of what failed."""
        return self.report.reasons

    @property
    def citations(self) -> Metrics | None:
        """The metrics of the citation report by name; None where the rules do not ask for it."""
        return self.report.citations

    @property
    def coverage(self) -> Metrics | None:
        """The metrics of the coverage report by name; None where the rules do not ask for it."""
        return self.report.coverage

    @property
    def positions(self) -> tuple[Position, ...]:
        """The first places of what failed: case, claim and citation numbers."""
        return self.report.positions

    def to_dict(self) -> dict[str, object]:
        """The published result, as ``check --format json`` writes it."""
        return self.report.to_dict()

    def to_json(self) -> str:
        """The published result as JSON text."""
        return render_json(self.report)

    def to_markdown(self) -> str:
        """The result as a comment on a pull request."""
        return render_markdown(self.report)

    def to_text(self) -> str:
        """The result as a reviewer reads it."""
        return render_text(self.report)


@dataclass(frozen=True, slots=True)
class Rules:
    """A rule file, ready to judge records: a thin face over its ``RuleSet``.

    It never changes, may be shared by threads and can be pickled. A record is a mapping, a dataclass, or an
    object with ``to_dict()`` or ``model_dump()``; no error that leaves a method holds anything of it.
    """

    rule_set: RuleSet = field(repr=False)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        """Take the name of the rule set, by which these rules are told apart."""
        object.__setattr__(self, "name", self.rule_set.name)

    def check(self, summary: object, evidence: object = None) -> CheckResult:
        """Judge one summary.

        In a test call ``assert_gate`` instead: pytest prints what an ``assert`` compares, arguments and all.

        ``evidence``: the second input, one record, where the rules read one.

        Raises:
            InputError: the rules read an evidence input, and there is none.
            UsageError: no collection of the rules reads the evidence input, or cases cannot be paired.
        """
        outcome = contained("judging", _judge_one, self.rule_set, summary, evidence)
        del summary, evidence
        if isinstance(outcome, BaseException):
            raise outcome
        return CheckResult(outcome)

    def check_many(self, summaries: Iterable[object], evidence: object = None) -> CheckResult:
        """Judge many summaries as one batch.

        ``evidence``: one record that serves every summary, or an iterable of records that meet the summaries
        by ``join``, or else one to one. (One record that is itself a list: put it into a list.)

        Raises:
            InputError: the rules read an evidence input, and there is none.
            UsageError: ``summaries`` is one record; no collection of the rules reads the evidence input; or
                cases cannot be paired.
        """
        outcome = contained("judging", _judge_many, self.rule_set, summaries, evidence)
        del summaries, evidence
        if isinstance(outcome, BaseException):
            raise outcome
        return CheckResult(outcome)

    def assert_gate(self, summary: object, evidence: object = None) -> CheckResult:
        """Judge one summary, and raise where it does not pass: a test in one line.

        Raises:
            GateError: an ``AssertionError`` with the codes of what failed.
            InputError: as ``check``.
            UsageError: as ``check``.
        """
        __tracebackhide__ = True
        outcome = contained("judging", _judge_one, self.rule_set, summary, evidence)
        del summary, evidence
        if isinstance(outcome, BaseException):
            raise outcome
        if not outcome.passed:
            raise GateError(*(outcome.reasons or (outcome.verdict,)))
        return CheckResult(outcome)


def load_rules(path_or_name: str | os.PathLike[str]) -> Rules:
    """The rules of a rule file, or of a built-in layout by its name.

    Raises:
        RuleFileError: with everything that is wrong with the file.
    """
    path = path_or_name if isinstance(path_or_name, str) else Path(path_or_name)
    outcome = contained("loading", load_gate_rules, path)  # the file may be an input that was named by mistake
    if isinstance(outcome, BaseException):
        raise outcome
    return Rules(outcome.rules)


def _judge_one(rules: RuleSet, summary: object, evidence: object) -> Report:
    return _judge(rules, (summary,), None if evidence is None else (evidence,))


def _judge_many(rules: RuleSet, summaries: object, evidence: object) -> Report:
    if not is_collection(summaries):
        raise UsageError("OMR-625", "check_many takes an iterable of records; for one record there is check")
    if evidence is None or is_collection(evidence):
        return _judge(rules, summaries, evidence)
    return _judge(rules, summaries, (evidence,))


def _judge(rules: RuleSet, summaries: Iterable[object], evidence: Iterable[object] | None) -> Report:
    documents = None if evidence is None else read_records(evidence, EVIDENCE)
    return judge_batch(rules, read_records(summaries, SUMMARY), documents, today=clock.today())
