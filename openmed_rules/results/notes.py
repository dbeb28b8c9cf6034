"""What in a case may have failed: each thing once, under its reasons from the closest to the widest."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from openmed_rules.results.counts import Counts

Reasons: TypeAlias = tuple[str, ...]


class Note(NamedTuple):
    """One claim, citation or record that may have failed, under the names of both reports.

    ``claim``, ``citation`` and ``record`` are numbers that count from 1.
    """

    reasons: Reasons
    claim: int | None = None
    citation: int | None = None
    record: int | None = None


UNKNOWN_ID = ("missing_source_record", "invalid_citation", "unknown_citation")
UNKNOWN_SPAN = ("unavailable_span", "invalid_citation", "unknown_citation")
UNKNOWN_BOTH = ("missing_source_record", *UNKNOWN_SPAN)
UNUSABLE = ("invalid_citation",)
REPEATED = ("duplicate_citation",)
ORPHANED = ("orphan_citation",)
UNSUPPORTED = ("unsupported_claim", "unsupported_summary_fact")
UNCITED = ("missing_citation", "missing_summary_citation", *UNSUPPORTED)
INVALID_RECORD = ("invalid_source_evidence",)
REPEATED_RECORD = ("duplicate_source_evidence", "duplicate_source_fact")
OMITTED = ("omitted_source_fact",)
NO_CLAIMS = ("no_claims",)
NO_EVIDENCE = ("missing_source_evidence",)

NOTED: tuple[tuple[Reasons, Callable[[Counts], int]], ...] = (
    (UNKNOWN_ID, lambda counts: counts.missing_source_record - counts.unresolved_both),
    (UNKNOWN_SPAN, lambda counts: counts.unavailable_span - counts.unresolved_both),
    (UNKNOWN_BOTH, lambda counts: counts.unresolved_both),
    (
        UNUSABLE,
        lambda counts: (
            counts.invalid_citation - counts.missing_source_record - counts.unavailable_span + counts.unresolved_both
        ),
    ),
    (REPEATED, lambda counts: counts.duplicate_citation),
    (ORPHANED, lambda counts: counts.orphan_citation),
    (UNSUPPORTED, lambda counts: counts.unsupported_claim - counts.missing_citation),
    (UNCITED, lambda counts: counts.missing_citation),
    (INVALID_RECORD, lambda counts: counts.invalid_evidence_record),
    (REPEATED_RECORD, lambda counts: counts.duplicate_evidence_record),
    (OMITTED, lambda counts: counts.omission),
    (NO_CLAIMS, lambda counts: counts.case_without_claims),
    (NO_EVIDENCE, lambda counts: counts.case_without_evidence),
)
"""How many notes of each kind a case has."""
