"""Samples in, the text of a rule file out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from openmed_rules.authoring.inference.choosing import Choice, choose
from openmed_rules.authoring.inference.recognising import recognise
from openmed_rules.authoring.inference.sampling import Sample, take_sample
from openmed_rules.authoring.inference.spelling import rule_mapping
from openmed_rules.authoring.inference.synthetic import synthetic_tests
from openmed_rules.authoring.inference.telling import NO_EVIDENCE, inferred_text, recognised_text
from openmed_rules.authoring.inference.yaml_text import flow
from openmed_rules.authoring.rule_tests import run_rule_tests
from openmed_rules.errors import InputError, UsageError, contained
from openmed_rules.judging.documents import Document
from openmed_rules.ruleset.loader import load_rule_text


@dataclass(frozen=True, slots=True)
class Inferred:
    """A rule file that a sample asks for: its ``text``, or None where nothing was found.

    ``layout``: the built-in layout that it is, or None. ``questions``: what only a person can answer.
    """

    text: str | None
    layout: str | None
    questions: tuple[str, ...]


def infer_rules(
    summary: Iterable[Document],
    evidence: Iterable[Document] | None = None,
    *,
    name: str,
    known_layouts: bool = True,
    told: Callable[[int], None] = lambda _size: None,
) -> Inferred:
    """The rule file, called ``name``, that the documents of ``summary`` and ``evidence`` ask for.

    ``known_layouts``: a layout that comes with the package is taken where the sample has it. ``told`` is called
    with the size in bytes of each document as it is read. Nothing that is returned holds a value of a record.

    Raises:
        InputError: no document could be read.
        UsageError: there are several evidence documents, and not one for each document of the summary.
    """
    outcome = contained("inferring", _inferred, summary, evidence, name, told, known_layouts=known_layouts)
    del summary, evidence
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _inferred(
    summary: Iterable[Document],
    evidence: Iterable[Document] | None,
    name: str,
    told: Callable[[int], None],
    *,
    known_layouts: bool,
) -> Inferred:
    mine = take_sample(summary, told)
    other = None if evidence is None else take_sample(evidence, told)
    _refuse_unusable(mine, other)
    return _infer(mine, other, name, known_layouts=known_layouts)


def _refuse_unusable(mine: Sample, other: Sample | None) -> None:
    for sample in filter(None, (mine, other)):
        if not sample.values:
            why = "".join(f": {unreadable}" for unreadable in sample.unreadable[:1])
            raise InputError("OMR-631", f"no document of the sample could be read{why}")
    if other is not None and len(other.values) != 1 and other.seen != mine.seen:
        raise UsageError("OMR-632", "several evidence documents, and not one for each document of the summary")


def _infer(mine: Sample, other: Sample | None, name: str, *, known_layouts: bool) -> Inferred:
    documents = other.documents if other else None
    if known_layouts:
        found = recognise(mine.documents, documents)
        if found:
            text, asked = recognised_text(found[0], found[1:], name, mine)
            return Inferred(text, found[0].name, asked)
    choice = choose(mine.values, other.values if other else None, mine.documents, documents)
    if choice is None:
        return Inferred(None, None, NO_EVIDENCE)
    text, asked = inferred_text(choice, _tests(choice, name), name, mine)
    return Inferred(text, None, asked)


def _tests(choice: Choice, name: str) -> list[dict[str, Any]]:
    """Two tests of the rule in its own layout; none where the rule does not take them as they are meant."""
    tests = synthetic_tests(choice.settled.draft)
    rule: Mapping[str, Any] = {**rule_mapping(choice.settled.draft, name), "tests": tests}
    run = run_rule_tests(load_rule_text(flow(rule)))
    return [] if run.failed or run.refusal else tests
