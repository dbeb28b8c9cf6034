"""The JSON Schema for editors says what the check of a rule file says, as far as both can say it."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from openmed_rules.authoring.rule_schema import rule_file_schema
from openmed_rules.cli.boundary import run
from openmed_rules.ruleset.files import builtin_names, find_builtin
from openmed_rules.ruleset.shape import shape_faults

SCHEMA = rule_file_schema()
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
ONLY_CHECKED = {"OMR-212", "OMR-301", "OMR-302", "OMR-303"}
"""What a JSON Schema cannot say: whether a day, a path or a pattern is one."""

LAYOUTS = {name: yaml.safe_load(find_builtin(name).read_text(encoding="utf-8")) for name in builtin_names()}
WHOLE = [
    {**data, "tests": data["tests"][:1], "policy": {"tolerate": {"omitted_source_fact": {"default": "5%"}}}}
    for name, data in LAYOUTS.items()
    if "extends" not in data and len(json.dumps(data)) < 12_000
]


def keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def schema_keys(value: Any) -> set[str]:
    """Every key that the schema lets a rule file have."""
    if isinstance(value, dict):
        found = set(value["properties"]) if isinstance(value.get("properties"), dict) else set()
        return found.union(*map(schema_keys, value.values()))
    return set().union(*map(schema_keys, value)) if isinstance(value, list) else set()


KEYS = sorted(schema_keys(SCHEMA))
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.just(0.5),
    st.sampled_from(
        ["", "x", "any", "5%", "101%", "records", "position", "following", "text", "^", "evidence", "a" * 201]
    ),
    st.lists(st.sampled_from(["x", 1, None, {"path": "x"}]), max_size=2),
    st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["x", 1, True, None, ["x"]]), max_size=3),
)


def places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for key, item in inner for found in places(item, (*place, key)))]


@st.composite
def rule_files(draw: st.DrawFn) -> Any:
    """A layout with up to three things in it that may be wrong."""
    data = deepcopy(draw(st.sampled_from(WHOLE)))
    for _ in range(draw(st.integers(0, 3))):
        *above, last = draw(st.sampled_from(places(data)[1:] or [("x",)]))
        holder: Any = data
        for step in above:
            holder = holder[step]
        change = draw(st.sampled_from(["drop", "replace", "add"]))
        if change == "add" and isinstance(holder, dict):
            holder[draw(st.sampled_from(KEYS))] = draw(JUNK)
        elif change == "replace":
            holder[last] = draw(JUNK)
        else:
            del holder[last]
    return data


def refused(data: Any) -> list[str]:
    """What the check says, without what only it can say."""
    faults = [fault for fault in shape_faults(data) if fault.code not in ONLY_CHECKED]
    return [f"{fault.place}: {fault.message}" for fault in faults if "control character" not in fault.message]


@settings(max_examples=300, deadline=None)
@given(rule_files())
def test_both_refuse_the_same(data: Any) -> None:
    if "extends" in data:
        return
    errors = [f"{list(error.absolute_path)}: {error.message[:200]}" for error in VALIDATOR.iter_errors(data)]

    assert bool(errors) is bool(refused(data)), (errors, refused(data))


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_is_valid(name: str) -> None:
    VALIDATOR.validate(LAYOUTS[name])


@pytest.mark.parametrize(
    ("said", "valid"),
    [
        ("{extends: healthscribe, policy: {tolerate: {unsupported_claim: 5%}}}", True),
        ("{extends: healthscribe, citations: {span: null}}", True),
        ("{extends: healthscribe, citations: {spam: null}}", False),
        ("{extends: healthscribe, claims: {records: 7}}", False),
        ("{extends: healthscribe, policy: {tolerated: {}}}", False),
    ],
)
def test_a_layer_says_a_part(said: str, valid: bool) -> None:
    assert VALIDATOR.is_valid(yaml.safe_load(said)) is valid


def test_every_key_has_a_description_and_an_example() -> None:
    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.get("properties", {}).items() if isinstance(value.get("properties"), dict) else ():
                if "const" not in inner:
                    assert inner["description"].endswith("."), key
                    assert "examples" in inner, key
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk({key: value for key, value in SCHEMA.items() if key != "definitions"})
    walk(SCHEMA["definitions"])


@pytest.mark.parametrize("arguments", [["schema"], ["schema", "rules"]])
def test_the_command_shows_it(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
