"""The page about the rule language is right: its examples come out as it says, its tables are the code's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from msgspec.structs import replace

import rule_words
from judged import judge
from openmed_rules.authoring.rule_tests import run_rule_tests
from openmed_rules.results.waivers import PARENTS
from openmed_rules.ruleset.loader import load_rule_file, load_rule_mapping
from openmed_rules.ruleset.schema import FORMS
from openmed_rules.ruleset.words import (
    BY_CLASS,
    CITATION_METRICS,
    COVERAGE_METRICS,
    FLAGS,
    IN_COVERAGE,
    NEVER_TOLERATED,
    REASONS,
    TOLERABLE,
)

PAGE = (Path(__file__).parents[2] / "docs" / "rule-language.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^(#+ [^\n]*)$|^```(\w+)(?: (\w+)(?: (\S+))?)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """One example of the page: blocks by what they are, under the heading where they stand."""

    heading: str
    blocks: dict[str, str]
    files: dict[str, str]


def examples() -> Iterator[Example]:
    """Each example begins with a rule, or with the first of its files."""
    heading = ""
    current: Example | None = None
    for match in BLOCK.finditer(PAGE):
        title, _, what, name, text = match.groups()
        if title:
            heading = title.lstrip("# ")
        begins = what == "rule" or (
            what == "file" and (current is None or bool(current.blocks) or current.heading != heading)
        )
        if begins or title:
            if current is not None and (current.blocks or current.files):
                yield current
            current = Example(heading, {}, {})
        if current is not None and what == "file":
            current.files[name] = text
        elif current is not None and what:
            assert what not in current.blocks, f"two blocks of one kind under {heading}"
            current.blocks[what] = text
    if current is not None and (current.blocks or current.files):
        yield current


EXAMPLES = list(examples())
FIRST = yaml.safe_load(EXAMPLES[0].blocks["rule"])


def named(example: Example) -> str:
    return example.heading.replace("`", "")


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == PAGE.count("```yaml") - 1
    assert all(example.files or {"rule", "summary", "result"} <= example.blocks.keys() for example in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_an_example_comes_out_as_the_page_says(example: Example, tmp_path: Path) -> None:
    for name, text in example.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    if example.files:
        rule_file = load_rule_file(tmp_path / list(example.files)[-1], root=tmp_path)
        if rule_file.tests:
            run = run_rule_tests(rule_file)
            assert (run.failed, run.refusal, run.untried) == (0, "", ())
        rules = rule_file.rules
    else:
        rules = load_rule_mapping({**FIRST, **yaml.safe_load(example.blocks["rule"])})
    if "summary" not in example.blocks:
        return
    evidence = [json.loads(example.blocks["evidence"])] if "evidence" in example.blocks else None

    report = replace(judge(rules, json.loads(example.blocks["summary"]), evidence=evidence), min_cell=1)

    expected = json.loads(example.blocks["result"])
    assert part_of(report.to_dict(), expected) == expected


def part_of(whole: Any, like: Any) -> Any:
    """What ``whole`` says where ``like`` says something."""
    if isinstance(like, dict) and isinstance(whole, dict):
        return {name: part_of(whole.get(name), value) for name, value in like.items()}
    return whole


def test_every_word_has_its_paragraph() -> None:
    headings = {
        word for heading in re.findall(r"^###? (.*)$", PAGE, re.MULTILINE) for word in re.findall(r"`(\w+)`", heading)
    }
    told = {word for text in re.findall(r"`([^`\n]+)`", PAGE) for word in re.findall(r"\w+", text)}

    assert rule_words.keys() - told == set()
    assert rule_words.keys() - headings - SAID_UNDER_ANOTHER == set()


SAID_UNDER_ANOTHER = {
    *("path", "not", "summary", "policy", "passed", "reasons", "failure_reasons"),
    *(*TOLERABLE, *CITATION_METRICS, *COVERAGE_METRICS, *FLAGS),
}
"""Words that make no sense without another one, under whose heading they are."""


# --- tables ------------------------------------------------------------------------------------------


def table(first_cell: str) -> list[list[list[str]]]:
    """The rows of the table whose head begins so: of each cell, the words in backticks."""
    rows = PAGE[PAGE.index(f"| {first_cell} |") :].split("\n\n")[0].splitlines()[2:]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:-1]] for row in rows]


def test_the_keys_of_a_policy_with_their_values() -> None:
    policy = FORMS["rule file"][0]["schema"]["policy"]["schema"]

    assert [row[0][0] for row in table("`policy`")] == list(policy)
    for (name,), values, *_ in table("`policy`"):
        if "allowed" in policy[name]:
            assert values == list(policy[name]["allowed"])


def test_what_can_be_tolerated_under_which_names() -> None:
    rows = table("can be tolerated")
    details = {detail: reason for (reason,), found, *_ in rows for detail in found}
    names = {name: reason for (reason,), _, found, _ in rows for name in found if name != reason}

    assert {row[0][0] for row in rows} | details.keys() == set(TOLERABLE)
    assert details == PARENTS
    assert names == {name: PARENTS.get(reason, reason) for name, reason in IN_COVERAGE.items()}


def test_every_reason_is_explained() -> None:
    assert sorted(row[0][0] for row in table("reason")) == sorted(REASONS)


def test_what_is_never_tolerated_and_what_differs_by_class() -> None:
    assert f"Never tolerated: {' and '.join(f'`{reason}`' for reason in NEVER_TOLERATED)}" in PAGE
    assert f"{' and '.join(f'`{reason}`' for reason in BY_CLASS)} may differ by class" in PAGE


@pytest.mark.parametrize("metric", [*CITATION_METRICS, *COVERAGE_METRICS, *FLAGS])
def test_every_number_is_named(metric: str) -> None:
    assert f"`{metric}`" in PAGE
