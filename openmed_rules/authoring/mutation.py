"""A rule file with one thing wrong, again and again: what its own tests do not notice is a hole in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from openmed_rules.authoring.rule_tests import all_pass
from openmed_rules.ruleset.loader import RuleFile, load_rule_mapping
from openmed_rules.ruleset.problems import KeyPath, Mark, RuleFileError, Spot

_REMOVED = object()
_SECTIONS = ("inputs", "claims", "citations", "evidence")
_NO_PATHS = frozenset(
    {
        "absent",
        "base",
        "capture",
        "default",
        "find_all",
        "in",
        "kind",
        "labels",
        "numbers",
        "place",
        "siblings",
        "split",
    }
)
"""Keys whose values are no paths."""
_LAST_NAME = re.compile(r"[A-Za-z_][\w-]*(?=[^A-Za-z_]*$)")
_PLACES = ("position", "key", "pointer")


class Mutant(Struct, frozen=True):
    """One change: where in the effective rule file, what was done, and the value that stands there now.

    ``also``: the other places of what stands there once, and is repeated by aliases.
    """

    place: KeyPath
    what: str
    value: Any
    also: tuple[KeyPath, ...] = ()


class MutationRun(Struct, frozen=True):
    """How many mutants there were, and those that no test noticed, each with its line."""

    tried: int
    survivors: tuple[tuple[Mark, Mutant], ...]


def run_mutants(file: RuleFile, mutants: Sequence[Mutant] | None = None) -> MutationRun:
    """Run the tests of ``file`` against ``mutants`` of it, by default every one; a refusal at load is noticed, too.

    What stands once in the file is changed once, wherever an alias repeats it.
    """
    spots = file.marks.spots
    mutants = _written_once(mutants if mutants is not None else (*mutants_of(file.data), *_aliases(spots)), spots)
    survivors = tuple((_mark(file, mutant), mutant) for mutant in mutants if _survives(file, mutant))
    return MutationRun(len(mutants), survivors)


def _survives(file: RuleFile, mutant: Mutant) -> bool:
    try:
        rules = load_rule_mapping(_changed(file.data, mutant))
    except RuleFileError:
        return False
    return all_pass(file.tests, rules)


def _aliases(spots: Mapping[KeyPath, Spot]) -> Iterator[Mutant]:
    """Every key whose value is an alias, without it."""
    first: dict[Mark, Mark] = {}
    for place, spot in spots.items():
        if spot.key is not None and place[0] in _SECTIONS:
            key = spot.key.mark
            if first.setdefault(spot.value.mark, key) != key:
                yield Mutant(place, "alias dropped", _REMOVED)


def _written_once(mutants: Iterable[Mutant], spots: Mapping[KeyPath, Spot]) -> list[Mutant]:
    """One mutant of all those that change the same text of the file."""
    alike: dict[tuple[Mark | KeyPath, str | int, str], list[Mutant]] = {}
    for mutant in mutants:
        holder, key = mutant.place[:-1], mutant.place[-1]
        text = spots[holder].value.mark if holder in spots else holder
        alike.setdefault((text, key, mutant.what), []).append(mutant)
    return [replace(first, also=tuple(other.place for other in others)) for first, *others in alike.values()]


def _mark(file: RuleFile, mutant: Mutant) -> Mark:
    place = mutant.place
    while place and place not in file.marks.spots:
        place = place[:-1]
    if not place:
        return Mark(file.name, 1, 1)
    spot = file.marks.spots[place]
    return (spot.key or spot.value).mark


def _changed(data: Mapping[str, Any], mutant: Mutant) -> dict[str, Any]:
    """``data`` without its tests, and with the mutant's value in its places."""
    whole: dict[str, Any] = {key: deepcopy(value) for key, value in data.items() if key not in {"tests", "extends"}}
    for place in (mutant.place, *mutant.also):
        holder: Any = whole
        for step in place[:-1]:
            holder = holder[step]
        if mutant.value is _REMOVED:
            del holder[place[-1]]
        else:
            holder[place[-1]] = mutant.value
    return whole


def mutants_of(data: Mapping[str, Any]) -> Iterator[Mutant]:
    """Every mutant: a path misspelt, a convention flipped, a condition or an alternative dropped, a tolerance moved."""
    for section in _SECTIONS:
        if section in data:
            yield from _in_section((section,), data[section])
    tolerate = (data.get("policy") or {}).get("tolerate") or {}
    for reason, amount in tolerate.items():
        yield from _moved(("policy", "tolerate", reason), amount)


def _in_section(place: KeyPath, value: object) -> Iterator[Mutant]:
    key = place[-1]
    if isinstance(value, str):
        yield from _misspelt(place, value)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            if len(value) > 1:
                yield Mutant((*place, number), "dropped from its list", _REMOVED)
            yield from _in_section((*place, number), item)
    elif isinstance(value, dict):
        if key == "where":
            yield from _conditions(place, value)
            return
        yield from _conventions(place, value)
        for name, inner in value.items():
            if key == "kinds":
                yield Mutant((*place, name), "kind dropped", _REMOVED)
            if name not in _NO_PATHS:
                yield from _in_section((*place, name), inner)


def _misspelt(place: KeyPath, path: str) -> Iterator[Mutant]:
    name = _LAST_NAME.search(path)
    if name:
        yield Mutant(place, "path misspelt", f"{path[: name.end()]}_{path[name.end() :]}")


def _conditions(place: KeyPath, where: Mapping[str, Any]) -> Iterator[Mutant]:
    yield Mutant(place, "`where` dropped", _REMOVED)
    for path, wanted in where.items():
        rest = {other: value for other, value in where.items() if other != path}
        if rest:
            yield Mutant(place, f"condition on {path} dropped", rest)
        for misspelt in _misspelt(place, path):
            yield Mutant(place, f"condition on {path} misspelt", rest | {misspelt.value: wanted})


def _conventions(place: KeyPath, form: Mapping[str, Any]) -> Iterator[Mutant]:
    if {"start", "pair"} & form.keys():
        yield Mutant((*place, "base"), "base flipped", 0 if form.get("base") else 1)
        if "length" not in form:
            yield Mutant((*place, "closed"), "closed flipped", not form.get("closed", False))
    if "place" in form:
        others = [word for word in _PLACES if word != form["place"]]
        yield from (Mutant((*place, "place"), f"place is {word}", word) for word in others)
        if form["place"] == "position":
            yield Mutant((*place, "base"), "base flipped", 0 if form.get("base") else 1)
    for key in (
        "absent",
        "capture",
        "default",
        "of",
        "among",
        "merge",
        "supports",
        "numbers",
        "follow",
        "embedded_json",
    ):
        if key in form:
            yield Mutant((*place, key), f"`{key}` dropped", _REMOVED)


def _moved(place: KeyPath, amount: object) -> Iterator[Mutant]:
    if isinstance(amount, dict):
        for label, of_class in amount.items():
            yield from _moved((*place, label), of_class)
        return
    yield Mutant(place, "tolerance dropped", _REMOVED)
    if amount != "any":
        yield Mutant(place, "tolerance made any", "any")
    if isinstance(amount, int) and not isinstance(amount, bool):
        yield Mutant(place, "tolerance made one more", amount + 1)
