"""The result of a run as one value: what every format shows."""

from __future__ import annotations

from datetime import date
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from openmed_rules.results.baseline import BaselineCheck, TrendPoint
from openmed_rules.results.places import Place, Position, Unreadable
from openmed_rules.results.small_cells import MIN_CELL, shown_classes
from openmed_rules.ruleset.model import Policy

SCHEMA_VERSION = 1
GATE_FAILED = 1
NOT_READ = 3

VerdictWord: TypeAlias = Literal["passed", "failed", "not_evaluated"]
Metrics: TypeAlias = dict[str, "int | float | bool | list[str]"]


class RulesInfo(Struct, frozen=True):
    """Which rule set judged.

    ``sha256`` is of its effective content, ``measure_sha256`` of what of it decides what is counted.
    """

    name: str
    version: int
    sha256: str
    measure_sha256: str = ""


class CaseTotals(Struct, frozen=True):
    """How many cases there were, and how they ended."""

    total: int
    passed: int
    failed: int
    unreadable: int


class ReasonLine(Struct, frozen=True):
    """One reason with what was found of how many, and what is tolerated (``limit`` in words of the rule file).

    ``report``: ``citations``, ``coverage`` or ``run``. ``failed``: beyond what is let be. ``warned`` and
    ``waived``: how much of it was beyond what is tolerated, and let be by a warning or by a waiver.
    """

    report: str
    reason: str
    found: int
    of: int | None
    limit: str
    failed: bool
    warned: int = 0
    waived: int = 0


class WaiverLine(Struct, frozen=True):
    """One waiver of the policy, and how it stands on the day of the run.

    ``state``: ``used``, ``unused`` (it is in force, and nothing needed it) or ``expired`` (it waives no more).
    ``expires_soon``: it is in force for a short time only. ``waived``: what was found that it let be.
    """

    reason: str
    until: date
    because: str
    owner: str
    state: Literal["used", "unused", "expired"]
    expires_soon: bool
    waived: int

    def to_dict(self) -> dict[str, str | int | bool]:
        """Every field under its name; the day as ``2027-01-31``."""
        return {
            "reason": self.reason,
            "until": self.until.isoformat(),
            "because": self.because,
            "owner": self.owner,
            "state": self.state,
            "expires_soon": self.expires_soon,
            "waived": self.waived,
        }


class Report(Struct, frozen=True):
    """One run, judged: counts, ratios, codes, positions and words of the rule file, and nothing else.

    ``citations`` and ``coverage`` hold the metrics of that report by name (``claim_count``, ``coverage``,
    ``failure_reasons``, ``passed``, ``fail_closed``, ``source_evidence_available``), None where the rule set
    does not ask for it. ``tolerated``: reason to count. ``positions_left``: how many more there are.
    ``left_out``: collection to how many items its ``where`` or an ignored kind left out.
    ``locators``: path of a locator in the rule file to ``{tried, found}``, and where they tell more ``met`` (tries
    that found something), ``numbers`` and ``malformed`` (values that were numbers, or could not be used).
    ``distribution``: report to how many cases have a ratio in each tenth, and of 1.
    ``warnings`` and ``waived``: reason to count. ``baseline``: how the run stands to a baseline, where it was held
    against one. ``report_only``: a gate that failed is no failure of the command. ``trend``: the baselines
    that were given, from the oldest, and this run; empty where there are fewer than two.
    ``policy``: how strict the gate is. ``rule_lines``: reason to the line of the rule file that decides on it.
    ``classes`` and ``unclassed`` (what could have a class and has none) hold the true counts, by which the gate
    decides; what is written of them is ``shown_classes``, by ``min_cell``.
    """

    rules: RulesInfo
    reads_text: bool
    verdict: VerdictWord
    reasons: tuple[str, ...]
    cases: CaseTotals
    citations: Metrics | None
    coverage: Metrics | None
    tolerated: dict[str, int]
    joined: dict[str, int]
    orphan_citations: int
    lines: tuple[ReasonLine, ...] = ()
    positions: tuple[Position, ...] = ()
    positions_left: int = 0
    unreadable: tuple[Unreadable, ...] = ()
    classes: dict[str, dict[str, int]] = field(default_factory=dict)
    unclassed: dict[str, int] = field(default_factory=dict)
    min_cell: int = MIN_CELL
    distribution: dict[str, list[int]] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    locators: dict[str, dict[str, int]] | None = None
    warnings: dict[str, int] = field(default_factory=dict)
    waived: dict[str, int] = field(default_factory=dict)
    waivers: tuple[WaiverLine, ...] = ()
    baseline: BaselineCheck | None = None
    report_only: bool = False
    trend: tuple[TrendPoint, ...] = ()
    policy: Policy = field(default_factory=Policy)
    rule_lines: dict[str, Place] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the gate lets the run through."""
        return self.verdict == "passed"

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 a case that could not be read; a failed gate is 0 with ``report_only``."""
        if self.verdict == "not_evaluated" or self.cases.unreadable:
            return NOT_READ
        return 0 if self.passed or self.report_only else GATE_FAILED

    def shown_classes(self) -> dict[str, dict[str, int | None]]:
        """The counts by class as they may be shown; None for one that is withheld."""
        return shown_classes(self.classes, self.unclassed, self.min_cell)

    def with_first(self, positions: int) -> Report:
        """The same report with no more than its first ``positions``, and as many of the unreadable cases."""
        left = max(len(self.positions) - positions, 0)
        return replace(
            self,
            positions=self.positions[:positions],
            positions_left=self.positions_left + left,
            unreadable=self.unreadable[:positions],
        )

    def to_dict(self) -> dict[str, object]:
        """The published JSON (schema version 1)."""
        whole: dict[str, object] = {
            "schema_version": SCHEMA_VERSION,
            "rules": {"name": self.rules.name, "version": self.rules.version, "sha256": self.rules.sha256},
            "reads_text": self.reads_text,
            "verdict": self.verdict,
            "passed": self.passed,
            "report_only": self.report_only,
            "exit_code": self.exit_code,
            "reasons": list(self.reasons),
            "cases": {
                "total": self.cases.total,
                "passed": self.cases.passed,
                "failed": self.cases.failed,
                "unreadable": self.cases.unreadable,
            },
        }
        if self.citations is not None:
            whole["citations"] = dict(self.citations)
        if self.coverage is not None:
            whole["coverage"] = dict(self.coverage)
        whole |= {
            "tolerated": dict(self.tolerated),
            "warnings": dict(self.warnings),
            "waived": dict(self.waived),
            "waivers": [waiver.to_dict() for waiver in self.waivers],
            "joined": dict(self.joined),
            "left_out": dict(self.left_out),
            "orphan_citations": self.orphan_citations,
            "positions": [position.to_dict() for position in self.positions],
            "positions_left": self.positions_left,
            "unreadable": [unreadable.to_dict() for unreadable in self.unreadable],
            "min_cell": self.min_cell,
            "classes": self.shown_classes(),
            "distribution": {report: list(tenths) for report, tenths in self.distribution.items()},
        }
        if self.baseline is not None:
            whole["drift"] = [drift.to_dict() for drift in self.baseline.drift]
            whole["baseline"] = self.baseline.to_dict()
        if self.locators is not None:
            whole["locators"] = {path: dict(counts) for path, counts in self.locators.items()}
        return whole
