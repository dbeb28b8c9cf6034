"""The fast way gives the same counts as the general way, whatever the rule set and the document."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Literal

import pytest
import yaml
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from judged import lines
from openmed_rules.errors import UsageError
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import JsonText
from openmed_rules.judging.judge import compile_judge
from openmed_rules.judging.nodes import CaseNode, CaseRoots
from openmed_rules.judging.parsing import Parsed, parse_document
from openmed_rules.judging.plan.leaves import NotPlanned
from openmed_rules.judging.plan.running import Plan, compile_plan
from openmed_rules.judging.values import UnusableText
from openmed_rules.judging.watching import Watch
from openmed_rules.results.counts import Counts
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import load_rule_file, load_rule_mapping
from openmed_rules.ruleset.model import RuleSet

PLACE = Place("generated.json")
EXAMPLES = int(os.environ.get("OPENMED_RULES_EXAMPLES", "600"))
"""How many pairs of a rule set and a document are tried; ``.ci/full`` tries more."""

SEED = int(os.environ["OPENMED_RULES_SEED"])


def general_way(rules: RuleSet, text: bytes) -> Counts | None:
    """The counts by the general judge; None where the document cannot be read."""
    parsed = parse_document(JsonText(PLACE, text))
    if not isinstance(parsed, Parsed):
        return None
    try:
        return compile_judge(rules, Watch())(CaseRoots(CaseNode(parsed.value), ()), [])
    except UnusableText:
        return None


def plan_way(rules: RuleSet, text: bytes) -> Counts | None:
    """The counts by the plan; None where the document, which is one case, must go the general way."""
    plan = compile_plan(rules)
    cases = plan.cases["summary"](text)
    return None if cases is None else plan.judge(*cases, None)


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
    policy: dict[str, Any] = {
        "malformed": draw(st.sampled_from(["invalid", "ignore"])),
        "unavailable": draw(st.sampled_from(["abstain", "count"])),
        "tolerate": draw(st.sampled_from([{}, {"invalid_source_evidence": 1}, {"duplicate_source_evidence": 1}])),
    }
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
LITERALS = st.sampled_from(["x", "y", "z", None])


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


def passed_through(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Items in an array, seldom as the members of an object, and seldom one without anything around it."""
    arrays = st.lists(items, max_size=2)
    return st.one_of(arrays, arrays, st.dictionaries(st.sampled_from(["claims", "ev", "a"]), items, max_size=2), items)


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
        "sections": passed_through(some({"claims": CLAIMS})),
        "ev": ANY_RECORDS,
        "body": some({"ev": ANY_RECORDS}),
        "parts": passed_through(some({"ev": ANY_RECORDS})),
        "other": mostly(st.just("skipped")),
    }
)


def plain_record(number: int) -> dict[str, Any]:
    """A record as every plan takes it, and a citation of it."""
    known = {"id": f"e{number}", "ref": f"e{number}", "s": 2 * number + 1, "e": 2 * number + 2}
    return known | {"doc": "A", "at": {"doc": "A"}, "t": "x"}


def full(members: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with all of ``members``."""
    return st.fixed_dictionaries(members)


KNOWN = st.integers(2, 5).map(lambda count: [plain_record(number) for number in range(count)])
CITED = st.lists(st.integers(0, 5).map(plain_record) | st.integers(0, 2).map(lambda n: plain_record(n) | {"e": 1}))
PLAIN_CLAIM = full({"r": CITED, "in": full({"r": CITED}), "contra": CITED, "t": st.sampled_from(["x", "y"])})
PLAIN_CLAIMS = st.lists(PLAIN_CLAIM, min_size=1, max_size=4)


def plain_documents(evidence: st.SearchStrategy[list[dict[str, Any]]]) -> st.SearchStrategy[dict[str, Any]]:
    """Documents with this ``evidence``, of which every plan takes the rest."""
    parts = evidence.map(lambda records: [{"ev": records[:1]}, {"ev": []}, {"ev": records[1:]}])
    sections = st.lists(full({"claims": PLAIN_CLAIMS}), min_size=1, max_size=3)
    members = {"claims": PLAIN_CLAIMS, "sections": sections, "ev": evidence, "body": full({"ev": evidence})}
    return full(members | {"parts": parts})


PLAIN_DOCUMENT = plain_documents(KNOWN)
SPOILED: list[dict[str, Any]] = [
    {"id": "e0", "s": 1, "e": 2},
    {"id": " e0 "},
    {"id": "  "},
    {"id": None, "s": None, "e": None, "doc": None, "at": {}},
    {"e": 0},
    {"s": None},
    {"s": 1, "e": 2},
    {"doc": " A", "at": {"doc": " A"}, "s": 1, "e": 2},
    {"doc": "", "at": {"doc": ""}},
    {"doc": "B", "at": {"doc": "B"}, "s": 1, "e": 9},
    {"id": 7},
    {"t": None},
]
"""What makes another of the last record that is known: one that is not valid, or that needs a second look."""


def spoiled(records: list[dict[str, Any]], how: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """``records``, with some of the last ones spoiled."""
    last = len(how)
    return [*records[:-last], *(record | other for record, other in zip(records[-last:], how, strict=False))]


SPOILED_DOCUMENT = plain_documents(
    st.builds(spoiled, KNOWN, st.lists(st.sampled_from(SPOILED), min_size=1, max_size=2)),
)


@seed(SEED)
@settings(max_examples=EXAMPLES, deadline=None)
@given(rule_sets(), DOCUMENT | PLAIN_DOCUMENT | SPOILED_DOCUMENT)
def test_the_plan_counts_what_the_general_way_counts(rules: RuleSet, document: dict[str, Any]) -> None:
    """A plan gives the same counts, or hands the document on."""
    text = json.dumps(document, ensure_ascii=False).encode()
    planned = plan_way(rules, text)
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
    counts = plan_way(load_rule_mapping(BY_ID), text)
    assert counts is not None
    assert (counts.claim, counts.valid_citation, counts.missing_source_record, counts.omission) == (
        3,
        3,
        3,
        1,
    )


BY_BOTH = BY_ID | {
    "citations": {"records": "r", "id": "ref", "span": {"start": "s", "end": "e", "within": "doc"}},
    "evidence": {"records": "$.ev", "id": "id", "span": {"start": "s", "end": "e", "within": "doc"}},
}


@pytest.mark.parametrize("how", SPOILED, ids=str)
@pytest.mark.parametrize("said", [BY_ID, BY_BOTH], ids=["id", "id and span"])
def test_evidence_that_is_not_valid_does_not_send_a_document_the_general_way(
    said: dict[str, Any], how: dict[str, Any]
) -> None:
    records = [plain_record(number) for number in range(3)]
    text = json.dumps({"claims": [{"r": records}, {"r": records[2:]}], "ev": spoiled(records, [how])}).encode()
    rules = load_rule_mapping(said)
    assert plan_way(rules, text) == general_way(rules, text)


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
    pytest.param(b'{"claims": [{"r": [{"ref": "e"}]}], "ev": [{"id": "e"}]}\xc3', id="half a character at its end"),
    pytest.param(b'{"claims": [{"r": [{"ref": "e"}]}], "ev": [{"id": "e"}], "x": "\xc3', id="cut in a character"),
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
    planned = plan_way(rules, text)
    assert planned is None or planned == general_way(rules, text)


@pytest.mark.parametrize(
    "sections",
    [
        {"claims": [{"r": [{"ref": "e"}]}]},
        {"a": {"claims": [{"r": [{"ref": "e"}]}]}},
        {"claims": {"claims": [{"r": [{"ref": "e"}]}]}},
        [[{"claims": []}]],
        [None],
        None,
        1,
    ],
)
def test_an_object_in_place_of_an_array_on_the_way_is_passed_by_its_members(sections: Any) -> None:
    rules = load_rule_mapping(BY_ID | {"claims": {"records": "$.sections[*].claims"}})
    text = json.dumps({"sections": sections, "ev": [{"id": "e"}]}).encode()
    planned = plan_way(rules, text)
    assert planned is None or planned == general_way(rules, text)


# --- more of the language, in whole runs --------------------------------------------------------------

OF_TWO = {"x": {"where": {"t": "x"}, "id": "id"}, "y": {"where": {"t": ["y", None]}, "id": ["alt", "id"]}}
REFERRED = {"x": {"where": {"t": "x"}, "id": "ref"}, "y": {"id": ["alt", "ref"]}}
LEFT_OUT = {"where": {"t": "z"}, "ignore": True}
CITED: list[tuple[Any, Any]] = [
    ({"id": "ref"}, {"id": "id"}),
    ({"id": ["alt", "ref"]}, {"id": ["alt", "id"]}),
    ({"id": {"path": ["alt", "ref"], "absent": ["-"]}}, {"id": {"path": "id", "absent": ["-"]}}),
    ({"id": [{"path": "ref", "capture": "#(.+)"}, "ref"]}, {"id": "id"}),
    ({"id": {"parts": ["at.doc", "ref"]}}, {"id": {"parts": ["at.doc", "id"]}}),
    (
        {"id": {"parts": [{"path": "t", "default": "x"}, "ref"]}},
        {"id": {"parts": [{"path": "t", "default": "x"}, "id"]}},
    ),
    (
        {"span": {"start": ["s", "s2"], "end": "e", "absent": [-1], "within": "doc"}},
        {"span": {"start": "s", "end": "e", "within": {"path": "doc", "default": "A"}}},
    ),
    ({"id": "ref", "span": {"start": "s", "end": "e"}}, {"id": ["id", "alt"], "span": {"start": "s", "end": "e"}}),
    ({"span": {"start": "s", "end": "e"}}, {"id": "id", "span": {"start": "s", "length": "e", "numbers": "text"}}),
    ({"kinds": REFERRED}, {"kinds": OF_TWO}),
    ({"kinds": {"z": LEFT_OUT, **REFERRED}}, {"kinds": {"z": LEFT_OUT, **OF_TWO}}),
    ({"id": "ref", "kind": "x"}, {"id": "id", "kind": "x"}),
    ({"id": "ref"}, {"id": "id", "merge": True}),
    ({"id": "ref"}, {"id": {"place": "position", "base": 1}}),
]
CONDITIONS = [
    {"t": {"not": None}},
    {"flag": True},
    {"flag": {"not": False}},
    [{"t": "x"}, {"flag": True, "t": None}],
]


@st.composite
def wide_rule_sets(draw: st.DrawFn) -> dict[str, Any]:
    """Rule sets of which most have a plan: several collections, fallback lists, kinds, forms, two inputs, cases."""
    cited, known = draw(st.sampled_from(CITED))
    claims: Any = {"records": draw(st.sampled_from(["$.claims", ["$.more", "$.claims"], "$.sections[*].claims"]))}
    if draw(st.booleans()):
        claims["where"] = draw(st.sampled_from(CONDITIONS))
    if draw(st.booleans()):
        claims = [claims, {"records": "$.more"}]
    citations: Any = {"records": draw(st.sampled_from(["r", ["r", "contra"], "in.r", "parts[*].r"])), **cited}
    if draw(st.booleans()):
        citations["where"] = draw(st.sampled_from(CONDITIONS))
    if draw(st.booleans()):
        citations = [citations, {**citations, "records": "contra", "supports": False}]
    evidence: Any = {"records": draw(st.sampled_from(["$.ev", ["$.ev2", "$.ev"], "$.parts[*].ev", "$.one"])), **known}
    if known.get("merge") is None and draw(st.booleans()):
        evidence = [evidence, {**known, "records": "$.more_ev"}]
    inputs: dict[str, Any] = {}
    if draw(st.booleans()):
        inputs["summary"] = {"cases": draw(st.sampled_from(["$.cases", "$", "$.cases[*].case"]))}
    if draw(st.booleans()):
        evidence = [{**one, "in": "evidence"} for one in (evidence if isinstance(evidence, list) else [evidence])]
        if draw(st.booleans()):
            inputs["evidence"] = {"cases": "$.cases"}
    rules = {"version": 1, "name": "wide", "claims": claims, "citations": citations, "evidence": evidence}
    return {**rules, **({"inputs": inputs} if inputs else {})}


TEXT_RULES = [
    ({"path": "@", "find_all": r"\[([^\]]+)\]", "split": ","}, {"records": "$.ev", "id": "id"}),
    ({"path": "@", "split": ","}, {"records": "$.ids"}),
    ({"path": "@", "find_all": r"\[([^\]]+)\]"}, {"records": {"path": "$.text", "find_all": r"\[(e[0-9])\]"}}),
    ({"path": "text", "find_all": r"\[([^\]]+)\]"}, {"records": ["$.ids", "$.ev"], "id": {"place": "position"}}),
]


@st.composite
def text_rule_sets(draw: st.DrawFn) -> dict[str, Any]:
    """Rule sets that find citations in texts."""
    pieces, evidence = draw(st.sampled_from(TEXT_RULES))
    citations: dict[str, Any] = {"records": pieces}
    if draw(st.booleans()):
        citations["id"] = {"path": "@", "capture": r"\s*(.+?)\s*"}
    return {
        "version": 1,
        "name": "texts",
        "reads_text": True,
        "claims": {"records": draw(st.sampled_from(["$.claims", "$.said"]))},
        "citations": citations,
        "evidence": evidence,
    }


WIDE_RECORD = RECORD | {
    "alt": IDS,
    "s2": NUMBERS,
    "flag": st.sampled_from([True, False, None]),
    "text": st.just("[e1]"),
}
CLEAN_WIDE = CLEAN.map(lambda records: [{**record, "flag": True} for record in records])
WIDE_RECORDS = st.one_of(CLEAN_WIDE, CLEAN_WIDE, st.lists(some(WIDE_RECORD), max_size=4), some(WIDE_RECORD), RECORDS)
WIDE_CLAIM = some(
    {
        "r": WIDE_RECORDS,
        "in": some({"r": WIDE_RECORDS}),
        "parts": st.lists(some({"r": WIDE_RECORDS}), max_size=2),
        "contra": WIDE_RECORDS,
        "t": LITERALS,
        "flag": st.sampled_from([True, False, None]),
        "text": st.sampled_from(["[e1] [e2, e0]", "", "[ ]", "e1,e0", None]),
    }
)
SAID = st.sampled_from(["[e1][ e0,e1 ]", "[e1,,zz]", "e0,e1", " ", "", "[e0]", 1, None, True])
WIDE_CASE = some(
    {
        "claims": st.lists(WIDE_CLAIM, max_size=3) | WIDE_CLAIM | st.lists(SAID, max_size=3) | SAID,
        "more": st.lists(WIDE_CLAIM, max_size=2),
        "said": SAID,
        "sections": st.lists(some({"claims": st.lists(WIDE_CLAIM, max_size=2)}), max_size=2),
        "ev": WIDE_RECORDS,
        "ev2": WIDE_RECORDS,
        "more_ev": WIDE_RECORDS,
        "one": some(WIDE_RECORD),
        "parts": st.lists(some({"ev": WIDE_RECORDS}), max_size=2),
        "ids": st.lists(IDS, max_size=3),
        "text": st.sampled_from(["[e0] synthetic [e1]", "[e0][e0]", "", None]),
    }
)
WIDE_DOCUMENT = st.one_of(
    WIDE_CASE,
    st.lists(WIDE_CASE, max_size=3),
    st.builds(lambda case, cases: {**case, "cases": cases}, WIDE_CASE, st.lists(WIDE_CASE, max_size=3)),
    st.lists(WIDE_CASE, max_size=2).map(lambda cases: {"cases": [{"case": case} for case in cases]}),
)


def run(rules: RuleSet, documents: list[Any], evidence: list[Any] | None, *, locators: bool) -> Report | str:
    """The report, by the general way where ``locators`` are counted; or why there is none."""
    others = None if evidence is None else lines(evidence, "facts")
    try:
        report = judge_batch(rules, lines(documents, "notes"), others, locators=locators)
    except UsageError as error:
        return str(error)
    return replace(report, locators=None)


@seed(SEED)
@settings(max_examples=EXAMPLES, deadline=None)
@given(wide_rule_sets() | text_rule_sets(), st.lists(WIDE_DOCUMENT, min_size=1, max_size=3), WIDE_DOCUMENT)
def test_a_run_ends_the_same_both_ways(said: dict[str, Any], documents: list[Any], other: Any) -> None:
    """The whole report: counts, verdict, positions and what could not be read."""
    rules = load_rule_mapping(said)
    evidence = [other] if rules.reads_evidence_input else None
    assert run(rules, documents, evidence, locators=False) == run(rules, documents, evidence, locators=True)


NOT_PLANNED = [
    ({"claims": {"records": "$..claims"}}, "claims.records"),
    ({"claims": {"records": "$.claims", "where": {"n": 1}}}, "numbers"),
    ({"claims": {"records": "$.claims", "where": {"t": ["x", True]}}}, "of several types"),
    ({"claims": {"records": "$.claims", "where": {"a[0]": "x"}}}, "more than names"),
    (
        {
            "citations": [{"records": "r", "id": "ref"}, {"records": {"path": "@", "find_all": "(e[0-9])"}}],
            "reads_text": True,
        },
        "^claims that are texts and objects$",
    ),
    ({"citations": {"records": "r", "span": {"pair": "at"}}}, "pair or each in citations.span"),
    ({"evidence": {"records": "$.ev", "span": {"each": "at", "start": "s", "end": "e"}}}, "each in evidence.span"),
    ({"evidence": {"records": "$.ev", "id": "'a\"b'"}}, "^a name with a double quote"),
    ({"citations": {"records": "r", "where": {"t": "x"}}}, "^a condition on scalars$"),
    ({"evidence": {"records": "$.ev", "id": "id", "where": {"id.kind": "x"}}}, "^id read in two ways"),
    (
        {"claims": {"records": "$.claims", "where": {"in": None}}, "citations": {"records": "in.r", "id": "ref"}},
        "^in read in two ways",
    ),
    (
        {
            "claims": [{"records": "$.claims"}, {"records": "$.claims", "where": {"in": None}}],
            "citations": {"records": "in.r", "id": "ref"},
        },
        "^in read in two ways",
    ),
    ({"claims": {"records": "$.claims", "where": {"r": "x"}}}, "^r read in two ways"),
    ({"citations": {"records": {"path": "r", "range": ["a", "b"]}}}, "range"),
    ({"citations": {"records": "r", "id": ["@", "ref"]}}, "scalars and objects"),
    ({"citations": {"records": "^.r", "id": "ref"}}, "citations.records"),
    ({"evidence": {"records": ["$.ev", "$.more[*].ev"], "id": "id"}}, "a list in evidence.records"),
    ({"evidence": {"records": "$.ev", "where": {"t": "x"}, "id": {"place": "position"}}}, "position"),
    ({"evidence": {"records": "$.a[*].ev", "id": {"place": "position"}}}, "position"),
    ({"evidence": {"records": "$.ev", "id": "id", "class": {"path": "t", "labels": ["x"]}}}, "^evidence.class$"),
    ({"evidence": {"records": "$.ev", "id": "id", "where": {"n": 1}}}, "of evidence.where that are numbers"),
    ({"evidence": {"records": "$.ev", "id": ["id", "alt"], "merge": True}}, "^evidence.merge of more than plain ids$"),
    (
        {"evidence": {"records": "$.ev", "id": "id", "span": {"start": "s", "end": "e"}, "merge": True}},
        "^evidence.merge of more than plain ids$",
    ),
    (
        {"citations": {"records": "r", "id": "ref", "span": {"start": "s", "end": "e"}}},
        "^spans that only citations have$",
    ),
    (
        {
            "evidence": [
                {"records": "$.ev", "span": {"start": "s", "end": "e"}},
                {"records": "$.more", "span": {"start": "s", "end": "e"}},
            ]
        },
        "^spans of several collections of evidence$",
    ),
    ({"citations": {"records": "r", "id": {"parts": ["ref", {"place": "position"}]}}}, "^a place in citations.id$"),
    ({"citations": {"records": "r", "id": "ref[0]"}}, "^a path of citations that is more than names$"),
    ({"inputs": {"summary": {"cases": ["$.k", "$"]}}}, "inputs.cases"),
    (
        {"evidence": [{"records": "$.ev", "id": "id"}, {"records": ["$.more", "$.ev"], "id": "alt"}]},
        "^several collections of evidence in one place$",
    ),
]


IN_WORDS = """\
{policy: {spans: inside}}: "policy.spans: inside"
{evidence: {in: evidence, records: $.ev, id: id}, inputs: {summary: {join: id}, evidence: {join: id}}}: inputs.join
{inputs: {summary: {embedded_json: tool}}}: inputs.embedded_json
{inputs: {summary: {cases: [$.k, $]}}}: a list in inputs.cases
{inputs: {summary: {cases: '$.a.b[*]'}}}: inputs.cases with ^, or with [*] at its end
{inputs: {summary: {cases: '$.a[0]'}}}: a step of inputs.cases that is no name and no [*] after one
{claims: {records: $.claims, where: {n: 1}}}: literals of claims.where that are numbers, or of several types
{claims: {records: $.claims, id: id, merge: true}}: claims.merge
{claims: {records: $.claims, class: {path: t, labels: [x]}}}: claims.class
? {reads_text: true, claims: {records: {path: $.text, split: ;}}, citations: {records: {path: '@', find_all: (e)}}}
: split or find_all in claims.records
{claims: {records: $.claims, id: id}, citations: {records: $.r, id: ref, claim: of}}: citations.claim
{citations: {siblings: following, id: ref}}: citations.siblings
{citations: {records: r, id: ref, follow: [{records: $.hops, id: id, to: to}]}}: citations.follow
{citations: {records: $.r, id: ref}}: citations.records from $
{citations: {records: '@'}}: citations that are their claims
? {citations: {records: {path: 'a[*].text', find_all: (e)}}, reads_text: true}
: split or find_all of several texts in citations.records
{citations: {records: {path: r, range: [a, b]}}}: range in citations.records
{citations: {records: r, id: ['@', ref]}}: citations that are scalars and objects
{claims: {records: '$.claims[0].r'}}: a step of claims.records that is no name and no [*] after one
{claims: {records: '$.a[*][*].r'}}: a step of claims.records that is no name and no [*] after one
{citations: {records: [r, ^.r], id: ref}}: citations.records with ^, or with [*] at its end
{citations: {records: [r, {path: x, split: ','}], id: ref}}: a list in citations.records of more than names
{evidence: {records: $.ev, id: {place: pointer}}}: a place in evidence.id that is no position among all records
? {citations: {records: r, id: ref, kind: a}, evidence: {records: $.ev, kinds: {a: {id: {place: position}}}}}
: a place in evidence.kinds.id that is no position among all records
? {citations: {records: r, id: ref, kind: a}, evidence: {records: $.ev, kinds: {a: {id: id, where: {n: 1}}}}}
: literals of evidence.kinds that are numbers, or of several types
{citations: {records: r, id: $.doc}}: a path of citations that is more than names
{citations: {records: r, id: ^.doc}}: a path of citations that is more than names
? citations: {records: r, id: '@', span: {start: '@', length: '@'}}
  evidence: {records: $.ev, id: '@', span: {start: '@', length: '@'}}
: citations that are ids themselves beside a span
? citations: {records: r, id: ref, span: {start: s, end: e}}
  evidence: {records: $.ev, id: {place: position}, span: {start: s, end: e, absent: [-1]}}
: a place in evidence.id that is no position among all records
? citations: {records: r, id: ref, span: {start: s, end: e}}
  evidence: {records: $.ev, id: {place: position}, span: {each: at, start: s, end: e}}
: a place in evidence.id that is no position among all records
{citations: {records: r, id: ref, where: {n: 1}}}: literals of citations.where that are numbers, or of several types
"""


def in_words() -> list[tuple[dict[str, Any], str]]:
    node = yaml.compose(IN_WORDS, Loader=yaml.SafeLoader)
    constructor = yaml.SafeLoader("")
    return [(constructor.construct_object(said, deep=True), re.escape(why.value)) for said, why in node.value]


@pytest.mark.parametrize(("patch", "why"), [*NOT_PLANNED, *((said, f"^{why}$") for said, why in in_words())])
def test_a_rule_set_without_a_plan_says_why(patch: dict[str, Any], why: str) -> None:
    """The reason is in words of the rule file."""
    with pytest.raises(NotPlanned, match=why):
        compile_plan(load_rule_mapping(BY_ID | patch))


def test_what_is_decoded_shows_nothing_of_itself() -> None:
    """So that no traceback that shows variables shows what stood in a record."""
    document = {"claims": [{"r": [{"ref": "canary"}]}], "ev": [{"id": "canary"}]}
    plan = compile_plan(load_rule_mapping(BY_ID))

    (case,) = plan.cases["summary"](json.dumps(document).encode()) or ()
    assert "canary" not in repr([case, case.m0, case.m1, *case.m0, *case.m1])


def builtin_layouts() -> list[str]:
    """The built-in layouts that have a plan."""
    return [name for name in builtin_names() if plan_of(load_rule_file(name).rules) is not None]


def plan_of(rules: RuleSet) -> Plan | None:
    try:
        return compile_plan(rules)
    except NotPlanned:
        return None


@pytest.mark.parametrize("name", builtin_layouts())
def test_a_layout_with_a_plan_is_judged_by_it(name: str) -> None:
    """At least one of its own tests goes the fast way, so that the plan is more than a promise."""
    file = load_rule_file(name)
    plan = compile_plan(file.rules)

    def decoded(side: Literal["summary", "evidence"], value: object) -> Any:
        cases = plan.cases[side](json.dumps(value).encode())
        return cases[0] if cases else None

    taken = [
        plan.judge(decoded("summary", case.summary), decoded("evidence", case.evidence))
        for test in file.tests
        for case in test.cases
        if decoded("summary", case.summary) is not None
    ]
    assert any(counts is not None for counts in taken)
