"""The gate: counts held against a policy, for one case or for the sums of many.

One function decides, for every report and every command: what fails, and what of the policy lets the rest be. A
percentage is compared in integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from openmed_rules.results.counts import ClassCounts, Counts, abstain
from openmed_rules.ruleset.model import NOTHING, Policy, ReportName, Tolerance, Tolerances

LetBy: TypeAlias = Literal["tolerate", "warn", "waivers"]
"""The part of a policy that lets something be."""

_EVERY = Tolerance(any=True)


class Finding(NamedTuple):
    """One reason of one report: how much was found, and whether that fails.

    ``let_by``: of what does not fail, the strictest part of the policy that lets it be.
    """

    report: ReportName
    reason: str
    found: int
    failed: bool
    let_by: LetBy = "tolerate"


class Allowance(NamedTuple):
    """How much of one reason is let be: any of the amounts of ``default``, or of a class that has its own."""

    default: tuple[Tolerance, ...]
    classes: dict[str, tuple[Tolerance, ...]]

    def also(self, entry: Tolerances) -> Allowance:
        """This, or what ``entry`` lets be."""
        own = dict(entry.classes)
        classes = {
            label: (*self.classes.get(label, self.default), *((own[label],) if label in own else ()))
            for label in {**self.classes, **own}
        }
        return Allowance((*self.default, entry.default), classes)


_NO_ALLOWANCE = Allowance((NOTHING,), {})


class Limits(Struct, frozen=True):
    """A policy, ready to be asked: what is let be of each reason that has an entry.

    ``let_by``: the widest part of the policy that is in it; ``stricter``: the limits without that part.
    """

    entries: dict[str, Allowance]
    per_batch: bool
    failed_cases: Tolerance
    abstains: bool
    let_by: LetBy = "tolerate"
    stricter: Limits | None = None

    @classmethod
    def of(cls, policy: Policy) -> Limits:
        """The limits that ``policy`` sets, with every waiver that it holds in force."""
        batch, abstains = policy.per == "batch", policy.unavailable == "abstain"
        entries = {reason: _NO_ALLOWANCE.also(entry) for reason, entry in policy.tolerate}
        limits = cls(entries, batch, policy.failed_cases, abstains)
        if policy.warn:
            limits = limits.wider("warn", policy.warn)
        if policy.waivers:
            waived = {waiver.reason: Tolerances(_EVERY) for waiver in policy.waivers}
            limits = limits.wider("waivers", waived.items())
        return limits

    def wider(self, let_by: LetBy, more: Iterable[tuple[str, Tolerances]]) -> Limits:
        """These limits, and what a further part of the policy lets be."""
        entries = dict(self.entries)
        for reason, entry in more:
            allowance = entries.get(reason, _NO_ALLOWANCE).also(entry)
            if let_by == "waivers":  # a waiver is for every class
                allowance = Allowance(allowance.default, {})
            entries[reason] = allowance
        return Limits(entries, self.per_batch, self.failed_cases, self.abstains, let_by, self)

    @property
    def tolerates_nothing(self) -> bool:
        """Whether no reason has an entry, so that whatever is found in a case fails it."""
        return not self.entries and not self.per_batch

    def own(self, reason: str) -> bool:
        """Whether ``reason`` has an entry of its own."""
        return reason in self.entries

    def letting(self, reason: str) -> LetBy | None:
        """The strictest part of the policy with an entry for ``reason``, which may only be let be as a whole."""
        if not self.own(reason):
            return None
        return (self.stricter.letting(reason) if self.stricter is not None else None) or self.let_by

    def holds(self, reason: str, found: int, of: int) -> bool:
        """Whether ``found`` of ``of`` is tolerated by the entry of ``reason``."""
        if not found:
            return True
        entry = self.entries.get(reason)
        return entry is not None and _any_holds(entry.default, found, of)

    def leaves(self, detail: str, found: int, of: int) -> bool:
        """Whether ``detail`` is tolerated on its own, so that it leaves its parent's count."""
        return detail in self.entries and self.holds(detail, found, of)

    def available(self, counts: Counts) -> bool:
        """Whether the evidence of one case is available: a valid record, and no untolerated other one."""
        records = counts.evidence_record
        return (
            counts.valid_evidence_record > 0
            and self.holds("invalid_source_evidence", counts.invalid_evidence_record, records)
            and self.holds("duplicate_source_evidence", counts.duplicate_evidence_record, records)
        )

    def settled(self, counts: Counts) -> Counts:
        """The counts of one case as they stand: others than ``counts`` where its evidence is not available."""
        return abstain(counts) if self.abstains and not self.available(counts) else counts


def citation_findings(counts: Counts, limits: Limits) -> list[Finding]:
    """Every reason of the citation report of which something was found."""
    return _decide(partial(_in_citations, counts), limits)


def coverage_findings(counts: Counts, limits: Limits) -> list[Finding]:
    """Every reason of the coverage report of which something was found, under that report's names."""
    return _decide(partial(_in_coverage, counts), limits)


def evidence_findings(report: ReportName, counts: Counts, limits: Limits) -> list[Finding]:
    """What makes evidence unavailable; where it is not available, one of these fails."""
    return _decide(partial(_in_evidence, report, counts), limits)


def _decide(find: Callable[[Limits], list[Finding]], limits: Limits) -> list[Finding]:
    """What ``find`` finds, each with the strictest part of the policy that lets it be, where one does."""
    if limits.stricter is None:
        return find(limits)
    strictly = _decide(find, limits.stricter)
    if not any(finding.failed for finding in strictly):
        return strictly
    let_be = {finding.reason: finding for finding in strictly if not finding.failed}
    return [let_be.get(finding.reason, finding._replace(let_by=limits.let_by)) for finding in find(limits)]


def _in_citations(counts: Counts, limits: Limits) -> list[Finding]:
    findings = _in_evidence("citations", counts, limits) + _ours("citations", counts, limits)
    unsupported, invalid, duplicate = (
        counts.unsupported_claim,
        counts.invalid_citation,
        counts.duplicate_citation,
    )
    if unsupported:
        fails = _unsupported_fails(counts, limits)
        findings.append(Finding("citations", "unsupported_claim", unsupported, fails))
        missing = counts.missing_citation
        if missing:
            fails = _detail_fails("missing_citation", missing, counts.claim, fails, limits)
            findings.append(Finding("citations", "missing_citation", missing, fails))
    if invalid:
        parent_fails = _invalid_fails(counts, limits)
        findings.append(Finding("citations", "invalid_citation", invalid, parent_fails))
        for detail, found in (
            ("missing_source_record", counts.missing_source_record),
            ("unavailable_span", counts.unavailable_span),
        ):
            if found:
                fails = _detail_fails(detail, found, counts.citation, parent_fails, limits)
                findings.append(Finding("citations", detail, found, fails))
    if duplicate:
        fails = not limits.holds("duplicate_citation", duplicate, counts.citation)
        findings.append(Finding("citations", "duplicate_citation", duplicate, fails))
    return findings


def _in_coverage(counts: Counts, limits: Limits) -> list[Finding]:
    findings = _in_evidence("coverage", counts, limits) + _ours("coverage", counts, limits)
    unsupported, uncited = counts.unsupported_claim, counts.claim_without_reference
    if unsupported:
        fails = _unsupported_fails(counts, limits)
        findings.append(Finding("coverage", "unsupported_summary_fact", unsupported, fails))
        if uncited:
            fails = _detail_fails("missing_citation", uncited, counts.claim, fails, limits)
            findings.append(Finding("coverage", "missing_summary_citation", uncited, fails))
    unknown = counts.unknown_reference
    if unknown:
        fails = _unknown_fails(counts, limits)
        findings.append(Finding("coverage", "unknown_citation", unknown, fails))
    omission = counts.omission
    if omission:
        fails = _omission_fails(counts, limits)
        findings.append(Finding("coverage", "omitted_source_fact", omission, fails))
    return findings


def _in_evidence(report: ReportName, counts: Counts, limits: Limits) -> list[Finding]:
    findings: list[Finding] = []
    invalid, duplicate = counts.invalid_evidence_record, counts.duplicate_evidence_record
    records = counts.evidence_record
    if invalid:
        fails = not limits.holds("invalid_source_evidence", invalid, records)
        findings.append(Finding(report, "invalid_source_evidence", invalid, fails))
    if duplicate:
        name = "duplicate_source_evidence" if report == "citations" else "duplicate_source_fact"
        fails = not limits.holds("duplicate_source_evidence", duplicate, records)
        findings.append(Finding(report, name, duplicate, fails))
    without = counts.case_without_evidence if report == "citations" else counts.case_without_records
    if not without and counts.case_without_evidence and not any(finding.failed for finding in findings):
        # The coverage report knows this reason for no record at all; what is tolerated must not make it pass.
        without = counts.case_without_evidence
    if without:
        findings.append(Finding(report, "missing_source_evidence", without, failed=True))
    return findings


def _ours(report: ReportName, counts: Counts, limits: Limits) -> list[Finding]:
    """The reasons that the seed systems do not have; both reports give them."""
    findings: list[Finding] = []
    orphans, without_claims = counts.orphan_citation, counts.case_without_claims
    if orphans:
        of = counts.citation + orphans
        fails = not limits.holds("orphan_citation", orphans, of)
        findings.append(Finding(report, "orphan_citation", orphans, fails))
    if without_claims and (not limits.per_batch or not counts.claim):
        fails = not limits.own("no_claims")
        findings.append(Finding(report, "no_claims", without_claims, fails))
    return findings


def _detail_fails(detail: str, found: int, of: int, parent_fails: bool, limits: Limits) -> bool:
    """A detail follows its parent, unless it has an entry of its own."""
    return not limits.holds(detail, found, of) if limits.own(detail) else parent_fails


def _invalid_fails(counts: Counts, limits: Limits) -> bool:
    """Invalid citations, without those whose only faults are tolerated on their own."""
    record = limits.leaves("missing_source_record", counts.missing_source_record, counts.citation)
    span = limits.leaves("unavailable_span", counts.unavailable_span, counts.citation)
    left = (
        counts.only_missing_record * record
        + counts.only_unavailable_span * span
        + counts.only_unresolved_both * (record and span)
    )
    return not limits.holds("invalid_citation", counts.invalid_citation - left, counts.citation)


def _unknown_fails(counts: Counts, limits: Limits) -> bool:
    """References that name no known fact, without those that are tolerated on their own."""
    record = limits.leaves("missing_source_record", counts.unknown_id, counts.reference)
    span = limits.leaves("unavailable_span", counts.unknown_span, counts.reference)
    rest = counts.unknown_reference - counts.unknown_id * record - counts.unknown_span * span
    return not limits.holds("invalid_citation", rest, counts.reference)


def _unsupported_fails(counts: Counts, limits: Limits) -> bool:
    """Unsupported claims by class, without the uncited ones where these are tolerated on their own."""
    if not limits.entries:
        return True
    leaves = limits.leaves("missing_citation", counts.missing_citation, counts.claim)

    def share(of_class: ClassCounts) -> tuple[int, int]:
        return of_class.unsupported_claim - of_class.missing_citation * leaves, of_class.claim

    return _by_class_fails(
        "unsupported_claim", {label: share(of_class) for label, of_class in counts.by_class().items()}, limits
    )


def _omission_fails(counts: Counts, limits: Limits) -> bool:
    if not limits.entries:
        return True
    shares = {label: (of_class.omission, of_class.fact) for label, of_class in counts.by_class().items()}
    return _by_class_fails("omitted_source_fact", shares, limits)


def _by_class_fails(reason: str, shares: dict[str | None, tuple[int, int]], limits: Limits) -> bool:
    """Each class with an entry is held against it; all others together against the default."""
    entry = limits.entries.get(reason, _NO_ALLOWANCE)
    rest_found = rest_of = 0
    for label, (found, of) in shares.items():
        if label in entry.classes:
            if not _any_holds(entry.classes[label], found, of):
                return True
        else:
            rest_found, rest_of = rest_found + found, rest_of + of
    return not _any_holds(entry.default, rest_found, rest_of)


def _any_holds(amounts: Iterable[Tolerance], found: int, of: int) -> bool:
    return any(amount.holds(found, of) for amount in amounts)
