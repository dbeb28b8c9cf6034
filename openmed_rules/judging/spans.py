"""A span, compiled once: from a record to exact offsets, or to the reason why it has none.

Offsets count characters (whatever the upstream calls one), half-open and from 0 once they are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from openmed_rules.judging.locators import compile_id, compile_raw, only_name
from openmed_rules.judging.nodes import ABSENT, DENIED, MALFORMED, Identity, Missing, Node
from openmed_rules.judging.values import offset, same_literal
from openmed_rules.judging.walking import Found, compile_walk, open_array
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model

Part: TypeAlias = "tuple[Identity | None, int, int]"
"""Within which document, from which offset, up to which."""
SpanValue: TypeAlias = tuple[Part, ...]
"""One part, or several of a span that is not continuous, in ascending order."""
SpanReader: TypeAlias = "Callable[[Node], SpanValue | Missing]"


def compile_span(span: model.Span, watch: Watch) -> SpanReader:
    """``span`` as a function that gives a record's span by the first form that is there."""
    readers = [_compile_form(form, place) for form, place in watch.each(span)]
    if len(readers) == 1:
        return readers[0]

    def first(node: Node) -> SpanValue | Missing:
        for read in readers:
            value = read(node)
            if value is not ABSENT:
                return value
        return ABSENT

    return first


def _compile_form(form: model.SpanForm, watch: Watch) -> SpanReader:
    read = _compile_part(form, watch)
    if form.each:
        return _compile_each(form, read, watch)

    def one(node: Node) -> SpanValue | Missing:
        part = read(node)
        return part if isinstance(part, Missing) else (part,)

    start, end = only_name(form.start), only_name(form.end)
    refined = form.within or form.closed or form.base or form.absent or watch.is_on
    return one if refined or start is None or end is None else _guarded(start, end, one)


def _guarded(start_name: str, end_name: str, general: SpanReader) -> SpanReader:
    """A shorter way for two integers in two members; anything else goes the general way."""

    def members(node: Node) -> SpanValue | Missing:
        value = node.value
        if type(value) is dict:
            start, end = value.get(start_name), value.get(end_name)
            if type(start) is int and type(end) is int and 0 <= start < end:
                return ((None, start, end),)
        return general(node)

    return members


def _compile_each(form: model.SpanForm, read: Callable[[Node], Part | Missing], watch: Watch) -> SpanReader:
    places = watch.at("each").each(form.each)
    walks = [(compile_walk(path, open_array, lenient=True), place) for path, place in places]

    def each(node: Node) -> SpanValue | Missing:
        found = Found()
        for walk, place in walks:
            walk(node, found)
            place.add(len(found.places))
            if found.places:
                break
        parts = [MALFORMED if part.value is MALFORMED else read(part) for part in found.places]
        known = [part for part in parts if not isinstance(part, Missing)]
        if len(known) != len(parts):
            return MALFORMED
        return tuple(sorted(known, key=_order)) if known else ABSENT

    return each


def _order(part: Part) -> tuple[int, int, str]:
    return part[1], part[2], str(part[0])


def _compile_part(form: model.SpanForm, watch: Watch) -> Callable[[Node], Part | Missing]:
    offsets = _compile_pair(form, watch) if form.pair else _compile_offsets(form, watch)
    within = compile_id(form.within, watch.at("within"), form.absent) if form.within else None
    default = _within_default(form.within)
    base, last = form.base, form.base - form.closed

    def part(node: Node) -> Part | Missing:
        found = offsets(node)
        if isinstance(found, Missing):
            return ABSENT if found is DENIED else found
        start, end = found[0] - base, found[1] - last
        if not 0 <= start < end:
            return MALFORMED
        if within is None:
            return None, start, end
        document = within(node)
        if document is DENIED:
            return ABSENT
        if document is ABSENT:
            document = default
        return MALFORMED if isinstance(document, Missing) else (document, start, end)

    return part


def _within_default(within: model.Locator) -> Identity | Missing:
    defaults = [form.default for form in within if type(form) is model.Field and form.default is not None]
    return str(defaults[0]) if defaults else MALFORMED


Offsets: TypeAlias = "Callable[[Node], tuple[int, int] | Missing]"


def _compile_pair(form: model.SpanForm, watch: Watch) -> Offsets:
    read = compile_raw(form.pair, watch.at("pair"), takes_array=True)
    number = _number_reader(form)

    def pair(node: Node) -> tuple[int, int] | Missing:
        value = read(node)
        if isinstance(value, Missing):
            return value
        if type(value) is not list or len(value) != len(("start", "end")):
            return MALFORMED
        start, end = value
        return _both(number(start), number(end))

    return pair


def _compile_offsets(form: model.SpanForm, watch: Watch) -> Offsets:
    number = _number_reader(form)
    read_start = compile_raw(form.start, watch.at("start"))
    read_end = compile_raw(form.end or form.length, watch.at("end" if form.end else "length"))
    start_default, end_default = _offset_default(form.start), _offset_default(form.end or form.length)

    def offsets(node: Node) -> tuple[int, int] | Missing:
        start, end = number(read_start(node)), number(read_end(node))
        if start is ABSENT and end is ABSENT:
            return ABSENT
        if start is ABSENT and start_default is not None:
            start = start_default
        if end is ABSENT and end_default is not None:
            end = end_default
        return _both(start, end)

    if form.end:
        return offsets

    def with_length(node: Node) -> tuple[int, int] | Missing:
        found = offsets(node)
        return found if isinstance(found, Missing) else (found[0], found[0] + found[1])

    return with_length


def _both(start: int | Missing, end: int | Missing) -> tuple[int, int] | Missing:
    """Two offsets; denied where one of them is, malformed where one of them cannot be used or is left out."""
    if start is DENIED or end is DENIED:
        return DENIED
    if isinstance(start, Missing) or isinstance(end, Missing):
        return MALFORMED
    return start, end


def _offset_default(locator: model.Locator) -> int | None:
    defaults = [form.default for form in locator if type(form) is model.Field and type(form.default) is int]
    return defaults[0] if defaults else None


def _number_reader(form: model.SpanForm) -> Callable[[object], int | Missing]:
    denied, text_numbers = form.absent, form.text_numbers

    def number(value: object) -> int | Missing:
        if value is None:
            return ABSENT
        found = offset(value, text_numbers=text_numbers)
        if denied and any(same_literal(value, literal) or same_literal(found, literal) for literal in denied):
            return DENIED
        return found

    return number
