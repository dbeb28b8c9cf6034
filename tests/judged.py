"""Rules and records as a test writes them, and the report that they give."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache
from typing import Any

import yaml
from msgspec.structs import replace

from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import Document, JsonText
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_mapping
from openmed_rules.ruleset.model import RuleSet

TODAY = date(2026, 1, 1)
"""The day on which waivers are held."""
BASE = """\
version: 1
name: small
claims: {records: $.claims}
citations: {records: citations}
evidence: {records: $.evidence}
"""
"""A rule file that needs no more than lists of bare ids; a test says what differs from it."""


@lru_cache(maxsize=256)
def rule_set(said: str = "") -> RuleSet:
    """The rule set of ``BASE`` with ``said``, YAML text, in place of its own sections."""
    return load_rule_mapping({**yaml.safe_load(BASE), **(yaml.safe_load(said) or {})})


def lines(values: Iterable[object], file: str) -> list[Document]:
    """Each value, or each text that is JSON already, as one line of ``file``."""
    texts = (value if isinstance(value, bytes) else json.dumps(value).encode() for value in values)
    return [JsonText(Place(file, number), text) for number, text in enumerate(texts, 1)]


def judge(
    said: str | RuleSet,
    *summaries: object,
    evidence: Iterable[object] | None = None,
    strict_json: bool = False,
    positions: int = 20,
) -> Report:
    """The report of ``summaries``, one a line of ``notes``, with ``evidence``, one a line of ``facts``.

    It must be the same whichever way the engine takes: counting locators asks for the general one, and so does strict
    JSON, which may take shorter ways where nothing is counted. Bytes and embedded text may hold what is no strict JSON.
    """
    rules = said if isinstance(said, RuleSet) else rule_set(said)
    facts = None if evidence is None else list(evidence)

    def report(*, locators: bool, strict: bool) -> Report:
        return judge_batch(
            rules,
            lines(summaries, "notes"),
            None if facts is None else lines(facts, "facts"),
            strict_json=strict,
            positions=positions,
            locators=locators,
            today=TODAY,
        )

    quickly = report(locators=False, strict=strict_json)
    assert quickly == replace(report(locators=True, strict=strict_json), locators=None)
    is_text = rules.summary_input.embedded_json or rules.evidence_input.embedded_json
    if not is_text and not any(isinstance(value, bytes) for value in (*summaries, *(facts or ()))):
        assert quickly == report(locators=False, strict=True)
    return quickly


def numbers(report: Report) -> dict[str, Any]:
    """Every number of a report by a short name, as ``claim``, ``recall`` or ``coverage.passed``."""
    said: dict[str, Any] = {**report.to_dict(), "classes": report.classes}
    flat: dict[str, Any] = {"verdict": report.verdict, "reasons": set(report.reasons)}
    flat |= {name.removesuffix("_count"): value for name, value in (report.citations or {}).items()}
    for name, value in (report.coverage or {}).items():
        short = name.removesuffix("_count")
        flat[f"coverage.{short}" if short in _IN_BOTH else short] = value
    for group in ("cases", "tolerated", "warnings", "waived", "joined", "left_out", "classes"):
        flat |= {f"{group}.{name}": value for name, value in said[group].items()}
    return flat | {"orphan_citation": report.orphan_citations, "positions": said["positions"]}


_IN_BOTH = {
    "invalid_citation",
    "missing_citation",
    "source_evidence_available",
    "fail_closed",
    "passed",
    "failure_reasons",
}


def measure(example: Mapping[str, Any], rule: str | None = None) -> dict[str, Any]:
    """The numbers that an example of a table (``rule``, ``case``, ``evidence``) says it ``gives``."""
    evidence = [example["evidence"]] if "evidence" in example else None
    got = numbers(judge(rule or example["rule"], example["case"], evidence=evidence))
    return {name: got.get(name, 0) for name in example["gives"]}
