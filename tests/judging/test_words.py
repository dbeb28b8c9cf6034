"""Every word of the rule language changes a number: there is a case that comes out otherwise without it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import rule_words
from judged import measure
from openmed_rules.ruleset.words import CITATION_METRICS, COVERAGE_METRICS, FLAGS, REASONS, TOLERABLE

TABLE = Path(__file__).parents[1] / "data" / "words.yaml"
WORDS = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
JUDGE_NOTHING = {
    *("version", "name", "description", "extends"),
    *("tests", "cases", "file", "expect", "passed", "reasons", "failure_reasons"),
    *(*REASONS, *CITATION_METRICS, *COVERAGE_METRICS, *FLAGS),
}
"""Words that say what a rule file is, is made of, or is tried on, and what a test of it may expect."""


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word["word"])
def test_a_word_changes_a_number(word: dict[str, Any]) -> None:
    assert word["rule"].count(word["without"]) == 1
    without = word["rule"].replace(word["without"], word.get("instead", ""))

    assert measure(word) == word["gives"]
    assert measure(word, without) != word["gives"]


def test_no_word_is_missing() -> None:
    said = {token for word in WORDS for token in re.findall(r"\w+", word["rule"])}

    assert said.issuperset(TOLERABLE)
    assert rule_words.keys() | rule_words.choices() <= said | JUDGE_NOTHING
