"""What a rule file's own tests do not notice is told with its line; no built-in layout has such a hole."""

from __future__ import annotations

from typing import Any

import pytest

from openmed_rules.authoring.mutation import mutants_of, run_mutants
from openmed_rules.ruleset.loader import load_rule_file, load_rule_text

RULES = """\
version: 1
name: small
claims: {records: $.claims, where: {type: statement}}
citations: {records: refs, id: [id, ref]}
evidence: {records: $.facts, id: id}
policy: {tolerate: {duplicate_citation: 1}}
tests:
  - name: a fact is cited, twice
    summary: {claims: [{type: statement, refs: [{id: f1}, {id: f1}]}], facts: [{id: f1}]}
    expect: {passed: true}
  - name: an unknown fact
    summary: {claims: [{type: statement, refs: [{id: f9}]}], facts: [{id: f1}]}
    expect: {passed: false}
"""

MUTANTS: list[tuple[dict[str, Any], set[str]]] = [
    ({"claims": {"records": "$.claims[*]"}}, {"claims.records path misspelt"}),
    (
        {"evidence": {"records": "$.e", "where": {"a": 1, "b.c": None}}},
        {
            "evidence.records path misspelt",
            "evidence.where `where` dropped",
            "evidence.where condition on a dropped",
            "evidence.where condition on a misspelt",
            "evidence.where condition on b.c dropped",
            "evidence.where condition on b.c misspelt",
        },
    ),
    (
        {"citations": {"records": "r", "span": {"start": "s", "end": "e", "closed": True}}},
        {
            "citations.records path misspelt",
            "citations.span.base base flipped",
            "citations.span.closed closed flipped",
            "citations.span.start path misspelt",
            "citations.span.end path misspelt",
        },
    ),
    (
        {"evidence": {"records": "$.e", "id": {"place": "position", "base": 1}}},
        {
            "evidence.records path misspelt",
            "evidence.id.place place is key",
            "evidence.id.place place is pointer",
            "evidence.id.base base flipped",
        },
    ),
    (
        {"citations": {"records": "r", "kinds": {"a": {"id": "x"}}}},
        {"citations.records path misspelt", "citations.kinds.a kind dropped", "citations.kinds.a.id path misspelt"},
    ),
    (
        {"policy": {"tolerate": {"unsupported_claim": {"default": "any", "other": 1}}}},
        {
            "policy.tolerate.unsupported_claim.default tolerance dropped",
            "policy.tolerate.unsupported_claim.other tolerance dropped",
            "policy.tolerate.unsupported_claim.other tolerance made any",
            "policy.tolerate.unsupported_claim.other tolerance made one more",
        },
    ),
]


@pytest.mark.parametrize(("data", "expected"), MUTANTS)
def test_every_way_to_be_wrong_is_tried(data: dict[str, Any], expected: set[str]) -> None:
    assert {f"{'.'.join(map(str, mutant.place))} {mutant.what}" for mutant in mutants_of(data)} == expected


def test_a_hole_in_the_tests_is_told_with_its_line() -> None:
    run = run_mutants(load_rule_text(RULES))

    holes = {(mark.line, mutant.place, mutant.what) for mark, mutant in run.survivors}
    assert holes == {
        (3, ("claims", "where"), "`where` dropped"),
        (4, ("citations", "id", 1), "dropped from its list"),
        (4, ("citations", "id", 1), "path misspelt"),
        (6, ("policy", "tolerate", "duplicate_citation"), "tolerance made any"),
        (6, ("policy", "tolerate", "duplicate_citation"), "tolerance made one more"),
    }


SHARED = """\
version: 1
name: shared
claims: {records: $.claims}
citations:
  - records: refs
    id: &id [id, ref]
  - {records: also, id: *id}
evidence: {records: $.facts, id: id}
reports: [citations]
tests:
  - name: a known fact, and an unknown one
    summary: {claims: [{refs: [{id: f1}, {ref: f9}]}, {also: f1}], facts: [{id: f1}]}
    expect: {passed: false, citations: {missing_source_record_count: 1, valid_citation_count: 1}}
"""


def test_what_stands_once_is_broken_once_and_every_alias_of_it_is_left_out() -> None:
    run = run_mutants(load_rule_text(SHARED))

    holes = {(mark.line, mutant.place, mutant.what, mutant.also) for mark, mutant in run.survivors}
    assert holes == {
        (7, ("citations", 1), "dropped from its list", ()),
        (7, ("citations", 1, "records"), "path misspelt", ()),
    }
    assert run.tried == 1 + 2 + 2 + 2 * 2 + 1 + 2


def test_a_mutant_is_in_every_place_that_an_alias_repeats() -> None:
    tests = """\
tests:
  - name: a known fact
    summary: {claims: [{refs: [{id: f1}]}, {also: {id: f1}}], facts: [{id: f1}]}
    expect: {passed: true}
"""
    run = run_mutants(load_rule_text(SHARED.partition("tests:")[0] + tests))

    (hole,) = {mutant for _, mutant in run.survivors if mutant.what == "path misspelt"}
    assert (hole.place, hole.also) == (("citations", 0, "id", 1), (("citations", 1, "id", 1),))


QUICK = ["healthscribe", "trec-rag24", "longcite", "bedrock-converse", "anthropic-citations", "vertex-answer"]


@pytest.mark.parametrize("name", QUICK)
def test_no_mutant_of_a_layout_survives(name: str) -> None:
    """A few here; ``.ci/full`` tries them all."""
    assert run_mutants(load_rule_file(name)).survivors == ()
