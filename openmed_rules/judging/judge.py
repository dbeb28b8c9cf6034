"""One case, judged: its claims and citations held against its evidence, counted for both reports in one pass."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from openmed_rules.judging.citing import Claim, Claimed, compile_claims
from openmed_rules.judging.evidence import EvidenceIndex, Gathered, Table, compile_evidence
from openmed_rules.judging.nodes import CaseRoots
from openmed_rules.judging.references import Reference
from openmed_rules.judging.watching import Watch
from openmed_rules.results.counts import NO_CLASSES, ClassCounts, Counts
from openmed_rules.results.gate import Limits
from openmed_rules.results.notes import (
    INVALID_RECORD,
    NO_CLAIMS,
    NO_EVIDENCE,
    OMITTED,
    ORPHANED,
    REPEATED,
    REPEATED_RECORD,
    UNCITED,
    UNKNOWN_BOTH,
    UNKNOWN_ID,
    UNKNOWN_SPAN,
    UNSUPPORTED,
    UNUSABLE,
    Note,
)
from openmed_rules.ruleset import model

Fault: TypeAlias = tuple[str, ...]
"""What is wrong with a citation."""
CaseJudge: TypeAlias = "Callable[[CaseRoots, list[Note] | None], Counts]"
"""Gives the counts of one case; and notes what may have failed in it, in the order of the case, where it is asked."""


def compile_judge(rules: model.RuleSet, watch: Watch) -> CaseJudge:
    """``rules`` as a function of one case."""
    gather_evidence = compile_evidence(rules, watch.at("evidence"))
    gather_claims = compile_claims(rules, watch)
    limits = Limits.of(rules.policy)

    def judge(roots: CaseRoots, notes: list[Note] | None) -> Counts:
        gathered = gather_evidence(roots)
        claimed = gather_claims(roots)
        judging = ClaimJudge(gathered.index)
        for claim in claimed.claims:
            judging.add(claim)
        found = judging.counts(gathered, claimed)
        counts = limits.settled(found)
        if counts is not found:
            judging.notes += judging.withdraw()
        if notes is not None:
            notes += judging.notes
            notes += case_notes(judging, claimed.orphans)
        return counts

    return judge


class Weighing:
    """Citations held against evidence one by one, and what was counted on the way.

    ``no_way`` counts those whose id and span both lead nowhere, ``only_*`` the invalid ones that have no other
    fault, ``reference`` usable ids and spans.
    """

    __slots__ = (
        "no_record",
        "no_span",
        "no_way",
        "only_both",
        "only_record",
        "only_span",
        "reference",
        "repeated",
    )

    def __init__(self) -> None:
        """Nothing weighed yet."""
        self.repeated = self.reference = 0
        self.no_record = self.no_span = self.no_way = 0
        self.only_record = self.only_span = self.only_both = 0

    def weigh(
        self, kind: str | None, reference: Reference, table: Table, seen: set[object]
    ) -> tuple[int | None, Fault | None]:
        """The record that a citation leads to as far as it does, and what is wrong with it (None: nothing).

        ``seen``: what the earlier citations of its claim led to; one that repeats is counted as such.
        """
        identity, span, malformed = reference
        record = table.ids.get(identity) if identity is not None and not malformed else None
        fault: Fault | None = None
        # Nearly every citation leads straight to its record; only the others need to be told what is wrong.
        if record is None or (span is not None and table.find_span(span) != record):
            record, fault = _resolve(table, reference)
        if identity is not None or span is not None:
            self.reference += 1 if identity is None or span is None else 2
            key = record if record is not None else (kind, identity, span)
            if key in seen:
                self.repeated += 1
            seen.add(key)
        if fault is UNKNOWN_ID:
            self.no_record += 1
            self.only_record += not malformed
        elif fault is UNKNOWN_SPAN:
            self.no_span += 1
            self.only_span += not malformed
        elif fault is UNKNOWN_BOTH:
            self.no_record += 1
            self.no_span += 1
            self.no_way += 1
            self.only_both += not malformed
        return record, fault


class ClaimJudge:
    """The claims of one case, counted one after the other against its evidence.

    ``notes``: what may have failed. ``supported``: the numbers of the claims that a valid citation supports.
    ``referenced``: the records, counted from 0, that one leads to.
    """

    def __init__(self, index: EvidenceIndex) -> None:
        """No claim yet."""
        self.index = index
        self.notes: list[Note] = []
        self.referenced: set[int] = set()
        self.weighing = Weighing()
        self.claim = self.uncited = self.without_reference = self.citation = self.valid = 0
        self.supported = array("Q")
        self.claims_of: Counter[tuple[str, bool, bool]] = Counter()

    def add(self, claim: Claim) -> None:
        """Count one claim and its citations."""
        self.claim += 1
        supported = has_reference = False
        seen: set[object] = set()
        weighing = self.weighing
        for position, (citing, reference) in enumerate(claim.citations, 1):
            repeated = weighing.repeated
            record, fault = weighing.weigh(citing.kind, reference, self.index.table(citing.kind), seen)
            has_reference = has_reference or reference[0] is not None or reference[1] is not None
            if weighing.repeated > repeated:
                self.notes.append(Note(REPEATED, self.claim, position))
            if fault is not None:
                self.notes.append(Note(fault, self.claim, position))
                continue
            self.valid += 1
            if citing.supports and record is not None:
                supported = True
                self.referenced.add(record)
        self.citation += len(claim.citations)
        self.without_reference += not has_reference
        self.uncited += not claim.citations
        if claim.label is not None:
            self.claims_of[claim.label, supported, not claim.citations] += 1
        if supported:
            self.supported.append(self.claim)
        else:
            self.notes.append(Note(UNSUPPORTED if claim.citations else UNCITED, self.claim))

    def withdraw(self) -> Iterator[Note]:
        """No claim is supported and no record referenced, since the evidence is not available: what is to be noted."""
        self.referenced.clear()
        return (Note(UNSUPPORTED, number) for number in self.supported)

    def counts(self, gathered: Gathered, claimed: Claimed) -> Counts:
        """The counts of the claims, once all are added, and of the evidence."""
        index, weighing = self.index, self.weighing
        known = len(index.labels)
        return Counts(
            claim=self.claim,
            supported_claim=len(self.supported),
            missing_citation=self.uncited,
            claim_without_reference=self.without_reference,
            citation=self.citation,
            valid_citation=self.valid,
            duplicate_citation=weighing.repeated,
            missing_source_record=weighing.no_record,
            unavailable_span=weighing.no_span,
            unresolved_both=weighing.no_way,
            only_missing_record=weighing.only_record,
            only_unavailable_span=weighing.only_span,
            only_unresolved_both=weighing.only_both,
            reference=weighing.reference,
            unknown_id=weighing.no_record if known else 0,
            unknown_span=weighing.no_span if known else 0,
            evidence_record=index.record_count,
            valid_evidence_record=known,
            invalid_evidence_record=len(index.invalid),
            duplicate_evidence_record=len(index.duplicates),
            referenced_evidence=len(self.referenced),
            case_without_claims=int(not self.claim),
            case_without_records=int(not index.record_count),
            case_without_evidence=int(not known),
            orphan_citation=claimed.orphans,
            joined_claims=claimed.joined,
            joined_evidence=gathered.joined,
            left_out_claims=claimed.left_out_claims,
            left_out_citations=claimed.left_out_citations,
            left_out_evidence=gathered.left_out,
            classes=self._classes(),
        )

    def _classes(self) -> Mapping[str, ClassCounts]:
        """The counts of each class that a claim or a valid record has."""
        classes: dict[str, ClassCounts] = {}

        def count(label: str, counts: ClassCounts) -> None:
            classes[label] = classes.get(label, ClassCounts()).plus(counts)

        for (label, supported, uncited), claims in self.claims_of.items():
            count(label, ClassCounts(claims, 0 if supported else claims, claims if uncited else 0))
        for position, label_of_record in enumerate(self.index.labels):
            if label_of_record is not None:
                count(label_of_record, ClassCounts(fact=1, omission=int(position not in self.referenced)))
        return classes or NO_CLASSES


def _resolve(table: Table, reference: Reference) -> tuple[int | None, Fault | None]:
    """The one record that a reference leads to, as far as it does, and what is wrong with it (None: nothing).

    One that leads straight to its record is not asked here: of an id that is known, the span is malformed, unknown
    or that of another record.
    """
    identity, span, malformed = reference
    if span is None:
        if identity is None:
            return None, UNUSABLE
        record = table.ids.get(identity)
        if record is None:
            return None, UNKNOWN_ID
        return record, UNUSABLE
    by_span = table.find_span(span)
    if identity is None:
        if by_span is None:
            return None, UNKNOWN_SPAN
        return by_span, UNUSABLE if malformed else None
    by_id = table.ids.get(identity)
    if by_id is None:
        return by_span, UNKNOWN_BOTH if by_span is None else UNKNOWN_ID
    return (by_id, UNKNOWN_SPAN) if by_span is None else (None, UNUSABLE)


def case_notes(judging: ClaimJudge, orphans: int) -> Iterator[Note]:
    """What may have failed in a case beside its claims, once all of these are counted."""
    index = judging.index
    yield from [Note(NO_CLAIMS)] * (not judging.claim) + [Note(NO_EVIDENCE)] * (not index.labels)
    yield from (Note(INVALID_RECORD, record=number) for number in index.invalid)
    yield from (Note(REPEATED_RECORD, record=number) for number in index.duplicates)
    for position, number in enumerate(index.numbers):
        if position not in judging.referenced:
            yield Note(OMITTED, record=number)
    yield from (Note(ORPHANED, citation=number) for number in range(1, orphans + 1))
