"""The catalogue of diagnostics: every code is documented and can be reached, and the page is what the table says."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import openmed_rules
from openmed_rules.authoring.diagnoses import DIAGNOSES
from openmed_rules.authoring.diagnostics import explained, page, whole_file
from openmed_rules.authoring.lint import lint
from openmed_rules.cli.boundary import run
from openmed_rules.errors import CODES
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.ruleset.problems import RuleFileError

PAGE = Path(__file__).parents[2] / "docs" / "diagnostics.md"
PACKAGE = Path(openmed_rules.__file__).parent
EXAMPLES = [code for code, found in DIAGNOSES.items() if not found.example.startswith("$")]
BYTES = {
    "OMR-102": b"version: 1\nname: caf\xe9",
    "OMR-103": b"#" * 1_000_001,
    "OMR-105": b"# nothing",
}
"""Rule files whose example is a command, since no text could show them."""


def told(folder: Path, content: bytes) -> set[str]:
    """The codes of what is wrong with a rule file in a folder with others."""
    rules = folder / "inner" / "rules.yaml"
    rules.parent.mkdir()
    rules.write_bytes(content)
    rules.with_name("list.yaml").write_text("- a\n", encoding="utf-8")
    for number in range(20):
        layer = rules.with_name("one-of-twenty.yaml" if not number else f"{number}.yaml")
        layer.write_text(f"extends: ./{number + 1}.yaml\n", encoding="utf-8")
    try:
        return {problem.code for problem in lint(load_rule_file(rules, root=rules.parent))}
    except RuleFileError as error:
        return {problem.code for problem in error.problems}


def test_every_code_is_documented() -> None:
    assert sorted(DIAGNOSES) == sorted(CODES)
    assert all(found.remedy.endswith(".") for found in DIAGNOSES.values())


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_gives_its_code(code: str, tmp_path: Path) -> None:
    assert code in told(tmp_path, whole_file(DIAGNOSES[code].example).encode())


@pytest.mark.parametrize("code", BYTES)
def test_what_no_example_can_show_gives_its_code(code: str, tmp_path: Path) -> None:
    assert told(tmp_path, BYTES[code]) == {code}


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_given_somewhere(code: str) -> None:
    sources = (file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py") if file.parent.name != "diagnoses")
    assert sum(source.count(f'"{code}"') for source in sources) > 1  # beside the table of codes


def test_the_page_is_what_the_table_says() -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(page(), encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == page(), "UPDATE_GOLDEN=1 writes it"


def test_the_page_has_every_code_once() -> None:
    assert re.findall(r"^### (OMR-\d+)$", page(), re.MULTILINE) == sorted(CODES)


@pytest.mark.parametrize("code", CODES)
def test_the_command_tells_the_same(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain-code", code.lower()]) == 0

    shown = capsys.readouterr().out
    assert shown == explained(code)
    assert CODES[code] in shown
    assert DIAGNOSES[code].remedy in shown
