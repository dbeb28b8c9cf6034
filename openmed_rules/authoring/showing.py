"""A rule file as it takes effect: after ``extends``, with where each value comes from, and which way it runs."""

from __future__ import annotations

from collections.abc import Iterator

from openmed_rules.authoring.inference.yaml_text import flow, yaml_lines
from openmed_rules.judging.plan.leaves import NotPlanned
from openmed_rules.judging.plan.running import compile_plan
from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.problems import Fault, KeyPath, spell


def effective_lines(file: RuleFile) -> Iterator[str]:
    """What ``file`` says after ``extends``, as YAML, without its tests."""
    for key, value in file.data.items():
        if key != "tests":
            yield from yaml_lines(key, value)


def origin_lines(file: RuleFile) -> Iterator[str]:
    """Each single value, with the file and the line it comes from."""
    said = {key: value for key, value in file.data.items() if key != "tests"}
    values = [(spell(place), place, value) for place, value in _leaves(said, ())]
    width = max(len(name) for name, _, _ in values)
    for name, place, value in values:
        mark = file.marks.problem(Fault("", place, "")).mark
        yield f"{name.ljust(width)}  {mark.file}:{mark.line}  {flow(value)}"


def plan_line(file: RuleFile) -> str:
    """Which way the rule set runs, and where it is not the fast one, why."""
    try:
        compile_plan(file.rules)
    except NotPlanned as reason:
        return f"the general way: the fast way does not take {reason}"
    return "the fast way"


def _leaves(value: object, place: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*place, key))
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for number, item in enumerate(value):
            yield from _leaves(item, (*place, number))
    else:
        yield place, value
