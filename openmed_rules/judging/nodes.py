"""Where a value stands: the value, what encloses it, and under which key or position."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, TypeAlias

from msgspec import Struct

from openmed_rules.ruleset import model


class Missing(Enum):
    """Why there is no usable value.

    ``ABSENT``: the field is not there. ``DENIED``: it holds a value that the rule lists as ``absent``.
    ``MALFORMED``: what is there cannot be used.
    """

    ABSENT = "absent"
    DENIED = "denied"
    MALFORMED = "malformed"


ABSENT: Final = Missing.ABSENT
DENIED: Final = Missing.DENIED
MALFORMED: Final = Missing.MALFORMED


class Node(Struct, eq=False, gc=False):
    """A value and where it stands.

    ``value``: any JSON value, or ``MALFORMED`` for a record that could not be reached.
    ``parent``: the array or object around it. ``key``: its member name, or its position counted from 0.
    ``ordinal``: its place among the records of its collection; set only where a locator asks for it.
    """

    value: object
    parent: Node | None = None
    key: str | int | None = None
    ordinal: int = 0

    def __repr__(self) -> str:
        """Nothing of a record."""
        return type(self).__name__


class CaseNode(Node, eq=False, gc=False):
    """The root of one case: where ``$`` starts. Its parents are what all cases of its document share."""


Identity: TypeAlias = "str | tuple[Identity, ...]"
"""An id as it is compared; a tuple is a composite."""


def case_of(node: Node) -> Node:
    """The case in which ``node`` stands."""
    while type(node) is not CaseNode and node.parent is not None:
        node = node.parent
    return node


def enclosing_object(node: Node, levels: int) -> Node | None:
    """The object that encloses ``node``, ``levels`` further up; arrays do not count. None above the root."""
    above: Node | None = node
    for _ in range(levels):
        above = above.parent if above is not None else None
        while above is not None and type(above.value) is not dict:
            above = above.parent
    return above


def pointer_of(node: Node) -> str:
    """The JSON Pointer (RFC 6901) of ``node`` from its case."""
    steps: list[str] = []
    while type(node) is not CaseNode and node.parent is not None:
        steps.append(str(node.key).replace("~", "~0").replace("/", "~1"))
        node = node.parent
    return "".join(f"/{step}" for step in reversed(steps))


class CaseRoots(Struct, frozen=True):
    """Where the collections of one case start. ``summary`` is None for evidence without a summary."""

    summary: Node | None
    evidence: Sequence[Node]

    def starts(self, source: model.Input) -> Sequence[Node]:
        """The cases that a collection ``in`` that input reads."""
        if source == "evidence":
            return self.evidence
        return [] if self.summary is None else [self.summary]
