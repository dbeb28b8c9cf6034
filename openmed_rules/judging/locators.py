"""A locator, compiled once: from a record to its id, or to the reason why it has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from openmed_rules.judging.nodes import (
    ABSENT,
    DENIED,
    MALFORMED,
    Identity,
    Missing,
    Node,
    enclosing_object,
    pointer_of,
)
from openmed_rules.judging.values import id_text, same_literal
from openmed_rules.judging.walking import Found, Reader, compile_reader, compile_walk, open_array
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model
from openmed_rules.ruleset.patterns import compile_pattern

IdReader: TypeAlias = Callable[[Node], "Identity | Missing"]


def compile_id(locator: model.Locator, watch: Watch, denied: Sequence[model.Scalar] = ()) -> IdReader:
    """``locator`` as a function that gives a record's id.

    The first form that is there decides; only a value that a ``capture`` does not match lets the next one try.
    ``denied``: further values that mean "not there".
    """
    readers = [(_compile_form(form, place, denied), _may_fall(form)) for form, place in watch.each(locator)]
    if len(readers) == 1:
        return readers[0][0]

    def first(node: Node) -> Identity | Missing:
        why: Missing = ABSENT
        for read, falls in readers:
            identity = read(node)
            if identity is MALFORMED and falls:
                why = MALFORMED
            elif identity is DENIED and why is ABSENT:
                why = DENIED
            elif identity is not ABSENT and identity is not DENIED:
                return identity
        return why

    return first


def _may_fall(form: model.Form) -> bool:
    return type(form) is model.Field and form.capture is not None


def compile_ids(locator: model.Locator, watch: Watch) -> Callable[[Node], list[Identity | Missing]]:
    """``locator`` as a function that gives every id of a record: a path may lead to several values."""
    plain = compile_id(locator, watch)
    if any(type(form) is not model.Field or form.capture is not None for form in locator):
        return lambda node: [identity] if (identity := plain(node)) not in (ABSENT, DENIED) else []
    fields = [form for form in locator if type(form) is model.Field]
    paths = [(path, field.absent) for field in fields for path in field.paths]
    walks = [
        (compile_walk(path, open_array, lenient=True), absent, place.expect())
        for (path, absent), place in watch.each(paths)
    ]

    def every(node: Node) -> list[Identity | Missing]:
        for walk, absent, watched in walks:
            found = Found()
            walk(node, found)
            values = [
                place.value
                for place in found.places
                if not any(same_literal(place.value, literal) for literal in absent)
            ]
            watched.add(len(values), values)
            if values:
                return [id_text(value) for value in values]
        return []

    return every


def compile_raw(locator: model.Locator, watch: Watch, *, takes_array: bool = False) -> Reader:
    """``locator`` (fields only) as a function that gives the value as it stands, unused yet."""
    fields = [form for form in locator if type(form) is model.Field]
    readers = [_field_reader(field, place, (), takes_array=takes_array) for field, place in watch.each(fields)]
    return readers[0] if len(readers) == 1 else _first_there(readers)


def _compile_form(form: model.Form, watch: Watch, denied: Sequence[model.Scalar]) -> IdReader:
    if type(form) is model.Field:
        return _field_id(form, watch, denied)
    if type(form) is model.Place:
        return _place_id(form)
    if type(form) is model.Composite:
        return _composite_id(form, watch, denied)
    raise TypeError(type(form).__name__)


def _field_id(field: model.Field, watch: Watch, denied: Sequence[model.Scalar]) -> IdReader:
    read = _field_reader(field, watch, denied)
    if field.capture is not None:
        return _captured(read, field.capture)

    def identity(node: Node) -> Identity | Missing:
        return id_text(read(node))

    name = None if denied or watch.is_on else only_name((field,))
    return identity if name is None else _guarded(name, identity)


def only_name(locator: model.Locator) -> str | None:
    """The one member of the record that ``locator`` reads, where it does nothing else."""
    form = locator[0] if len(locator) == 1 else None
    if not isinstance(form, model.Field) or len(form.paths) != 1:
        return None
    path = form.paths[0]
    plain = len(path.steps) == 1 and not path.from_case and not path.climb
    refined = form.absent or form.capture is not None or form.default is not None
    step = path.steps[0] if plain and not refined else None
    return step.name if isinstance(step, model.Key) else None


def _guarded(name: str, general: IdReader) -> IdReader:
    """A shorter way for an id that is ASCII text in one member; anything else goes the general way."""

    def member(node: Node) -> Identity | Missing:
        value = node.value
        if type(value) is dict:
            text = value.get(name)
            if type(text) is str and text.isascii():
                text = text.strip()
                if text:
                    return text
        return general(node)

    return member


def _field_reader(
    field: model.Field, watch: Watch, denied: Sequence[model.Scalar], *, takes_array: bool = False
) -> Reader:
    readers = [compile_reader(path, takes_array=takes_array) for path in field.paths]
    absent = (*field.absent, *denied)
    if absent:
        readers = [_denying(read, absent) for read in readers]
    several = watch if len(readers) == 1 else watch.at("path")
    readers = [place.reader(read) for read, place in several.each(readers)]
    return readers[0] if len(readers) == 1 else _first_there(readers)


def _denying(read: Reader, absent: Sequence[model.Scalar]) -> Reader:
    def deny(node: Node) -> object:
        value = read(node)
        return DENIED if any(same_literal(value, literal) for literal in absent) else value

    return deny


def _first_there(readers: Sequence[Reader]) -> Reader:
    def first(node: Node) -> object:
        why = ABSENT
        for read in readers:
            value = read(node)
            if value is DENIED:
                why = DENIED
            elif value is not ABSENT:
                return value
        return why

    return first


def _captured(read: Reader, pattern: str) -> IdReader:
    match = compile_pattern(pattern).fullmatch

    def capture(node: Node) -> Identity | Missing:
        value = read(node)
        if value is ABSENT or value is DENIED:
            return value
        # Reading the text as an id first refuses what no id may hold.
        found = match(value) if type(value) is str and id_text(value) is not MALFORMED else None
        if found is None:
            return MALFORMED
        groups = [id_text(group) for group in found.groups()]
        if any(group is MALFORMED for group in groups):
            return MALFORMED
        texts = tuple(group for group in groups if type(group) is str)
        return texts[0] if len(texts) == 1 else texts

    return capture


def _place_id(place: model.Place) -> IdReader:
    if place.what == "pointer":
        return lambda node: id_text(pointer_of(node))
    if place.what == "key":
        return lambda node: id_text(node.key) if type(node.key) is str else ABSENT
    base, levels = place.base, place.climb
    if place.among_records:
        return lambda node: str(node.ordinal + base)

    def position(node: Node) -> Identity | Missing:
        stands = enclosing_object(node, levels) if levels else node
        return str(stands.key + base) if stands is not None and type(stands.key) is int else ABSENT

    return position


def _composite_id(composite: model.Composite, watch: Watch, denied: Sequence[model.Scalar]) -> IdReader:
    places = watch.at("parts").each(composite.parts)
    readers = [(compile_id(part, place, denied), _default_of(part)) for part, place in places]

    def parts(node: Node) -> Identity | Missing:
        read = [(reader(node), default) for reader, default in readers]
        if all(part is ABSENT or part is DENIED for part, _ in read):
            return ABSENT
        whole: list[Identity] = []
        for part, default in read:
            used = default if part is ABSENT or part is DENIED else part
            if isinstance(used, Missing):
                return MALFORMED
            whole.append(used)
        return tuple(whole)

    return parts


def _default_of(part: model.Locator) -> Identity | Missing:
    """What stands in for a part that is not there."""
    defaults = [form.default for form in part if type(form) is model.Field and form.default is not None]
    return id_text(defaults[0]) if defaults else ABSENT
