"""The values that a plan reads: single members of a record, by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from openmed_rules.judging.nodes import Node
from openmed_rules.judging.references import ITSELF, Reference, compile_reference
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model

Names: TypeAlias = tuple[str, ...]
"""The names of the members that lead to a value; none for the record itself."""


class NotPlanned(Exception):
    """Why a rule set has no plan, in words of the rule file."""


def names_of(path: model.Path) -> Names | None:
    """The names of a path downwards; None where it has other steps."""
    names = tuple(step.name for step in path.steps if isinstance(step, model.Key))
    return None if path.from_case or path.climb or len(names) != len(path.steps) else names


class Leaves(Struct, frozen=True):
    """The values that the locators of a reference read, and the same locators over these values alone.

    ``read``: the paths to the values; the locators find each under its number.
    """

    read: tuple[Names, ...]
    id: model.Locator
    span: model.Span

    def reader(self, *, ignore_malformed: bool) -> Callable[..., Reference]:
        """A function of the values in the order of ``read`` that gives the reference."""
        reference = compile_reference(self.id, self.span, Watch(), ignore_malformed=ignore_malformed)
        names = [str(number) for number in range(len(self.read))]
        return lambda *values: reference(Node(dict(zip(names, values))))


def leaves_of(locator: model.Locator, span: model.Span, name: str) -> Leaves:
    """The leaves of an id and a span; ``name``: what messages call their record.

    Raises:
        NotPlanned: one of them reads more than members.
    """
    if not locator and not span:
        locator = (model.Field((ITSELF,)),)
    flat = _Flattening(name)
    leaves = Leaves(read=(), id=flat.locator(locator), span=tuple(map(flat.span, span)))
    if () in flat.read and len(flat.read) > 1:
        raise NotPlanned(f"{name} that are scalars and objects")
    return replace(leaves, read=tuple(flat.read))


class _Flattening:
    """Locators, each path of which is replaced by the number of the value that it reads."""

    def __init__(self, name: str) -> None:
        self.read: list[Names] = []
        self._name = name

    def locator(self, locator: model.Locator) -> model.Locator:
        return tuple(map(self._form, locator))

    def span(self, form: model.SpanForm) -> model.SpanForm:
        if form.pair or form.each:
            raise NotPlanned(f"pair or each in {self._name}.span")
        parts = {part: self.locator(getattr(form, part)) for part in ("start", "end", "length", "within")}
        return replace(form, **parts)

    def _form(self, form: model.Form) -> model.Form:
        if isinstance(form, model.Composite):
            return model.Composite(tuple(map(self.locator, form.parts)))
        if isinstance(form, model.Field):
            return replace(form, paths=tuple(map(self._path, form.paths)))
        raise NotPlanned(f"a place in {self._name}.id")

    def _path(self, path: model.Path) -> model.Path:
        names = names_of(path)
        if names is None:
            raise NotPlanned(f"a path of {self._name} that is more than names")
        if names not in self.read:
            self.read.append(names)
        number = str(self.read.index(names))
        return model.Path(number, from_case=False, climb=0, steps=(model.Key(number),))
