"""The declared leaves of a layout as types that msgspec decodes; every other member is skipped unread."""

from __future__ import annotations

from types import GenericAlias
from typing import Any

import msgspec

from openmed_rules.judging.plan.layout import NotPlanned

TEXT = str | None
NUMBER = int | None
IDENTITY = str | int | None


class Shape:
    """An object of which only some members are declared.

    Each method gives how what it declares is reached from a decoded object (``.a.b``), and refuses a member that
    is read in two ways.
    """

    def __init__(self) -> None:
        """Nothing declared yet."""
        self._members: dict[str, tuple[str, Any]] = {}

    def leaf(self, path: tuple[str, ...], kind: Any) -> str:
        """Declare the value at ``path``; where two locators read it, it is decoded as whatever both accept."""
        return self._declare(path, kind)

    def scalars(self, path: tuple[str, ...], kind: Any) -> str:
        """Declare an array of scalars at ``path``."""
        return self._declare(path, GenericAlias(list, (kind,)) | None)

    def rows(self, path: tuple[str, ...]) -> tuple[str, Shape]:
        """Declare an array of objects at ``path``; also the shape of its items."""
        shape, way = self, ""
        for name in path[:-1]:
            attribute, inner = shape._object(name)
            shape, way = inner, f"{way}.{attribute}"
        attribute, rows = shape._members.setdefault(path[-1], (f"m{len(shape._members)}", Rows()))
        if not isinstance(rows, Rows):
            raise NotPlanned(f"{path[-1]} read in two ways")
        return f"{way}.{attribute}", rows.item

    def _declare(self, path: tuple[str, ...], kind: Any) -> str:
        if len(path) > 1:
            attribute, inner = self._object(path[0])
            return f".{attribute}{inner._declare(path[1:], kind)}"
        attribute, known = self._members.get(path[0], (f"m{len(self._members)}", kind))
        if isinstance(known, (Shape, Rows)) or (known != kind and list in (_origin(known), _origin(kind))):
            raise NotPlanned(f"{path[0]} read in two ways")
        self._members[path[0]] = (attribute, known | kind)
        return f".{attribute}"

    def _object(self, name: str) -> tuple[str, Shape]:
        attribute, shape = self._members.setdefault(name, (f"m{len(self._members)}", Shape()))
        if not isinstance(shape, Shape):
            raise NotPlanned(f"{name} read in two ways")
        return attribute, shape

    def struct(self) -> Any:
        """The type to decode; a member that is left out is None, or an object with nothing in it."""
        members: list[Any] = []
        for name, (attribute, kind) in self._members.items():
            if isinstance(kind, Shape):
                inner = kind.struct()
                members.append((attribute, inner, msgspec.field(default_factory=inner, name=name)))
            elif isinstance(kind, Rows):
                array = GenericAlias(list, (kind.item.struct(),)) | None
                members.append((attribute, array, msgspec.field(default=None, name=name)))
            else:
                members.append((attribute, kind, msgspec.field(default=None, name=name)))
        return msgspec.defstruct("Declared", members, gc=False, eq=False)


class Rows:
    """An array of objects of one shape."""

    def __init__(self) -> None:
        """Items of which nothing is declared yet."""
        self.item = Shape()


def _origin(kind: Any) -> Any:
    """``list`` for an array of scalars, None for a scalar."""
    return next((list for part in getattr(kind, "__args__", ()) if getattr(part, "__origin__", None) is list), None)
