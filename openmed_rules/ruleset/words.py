"""The fixed words of the rule language: reasons, metrics, and what people write for its keys elsewhere."""

from __future__ import annotations

BY_CLASS = ("unsupported_claim", "omitted_source_fact")
"""Reasons whose tolerance may differ by class."""

ONLY_ANY = ("no_claims", "no_citations")
"""Reasons that are tolerated as a whole, or not at all."""

TOLERABLE = (
    *BY_CLASS,
    "missing_citation",
    "invalid_citation",
    "missing_source_record",
    "unavailable_span",
    "duplicate_citation",
    "invalid_source_evidence",
    "duplicate_source_evidence",
    "orphan_citation",
    *ONLY_ANY,
)
"""Reasons that ``policy.tolerate`` may name."""

NEVER_TOLERATED = ("missing_source_evidence", "unreadable_case")

IN_COVERAGE = {
    "unsupported_summary_fact": "unsupported_claim",
    "missing_summary_citation": "missing_citation",
    "unknown_citation": "invalid_citation",
    "duplicate_source_fact": "duplicate_source_evidence",
}
"""The coverage report's own names of reasons, and the reason under which each is tolerated."""

REASONS = (*TOLERABLE, *NEVER_TOLERATED, *IN_COVERAGE)
"""Every reason that a report can give."""

CITATION_METRICS = (
    "coverage",
    "abstention_rate",
    "evidence_coverage",
    "claim_count",
    "supported_claim_count",
    "unsupported_claim_count",
    "abstention_count",
    "citation_count",
    "valid_citation_count",
    "invalid_citation_count",
    "duplicate_citation_count",
    "missing_citation_count",
    "missing_source_record_count",
    "unavailable_span_count",
    "evidence_record_count",
    "valid_evidence_record_count",
    "invalid_evidence_record_count",
    "duplicate_evidence_record_count",
    "referenced_evidence_count",
)
COVERAGE_METRICS = (
    "recall",
    "source_fact_count",
    "summary_fact_count",
    "cited_fact_count",
    "omission_count",
    "unsupported_fact_count",
    "invalid_citation_count",
    "missing_citation_count",
    "invalid_source_fact_count",
    "duplicate_source_fact_count",
    "source_evidence_count",
)
FLAGS = ("source_evidence_available", "fail_closed", "passed")
"""What both reports say beside their metrics."""

SAID_HERE = {
    "absent": "it stands in a locator or a span: `{path: ..., absent: [-1]}`",
    "allow": "write `policy: {tolerate: ...}`",
    "base": "it stands in a span, or beside `place: position`",
    "begin": "write `start`",
    "capture": "it stands in a locator: `{path: ..., capture: '...'}`",
    "charset": "a rule file and its inputs are UTF-8",
    "claim": "it stands on `citations`",
    "class": "it stands on `claims` and on `evidence`",
    "closed": "it stands in a span",
    "const": "write the literal: `field: literal`",
    "default": "it stands on an offset, on `within` and on a part of `parts`, never on an id alone",
    "delimiter": "write `split`",
    "doc": "write `within` in a span, or `parts` in an id",
    "document": "write `within` in a span, or `parts` in an id",
    "document_id": "write `within` in a span, or `parts` in an id",
    "each": "it stands in a span",
    "enum": "write a list of literals: `field: [a, b]`",
    "eq": "write the literal: `field: literal`",
    "equals": "write the literal: `field: literal`",
    "exists": "write `field: {not: null}` for there, `field: null` for not there",
    "facts": "write `evidence`",
    "fallback": "write a list of paths: the first that is there counts",
    "filter": "write `where`",
    "find_all": "it stands in `records`: `{path: ..., find_all: '...'}`",
    "follow": "it stands on `citations`",
    "ids": "ids are compared as text; there is nothing to set",
    "if": "write `where`",
    "in": "write a list of literals: `field: [a, b]`",
    "include": "write `extends`",
    "inherits": "write `extends`",
    "key": "write `{place: key}`",
    "match": "write `capture` in a locator, `where` on a collection",
    "merge": "it stands on `claims` and on `evidence`",
    "min_coverage": "write `policy: {tolerate: {unsupported_claim: 5%}}`",
    "missing": "`null` in `where` means not there; `absent` lists values that mean it",
    "ne": "write `field: {not: literal}`",
    "not_in": "write `field: {not: [a, b]}`",
    "numbers": "it stands in a span",
    "offset": "write `span: {start: ..., end: ...}`",
    "offsets": "write `span: {start: ..., end: ...}`",
    "one_or_many": "leave it out: a path opens an array, and anything else that is there is one record",
    "optional": "leave it out: what is absent is absent",
    "otherwise": "write a list: the first that is there counts",
    "pattern": "write `capture`",
    "pointer": "write `{place: pointer}`",
    "position": "write `{place: position, base: 0}`",
    "range": "it stands in `records`: `{path: ..., range: [first, last]}`",
    "regex": "write `capture` in a locator; conditions compare whole values",
    "required": "leave it out: what is absent is counted",
    "separator": "write `split`",
    "siblings": "it stands on `citations`",
    "source_facts": "write `evidence`",
    "split": "it stands in `records`: `{path: ..., split: ','}`",
    "stop": "write `end`",
    "strict": "leave it out: nothing is tolerated that `policy: {tolerate: ...}` does not name",
    "summary": "write `claims` for what the summary holds, `inputs: {summary: ...}` for its cases",
    "supports": "it stands on `citations`",
    "thresholds": "write `policy: {tolerate: ...}`",
    "tolerance": "write `policy: {tolerate: ...}`",
    "tolerances": "write `policy: {tolerate: ...}`",
    "tolerate": "it stands under `policy`",
    "type": "write `where: {type: literal}`",
    "unit": "leave it out, or give citations and evidence of each unit a `kind`",
    "units": "leave it out, or give citations and evidence of each unit a `kind`",
    "within": "it stands in a span",
}
"""What other tools and people call a thing, or put where it does not stand, and what to write."""
