"""Each way to say a rule that has a plan, on a document that the plan takes, and on one changed in every small way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judging.plan.test_long import both_ways
from openmed_rules.judging.judge import compile_judge
from openmed_rules.judging.nodes import CaseNode, CaseRoots
from openmed_rules.judging.plan import slicing
from openmed_rules.judging.plan.layout import layout_of
from openmed_rules.judging.plan.leaves import NotPlanned
from openmed_rules.judging.plan.long import LongCase
from openmed_rules.judging.plan.running import Weigher, compile_plan
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset.loader import load_rule_mapping
from openmed_rules.ruleset.model import RuleSet


def record(number: int) -> dict[str, Any]:
    """One record with everything that a form may read: an evidence record, and a citation of it."""
    start, end = 10 * number + 2, 10 * number + 7
    return {
        "id": f"e{number}",
        "ref": f"e{number}",
        "place": number,
        "next": number + 1,
        "text": f"#e{number}",
        "doc": "A",
        "at": {"doc": "A", "id": f"e{number}", "s": start},
        "s": start,
        "e": end,
        "s1": start + 1,
        "e1": end + 1,
        "last": end - 1,
        "length": end - start,
        "said": f" {start} ",
        "t": "x",
        "flag": True,
    }


KNOWN = [record(number) for number in range(4)]
BARE = [one["id"] for one in KNOWN]


def case(claims: Any, evidence: Any, bare: Any = tuple(BARE)) -> dict[str, Any]:
    """A case that holds the same wherever a form looks for it."""
    records = evidence if isinstance(evidence, list) else []
    return {
        "claims": claims,
        "sections": [{"claims": claims}, {}, {"claims": []}],
        "ev": evidence,
        "ev2": None,
        "body": {"ev": evidence},
        "parts": [{"ev": records[:1]}, {"ev": []}, {"ev": records[1:]}],
        "more": {"ev": [{**record(7), "id": "m7", "t": "y"}]},
        "bare": list(bare),
        "text": ", ".join(map(str, bare)),
    }


def claim(cited: Any, contra: Any = ()) -> dict[str, Any]:
    named = [one.get("ref") if isinstance(one, dict) else one for one in cited] if isinstance(cited, list) else []
    marks = "".join(f" [{name}]" for name in named)
    members = {"r": cited, "in": {"r": cited}, "rs": [{"r": cited}], "ids": named, "contra": list(contra)}
    text = {"text": f"synthetic{marks}", "csv": ", ".join(map(str, named))}
    return {**members, **text, "t": "x", "flag": True}


PLAIN_CLAIMS = [claim(KNOWN[:2]), claim([KNOWN[1], record(9)], KNOWN[2:3]), claim([KNOWN[1], KNOWN[1]]), claim([])]
PLAIN = case(PLAIN_CLAIMS, KNOWN)
ROOTS = CaseRoots(CaseNode(PLAIN), ())

CHANGES: list[Any] = [
    *({"id": name, "ref": name, "at": {"doc": "A", "id": name}} for name in ("zz", " e1 ", "e0", "", " ", None)),
    *({"id": name, "ref": name, "at": {"doc": "A", "id": name}} for name in (1, True, 1.0, [], {}, "\u00e9", "a b")),
    *({"place": number, "next": number} for number in (0, 3, 4, -1, "2", " 2 ", "02", None, True)),
    *({"text": text} for text in ("e1", "#", "##e1", " #e1", "# e1", "#zz", "", None, 5)),
    *({"alt": name} for name in ("e0", "e1", "zz", "", "-", None, 7, False)),
    *({"s": at, "s1": at, "said": at} for at in (2, 12, 13, -1, 0, None, True, 1.5, "12", "x")),
    *({"e": at, "e1": at, "last": at} for at in (17, 18, 2, -1, None, False, 17.0, "17")),
    *({"length": length} for length in (5, 4, 0, -1, None, "5")),
    *({"s2": at} for at in (12, 3, None, "x")),
    *({"doc": name, "at": {"doc": name, "id": "e1"}} for name in ("B", " A ", "", None, 5, True)),
    {"at": None},
    {"at": 5},
    {"at": {}},
    {"s": None, "e": None, "s1": None, "e1": None, "last": None, "length": None, "said": None},
    {"s": None, "e": None, "doc": None, "at": {}, "length": None, "said": None},
    *({"t": kind} for kind in ("y", "z", None, 5, True, "X")),
    *({"flag": flag} for flag in (False, None, "x")),
]
"""What is changed of a record that was plain."""
STRANGE: list[Any] = [None, 5, True, "e1", " e1 ", "", "zz", [], ["e1"], [KNOWN[1]], {}, {"id": "e1"}, {"ref": "e1"}]
"""What stands in the place of a record."""


def changed(records: list[dict[str, Any]], place: int) -> Iterator[list[Any]]:
    """``records``, of which the one at ``place`` is changed, or is another thing altogether."""
    for change in CHANGES:
        yield [*records[:place], {**records[place], **change}, *records[place + 1 :]]
    for other in STRANGE:
        yield [*records[:place], other, *records[place + 1 :]]
    yield [*records[:place], *records[place + 1 :]]
    yield [*records, records[place]]


ONE_CHARACTER = {**record(4), "e": 43, "e1": 44, "last": 42, "length": 1}
OTHER_RECORDS: list[Any] = [[], None, {}, 5, "e1", "", True, KNOWN[0], {"a": KNOWN}, [KNOWN]]
OTHER_CLAIMS: list[Any] = [[], None, {}, 5, PLAIN_CLAIMS[0], {"a": PLAIN_CLAIMS}, [PLAIN_CLAIMS], [None], [5], ["x"]]
OF_A_CLAIM: list[dict[str, Any]] = [
    *({"t": kind} for kind in ("y", None, 5)),
    *({"flag": flag} for flag in (False, None, "x")),
    *({"text": text} for text in (None, 5, "", "[e1,e0] [zz]")),
    *({"csv": text} for text in (None, 5, "", "e1,,zz", True, ["e1"])),
    *({"in": within} for within in (None, [], 5, {})),
    *({"rs": several} for several in (None, {"r": KNOWN[:1]}, [None, 5], [{}])),
    {"ids": "e1"},
]
OF_A_CASE: list[dict[str, Any]] = [
    *({"sections": sections} for sections in (None, {"a": {"claims": PLAIN_CLAIMS}}, [None, 5])),
    *({"parts": parts} for parts in (None, {"a": {"ev": KNOWN}}, [5], [{"ev": KNOWN[:1]}, {"ev": KNOWN}])),
    *({"body": body} for body in (None, [KNOWN], {"ev": KNOWN[0]})),
    *({"more": more} for more in (None, {"ev": KNOWN[3:]}, {"ev": [KNOWN[0], {}]}, {"ev": [record(8), record(8)]})),
    {"ev2": KNOWN[:1]},
    *({"text": text} for text in (None, "", "e0,e0", "e1, ,e2")),
    *({"bare": bare} for bare in (["e1", 5, None], [" e1", "e0"], [1, "1"], ["e0", "e0"])),
]


def documents() -> Iterator[Any]:
    """The plain document, and what is changed of it in one place."""
    yield PLAIN
    for cited in changed(KNOWN, 1):
        yield case([claim(cited), claim(KNOWN[:1], cited[1:2])], KNOWN)
        yield case([claim([KNOWN[0], *cited[1:2], KNOWN[3]])], KNOWN)
    for known in changed(KNOWN, 3):
        bare = [one.get("id") if isinstance(one, dict) else one for one in known]
        yield case(PLAIN_CLAIMS, known, bare)
        yield case([claim(KNOWN)], known[::-1], bare)
    for other in OTHER_RECORDS:
        yield case(PLAIN_CLAIMS, other, [])
        yield case([claim(KNOWN[:1]), claim(other)], KNOWN)
    for name in ("other", "e4"):  # Twice the same character.
        yield case([claim([ONE_CHARACTER, KNOWN[1]])], [*KNOWN, ONE_CHARACTER, {**ONE_CHARACTER, "id": name}])
    for claims in OTHER_CLAIMS:
        yield case(claims, KNOWN)
    for change in OF_A_CLAIM:
        yield case([*PLAIN_CLAIMS, {**claim(KNOWN[1:]), **change}], KNOWN)
    for change in OF_A_CASE:
        yield {**PLAIN, **change}
    yield from ({}, [], None, 5)


SPAN = {"start": "s", "end": "e"}
TWO_KINDS = {"x": {"where": {"t": "x"}, "id": "id"}, "y": {"where": {"t": ["y", None]}, "id": ["alt", "id"]}}
REFERRED = {"x": {"where": {"t": "x"}, "id": "ref"}, "y": {"id": ["alt", "ref"]}}
LEFT_OUT = {"where": {"t": "z"}, "ignore": True}


def by(cited: dict[str, Any], known: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A rule set by how citations and evidence are read."""
    return {"citations": {"records": "r", **cited}, "evidence": {"records": "$.ev", **known}, **more}


ID, BOTH = by({"id": "ref"}, {"id": "id"}), by({"id": "ref", "span": SPAN}, {"id": "id", "span": SPAN})
FORMS: dict[str, dict[str, Any]] = {
    "id": ID,
    "id in an object": by({"id": "at.id"}, {"id": "at.id"}),
    "id or id": by({"id": ["alt", "ref"]}, {"id": ["alt", "id"]}),
    "id by paths": by({"id": {"path": ["alt", "ref"], "absent": ["-"]}}, {"id": {"path": "id", "absent": ["-"]}}),
    "id captured": by({"id": [{"path": "text", "capture": "#(.+)"}, "ref"]}, {"id": "id"}),
    "id in parts": by({"id": {"parts": ["at.doc", "ref"]}}, {"id": {"parts": ["doc", "id"]}}),
    "id by default": by(
        {"id": {"parts": [{"path": "doc", "default": "A"}, "ref"]}},
        {"id": {"parts": [{"path": "doc", "default": "A"}, "id"]}},
    ),
    "number": by({"id": "place"}, {"id": "place"}),
    "number or text": by({"id": ["ref", "place"]}, {"id": "id"}),
    "bare": {"citations": {"records": "ids"}, "evidence": {"records": "$.bare"}},
    "bare, of objects": {"citations": {"records": "ids"}, "evidence": {"records": "$.ev", "id": "id"}},
    "position": by({"id": "place"}, {"id": {"place": "position"}}),
    "position from 1": by({"id": "next"}, {"id": {"place": "position", "base": 1}}),
    "position of a kind": {
        "citations": [{"records": "r", "id": "place", "kind": "x"}, {"records": "contra", "id": "ref", "kind": "y"}],
        "evidence": [
            {"records": "$.ev", "id": {"place": "position"}, "kind": "x"},
            {"records": "$.body.ev", "id": "id", "kind": "y"},
        ],
    },
    "position among records": {
        "citations": {"records": "r", "id": "place"},
        "evidence": {"records": "$.parts[*].ev", "id": {"place": "position", "among": "records"}},
    },
    "position among those that count": by(
        {"id": "next"}, {"where": {"t": "x"}, "id": {"place": "position", "base": 1, "among": "records"}}
    ),
    "position and span": by({"id": "place", "span": SPAN}, {"id": {"place": "position"}, "span": SPAN}),
    "position from 1 and span": by(
        {"id": "next", "span": SPAN}, {"id": {"place": "position", "base": 1}, "span": SPAN}
    ),
    "span": by({"span": SPAN}, {"span": SPAN}),
    "span in an object": by({"span": {"start": "at.s", "end": "e"}}, {"span": {"start": "at.s", "end": "e"}}),
    "span from 1": by({"span": {"start": "s1", "end": "e1", "base": 1}}, {"span": SPAN}),
    "span to its last character": by({"span": SPAN}, {"span": {"start": "s1", "end": "e", "base": 1, "closed": True}}),
    "span closed": by({"span": {"start": "s", "end": "last", "closed": True}}, {"span": SPAN}),
    "span by length": by({"span": {"start": "s", "length": "length"}}, {"span": SPAN}),
    "span by length, from 1": by({"span": SPAN}, {"span": {"start": "s1", "length": "length", "base": 1}}),
    "span by length on both sides": by(
        {"span": {"start": "s", "length": "length"}}, {"span": {"start": "s", "length": "length"}}
    ),
    "span by length, known to its last character": by(
        {"span": {"start": "s", "length": "length"}}, {"span": {"start": "s1", "end": "e", "base": 1, "closed": True}}
    ),
    "span within": by({"span": {**SPAN, "within": "doc"}}, {"span": {**SPAN, "within": "at.doc"}}),
    "span within by default": by(
        {"span": {**SPAN, "within": "doc"}}, {"span": {**SPAN, "within": {"path": "doc", "default": "A"}}}
    ),
    "span of text": by({"span": {"start": "said", "end": "e", "numbers": "text"}}, {"span": SPAN}),
    "span by a list": by({"span": {"start": ["s2", "s"], "end": "e"}}, {"span": SPAN}),
    "span or span": by(
        {"span": [{"start": "s2", "end": "e"}, {"start": "s", "end": "e", "absent": [-1]}]}, {"span": SPAN}
    ),
    "both": BOTH,
    "both within": by(
        {"id": "ref", "span": {**SPAN, "within": "doc"}}, {"id": "id", "span": {**SPAN, "within": "doc"}}
    ),
    "both, differently": by(
        {"id": ["alt", "ref"], "span": {"start": "s1", "end": "e1", "base": 1}},
        {"id": "id", "span": {"start": "s", "length": "length"}},
    ),
    "both or id": by({"id": "ref"}, {"id": "id", "span": SPAN}),
    "span of both": by({"span": SPAN}, {"id": "id", "span": SPAN}),
    "kinds": by({"kinds": REFERRED}, {"kinds": TWO_KINDS}),
    "kinds, one left out": by({"kinds": {"z": LEFT_OUT, **REFERRED}}, {"kinds": {"z": LEFT_OUT, **TWO_KINDS}}),
    "kinds, each by a condition": by(
        {"kinds": {"x": {"where": {"t": "x"}, "id": "ref"}, "y": {"where": {"t": "y"}, "id": "ref"}}},
        {"kinds": {"x": {"where": {"t": "x"}, "id": "id"}, "y": {"where": {"t": "y"}, "id": "id"}}},
    ),
    "kinds, of which one is the rest": by(
        {"kinds": REFERRED}, {"kinds": {"x": {"where": {"t": "x"}, "id": "id"}, "y": {"id": ["alt", "id"]}}}
    ),
    "one kind": by(
        {"kinds": {"x": {"where": {"t": "x"}, "id": "ref"}}}, {"kinds": {"x": {"where": {"t": "x"}, "id": "id"}}}
    ),
    "kinds by their ids": by(
        {"kinds": {"x": {"where": {"t": "x"}, "id": "place"}, "y": {"where": {"place": "2"}, "id": "ref"}}},
        {"kinds": {"x": {"where": {"t": "x"}, "id": "place"}, "y": {"where": {"place": "2"}, "id": "id"}}},
    ),
    "kinds of collections": {
        "citations": [{"records": "r", "id": "ref", "kind": "x"}, {"records": "contra", "id": "ref", "kind": "y"}],
        "evidence": [
            {"records": "$.ev", "id": "id", "kind": "x"},
            {"records": "$.body.ev", "id": "id", "span": SPAN, "kind": "y"},
        ],
    },
    "joined": by({"id": "ref"}, {"id": "id", "merge": True}),
    "joined, bare": {"citations": {"records": "ids"}, "evidence": {"records": "$.bare", "id": "@", "merge": True}},
    "two collections": {
        "citations": [{"records": "r", "id": "ref"}, {"records": "contra", "id": "ref", "supports": False}],
        "evidence": [{"records": "$.ev", "id": "id"}, {"records": "$.more.ev", "id": "id"}],
        "claims": [{"records": "$.claims"}, {"records": "$.sections[*].claims"}],
    },
    "fallback lists": {
        "claims": [{"records": ["$.missing", "$.claims"]}, {"records": ["$.claims", "$.missing"], "where": {"t": "x"}}],
        "citations": {"records": ["contra", "r"], "id": "ref"},
        "evidence": {"records": ["$.ev2", "$.ev3", "$.ev"], "id": "id"},
    },
    "fallback lists, of which another reads one": {
        "claims": [
            {"records": "$.claims", "where": {"t": "x"}},
            {"records": ["$.missing", "$.claims"], "where": {"t": {"not": "x"}}},
        ],
        "citations": {"records": ["missing", "r", "contra"], "id": "ref"},
        "evidence": {"records": ["$.ev2", "$.ev", "$.ev3"], "id": "id"},
    },
    "through objects": {
        "claims": {"records": "sections[*].claims"},
        "citations": {"records": "in.r[*]", "id": "ref"},
        "evidence": {"records": "$.body.ev[*]", "id": "id"},
    },
    "through arrays": {
        "claims": {"records": "$.sections[*].claims"},
        "citations": {"records": "rs[*].r", "id": "ref", "span": SPAN},
        "evidence": {"records": "$.parts[*].ev", "id": "id", "span": SPAN},
    },
    "of sections and in them": {
        "claims": [{"records": "$.sections[*].claims"}, {"records": "$.sections"}],
        "citations": {"records": "r", "id": "ref"},
        "evidence": {"records": "$.ev", "id": "id"},
    },
    "of some": {
        "claims": {"records": "$.claims", "where": {"t": {"not": None}}},
        "citations": {"records": "r", "id": "ref", "where": {"t": ["x", None]}},
        "evidence": {"records": "$.ev", "id": "id", "where": [{"t": "x"}, {"flag": True, "t": None}]},
    },
    "of some, by flags": {
        "claims": {"records": "$.claims", "where": {"flag": True}},
        "citations": {"records": "r", "id": "ref", "where": {"flag": {"not": False}}},
        "evidence": {"records": "$.ev", "id": "id", "where": {"t": {"not": "y"}}},
    },
    "of some, in one place": {
        "claims": [{"records": "$.claims", "where": {"t": "x"}}, {"records": "$.claims", "where": {"t": {"not": "x"}}}],
        "citations": {"records": "r", "id": "ref"},
        "evidence": {"records": "$.ev", "id": "id"},
    },
    "what is there": {
        "claims": {"records": "$.claims", "where": {"r": {"not": None}}},
        "citations": {"records": "r", "id": "ref", "where": {"ref": {"not": None}}},
        "evidence": {"records": "$.ev", "id": "id", "where": {"id": {"not": None}}},
    },
    "found in texts": {
        "reads_text": True,
        "citations": {"records": {"path": "text", "find_all": r"\[([^\]]+)\]"}},
        "evidence": {"records": {"path": "$.text", "split": ","}},
    },
    "split": {"citations": {"records": {"path": "csv", "split": ","}}, "evidence": {"records": "$.ev", "id": "id"}},
    "found and split": {
        "citations": {"records": {"path": "text", "find_all": r"\[([^\]]+)\]", "split": ","}},
        "evidence": {"records": "$.ev", "id": "id"},
        "reads_text": True,
    },
    "ignoring": {**BOTH, "policy": {"malformed": "ignore", "unavailable": "count"}},
    "tolerant": {**BOTH, "policy": {"tolerate": {"invalid_source_evidence": 1, "omitted_source_fact": "any"}}},
}


def rules_of(form: dict[str, Any]) -> RuleSet:
    return load_rule_mapping({"version": 1, "name": "form", "claims": {"records": "$.claims"}, **form})


TAKEN = Path(__file__).parent / "taken.json"
TEXTS = [(json.dumps(value).encode(), value) for value in documents()]


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of a record or two, so that a small document is many of them."""
    monkeypatch.setattr(slicing, "SLICE", 24)


@pytest.fixture(params=[24, 1000, slicing.SLICE])
def slices_of_any_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a record or two, of several arrays, and of all there is."""
    monkeypatch.setattr(slicing, "SLICE", request.param)


def counts_taken(form: dict[str, Any]) -> int:
    """How many documents the plan of a form takes; it must count in each what the general way counts."""
    rules = rules_of(form)
    plan, judge = compile_plan(rules), compile_judge(rules, Watch())
    taken = 0
    for text, value in TEXTS:
        cases = plan.cases["summary"](text)
        counts = None if cases is None else plan.judge(*cases, None)
        if counts is not None:
            assert counts == judge(CaseRoots(CaseNode(value), ()), None), value
            taken += 1
    return taken


def test_every_form_counts_the_same_and_takes_what_it_took() -> None:
    """``UPDATE_GOLDEN=1`` writes how many documents each form takes anew."""
    taken = {name: counts_taken(form) for name, form in FORMS.items()}

    if os.environ.get("UPDATE_GOLDEN"):
        TAKEN.write_text(json.dumps(taken, indent=1) + "\n", encoding="utf-8")
    assert taken == json.loads(TAKEN.read_text(encoding="utf-8"))


WEIGHED = {"span or span", "span by a list", "span of text", "span within by default", "both, differently"}
VALID = case([claim(KNOWN[:2], KNOWN[2:3]), claim(KNOWN[1:], KNOWN[3:])], KNOWN)


@pytest.mark.parametrize("name", FORMS)
def test_a_citation_that_leads_straight_to_its_record_is_not_weighed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But where what leads there is more than single members as they stand."""
    weighed: list[object] = []
    monkeypatch.setattr(Weigher, "add", lambda _self, strange, _seen: weighed.append(strange) or ([], 0))
    plan = compile_plan(rules_of(FORMS[name]))

    (whole,) = plan.cases["summary"](json.dumps(VALID).encode()) or ()
    plan.judge(whole, None)

    assert bool(weighed) is (name in WEIGHED)


@pytest.mark.usefixtures("short_slices")
@pytest.mark.parametrize("name", FORMS)
def test_slices_of_every_form_tell_what_the_whole_tells(name: str) -> None:
    """Each form on a few documents, all forms together on each."""
    rules, stride = rules_of(FORMS[name]), 8
    for text, _ in TEXTS[list(FORMS).index(name) % stride :: stride]:
        mapped, whole = both_ways(rules, text, 30)
        assert mapped == whole, text


INPUTS: list[tuple[dict[str, Any], Any]] = [
    ({"summary": {"cases": "$"}}, [PLAIN, PLAIN]),
    ({"summary": {"cases": "$"}}, PLAIN),
    ({"summary": {"cases": "$.cases"}}, {"cases": [PLAIN, PLAIN]}),
    ({"summary": {"cases": "$.cases"}}, {"cases": PLAIN}),
    ({"summary": {"cases": "$.all[*].cases"}}, {"all": [{"cases": [PLAIN]}, {}, {"cases": PLAIN}]}),
]


@pytest.mark.usefixtures("short_slices")
@pytest.mark.parametrize(("inputs", "document"), INPUTS, ids=lambda value: str(value)[:40])
def test_cases_are_found_wherever_they_stand(inputs: dict[str, Any], document: Any) -> None:
    rules, text = rules_of({**BOTH, "inputs": inputs}), json.dumps(document).encode()
    plan = compile_plan(rules)
    cases = plan.cases["summary"](text)
    assert cases is not None
    assert [plan.judge(one, None) for one in cases] == [compile_judge(rules, Watch())(ROOTS, None)] * len(cases)

    mapped, whole = both_ways(rules, text)
    assert mapped == whole
    assert whole.cases.total == len(cases)


@pytest.mark.parametrize(
    ("cases", "text"), [("$", b"[]"), ("$", b"null"), ("$.cases", b'{"cases":[]}'), ("$.cases", b"{}")]
)
def test_where_no_case_is_found_the_general_way_says_so(cases: str, text: bytes) -> None:
    rules = rules_of({**BOTH, "inputs": {"summary": {"cases": cases}}})

    assert compile_plan(rules).cases["summary"](text) is None
    mapped, whole = both_ways(rules, text)
    assert mapped == whole
    assert not whole.passed


@pytest.mark.parametrize("name", ["id", "both", "span within", "bare", "kinds", "joined", "position from 1"])
def test_evidence_of_another_input_is_taken(name: str) -> None:
    form = FORMS[name]
    rules = rules_of({**form, "evidence": {**form["evidence"], "in": "evidence"}})
    plan = compile_plan(rules)
    for text, value in TEXTS[::5]:
        summary, evidence = plan.cases["summary"](json.dumps(PLAIN).encode()), plan.cases["evidence"](text)
        counts = None if evidence is None or summary is None else plan.judge(summary[0], evidence[0])
        if counts is not None:
            roots = CaseRoots(CaseNode(PLAIN), (CaseNode(value),))
            assert counts == compile_judge(rules, Watch())(roots, None), value
        assert counts is not None or value != PLAIN


NOT_IN_SLICES = {
    **{name: "known by its positions$" for name in FORMS if name.startswith("position")},
    "found in texts": "cut out of texts$",
    "joined": "^evidence that is joined",
    "joined, bare": "^evidence that is joined",
    "kinds, one left out": "^evidence that is ignored",
}
"""Known by positions, cut out of texts, joined or left out: of these a slice does not tell what the whole does."""


HAVE_NO_KIND = {"kinds", "kinds, each by a condition", "kinds by their ids", "one kind"}
OTHERS = [{**record(5), "t": "z", "flag": False}, {**record(6), "t": None, "flag": None}]
SOME_LEFT_OUT = case(
    [claim([*KNOWN[:2], *OTHERS]), claim(OTHERS), *[{**claim(KNOWN), **OTHERS[0]}] * 3], [*KNOWN, *OTHERS]
)


@pytest.mark.usefixtures("slices_of_any_size")
@pytest.mark.parametrize("name", sorted(FORMS.keys() - NOT_IN_SLICES.keys()))
def test_a_document_is_judged_in_slices_both_ways(name: str) -> None:
    rules = rules_of(FORMS[name])
    long, judge = LongCase(rules, layout_of(rules)), compile_judge(rules, Watch())
    for document in (PLAIN, SOME_LEFT_OUT):
        text, counts = memoryview(json.dumps(document).encode()), judge(CaseRoots(CaseNode(document), ()), None)
        planned = long.by_plan(text)
        if name in HAVE_NO_KIND and document is SOME_LEFT_OUT:
            assert planned is None, "one of them is of no kind"
        else:
            assert planned is not None
            assert planned.counts == counts
        assert long.generally(text, 5).counts == counts


OTHERWISE: list[tuple[dict[str, Any], str]] = [
    *((FORMS[name], why) for name, why in NOT_IN_SLICES.items()),
    ({**ID, "inputs": {"summary": {"cases": "$"}}}, "^inputs.cases$"),
    (by({"id": "ref"}, {"id": "id", "in": "evidence"}), "^in: evidence$"),
    ({**ID, "claims": {"records": "$"}}, "^a case that is a record itself$"),
]


@pytest.mark.parametrize(("form", "why"), OTHERWISE, ids=lambda value: value if isinstance(value, str) else "")
def test_what_a_slice_does_not_tell_is_judged_whole(form: dict[str, Any], why: str) -> None:
    rules = rules_of(form)
    with pytest.raises(NotPlanned, match=why):
        LongCase(rules, layout_of(rules))


@pytest.mark.usefixtures("short_slices")
def test_a_span_that_leads_nowhere_is_placed_in_slices_too() -> None:
    """Also where the spans of evidence are more than single members."""
    rules = rules_of(FORMS["span within by default"])
    text = json.dumps(case([claim([{**KNOWN[0], "e": 9}]), claim(KNOWN[1:])], KNOWN)).encode()

    assert LongCase(rules, layout_of(rules)).by_plan(memoryview(text)) is not None
    mapped, whole = both_ways(rules, text, 30)
    assert mapped == whole
