"""Documents to cases: where the cases of an input stand, and which summary meets which evidence."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TypeAlias, cast

from openmed_rules.judging.locators import IdReader, compile_id
from openmed_rules.judging.nodes import CaseNode, Node
from openmed_rules.judging.parsing import parse_embedded
from openmed_rules.judging.walking import Found, Walk, compile_walk, open_array
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model

Divide: TypeAlias = Callable[[object], list[CaseNode]]


def compile_division(rule: model.InputRule, watch: Watch, *, strict_json: bool) -> Divide:
    """``rule`` as a function from a document's value to its cases.

    A document in which ``cases`` finds nothing is one case that holds nothing; an empty array is no case.
    ``strict_json`` holds for JSON text in fields, too.
    """
    places = watch.at("cases").each(rule.cases)
    walks = [(compile_walk(path, open_array), place.expect()) for path, place in places]
    embedded = [compile_walk(path, open_array, lenient=True) for path in rule.embedded_json]

    def case(value: object, parent: Node | None, key: str | int | None) -> CaseNode:
        for walk in embedded:
            value = _with_embedded(value, walk, strict_json=strict_json)
        return CaseNode(value, parent, key)

    def divide(document: object) -> list[CaseNode]:
        if not walks:
            return [case(document, None, None)]
        root = Node(document)
        for walk, place in walks:
            found = Found()
            walk(root, found)
            place.add(len(found.places) if found.there else 0)
            if found.there:
                return [case(node.value, node.parent, node.key) for node in found.places]
        return [CaseNode(None, root)]

    return divide


def _with_embedded(value: object, walk: Walk, *, strict_json: bool) -> object:
    """``value`` with the JSON text at the places of ``walk`` parsed; what is on the way is copied, never changed."""
    found = Found()
    root = Node(value)
    walk(root, found)
    copies: dict[int, list[object] | dict[str, object]] = {}
    for node in found.places:
        if type(node.value) is not str:
            continue
        parsed = parse_embedded(node.value, strict=strict_json)
        if node.parent is None:
            return parsed
        _put(_copied(node.parent, copies), node.key, parsed)
    return copies.get(id(value), value)


def _copied(node: Node, copies: dict[int, list[object] | dict[str, object]]) -> list[object] | dict[str, object]:
    """The copy of the container at ``node``, made with those around it where there is none yet."""
    known = copies.get(id(node.value))
    if known is None:
        known = copies[id(node.value)] = copy(cast("list[object] | dict[str, object]", node.value))
        if node.parent is not None:
            _put(_copied(node.parent, copies), node.key, known)
    return known


def _put(container: list[object] | dict[str, object], key: str | int | None, value: object) -> None:
    cast("dict[object, object]", container)[key] = value


def compile_join(rule: model.InputRule, watch: Watch) -> IdReader | None:
    """The id by which a case of this input meets one of the other, or None where they meet in order."""
    return compile_id(rule.join, watch.at("join")) if rule.join else None
