"""YAML text to plain data: what it stands for, where it stands, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openmed_rules.ruleset.bounds import MAX_ALIASED, MAX_BYTES, MAX_DEPTH
from openmed_rules.ruleset.document import read_document
from openmed_rules.ruleset.problems import Mark, Problem, RuleFileError


def problems_of(text: str | bytes) -> tuple[Problem, ...]:
    try:
        return read_document(text, "r.yaml").problems
    except RuleFileError as error:
        return error.problems


def told(text: str | bytes) -> list[tuple[str, int, int]]:
    return [(problem.code, problem.mark.line, problem.mark.column) for problem in problems_of(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("0.5", 0.5),
        ("-1.25", -1.25),
        ("n", "n"),
        ("y", "y"),
        ("5%", "5%"),
        ("$.a[*].b", "$.a[*].b"),
        ("^^.a", "^^.a"),
        ("a[?(@.b == 'c')].d", "a[?(@.b == 'c')].d"),
        ("1.2.3", "1.2.3"),
        ("e1", "e1"),
        ("'no'", "no"),
        ('"010"', "010"),
        ("'2024-01-15'", "2024-01-15"),
        ("|\n  1\n", "1\n"),
        (">-\n  yes\n", "yes"),
    ],
)
def test_a_scalar_is_what_every_reader_takes_it_for(text: str, value: object) -> None:
    document = read_document(f"a: {text}", "r.yaml")

    assert document.problems == ()
    assert document.data == {"a": value}
    assert type(document.data["a"]) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        *("yes", "No", "ON", "off"),
        *("010", "08", "00.5", "-07", "0_1"),
        *("0o17", "0x1F", "0b101"),
        *("1_000", "12:30:45", "1:10", "09:30", "1:10.5"),
        *("2024-01-15", "2024-01-15T10:00:00Z", "2024-01-15 10:00:00"),
        *(".nan", ".NaN", ".inf", "-.INF", "1.0e+400", "1e3", "9e-1", "12e03", "1.5E3"),
        *(".5", "5.", "9" * 101),
    ],
)
@pytest.mark.parametrize("place", ["a: {}", "a: [{}]", "tests: [{{summary: {{b: {}}}}}]", "{}: a"])
def test_a_value_on_which_readers_differ_is_refused(text: str, place: str) -> None:
    (problem,) = problems_of(place.format(text))

    assert problem.code == "OMR-114"
    assert problem.mark == Mark("r.yaml", 1, place.format("\0").index("\0") + 1)
    assert problem.hint.startswith(f"put it in quotes: '{text}'")


def test_every_value_has_its_place() -> None:
    text = "a: b\nc:\n  - d: 'e'\n  - [f, \"g\"]\nh: |\n  i\n"
    marks = read_document(text, "r.yaml").marks
    places = {
        place: (spot.key and spot.key.mark[1:], spot.value.mark[1:], spot.value.width, spot.value.verbatim)
        for place, spot in marks.spots.items()
    }

    assert places == {
        (): (None, (1, 1), 1, None),
        ("a",): ((1, 1), (1, 4), 1, 0),
        ("c",): ((2, 1), (3, 3), 1, None),
        ("c", 0): (None, (3, 5), 1, None),
        ("c", 0, "d"): ((3, 5), (3, 8), 3, 1),
        ("c", 1): (None, (4, 5), 1, None),
        ("c", 1, 0): (None, (4, 6), 1, 0),
        ("c", 1, 1): (None, (4, 9), 3, 1),
        ("h",): ((5, 1), (5, 4), 1, None),
    }


def test_an_alias_repeats_its_value_with_the_place_of_its_anchor() -> None:
    document = read_document("a: &x [b]\nc: *x\n", "r.yaml")

    assert document.data == {"a": ["b"], "c": ["b"]}
    assert document.marks.spots["c", 0].value.mark == Mark("r.yaml", 1, 8)


@pytest.mark.parametrize("text", ["\ufeffa: b\n", "\ufeffa: b\n".encode(), b"a: b\r\n", b"---\na: b\n...\n"])
def test_what_stands_around_a_document_makes_no_difference(text: str | bytes) -> None:
    assert read_document(text, "r.yaml").data == {"a": "b"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # not YAML at all, most often a path that lacks its quotes
        ("a: @.x", [("OMR-101", 1, 4)]),
        ("a: `x`", [("OMR-101", 1, 4)]),
        ("a: %x", [("OMR-101", 1, 4)]),
        ("%x: y", [("OMR-101", 1, 1)]),
        ("a: *.x", [("OMR-101", 1, 4)]),
        ("a: [*.x]", [("OMR-101", 1, 5)]),
        ("a: {p: x[*].y}", [("OMR-101", 1, 9)]),
        ("a: [x[*]]", [("OMR-101", 1, 6)]),
        ("a: {p: $.x[0:2]}", [("OMR-101", 1, 11)]),
        ("a: &x.y z", [("OMR-101", 1, 4)]),
        ("a: 'x'.y", [("OMR-101", 1, 7)]),
        ("a:\t$.x", [("OMR-101", 1, 3)]),
        ("a:\n\tb: c", [("OMR-101", 2, 1)]),
        ("a: b: c", [("OMR-101", 1, 5)]),
        ("a: 'x", [("OMR-101", 1, 4)]),
        ("a: [b", [("OMR-101", 1, 4)]),
        ("a: {b: c", [("OMR-101", 1, 4)]),
        ("a: {b: c]", [("OMR-101", 1, 9)]),
        ("a: b\nc\n", [("OMR-101", 2, 1)]),
        ("a:\n  - b\n c: d", [("OMR-101", 3, 2)]),
        ('a: "\\[x"', [("OMR-101", 1, 5)]),
        ('a: "\\UFFFFFFFF"', [("OMR-101", 1, 7)]),
        # characters and size
        (b"a: \xff", [("OMR-102", 1, 4)]),
        (b"a: b\nc: \xe2\x82", [("OMR-102", 2, 4)]),
        ("a: \x00", [("OMR-104", 1, 4)]),
        ("a: b\n\ufeffc: d", [("OMR-104", 2, 1)]),
        ("a: b\u2028", [("OMR-104", 1, 5)]),
        ("a: \ud800", [("OMR-104", 1, 4)]),
        ('a: "\\ud83d"', [("OMR-104", 1, 4)]),
        ("a" * (MAX_BYTES + 1), [("OMR-103", 1, 1)]),
        # documents
        ("", [("OMR-105", 1, 1)]),
        ("# todo\n", [("OMR-105", 1, 1)]),
        ("~", [("OMR-105", 1, 1)]),
        ("a: b\n---\n", [("OMR-106", 2, 1)]),
        ("a: b\n---\nc: d", [("OMR-106", 2, 1)]),
        ("[" * 2000 + "]" * 2000, [("OMR-107", 1, MAX_DEPTH + 1)]),
        # what could hide one value behind another
        ("a: !x b", [("OMR-108", 1, 4)]),
        ("a: !!python/object/apply:os.system ['true']", [("OMR-108", 1, 4)]),
        ("a: !!bool maybe", [("OMR-108", 1, 4)]),
        ("a: &x b\nc: &x d", [("OMR-109", 2, 4)]),
        ("a: *x", [("OMR-110", 1, 4)]),
        ("&x [*x]", [("OMR-110", 1, 5)]),
        ("a: &x", [("OMR-110", 1, 4)]),
        ("a: &x {b: c}\nd:\n  <<: *x\n  b: e\n", [("OMR-111", 3, 3)]),
        ("1: a\n~: b\n? [c]\n: d\n", [("OMR-112", 1, 1), ("OMR-112", 2, 1), ("OMR-112", 3, 3)]),
        ("a: b\nc: d\na: e\na: f\n", [("OMR-113", 3, 1), ("OMR-113", 4, 1)]),
        ("a: $.x #y", [("OMR-115", 1, 8)]),
    ],
)
def test_a_text_is_refused_at_its_place(text: str | bytes, expected: list[tuple[str, int, int]]) -> None:
    assert told(text) == expected


def test_a_key_that_stands_twice_is_told_with_both_places() -> None:
    (problem,) = problems_of("a: 1\nb: 2\na: 3\n")

    assert problem.message == "the key a stands twice, first at 1:1"


def test_a_comment_is_a_comment() -> None:
    assert problems_of("a: b # c\n#d: e\nf: 'g' #h\n") == ()


def test_problems_that_leave_the_text_readable_are_told_together() -> None:
    assert [code for code, *_ in told("a: no\nb: 010\nb: !x c\n")] == [
        "OMR-114",
        "OMR-114",
        "OMR-108",
        "OMR-113",
    ]


def test_aliases_may_repeat_but_not_multiply() -> None:
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
    bomb += "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
    many = "a: &a {b: c}\nd: [" + "*a, " * (MAX_ALIASED // 2 - 1) + "]\n"

    assert [code for code, *_ in told(bomb)] == ["OMR-107"]
    assert told(many) == []


def test_a_long_file_without_aliases_is_no_bomb() -> None:
    text = "a:\n" + "- [b, b, b, b, b]\n" * 6_000

    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a: @.x", "'@...'"),
        ("a: {p: x[*].y}", "put a path with [ ] in quotes"),
        ('a: "\\[x"', "single quotes"),
        ("a:\tb", "spaces"),
        ("a: $.x #y", "a space after #"),
    ],
)
def test_what_to_write_instead_is_said(text: str, hint: str) -> None:
    (problem,) = problems_of(text)

    assert hint in problem.hint


FRAGMENTS = st.sampled_from([*":,[]{}'\"#|>%@~\\\t\n\0é-?!*& a", "&x ", "*x", ": ", " # ", "\n  ", "- "]) | (
    st.sampled_from(["<<: ", "!t ", "0x1", "no", "---\n", "...\n", "\ud800", "\\U00110000", "\\x"])
)


@given(st.lists(FRAGMENTS, max_size=30).map("".join) | st.binary(max_size=30))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    problems = problems_of(text)

    assert all(problem.mark.line >= 1 and problem.mark.column >= 1 for problem in problems)
    assert problems or plain(read_document(text, "r.yaml").data)


def plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(type(key) is str and plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or type(value) in {str, int, float, bool}
