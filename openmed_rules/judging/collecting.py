"""A collection, compiled once: from where it starts to its records, each of one kind or malformed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from openmed_rules.judging.conditions import Condition, compile_where
from openmed_rules.judging.nodes import MALFORMED, Node
from openmed_rules.judging.values import UNUSABLE, refuse_surrogates, refuse_unusable
from openmed_rules.judging.walking import (
    Found,
    Walk,
    compile_reader,
    compile_walk,
    is_record_itself,
    open_array,
)
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model
from openmed_rules.ruleset.patterns import compile_pattern

LONGEST_RANGE = 100_000

Records: TypeAlias = "Callable[[Node], list[Node]]"


def compile_records(sources: Sequence[model.Source], watch: Watch, *, takes_keys: bool, lenient: bool) -> Records:
    """``sources`` as a function from where they start to the records there: those of the first that is there.

    ``takes_keys``: a scalar under an object is a record, known by its key; otherwise it is malformed.
    ``lenient``: a start that is no object holds no records, instead of a malformed one.
    """
    walks = [
        (_compile_source(source, takes_keys=takes_keys, lenient=lenient), place.expect())
        for source, place in watch.each(sources)
    ]

    def records(start: Node) -> list[Node]:
        broken: list[Node] = []
        for walk, place in walks:
            found = Found()
            walk(start, found)
            place.add(len(found.places) if found.there else 0)
            for node in found.places:
                refuse_unusable(node.value)
            if found.there or len(walks) == 1:
                return found.places
            broken = broken or found.places[:1]
        return broken

    name = None if watch.is_on else _only_member(sources)
    return records if name is None else _guarded(name, records)


def _only_member(sources: Sequence[model.Source]) -> str | None:
    """The one member of where ``sources`` start that they read, where they do nothing else."""
    path = sources[0].path
    if len(sources) > 1 or sources[0].form is not None or len(path.steps) > 1 or path.climb or path.from_case:
        return None
    step = path.steps[0] if path.steps else None
    return step.name if type(step) is model.Key else None


def _guarded(name: str, general: Records) -> Records:
    """A shorter way for an array in one member; anything else goes the general way."""

    def records(start: Node) -> list[Node]:
        value = start.value
        if type(value) is dict:
            items = value.get(name)
            if type(items) is list and UNUSABLE not in items:
                array = Node(items, start, name)
                return [Node(item, array, position) for position, item in enumerate(items)]
        return general(start)

    return records


def _compile_source(source: model.Source, *, takes_keys: bool, lenient: bool) -> Walk:
    last = source.path.steps[-1] if source.path.steps else None
    end: Walk
    if is_record_itself(source.path):
        end = _scalar_itself(compile_pieces(source.form)) if source.form is not None else _keep_scalar
    elif source.form is not None:
        end = _each_of_array(compile_pieces(source.form))
    elif type(last) is model.Slice or (type(last) is model.Items and last.opens):
        end = _as_it_is(takes_keys=takes_keys)
    else:
        end = open_array
    return compile_walk(source.path, end, lenient=lenient)


def _keep_scalar(node: Node, found: Found) -> None:
    """The record itself is there only where it is a scalar."""
    if node.value is not None and type(node.value) is not dict and type(node.value) is not list:
        found.add(node)


def _scalar_itself(pieces: Pieces) -> Walk:
    make = _each_of_array(pieces)

    def make_of_scalar(node: Node, found: Found) -> None:
        scalar = Found()
        _keep_scalar(node, scalar)
        if scalar.there:
            make(node, found)

    return make_of_scalar


def _as_it_is(*, takes_keys: bool) -> Walk:
    def keep(node: Node, found: Found) -> None:
        value, under_key = node.value, type(node.key) is str
        if value is None and under_key:
            return
        if under_key and not takes_keys and type(value) is not dict and type(value) is not list:
            found.add(Node(MALFORMED, node.parent, node.key))
        else:
            found.add(node)

    return keep


# --- records made out of one value ----------------------------------------------------------------

Pieces: TypeAlias = Callable[[Node], "Iterable[object]"]


def _each_of_array(pieces: Pieces) -> Walk:
    """Make records of the value, or of each item where it is an array."""

    def make(node: Node, found: Found) -> None:
        values = Found()
        open_array(node, values)
        found.there = True
        for value in values.places:
            found.places.extend(Node(piece, value, number) for number, piece in enumerate(pieces(value)))

    return make


def compile_pieces(form: model.Split | model.FindAll | model.Range) -> Pieces:
    """``form`` as a function of one value that gives the records in it."""
    if type(form) is model.Split:
        separator = form.separator
        return lambda node: _split(node.value, separator)
    if type(form) is model.FindAll:
        return _find_all(form)
    if type(form) is model.Range:
        return _range(form)
    raise TypeError(type(form).__name__)


def _split(value: object, separator: str) -> Iterable[object]:
    if type(value) is int:
        return [value]
    if type(value) is not str:
        refuse_unusable(value)
        return [MALFORMED]
    return value.split(separator) if value.strip() else []


def _find_all(form: model.FindAll) -> Pieces:
    matches = compile_pattern(form.pattern).finditer
    separator = form.separator

    def find(node: Node) -> Iterable[object]:
        if type(node.value) is not str:
            refuse_unusable(node.value)
            return [MALFORMED]
        if not node.value.isascii():
            refuse_surrogates(node.value)
        texts = [match.group(1) for match in matches(node.value)]
        if separator is None:
            return texts
        return [piece for text in texts for piece in _split(text, separator)]

    return find


def _range(form: model.Range) -> Pieces:
    read_first, read_last = compile_reader(form.first), compile_reader(form.last)

    def closed_range(node: Node) -> Iterable[object]:
        first, last = read_first(node), read_last(node)
        refuse_unusable(first)
        refuse_unusable(last)
        if type(first) is not int or type(last) is not int or not first <= last < first + LONGEST_RANGE:
            return [MALFORMED]
        return range(first, last + 1)

    return closed_range


# --- which of them are records of the collection ----------------------------------------------------

Member: TypeAlias = "tuple[Node, int, bool]"
"""One record of a collection, the number of its kind (0 where there are no kinds), and whether it is malformed."""


class LeftOut:
    """How many items the conditions and the ignored kinds of one collection left out."""

    __slots__ = ("ignored", "where")

    def __init__(self) -> None:
        """Nothing yet."""
        self.where = 0
        self.ignored = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.where + self.ignored


Sorting: TypeAlias = Callable[[list[Node], LeftOut], list[Member]]


def compile_sorting(
    where: model.Where,
    kinds: Sequence[model.Kind],
    watch: Watch,
    *,
    scalars_lack_fields: bool,
    numbered: bool,
) -> Sorting:
    """A collection's conditions and kinds as a function from the items found to its records.

    A condition that cannot be judged leaves an item in, as malformed, but makes a kind not hold.
    ``numbered``: a locator asks for a record's position among the records.
    """
    if not where and not kinds and not numbered:
        return lambda nodes, _left_out: [(node, 0, node.value is MALFORMED) for node in nodes]
    condition = _compile_condition(where, watch, scalars_lack_fields=scalars_lack_fields)
    kind_of = _compile_kind(kinds, watch.at("kinds"), scalars_lack_fields=scalars_lack_fields)
    ignored = [kind.ignore for kind in kinds]

    def sort(nodes: list[Node], left_out: LeftOut) -> list[Member]:
        members: list[Member] = []
        ordinal = 0
        for node in nodes:
            malformed = node.value is MALFORMED
            if condition is not None and not malformed:
                holds = condition(node)
                if holds is False:
                    left_out.where += 1
                    continue
                malformed = holds is None
            node.ordinal = ordinal
            ordinal += 1
            kind = 0 if malformed or not kinds else kind_of(node)
            if kind is None:
                members.append((node, 0, True))
            elif kinds and not malformed and ignored[kind]:
                left_out.ignored += 1
            else:
                members.append((node, kind, malformed))
        return members

    return sort


def _compile_condition(where: model.Where, watch: Watch, *, scalars_lack_fields: bool) -> Condition | None:
    if not where:
        return None
    return watch.at("where").reader(compile_where(where, scalars_lack_fields=scalars_lack_fields))


def _compile_kind(
    kinds: Sequence[model.Kind], watch: Watch, *, scalars_lack_fields: bool
) -> Callable[[Node], int | None]:
    """The number of the first kind whose condition holds."""
    conditions = [
        _compile_condition(kind.where, watch.at(kind.name), scalars_lack_fields=scalars_lack_fields) for kind in kinds
    ]

    def kind_of(node: Node) -> int | None:
        for number, holds in enumerate(conditions):
            if holds is None or holds(node):
                return number
        return None

    return kind_of
