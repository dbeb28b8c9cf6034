"""Rules and results as a program meets them."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, make_dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import openmed_rules
from openmed_rules import CheckResult, GateError, InputError, Rules, UsageError, load_rules
from openmed_rules.formats import FORMATS
from samples import FAILING, PASSING, RULES, TWO_INPUTS, case, evidence, summary

SECRET = "SYNTHETIC-SECRET"


@pytest.fixture(scope="session")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return load(tmp_path_factory.mktemp("rules"), RULES)


@pytest.fixture(scope="session")
def two_inputs(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return load(tmp_path_factory.mktemp("rules"), TWO_INPUTS)


def load(folder: Path, text: str) -> Rules:
    (folder / "rules.yaml").write_text(text, encoding="utf-8")
    return load_rules(folder / "rules.yaml")


def codes(result: CheckResult) -> list[str]:
    return [unreadable.code for unreadable in result.report.unreadable]


# --- results ----------------------------------------------------------------------------------


def test_a_case_passes(rules: Rules) -> None:
    result = rules.check(PASSING)

    assert result
    assert (result.passed, result.verdict, result.reasons, result.positions) == (True, "passed", (), ())
    assert result.citations is not None
    assert result.citations["coverage"] == 1.0
    assert result.coverage is not None
    assert result.coverage["recall"] == 1.0


def test_a_case_fails(rules: Rules) -> None:
    result = rules.check(FAILING)

    assert not result
    assert (result.passed, result.verdict) == (False, "failed")
    assert "missing_source_record" in result.reasons
    assert [position.to_dict() for position in result.positions] == [
        {"file": "summary", "case": 1, "claim": 1, "citation": 2, "reason": "missing_source_record"}
    ]


def test_a_result_is_shown_as_the_command_shows_it(rules: Rules) -> None:
    result = rules.check(FAILING)

    assert result.to_dict() == result.report.to_dict()
    assert result.to_json() == FORMATS["json"](result.report)
    assert result.to_markdown() == FORMATS["markdown"](result.report)
    assert result.to_text() == FORMATS["text"](result.report)


def test_a_report_that_is_not_asked_for_is_not_there(tmp_path: Path) -> None:
    result = load(tmp_path, RULES + "reports: [coverage]\n").check(PASSING)

    assert result.citations is None
    assert "citations" not in result.to_dict()


# --- two inputs, many cases -------------------------------------------------------------------


def test_evidence_is_a_second_record(two_inputs: Rules) -> None:
    assert two_inputs.check(summary("f1"), evidence("f1")).passed
    assert not two_inputs.check(summary("f2"), evidence("f1")).passed


def test_evidence_that_is_a_list_is_one_record(tmp_path: Path) -> None:
    listed = load(tmp_path, TWO_INPUTS.replace("$.facts", "$"))

    assert listed.check(summary("f1", "f2"), evidence("f1", "f2")["facts"]).passed


def test_inputs_that_do_not_go_with_the_rules_are_told(rules: Rules, two_inputs: Rules) -> None:
    with pytest.raises(InputError, match=r"^OMR-621"):
        two_inputs.check(summary("f1"))
    with pytest.raises(UsageError, match=r"^OMR-622"):
        rules.check(PASSING, evidence("f1"))
    with pytest.raises(UsageError, match=r"^OMR-623"):
        two_inputs.check_many([summary("f1")], [evidence("f1"), evidence("f2")])


@pytest.mark.parametrize("make", [list, tuple, iter])
def test_many_are_one_batch(rules: Rules, make: Any) -> None:
    result = rules.check_many(make([PASSING, FAILING, PASSING]))

    assert (result.report.cases.passed, result.report.cases.failed) == (2, 1)
    assert [position.case for position in result.positions] == [2]


def test_no_case_at_all_is_not_evaluated(rules: Rules) -> None:
    assert rules.check_many([]).verdict == "not_evaluated"


def test_evidence_serves_all_or_meets_them_one_to_one(two_inputs: Rules) -> None:
    summaries = [summary("f1"), summary("f2")]

    assert two_inputs.check_many(summaries, evidence("f1", "f2")).report.cases.failed == 2  # each omits a fact
    assert two_inputs.check_many(summaries, [evidence("f1"), evidence("f2")]).passed
    assert two_inputs.check_many(summaries, iter([evidence("f2"), evidence("f1")])).report.cases.failed == 2


@pytest.mark.parametrize("one", [PASSING, "text", b"bytes", 7, None])
def test_one_record_where_many_are_expected_is_told(rules: Rules, one: Any) -> None:
    with pytest.raises(UsageError, match=r"^OMR-625"):
        rules.check_many(one)


# --- records ----------------------------------------------------------------------------------


class Name(str):
    """An id of a type of its own."""

    __slots__ = ()


class Known(Enum):
    F1 = "f1"


class Model:
    """What offers its fields by a method, as models of validation packages do."""

    def __init__(self, method: str, **fields: Any) -> None:
        self.fields = fields
        self.method = method


def model(method: str) -> Any:
    def make(**fields: Any) -> Any:
        return type("Record", (), {method: lambda _self: fields})()

    return make


def as_dataclass(**fields: Any) -> Any:
    return make_dataclass("Record", fields)(**fields)


def as_named_tuple(**fields: Any) -> Any:
    return namedtuple("Record", fields)(**fields)  # noqa: PYI024 - the untyped kind is met, too


def as_read_only(**fields: Any) -> Any:
    return MappingProxyType(fields)


@pytest.mark.parametrize(
    "make",
    [dict, as_read_only, as_dataclass, as_named_tuple, model("to_dict"), model("model_dump")],
    ids=["dict", "mapping", "dataclass", "named tuple", "to_dict", "model_dump"],
)
def test_records_may_be_of_the_callers_own_types(rules: Rules, make: Any) -> None:
    def build(cited: Any) -> Any:
        return make(claims=(make(id=1, citations=[make(fact=cited)]),), facts=[make(id="f1")])

    assert rules.check(build("f1")).passed
    assert rules.check(build(Name("f1"))).passed
    assert rules.check(build(Known.F1)).passed
    assert rules.check(build("f2")).citations == rules.check(case("f2")).citations


def test_a_record_is_left_as_it_was(rules: Rules) -> None:
    record = case("f1")
    rules.check(record)

    assert record == case("f1")


def test_keys_that_are_no_text_are_read_as_json_writes_them(tmp_path: Path) -> None:
    by_key = load(tmp_path, RULES.replace("$.facts, id: id", "$.facts.*, id: {place: key}"))

    assert by_key.check({**summary("7", "true"), "facts": {7: {}, True: {}}}).passed


def test_what_no_rule_reads_may_be_anything(rules: Rules) -> None:
    assert rules.check({**PASSING, "file": object(), "when": {1, 2}, "score": float("nan")}).passed


def holds_itself(name: str) -> Any:
    record = case("f1")
    record[name] = record
    return record


def deep() -> Any:
    record: Any = []
    for _ in range(100_000):
        record = [record]
    return {**case("f1"), "deep": record}


@dataclass
class Endless:
    """Gives another one, whenever it is asked."""

    def to_dict(self) -> dict[str, Any]:
        return {"claims": Endless()}


class Failing:
    """A record whose own code raises, with a value of the record in its words."""

    def to_dict(self) -> dict[str, Any]:
        raise ValueError(SECRET)


def wide() -> Any:
    """Every level refers to the next twice: small, and endless for whoever visits all ways through it."""
    record: Any = {}
    for _ in range(200):
        record = {"left": record, "right": record}
    return {**case("f1"), "wide": record}


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: {**PASSING, "facts": [holds_itself("id")]}, "OMR-615"),
        (deep, "OMR-613"),
        (Endless, "OMR-613"),
        (Failing, "OMR-617"),
        (lambda: {**PASSING, "claims": [Failing()]}, "OMR-617"),
        (lambda: {**PASSING, ("a", "key"): 1}, "OMR-617"),
        (lambda: case(float("nan")), "OMR-615"),  # type: ignore[arg-type]
    ],
    ids=["holds itself", "deep", "endless", "raises", "raises inside", "odd key", "no number"],
)
def test_a_record_that_cannot_be_read_is_counted_and_told_by_a_code(rules: Rules, make: Any, code: str) -> None:
    result = rules.check_many([PASSING, make(), PASSING])

    assert (result.verdict, result.report.cases.unreadable, codes(result)) == ("failed", 1, [code])
    assert SECRET not in result.to_text() + repr(result)
    assert rules.check(make()).verdict == "not_evaluated"


def test_a_record_that_holds_or_shares_its_parts_is_read_once(rules: Rules) -> None:
    assert rules.check(wide()).passed
    assert rules.check(holds_itself("self")).passed


def test_an_iterable_that_fails_is_an_unreadable_case(rules: Rules) -> None:
    def records() -> Iterator[Any]:
        yield PASSING
        raise ValueError(SECRET)

    result = rules.check_many(records())

    assert (result.verdict, codes(result)) == ("failed", ["OMR-617"])
    assert SECRET not in result.to_text() + repr(result)


# --- the gate in a test -----------------------------------------------------------------------


def test_a_gate_that_passes_gives_the_result(rules: Rules, two_inputs: Rules) -> None:
    assert rules.assert_gate(PASSING) == rules.check(PASSING)
    assert two_inputs.assert_gate(summary("f1"), evidence("f1")).passed


def test_a_gate_that_fails_raises_its_reasons(rules: Rules) -> None:
    with pytest.raises(GateError) as caught:
        rules.assert_gate(FAILING)

    assert isinstance(caught.value, AssertionError)
    assert caught.value.reasons == caught.value.args == rules.check(FAILING).reasons
    assert str(caught.value) == f"the gate failed: {', '.join(caught.value.reasons)}"


def test_a_gate_that_judged_nothing_fails(rules: Rules) -> None:
    with pytest.raises(GateError, match="not_evaluated"):
        rules.assert_gate(Failing())


# --- the package ------------------------------------------------------------------------------


def test_rules_are_immutable_and_can_be_sent_and_shared(rules: Rules) -> None:
    with pytest.raises(AttributeError):
        rules.name = "other"  # type: ignore[misc]
    copy = pickle.loads(pickle.dumps(rules))
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(copy.check, [PASSING, FAILING] * 8))

    assert copy == rules
    assert [result.passed for result in results] == [True, False] * 8
    assert repr(rules) == "Rules(name='notes')"


def test_results_and_errors_can_be_sent(rules: Rules) -> None:
    for sent in (
        rules.check(FAILING),
        GateError("a", "b"),
        UsageError("OMR-622", "words"),
        InputError("OMR-621", ""),
    ):
        received = pickle.loads(pickle.dumps(sent))

        assert type(received) is type(sent)
        assert str(received) == str(sent)


def test_every_public_name_is_there() -> None:
    assert set(openmed_rules.__all__) <= set(dir(openmed_rules))
    for name in openmed_rules.__all__:
        assert callable(getattr(openmed_rules, name))
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        _ = openmed_rules.other  # type: ignore[attr-defined]


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys; before = {*sys.modules}; import openmed_rules; print({*sys.modules} - before)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert "openmed_rules." not in loaded
    assert "yaml" not in loaded
