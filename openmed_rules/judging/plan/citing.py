"""The lines of a plan's loop that hold the claims of a case and their citations against its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openmed_rules.judging.plan.arrays import array_at, filtered, holds, indented, kind_of_scalar, opened
from openmed_rules.judging.plan.knowing import GIVE_UP, Knowledge, leaves_at, place_of
from openmed_rules.judging.plan.layout import Layout, Offsets, Reading, Records
from openmed_rules.judging.plan.leaves import NotPlanned
from openmed_rules.judging.plan.shape import IDENTITY, NUMBER, Shape
from openmed_rules.ruleset import model


class Citing:
    """The claims of a layout and their citations, against what is known of the evidence."""

    def __init__(self, layout: Layout, knowledge: Knowledge, *, in_slices: bool) -> None:
        """No line yet. ``in_slices``: the claims come as slices of their case."""
        self._layout = layout
        self._known = knowledge
        self._in_slices = in_slices
        self._supports_all = all(records.supports for records in layout.citations)

    def lines(self, shapes: dict[model.Input, Shape]) -> Iterator[str]:
        """Judge claim by claim; what is counted in the end is only what is not plain."""
        claims: list[str] = []
        for number, records in enumerate(self._layout.claims):
            lines = self._claims(records, shapes[records.input])
            if self._in_slices:
                claims += [f"for {records.input} in claim_slices[{number}]:", *indented(lines)]
            else:
                claims += lines
        yield "claim_count = supported = uncited = without_reference = cited = repeated = doubly = odd = 0"
        yield "left_claims = left_citations = 0"
        yield "referenced = []"
        yield "strange = []"
        for table in self._known.tables:
            yield f"find{table} = ids{table}.get"
        yield from self._known.start()
        yield from claims
        yield "referenced = {*referenced}"
        yield "if not claim_count:"
        yield GIVE_UP

    def _claims(self, claims: Records, shape: Shape) -> Iterator[str]:
        texts = [records for records in self._layout.citations if not all(records.ways)]
        if texts and len(texts) < len(self._layout.citations):
            raise NotPlanned("claims that are texts and objects")
        place, item = array_at(claims.ways, claims.input, shape, kind_of_scalar(texts[0]) if texts else None)
        yield from opened("claims", place)
        yield from filtered(claims.condition, "claims", item, "left_claims")
        yield "claim_count += len(claims)"
        yield "for claim in claims:"
        yield from indented(self._claim(item))

    def _claim(self, claim: Any) -> Iterator[str]:
        yield "keys = []"
        if not self._supports_all:
            yield "idle = []"
        for number, records in enumerate(self._layout.citations):
            yield from self._citations(number, records, claim)
        all_keys, idle_too = ("{*keys}", "") if self._supports_all else ("{*keys, *idle}", " + len(idle)")
        yield "if strange:"
        yield f"    seen = {all_keys}"
        yield f"    repeated += len(keys){idle_too} - len(seen)"
        yield "    odd += len(strange)"
        yield "    if weigher is None:"
        for table in self._known.tables:
            yield from indented(indented(self._known.make(f"spans{table}", table)))
        tables = "".join(f"PlainTable(ids{table}, spans{table}), " for table in self._known.tables)
        yield f"        weigher = Weigher(({tables}))"
        yield "    good, blank = weigher.add(strange, seen)"
        yield "    strange = []"
        yield "    keys += good"
        yield "    without_reference += blank == entries"
        yield "elif entries > 1:"
        yield f"    repeated += len(keys){idle_too} - len({all_keys})"
        yield "if keys:"
        yield "    supported += 1"
        yield "    referenced += keys"
        yield "elif not entries:"
        yield "    uncited += 1"
        yield "    without_reference += 1"
        yield "cited += entries"

    def _citations(self, number: int, records: Records, claim: Any) -> Iterator[str]:
        scalar = kind_of_scalar(records)
        place, item = array_at(records.ways, "claim", claim, scalar)
        yield from opened("citations", place)
        if records.pieces is not None:
            yield f"citations = pieces{number}(citations)"
        yield from filtered(records.condition, "citations", item, "left_citations")
        yield f"entries {'+=' if number else '='} len(citations)"
        yield "for citation in citations:"
        if not any(reading.condition for reading in records.readings):
            yield from indented(self._citation(f"{number}_0", records, records.readings[0], item))
            return
        for kind, reading in enumerate(records.readings):
            yield f"    {'elif' if kind else 'if'} {holds(reading.condition, 'citation', item)}:"
            yield from indented(indented(self._citation(f"{number}_{kind}", records, reading, item)))
        yield "    else:"
        yield "        return None"

    def _citation(self, name: str, records: Records, reading: Reading, item: Any) -> Iterator[str]:
        """One citation: straight to its record, or to be weighed."""
        if reading.is_ignored:
            yield "entries -= 1"
            yield "left_citations += 1"
            return
        table, plain = self._known.table(reading), reading.plain
        reference = f"reader{name}({leaves_at('citation', reading, item)})"
        if plain is not None and plain.span is None:
            identity = f"citation{item.leaf(plain.id, IDENTITY)}" if plain.id else "citation"
            yield f"record = find{table}({identity})"
        elif plain is not None and plain.span is not None and self._known.spans_of(table):
            yield from self._spanned(plain.id, plain.span, table, item)
        else:
            yield f"reference = {reference}"
            reference = "reference"
            yield (
                "record = None"
                if reading.has_span
                else (f"record = None if reference[2] else find{table}(reference[0])")
            )
        yield "if record is None:"
        yield f"    strange.append(({reference}, {table}, {reading.kind!r}, {records.supports}))"
        yield "else:"
        yield f"    {'keys' if records.supports else 'idle'}.append(record)"

    def _spanned(self, identity: Any, span: Offsets, table: int, item: Shape) -> Iterator[str]:
        """By its id or its start, and then held against the whole span; one that differs is weighed."""
        start, end = f"citation{item.leaf(span.start, NUMBER)}", f"citation{item.leaf(span.end, NUMBER)}"
        within = None if span.within is None else f"citation{item.leaf(span.within, IDENTITY)}"
        known = self._known.spans_of(table)
        assert known is not None  # noqa: S101 - for the type checker
        its_start, its_end, its_within = place_of(*known, span)
        starts = self._known.starts(table, span)
        by_start = [
            *self._known.make(starts, table),
            f"record = {starts}.get({start if within is None else f'({within}, {start})'})",
            f"if record is not None and {end} != {its_end}:",
            "    record = None",
        ]
        if identity is None:
            yield from by_start
            return
        same = [f"{start} == {its_start}", f"{end} == {its_end}", *([f"{within} == {its_within}"] if within else [])]
        yield f"identity = citation{item.leaf(identity, IDENTITY)}"
        yield "if identity is None:"
        yield from indented(by_start)
        yield "else:"
        yield f"    record = find{table}(identity)"
        yield "    if record is not None:"
        yield f"        if {' and '.join(same)}:"
        yield "            doubly += 1"
        yield f"        elif {start} is not None or {end} is not None:"
        yield "            record = None"
