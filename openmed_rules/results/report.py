"""The result of a run as one value: what every format shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from openmed_rules.results.places import Place, Position, Unreadable
from openmed_rules.ruleset.model import Policy

SCHEMA_VERSION = 1

VerdictWord: TypeAlias = Literal["passed", "failed", "not_evaluated"]
Metrics: TypeAlias = dict[str, "int | float | bool | list[str]"]


@dataclass(frozen=True, slots=True)
class RulesInfo:
    """Which rule set judged. ``sha256`` is of its effective content."""

    name: str
    version: int
    sha256: str


@dataclass(frozen=True, slots=True)
class CaseTotals:
    """How many cases there were, and how they ended."""

    total: int
    passed: int
    failed: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """One reason with what was found of how many, and what is tolerated (``limit`` in words of the rule file).

    ``report``: ``citations``, ``coverage`` or ``run``. ``failed``: beyond what is tolerated.
    """

    report: str
    reason: str
    found: int
    of: int | None
    limit: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Report:
    """One run, judged: counts, ratios, codes, positions and words of the rule file, and nothing else.

    ``citations`` and ``coverage`` hold the metrics of that report by name (``claim_count``, ``coverage``,
    ``failure_reasons``, ``passed``, ``fail_closed``, ``source_evidence_available``), None where the rule set
    does not ask for it. ``tolerated``: reason to count. ``positions_left``: how many more there are. ``left_out``: collection to how many items its ``where``
    or an ignored kind left out. ``locators``: path of a locator in the rule file to ``{tried, found}``.
    ``policy``: how strict the gate is. ``rule_lines``: reason to the line of the rule file that decides on it.
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
    left_out: dict[str, int] = field(default_factory=dict)
    locators: dict[str, dict[str, int]] | None = None
    policy: Policy = Policy()
    rule_lines: dict[str, Place] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the gate lets the run through."""
        return self.verdict == "passed"

    def to_dict(self) -> dict[str, object]:
        """The published JSON (schema version 1)."""
        whole: dict[str, object] = {
            "schema_version": SCHEMA_VERSION,
            "rules": {"name": self.rules.name, "version": self.rules.version, "sha256": self.rules.sha256},
            "reads_text": self.reads_text,
            "verdict": self.verdict,
            "passed": self.passed,
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
            "joined": dict(self.joined),
            "left_out": dict(self.left_out),
            "orphan_citations": self.orphan_citations,
            "positions": [position.to_dict() for position in self.positions],
            "positions_left": self.positions_left,
            "unreadable": [unreadable.to_dict() for unreadable in self.unreadable],
            "classes": {label: dict(counts) for label, counts in self.classes.items()},
        }
        if self.locators is not None:
            whole["locators"] = {path: dict(counts) for path, counts in self.locators.items()}
        return whole
