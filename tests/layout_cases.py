"""The built-in layouts with the inputs of their own tests, and where in these the records and the citations stand."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from openmed_rules.judging.cases import compile_division
from openmed_rules.judging.nodes import CaseNode, Node
from openmed_rules.judging.walking import Found, compile_walk, open_array
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import RuleFile, load_rule_file, load_rule_mapping


@dataclass(frozen=True)
class LayoutCase:
    """The inputs of one test of a layout; each use of them begins with a copy."""

    layout: str
    test: str
    summaries: list[Any]
    evidence: list[Any] | None

    def __repr__(self) -> str:
        return f"{self.layout}: {self.test}"

    @property
    def inputs(self) -> tuple[list[Any], list[Any] | None]:
        """Copies that may be changed."""
        return copy.deepcopy((self.summaries, self.evidence))


@lru_cache(maxsize=128)
def layout(name: str) -> RuleFile:
    """A built-in layout, loaded once."""
    return load_rule_file(name)


@lru_cache(maxsize=128)
def with_policy(name: str, tolerate: str) -> model.RuleSet:
    """A layout whose policy tolerates any amount of these reasons, and nothing else."""
    data = {key: value for key, value in layout(name).data.items() if key != "tests"}
    policy = {key: value for key, value in data.get("policy", {}).items() if key in {"malformed", "spans"}}
    return load_rule_mapping({**data, "policy": {**policy, "tolerate": dict.fromkeys(tolerate.split(), "any")}})


def layout_cases() -> list[LayoutCase]:
    """Every test of every layout that brings its inputs along."""
    return [
        LayoutCase(
            name,
            test.name,
            [case.summary for case in test.cases],
            [case.evidence for case in test.cases if case.evidence is not None] or None,
        )
        for name in builtin_names()
        for test in layout(name).tests
        if test.cases
    ]


def records_of(rules: model.RuleSet, summaries: list[Any], evidence: list[Any] | None) -> list[Node]:
    """The records of evidence, with the values that they stand in."""
    return [
        node
        for collection in rules.evidence
        for start in _starts(rules, collection.input, summaries, evidence)
        for node in _found(collection.records, start)
    ]


def citations_of(rules: model.RuleSet, summaries: list[Any]) -> list[Node]:
    """The citations that stand inside of their claims, with the values that they stand in."""
    claims = [
        node
        for collection in rules.claims
        for start in _starts(rules, "summary", summaries, None)
        for node in _found(collection.records, start)
    ]
    return [
        node
        for collection in rules.citations
        if not collection.claim and not collection.siblings
        for claim in claims
        for node in _found(collection.records, claim)
    ]


def _starts(rules: model.RuleSet, source: str, summaries: list[Any], evidence: list[Any] | None) -> Iterator[CaseNode]:
    rule = rules.evidence_input if source == "evidence" else rules.summary_input
    divide = compile_division(rule, Watch(), strict_json=False)
    for document in (evidence or []) if source == "evidence" else summaries:
        yield from divide(document)


def _found(sources: Iterable[model.Source], start: Node) -> list[Node]:
    """What the first of ``sources`` that is there leads to, where it stands in an array or an object."""
    for source in sources:
        found = Found()
        if source.form is None:
            compile_walk(source.path, open_array)(start, found)
        if found.there:
            return [node for node in found.places if node.parent is not None and node.key is not None]
    return []
