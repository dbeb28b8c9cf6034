"""The declared members of a layout as types that msgspec decodes; every other member is skipped unread."""

from __future__ import annotations

import re
from types import GenericAlias
from typing import Any

import msgspec

from openmed_rules.judging.plan.leaves import Names, NotPlanned

TEXT = str | None
FLAG = bool | None
NUMBER = int | None
IDENTITY = str | int | None
SCALAR = str | int | float | bool | None
UNREAD = msgspec.Raw
"""Of items that are only counted."""
PRESENCE = Any
"""Of a member of which it is only asked whether it is there."""

_NO_MEMBER = re.compile(r'["\\\x00-\x1f]')
"""What the name of a member cannot hold, where msgspec decodes it."""


class Shape:
    """An object of which only some members are declared.

    Each method gives how what it declares is reached from a decoded object (``.a.b``), and refuses a member that
    is read in two ways.
    """

    def __init__(self) -> None:
        """Nothing declared yet."""
        self._members: dict[str, tuple[str, Any]] = {}

    def leaf(self, path: Names, kind: Any) -> str:
        """Declare the value at ``path``; where two locators read it, it is decoded as whatever both accept."""
        inner, way = self._inner(path)
        attribute, known = inner._member(path[-1], kind)
        if isinstance(known, (Shape, Rows)):
            raise NotPlanned(f"{path[-1]} read in two ways")
        inner._members[path[-1]] = (attribute, kind if known is PRESENCE else known | kind)
        return f"{way}.{attribute}"

    def presence(self, path: Names) -> str:
        """Declare that it is asked whether anything is at ``path``."""
        inner, way = self._inner(path)
        attribute, known = inner._member(path[-1], PRESENCE)
        if isinstance(known, Shape):  # One that is not there is decoded as one with nothing in it.
            raise NotPlanned(f"{path[-1]} read in two ways")
        return f"{way}.{attribute}"

    def rows(self, path: Names, item: Shape | Any, *, on_the_way: bool = False) -> str:
        """Declare an array at ``path``, or one value instead of it: objects of a shape, or scalars of a kind.

        ``on_the_way``: its items are only passed, so that an object instead of it would be passed by its members.
        """
        inner, way = self._inner(path)
        rows = Rows(item)
        attribute, known = inner._member(path[-1], rows)
        if known is PRESENCE:
            inner._members[path[-1]], known = (attribute, rows), rows
        if not isinstance(known, Rows) or known.item is not item:
            raise NotPlanned(f"{path[-1]} read in two ways")
        known.is_array |= on_the_way
        return f"{way}.{attribute}"

    def below(self, path: Names) -> Shape | None:
        """The shape of the objects in the array at ``path``, where one is declared."""
        inner, _ = self._inner(path)
        _, known = inner._members.get(path[-1], ("", None))
        return known.item if isinstance(known, Rows) and isinstance(known.item, Shape) else None

    def _inner(self, path: Names) -> tuple[Shape, str]:
        shape, way = self, ""
        for name in path[:-1]:
            attribute, inner = shape._member(name, Shape())
            if not isinstance(inner, Shape):
                raise NotPlanned(f"{name} read in two ways")
            shape, way = inner, f"{way}.{attribute}"
        return shape, way

    def _member(self, name: str, kind: Any) -> tuple[str, Any]:
        return self._members.setdefault(name, (f"m{len(self._members)}", kind))

    def struct(self) -> Any:
        """The type to decode; a member that is left out is None, or an object with nothing in it.

        Raises:
            NotPlanned: the name of a member cannot be decoded.
        """
        if any(map(_NO_MEMBER.search, self._members)):
            raise NotPlanned("a name with a double quote, a backslash or a control character")
        members: list[Any] = []
        for name, (attribute, kind) in self._members.items():
            if isinstance(kind, Shape):
                inner = kind.struct()
                members.append((attribute, inner, msgspec.field(default_factory=inner, name=name)))
            else:
                declared = kind.decoded() | None if isinstance(kind, Rows) else kind
                members.append((attribute, declared, msgspec.field(default=None, name=name)))
        return msgspec.defstruct("Declared", members, gc=False, eq=False, namespace={"__repr__": object.__repr__})


class Rows:
    """An array of objects of one shape, or of scalars of one kind; or one of them instead of an array."""

    def __init__(self, item: Shape | Any) -> None:
        """Items of that shape or kind; ``is_array``: nothing can stand for the array."""
        self.item = item
        self.is_array = item is UNREAD

    def decoded(self) -> Any:
        """The type to decode."""
        item = self.item.struct() if isinstance(self.item, Shape) else self.item
        array = GenericAlias(list, (item,))
        return array if self.is_array else array | item
