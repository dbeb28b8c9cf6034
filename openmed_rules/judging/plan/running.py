"""A plan, ready to judge cases: the functions of its layout, compiled, with what they call."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import msgspec

from openmed_rules.judging.collecting import compile_pieces
from openmed_rules.judging.evidence import EvidenceIndex, Table
from openmed_rules.judging.judge import Weighing
from openmed_rules.judging.nodes import Missing, Node
from openmed_rules.judging.plan.layout import Layout, layout_of
from openmed_rules.judging.plan.source import INPUTS, Source, source_of
from openmed_rules.judging.references import Reference
from openmed_rules.judging.spans import Part, SpanValue
from openmed_rules.judging.values import id_text
from openmed_rules.results.counts import NO_CLASSES, Counts
from openmed_rules.results.gate import Limits
from openmed_rules.ruleset import model

Decode = Callable[[bytes], "Sequence[Any] | None"]


class Plan(msgspec.Struct, frozen=True):
    """A rule set that can go the fast way.

    ``cases``: by input, a function of a JSON text that gives its decoded cases, or None where the text must go the
    general way. ``judge``: the counts of a summary case and its evidence case (None where the rules read none), or
    None where these must.
    """

    cases: dict[model.Input, Decode]
    judge: Callable[[Any, Any], Counts | None]


def compile_plan(rules: model.RuleSet) -> Plan:
    """The plan of ``rules``.

    Raises:
        NotPlanned: the fast way cannot take this rule set.
    """
    layout = layout_of(rules)
    source, names = compile_source(rules, layout)
    return Plan(
        {name: decoder(source.documents[name], names[f"{name}_cases"]) for name in INPUTS},
        names["judge"],
    )


def compile_source(rules: model.RuleSet, layout: Layout, *, in_slices: bool = False) -> tuple[Source, dict[str, Any]]:
    """The source of ``rules`` and the functions that it defines; ``in_slices`` as in ``source_of``."""
    source = source_of(layout, in_slices=in_slices)
    names: dict[str, Any] = {
        **{called.__name__: called for called in _CALLED},
        **dict(_readers(layout, ignore_malformed=rules.policy.malformed == "ignore")),
        "NOTHING": (None,),
        "NO_CLASSES": NO_CLASSES,
        "counted": counted,
        "settled": Limits.of(rules.policy).settled,
        "NOTHING_WEIGHED": Weigher(()),
    }
    file_name = f"<plan {rules.sha256[:12]}{' in slices' if in_slices else ''}>"
    # A traceback of our own fault then shows the line; the text is made of the rule file's words only.
    linecache.cache[file_name] = (len(source.text), None, source.text.splitlines(keepends=True), file_name)
    exec(compile(source.text, file_name, "exec"), names)  # noqa: S102 - our own text, made above
    return source, names


def decoder(document: Any, cases: Callable[[Any], Sequence[Any] | None]) -> Decode:
    """A function of a JSON text that decodes it and gives its ``cases``, or None where it must go the general way."""
    decode = msgspec.json.Decoder(document).decode

    def decoded(text: bytes) -> Sequence[Any] | None:
        try:
            if not text.isascii():
                text.decode()  # What the decoder skips it does not check.
            return cases(decode(text))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None

    return decoded


def _readers(layout: Layout, *, ignore_malformed: bool) -> Iterator[tuple[str, Any]]:
    """The functions that read a reference or cut a text, under the names by which the loop calls them."""
    for prefix, collections in (("", layout.citations), ("evidence_", layout.evidence)):
        for number, records in enumerate(collections):
            if records.pieces is not None:
                yield f"{prefix}pieces{number}", _cutter(records.pieces)
            for kind, reading in enumerate(records.readings):
                if reading.leaves is not None:
                    read = reading.leaves.reader(ignore_malformed=ignore_malformed)
                    yield f"{prefix}reader{number}_{kind}", read


def _cutter(form: model.Split | model.FindAll) -> Callable[[Iterable[object]], list[object]]:
    pieces = compile_pieces(form)

    def cut(values: Iterable[object]) -> list[object]:
        found = [piece for value in values for piece in pieces(Node(value))]
        return [piece.strip() if type(piece) is str else piece for piece in found]

    return cut


# --- what the loop calls ----------------------------------------------------------------------------


class PlainTable(Table):
    """Evidence that the loop has indexed already, as the general judge asks for it."""

    __slots__ = ("_spans",)

    def __init__(self, ids: dict[Any, Any], spans: dict[Part, Any]) -> None:
        """All ids and spans; these are half-open from 0."""
        super().__init__()
        self.ids = ids
        self._spans = spans

    def find_span(self, span: SpanValue) -> Any:
        """The record of exactly this span; none that a plan reads is in several parts."""
        return self._spans.get(span[0])


class Weigher(Weighing):
    """Citations that do not lead straight to a record, weighed against the tables of a case."""

    __slots__ = ("_tables", "invalid")

    def __init__(self, tables: Sequence[Table]) -> None:
        """Nothing weighed yet."""
        super().__init__()
        self.invalid = 0
        self._tables = tables

    def add(self, strange: Iterable[tuple[Reference, int, str | None, bool]], seen: set[Any]) -> tuple[list[Any], int]:
        """The records that support a claim by these citations, and how many of them refer to nothing.

        ``strange``: references with their table, their kind, and whether they support. ``seen``: what the other
        citations of the claim lead to.
        """
        good: list[Any] = []
        blank = 0
        for reference, table, kind, supports in strange:
            record, fault = self.weigh(kind, reference, self._tables[table], seen)
            blank += reference[0] is None and reference[1] is None
            if fault is not None:
                self.invalid += 1
            elif supports:
                good.append(record)
        return good, blank


def opened(place: Any) -> Sequence[Any]:
    """What stands at a place, as a sequence."""
    return place if type(place) is list else () if place is None else (place,)


def identify(written: dict[str | int | None, Any], count: int) -> dict[Any, Any] | None:
    """Records by their ids as they are compared, integers also as they are; ``written``: as they stand in ``count``.

    None where an id is missing, blank or there twice.
    """
    try:
        together = "\0".join(written)  # type: ignore[arg-type]
    except TypeError:  # One of them is no text.
        return _identify_any(written, count)
    ids = written
    if together.split() != [together]:  # There is a blank in one of them, maybe at an end.
        ids = {value.strip(): record for value, record in written.items()}  # type: ignore[union-attr]
    return ids if len(ids) == count and "" not in ids else None


def _identify_any(written: dict[Any, Any], count: int) -> dict[Any, Any] | None:
    ids: dict[Any, Any] = {id_text(value): record for value, record in written.items()}
    if len(ids) < count or any(missing in ids for missing in Missing):
        return None
    return ids | {value: record for value, record in written.items() if type(value) is int}


def merged(values: Sequence[str | int | None], records: Iterable[Any]) -> tuple[int, dict[Any, Any] | None]:
    """Ids to the first of the records that have them, and how many there are; None where one has no id."""
    ids: dict[Any, Any] = {}
    for value, record in zip(values, records):
        ids.setdefault(id_text(value), record)
    return len(ids), None if any(missing in ids for missing in Missing) else ids


@lru_cache(maxsize=1024)
def positions(count: int, base: int) -> dict[Any, int]:
    """The positions of ``count`` records, counted from ``base``, as ids."""
    return placed(range(count), base)


def placed(records: Iterable[Any], base: int) -> dict[Any, Any]:
    """Records by their position, counted from ``base``: as a number, and as text."""
    numbers = dict(enumerate(records, base))
    return numbers | {str(number): record for number, record in numbers.items()}


def learn(references: Sequence[Reference], records: Iterable[Any]) -> tuple[dict[Any, Any] | None, dict[Part, Any]]:
    """Ids and spans to records; no ids where a reference is missing, malformed or there twice."""
    ids: dict[Any, Any] = {}
    spans: dict[Part, Any] = {}
    for (identity, span, malformed), record in zip(references, records):
        if malformed or (identity is None and span is None) or identity in ids:
            return None, {}
        if identity is not None:
            ids[identity] = record
        if span is not None:
            if span[0] in spans:
                return None, {}
            spans[span[0]] = record
    return ids, spans


def weed(references: Iterable[Reference]) -> tuple[Weigher, int, int] | None:
    """What weighs citations against the valid ones of evidence records, and how many are invalid, and there twice.

    None where no record is valid.
    """
    index = EvidenceIndex(has_kinds=False)
    index.add((None, reference, None, ()) for reference in references)
    return (Weigher((index.table(None),)), len(index.invalid), len(index.duplicates)) if index.labels else None


def together(ids: dict[Any, Any], more: dict[Any, Any]) -> dict[Any, Any] | None:
    """The ids of two collections; None where one is in both."""
    both = ids | more
    return both if len(both) == len(ids) + len(more) else None


def all_trimmed(texts: Iterable[object]) -> bool:
    """Whether all are texts as they are compared: not blank, and without a blank at an end."""
    return all(type(text) is str and text != "" and text == text.strip() for text in texts)


counted: Callable[[tuple[Any, ...]], Counts] = partial(tuple.__new__, Counts)
"""Counts of all their numbers, in order: several times as fast as by a call of the type."""

_CALLED: tuple[Any, ...] = (
    PlainTable,
    Weigher,
    all_trimmed,
    identify,
    learn,
    merged,
    opened,
    placed,
    positions,
    together,
    weed,
)
