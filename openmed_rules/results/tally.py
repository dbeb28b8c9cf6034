"""A run as it is added up: sums over its cases, how each case ended, and the first positions of what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from openmed_rules.results.counts import Counts
from openmed_rules.results.gate import Finding, Limits, citation_findings, coverage_findings, evidence_findings
from openmed_rules.results.notes import NOTED, Note, Reasons
from openmed_rules.results.places import CasePlace, Position, Unreadable
from openmed_rules.ruleset.model import ReportName, RuleSet

Failing: TypeAlias = frozenset[tuple[ReportName, str]]


def findings_of(rules: RuleSet, limits: Limits, counts: Counts) -> list[Finding]:
    """What was found for every report that the rules ask for."""
    found: list[Finding] = []
    if "citations" in rules.reports:
        found += citation_findings(counts, limits)
    if "coverage" in rules.reports:
        found += coverage_findings(counts, limits)
    return found


@dataclass(slots=True)
class Outcome:
    """How often one reason of one report was found, and in how many cases (or sums) it failed.

    ``tolerated`` counts what was found where it did not fail.
    """

    found: int = 0
    tolerated: int = 0
    failed: int = 0


class Ending(NamedTuple):
    """How a case ends: what was found, and under which of it the case is listed."""

    found: list[Finding]
    named: Failing
    noted: tuple[tuple[Reasons, Callable[[Counts], int]], ...]


class Tally:
    """A run under one rule set, case by case; every number in it is a sum.

    ``unavailable``: cases whose evidence is not available. ``failed_reports``: by report, the cases it failed in.
    """

    def __init__(self, rules: RuleSet, *, positions: int) -> None:
        """Nothing judged yet. ``positions``: how many positions are kept at most."""
        self.rules = rules
        self.limits = Limits.of(rules.policy)
        self.counts = Counts()
        self.judged = 0
        self.failed = 0
        self.unavailable = 0
        self.unreadable: list[Unreadable] = []
        self.unreadable_count = 0
        self.outcomes: dict[tuple[ReportName, str], Outcome] = {}
        self.failed_reports: Counter[ReportName] = Counter()
        self._ended: Counter[Failing] = Counter()
        self._endings: dict[tuple[bool, ...], Ending] = {}
        self._failed_evidence: set[tuple[ReportName, str]] = set()
        self._positions = _FirstPositions(positions)

    def add_unreadable(self, unreadable: Unreadable) -> None:
        """Count a case that could not be read."""
        self.unreadable_count += 1
        if len(self.unreadable) < self._positions.most:
            self.unreadable.append(unreadable)

    def add(self, where: CasePlace, counts: Counts, notes: Callable[[], Sequence[Note]]) -> None:
        """Add one case that was judged. ``notes`` is asked only while positions are still wanted."""
        self.judged += 1
        if not self.limits.available(counts):
            self.unavailable += 1
            self._note_evidence(counts)
        self.counts = self.counts.plus(counts)
        ending = self._ending(counts)
        if not self.limits.tolerates_nothing and not self.limits.per_batch:
            self._add_findings(ending.found)
        if ending.named:
            self._ended[ending.named] += 1
            self._positions.add(self.judged, where, counts, notes, ending.noted)

    def _note_evidence(self, counts: Counts) -> None:
        """Evidence is judged case by case, also where all else is held against the sums."""
        if self.limits.per_batch:
            findings = [
                finding for report in self.rules.reports for finding in evidence_findings(report, counts, self.limits)
            ]
            self._failed_evidence |= {(finding.report, finding.reason) for finding in findings if finding.failed}

    def _ending(self, counts: Counts) -> Ending:
        """How a case with ``counts`` ends; where nothing is tolerated, what is found and what is not tells it."""
        if not self.limits.tolerates_nothing:
            return self._new_ending(counts)
        key = (
            *map(bool, counts),
            counts.claim != counts.supported_claim,
            counts.citation != counts.valid_citation,
            counts.valid_evidence_record != counts.referenced_evidence,
        )
        known = self._endings.get(key)
        if known is None:
            known = self._endings[key] = self._new_ending(counts)
        return known

    def _new_ending(self, counts: Counts) -> Ending:
        found = findings_of(self.rules, self.limits, counts)
        counted = found if self.limits.per_batch else [finding for finding in found if finding.failed]
        named = frozenset((finding.report, finding.reason) for finding in counted)
        reasons = {finding.reason for finding in counted}
        noted = tuple(
            (tuple(reason for reason in kind if reason in reasons), count)
            for kind, count in NOTED
            if not reasons.isdisjoint(kind)
        )
        return Ending(found, named, noted)

    def close(self) -> None:
        """Hold the sums against the policy, where they decide; and add up how the cases ended."""
        if self.limits.per_batch or self.limits.tolerates_nothing:
            sums = findings_of(self.rules, self.limits, self.counts) if self.judged else []
            failing = self._add_findings(
                finding._replace(failed=finding.failed or (finding.report, finding.reason) in self._failed_evidence)
                for finding in sums
            )
        if self.limits.per_batch:
            self.failed = sum(cases for found, cases in self._ended.items() if found & failing)
            self.failed_reports.update({report for report, _ in failing})
            return
        for named, cases in self._ended.items():
            self.failed += cases
            for report in {report for report, _ in named}:
                self.failed_reports[report] += cases

    def _add_findings(self, found: Iterable[Finding]) -> Failing:
        """Add findings; the reports and reasons that failed."""
        failing: list[tuple[ReportName, str]] = []
        for report, reason, amount, _, failed in found:
            outcome = self.outcomes.setdefault((report, reason), Outcome())
            outcome.found += amount
            if failed:
                outcome.failed += 1
                failing.append((report, reason))
            else:
                outcome.tolerated += amount
        return frozenset(failing)

    def positions(self) -> tuple[list[Position], int]:
        """The first positions of what failed, in the order of the run, and how many more there are."""
        return self._positions.of({reason for (_, reason), outcome in self.outcomes.items() if outcome.failed})


class _FirstPositions:
    """The first notes of each kind, as many as may be shown, and how many there were."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: dict[Reasons, list[tuple[int, CasePlace, Note]]] = {}
        self._noted: Counter[Reasons] = Counter()

    def add(
        self,
        order: int,
        where: CasePlace,
        counts: Counts,
        notes: Callable[[], Sequence[Note]],
        noted: tuple[tuple[Reasons, Callable[[Counts], int]], ...],
    ) -> None:
        """Take a case; its ``notes`` only while some of a kind that it has are still wanted."""
        wanted = False
        for reasons, count in noted:
            number = count(counts)
            if number:
                self._noted[reasons] += number
                wanted = wanted or len(self._kept.get(reasons, ())) < self.most
        if not wanted:
            return
        named = {reason for reasons, _ in noted for reason in reasons}
        for note in notes():
            reasons = tuple(reason for reason in note.reasons if reason in named)
            if reasons:
                kept = self._kept.setdefault(reasons, [])
                if len(kept) < self.most:
                    kept.append((order, where, note))

    def of(self, failing: set[str]) -> tuple[list[Position], int]:
        """The first positions whose reason is ``failing``, and how many more there are."""
        chosen: list[tuple[int, CasePlace, Note, str]] = []
        noted = 0
        for reasons, number in self._noted.items():
            reason = next((reason for reason in reasons if reason in failing), None)
            if reason is not None:
                noted += number
                chosen += ((order, where, note, reason) for order, where, note in self._kept.get(reasons, ()))
        chosen.sort(key=lambda entry: (entry[0], entry[2].claim or 0, entry[2].citation or 0, entry[2].record or 0))
        positions = [
            Position(where.place, where.case, reason, note.claim, note.citation, note.record)
            for _, where, note, reason in chosen[: self.most]
        ]
        return positions, noted - len(positions)
