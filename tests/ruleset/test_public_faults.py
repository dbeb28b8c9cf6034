"""What went wrong in public for others who read YAML, JSONPath and schemas: refused here, or read right."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from jsonpath_ng import jsonpath

from openmed_rules.ruleset.loader import load_rule_mapping, load_rule_text
from openmed_rules.ruleset.model import Items, Key
from openmed_rules.ruleset.paths import parse_path
from openmed_rules.ruleset.problems import Problem, RuleFileError

RULES = """\
version: 1
name: notes
claims: {records: $.claims}
citations: {records: citations}
evidence: {records: $.evidence, id: id}
"""


def problems_of(text: str) -> tuple[Problem, ...]:
    with pytest.raises(RuleFileError) as refused:
        load_rule_text(text, "r.yaml")
    return refused.value.problems


def with_path(path: str) -> dict[str, Any]:
    """Rules whose evidence stands at ``path``."""
    return {
        "version": 1,
        "name": "notes",
        "claims": {"records": "$.claims"},
        "citations": {"records": "citations"},
        "evidence": {"records": path, "id": "id"},
    }


@pytest.mark.parametrize(
    ("says", "text", "code", "line"),
    [
        (
            "no and on are keys that become booleans",
            "rules:\n  no: {claims: a}\n  on: {claims: b}\n",
            "OMR-114",
            2,
        ),
        ("n is a text, and a text is true", RULES + "reads_text: n\n", "OMR-203", 6),
        ("a time becomes a number of seconds", RULES + "description: 12:30:45\n", "OMR-114", 6),
        ("010 is 8, 08 a text, 1_000 a number", RULES + "reports: [010, 08, 0o17, 1_000]\n", "OMR-114", 6),
        (
            "an override of a merge key looks like a key that stands twice",
            "a: &b {c: true}\nd:\n  <<: *b\n  c: false\n",
            "OMR-111",
            3,
        ),
        (
            "a date becomes an object of its own",
            RULES.replace("version: 1", "version: 2024-01-15"),
            "OMR-114",
            1,
        ),
        ("a tag raises whatever it likes", RULES + "reads_text: !!bool maybe\n", "OMR-108", 6),
        ("a tag of an empty text raises, too", RULES + "reads_text: !!int ''\n", "OMR-108", 6),
        (
            "a tab is an error for one loader and none for another",
            RULES + "reads_text:\ttrue\n",
            "OMR-101",
            6,
        ),
        ("a list that holds itself", "&a [*a]", "OMR-110", 1),
        ("a tag runs a command", "x: !!python/object/apply:os.system ['true']\n", "OMR-108", 1),
        ("of two documents one is ignored", RULES + "---\n" + RULES, "OMR-106", 6),
        ("a document that is only begun", RULES + "---\n", "OMR-106", 6),
        ("a file without rules passes everything", "# todo\n", "OMR-105", 1),
        ("a file that says nothing passes everything", "~\n", "OMR-105", 1),
        ("thousands of brackets end the recursion", "[" * 2000 + "]" * 2000, "OMR-107", 1),
        ("a comment cuts a path short", RULES.replace("$.evidence,", "$.evidence #main\n ,"), "OMR-115", 5),
        ("an anchor stands for a value", RULES + "description: &c\n", "OMR-110", 6),
        ("a path that begins with a star is an alias", RULES + "description: *.id\n", "OMR-101", 6),
        ("half a character breaks the report later", RULES + 'description: "\\ud83d"\n', "OMR-104", 6),
        ("a character beyond the last overflows", RULES + 'description: "\\UFFFFFFFF"\n', "OMR-101", 6),
        ("9e-1 is a text", RULES + "policy: {failed_cases: 9e-1}\n", "OMR-114", 6),
        ("a number that is none is below no limit", RULES + "policy: {failed_cases: .nan}\n", "OMR-114", 6),
        ("a misspelt key turns strictness off", RULES + "policies: {strct: true}\n", "OMR-201", 6),
        ("a misspelt key deeper down", RULES + "policy: {strct: true}\n", "OMR-201", 6),
        ("a text where a mapping is meant", RULES.replace("{records: $.claims}", "oops"), "OMR-203", 3),
        ("nothing where a span is meant", RULES.replace("id: id", "span: null"), "OMR-203", 5),
        (
            "a text where a number is meant",
            RULES.replace("id: id", "span: {pair: p, base: '12'}"),
            "OMR-203",
            5,
        ),
        (
            "a fraction where a number is meant",
            RULES.replace("id: id", "span: {pair: p, base: 12.9}"),
            "OMR-203",
            5,
        ),
        (
            "true where a number is meant",
            RULES.replace("id: id", "span: {pair: p, base: true}"),
            "OMR-203",
            5,
        ),
        ("a mapping among words cannot be hashed", RULES + "reports: [{k: 1}]\n", "OMR-203", 6),
        ("keys of several types cannot be sorted", "true: 1\na: 2\n~: 3\n", "OMR-112", 1),
        ("a line end at the end of a name", RULES.replace("name: notes", 'name: "notes\\n"'), "OMR-204", 2),
        (
            "a pattern of which only one side is anchored",
            RULES + "policy: {failed_cases: '5%x'}\n",
            "OMR-206",
            6,
        ),
    ],
)
def test_a_rule_file_is_refused(says: str, text: str, code: str, line: int) -> None:
    problems = problems_of(text)

    assert (code, line) in [(problem.code, problem.mark.line) for problem in problems], says


def test_a_file_of_aliases_that_multiply_is_refused_at_once() -> None:
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
    bomb += "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))

    assert [problem.code for problem in problems_of(bomb)] == ["OMR-107"]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("$.org/evidence[*]", "names are separated by dots: a.b"),
        ("$.source docs[*]", "goes in quotes"),
        ("$.証拠[*]", "goes in quotes"),
        ("$.é", "goes in quotes"),
        ("$.😀", "goes in quotes"),
        ("$.a.evidence[*] | $.b.evidence[*]", "a list of paths"),
        ("$.evidence[?(@.rank > 5)]", "`where`"),
        ("$.evidence[?(@.id =~ '(a+)+$')]", "`where`"),
        ("$.evidence[/id]", "dots"),
        ("$.evidence[?(@.status != 'void')]", "`where: {field: {not: ...}}`"),
        ("$.a.$.b", ""),
        ("$.evidence.`parent`", ""),
    ],
)
def test_a_path_is_refused_with_what_to_write(path: str, hint: str) -> None:
    with pytest.raises(RuleFileError) as refused:
        load_rule_mapping(with_path(path))
    (problem,) = refused.value.problems

    assert problem.code == "OMR-301"
    assert problem.message.startswith("evidence.records: ")
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("source-refs[*]", ["source-refs"]),
        ("$['source docs'][*]", ["source docs"]),
        ("$['証拠'][*]", ["証拠"]),
        ("@.id", ["id"]),
    ],
)
def test_a_path_is_read(path: str, names: list[str]) -> None:
    steps = parse_path(path).steps

    assert [step.name for step in steps if isinstance(step, Key)] == names
    assert all(isinstance(step, Key | Items) for step in steps)


def test_a_switch_of_the_library_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    before = load_rule_mapping(with_path("$.evidence['x']"))
    monkeypatch.setattr(jsonpath, "auto_id_field", "id")
    parse_path.cache_clear()

    assert load_rule_mapping(with_path("$.evidence['x']")) == before


def test_a_path_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    path = "$.a['parsed once']"
    first = parse_path(path)
    monkeypatch.setattr("openmed_rules.ruleset.paths._library_steps", None)

    assert parse_path(path) is first


def test_two_rule_files_share_nothing() -> None:
    first = load_rule_mapping(with_path("$.a"))
    second = load_rule_mapping({**with_path("$.b"), "policy": {"tolerate": {"no_claims": "any"}}})

    assert first.policy != second.policy
    assert load_rule_mapping(with_path("$.a")) == first


def test_a_mapping_nested_too_deep_is_refused() -> None:
    nested: dict[str, Any] = {}
    for _ in range(sys.getrecursionlimit() + 100):
        nested = {"child": nested}

    with pytest.raises(RuleFileError):
        load_rule_mapping({**with_path("$.a"), "description": nested})
