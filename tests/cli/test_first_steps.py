"""The likeliest mistakes in a rule file, from a blank file on: each message has its place and its remedy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run

GOLDEN = Path(__file__).parents[1] / "golden" / "first_steps.txt"
START = """\
version: 1
name: notes
claims:
  records: $.claims
citations:
  records: citations
  id: fact
evidence:
  records: $.facts
  id: id
"""
MISTAKES = {
    "a blank file": "",
    "a version that is forgotten": START.replace("version: 1\n", ""),
    "a section that is misspelt": START.replace("evidence:", "evidences:"),
    "a word of another tool": START.replace("  id: fact", "  id: fact\n  filter: {type: fact}"),
    "a path without quotes in braces": START.replace("claims:\n  records: $.claims", "claims: {records: $.a[*].b}"),
    "@ without quotes": START.replace("id: fact", "id: @"),
    "* at the beginning": START.replace("records: $.facts", "records: *.facts"),
    "a tab": START.replace("  id: id", "\tid: id"),
    "no space after the colon": START.replace("claims:\n  records: $.claims", "claims:\n  records:$.claims"),
    "a key that is not indented": START.replace("  id: fact\n", "id: fact\n"),
    "a quote that is not closed": START.replace("id: fact", "id: 'fact"),
    "yes for true": START.replace("  id: id", "  id: id\n  merge: yes"),
    "a fraction for a percentage": START + "policy:\n  tolerate:\n    unsupported_claim: 0.05\n",
    "a reason that is misspelt": START + "policy:\n  tolerate:\n    omited_source_fact: 5%\n",
    "a filter with one =": START.replace("$.facts", "$.facts[?(@.kind = 'a')].list"),
    "the other names of offsets": START.replace("  id: fact", "  span: {begin: b, stop: e}"),
    "a span that is half": START.replace("  id: fact", "  span: {start: b}"),
    "within on one side": START.replace("id: fact", "span: {within: n, start: b, end: e}").replace(
        "id: id", "span: {start: b, end: e}"
    ),
    "a pattern without a group": START.replace("id: fact", "id: {path: fact, capture: '[a-z]+'}"),
    "a test that expects nothing": START + "tests:\n  - name: one\n    summary: {}\n    expect: {}\n",
    "a layout that is misspelt": "extends: healthscrib\nname: ours\n",
    "evidence that is the citations": START.replace("$.facts", "$.claims[*].citations").replace("id: id", "id: fact"),
    "no tests": START,
    "a star at the end": START.replace("$.facts", "$.facts[*]"),
}


def told(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What ``validate --strict`` says of each mistake."""
    said = []
    for name, text in MISTAKES.items():
        (folder / "rules.yaml").write_text(text, encoding="utf-8")
        code = run(["validate", "--strict", "rules.yaml"])
        assert code == 2, name
        said.append(f"# {name}\n{capsys.readouterr().out}")
    return "\n".join(said)


def test_every_message_has_its_place_and_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = told(tmp_path, capsys)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(said, encoding="utf-8")

    assert said == GOLDEN.read_text(encoding="utf-8")


def test_there_are_twenty_of_them_and_no_message_is_without_a_place_or_help() -> None:
    parts = GOLDEN.read_text(encoding="utf-8").split("# ")[1:]
    assert len(parts) == len(MISTAKES) >= 20
    for part in parts:
        name, _, said = part.partition("\n")
        assert "rules.yaml:" in said, name
        assert "hint: " in said or "expected: " in said, name
