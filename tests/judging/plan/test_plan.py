"""The fast way gives the same counts as the general way, whatever the rule set and the document."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openmed_rules.judging.documents import JsonText
from openmed_rules.judging.judge import compile_judge
from openmed_rules.judging.nodes import CaseNode, CaseRoots
from openmed_rules.judging.parsing import Parsed, parse_document
from openmed_rules.judging.plan.layout import NotPlanned, layout_of
from openmed_rules.judging.plan.running import compile_plan
from openmed_rules.judging.values import UnusableText
from openmed_rules.judging.watching import Watch
from openmed_rules.results.counts import Counts
from openmed_rules.results.places import Place
from openmed_rules.ruleset.loader import load_rule_mapping
from openmed_rules.ruleset.model import RuleSet

PLACE = Place("generated.json")
EXAMPLES = int(os.environ.get("OPENMED_RULES_EXAMPLES", "600"))
"""How many pairs of a rule set and a document are tried; ``.ci/full`` tries more."""


def general_way(rules: RuleSet, text: bytes) -> Counts | None:
    """The counts by the general judge; None where the document cannot be read."""
    parsed = parse_document(JsonText(PLACE, text))
    if not isinstance(parsed, Parsed):
        return None
    try:
        return compile_judge(rules, Watch())(CaseRoots(CaseNode(parsed.value), ()), [])
    except UnusableText:
        return None


def span(draw: st.DrawFn, within: str | None) -> dict[str, Any]:
    """A span form in one of the conventions that a plan knows."""
    form: dict[str, Any] = {"start": "s", draw(st.sampled_from(["end", "length"])): "e"}
    if draw(st.booleans()):
        form["base"] = 1
    if "end" in form and draw(st.booleans()):
        form["closed"] = True
    if within is not None:
        form["within"] = within
    return form


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Rule sets that have a plan."""
    within = draw(st.sampled_from([None, "doc", "at.doc"]))
    style = draw(st.sampled_from(["id", "span", "both", "bare", "position"]))
    where = draw(st.sampled_from([None, {"t": "x"}, {"t": ["x", None]}, {"t": {"not": "x"}}]))
    evidence: dict[str, Any] = {"records": draw(st.sampled_from(["$.ev", "$.body.ev[*]", "$.parts[*].ev"]))}
    citations: dict[str, Any] = {"records": draw(st.sampled_from(["r", "in.r[*]"]))}
    if style in {"id", "both"}:
        evidence["id"] = "id"
        citations["id"] = "ref"
    if style == "position":
        evidence["id"] = {"place": "position", "base": draw(st.sampled_from([0, 1])), "among": "records"}
        if evidence["records"] == "$.ev" and where is None:
            del evidence["id"]["among"]
        citations["id"] = draw(st.sampled_from(["ref", "@"]))
    if style in {"span", "both"}:
        evidence["span"] = span(draw, within)
        citations["span"] = span(draw, within)
    if style != "bare" and where is not None and draw(st.booleans()):
        evidence["where"] = where
    if style not in {"bare", "position"} and where is not None and draw(st.booleans()):
        citations["where"] = where
    collections: Any = citations
    if draw(st.booleans()):
        collections = [citations, {**citations, "records": "contra", "supports": False}]
    claims: dict[str, Any] = {"records": draw(st.sampled_from(["$.claims", "sections[*].claims"]))}
    if where is not None and draw(st.booleans()):
        claims["where"] = where
    policy = {"malformed": draw(st.sampled_from(["invalid", "ignore"]))}
    if style == "bare":
        evidence["records"] = "$.ev"
    whole = {
        "version": 1,
        "name": "generated",
        "claims": claims,
        "citations": collections,
        "evidence": evidence,
    }
    return load_rule_mapping(whole | {"policy": policy})


IDS = st.sampled_from(["e0", "e1", "e2", " e1 ", "zz", "", "é", 0, 1, 2, "1", None])
ODD = st.sampled_from([True, 1.0, [], {}, "x", [1], -1])
NUMBERS = st.sampled_from([0, 1, 2, 3, 5, 8, 9, None])
LITERALS = st.sampled_from(["x", "y", None])


def mostly(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A usual value nine times of ten, an odd one otherwise."""
    return st.integers(0, 9).flatmap(lambda number: ODD if number == 0 else usual)


def some(members: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some of ``members``."""
    return st.fixed_dictionaries({}, optional=members)


DOCUMENTS = st.sampled_from(["A", "B", " A", None])
RECORD = {
    "id": IDS,
    "ref": IDS,
    "s": NUMBERS,
    "e": NUMBERS,
    "doc": DOCUMENTS,
    "at": some({"doc": DOCUMENTS}),
    "t": LITERALS,
}
RECORDS = st.one_of(
    st.lists(some(RECORD), max_size=4),
    st.lists(some({name: mostly(usual) for name, usual in RECORD.items()}), max_size=3),
    st.lists(IDS, max_size=3),
    mostly(st.none()),
)
CLEAN = st.lists(LITERALS, min_size=1, max_size=4).map(
    lambda kinds: [
        {
            "id": f"e{n}",
            "ref": f"e{n}",
            "s": 2 * n + 1,
            "e": 2 * n + 2,
            "doc": "A",
            "at": {"doc": "A"},
            "t": "x",
        }
        for n, kind in enumerate(kinds)
    ]
)
ANY_RECORDS = st.one_of(CLEAN, CLEAN, RECORDS)
CLAIM = some(
    {
        "r": ANY_RECORDS,
        "in": some({"r": ANY_RECORDS}),
        "contra": ANY_RECORDS,
        "t": LITERALS,
        "text": st.just("é"),
    }
)
CLAIMS = st.one_of(st.lists(CLAIM, max_size=3), st.lists(mostly(CLAIM), max_size=3))
DOCUMENT = some(
    {
        "claims": CLAIMS,
        "sections": st.lists(some({"claims": CLAIMS}), max_size=2),
        "ev": ANY_RECORDS,
        "body": some({"ev": ANY_RECORDS}),
        "parts": st.lists(some({"ev": ANY_RECORDS}), max_size=2),
        "other": mostly(st.just("skipped")),
    }
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(rule_sets(), DOCUMENT)
def test_the_plan_counts_what_the_general_way_counts(rules: RuleSet, document: dict[str, Any]) -> None:
    """A plan gives the same counts, or hands the document on."""
    text = json.dumps(document, ensure_ascii=False).encode()
    planned = compile_plan(rules)(text)
    assert planned is None or planned == general_way(rules, text)


def clean_document(claims: int) -> dict[str, Any]:
    """A document that every plan of the layout below takes."""
    return {
        "claims": [{"r": [{"ref": f"e{n}"}, {"ref": "zz"}]} for n in range(claims)],
        "ev": [{"id": f"e{n}", "text": "synthetic"} for n in range(claims + 1)],
    }


BY_ID = {
    "version": 1,
    "name": "by-id",
    "claims": {"records": "$.claims"},
    "citations": {"records": "r", "id": "ref"},
    "evidence": {"records": "$.ev", "id": "id"},
}


def test_a_plain_document_is_taken() -> None:
    """The fast way is really taken, and an unknown citation does not send a document the general way."""
    text = json.dumps(clean_document(3)).encode()
    counts = compile_plan(load_rule_mapping(BY_ID))(text)
    assert counts is not None
    assert (counts.claim, counts.valid_citation, counts.missing_source_record, counts.omission) == (
        3,
        3,
        3,
        1,
    )


DAMAGED = [
    pytest.param(b'{"claims": [], "ev": [{"id": "e"}]', id="cut short"),
    pytest.param(
        b'{"claims": [{"r": [{"ref": "e"}]}], "ev": [{"id": "e"}], "x": "\xff"}',
        id="not UTF-8 where it is skipped",
    ),
    pytest.param(b'{"claims": [{"r": [{"ref": "e"}]}], "ev": [{"id": "e"}], "x": NaN}', id="NaN where it is skipped"),
    pytest.param(b'{"claims": [{"r": [{"ref": NaN}]}], "ev": [{"id": "e"}]}', id="NaN where it is read"),
    pytest.param(
        b'{"claims": [{"r": [{"ref": "e"}]}], "ev": [{"id": "e"}], "x": "\\ud83d"}', id="half a pair, skipped"
    ),
    pytest.param(b'{"claims": [{"r": [{"ref": "\\ud83d"}]}], "ev": [{"id": "e"}]}', id="half a pair, read"),
    pytest.param(
        b'{"claims": [{"r": [{"ref": ' + b"9" * 5000 + b'}]}], "ev": [{"id": "e"}]}',
        id="a huge integer, read",
    ),
    pytest.param(b'{"claims": 1, "ev": []}', id="wrong types"),
    pytest.param(b'[{"claims": []}]', id="an array at the top"),
    pytest.param(b'{"claims": [{"r": [{"ref": "e", "ref": "f"}]}], "ev": [{"id": "f"}]}', id="equal names"),
    pytest.param(
        b'{"x": ' + b"[" * 3000 + b"]" * 3000 + b', "claims": [{"r": [{"ref": "e"}]}], "ev": [{"id": "e"}]}',
        id="deep",
    ),
]


@pytest.mark.parametrize("text", DAMAGED)
def test_damaged_text_ends_the_same_both_ways(text: bytes) -> None:
    """What the decoder skips is as readable, or unreadable, as where everything is parsed."""
    rules = load_rule_mapping(BY_ID)
    planned = compile_plan(rules)(text)
    assert planned is None or planned == general_way(rules, text)


NOT_PLANNED = [
    ({"claims": {"records": "$..claims"}}, "claims.records"),
    ({"citations": {"records": {"path": "r", "split": ","}}}, "split"),
    ({"citations": {"records": "r", "id": ["ref", "alt"]}}, "a list"),
    ({"evidence": {"records": ["$.ev", "$.more"], "id": "id"}}, "a list in evidence.records"),
    ({"evidence": {"records": "$.ev", "where": {"t": "x"}, "id": {"place": "position"}}}, "position"),
    ({"evidence": {"records": "$.a[*].ev", "id": {"place": "position"}}}, "position"),
    ({"inputs": {"summary": {"cases": "$.k"}}}, "inputs"),
]


@pytest.mark.parametrize(("patch", "why"), NOT_PLANNED)
def test_a_rule_set_without_a_plan_says_why(patch: dict[str, Any], why: str) -> None:
    """The reason is in words of the rule file."""
    with pytest.raises(NotPlanned, match=why):
        layout_of(load_rule_mapping(BY_ID | patch))
