"""Every word of the rule language changes a number: there is a case that comes out otherwise without it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from judged import measure
from openmed_rules.ruleset.schema import FORMS

TABLE = Path(__file__).parents[1] / "data" / "words.yaml"
WORDS = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
JUDGE_NOTHING = {
    "version",
    "name",
    "description",
    "extends",
    "tests",
    "cases",
    "file",
    "expect",
    "passed",
    "reasons",
}
"""Words that say what a rule file is, is made of, or is tried on."""


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word["word"])
def test_a_word_changes_a_number(word: dict[str, Any]) -> None:
    assert word["rule"].count(word["without"]) == 1
    without = word["rule"].replace(word["without"], word.get("instead", ""))

    assert measure(word) == word["gives"]
    assert measure(word, without) != word["gives"]


def test_no_word_is_missing() -> None:
    said = {token for word in WORDS for token in re.findall(r"\w+", word["rule"])}

    assert set(words_of(FORMS)) - said - JUDGE_NOTHING == set()


def words_of(rules: Any) -> Iterator[str]:
    """The keys, and the values of a fixed choice, of a part of the schema that judges records."""
    if isinstance(rules, dict):
        yield from (word for word in rules.get("allowed", ()) if isinstance(word, str))
        if rules.get("type") == "dict":
            yield from rules.get("schema", ())
        yield from (key for variant in rules.get("variants", ()) for key in variant)
        for name, part in rules.items():
            if name not in {"test", "tests"}:
                yield from words_of(part)
    elif isinstance(rules, (list, tuple)):
        for part in rules:
            yield from words_of(part)
