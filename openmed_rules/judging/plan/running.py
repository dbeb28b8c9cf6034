"""A plan, ready to judge documents: the loop of its layout, compiled, with what it calls."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import repeat
from operator import add, le, lt, sub
from typing import Any, NamedTuple, TypeAlias

import msgspec

from openmed_rules.judging.evidence import Table
from openmed_rules.judging.judge import Weighing
from openmed_rules.judging.nodes import Missing, Node
from openmed_rules.judging.plan.layout import Offsets, Records, layout_of
from openmed_rules.judging.plan.source import source_of
from openmed_rules.judging.references import Reference, compile_reference
from openmed_rules.judging.spans import Part, SpanValue
from openmed_rules.judging.values import id_text
from openmed_rules.judging.watching import Watch
from openmed_rules.results.counts import Counts
from openmed_rules.ruleset import model

Plan: TypeAlias = Callable[[bytes], "Counts | None"]
"""The counts of the one case in a JSON text, or None where it must go the general way."""


def compile_plan(rules: model.RuleSet) -> Plan:
    """The plan of ``rules``.

    Raises:
        NotPlanned: the fast way cannot take this rule set.
    """
    layout = layout_of(rules)
    source = source_of(layout)
    names: dict[str, Any] = {
        "Counts": Counts,
        "Weighing": Weighing,
        "NOTHING_WEIGHED": Weighing(),
        "identify": identify,
        "positions": positions,
        "regular": regular,
        "written": written,
        "PlainTable": PlainTable,
    }
    ignore_malformed = rules.policy.malformed == "ignore"
    for number, citations in enumerate(layout.citations):
        names[f"read{number}"] = _odd_reader(citations, ignore_malformed=ignore_malformed)
    file_name = f"<plan {rules.sha256[:12]}>"
    # A traceback of our own fault then shows the line; the text is made of the rule file's words only.
    linecache.cache[file_name] = (len(source.text), None, source.text.splitlines(keepends=True), file_name)
    exec(compile(source.text, file_name, "exec"), names)  # noqa: S102 - our own text, made above
    judge: Callable[[Any], Counts | None] = names["judge"]
    decode = msgspec.json.Decoder(source.document).decode

    def judge_text(text: bytes) -> Counts | None:
        try:
            if not text.isascii():
                text.decode()  # What the decoder skips it does not check.
            return judge(decode(text))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None

    return judge_text


def _odd_reader(citations: Records, *, ignore_malformed: bool) -> Callable[..., Reference]:
    """The general way to read a citation's reference, from the leaves that the decoder has read already."""
    span: tuple[model.SpanForm, ...] = ()
    names = ["id"] if citations.id is not None else []
    if citations.span is not None:
        span = (_flat(citations.span),)
        names += ["start", "end", *(["within"] if citations.span.within is not None else [])]
    locator = _member("id") if citations.id is not None else ()
    read = compile_reference(locator, span, Watch(), ignore_malformed=ignore_malformed)

    def reference(*leaves: object) -> Reference:
        return read(Node(dict(zip(names, leaves))))

    return reference


def _flat(span: Offsets) -> model.SpanForm:
    end = _member("end")
    return model.SpanForm(
        start=_member("start"),
        end=() if span.measures else end,
        length=end if span.measures else (),
        within=_member("within") if span.within is not None else (),
        base=span.base,
        closed=bool(span.closed),
    )


def _member(name: str) -> model.Locator:
    return (model.Field((model.Path(name, from_case=False, climb=0, steps=(model.Key(name),)),)),)


# --- what the loop calls ----------------------------------------------------------------------------


class Spans(NamedTuple):
    """The spans of all records: half-open from 0, in characters, each within its document where there are some.

    ``records``: by document (None: there are none), start and end.
    """

    starts: list[int]
    ends: list[int]
    within: list[str] | None
    records: dict[Part, int]


class PlainTable(Table):
    """Evidence that the loop has indexed already, as the general judge asks for it."""

    __slots__ = ("_records",)

    def __init__(self, ids: dict[Any, int], spans: Spans | None) -> None:
        """All ids and spans, record by record."""
        super().__init__()
        self.ids = ids
        self._records = spans.records if spans is not None else {}

    def find_span(self, span: SpanValue) -> int | None:
        """The record of exactly this span; no record has one in several parts."""
        return self._records.get(span[0]) if len(span) == 1 else None


def identify(values: Sequence[str | int | None]) -> dict[Any, int] | None:
    """Ids to records: by text, and integers also as they are. None where one is missing, blank or there twice."""
    numbers = range(len(values))
    try:
        ids: dict[Any, int] = dict(zip([value.strip() for value in values], numbers))  # type: ignore[union-attr]
    except AttributeError:  # One of them is no text.
        ids = dict(zip(map(id_text, values), numbers))
        if any(missing in ids for missing in Missing) or None in ids:
            return None
        if len(ids) == len(values):
            ids.update((value, record) for record, value in enumerate(values) if type(value) is int)
            return ids
    return ids if len(ids) == len(values) and "" not in ids else None


@lru_cache(maxsize=1024)
def positions(count: int, base: int) -> dict[Any, int]:
    """The positions of ``count`` records, counted from ``base``, as ids."""
    numbers: dict[Any, int] = {number + base: number for number in range(count)}
    return numbers | {str(number + base): number for number in range(count)}


def regular(
    starts: list[Any], ends: list[Any], within: list[Any] | None, base: int, closed: int, measures: bool
) -> Spans | None:
    """The spans as they stand in the records, made half-open from 0; None where one is odd or there twice."""
    try:
        if measures:
            ends = list(map(add, starts, ends))
        if not all(map(le if closed else lt, starts, ends)) or min(starts) < base:
            return None
    except TypeError:  # One of them is not there.
        return None
    if base or closed:
        starts = [start - base for start in starts]
        ends = [end - base + closed for end in ends]
    if within is not None and any(
        type(document) is not str or not document or document != document.strip() for document in within
    ):
        return None
    records = dict(zip(zip(within or repeat(None), starts, ends), range(len(starts))))
    return Spans(starts, ends, within, records) if len(records) == len(starts) else None


def written(
    spans: Spans, base: int, closed: int, measures: bool
) -> tuple[list[int], list[int], list[str] | None, Callable[[Any], int | None]]:
    """The spans as a citation writes them, record by record, and the record of a span so written."""
    starts, ends, within, records = spans
    if not (base or closed or measures):
        return starts, ends, within, records.get
    ends = list(map(sub, ends, starts)) if measures else [end + base - closed for end in ends]
    if base:
        starts = [start + base for start in starts]
    records = dict(zip(zip(within or repeat(None), starts, ends), range(len(starts))))
    return starts, ends, within, records.get
