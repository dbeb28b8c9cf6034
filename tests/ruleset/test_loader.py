"""Rule files as a whole: what is loaded of one, from where, and the language by example."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from openmed_rules.ruleset import model
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import (
    CaseInputs,
    InputFiles,
    load_rule_file,
    load_rule_mapping,
    load_rule_text,
)
from openmed_rules.ruleset.paths import parse_path
from openmed_rules.ruleset.problems import Mark, RuleFileError

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("OPENMED_RULES_SHARED", ROOT.parent / "shared")) / "language" / "cases.jsonl"

RULES = """\
version: 1
name: notes
claims: {records: $.claims}
citations: {records: refs, id: ref}
evidence: {in: evidence, records: $.facts, id: id}
"""


def path(text: str) -> model.Path:
    return parse_path(text)


def field(*texts: str, **more: Any) -> model.Field:
    return model.Field(tuple(map(path, texts)), **more)


def test_every_part_of_a_rule_set_is_what_the_file_says() -> None:
    rules = load_rule_text(
        """\
version: 1
name: notes
description: All of it.
reads_text: true
reports: [coverage]
inputs:
  summary: {cases: [$.a, $.b], join: ^.c, embedded_json: [d]}
  evidence: {join: [e, f]}
claims:
  records: "$.claims[*]"
  where: [{a: 1, b: {not: [x, null]}}, {c: [true, 0.5]}]
  id: "@"
  class: {path: [k, l], labels: [p, q]}
  merge: true
citations:
  - records: [r, {path: "s[*]", split: ","}, {path: t, find_all: '(.)', split: ";"}, {path: u, range: [v, w]}]
    id: [a, {path: [b, c], absent: [-1, ""]}, {path: d, capture: '(.)'}]
    kind: text
    claim: of
    in: evidence
    supports: false
    follow: [{records: $.hops, id: h, to: [i, j]}]
  - siblings: following
    kinds:
      text:
        where: {t: 1}
        id: {parts: [a, [b, c], {path: d, default: "-"}, {place: position, of: ^^, base: 1}]}
      page: {span: {pair: p}}
      rest: {where: {t: 2}, ignore: true}
      more:
        span:
          - {start: {path: s, default: 0}, end: e, closed: true}
          - {each: x, start: s, length: n, base: 1}
evidence:
  - {records: $.x, kind: text, id: {place: position, base: 1, among: records}, in: evidence}
  - records: $.y.*
    kind: page
    id: [{place: key}, {place: pointer}]
    span: {pair: p, absent: [-1], numbers: text}
  - {records: $.z, kind: more}
policy:
  malformed: ignore
  unavailable: count
  spans: inside
  per: case
  failed_cases: 12.5%
  tolerate: {unsupported_claim: {default: 5%, p: 2, q: any}, no_claims: any, invalid_citation: 0}
""".replace(
            "      page: {span: {pair: p}}\n      rest",
            "      page: {where: {t: 3}, span: {pair: p}}\n      rest",
        )
    ).rules

    assert (rules.version, rules.name, rules.description, rules.reads_text) == (
        1,
        "notes",
        "All of it.",
        True,
    )
    assert rules.reports == ("coverage",)
    assert rules.summary_input == model.InputRule((path("$.a"), path("$.b")), (field("^.c"),), (path("d"),))
    assert rules.evidence_input == model.InputRule(join=(field("e"), field("f")))
    assert rules.claims == (
        model.Claims(
            records=(model.Source(replace(path("$.claims[*]"), steps=path("$.claims").steps)),),
            where=(
                (model.Test(path("a"), (1,)), model.Test(path("b"), ("x", None), negated=True)),
                (model.Test(path("c"), (True, 0.5)),),
            ),
            id=(field("@"),),
            class_rule=model.ClassRule((field("k", "l"),), ("p", "q")),
            merge=True,
        ),
    )
    first, second = rules.citations
    assert first == model.Citations(
        records=(
            model.Source(path("r")),
            model.Source(replace(path("s[*]"), steps=path("s").steps), model.Split(",")),
            model.Source(path("t"), model.FindAll("(.)", ";")),
            model.Source(path("u"), model.Range(path("v"), path("w"))),
        ),
        input="evidence",
        id=(field("a"), field("b", "c", absent=(-1, "")), field("d", capture="(.)")),
        kind="text",
        claim=(field("of"),),
        follow=(model.Hop((model.Source(path("$.hops")),), (field("h"),), (field("i"), field("j"))),),
        supports=False,
    )
    assert (second.records, second.siblings, [kind.name for kind in second.kinds]) == (
        (),
        True,
        ["text", "page", "rest", "more"],
    )
    assert second.kinds[0].id == (
        model.Composite(
            (
                (field("a"),),
                (field("b"), field("c")),
                (field("d", default="-"),),
                (model.Place("position", base=1, climb=2),),
            )
        ),
    )
    assert second.kinds[2].ignore
    assert second.kinds[3].span == (
        model.SpanForm(start=(field("s", default=0),), end=(field("e"),), closed=True),
        model.SpanForm(each=(path("x"),), start=(field("s"),), length=(field("n"),), base=1),
    )
    assert [part.id for part in rules.evidence] == [
        (model.Place("position", base=1, among_records=True),),
        (model.Place("key"), model.Place("pointer")),
        (),
    ]
    assert rules.evidence[1].span == (model.SpanForm(pair=(field("p"),), absent=(-1,), text_numbers=True),)
    assert rules.policy == model.Policy(
        malformed="ignore",
        unavailable="count",
        spans="inside",
        failed_cases=model.Tolerance(parts=125, whole=1000),
        tolerate=(
            (
                "unsupported_claim",
                model.Tolerances(
                    model.Tolerance(parts=5, whole=100),
                    (("p", model.Tolerance(count=2)), ("q", model.Tolerance(any=True))),
                ),
            ),
            ("no_claims", model.Tolerances(model.Tolerance(any=True))),
            ("invalid_citation", model.Tolerances()),
        ),
    )
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(rules) == hash(pickle.loads(pickle.dumps(rules)))


def test_tests_are_loaded_with_their_inputs(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    text = RULES + (
        "tests:\n"
        "  - {name: one, summary: {a: [1, null]}, evidence: 2, expect: {reasons: [no_claims]}}\n"
        "  - name: many\n"
        "    cases: [{summary: 1, evidence: 2}, {summary: 3, evidence: null}]\n"
        "    expect: &e {passed: true}\n"
        "  - {name: files, file: {summary: a.json, evidence: data/b.json}, expect: *e}\n"
    )
    file.write_text(text, encoding="utf-8")
    one, many, files = load_rule_file(file).tests

    assert (one.name, one.mark, one.cases) == (
        "one",
        Mark(str(file), 7, 5),
        (CaseInputs({"a": [1, None]}, 2),),
    )
    assert (one.expect, many.expect) == ({"reasons": ["no_claims"]}, {"passed": True})
    assert many.cases == (CaseInputs(1, 2), CaseInputs(3, None))
    assert (files.files, files.cases) == (InputFiles(tmp_path / "a.json", tmp_path / "data/b.json"), ())


@pytest.mark.parametrize("name", builtin_names())
def test_a_built_in_layout_loads_by_its_name(name: str) -> None:
    file = load_rule_file(name)

    assert (file.name, file.rules.name) == (name, name)
    assert file.tests


def test_a_path_may_be_text_or_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("rules.yaml", "rules.yml", "rules"):
        Path(name).write_text(RULES, encoding="utf-8")

        assert load_rule_file(name).rules == load_rule_file(tmp_path / name).rules
        assert load_rule_file(name).name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody", "nobody: OMR-501: there is no built-in layout nobody"),
        ("openmed_citations", "did you mean openmed-citations?"),
        ("gone.yaml", "gone.yaml: OMR-502: there is no file of that name"),
        ("./", "./: OMR-503: that is no file"),
        ("a\0.yaml", "OMR-50"),
    ],
)
def test_a_rule_file_that_cannot_be_had(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuleFileError) as refused:
        load_rule_file(name)

    assert message in str(refused.value)


def test_a_file_that_is_too_long_is_not_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    with file.open("wb") as written:
        written.truncate(1 << 40)

    with pytest.raises(RuleFileError, match="OMR-103"):
        load_rule_file(file)


def test_the_digest_is_of_what_the_rules_say() -> None:
    digest = load_rule_text(RULES).rules.sha256
    reordered = "# other words\n" + "\n".join(reversed(RULES.splitlines()))
    tested = RULES + "tests: [{name: a, summary: 1, evidence: 2, expect: {passed: true}}]\n"

    assert len(digest) == 64
    assert load_rule_text(reordered).rules.sha256 == digest
    assert load_rule_text(tested).rules.sha256 == digest
    assert load_rule_text(RULES.replace("$.facts", "$.fact")).rules.sha256 != digest
    assert load_rule_text(RULES.replace("id: ref", "id: [ref]")).rules.sha256 != digest


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"x", object(), "\ud800"])
def test_a_mapping_holds_plain_values(value: object) -> None:
    with pytest.raises(RuleFileError, match="plain values"):
        load_rule_mapping({"version": 1, "name": value})


def test_a_mapping_is_not_changed_and_not_kept() -> None:
    mapping: dict[str, Any] = {
        "version": 1,
        "name": "a",
        "claims": {"records": "$.c"},
        "citations": {"records": "r"},
        "evidence": {"records": "$.e"},
    }
    before = json.dumps(mapping)
    rules = load_rule_mapping(mapping)
    mapping["claims"]["records"] = "$.d"

    assert json.dumps({**mapping, "claims": {"records": "$.c"}}) == before
    assert rules.claims[0].records[0].path.text == "$.c"


def test_problems_without_a_text_name_the_value() -> None:
    with pytest.raises(RuleFileError) as refused:
        load_rule_mapping({"version": 1, "name": "a", "claims": [{"records": "a|b"}], "citations": {"recods": "r"}})

    assert [str(problem).splitlines()[0] for problem in refused.value.problems] == [
        "rules: OMR-201: citations.recods: recods is no key of citations",
        "rules: OMR-202: evidence: evidence is missing",
        "rules: OMR-301: claims[0].records: the union | is not part of a path",
    ]


def test_an_error_can_be_sent_to_another_process() -> None:
    with pytest.raises(RuleFileError) as refused:
        load_rule_text("version: 2")

    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_what_yaml_refuses_is_told_once() -> None:
    with pytest.raises(RuleFileError) as refused:
        load_rule_text(RULES.replace("version: 1", "version: 01") + "reports: [all]\n")

    assert [problem.code for problem in refused.value.problems] == ["OMR-114", "OMR-205"]


@pytest.mark.skipif(not SHARED.exists(), reason="the whole of the examples is not on this machine")
def test_every_example_is_loaded_or_refused_as_it_should_be() -> None:
    """An evidence input that no collection reads (one example) is seen where there is an input only."""

    def is_refused(rule: dict[str, Any]) -> bool:
        try:
            load_rule_mapping(rule)
        except RuleFileError:
            return True
        return False

    examples = [json.loads(line) for line in SHARED.read_text(encoding="utf-8").splitlines()]
    wrong = [
        example["case"]
        for example in examples
        if is_refused(example["rule"])
        != (example["expected"]["exit"] == 2 and "that no collection reads" not in example["expected"]["why"])
    ]

    assert wrong == []
