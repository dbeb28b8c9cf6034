"""A long document is judged slice by slice to the same report as if it were held whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from judging.plan.test_plan import (
    BY_ID,
    DAMAGED,
    DOCUMENT,
    PLAIN_DOCUMENT,
    SEED,
    WIDE_DOCUMENT,
    clean_document,
    rule_sets,
    wide_rule_sets,
)
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import JsonText, MappedText
from openmed_rules.judging.plan import slicing
from openmed_rules.judging.plan.layout import layout_of
from openmed_rules.judging.plan.long import Long, LongCase, LongCounts
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_mapping
from openmed_rules.ruleset.model import RuleSet

EXAMPLES = int(os.environ.get("OPENMED_RULES_EXAMPLES", "200"))
PLACE = Place("long.json")


@pytest.fixture(autouse=True)
def _short_slices() -> Iterator[None]:
    """Slices of a record or two, so that a small document is many of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slicing, "SLICE", 24)
        yield


def both_ways(rules: RuleSet, text: bytes, positions: int = 5) -> tuple[Report, Report]:
    """The report of a document that is mapped, and of the same held whole."""
    mapped = judge_batch(rules, [MappedText(PLACE, memoryview(text))], positions=positions)
    return mapped, judge_batch(rules, [JsonText(PLACE, text)], positions=positions)


def way_taken(rules: RuleSet, text: bytes) -> object:
    return Long(rules).judge(MappedText(PLACE, memoryview(text)), 5)


LARGE = clean_document(40)
ODD_RECORD: dict[str, Any] = {**LARGE, "ev": [*LARGE["ev"], {"id": "e0"}, {"id": ""}]}


@seed(SEED)
@settings(max_examples=EXAMPLES, deadline=None)
@given(rule_sets(), DOCUMENT, st.integers(0, 9), st.sampled_from([None, 1]))
def test_slices_tell_what_the_whole_tells(
    rules: RuleSet, document: dict[str, Any], positions: int, indent: int | None
) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=indent).encode()
    mapped, whole = both_ways(rules, text, positions)
    assert mapped == whole


@seed(SEED)
@settings(max_examples=EXAMPLES, deadline=None)
@given(rule_sets(), PLAIN_DOCUMENT, st.integers(0, 30))
def test_slices_of_a_plain_document_tell_what_the_whole_tells(
    rules: RuleSet, document: dict[str, Any], positions: int
) -> None:
    mapped, whole = both_ways(rules, json.dumps(document).encode(), positions)
    assert mapped == whole


@pytest.mark.parametrize("document", [LARGE, dict(reversed(LARGE.items()))])
def test_a_plain_document_is_judged_by_the_plan(document: dict[str, Any]) -> None:
    rules = load_rule_mapping(BY_ID)
    case = LongCase(rules, layout_of(rules))

    assert case.by_plan(memoryview(json.dumps(document).encode())) is not None
    assert case.by_plan(memoryview(json.dumps(ODD_RECORD).encode())) is None


def test_what_fails_is_placed_however_much_that_is_let_be_stands_before_it() -> None:
    """A record that has no id sends the document the general way."""
    unknown, twice = {"r": [{"ref": "e0"}, {"ref": "zz"}]}, {"r": [{"ref": "e1"}, {"ref": "e1"}]}
    known = [{"id": "e0"}, {"id": "e1"}, {"id": ""}]
    let_be = {"invalid_citation": "any", "invalid_source_evidence": "any"}
    rules = load_rule_mapping({**BY_ID, "policy": {"tolerate": let_be}})
    text = json.dumps({"claims": [*[unknown] * 9, twice], "ev": known}).encode()
    mapped, whole = both_ways(rules, text, 2)

    assert LongCase(rules, layout_of(rules)).by_plan(memoryview(text)) is None
    assert mapped == whole
    assert [(place.reason, place.claim) for place in mapped.positions] == [("duplicate_citation", 10)]


@seed(SEED)
@settings(max_examples=EXAMPLES, deadline=None)
@given(wide_rule_sets(), WIDE_DOCUMENT)
def test_slices_tell_what_the_whole_tells_in_more_of_the_language(spoken: dict[str, Any], document: Any) -> None:
    rules = load_rule_mapping(spoken)
    if not rules.reads_evidence_input:
        mapped, whole = both_ways(rules, json.dumps(document).encode())
        assert mapped == whole


@pytest.mark.parametrize("text", DAMAGED)
def test_damaged_text_ends_the_same(text: bytes) -> None:
    mapped, whole = both_ways(load_rule_mapping(BY_ID), text)
    assert mapped == whole


@pytest.mark.parametrize("document", [LARGE, ODD_RECORD, dict(reversed(LARGE.items()))])
def test_a_document_of_one_case_is_really_cut(document: dict[str, Any]) -> None:
    rules, text = load_rule_mapping(BY_ID), json.dumps(document).encode()

    assert isinstance(way_taken(rules, text), LongCounts)
    mapped, whole = both_ways(rules, text)
    assert mapped == whole
    assert whole.cases.total == 1


def test_short_arrays_stand_together_in_slices_of_about_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slicing, "SLICE", 400)
    document = json.dumps({"parts": [{"ev": [{"id": f"e{number}"}]} for number in range(100)]}).encode()

    slices = list(slicing.Slicer([("parts", None, "ev")]).slices(memoryview(document)) or ())

    assert [record["id"] for text in slices for record in json.loads(text)["parts"][0]["ev"]] == [
        f"e{number}" for number in range(100)
    ]
    assert len(slices) > 5
    assert all(200 <= len(text) < 300 for text in slices[:-1])


def test_the_cases_of_a_document_are_really_cut() -> None:
    rules = load_rule_mapping(BY_ID | {"inputs": {"summary": {"cases": "$"}}})
    text = json.dumps([clean_document(1), clean_document(2)] * 5).encode()

    slices = way_taken(rules, text)
    assert slices is not None
    assert not isinstance(slices, LongCounts)
    assert len(list(slices)) > 3
    mapped, whole = both_ways(rules, text)
    assert mapped == whole
    assert whole.cases.total == 10


@pytest.mark.parametrize("text", [b"[]", b"[ ]", b"{}", b"null", b"[null]", b'{"claims": []}', b"\xff", b"["])
@pytest.mark.parametrize("cases", [None, "$", "$.cases"])
def test_a_document_that_holds_little_ends_the_same(text: bytes, cases: str | None) -> None:
    inputs = {} if cases is None else {"inputs": {"summary": {"cases": cases}}}
    mapped, whole = both_ways(load_rule_mapping(BY_ID | inputs), text)
    assert mapped == whole


# --- cutting --------------------------------------------------------------------------------------

TEXTS = st.text(alphabet='ab,"\\{}[]é\n', max_size=6)
VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@seed(SEED)
@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.lists(VALUES, max_size=8),
    st.integers(1, 40),
    st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}]),
    st.booleans(),
)
def test_pieces_hold_whole_items_and_all_of_them(
    items: list[Any], size: int, written: dict[str, Any], ensure_ascii: bool
) -> None:
    text = json.dumps(items, ensure_ascii=ensure_ascii, **written).encode()

    pieces = list(slicing.cut(memoryview(text)[1:-1], size))

    assert [item for piece in pieces for item in json.loads(b"[%b]" % piece)] == items


@pytest.mark.parametrize(
    ("items", "rest"),
    [
        (b'{"a": "}, {"}', b', {"a'),
        (b'{"a": "\\"}, {"}', b', {"a": "x'),
        (b'{"a": "\\\\"}', b', {"a": "\\\\'),
        (b"1, 2", b", 3"),
        (b'[[1, 2], {"a": "x]"}]', b", 2"),
    ],
)
def test_the_last_comma_is_between_two_items(items: bytes, rest: bytes) -> None:
    assert slicing.last_comma(items + rest) == len(items)


@pytest.mark.parametrize("text", [b'{"a": [1, 2', b'"a,b', b'{"a": "x", "b": 1}', b""])
def test_there_is_none_before_an_item_has_ended(text: bytes) -> None:
    assert slicing.last_comma(text) is None
