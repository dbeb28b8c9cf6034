"""Problems as people read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openmed_rules import ruleset
from openmed_rules.errors import CODES
from openmed_rules.ruleset.problems import Mark, Problem, RuleFileError, did_you_mean, spell


def lines(problem: Problem) -> list[str]:
    return str(problem).splitlines()


def test_a_problem_shows_its_place_what_was_expected_and_a_hint() -> None:
    problem = Problem("OMR-201", Mark("a.yaml", 3, 3), "b is no key", "one of c or d", "did you mean c?", 1, "  b: 1")

    assert lines(problem) == [
        "a.yaml:3:3: OMR-201: b is no key",
        "      b: 1",
        "      ^",
        "    expected: one of c or d",
        "    hint: did you mean c?",
    ]


def test_without_a_text_there_is_no_line() -> None:
    assert lines(Problem("OMR-201", Mark("rules", 0, 0), "b is no key")) == ["rules: OMR-201: b is no key"]


@pytest.mark.parametrize(
    ("source", "column", "width", "shown", "pointer"),
    [
        ("name: x", 7, 1, "name: x", "      ^"),
        ("'証拠': x", 7, 1, "'証拠': x", "        ^"),
        ("'証拠': x", 2, 2, "'証拠': x", " ^^^^"),
        ("e\u0301: x", 5, 1, "e\u0301: x", "   ^"),
        ("\tname: x", 8, 1, " name: x", "       ^"),
        ("name:", 6, 1, "name:", "     ^"),
    ],
)
def test_the_pointer_stands_under_what_is_meant(source: str, column: int, width: int, shown: str, pointer: str) -> None:
    problem = Problem("OMR-101", Mark("a.yaml", 1, column), "x", width=width, source=source)

    assert lines(problem)[1:] == [f"    {shown}", f"    {pointer}"]


def test_of_a_long_line_the_part_around_the_place_is_shown() -> None:
    source = "a" * 500 + "b" + "c" * 500
    _, shown, pointer = lines(Problem("OMR-101", Mark("a.yaml", 1, 501), "x", source=source))

    assert len(shown) < 130
    assert shown[pointer.index("^")] == "b"


def test_an_error_holds_its_problems_in_order() -> None:
    problems = [Problem("OMR-1", Mark(file, line, 1), "x") for file, line in (("b", 1), ("a", 10), ("a", 9))]
    error = RuleFileError(problems)

    assert [problem.mark[:2] for problem in error.problems] == [("a", 9), ("a", 10), ("b", 1)]
    assert str(error) == "a:9:1: OMR-1: x\na:10:1: OMR-1: x\nb:1:1: OMR-1: x"


@pytest.mark.parametrize(
    ("place", "words"),
    [((), ""), (("claims", "id"), "claims.id"), (("citations", 1, "id", 0), "citations[1].id[0]")],
)
def test_a_place_in_words(place: tuple[str | int, ...], words: str) -> None:
    assert spell(place) == words


@pytest.mark.parametrize(
    ("word", "hint"),
    [("recrods", "did you mean records?"), ("Records", "did you mean records?"), ("zzz", "")],
)
def test_the_nearest_word_is_offered(word: str, hint: str) -> None:
    assert did_you_mean(word, ["records", "where"]) == hint


def test_every_code_of_rule_files_is_explained_and_used() -> None:
    sources = Path(str(ruleset.__file__)).parent.glob("*.py")
    used = {code for source in sources for code in re.findall(r"OMR-\d{3}", source.read_text(encoding="utf-8"))}

    assert used == {code for code in CODES if "OMR-101" <= code < "OMR-600"}
