"""The line of a rule file that decides on each reason, so that a result can point at it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.problems import KeyPath, Mark
from openmed_rules.ruleset.words import IN_COVERAGE, REASONS

_SECTIONS: Final = MappingProxyType[str, str](
    {
        "unsupported_claim": "claims",
        "missing_citation": "claims",
        "no_claims": "claims",
        "omitted_source_fact": "evidence",
        "invalid_source_evidence": "evidence",
        "duplicate_source_evidence": "evidence",
        "missing_source_evidence": "evidence",
        "unreadable_case": "inputs",
    }
)
"""The section that a reason is about; all others are about ``citations``."""

_PARENTS: Final = MappingProxyType[str, str](
    {
        "missing_citation": "unsupported_claim",
        "missing_source_record": "invalid_citation",
        "unavailable_span": "invalid_citation",
    }
)


def reason_marks(file: RuleFile) -> dict[str, Mark]:
    """Each reason that a report can give, and where in the rule file, or what it extends, it is decided on.

    That is its tolerance, or that of the reason whose detail it is; without one, the section it is about.
    """
    return {reason: _mark(file, IN_COVERAGE.get(reason, reason)) for reason in REASONS}


def _mark(file: RuleFile, reason: str) -> Mark:
    places: tuple[KeyPath, ...] = (
        ("policy", "tolerate", reason),
        ("policy", "tolerate", _PARENTS.get(reason, reason)),
        (_SECTIONS.get(reason, "citations"),),
    )
    for place in places:
        if spot := file.marks.spots.get(place):
            return (spot.key or spot.value).mark
    return Mark(file.name, 1, 1)
