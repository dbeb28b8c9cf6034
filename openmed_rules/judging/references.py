"""The references of a citation or an evidence record, compiled once: its id, its span, and whether one is malformed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from openmed_rules.judging.locators import IdReader, compile_id, only_name
from openmed_rules.judging.nodes import MALFORMED, Identity, Missing, Node
from openmed_rules.judging.spans import SpanValue, compile_span
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model

ITSELF = model.Path("@", from_case=False, climb=0, steps=())
"""Where a collection says neither ``id`` nor ``span``, the record is its own id."""


Reference: TypeAlias = "tuple[Identity | None, SpanValue | None, bool]"
"""What a record carries to be matched: its id and its span (None: not there), and whether a field is malformed."""

NO_REFERENCE: Reference = (None, None, False)
BROKEN: Reference = (None, None, True)
"""Judged alike; that one of them is malformed is told to whoever asks why a citation fails."""

ReferenceReader: TypeAlias = Callable[[Node], Reference]


class KindReader(NamedTuple):
    """One kind of a collection: its name (None: the collection has no kinds) and how its references are read."""

    name: str | None
    read: ReferenceReader


def compile_kinds(
    collection: model.Citations | model.Evidence, watch: Watch, *, ignore_malformed: bool
) -> tuple[KindReader, ...]:
    """How the references of each kind of ``collection`` are read; one kind where it has none."""

    def reader(of: model.Kind | model.Citations | model.Evidence, place: Watch) -> ReferenceReader:
        return compile_reference(of.id, of.span, place, ignore_malformed=ignore_malformed)

    if not collection.kinds:
        return (KindReader(collection.kind, reader(collection, watch)),)
    places = watch.at("kinds")
    return tuple(
        KindReader(kind.name, reader(kind, Watch() if kind.ignore else places.at(kind.name)))
        for kind in collection.kinds
    )


def compile_reference(
    locator: model.Locator, span: model.Span, watch: Watch, *, ignore_malformed: bool
) -> ReferenceReader:
    """A record's locators as one function. ``ignore_malformed``: what cannot be used counts as absent."""
    if not span:
        read_only_id = compile_id(locator or (model.Field((ITSELF,)),), watch.at("id"))
        return _id_only(read_only_id, ignore_malformed=ignore_malformed)
    read_span = compile_span(span, watch.at("span"))
    read_id = compile_id(locator, watch.at("id"))

    def reference(node: Node) -> Reference:
        identity, offsets = read_id(node), read_span(node)
        broken = identity is MALFORMED or offsets is MALFORMED
        return (
            None if isinstance(identity, Missing) else identity,
            None if isinstance(offsets, Missing) else offsets,
            broken and not ignore_malformed,
        )

    names = None if watch.is_on else _member_names(locator, span)
    return reference if names is None else _guarded(*names, reference)


def _member_names(locator: model.Locator, span: model.Span) -> tuple[str, str, str] | None:
    """The members of an id and a span that are three members and no more."""
    form = span[0]
    refined = form.within or form.closed or form.base or form.absent
    identity, start, end = only_name(locator), only_name(form.start), only_name(form.end)
    if len(span) > 1 or refined or identity is None or start is None or end is None:
        return None
    return identity, start, end


def _guarded(id_name: str, start_name: str, end_name: str, general: ReferenceReader) -> ReferenceReader:
    """A shorter way for an ASCII id, two integers or both in three members; anything else goes the general way."""

    def members(node: Node) -> Reference:
        value = node.value
        if type(value) is dict:
            identity, start, end = value.get(id_name), value.get(start_name), value.get(end_name)
            if identity is not None:
                identity = identity.strip() if type(identity) is str and identity.isascii() else None
                if not identity:
                    return general(node)
            if type(start) is int and type(end) is int and 0 <= start < end:
                return identity, ((None, start, end),), False
            if start is None and end is None:
                return identity, None, False
        return general(node)

    return members


def _id_only(read_id: IdReader, *, ignore_malformed: bool) -> ReferenceReader:
    broken = NO_REFERENCE if ignore_malformed else BROKEN

    def reference(node: Node) -> Reference:
        identity = read_id(node)
        if isinstance(identity, Missing):
            return broken if identity is MALFORMED else NO_REFERENCE
        return identity, None, False

    return reference


def takes_keys(collection: model.Collection) -> bool:
    """Whether an id of ``collection`` is the key under which its record stands."""
    return _has_place(collection, lambda place: place.what == "key")


def counts_records(collection: model.Collection) -> bool:
    """Whether an id of ``collection`` is the record's position among the records of the collection."""
    return _has_place(collection, lambda place: place.among_records)


def _has_place(collection: model.Collection, wanted: Callable[[model.Place], bool]) -> bool:
    kinds = () if isinstance(collection, model.Claims) else collection.kinds
    locators = [collection.id, *(kind.id for kind in kinds)]
    return any(_reads(form, wanted) for locator in locators for form in locator)


def _reads(form: model.Form, wanted: Callable[[model.Place], bool]) -> bool:
    if isinstance(form, model.Composite):
        return any(_reads(inner, wanted) for part in form.parts for inner in part)
    return isinstance(form, model.Place) and wanted(form)
