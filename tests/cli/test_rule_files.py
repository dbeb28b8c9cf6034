"""``validate`` and ``test``, ``list`` and ``show``: what they tell of rule files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from openmed_rules.cli.boundary import run
from openmed_rules.ruleset.files import builtin_names, find_builtin
from openmed_rules.ruleset.loader import load_rule_file, load_rule_text
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
  given by no test: unsupported_claim, omitted_source_fact
failing.yaml: 1 of 2 tests passed
  FAILED  a known fact
    passed: expected false, got true
    citations.claim_count: expected 2, got 1
  ok  an unknown fact
  given by no test: unsupported_claim, omitted_source_fact
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


# --- test: a part of the tests, what they leave open, and where the result goes ----------------


@pytest.mark.parametrize(
    ("word", "code", "told"),
    [
        ("unknown", 0, "good.yaml: 1 of 1 tests passed\n  ok  an unknown fact\n"),
        ("A KNOWN", 0, "good.yaml: 1 of 1 tests passed\n  ok  a known fact\n"),
        (
            "other",
            2,
            "good.yaml: 0 of 0 tests passed\n  REFUSED: no test has other in its name\n",
        ),
    ],
)
def test_only_tests_with_a_word_in_their_name(
    word: str, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["test", "-k", word, "good.yaml"]) == code
    assert capsys.readouterr().out == told


def test_what_no_test_reaches_is_told_and_may_be_refused(capsys: pytest.CaptureFixture[str]) -> None:
    text = TESTED.replace("id: fact", "id: [fact, other]") + "policy: {tolerate: {duplicate_citation: 2}}\n"
    Path("partly.yaml").write_text(text, encoding="utf-8")

    assert run(["test", "partly.yaml"]) == 0
    told = capsys.readouterr().out
    assert "  found nothing in any test:\n    citations.id[1]\n" in told
    assert "  given by no test: duplicate_citation, unsupported_claim, omitted_source_fact\n" in told
    assert run(["test", "--require-tests", "partly.yaml"]) == 2
    assert "  REFUSED: no test reaches what is named below\n" in capsys.readouterr().out
    assert run(["test", "--require-tests", "good.yaml"]) == 0


DROP_IN = {"openmed-citations", "openmed-coverage"}
"""Their many aliases are those of another package, and held by its own conformance lines."""


@pytest.mark.parametrize("name", [name for name in builtin_names() if name not in DROP_IN])
def test_the_tests_of_every_built_in_layout_reach_all_of_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", "--require-tests", name]) == 0, capsys.readouterr().out


def test_the_result_of_tests_as_junit(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", "--junit", "result.xml", "good.yaml", "failing.yaml", "vacuous.yaml", "untested.yaml"]) == 2

    whole = ET.parse("result.xml").getroot()
    assert (whole.get("tests"), whole.get("failures")) == ("8", "4")
    assert [suite.get("name") for suite in whole] == ["good.yaml", "failing.yaml", "vacuous.yaml", "untested.yaml"]
    failed = [(case.get("name"), case[0].get("message")) for suite in whole for case in suite if len(case)]
    assert failed[0] == ("a known fact", "passed: expected false, got true")
    assert whole[1][0][0].text == "citations.claim_count: expected 2, got 1"
    assert failed[-1] == ("the tests prove something", "there are no tests")
    assert "2 of 2 tests passed" in capsys.readouterr().out


def test_mutants_are_part_of_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", "--mutate", "--junit", "result.xml", "good.yaml"]) in {0, 1}
    assert re.match(r"good\.yaml: 2 of 2 tests passed, \d+ of \d+ mutants noticed\n", capsys.readouterr().out)


# --- show: a rule file as it takes effect -----------------------------------------------------

LAYER = "extends: healthscribe\nname: ours\npolicy:\n  tolerate: {duplicate_citation: 2}\n"


def shown(*options: str, capsys: pytest.CaptureFixture[str]) -> str:
    Path("layer.yaml").write_text(LAYER, encoding="utf-8")
    assert run(["show", "layer.yaml", *options]) == 0
    return capsys.readouterr().out


def test_show_gives_a_file_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys=capsys) == LAYER


@pytest.mark.parametrize("name", builtin_names())
def test_what_takes_effect_is_the_same_rule_set(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", name, "--effective"]) == 0
    said = capsys.readouterr().out
    assert load_rule_text(said).rules.sha256 == load_rule_file(name).rules.sha256
    assert "tests:" not in said


def test_show_origin_names_the_file_and_the_line_of_each_value(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in shown("--origin", capsys=capsys).splitlines()]
    origin = {name: (place, value) for name, place, value, *_ in lines}

    assert origin["name"] == ("layer.yaml:2", "ours")
    assert origin["policy.tolerate.duplicate_citation"] == ("layer.yaml:4", "2")
    place, value = origin["citations.id"]
    file, _, line = place.partition(":")
    assert (file, value) == ("healthscribe", "SegmentId")
    assert "SegmentId" in find_builtin(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


@pytest.mark.parametrize(
    ("said", "way"),
    [
        (RULES, "the fast way\n"),
        (RULES.replace("$.facts, id: id", "$.facts, id: id, merge: true"), "the fast way\n"),
        (
            RULES.replace("$.facts", "$..facts"),
            (
                "the general way: the fast way does not take a step of evidence.records that is no name"
                " and no [*] after one\n"
            ),
        ),
        (
            RULES.replace("$.claims, id: id", "$.claims, where: {citations: x}"),
            "the general way: the fast way does not take citations read in two ways\n",
        ),
    ],
)
def test_show_plan_tells_which_way_it_runs(said: str, way: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rules.yaml").write_text(said, encoding="utf-8")
    assert run(["show", "--plan", "rules.yaml"]) == 0
    assert capsys.readouterr().out == way


@pytest.mark.parametrize("options", [[], ["--effective"], ["--origin"], ["--plan"]])
def test_show_of_what_is_not_there(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "none.yaml", *options]) == 2
    assert "OMR-502" in capsys.readouterr().err
