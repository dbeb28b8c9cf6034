"""A run as it is added up: sums over its cases, how each case ended, and the first positions of what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import ne
from typing import NamedTuple, TypeAlias

from openmed_rules.results.counts import NO_CLASSES, Counts
from openmed_rules.results.gate import (
    Finding,
    LetBy,
    Limits,
    citation_findings,
    coverage_findings,
    evidence_findings,
)
from openmed_rules.results.notes import NOTED, OMITTED, Note, Reasons
from openmed_rules.results.places import CasePlace, Place, Position, Unreadable
from openmed_rules.results.spread import Spread
from openmed_rules.ruleset.model import ReportName, RuleSet

Failing: TypeAlias = frozenset[tuple[ReportName, str]]


_FINDINGS: Mapping[ReportName, Callable[[Counts, Limits], list[Finding]]] = {
    "citations": citation_findings,
    "coverage": coverage_findings,
}


def findings_of(rules: RuleSet, limits: Limits, counts: Counts) -> list[Finding]:
    """What was found for every report that the rules ask for."""
    finds = [find for report, find in _FINDINGS.items() if report in rules.reports]
    return [finding for find in finds for finding in find(counts, limits)]


@dataclass(slots=True)
class Outcome:
    """How much of one reason of one report was found, and whether it failed in any case (or in the sums).

    ``let_be`` counts what was found where it did not fail, by the part of the policy that let it be.
    """

    found: int = 0
    failed: bool = False
    let_be: Counter[LetBy] = field(default_factory=Counter)

    def add(self, other: Outcome) -> None:
        """Add what was found elsewhere."""
        self.found += other.found
        self.failed |= other.failed
        self.let_be.update(other.let_be)


Noted: TypeAlias = tuple[tuple[Reasons, Callable[[Counts], int]], ...]
"""Kinds of notes under the reasons that count, and how many a case has of each."""


class Ending(NamedTuple):
    """How a case ends: what was found, and under which of it the case is listed."""

    found: list[Finding]
    named: Failing
    noted: Noted


MANY = 1024
"""How many cases are added up at once, where nothing of a single one is wanted any more."""


class Tally:
    """A run under one rule set, case by case; every number in it is a sum.

    ``lacks_evidence``: whether that of some case is not available. ``failed_reports``: those that failed in any
    case (or in the sums).
    """

    def __init__(self, rules: RuleSet, *, positions: int) -> None:
        """Nothing judged yet. ``positions``: how many positions are kept at most."""
        self.rules = rules
        self.limits = Limits.of(rules.policy)
        self.counts = Counts()
        self.judged = 0
        self.spread = Spread(rules.reports)
        self.failed = 0
        self.lacks_evidence = False
        self.unreadable: list[Unreadable] = []
        self.unreadable_count = 0
        self.outcomes: dict[tuple[ReportName, str], Outcome] = {}
        self.failed_reports: set[ReportName] = set()
        self._ended: Counter[Failing] = Counter()
        self._endings: dict[tuple[bool, ...], Ending] = {}
        self._failed_evidence: set[tuple[ReportName, str]] = set()
        self._positions = _FirstPositions(positions)
        self._waiting: list[Counts] = []

    def add_unreadable(self, unreadable: Unreadable) -> None:
        """Count a case that could not be read."""
        self.unreadable_count += 1
        if len(self.unreadable) < self._positions.most:
            self.unreadable.append(unreadable)

    def add(self, where: CasePlace, counts: Counts, notes: Callable[[], Iterable[Note]]) -> None:
        """Add one case that was judged. ``notes`` is asked only while positions are still wanted."""
        if self._may_wait(counts):
            self.add_many((counts,))
            return
        self.judged += 1
        self.spread.add((counts,))
        if not self.limits.available(counts):
            self.lacks_evidence = True
            self._note_evidence(counts)
        self.counts = self.counts.plus(counts)
        ending = self._ending(counts)
        if not self.limits.tolerates_nothing and not self.limits.per_batch:
            self._add_findings(ending.found)
        if ending.named:
            self._ended[ending.named] += 1
            self._positions.add(self.judged + len(self._waiting), where, counts, notes, ending.noted)

    @property
    def total(self) -> int:
        """How many cases there were, readable or not."""
        return self.judged + len(self._waiting) + self.unreadable_count

    @property
    def most_positions(self) -> int:
        """How many positions are kept at most."""
        return self._positions.most

    @property
    def takes_many(self) -> bool:
        """Whether cases may be added many at once: how one ends is told by its counts, and no position is wanted."""
        return self.limits.tolerates_nothing and self._positions.is_full

    def _may_wait(self, counts: Counts) -> bool:
        """Whether a case may be added with others: no position of it is wanted, or it has none."""
        if counts.classes or not self.limits.tolerates_nothing:
            return False
        return self._positions.is_full or not self._ending(counts).named

    def add_many(self, cases: Sequence[Counts]) -> None:
        """Add cases of which none has a class; see ``takes_many``."""
        self._waiting += cases
        if len(self._waiting) >= MANY:
            self._add_waiting()

    def _add_waiting(self) -> None:
        """Add up the cases that wait, column by column; those of one shape end alike."""
        cases, self._waiting = self._waiting, []
        if not cases:
            return
        self.judged += len(cases)
        self.spread.add(cases)
        columns = _columns(cases)
        self.counts = self.counts.plus(_total(columns))
        for members in _alike(cases, columns):
            if not self.limits.available(members[0]):
                self.lacks_evidence = True
            shape = _shape(members[0])
            ending = self._endings.get(shape)
            if ending is None:
                ending = self._endings[shape] = self._new_ending(members[0])
            if ending.named:
                self._ended[ending.named] += len(members)
                self._positions.count(_total(_columns(members)), ending.noted)

    def extend(self, other: Tally, *, cases_before: int, lines_before: int) -> None:
        """Add the cases of ``other``, which come after these; neither was closed.

        ``cases_before``, ``lines_before``: how many of their file stand before them, where ``other`` numbers its own
        from 1.
        """
        self._add_waiting()
        other._add_waiting()
        self._positions.extend(other._positions, self.judged, cases_before, lines_before)
        self.unreadable += (Unreadable(_after(one.place, lines_before), one.code) for one in other.unreadable)
        del self.unreadable[self._positions.most :]
        self.unreadable_count += other.unreadable_count
        self.judged += other.judged
        self.counts = self.counts.plus(other.counts)
        self.spread.extend(other.spread)
        self.lacks_evidence |= other.lacks_evidence
        for named, outcome in other.outcomes.items():
            self.outcomes.setdefault(named, Outcome()).add(outcome)
        self._ended.update(other._ended)
        self._failed_evidence |= other._failed_evidence

    def __getstate__(self) -> dict[str, object]:
        """What another process needs to go on; what is known of endings is found anew."""
        self._add_waiting()
        counts = self.counts._replace(classes=dict(self.counts.classes))
        return {**self.__dict__, "counts": counts, "_endings": {}}

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
        shape = _shape(counts)
        known = self._endings.get(shape)
        if known is None:
            known = self._endings[shape] = self._new_ending(counts)
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
        self._add_waiting()
        if self.limits.per_batch or self.limits.tolerates_nothing:
            failing = self._add_findings(
                finding._replace(failed=finding.failed or (finding.report, finding.reason) in self._failed_evidence)
                for finding in findings_of(self.rules, self.limits, self.counts)
            )
        if self.limits.per_batch:
            self.failed = sum(cases for found, cases in self._ended.items() if found & failing)
            self.failed_reports = {report for report, _ in failing}
            return
        for named, cases in self._ended.items():
            self.failed += cases
            self.failed_reports |= {report for report, _ in named}

    def _add_findings(self, found: Iterable[Finding]) -> Failing:
        """Add findings; the reports and reasons that failed."""
        failing: list[tuple[ReportName, str]] = []
        for report, reason, amount, failed, let_by in found:
            outcome = self.outcomes.setdefault((report, reason), Outcome())
            outcome.found += amount
            if failed:
                outcome.failed = True
                failing.append((report, reason))
            else:
                outcome.let_be[let_by] += amount
        return frozenset(failing)

    def positions(self) -> tuple[list[Position], int]:
        """The first positions of what failed, in the order of the run, and how many more there are."""
        return self._positions.of({reason for (_, reason), outcome in self.outcomes.items() if outcome.failed})


_PARTS = tuple(
    (Counts._fields.index(part), Counts._fields.index(whole))
    for part, whole in (
        ("supported_claim", "claim"),
        ("valid_citation", "citation"),
        ("referenced_evidence", "valid_evidence_record"),
    )
)
"""Of what it is told whether it is less than the whole."""


def _shape(counts: Counts) -> tuple[bool, ...]:
    """What of ``counts`` is something, and which of its parts are less than the whole."""
    return (*map(bool, counts), *(counts[part] != counts[whole] for part, whole in _PARTS))


def _columns(cases: Sequence[Counts]) -> Sequence[Sequence[int]]:
    """Cases without classes, number by number."""
    return list(zip(*cases, strict=True))[:-1]


def _total(columns: Sequence[Sequence[int]]) -> Counts:
    """The sum of cases without classes."""
    return Counts._make((*map(sum, columns), NO_CLASSES))


def _alike(cases: Sequence[Counts], columns: Sequence[Sequence[int]]) -> Iterable[list[Counts]]:
    """Cases without classes in groups of one shape; what is something in all of them, or in none, tells none apart."""
    signs = [map(bool, column) for column in columns if any(column) and not all(column)]
    rows = zip(*signs, *(map(ne, columns[part], columns[whole]) for part, whole in _PARTS), strict=True)
    groups: dict[tuple[bool, ...], list[Counts]] = {}
    for key, counts in zip(rows, cases, strict=True):
        groups.setdefault(key, []).append(counts)
    return groups.values()


class _FirstPositions:
    """The first notes of each kind, as many as may be shown, and how many there were."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: dict[Reasons, list[tuple[int, CasePlace, Note]]] = {}
        self._held = 0
        self._noted: Counter[Reasons] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether as many are kept as may be shown; where each of them failed, later ones cannot be among the first."""
        return self._held >= self.most

    def count(self, counts: Counts, noted: Noted) -> None:
        """Count what cases have of each kind, without keeping where."""
        for reasons, count in noted:
            self._noted[reasons] += count(counts)

    def add(
        self,
        order: int,
        where: CasePlace,
        counts: Counts,
        notes: Callable[[], Iterable[Note]],
        noted: Noted,
    ) -> None:
        """Take a case; its ``notes`` only while some of a kind that it has are still wanted."""
        expected: Counter[Reasons] = Counter()
        for reasons, count in noted:
            expected[reasons] += count(counts)
        expected = +expected
        self._noted.update(expected)
        wanted = {reasons: min(self.most - len(self._kept.get(reasons, ())), expected[reasons]) for reasons in expected}
        left = sum(wanted.values())
        if not left:
            return
        named = {reason for reasons, _ in noted for reason in reasons}
        for note in notes():
            reasons = tuple(reason for reason in note.reasons if reason in named)
            if wanted.get(reasons):
                self._kept.setdefault(reasons, []).append((order, where, note))
                self._held += 1
                wanted[reasons] -= 1
                left -= 1
                if not left:  # The rest of a long case need not be looked at.
                    return

    def extend(self, other: _FirstPositions, order: int, cases_before: int, lines_before: int) -> None:
        """Take those of cases that come after ``order`` others, ``cases_before`` of them in their own file."""
        self._noted.update(other._noted)
        for reasons, entries in other._kept.items():
            kept = self._kept.setdefault(reasons, [])
            self._held -= len(kept)
            kept += (
                (order + number, CasePlace(_after(where.place, lines_before), cases_before + where.case), note)
                for number, where, note in entries
            )
            del kept[self.most :]
            self._held += len(kept)

    def of(self, failing: set[str]) -> tuple[list[Position], int]:
        """The first positions whose reason is ``failing``, and how many more there are."""
        chosen: list[tuple[int, CasePlace, Note, str]] = []
        noted = 0
        for reasons, number in self._noted.items():
            reason = next((reason for reason in reasons if reason in failing), None)
            if reason is not None:
                noted += number
                chosen += ((order, where, note, reason) for order, where, note in self._kept.get(reasons, ()))
        chosen.sort(key=_order)
        positions = [
            Position(where.place, where.case, reason, note.claim, note.citation, note.record)
            for _, where, note, reason in chosen[: self.most]
        ]
        return positions, noted - len(positions)


def _after(place: Place, lines: int) -> Place:
    """The place of what stands after so many lines, from which its own was counted."""
    return Place(place.file, lines + place.line) if place.line is not None else place


def _order(entry: tuple[int, CasePlace, Note, str]) -> tuple[int, int, int, int, int]:
    """By case; in it first what is wrong with its evidence, then the claims with their citations, then omissions."""
    case, _, note, _ = entry
    rank = 2 if note.reasons == OMITTED else note.claim is not None or note.citation is not None
    return case, rank, note.claim or 0, note.citation or 0, note.record or 0
