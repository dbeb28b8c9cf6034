"""A path, compiled once: from where a record stands to every place that the path leads to.

Each step is a closure that holds the step after it, so that walking a path is a chain of plain calls.
A step that meets a value of the wrong type gives one malformed place; it gives none among the values of an
object (which may differ in type) and below ``..`` (which looks at everything).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from openmed_rules.judging.nodes import ABSENT, MALFORMED, Node, case_of, enclosing_object
from openmed_rules.judging.values import refuse_unusable, same_literal
from openmed_rules.ruleset import model


class Found(Struct, eq=False, gc=False):
    """What a walk found: ``places``, and whether anything is ``there`` (an empty array is)."""

    places: list[Node] = []
    there: bool = False

    def add(self, node: Node) -> None:
        """Keep a place that is there."""
        self.places.append(node)
        self.there = True

    def add_malformed(self, node: Node) -> None:
        """Keep that the way broke off at ``node``."""
        refuse_unusable(node.value)
        self.places.append(Node(MALFORMED, node))


class _Reached(Found, eq=False, gc=False):
    """What a walk with several ``..`` found, and where each of these has been: it goes through no place twice."""

    been: dict[object, Any] = {}

    def covers(self, number: int, start: Node) -> bool:
        """Whether the ``..`` of that number has been at ``start``; now it has, and at all that is below.

        A start comes before those below it, as the steps before it are taken from above.
        """
        branch = self.been.setdefault(number, {})
        for key in _way(start):
            if _ALL in branch:
                return True
            branch = branch.setdefault(key, {})
        if _ALL in branch:
            return True
        branch[_ALL] = True
        return False


_ALL = object()


def _way(node: Node) -> tuple[str | int | None, ...]:
    """The keys that lead to ``node`` from above all."""
    keys = []
    while node.parent is not None:
        keys.append(node.key)
        node = node.parent
    return tuple(reversed(keys))


Walk: TypeAlias = Callable[[Node, Found], None]
Reader: TypeAlias = Callable[[Node], object]


def compile_walk(path: model.Path, end: Walk, *, lenient: bool = False) -> Walk:
    """``path`` as a function of the record at hand, which gives each place at its end to ``end``.

    ``lenient``: a record at hand that is no object leads nowhere, instead of to a malformed place.
    """
    along = _along(path.steps, end, lenient=lenient and not path.from_case)
    if path.from_case:
        return lambda node, found: along(case_of(node), found)
    if path.climb:
        return _climb(path.climb, along)
    return along


def compile_reader(path: model.Path, *, lenient: bool = True, takes_array: bool = False) -> Reader:
    """``path`` as a function from the record at hand to the one value it leads to.

    Gives ``ABSENT`` where a field is missing or null, and ``MALFORMED`` where a step meets a wrong type or the
    path leads to several values. ``lenient``: a record that is no object lacks every field. ``takes_array``: the
    record itself (``@``) is there also where it is an array, not only where it is a scalar.
    """
    if is_record_itself(path):
        return _read_array_or_scalar if takes_array else _read_scalar
    names = tuple(step.name for step in path.steps if type(step) is model.Key)
    # What ``$`` and ``^`` start at is never the record at hand.
    lenient = lenient or path.from_case or path.climb > 0
    if len(names) == len(path.steps) and (lenient or not names):
        read = _read_members(names)
    else:
        read = _read_only(path.steps, lenient=lenient)
    if path.from_case:
        return lambda node: read(case_of(node))
    if path.climb:
        return _read_above(path.climb, read)
    return read


def is_record_itself(path: model.Path) -> bool:
    """Whether ``path`` is ``@`` alone."""
    return not path.steps and not path.from_case and not path.climb


def _read_scalar(node: Node) -> object:
    value = node.value
    return ABSENT if value is None or type(value) is dict or type(value) is list else value


def _read_array_or_scalar(node: Node) -> object:
    return node.value if type(node.value) is list else _read_scalar(node)


def _read_members(names: tuple[str, ...]) -> Reader:
    """Member by member, without a walk: nearly every locator is of this kind."""
    if len(names) == 1:
        (name,) = names

        def member(node: Node) -> object:
            value = node.value
            if type(value) is dict:
                value = value.get(name)
                return ABSENT if value is None else value
            return ABSENT

        return member

    def members(node: Node) -> object:
        value = node.value
        if type(value) is not dict and names:
            return ABSENT
        for name in names:
            if type(value) is not dict:
                refuse_unusable(value)
                return MALFORMED
            value = value.get(name)
            if value is None:
                return ABSENT
        return ABSENT if value is None else value

    return members


def _read_only(steps: Sequence[model.Step], *, lenient: bool) -> Reader:
    walk = _along(steps, _keep, lenient=lenient)

    def only(node: Node) -> object:
        found = Found()
        if not lenient and node.value is None:
            return MALFORMED
        walk(node, found)
        there = [place.value for place in found.places if place.value is not None]
        if len(there) > 1:
            return MALFORMED
        return there[0] if there else ABSENT

    return only


def _keep(node: Node, found: Found) -> None:
    found.add(node)


def _climb(levels: int, along: Walk) -> Walk:
    def climb(node: Node, found: Found) -> None:
        above = enclosing_object(node, levels)
        if above is not None:
            along(above, found)

    return climb


def _read_above(levels: int, read: Reader) -> Reader:
    def read_above(node: Node) -> object:
        above = enclosing_object(node, levels)
        return ABSENT if above is None else read(above)

    return read_above


def _along(steps: Sequence[model.Step], end: Walk, *, lenient: bool) -> Walk:
    walk = _link(steps, end, lenient=lenient)
    return _once(walk) if sum(type(step) is model.Descend for step in steps) > 1 else walk


def _once(walk: Walk) -> Walk:
    """A place that is reached twice counts once."""

    def walk_once(start: Node, found: Found) -> None:
        reached = _Reached()
        walk(start, reached)
        found.there = found.there or reached.there
        first: dict[object, Node] = {}
        for node in reached.places:
            first.setdefault(_way(node), node)
        found.places += first.values()

    return walk_once


def _link(steps: Sequence[model.Step], end: Walk, *, lenient: bool = False) -> Walk:
    """The chain of ``steps`` before ``end``. ``lenient``: the first step passes over what has a wrong type.

    It is made from its end, each step once of either kind: the number of closures does not double from step to step.
    """
    strictly = leniently = end
    for number, step in reversed([*enumerate(steps)]):
        strictly, leniently = (
            _linked(step, number, strictly, leniently, lenient=False),
            _linked(step, number, strictly, leniently, lenient=True),
        )
    return leniently if lenient else strictly


def _linked(step: model.Step, number: int, then: Walk, then_leniently: Walk, *, lenient: bool) -> Walk:
    """One step before the rest of its chain. ``number``: which of the path it is."""
    if type(step) is model.Items:
        return _items(then, then_leniently, lenient=lenient)
    if type(step) is model.Descend:
        return _descend(then_leniently, number)
    if type(step) is model.Key:
        return _key(step.name, then, lenient=lenient)
    if type(step) is model.Index:
        return _index(step.number, then, lenient=lenient)
    if type(step) is model.Slice:
        return _slice(slice(step.start, step.stop, step.step), then, lenient=lenient)
    if type(step) is model.Filter:
        return _filter(step.tests, then, lenient=lenient)
    raise TypeError(type(step).__name__)


def _key(name: str, then: Walk, *, lenient: bool) -> Walk:
    def key(node: Node, found: Found) -> None:
        value = node.value
        if type(value) is dict:
            member = value.get(name)
            if member is not None:
                then(Node(member, node, name), found)
        elif value is not None and not lenient:
            found.add_malformed(node)

    return key


def _items(then: Walk, then_of_object: Walk, *, lenient: bool) -> Walk:
    def items(node: Node, found: Found) -> None:
        value = node.value
        if type(value) is list:
            found.there = found.there or not value
            for position, item in enumerate(value):
                then(Node(item, node, position), found)
        elif type(value) is dict:
            found.there = found.there or not value
            for name, member in value.items():
                then_of_object(Node(member, node, name), found)
        elif value is not None and not lenient:
            found.add_malformed(node)

    return items


def _index(number: int, then: Walk, *, lenient: bool) -> Walk:
    def index(node: Node, found: Found) -> None:
        value = node.value
        if type(value) is list:
            position = number if number >= 0 else len(value) + number
            if 0 <= position < len(value) and value[position] is not None:
                then(Node(value[position], node, position), found)
        elif value is not None and not lenient:
            found.add_malformed(node)

    return index


def _slice(part: slice, then: Walk, *, lenient: bool) -> Walk:
    def some(node: Node, found: Found) -> None:
        value = node.value
        if type(value) is list:
            found.there = found.there or not value
            for position in range(*part.indices(len(value))):
                then(Node(value[position], node, position), found)
        elif value is not None and not lenient:
            found.add_malformed(node)

    return some


def _filter(tests: Sequence[model.Equals], then: Walk, *, lenient: bool) -> Walk:
    def holds(item: object) -> bool:
        return all(same_literal(_inner(item, test.keys), test.literal) for test in tests)

    def kept(node: Node, found: Found) -> None:
        value = node.value
        if type(value) is list:
            found.there = found.there or not value
            for position, item in enumerate(value):
                if holds(item):
                    then(Node(item, node, position), found)
        elif type(value) is dict:
            for name, member in value.items():
                if holds(member):
                    then(Node(member, node, name), found)
        elif value is not None and not lenient:
            found.add_malformed(node)

    return kept


def _inner(value: object, keys: Sequence[str]) -> object:
    for name in keys:
        if type(value) is not dict or name not in value:
            return ABSENT
        value = value[name]
    return value


def _descend(then: Walk, number: int) -> Walk:
    def descend(node: Node, found: Found) -> None:
        if type(found) is _Reached and found.covers(number, node):
            return
        # A stack, not recursion: a document may be nested deeper than Python calls may be.
        waiting = [node]
        while waiting:
            here = waiting.pop()
            then(here, found)
            value = here.value
            if type(value) is dict:
                below = [Node(member, here, name) for name, member in value.items()]
            elif type(value) is list:
                below = [Node(item, here, position) for position, item in enumerate(value)]
            else:
                continue
            waiting.extend(reversed(below))

    return descend


def open_array(node: Node, found: Found) -> None:
    """Keep the items of an array, or the one value that is no array; null is none."""
    value = node.value
    if type(value) is list:
        found.there = True
        found.places += [Node(item, node, position) for position, item in enumerate(value)]
    elif value is not None:
        found.add(node)
