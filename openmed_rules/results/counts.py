"""What was counted: plain sums, so that the counts of two cases add up to the counts of both."""

from __future__ import annotations

from collections.abc import Mapping
from operator import add
from types import MappingProxyType
from typing import NamedTuple


class ClassCounts(NamedTuple):
    """The counts of one class. ``missing_citation``: claims of it without a citation."""

    claim: int = 0
    unsupported_claim: int = 0
    missing_citation: int = 0
    fact: int = 0
    omission: int = 0

    def plus(self, other: ClassCounts) -> ClassCounts:
        """The counts of both."""
        return ClassCounts(*map(add, self, other))


NO_CLASSES: Mapping[str, ClassCounts] = MappingProxyType({})


class Counts(NamedTuple):
    """The counts of one case, or of many.

    Citations: ``unresolved_both`` counts those whose id and span both lead nowhere; ``only_missing_record``,
    ``only_unavailable_span`` and ``only_unresolved_both`` divide those invalid ones that have no other fault.
    References: ``reference`` counts usable ids and spans of citations, ``unknown_id`` and ``unknown_span`` those
    that name no known fact (0 where a case has no valid one). ``claim_without_reference``: claims none of whose
    citations has a usable reference. ``case_without_claims``, ``case_without_records``,
    ``case_without_evidence``: cases without a claim, without any evidence record, and without a valid one.
    ``left_out_*``: items that a condition or an ignored kind left out. ``classes``: by label; what has no label
    is the rest.
    """

    claim: int = 0
    supported_claim: int = 0
    missing_citation: int = 0
    claim_without_reference: int = 0
    citation: int = 0
    valid_citation: int = 0
    duplicate_citation: int = 0
    missing_source_record: int = 0
    unavailable_span: int = 0
    unresolved_both: int = 0
    only_missing_record: int = 0
    only_unavailable_span: int = 0
    only_unresolved_both: int = 0
    reference: int = 0
    unknown_id: int = 0
    unknown_span: int = 0
    evidence_record: int = 0
    valid_evidence_record: int = 0
    invalid_evidence_record: int = 0
    duplicate_evidence_record: int = 0
    referenced_evidence: int = 0
    case_without_claims: int = 0
    case_without_records: int = 0
    case_without_evidence: int = 0
    orphan_citation: int = 0
    joined_claims: int = 0
    joined_evidence: int = 0
    left_out_claims: int = 0
    left_out_citations: int = 0
    left_out_evidence: int = 0
    classes: Mapping[str, ClassCounts] = NO_CLASSES

    def plus(self, other: Counts) -> Counts:
        """The counts of both."""
        return Counts._make((*map(add, self[:-1], other[:-1]), _both(self.classes, other.classes)))

    @property
    def unsupported_claim(self) -> int:
        """Claims without a valid citation."""
        return self.claim - self.supported_claim

    @property
    def invalid_citation(self) -> int:
        """Citations that are not valid."""
        return self.citation - self.valid_citation

    @property
    def omission(self) -> int:
        """Valid records that no valid citation leads to."""
        return self.valid_evidence_record - self.referenced_evidence

    @property
    def unknown_reference(self) -> int:
        """References that name no known fact."""
        return self.unknown_id + self.unknown_span

    def by_class(self) -> dict[str | None, ClassCounts]:
        """The counts of each class, and under None those of what has no class."""
        whole = ClassCounts(
            self.claim,
            self.unsupported_claim,
            self.missing_citation,
            self.valid_evidence_record,
            self.omission,
        )
        labelled = [sum(column) for column in zip(*self.classes.values(), strict=True)]
        rest = ClassCounts(*(of - part for of, part in zip(whole, labelled, strict=True))) if labelled else whole
        by_class: dict[str | None, ClassCounts] = {None: rest}
        by_class.update(self.classes)
        return by_class


def _both(classes: Mapping[str, ClassCounts], others: Mapping[str, ClassCounts]) -> Mapping[str, ClassCounts]:
    if not classes or not others:
        return classes or others
    none = ClassCounts()
    labels = {**classes, **others}
    return {label: classes.get(label, none).plus(others.get(label, none)) for label in labels}


def abstain(counts: Counts) -> Counts:
    """Where the evidence is not available: no claim is supported and no record is referenced; the rest stays."""
    return counts._replace(
        supported_claim=0,
        referenced_evidence=0,
        classes={
            label: of_class._replace(unsupported_claim=of_class.claim, omission=of_class.fact)
            for label, of_class in counts.classes.items()
        },
    )
