"""``validate`` and ``test``, ``list`` and ``show``: what they tell of rule files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run
from openmed_rules.ruleset.files import builtin_names, find_builtin
from samples import FAILING, PASSING, RULES

TESTED = f"""{RULES}
tests:
  - {{name: a known fact, summary: {json.dumps(PASSING)}, expect: {{passed: true}}}}
  - {{name: an unknown fact, summary: {json.dumps(FAILING)}, expect: {{passed: false}}}}
"""
FILES = {
    "good.yaml": TESTED,
    "untested.yaml": RULES,
    "wrong.yaml": RULES.replace("claims:", "clams:").replace("id: fact", "id: [fact"),
    "failing.yaml": TESTED.replace("{passed: true}", "{passed: false, citations: {claim_count: 2}}"),
    "vacuous.yaml": TESTED.replace(json.dumps(FAILING), json.dumps(PASSING)),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ("good.yaml", 0),
        ("good.yaml untested.yaml healthscribe", 0),
        ("wrong.yaml", 2),
        ("good.yaml wrong.yaml untested.yaml", 2),
        ("missing.yaml", 2),
        ("no-such-layout", 2),
    ],
)
def test_validate_tells_whether_every_file_can_be_used(
    names: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", *names.split()]) == code

    shown = capsys.readouterr()
    assert shown.err == ""
    assert all(name in shown.out for name in names.split())


def test_validate_shows_the_place_and_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.yaml").write_text(RULES.replace("claims:", "clams:"), encoding="utf-8")
    run(["validate", "wrong.yaml"])

    shown = capsys.readouterr().out
    assert "wrong.yaml:3:1: OMR-" in shown
    assert "    clams: {records: $.claims, id: id}\n    ^^^^^\n" in shown


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ("good.yaml", 0),
        ("failing.yaml", 1),
        ("failing.yaml good.yaml", 1),
        ("untested.yaml", 2),
        ("vacuous.yaml", 2),
        ("wrong.yaml", 2),
        ("failing.yaml untested.yaml good.yaml", 2),
        ("missing.yaml", 2),
    ],
)
def test_test_tells_whether_the_tests_pass_and_prove_something(
    names: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["test", *names.split()]) == code
    assert capsys.readouterr().err == ""


def test_test_shows_what_was_expected_and_got(capsys: pytest.CaptureFixture[str]) -> None:
    run(["test", "good.yaml", "failing.yaml", "untested.yaml", "vacuous.yaml"])

    assert (
        capsys.readouterr().out
        == """\
good.yaml: 2 of 2 tests passed
  ok  a known fact
  ok  an unknown fact
failing.yaml: 1 of 2 tests passed
  FAILED  a known fact
    passed: expected false, got true
    citations.claim_count: expected 2, got 1
  ok  an unknown fact
untested.yaml: 0 of 0 tests passed
  REFUSED: there are no tests
vacuous.yaml: 1 of 2 tests passed
  ok  a known fact
  FAILED  an unknown fact
    passed: expected false, got true
  REFUSED: none of the tests fails the gate, so a gate that lets everything through would pass them all
"""
    )


@pytest.mark.parametrize("name", builtin_names())
def test_every_built_in_layout_passes_its_own_tests(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", name]) == 0, capsys.readouterr().out


def test_list_names_every_built_in_layout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(builtin_names())


@pytest.mark.parametrize("name", builtin_names())
def test_show_gives_the_file_as_it_stands(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", name]) == 0
    assert capsys.readouterr().out == find_builtin(name).read_text(encoding="utf-8")


def test_show_knows_near_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "healthscrib"]) == 2
    assert "did you mean healthscribe?" in capsys.readouterr().err
