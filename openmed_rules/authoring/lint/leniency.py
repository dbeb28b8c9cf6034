"""How strict a gate is: one that cannot fail, or that would not notice that nothing was judged."""

from __future__ import annotations

from collections.abc import Iterator

from openmed_rules.authoring.lint.subject import Check, Subject
from openmed_rules.ruleset.model import Tolerance, Tolerances
from openmed_rules.ruleset.problems import Fault


def the_gate_can_fail(subject: Subject) -> Iterator[Fault]:
    """What is tolerated without a limit must leave something over which the gate fails."""
    if "citations" not in subject.file.rules.reports and "coverage" in subject.file.rules.reports:
        return
    unlimited = {reason for reason, entry in subject.file.rules.policy.tolerate if _without_limit(entry)}
    if {"invalid_citation", "unsupported_claim", "no_citations"} <= unlimited:
        message = "this gate cannot fail over citations: whatever is wrong with them is tolerated"
        hint = "give invalid_citation or unsupported_claim a count or a percentage"
        yield Fault("OMR-841", ("policy", "tolerate"), message, hint=hint, at_key=True)
    elif "no_citations" in unlimited and {"unsupported_claim", "missing_citation"} & unlimited:
        message = "nothing fails where citations.records finds nothing at all: uncited claims are tolerated, too"
        hint = "remove no_citations: it fails only a run in which nothing is cited"
        yield Fault("OMR-842", ("policy", "tolerate", "no_citations"), message, hint=hint, at_key=True)


def a_batch_can_fail(subject: Subject) -> Iterator[Fault]:
    """A batch of which every case may fail is no gate."""
    if _everything(subject.file.rules.policy.failed_cases):
        message = "this gate cannot fail: every case may"
        yield Fault("OMR-841", ("policy", "failed_cases"), message, hint="write less than 100%", at_key=True)


def _without_limit(entry: Tolerances) -> bool:
    return _everything(entry.default) and all(_everything(tolerance) for _, tolerance in entry.classes)


def _everything(tolerance: Tolerance) -> bool:
    return tolerance.any or (tolerance.whole > 0 and tolerance.parts >= tolerance.whole)


LENIENCY: tuple[Check, ...] = (the_gate_can_fail, a_batch_can_fail)
"""The checks of this module."""
