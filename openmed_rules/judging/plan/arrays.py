"""Expressions of a plan's loop: where records stand, and which of them a condition keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from openmed_rules.judging.plan.layout import Condition, Literals, Records, Way
from openmed_rules.judging.plan.leaves import NotPlanned
from openmed_rules.judging.plan.shape import FLAG, IDENTITY, TEXT, UNREAD, Shape
from openmed_rules.ruleset import model


def indented(lines: Iterable[str]) -> Iterator[str]:
    """``lines`` as a block."""
    return (f"    {line}" for line in lines)


def kind_of_scalar(records: Records) -> Any:
    """What the records of a collection may be that are scalars, cut, or not read; None where they are objects."""
    if records.pieces is not None:
        return str if isinstance(records.pieces, model.FindAll) else str | int
    if records.is_unread and not records.condition:
        return UNREAD
    return IDENTITY if records.is_bare else None


def array_at(ways: Sequence[Way], start: str, shape: Shape, scalar: Any = None) -> tuple[str, Any]:
    """An expression for what stands at the first of ``ways`` that is there, and what one record of it is.

    ``start``: an expression for the object of ``shape`` at which they start. ``scalar``: the kind of records that
    are scalars; others are objects, of which the shape is given.
    """
    if len(ways) == 1:
        return _array(ways[0], start, shape, scalar)
    paths = [tuple(name for name in way if name is not None) for way in ways]
    known = [below for path in paths if (below := shape.below(path)) is not None]
    item = scalar or (known[0] if known else Shape())
    places = [f"{start}{shape.rows(path, item)}" for path in paths]
    *others, last = places
    return "".join(f"{place} if {place} is not None else " for place in others) + last, item


def _array(way: Way, start: str, shape: Any, scalar: Any) -> tuple[str, Any]:
    if not way:
        return start, shape
    if not isinstance(shape, Shape):
        raise NotPlanned("scalars that are read as objects")
    names = tuple(name for name in takewhile(lambda name: name is not None, way) if name is not None)
    rest = way[len(names) + 1 :]
    item = scalar if scalar and not rest else shape.below(names) or Shape()
    place = f"{start}{shape.rows(names, item, on_the_way=bool(rest))}"
    if not rest:
        return place, item
    inner, item = _array(rest, "outer", item, scalar)
    return f"[inner for outer in {place} or () for inner in opened({inner})]", item


def opened(name: str, place: str) -> Iterator[str]:
    """Lines that put what stands at ``place`` into ``name``, as a list."""
    yield f"{name} = {place}"
    yield f"if type({name}) is not list:"
    yield f"    {name} = () if {name} is None else ({name},)"


def filtered(condition: Condition, name: str, shape: Any, left: str) -> Iterator[str]:
    """Lines that leave out of ``name`` what ``condition`` leaves out, counted in ``left``."""
    if condition:
        yield f"kept = [record for record in {name} if {holds(condition, 'record', shape)}]"
        yield f"{left} += len({name}) - len(kept)"
        yield f"{name} = kept"


def holds(condition: Condition, record: str, shape: Any) -> str:
    """An expression that tells whether ``condition`` holds for ``record``."""
    if not condition:
        return "True"
    if not isinstance(shape, Shape):
        raise NotPlanned("a condition on scalars")
    return " or ".join(f"({' and '.join(_test(test, record, shape) for test in tests)})" for tests in condition)


def _test(test: Literals, record: str, shape: Shape) -> str:
    operator = "not in" if test.negated else "in"
    kind = next((type(literal) for literal in test.wanted if literal is not None), None)
    if kind is None:
        return f"{record}{shape.presence(test.path)} {operator} NOTHING"
    return f"{record}{shape.leaf(test.path, TEXT if kind is str else FLAG)} {operator} {test.wanted!r}"
