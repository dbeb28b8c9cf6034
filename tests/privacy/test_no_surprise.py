"""Nothing talks to a network, no program is started, and no code of a rule file or a record is ever run."""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import watched
from canaries import MARK
from openmed_rules.judging.batch import _plan_of, judge_batch
from openmed_rules.judging.documents import JsonText
from openmed_rules.results.places import Place
from openmed_rules.ruleset.loader import load_rule_mapping, load_rule_text
from openmed_rules.ruleset.problems import RuleFileError
from surprises import surprises

# --- the watch itself -----------------------------------------------------------------------------

MISDEEDS: dict[str, Callable[[], object]] = {
    "open": lambda: Path("unnamed.json").write_text("", encoding="utf-8"),
    "os.remove": lambda: Path("gone").unlink(missing_ok=True),
    "os.mkdir": lambda: Path("new").mkdir(),
    "os.scandir": lambda: os.scandir("/").close(),
    "subprocess.Popen": lambda: subprocess.run([sys.executable, "-c", ""], check=False),
    "os.system": lambda: os.system("true"),
    "compile code of": lambda: compile("1", "somewhere", "eval"),
    "exec code of": lambda: exec(compile("1", "somewhere", "exec")),
    "code with a mark": lambda: compile(f"'{MARK}'", "<string>", "eval"),
    "tempfile.": lambda: __import__("tempfile").mkstemp(dir="."),
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_a_misdeed_is_seen(misdeed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with watched.recording() as events:
        MISDEEDS[misdeed]()

    assert any(misdeed in found for found in surprises("check -r rules.yaml notes.json", tmp_path, events))


def test_sockets_are_closed() -> None:
    with pytest.raises(ConnectionRefusedError, match=r"socket\.__new__"):
        socket.socket()
    assert watched.refused.pop() == "socket.__new__"


def test_sockets_are_closed_in_every_process_that_a_test_starts() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import socket; socket.socket()"], capture_output=True, text=True, check=False
    )

    assert "socket.__new__: the tests run with sockets closed" in ended.stderr


# --- rule files -----------------------------------------------------------------------------------

RULES = """\
version: 1
name: notes
claims: {{records: {claims}, id: {id}, where: {where}}}
citations: {{records: citations, id: {fact}}}
evidence: {{records: $.facts, id: id}}
"""
SOUND = {"claims": "$.claims", "id": "id", "where": "{kind: a}", "fact": "fact"}

REFUSED = [
    ("claims", "!!python/object/apply:os.system ['touch pwned']", "OMR-108"),
    ("claims", "!!python/name:os.system $.claims", "OMR-108"),
    ("claims", "!!python/module:os $.claims", "OMR-108"),
    ("where", "!!python/object/new:os.system {args: ['touch pwned']}", "OMR-108"),
    ("where", "!include other.yaml", "OMR-108"),
    *(
        (place, f"'{path}'", "OMR-301")
        for place in ("claims", "fact")
        for path in (
            "$.claims.`len`",
            "$.claims.`sub(/a/, b)`",
            "$.claims.`split(a, 0, -1)`",
            "$.claims.`str()`",
            "$.claims.`sorted`",
            "$.claims.`parent`",
            "$.claims.`this`",
            "$.claims.`filter(x)`",
            "$.claims.`keys`",
            "$.claims[/name]",
            "$.claims[\\name]",
            "$.a + $.b",
            "$.a * 2",
            '$.claims[?(@.a =~ "(a+)+$")]',
            "$.claims[?(@.a.`len` == 1)]",
            "$.claims[?(@.a > 1)].b",
            "$.claims[?(len(@.a) == 1)].b",
            "$.claims[(@.length-1)]",
            '$.claims[?(__import__("os"))].b',
            "a|b",
        )
    ),
]


@pytest.mark.parametrize(("place", "said", "code"), REFUSED)
def test_what_would_run_something_is_refused(
    place: str, said: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = RULES.format(**{**SOUND, place: said})
    with watched.recording() as events, pytest.raises(RuleFileError) as caught:
        load_rule_text(text)

    assert code in {problem.code for problem in caught.value.problems}
    assert surprises("validate", tmp_path, events) == []
    assert list(tmp_path.iterdir()) == []


def test_the_names_of_pythons_own_attributes_are_keys_like_others() -> None:
    said = {**SOUND, "claims": "$.__class__.__mro__", "where": "{__doc__: null}"}
    rules = load_rule_text(RULES.format(**said)).rules
    facts = [{"id": "f"}]
    claims = [{"citations": [{"fact": "f"}]}]
    case, keyed = (
        JsonText(Place("a.json"), json.dumps(document).encode())
        for document in ({"facts": facts}, {"__class__": {"__mro__": claims}, "facts": facts})
    )

    assert "no_claims" in judge_batch(rules, [case]).reasons
    assert judge_batch(rules, [keyed]).passed


# --- the text of a plan ---------------------------------------------------------------------------

HOSTILE = [
    "'",
    '"',
    "'''",
    '"""',
    "\\",
    "\\'",
    "a\nimport os\nos.system('touch pwned')",
    "a\r\n",
    "{0}{!r}{x}%s",
    "') or __import__('os').system('touch pwned') or ('",
    "\N{LINE SEPARATOR}\N{RIGHT-TO-LEFT OVERRIDE}\N{NULL}\N{NEXT LINE}",
    "lambda: 0",
    "#",
    "m0",
    "é\N{PILE OF POO}",
    "None",
]


def compiled(name: str, literal: str) -> tuple[list[ast.Module], list[str], bool]:
    """What is compiled and what is run for rules that say ``name`` and ``literal`` wherever they may; is it a plan?"""

    def quoted(end: str) -> str:
        return "'" + f"{name}{end}".replace("\\", "\\\\").replace("'", "\\'") + "'"

    where = {quoted("x"): [literal, f"{literal}2", None], f"{quoted('y')}.{quoted('z')}": {"not": literal}}
    span = {"within": f"w.{quoted('w')}", "start": f"s.{quoted('s')}", "end": "end"}
    mapping: dict[str, Any] = {
        "version": 1,
        "name": "hostile",
        "description": literal or "none",
        "claims": {"records": f"$.{quoted('a')}.claims", "id": quoted("i"), "where": where},
        "citations": {"records": f"{quoted('c')}.cited", "where": where, "id": f"fact.{quoted('i')}", "span": span},
        "evidence": {"records": f"$.{quoted('a')}.facts", "where": where, "id": quoted("i"), "span": span},
    }
    rules = load_rule_mapping(mapping)
    place = {"end": 5, f"{name}x": literal, "s": {f"{name}s": 1}, "w": {f"{name}w": "p"}}
    fact, cited = {**place, f"{name}i": "f1"}, {**place, "fact": {f"{name}i": "f1"}}
    claim = {f"{name}x": literal, f"{name}c": {"cited": [cited]}}
    case = {f"{name}a": {"claims": [claim, {f"{name}x": f"{literal}3"}], "facts": [fact]}}
    _plan_of.cache_clear()
    with watched.recording() as events:
        report = judge_batch(rules, [JsonText(Place("a.json"), json.dumps(case).encode())])
    assert report.passed
    assert report.left_out["claims"] == 1
    plans = [event.arguments for event in events if event.name == "compile"]
    ran = [event.arguments[0].co_filename for event in events if event.name == "exec"]
    return [ast.parse(source) for source, _ in plans], ran, all(str(file).startswith("<plan ") for _, file in plans)


def without_texts(tree: ast.Module) -> tuple[str, set[str]]:
    """A tree in which every text is the same, and the texts that stood there."""
    texts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
            node.value = ""
    return ast.dump(tree), texts


@settings(max_examples=40, deadline=None)
@given(name=st.text(min_size=1, max_size=12), literal=st.text(max_size=12))
@example(name=HOSTILE[9], literal=HOSTILE[6])
def test_no_word_of_a_rule_file_gets_out_of_its_quotes_in_a_plan(name: str, literal: str) -> None:
    try:
        trees, ran, is_plan = compiled(name, literal)
    except RuleFileError:
        return
    if not trees:
        assert re.search(r'["\\\x00-\x1f]', name), "only these go the general way"
        return
    (tree,) = trees
    shape, texts = without_texts(tree)

    assert is_plan
    assert len(ran) == 1
    assert shape == shape_of_a_plan()
    assert texts <= {literal, f"{literal}2"}


@cache
def shape_of_a_plan() -> str:
    """The plan of a rule set whose words mean no harm, without its texts."""
    (tree,), _, _ = compiled("name", "literal")
    return without_texts(tree)[0]


@pytest.mark.parametrize("hostile", HOSTILE, ids=ascii)
def test_a_hostile_word_is_a_word_like_others(hostile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test_no_word_of_a_rule_file_gets_out_of_its_quotes_in_a_plan.hypothesis.inner_test(hostile, hostile)  # type: ignore[attr-defined]

    assert list(tmp_path.iterdir()) == []
