"""The language by example: rules, inputs, and every number that they must give."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged import judge
from openmed_rules.errors import RulesError
from openmed_rules.ruleset.loader import load_rule_mapping

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "data" / "language_sample.jsonl"
SHARED = Path(os.environ.get("OPENMED_RULES_SHARED", ROOT.parent / "shared")) / "language" / "cases.jsonl"
EXITS = {"passed": 0, "failed": 1, "not_evaluated": 3}


def examples(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def outcome(example: dict[str, Any]) -> dict[str, Any]:
    """What the engine gives, in the shape of ``expected``; a refused rule or input has an exit code only."""
    evidence = example["evidence"]
    try:
        rules = load_rule_mapping(example["rule"])
        report = judge(rules, example["summary"], evidence=None if evidence is None else [evidence])
    except RulesError as error:
        return {"exit": error.exit_code}
    said = report.to_dict()
    whole = {name: said[name] for name in ("verdict", "cases", "orphan_citations")}
    whole |= {"reasons": set(report.reasons), "exit": EXITS[report.verdict]}
    return whole | {name: said[name] for name in ("citations", "coverage") if name in said}


def differences(example: dict[str, Any]) -> Iterator[str]:
    expected = {name: value for name, value in example["expected"].items() if name != "why"}
    got = outcome(example)
    if "reasons" in expected:
        expected["reasons"] = set(expected["reasons"])
    for name in sorted(expected.keys() | got.keys()):
        if got.get(name) != expected.get(name):
            yield f"{example['case']}: {name}: {got.get(name)} instead of {expected.get(name)}"


@pytest.mark.parametrize("example", examples(SAMPLE), ids=lambda example: example["case"])
def test_an_example_gives_its_numbers(example: dict[str, Any]) -> None:
    assert not list(differences(example))


@pytest.mark.skipif(not SHARED.exists(), reason="the whole of the examples is not on this machine")
def test_every_example_gives_its_numbers() -> None:
    assert not [line for example in examples(SHARED) for line in differences(example)]


@pytest.mark.skipif(not SHARED.exists(), reason="the whole of the examples is not on this machine")
def test_the_sample_uses_every_word_of_the_language() -> None:
    assert words(SAMPLE) == words(SHARED)


UNUSABLE: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    7.5,
    "",
    " e1 ",
    "x",
    {},
    [],
    [[]],
    {"id": "e1"},
    -1,
    "5",
    [1, 2],
    2**70,
]


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(examples(SAMPLE)), st.randoms(use_true_random=False))
def test_a_damaged_example_is_judged_the_same_by_either_way(example: dict[str, Any], random: Random) -> None:
    """`judge` takes both ways, and lets no difference pass."""
    summary = example["summary"]
    for _ in range(random.randint(1, 3)):
        summary = damaged(summary, random)
    evidence = example["evidence"]
    rules = load_rule_mapping(example["rule"])

    with suppress(RulesError):
        judge(rules, summary, evidence=None if evidence is None else [evidence])


def damaged(value: Any, random: Random) -> Any:
    """A copy with something of it deleted, repeated or made unusable, at any depth."""
    inner = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not inner or random.random() < 0.1:
        return random.choice(UNUSABLE)
    copy, at = value.copy(), random.choice(inner)
    change = random.random()
    if change < 0.1:
        del copy[at]
    elif change < 0.2 and isinstance(copy, list):
        copy.insert(at, copy[at])
    else:
        copy[at] = damaged(copy[at], random)
    return copy


def words(file: Path) -> set[str]:
    return {word for example in examples(file) if "verdict" in example["expected"] for word in example["words"]}
