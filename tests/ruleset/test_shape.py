"""The shape of a rule file: every key and value that can stand there, and one fault for one mistake."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from openmed_rules.ruleset.problems import Fault, spell
from openmed_rules.ruleset.schema import FORMS
from openmed_rules.ruleset.shape import _Validator, shape_faults
from openmed_rules.ruleset.words import SAID_HERE, TOLERABLE

BASE: dict[str, Any] = {
    "version": 1,
    "name": "notes",
    "claims": {"records": "$.claims"},
    "citations": {"records": "refs", "id": "ref"},
    "evidence": {"records": "$.facts", "id": "id"},
}


def faults(text: str) -> list[Fault]:
    """The faults of the smallest rule file with the top-level keys of a YAML text in place of its own."""
    return shape_faults({**copy.deepcopy(BASE), **yaml.safe_load(text)})


def told(text: str) -> list[tuple[str, str]]:
    return sorted((fault.code, spell(fault.place)) for fault in faults(text))


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "description: Notes of team A.",
        "extends: other",
        "extends: [other, ../more.yaml]",
        "reads_text: true",
        "reports: [coverage]",
        "claims: [{records: a}, {records: [b, c], where: {d: e}, id: f, merge: true}]",
        "claims: {records: {path: a, split: ','}}",
        "claims: {records: [a, {path: b, find_all: '(c)', split: ','}, {path: d, range: [e, f]}]}",
        "claims: {records: a, class: {path: [k, l], absent: [''], labels: [b]}}",
        "claims: {records: a, class: {path: k, capture: '(.)', labels: [b]}}",
        "claims: {records: a, class: {place: key, labels: [b]}}",
        ("claims: {records: a, where: {b: c, d: [e, null, 1, true, 0.5], f: {not: g}, h: {not: [i, null]}, j: null}}"),
        "claims: {records: a, where: [{b: c}, {d: {not: null}}]}",
        "citations: {records: a, id: [b, '@', {path: c, absent: [-1, '']}, {path: [d, e]}]}",
        "citations: {records: a, id: {path: b, capture: '(.)/(.)'}}",
        ("citations: {records: a, id: {parts: [b, [c, d], {path: e, default: '-'}, {place: position, of: ^}]}}"),
        "citations: {siblings: following, where: {type: cite}, id: b}",
        "citations: {records: a, id: b, in: summary, claim: [c, d]}",
        "citations: {records: a, id: b, follow: [{records: $.c, id: d, to: e}], supports: false}",
        "citations: {records: a, kinds: {b: {where: {c: d}, ignore: true}, e: {id: f, span: {pair: g}}}}",
        "evidence: {records: a, id: {place: position, base: 1, among: records}}",
        "evidence: {records: a, id: {place: pointer}, kind: b, merge: false, in: evidence}",
        "evidence: {records: a, span: {start: b, end: c, within: d, closed: true, base: 1, numbers: text}}",
        "evidence: {records: a, span: {start: {path: b, default: 0}, length: [c, d], absent: [-1]}}",
        ("evidence: {records: a, span: [{pair: b}, {each: c, start: d, end: e, within: {path: f, default: '-'}}]}"),
        "evidence: {records: a, span: {start: b, end: c, within: {parts: [d, e]}}}",
        ("inputs: {summary: {cases: $.a, join: b, embedded_json: [c]}, evidence: {cases: [$.a, $.b], join: ^.c}}"),
        "policy: {malformed: ignore, unavailable: count, spans: inside, per: batch}",
        ("policy: {failed_cases: 2, tolerate: {unsupported_claim: 12.5%, invalid_citation: 3, no_claims: any}}"),
        "policy: {failed_cases: 100%, tolerate: {omitted_source_fact: {default: 5%, a: any, b: 0}}}",
        "tests: [{name: a, summary: {}, expect: {passed: true}}]",
        "tests: [{name: a, summary: null, evidence: [], expect: {reasons: [no_claims]}}]",
        "tests: [{name: a, cases: [{summary: 1}], expect: {citations: {coverage: 0.5, fail_closed: true}}}]",
        "tests: [{name: a, file: b.json, expect: {coverage: {recall: 1}}}]",
        "tests: [{name: a, file: {summary: b.json, evidence: c.json}, expect: {coverage: {recall: 1.0}}}]",
    ],
)
def test_what_the_language_has_is_accepted(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # keys
        ("clams: {records: a}", [("OMR-201", "clams")]),
        ("claims: {recrods: a}", [("OMR-201", "claims.recrods")]),
        ("claims: {id: a}", [("OMR-202", "claims.records")]),
        ("claims: {records: a, supports: false}", [("OMR-201", "claims.supports")]),
        ("citations: {records: a, id: {pth: b}}", [("OMR-201", "citations.id.pth")]),
        ("citations: {records: a, follow: [{records: b, id: c}]}", [("OMR-202", "citations.follow[0].to")]),
        ("policy: {tolerance: {no_claims: any}}", [("OMR-201", "policy.tolerance")]),
        ("policies: {strct: true}", [("OMR-201", "policies")]),
        ("policy: {strct: true}", [("OMR-201", "policy.strct")]),
        ("inputs: {summary: {case: a}}", [("OMR-201", "inputs.summary.case")]),
        # types
        ("name: 1", [("OMR-203", "name")]),
        ("reads_text: 1", [("OMR-203", "reads_text")]),
        ("reads_text: n", [("OMR-203", "reads_text")]),
        ("version: true", [("OMR-203", "version")]),
        ("version: '1'", [("OMR-203", "version")]),
        ("version: 1.0", [("OMR-203", "version")]),
        ("claims: oops", [("OMR-203", "claims")]),
        ("claims: [oops, {records: a}]", [("OMR-203", "claims[0]")]),
        ("claims: {records: {a: b}}", [("OMR-201", "claims.records.a"), ("OMR-207", "claims.records")]),
        ("claims: {records: 7}", [("OMR-203", "claims.records")]),
        ("claims: {records: [a, [b]]}", [("OMR-203", "claims.records[1]")]),
        ("citations: {records: a, id: {path: [b, 1]}}", [("OMR-203", "citations.id.path[1]")]),
        ("citations: {records: a, id: {path: [b, c], capture: '(d)'}}", [("OMR-203", "citations.id.path")]),
        ("evidence: {records: a, span: {start: b, end: c, base: '1'}}", [("OMR-203", "evidence.span.base")]),
        ("evidence: {records: a, span: {start: b, end: c, base: true}}", [("OMR-203", "evidence.span.base")]),
        (
            "evidence: {records: a, span: {start: {path: b, default: '0'}, end: c}}",
            [("OMR-203", "evidence.span.start.default")],
        ),
        (
            "tests: [{name: a, summary: {}, expect: {citations: {coverage: '1'}}}]",
            [("OMR-203", "tests[0].expect.citations.coverage")],
        ),
        ("tests: {name: a}", [("OMR-203", "tests")]),
        # nothing there
        ("claims: null", [("OMR-203", "claims")]),
        ("claims: {records: a, id: null}", [("OMR-203", "claims.id")]),
        ("citations: {records: a, span: null}", [("OMR-203", "citations.span")]),
        ("policy: null", [("OMR-203", "policy")]),
        # empty, too long, too small
        ("name: ''", [("OMR-204", "name")]),
        ("claims: []", [("OMR-204", "claims")]),
        ("claims: {records: []}", [("OMR-204", "claims.records")]),
        ("claims: {records: a, id: []}", [("OMR-204", "claims.id")]),
        ("claims: {records: a, where: {}}", [("OMR-204", "claims.where")]),
        ("claims: {records: a, where: {b: []}}", [("OMR-204", "claims.where.b")]),
        ("citations: {records: a, kinds: {}}", [("OMR-204", "citations.kinds")]),
        ("reports: []", [("OMR-204", "reports")]),
        ("tests: [{name: a, summary: {}, expect: {}}]", [("OMR-204", "tests[0].expect")]),
        ("tests: [{name: a, summary: {}, expect: {reasons: []}}]", [("OMR-204", "tests[0].expect.reasons")]),
        ('name: "a\\n"', [("OMR-204", "name")]),
        ('name: "a\\nb"', [("OMR-204", "name")]),
        (f"name: {'a' * 201}", [("OMR-204", "name")]),
        ("policy: {tolerate: {invalid_citation: -1}}", [("OMR-204", "policy.tolerate.invalid_citation")]),
        ("evidence: {records: a, id: {place: position, base: -1}}", [("OMR-204", "evidence.id.base")]),
        ("evidence: {records: a, id: {place: position, of: a}}", [("OMR-204", "evidence.id.of")]),
        ("claims: {records: {path: a, range: [b]}}", [("OMR-204", "claims.records.range")]),
        # words
        ("policy: {malformed: drop}", [("OMR-205", "policy.malformed")]),
        ("policy: {per: cases}", [("OMR-205", "policy.per")]),
        ("reports: [all]", [("OMR-205", "reports[0]")]),
        ("reports: [{a: b}]", [("OMR-203", "reports[0]")]),
        ("claims: {records: a, in: evidences}", [("OMR-205", "claims.in")]),
        ("evidence: {records: a, id: {place: index}}", [("OMR-205", "evidence.id.place")]),
        ("evidence: {records: a, span: {pair: b, numbers: txt}}", [("OMR-205", "evidence.span.numbers")]),
        ("claims: {records: a, class: {place: position, labels: [b]}}", [("OMR-205", "claims.class.place")]),
        (
            "tests: [{name: a, summary: {}, expect: {reasons: [nope]}}]",
            [("OMR-205", "tests[0].expect.reasons[0]")],
        ),
        (
            "tests: [{name: a, summary: {}, expect: {citations: {recall: 1}}}]",
            [("OMR-201", "tests[0].expect.citations.recall")],
        ),
        # tolerances
        ("policy: {tolerate: {unsupported_claim: 0.05}}", [("OMR-206", "policy.tolerate.unsupported_claim")]),
        ("policy: {tolerate: {invalid_citation: '0.05'}}", [("OMR-206", "policy.tolerate.invalid_citation")]),
        ("policy: {tolerate: {invalid_citation: 5 %}}", [("OMR-206", "policy.tolerate.invalid_citation")]),
        ("policy: {tolerate: {invalid_citation: 101%}}", [("OMR-206", "policy.tolerate.invalid_citation")]),
        (
            "policy: {tolerate: {invalid_citation: '5%\n\n'}}",
            [("OMR-206", "policy.tolerate.invalid_citation")],
        ),
        ("policy: {tolerate: {invalid_citation: all}}", [("OMR-206", "policy.tolerate.invalid_citation")]),
        ("policy: {tolerate: {invalid_citation: true}}", [("OMR-203", "policy.tolerate.invalid_citation")]),
        ("policy: {tolerate: {no_claims: 1}}", [("OMR-206", "policy.tolerate.no_claims")]),
        ("policy: {tolerate: {no_citations: 5%}}", [("OMR-206", "policy.tolerate.no_citations")]),
        ("policy: {failed_cases: any}", [("OMR-206", "policy.failed_cases")]),
        ("policy: {failed_cases: 0.1}", [("OMR-206", "policy.failed_cases")]),
        (
            "policy: {tolerate: {missing_source_evidence: any}}",
            [("OMR-209", "policy.tolerate.missing_source_evidence")],
        ),
        ("policy: {tolerate: {unreadable_case: 1}}", [("OMR-209", "policy.tolerate.unreadable_case")]),
        ("policy: {tolerate: {unsuported_claim: 1}}", [("OMR-210", "policy.tolerate.unsuported_claim")]),
        ("policy: {tolerate: {unknown_citation: 1}}", [("OMR-210", "policy.tolerate.unknown_citation")]),
        ("policy: {tolerate: {invalid_citation: {a: 1}}}", [("OMR-211", "policy.tolerate.invalid_citation")]),
        (
            "policy: {tolerate: {unsupported_claim: {a: {b: 1}}}}",
            [("OMR-203", "policy.tolerate.unsupported_claim.a")],
        ),
        # what goes together
        ("claims: {records: {path: a}}", [("OMR-207", "claims.records")]),
        ("claims: {records: {path: a, split: ',', range: [b, c]}}", [("OMR-207", "claims.records.split")]),
        (
            "claims: {records: {path: a, find_all: '(b)', range: [b, c]}}",
            [("OMR-207", "claims.records.range")],
        ),
        ("evidence: {records: a, span: {start: b}}", [("OMR-207", "evidence.span")]),
        ("evidence: {records: a, span: {end: b}}", [("OMR-202", "evidence.span.start")]),
        ("evidence: {records: a, span: {start: b, end: c, length: d}}", [("OMR-207", "evidence.span.end")]),
        ("evidence: {records: a, span: {pair: b, start: c}}", [("OMR-207", "evidence.span.start")]),
        (
            "evidence: {records: a, span: {start: b, length: c, closed: true}}",
            [("OMR-207", "evidence.span.closed")],
        ),
        ("evidence: {records: a, id: {place: key, base: 1}}", [("OMR-207", "evidence.id.base")]),
        ("evidence: {records: a, id: {place: pointer, of: ^}}", [("OMR-207", "evidence.id.of")]),
        (
            "evidence: {records: a, id: {place: position, of: ^, among: records}}",
            [("OMR-207", "evidence.id.among")],
        ),
        (
            "evidence: {records: a, id: {parts: [{parts: [b]}]}}",
            [("OMR-201", "evidence.id.parts[0].parts"), ("OMR-207", "evidence.id.parts[0]")],
        ),
        ("evidence: {records: a, id: {place: key, path: b}}", [("OMR-207", "evidence.id.path")]),
        ("evidence: {records: a, id: b, kinds: {c: {id: d}}}", [("OMR-207", "evidence.kinds")]),
        ("evidence: {records: a, kind: b, kinds: {c: {id: d}}}", [("OMR-207", "evidence.kinds")]),
        ("evidence: {records: a, kinds: {b: {ignore: true}}}", [("OMR-207", "evidence.kinds.b.ignore")]),
        ("citations: {records: a, id: b, in: evidence}", [("OMR-207", "citations.in")]),
        ("citations: {siblings: following, claim: b}", [("OMR-207", "citations.siblings")]),
        ("tests: [{name: a, expect: {passed: true}}]", [("OMR-207", "tests[0]")]),
        (
            "tests: [{name: a, cases: [{}], summary: {}, expect: {passed: true}}]",
            [("OMR-202", "tests[0].cases[0].summary"), ("OMR-207", "tests[0].summary")],
        ),
        # versions
        ("version: 2", [("OMR-208", "version")]),
        # paths and patterns
        ("claims: {records: $.a | $.b}", [("OMR-301", "claims.records")]),
        ("claims: {records: [a, '/b']}", [("OMR-301", "claims.records[1]")]),
        ("claims: {records: \"a[?(@.b == 'c')]\"}", [("OMR-301", "claims.records")]),
        ("claims: {records: a, where: {b..: c}}", [("OMR-301", "claims.where.b..")]),
        ("claims: {records: ''}", [("OMR-301", "claims.records")]),
        ("claims: {records: {path: a, range: [b, '']}}", [("OMR-301", "claims.records.range[1]")]),
        ("evidence: {records: a, span: {each: b.0, pair: c}}", [("OMR-301", "evidence.span.each")]),
        ("inputs: {summary: {embedded_json: ['a[]']}}", [("OMR-301", "inputs.summary.embedded_json[0]")]),
        (
            "citations: {records: a, id: {path: b, capture: '(a(?=b))'}}",
            [("OMR-302", "citations.id.capture")],
        ),
        ("citations: {records: a, id: {path: b, capture: '(a'}}", [("OMR-302", "citations.id.capture")]),
        ("citations: {records: a, id: {path: b, capture: a}}", [("OMR-303", "citations.id.capture")]),
        ("citations: {records: {path: a, find_all: '(b)(c)'}}", [("OMR-303", "citations.records.find_all")]),
        (
            "evidence: {records: a, span: {start: {path: b, capture: '(c)(d)'}, end: e}}",
            [("OMR-303", "evidence.span.start.capture")],
        ),
    ],
)
def test_what_it_has_not_is_refused_at_its_place(text: str, expected: list[tuple[str, str]]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize("data", [None, [], "x", 1, True])
def test_a_rule_file_is_a_mapping(data: object) -> None:
    assert [(fault.code, fault.place) for fault in shape_faults(data)] == [("OMR-203", ())]


def test_everything_is_told_at_once() -> None:
    text = "version: 3\nnam: x\nclaims: {recrods: a, where: {'b|c': 1}}\n"
    text += "citations: {records: d, id: {path: e, capture: f}}"

    assert [fault.code for fault in sorted(faults(text), key=lambda fault: fault.code)] == [
        "OMR-201",
        "OMR-201",
        "OMR-208",
        "OMR-301",
        "OMR-303",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("claims: {recrods: a}", "did you mean records?"),
        ("polcy: {}", "did you mean policy?"),
        ("policy: {tolerate: {unsuported_claim: 1}}", "did you mean unsupported_claim?"),
        ("policy: {malformed: ignored}", "did you mean ignore?"),
        ("policy: {tolerate: {unsupported_claim: 0.05}}", "write 5%"),
        ("policy: {tolerate: {unsupported_claim: 0.125}}", "write 12.5%"),
        ("policy: {tolerate: {unsupported_claim: 7.5}}", "write 7.5%"),
        ("policy: {tolerate: {unsupported_claim: '5'}}", "write 5, or 5%"),
        (
            "policy: {tolerate: {unknown_citation: 1}}",
            "write invalid_citation: what the coverage report counts follows it",
        ),
        (
            "policy: {tolerate: {invalid_citation: {a: 1}}}",
            "by class go unsupported_claim or omitted_source_fact only",
        ),
        ("claims: {records: {path: a}}", "write the path itself, without a mapping"),
        ("version: '1'", "write it without quotes"),
        ("claims: {records: $.a || $.b}", "write a `where` with a list of values, or a list of paths"),
        ("claims: {records: '$.a[]'}", "write [*] for every item"),
    ],
)
def test_what_to_write_instead_is_said(text: str, hint: str) -> None:
    assert only(text).hint == hint


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("citations: {records: a, id: b, document: c}", "document"),
        ("evidence: {records: a, span: {pair: b, unit: char}}", "unit"),
        ("claims: {records: a, where: {b: {exists: true}}}", "exists"),
        ("claims: {records: a, one_or_many: true}", "one_or_many"),
        ("citations: {records: a, id: {path: b, otherwise: c}}", "otherwise"),
        ("citations: {records: a, id: {path: b, missing: c}}", "missing"),
        ("citations: {records: a, id: {path: b, default: c}}", "default"),
        ("evidence: {records: a, id: {position: 0}}", "position"),
        ("evidence: {records: a, id: {key: true}}", "key"),
        ("evidence: {records: a, id: {pointer: true}}", "pointer"),
        ("claims: {records: a, filter: {b: c}}", "filter"),
        ("citations: {records: a, id: {path: b, regex: c}}", "regex"),
        ("claims: {records: a, where: {b: {in: [c]}}}", "in"),
        ("claims: {records: a, where: {b: {ne: c}}}", "ne"),
        ("strict: true", "strict"),
        ("thresholds: {}", "thresholds"),
        ("evidence: {records: a, supports: false}", "supports"),
    ],
)
def test_words_of_other_dialects_name_ours(text: str, word: str) -> None:
    (fault,) = (fault for fault in faults(text) if fault.code == "OMR-201")

    assert fault.place[-1] == word
    assert fault.at_key
    assert fault.hint == SAID_HERE[word]


def test_a_fault_in_a_path_knows_its_column() -> None:
    fault = only("claims: {records: a, where: {'b | c': 1}}")

    assert (fault.place, fault.at_key, fault.column) == (("claims", "where", "b | c"), True, 2)


def test_two_rule_files_are_independent() -> None:
    assert faults("reports: []")
    assert faults("{}") == []
    assert faults("reports: [all]")


def test_every_reason_that_can_be_tolerated_is_known() -> None:
    assert faults(json.dumps({"policy": {"tolerate": dict.fromkeys(TOLERABLE, "any")}})) == []


def test_the_schema_itself_is_sound() -> None:
    for alternatives in FORMS.values():
        for rules in alternatives:
            assert _Validator({"value": dict(rules)})
            assert all(_Validator(dict(keys)) for keys in rules.get("variants", ()))
            assert "form" not in rules, "an alternative is chosen by its type"


WORDS = ["path", "records", "id", "where", "span", "place", "parts", "kinds", "start", "end", "x"]
WORDS += ["absent", "capture", "split", "not", "default"]
SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(allow_nan=False)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["", "a", "$.a", "5%", "any", "a|b", "("]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*BASE, "inputs", "policy", "reports", "tests", "x"]), VALUES))
def test_no_data_makes_it_fail(data: dict[str, Any]) -> None:
    assert all(fault.message for fault in shape_faults({**BASE, **data}))
