"""Everything that a program can call, over records full of marks: no result and no error holds any of them."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import openmed_rules
from canaries import (
    MARK,
    OBJECTS,
    ONE_INPUT,
    PACKAGE,
    RULE_FILES,
    assert_error_is_clean,
    assert_result_is_clean,
    is_ours,
    marks_in,
    plain,
    planted,
    public_names,
    write_files,
)
from openmed_rules import CheckResult, GateError, InputError, RuleFileError, Rules, RulesError, UsageError, load_rules
from openmed_rules.authoring.explain import explain, explanation_lines
from openmed_rules.errors import InternalError
from openmed_rules.formats import FORMATS
from openmed_rules.judging.documents import JsonText, MappedText, PlainValue
from openmed_rules.judging.explaining import look
from openmed_rules.judging.records import read_record
from openmed_rules.results.places import Place
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import load_rule_file, load_rule_mapping, load_rule_text

Call = Callable[[Any], Any]


def rules(name: str) -> Rules:
    return Rules(load_rule_text(RULE_FILES[name]).rules)


# --- what is public, and what drives it -----------------------------------------------------------

METHODS: dict[str, Call] = {
    "check": lambda record: [rules(name).check(record) for name in ONE_INPUT],
    "check with evidence": lambda record: rules("two.yaml").check(record, record),
    "check without evidence": lambda record: rules("two.yaml").check(record),
    "check with evidence that is not read": lambda record: rules("rules.yaml").check(record, record),
    "check_many": lambda record: rules("spans.yaml").check_many([record, planted(1), record]),
    "check_many of one": lambda record: rules("spans.yaml").check_many(record),
    "check_many with evidence": lambda record: rules("two.yaml").check_many([record, planted(1)], record),
    "check_many not one to one": lambda record: rules("two.yaml").check_many([record] * 3, [record] * 2),
    "assert_gate": lambda record: rules("rules.yaml").assert_gate(record),
    "assert_gate with evidence": lambda record: rules("two.yaml").assert_gate(record, record),
    "assert_gate without evidence": lambda record: rules("two.yaml").assert_gate(record),
    "name": lambda _: rules("rules.yaml").name,
    "rule_set": lambda _: rules("rules.yaml").rule_set,
}
"""The methods and attributes of ``Rules``; the first word is what is called."""

FUNCTIONS: dict[str, Call] = {
    **{
        f"{name} of {what}": lambda record, name=name, made=made: getattr(openmed_rules, name)(*made(record))
        for name in openmed_rules.__all__
        if name.startswith(("assert_", "build_", "compute_", "run_"))
        for what, made in {
            "records": lambda record: ([record], [record]),
            "one record": lambda record: (record, record),
            "a map": lambda record: ({MARK: record}, {MARK: record}),
        }.items()
    },
    "run_summary_coverage of three": lambda record: openmed_rules.run_summary_coverage(
        [record], [record], source_evidence=[record]
    ),
    "load_rules of a record": lambda _: load_rules("notes/good.json"),
    "load_rules of prose": lambda _: load_rules(Path("prose.txt")),
    "load_rules of a list": lambda _: load_rules("list.json"),
}
CALLS = METHODS | FUNCTIONS

CLASSES = {CheckResult, GateError, InputError, RuleFileError, Rules, RulesError, UsageError}
"""Results and rules, driven below, and errors, each of which a call above ends in."""

ZONES = {"authoring", "cli", "errors", "formats", "gates", "judging", "results", "ruleset", "running"}
"""What is no public door, or has one only by the command (``test_commands``)."""

DOORS = {"__init__", "__main__", "api", "pytest_plugin", "spark", "upstream", "upstream_reports"}
"""What is called from outside: driven here, the plugin in ``test_pytest``, and Spark in ``tests/test_spark.py``."""


def test_everything_public_is_driven() -> None:
    public = {name: getattr(openmed_rules, name) for name in openmed_rules.__all__}
    driven = {call.split()[0] for call in CALLS}

    assert {kind for kind in public.values() if isinstance(kind, type)} == CLASSES
    assert {name for name, value in public.items() if not isinstance(value, type)} <= driven
    assert set(public_names(Rules)) <= driven
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert modules == ZONES | DOORS, "a new door needs a row in CALLS, or a test beside this one"


def test_what_the_door_to_the_drop_in_offers_is_driven() -> None:
    from openmed_rules import upstream

    offered = {
        name
        for name, value in vars(upstream).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == upstream.__name__ and callable(value)
    }
    errors = {"CitationGateError", "CoverageGateError", "NotRecordsError", "SummaryCitationError"}

    assert offered - errors <= {call.split()[0] for call in CALLS}


# --- records in, results and errors out -----------------------------------------------------------


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path)
    (tmp_path / "list.json").write_text(f'["{MARK}", {{"{MARK}": "{MARK}"}}]', encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def outcome_of(call: Call, record: object) -> object:
    try:
        return call(record)
    except BaseException as error:  # noqa: BLE001 - an interruption is an outcome, too
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        return error


@pytest.mark.parametrize("call", CALLS)
def test_nothing_of_a_record_gets_out_of_a_call(call: str) -> None:
    for make in OBJECTS.values():
        outcome = outcome_of(CALLS[call], make())

        if isinstance(outcome, BaseException):
            assert_error_is_clean(outcome)
        else:
            assert_result_is_clean(outcome)


def test_every_public_error_is_one_of_the_outcomes() -> None:
    met = {type(outcome_of(call, make())) for call in CALLS.values() for make in OBJECTS.values()}

    errors = {kind for kind in CLASSES if issubclass(kind, BaseException)}
    assert {kind for kind in errors if not any(issubclass(one, kind) for one in met)} == set()
    assert {
        "CitationGateError",
        "CoverageGateError",
        "SummaryCitationError",
        "NotRecordsError",
        "KeyboardInterrupt",
    } <= {kind.__name__ for kind in met}


@pytest.mark.parametrize("name", RULE_FILES)
def test_the_marks_are_read(name: str) -> None:
    """A rule file that reads nothing would prove nothing."""
    result = rules(name).check(planted(), planted() if name == "two.yaml" else None)

    assert result.citations is not None
    assert min(result.citations[f"{count}_count"] for count in ("claim", "citation", "evidence_record")) > 0  # type: ignore[type-var]


def test_a_report_holds_nothing_in_any_format() -> None:
    for name in ONE_INPUT:
        report = rules(name).check_many([planted(1), plain("unknown"), planted(2)]).report
        for render in FORMATS.values():
            assert not marks_in(render(report))


@pytest.mark.parametrize("kind", ["metrics", "report"])
def test_what_the_drop_in_writes_holds_nothing(kind: str, tmp_path: Path) -> None:
    made = [
        openmed_rules.build_summary_citation_report([planted()], [planted()]),
        openmed_rules.run_summary_coverage([planted()], [planted()]),
    ]
    for report in made:
        shown = report if kind == "report" else report.metrics
        assert_result_is_clean(shown)
        assert dataclasses.is_dataclass(shown) or isinstance(shown, dict)
        for written in (report.write_json(tmp_path / "new" / "out.json"), report.write_markdown(tmp_path / "out.md")):
            assert not marks_in(written.read_bytes())


@pytest.mark.parametrize("name", OBJECTS)
def test_what_is_on_its_way_does_not_show_what_it_holds(name: str) -> None:
    if name == "ends the program":
        return
    document = read_record(OBJECTS[name](), Place("summary"))
    looked = look(rules("misses.yaml").rule_set, [document], None, ("id", "page"))

    assert not marks_in(repr(document))
    assert_result_is_clean(looked)
    assert not marks_in(repr(JsonText(Place("a.json"), f'"{MARK}"'.encode())))
    assert not marks_in(repr(MappedText(Place("a.json"), memoryview(f'"{MARK}"'.encode()))))


# --- faults, interruptions, groups ----------------------------------------------------------------


def fault(*_: object) -> None:
    raise KeyError(MARK, planted())


def interruption(*_: object) -> None:
    try:
        fault()
    except KeyError as error:
        raise KeyboardInterrupt(*error.args[:0]) from error


def broken(monkeypatch: pytest.MonkeyPatch, how: Callable[..., None]) -> None:
    monkeypatch.setattr("openmed_rules.judging.batch._judge_of", lambda _rules: how)


@pytest.mark.parametrize(
    "call", [call for call in CALLS if call.startswith(("check", "assert", "build", "comp", "run"))]
)
@pytest.mark.parametrize(("how", "kind"), [(fault, Exception), (interruption, KeyboardInterrupt)])
def test_a_fault_and_an_interruption_take_nothing_along(
    call: str, how: Callable[..., None], kind: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(monkeypatch, how)
    outcome = outcome_of(CALLS[call], plain("unknown"))

    assert isinstance(outcome, BaseException)
    assert_error_is_clean(outcome)
    assert isinstance(outcome, (kind, RulesError, ValueError))
    if how is fault and call == "check":
        assert isinstance(outcome, InternalError)
        assert str(outcome) == "OMR-901: KeyError while judging"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups of exceptions yet")
def test_a_group_shows_of_each_of_ours_what_it_shows_by_itself() -> None:
    import traceback

    errors = [outcome_of(CALLS[call], planted()) for call in ("assert_gate", "check without evidence")]
    group = ExceptionGroup("several", [error for error in errors if isinstance(error, Exception)])  # noqa: F821
    shown = traceback.TracebackException.from_exception(group, capture_locals=True)

    assert len(group.exceptions) == 2
    assert not marks_in("".join(traceback.format_exception(group)))
    for inner in shown.exceptions or ():
        assert not marks_in(repr([frame.locals for frame in inner.stack if is_ours(frame.filename)]))


# --- every layout that comes along ----------------------------------------------------------------


def marked(value: Any, words: frozenset[str]) -> Any:
    """A value in which every text is a mark, save the words that the rule file compares with."""
    if isinstance(value, dict):
        return {name: marked(member, words) for name, member in value.items()}
    if isinstance(value, list):
        return [marked(item, words) for item in value]
    return f"{MARK}-{value}" if isinstance(value, str) and value not in words else value


def literals(data: Any) -> Iterator[str]:
    """Every text that a rule file says, but for its tests."""
    if isinstance(data, dict):
        for name, member in data.items():
            yield from (() if name == "tests" else literals(member))
    elif isinstance(data, list):
        for item in data:
            yield from literals(item)
    elif isinstance(data, str):
        yield data


@pytest.mark.parametrize("name", builtin_names())
def test_a_layout_shows_nothing_of_its_own_samples(name: str) -> None:
    file = load_rule_file(name)
    words = frozenset(literals(file.data))
    for test in file.tests:
        summaries = [marked(case.summary, words) for case in test.cases]
        evidence = [marked(case.evidence, words) for case in test.cases if case.evidence is not None] or None
        result = Rules(file.rules).check_many(summaries, evidence)
        documents = [PlainValue(Place("summary"), value) for value in summaries]
        others = [PlainValue(Place("evidence"), value) for value in evidence] if evidence else None
        explained = "\n".join(explanation_lines(explain(file, documents, others)))

        assert not marks_in(result.to_json() + result.to_markdown() + repr(result) + explained)


# --- after the call -------------------------------------------------------------------------------

LEFT_BEHIND = """\
import gc, sys
sys.path[:0] = [{tests!r}]
import canaries
from openmed_rules import load_rules
outcomes = []
for make in canaries.OBJECTS.values():
    for name in canaries.ONE_INPUT:
        for call in ("check", "assert_gate"):
            try:
                outcomes.append(getattr(load_rules(name), call)(make()))
            except BaseException as error:
                outcomes.append(error.with_traceback(None))
del make
kept = {{id(value) for value in vars(canaries).values()}}
gc.collect()
for thing in gc.get_objects():
    if id(thing) in kept or isinstance(thing, type(sys)):
        continue
    inside = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (list, tuple, set)) else ()
    if isinstance(thing, BaseException):
        inside = thing.args
    if any(isinstance(one, (str, bytes)) and canaries.marks_in(one) for one in list(inside)):
        owners = [type(owner).__name__ for owner in gc.get_referrers(thing)]
        if not any(owner in ("code", "function") for owner in owners) and not kept.intersection(
            id(owner) for owner in gc.get_referrers(thing)
        ):
            print("left behind:", type(thing).__name__, owners)
raise outcomes[1]
"""
LOOK_BACK = """\
import sys, traceback
error = getattr(sys, "last_exc", None) or sys.last_value
shown = traceback.TracebackException.from_exception(error, capture_locals=True)
print("looked back at", type(error).__name__, [f.locals for f in shown.stack if "openmed_rules" in f.filename])
"""


def test_nothing_is_left_behind_in_a_process(tmp_path: Path) -> None:
    """Also where the last error is looked back at, as an interactive session does."""
    program = tmp_path / "program.py"
    program.write_text(LEFT_BEHIND.format(tests=str(Path(__file__).parents[1])), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONFAULTHANDLER": "1"}
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-i", str(program)],
        cwd=tmp_path,
        env=environment,
        input=LOOK_BACK,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "looked back at GateError" in ended.stdout
    assert "the gate failed: " in ended.stderr
    assert "left behind" not in ended.stdout
    assert not marks_in(ended.stdout + ended.stderr)


def test_a_mapping_that_is_no_rule_file_is_told_by_its_own_words() -> None:
    """Whoever hands a mapping over says with it that it is a rule file."""
    with pytest.raises(RuleFileError, match="clams"):
        load_rule_mapping({"version": 1, "name": "a", "clams": {}})
