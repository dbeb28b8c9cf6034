"""Layers: what a rule file inherits, what it removes, and which files it may stand on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from openmed_rules.ruleset.bounds import MAX_CHAIN
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import RuleFile, load_rule_file, load_rule_mapping, load_rule_text
from openmed_rules.ruleset.problems import Mark, RuleFileError

BASE = """\
version: 1
name: base
description: Everything that a layer can stand on.
inputs: {summary: {cases: $.base, embedded_json: [a, b]}}
claims: {records: $.claims, id: id, class: {path: kind, labels: [x, y]}}
citations: {records: refs, id: [a, b], span: {start: s, end: e}, where: {t: 1, u: 2}}
evidence: {records: $.facts, id: id, span: {start: s, end: e}}
reports: [citations]
policy:
  malformed: ignore
  tolerate: {unsupported_claim: {default: 1, x: 2}, no_claims: any}
tests: [{name: of the base, summary: {}, expect: {passed: true}}]
"""


def write(folder: Path, **texts: str) -> Path:
    """The files ``name.yaml`` of a folder; the first of them."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder / f"{next(iter(texts))}.yaml"


def layered(folder: Path, text: str) -> RuleFile:
    return load_rule_file(write(folder, top=f"extends: base.yaml\n{text}", base=BASE))


def problems_of(file: Path, **options: Any) -> list[str]:
    with pytest.raises(RuleFileError) as refused:
        load_rule_file(file, **options)
    return [f"{problem.code} {problem.message}" for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        # merged key by key
        ("name: top", "name", "top"),
        ("{}", "name", "base"),
        (
            "inputs: {summary: {cases: $.top}}",
            "inputs",
            {"summary": {"cases": "$.top", "embedded_json": ["a", "b"]}},
        ),
        (
            "claims: {merge: true}",
            "claims",
            {
                "records": "$.claims",
                "id": "id",
                "class": {"path": "kind", "labels": ["x", "y"]},
                "merge": True,
            },
        ),
        (
            "policy: {spans: inside, tolerate: {invalid_citation: 1}}",
            "policy",
            {
                "malformed": "ignore",
                "tolerate": {
                    "unsupported_claim": {"default": 1, "x": 2},
                    "no_claims": "any",
                    "invalid_citation": 1,
                },
                "spans": "inside",
            },
        ),
        # replaced whole: a locator, where, records, lists, and what goes by class
        (
            "citations: {where: {t: 3}}",
            "citations",
            {"records": "refs", "id": ["a", "b"], "span": {"start": "s", "end": "e"}, "where": {"t": 3}},
        ),
        (
            "citations: {id: c}",
            "citations",
            {"records": "refs", "id": "c", "span": {"start": "s", "end": "e"}, "where": {"t": 1, "u": 2}},
        ),
        (
            "citations: {span: {pair: p}}",
            "citations",
            {"records": "refs", "id": ["a", "b"], "span": {"pair": "p"}, "where": {"t": 1, "u": 2}},
        ),
        ("reports: [coverage]", "reports", ["coverage"]),
        ("evidence: [{records: $.more}]", "evidence", [{"records": "$.more"}]),
        (
            "policy: {tolerate: {unsupported_claim: {y: 3}}}",
            "policy",
            {"malformed": "ignore", "tolerate": {"unsupported_claim": {"y": 3}, "no_claims": "any"}},
        ),
        # null removes
        ("evidence: {span: null}", "evidence", {"records": "$.facts", "id": "id"}),
        (
            "policy: {malformed: null, tolerate: {no_claims: null}}",
            "policy",
            {"tolerate": {"unsupported_claim": {"default": 1, "x": 2}}},
        ),
        ("reports: null", "reports", None),
        ("policy: null", "policy", None),
        # not inherited
        ("{}", "tests", None),
        ("{}", "extends", None),
    ],
)
def test_a_layer_over_its_base(text: str, key: str, value: object, tmp_path: Path) -> None:
    said = "" if text == "{}" else text

    assert layered(tmp_path, said).data.get(key) == value


def test_null_removes_only_what_is_there(tmp_path: Path) -> None:
    file = write(tmp_path, top="extends: base.yaml\nevidence: {where: null}\n", base=BASE)

    assert problems_of(file) == ["OMR-203 nothing stands here"]


def test_every_value_keeps_the_place_in_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, top="extends: base.yaml\npolicy:\n  tolerate: {invalid_citation: 1}\n", base=BASE)
    monkeypatch.chdir(tmp_path)
    spots = load_rule_file("top.yaml").marks.spots

    assert spots["policy", "tolerate", "invalid_citation"].value.mark == Mark("top.yaml", 3, 32)
    assert spots["policy", "tolerate", "no_claims"].value.mark == Mark("base.yaml", 11, 64)
    assert spots["citations", "id", 1].value.mark == Mark("base.yaml", 6, 36)
    assert ("tests",) not in spots


def test_what_is_wrong_in_a_base_is_told_in_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        tmp_path,
        top="extends: base.yaml\nreports: [all]\n",
        base=BASE.replace("records: refs", "records: a|b"),
    )
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuleFileError) as refused:
        load_rule_file("top.yaml")

    assert [problem.mark for problem in refused.value.problems] == [
        Mark("base.yaml", 6, 23),
        Mark("top.yaml", 2, 11),
    ]
    assert refused.value.problems[0].source.startswith("citations:")


def test_of_a_list_the_later_stands_on_top(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        top="extends: [base.yaml, strict.yaml, names.yaml]\n",
        base=BASE,
        strict="policy: {malformed: invalid, tolerate: {no_claims: null}}\n",
        names="name: names\npolicy: {malformed: ignore}\n",
    )
    data = load_rule_file(file).data

    assert data["name"] == "names"
    assert data["policy"] == {
        "malformed": "ignore",
        "tolerate": {"unsupported_claim": {"default": 1, "x": 2}},
    }


def test_a_path_is_taken_from_the_file_that_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "team", top="extends: ../policies/strict.yaml\nname: top\n")
    write(tmp_path / "policies", strict="extends: ../base.yaml\npolicy: {malformed: invalid}\n")
    write(tmp_path, base=BASE)
    (tmp_path / "openmed-rules.yaml").touch()
    monkeypatch.chdir(tmp_path / "policies")
    file = load_rule_file(tmp_path / "team" / "top.yaml")

    assert file.rules.policy.malformed == "invalid"
    assert file.rules.claims[0].id


def test_one_base_may_be_met_twice(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        top="extends: [a.yaml, b.yaml]\n",
        a="extends: base.yaml\n",
        b="extends: base.yaml\n",
        base=BASE,
    )

    assert load_rule_file(file).rules.name == "base"


def test_a_built_in_layout_is_found_by_its_name() -> None:
    text = "extends: openmed-citations\nname: ours\npolicy: {unavailable: abstain}\n"
    rules = load_rule_text(text).rules

    assert (rules.name, rules.policy.unavailable, rules.policy.malformed) == ("ours", "abstain", "ignore")
    assert load_rule_mapping({"extends": "openmed-citations", "name": "ours"}).citations == rules.citations
    assert "openmed-coverage" in builtin_names()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"top": "extends: top.yaml"}, "OMR-505 extends goes round in a circle: top.yaml > top.yaml"),
        (
            {"top": "extends: a.yaml", "a": "extends: b.yaml", "b": "extends: [a.yaml]"},
            "OMR-505 extends goes round in a circle: top.yaml > a.yaml > b.yaml > a.yaml",
        ),
        ({"top": "extends: gone.yaml"}, "OMR-502 there is no file of that name"),
        ({"top": "extends: nobody"}, "OMR-501 there is no built-in layout nobody"),
        ({"top": "extends: 7"}, "OMR-203 extends takes the name of a layout, a path, or a list of these"),
        ({"top": "extends: [[a]]"}, "OMR-203 extends takes the name of a layout, a path, or a list of these"),
        (
            {"top": "extends: https://rules.example/a.yaml"},
            "OMR-503 extends reads files, and no address of a network",
        ),
        ({"top": 'extends: "a\\0.yaml"'}, "OMR-503 that path leads nowhere"),
        ({"top": "extends: ./"}, "OMR-503"),
        ({"top": "extends: a.yaml", "a": "- b"}, "OMR-507 a.yaml is no mapping"),
        ({"top": "extends: a.yaml", "a": ""}, "OMR-105 the rule file is empty"),
        ({"top": "extends: a.yaml", "a": "claims: @c"}, "OMR-101 a value cannot begin with @"),
    ],
)
def test_a_layer_that_cannot_be_had(
    texts: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, **texts)
    monkeypatch.chdir(tmp_path)
    (problem,) = problems_of(Path("top.yaml"))

    assert problem.startswith(message)


def test_the_version_of_each_layer_is_checked(tmp_path: Path) -> None:
    file = write(tmp_path, top="version: 1\nextends: base.yaml\n", base=BASE.replace("version: 1", "version: 2"))

    assert problems_of(file) == ["OMR-208 version 2 is not known"]


def test_a_chain_has_an_end(tmp_path: Path) -> None:
    length = MAX_CHAIN + 1
    chain = {f"a{n}": f"extends: a{n + 1}.yaml" for n in range(length)} | {f"a{length}": BASE}
    longest = write(tmp_path, **chain)

    assert [problem[:7] for problem in problems_of(longest)] == ["OMR-506"]
    assert load_rule_file(tmp_path / "a1.yaml").rules.name == "base"


def test_layers_do_not_multiply(tmp_path: Path) -> None:
    doubled = {f"a{n}": f"extends: [a{n + 1}.yaml, a{n + 1}.yaml]" for n in range(10)} | {"a10": BASE}

    assert {problem[:7] for problem in problems_of(write(tmp_path, **doubled))} == {"OMR-506"}


@pytest.mark.parametrize("marker", ["openmed-rules.yaml", ".git"])
def test_extends_stays_inside_the_root(marker: str, tmp_path: Path) -> None:
    write(tmp_path, base=BASE)
    file = write(tmp_path / "repository", top="extends: ../base.yaml")
    assert problems_of(file) == ["OMR-504 ../base.yaml stands outside of the root"]

    (tmp_path / marker).touch()
    assert load_rule_file(file).rules.name == "base"

    (tmp_path / "repository" / marker).touch()
    assert problems_of(file) == ["OMR-504 ../base.yaml stands outside of the root"]
    assert load_rule_file(file, root=tmp_path).rules.name == "base"
    assert load_rule_file(file, root=str(tmp_path)).rules.name == "base"


def test_a_whole_path_leads_no_further(tmp_path: Path) -> None:
    base = write(tmp_path / "other", base=BASE)
    inside = write(tmp_path / "repository", base=BASE)

    assert load_rule_file(write(tmp_path / "repository", top=f"extends: {inside}")).rules.name == "base"
    file = write(tmp_path / "repository", top=f"extends: {base}")
    assert problems_of(file) == [f"OMR-504 {base} stands outside of the root"]


def test_a_link_does_not_lead_out_of_the_root(tmp_path: Path) -> None:
    write(tmp_path, base=BASE)
    file = write(tmp_path / "repository", top="extends: link.yaml")
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "repository" / "link.yaml").symlink_to(tmp_path / "base.yaml")

    assert problems_of(file) == ["OMR-504 link.yaml stands outside of the root"]


def test_links_in_a_circle_lead_nowhere(tmp_path: Path) -> None:
    file = write(tmp_path, top="extends: a.yaml")
    (tmp_path / "a.yaml").symlink_to(tmp_path / "b.yaml")
    (tmp_path / "b.yaml").symlink_to(tmp_path / "a.yaml")

    assert [problem[:7] for problem in problems_of(file)] == ["OMR-503"]


def test_a_text_extends_no_path() -> None:
    with pytest.raises(RuleFileError, match="OMR-503"):
        load_rule_text("extends: base.yaml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_layer_is_a_file(tmp_path: Path) -> None:
    file = write(tmp_path, top="extends: a.yaml")
    os.mkfifo(tmp_path / "a.yaml")

    assert problems_of(file) == ["OMR-503 that is no file"]
