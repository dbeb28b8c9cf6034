"""Nothing of a record gets out: not by a result, a message, an error, its frames, or a test that fails."""

from __future__ import annotations

import gzip
import json
import pickle
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import openmed_rules
from openmed_rules import load_rules
from openmed_rules.cli.boundary import run
from openmed_rules.formats import FORMATS
from openmed_rules.judging.documents import JsonText
from openmed_rules.judging.explaining import look
from openmed_rules.judging.records import read_record
from openmed_rules.results.places import Place
from openmed_rules.ruleset.loader import load_rule_text
from samples import RULES, TWO_INPUTS

CANARY = "CANARY"
NUMBER = 90210555
"""Stands for canaries where only a number may stand."""
PACKAGE = Path(openmed_rules.__file__).parent

SPANS = """\
version: 1
name: spans
claims: {records: $.claims, id: id, where: {kind: {not: note}}, class: {path: label, labels: [allergy]}}
citations: {records: citations, id: fact, span: {within: page, start: start, end: end}}
evidence: {records: $.facts, id: id, span: {within: page, start: start, end: end}}
policy: {tolerate: {duplicate_citation: any}}
"""


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)


@pytest.fixture
def rule_file(tmp_path: Path) -> Path:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "two.yaml").write_text(TWO_INPUTS, encoding="utf-8")
    (tmp_path / "spans.yaml").write_text(SPANS, encoding="utf-8")
    return tmp_path / "rules.yaml"


def planted(number: int = 0) -> dict[str, Any]:
    """A case in which every leaf, and a member of every object, is a canary."""
    key = f"{CANARY}-key-{number}"

    def record(**members: Any) -> dict[str, Any]:
        return {**members, key: f"{CANARY}-leaf", "kind": f"{CANARY}-kind", "label": f"{CANARY}-label"}

    def span(**members: Any) -> dict[str, Any]:
        return record(page=f"{CANARY}-page", **members)

    return record(
        claims=[
            record(id=f"{CANARY}-claim", text=f"{CANARY} text", citations=[record(fact=f"{CANARY}-known")] * 2),
            record(id=NUMBER, citations=[record(fact=f"{CANARY}-unknown"), record(fact=NUMBER), f"{CANARY}-bare"]),
            record(
                id=f"{CANARY}-spans",
                citations=[span(start=NUMBER, end=NUMBER + 1), span(start=NUMBER, end=3)],
            ),
            record(id={key: CANARY}, citations=f"{CANARY}-text"),
            f"{CANARY}-claim",
        ],
        facts=[
            record(id=f"{CANARY}-known"),
            record(id=f"{CANARY}-known"),
            span(id=f"{CANARY}-other", start=NUMBER, end=NUMBER + 9),
            record(id=[CANARY]),
            f"{CANARY}-bare",
        ],
    )


LINES = {
    "good": json.dumps(planted()).encode(),
    "cut short": json.dumps(planted()).encode()[:-40],
    "no JSON": b"{" + f"'{CANARY}': {CANARY}".encode() + b"}",
    "not UTF-8": json.dumps(planted()).encode().replace(CANARY.encode(), CANARY.encode() + b"\xff"),
    "NaN": json.dumps({**planted(), "facts": [{"id": float("nan"), CANARY: CANARY}]}).encode(),
    "half a pair": json.dumps({**planted(), "facts": [{"id": f"{CANARY}\ud83d"}]}).encode(),
    "huge": b'{"claims": [{"id": ' + str(NUMBER).encode() * 1000 + b"}]}",
    "deep": b'{"%s": %s' % (CANARY.encode(), b"[" * 100_000),
    "two names": b'{"claims": "%s", "claims": "%s"}' % ((CANARY.encode(),) * 2),
    "a scalar": f'"{CANARY}"'.encode(),
}


class Awkward:
    """A record whose own code says in its error, and in its repr, what it holds."""

    def __init__(self) -> None:
        self.value = CANARY

    def __repr__(self) -> str:
        return CANARY

    def to_dict(self) -> dict[str, Any]:
        raise KeyError(CANARY, planted())


def holds_itself() -> dict[str, Any]:
    record = planted()
    record[CANARY] = record
    return record


OBJECTS: dict[str, Callable[[], object]] = {
    "good": planted,
    "awkward": Awkward,
    "holds itself": holds_itself,
    "awkward inside": lambda: {**planted(), "claims": [Awkward()]},
    "odd key": lambda: {(CANARY,): CANARY},
    "a text": lambda: CANARY,
}


def clean(text: str) -> bool:
    return CANARY not in text and str(NUMBER) not in text


def package_frames(error: BaseException) -> Iterator[str]:
    """The package's frames of an error and of those behind it, with their locals."""
    chain: BaseException | None = error
    while chain:
        for frame, _ in traceback.walk_tb(chain.__traceback__):
            if Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
                yield repr(frame.f_locals)
        chain = chain.__cause__ or chain.__context__


def assert_clean_error(error: BaseException) -> None:
    assert error.__cause__ is None
    assert error.__context__ is None
    assert clean(f"{error!r} {error} {error.args} {vars(error)}")
    assert clean(pickle.dumps(error).decode("latin-1"))
    frames = list(package_frames(error))
    assert frames
    assert all(map(clean, frames))


# --- the API ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["rules.yaml", "spans.yaml"])
@pytest.mark.parametrize("name", OBJECTS)
def test_a_result_holds_nothing_of_a_record(rule_file: Path, rules: str, name: str) -> None:
    result = load_rules(rule_file.with_name(rules)).check_many([planted(1), OBJECTS[name](), planted(2)])

    assert not result.passed
    assert clean(repr(result))
    assert clean(pickle.dumps(result).decode("latin-1"))
    for render in FORMATS.values():
        assert clean(render(result.report))


@pytest.mark.parametrize("name", OBJECTS)
def test_a_gate_that_fails_holds_nothing_of_a_record(rule_file: Path, name: str) -> None:
    rules = load_rules(rule_file)

    with pytest.raises(AssertionError) as caught:
        rules.assert_gate(OBJECTS[name]())

    assert_clean_error(caught.value)


def calls(folder: Path) -> dict[str, Callable[[], object]]:
    """Calls that end in an error, with records in their hands."""
    one, two = load_rules(folder / "rules.yaml"), load_rules(folder / "two.yaml")
    return {
        "no evidence": lambda: two.check(planted()),
        "no evidence to assert": lambda: two.assert_gate(planted()),
        "unread evidence": lambda: one.check(planted(), planted()),
        "not one to one": lambda: two.check_many([planted()] * 3, [planted()] * 2),
        "one of many": lambda: one.check_many(planted()),  # type: ignore[arg-type]
    }


CALLS = ["no evidence", "no evidence to assert", "unread evidence", "not one to one", "one of many"]


@pytest.mark.parametrize("name", CALLS)
def test_an_error_of_a_call_holds_nothing_of_a_record(rule_file: Path, name: str) -> None:
    with pytest.raises(openmed_rules.RulesError) as caught:
        calls(rule_file.parent)[name]()

    assert_clean_error(caught.value)


def break_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a fault into the zone that holds records, of the kind that shows them."""

    def judge(roots: Any, *_: object) -> object:
        value = roots.summary.value
        raise KeyError(value)

    monkeypatch.setattr("openmed_rules.judging.batch._judge_of", lambda _rules: judge)


@pytest.mark.parametrize("call", ["check", "assert_gate"])
def test_a_fault_of_our_own_holds_nothing_of_a_record(
    rule_file: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    break_the_judge(monkeypatch)
    rules = load_rules(rule_file)

    with pytest.raises(openmed_rules.RulesError, match="OMR-901: KeyError") as caught:
        getattr(rules, call)(planted())

    assert_clean_error(caught.value)


def test_what_holds_a_record_on_the_way_does_not_show_it() -> None:
    assert clean(repr(JsonText(Place("a.json"), LINES["good"])))
    assert clean(repr(read_record(planted(), Place("summary"))))


# --- the command ------------------------------------------------------------------------------


def write_inputs(folder: Path) -> list[str]:
    lines = b"\n".join(LINES.values())
    (folder / "lines.jsonl").write_bytes(lines)
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(lines)[:-30])
    (folder / "odd.txt").write_bytes(LINES["cut short"])
    for number, line in enumerate(LINES.values()):
        (folder / f"{number}.json").write_bytes(line)
    return [str(path) for path in sorted(folder.iterdir()) if path.suffix != ".yaml"]


OPTIONS = [
    ["--format", "text", "--locators"],
    ["--format", "json", "--locators", "--positions", "1000"],
    *(["--format", name, "--positions", "1000"] for name in ("markdown", "junit", "sarif", "github", "csv", "html")),
    ["--worklist", "/dev/stderr", "--locators"],
    ["--debug", "--strict-json"],
    ["--input-format", "json"],
]


@pytest.mark.parametrize("rules", ["rules.yaml", "spans.yaml"])
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_command_shows_nothing_of_a_record(
    rule_file: Path, capfd: pytest.CaptureFixture[str], rules: str, options: list[str]
) -> None:
    output = rule_file.with_name("result")
    inputs = write_inputs(rule_file.parent)

    for more in ([], ["--output", str(output)]):
        assert run(["check", "-r", str(rule_file.with_name(rules)), *inputs, *options, *more]) == 3

    shown = capfd.readouterr()
    assert "missing_source_record" in shown.out
    assert clean(shown.out + shown.err)
    assert clean(output.read_text(encoding="utf-8"))


EVERY_MISS = """\
version: 1
name: misses
claims: {records: $.claims, id: id, where: {kind: {not: note}}}
citations:
  - {records: citations, id: [fact, {parts: [page, start]}], span: {within: page, start: start, end: end}}
  - {records: "citations[*].page", id: "@"}
evidence: {records: $.facts, id: {path: id, capture: '(?:.*-)?(.+)'}, span: {within: kind, start: start, end: end}}
tests:
  - {name: a file, file: 0.json, expect: {passed: true, citations: {claim_count: 0}}}
"""


def author_commands(folder: Path) -> list[list[str]]:
    """What the author of a rule file runs, over inputs that are full of canaries."""
    (folder / "misses.yaml").write_text(EVERY_MISS, encoding="utf-8")
    inputs = write_inputs(folder)
    rules = [str(folder / name) for name in ("rules.yaml", "spans.yaml", "misses.yaml")]
    tested = str(folder / "misses.yaml")
    return [
        *(["explain", "-r", name, *inputs] for name in rules),
        *(["explain", "-r", name, *inputs, "--input-format", "json"] for name in rules),
        *(["explain", "-r", str(folder / "two.yaml"), name, "--evidence", name] for name in inputs),
        *(["explain", "-r", name, *inputs, "--debug"] for name in ("healthscribe", "openai-chat", "openmed")),
        ["validate", tested, "--strict"],
        ["validate", tested, "--fix"],
        ["test", tested, "--mutate", "--junit", str(folder / "junit.xml")],
        *(["show", tested, option] for option in ("--effective", "--origin", "--plan")),
    ]


def test_what_an_author_runs_shows_nothing_of_a_record(rule_file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for command in author_commands(rule_file.parent):
        assert run(command) in {0, 1, 2, 3}, command
        shown = capfd.readouterr()
        assert shown.out + shown.err
        assert clean(shown.out + shown.err), command
    assert clean((rule_file.parent / "junit.xml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", OBJECTS)
def test_what_was_met_on_the_way_holds_nothing_of_a_record(name: str) -> None:
    place = Place("summary")
    looked = look(load_rule_text(EVERY_MISS).rules, [read_record(OBJECTS[name](), place)], None, ("id", "page"))

    assert clean(repr(looked))
    assert clean(pickle.dumps(looked).decode("latin-1"))


def test_an_evidence_input_shows_nothing_either(rule_file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    inputs = write_inputs(rule_file.parent)
    for evidence in inputs:
        run(["check", "-r", str(rule_file.with_name("two.yaml")), *inputs, "--evidence", evidence, "--debug"])

    shown = capfd.readouterr()
    assert "OMR-6" in shown.out
    assert clean(shown.out + shown.err)


@pytest.mark.parametrize("options", [[], ["--debug"]], ids=["", "--debug"])
def test_a_fault_of_our_own_shows_nothing_of_a_record(
    rule_file: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    break_the_judge(monkeypatch)
    inputs = write_inputs(rule_file.parent)

    assert run(["check", "-r", str(rule_file), *inputs, *options]) == 70

    shown = capfd.readouterr()
    assert shown.out == ""
    assert "internal error: KeyError" in shown.err
    assert ("judging/batch.py" in shown.err) is bool(options)
    assert clean(shown.err)


# --- a test that fails ------------------------------------------------------------------------

TEST = """\
from openmed_rules import load_rules
from records import planted


def test_gate():
    load_rules({rules!r}).assert_gate(planted())


def test_evidence():
    load_rules({two!r}).check(planted())
"""


@pytest.mark.parametrize("options", [[], ["-l"], ["-l", "--tb=long", "--full-trace"]], ids=" ".join)
def test_pytest_shows_nothing_of_a_record(rule_file: Path, options: list[str]) -> None:
    folder = rule_file.parent
    two = folder / "two.yaml"
    (folder / "test_gate.py").write_text(TEST.format(rules=str(rule_file), two=str(two)), encoding="utf-8")
    record = json.dumps(planted())
    (folder / "records.py").write_text(f"import json\n\ndef planted():\n    return json.loads({record!r})\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junit-xml=junit.xml", *options]

    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    junit = (folder / "junit.xml").read_text(encoding="utf-8")
    assert "2 failed" in ended.stdout
    for shown in (ended.stdout, junit):
        assert "the gate failed: " in shown
        assert "OMR-621" in shown
        assert clean(shown)
    assert clean(ended.stderr)
