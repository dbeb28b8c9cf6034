"""The lines of a plan's loop that read the evidence of a case.

Where a record of it is not plain, they give up, or weed out what is not valid so that every citation is weighed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openmed_rules.judging.plan.arrays import array_at, filtered, holds, indented, kind_of_scalar, opened
from openmed_rules.judging.plan.layout import Layout, Offsets, Reading, Records
from openmed_rules.judging.plan.shape import IDENTITY, NUMBER, SCALAR, Shape
from openmed_rules.ruleset import model

GIVE_UP = "    return None"


class Knowledge:
    """What the loop knows of the evidence: a table for each kind, and how the spans in it stand in the records.

    In the loop ``ids0`` is the first table: ids to records. A record is the decoded object itself, or the number of a
    scalar. ``spans0`` has the spans, half-open from 0, or is None as long as nobody has asked for them; ``rows0`` are
    their records. ``starts0_1`` has a record for each start, as a citation that counts from 1 writes it: mostly the
    only one that begins there.
    """

    def __init__(self, layout: Layout, *, in_slices: bool) -> None:
        """A table for each kind that a citation may meet; a single one where evidence has no kinds.

        ``in_slices``: the records come as slices of their case, and all of them are kept in ``gathered``.
        """
        self._in_slices = in_slices
        readings = [reading for records in (*layout.evidence, *layout.citations) for reading in records.readings]
        self._kinds: list[str | None] = (
            list(dict.fromkeys(reading.kind for reading in readings)) if layout.has_kinds else [None]
        )
        self._has_kinds = layout.has_kinds
        evidence = [reading for records in layout.evidence for reading in records.readings]
        self._is_alone = len(evidence) == 1
        self.can_weed = (
            not in_slices
            and len(self._kinds) == 1
            and all(reading.leaves and not reading.condition for reading in evidence)
            and self._is_alone
            and not any(records.merge for records in layout.evidence)
        )
        """Whether a case with evidence that is not valid is judged in the loop, too."""
        self._filled: set[int] = set()
        self._offsets: dict[int, tuple[Offsets, Shape]] = {}
        self._starts: dict[str, tuple[int, Offsets]] = {}

    def table(self, reading: Reading) -> int:
        """The number of the table that records of ``reading`` are in."""
        return self._kinds.index(reading.kind) if self._has_kinds else 0

    @property
    def tables(self) -> range:
        """All their numbers."""
        return range(len(self._kinds))

    def spans_of(self, table: int) -> tuple[Offsets, Shape] | None:
        """How the spans of a table stand in its records; None where they are more than single members."""
        return self._offsets.get(table)

    def starts(self, table: int, written: Offsets) -> str:
        """The name of the index that has the starts of a table as a citation writes them."""
        name = f"starts{table}_{written.base}"
        self._starts[name] = table, written
        return name

    def make(self, name: str, table: int) -> Iterator[str]:
        """Lines that make an index where there is none yet."""
        if table in self._offsets:
            yield f"if {name} is None:"
            yield f"    {name} = make_{name}(rows{table})"

    def functions(self) -> Iterator[str]:
        """The functions that make an index out of the records."""
        for table, (span, item) in self._offsets.items():
            start, end, within = place_of(span, item)
            yield from _index(f"spans{table}", f"({within}, {start}, {end})")
        for name, (table, written) in self._starts.items():
            start, _, within = place_of(*self._offsets[table], written)
            yield from _index(name, start if within == "None" else f"({within}, {start})")

    def all_tables(self) -> str:
        """A function of nothing that gives the tables by kind, with their spans."""
        names = [name for table in self.tables for name in (f"ids{table}", f"spans{table}")]
        names += [f"rows{table}" for table in self._offsets]
        spans = {
            table: f"make_spans{table}(rows{table}) if spans{table} is None else spans{table}"
            for table in self._offsets
        }
        tables = (
            f"{self._kinds[table]!r}: PlainTable(ids{table}, {spans.get(table, f'spans{table}')})"
            for table in self.tables
        )
        # As its defaults: a variable that a function closes over is a slower one in the loop.
        return f"lambda {', '.join(f'{name}={name}' for name in names)}: {{{', '.join(tables)}}}"

    def start(self) -> Iterator[str]:
        """Lines for what is made only when it is asked for."""
        for name in self._starts:
            yield f"{name} = None"

    def lines(self, layout: Layout, shapes: dict[model.Input, Shape]) -> Iterator[str]:
        """Read every reference of the evidence at once."""
        yield "count = joined = left_evidence = 0"
        yield "weigher = None"
        if self.can_weed:
            yield "invalid = doubled = 0"
        if self._in_slices:
            yield "gathered = []"
        for table in self.tables:
            yield f"ids{table} = spans{table} = {{}}"
        for number, records in enumerate(layout.evidence):
            yield from self._records(number, records, shapes[records.input])
        yield "if not count:"
        yield GIVE_UP

    def _records(self, number: int, records: Records, shape: Shape) -> Iterator[str]:
        scalar = kind_of_scalar(records)
        place, item = array_at(records.ways, records.input, shape, scalar)
        if self._in_slices:
            yield f"rows = [record for {records.input} in evidence_slices[{number}] for record in opened({place})]"
        else:
            yield from opened("rows", place)
        if any(reading.plain and reading.plain.in_array for reading in records.readings):
            yield "if type(rows) is tuple:"  # A record that stands in no array has no position.
            yield GIVE_UP
        if records.pieces is not None:
            yield f"rows = evidence_pieces{number}(rows)"
        yield from filtered(records.condition, "rows", item, "left_evidence")
        if self._in_slices:
            yield f"gathered.append({'range(count, count + len(rows))' if records.is_bare else 'rows'})"
        for kind, reading in enumerate(records.readings):
            if reading.condition or len(records.readings) > 1:
                test = holds(reading.condition, "record", item)
                yield f"rest = [record for record in rows if not ({test})]"
                yield f"rows = [record for record in rows if {test}]"
            if reading.is_ignored:
                yield "left_evidence += len(rows)"
            else:
                yield from self._reading(f"{number}_{kind}", records, reading, item)
            if reading.condition or len(records.readings) > 1:
                yield "rows = rest"
        if any(reading.condition for reading in records.readings):
            yield "if rows:"  # Of no kind.
            yield GIVE_UP

    def _reading(self, name: str, records: Records, reading: Reading, item: Shape) -> Iterator[str]:
        table = self.table(reading)
        keys = "range(count, count + len(rows))" if records.is_bare or records.is_unread else "rows"
        plain = reading.plain
        references = f"[evidence_reader{name}({leaves_at('record', reading, item)}) for record in rows]"
        if plain is None:
            yield f"found, {f'spans{table}' if reading.has_span else '_'} = learn({references}, {keys})"
        elif plain.id is None:
            yield "found = {}"
        elif isinstance(plain.id, int):
            yield (
                f"found = positions(len(rows), {plain.id})"
                if self._is_alone and not plain.span
                else (f"found = placed({keys}, {plain.id})")
            )
        else:
            identity = f"record{item.leaf(plain.id, IDENTITY)}" if plain.id else "record"
            if records.merge:
                yield f"kept, found = merged([{identity} for record in rows], {keys})"
                yield "joined += len(rows) - kept"
            elif plain.id:
                yield f"found = identify({{{identity}: record for record in rows}}, len(rows))"
            else:
                yield f"found = identify(dict(zip(rows, {keys})), len(rows))"
        yield f"count += {'kept' if records.merge else 'len(rows)'}"
        if plain is not None and plain.span is not None:
            self._offsets[table] = (plain.span, item)
            yield f"rows{table} = rows"
            yield f"spans{table} = None"
            yield from _checked_spans(plain.span, table, item)
        yield "if found is None:"
        yield from indented(self._weeded(references) if self.can_weed else ["return None"])
        yield from self._fill(table)

    def _weeded(self, references: str) -> Iterator[str]:
        """Nothing is found straight, and what citations lead to is weighed."""
        yield f"weeded = weed({references})"
        yield "if weeded is None:"
        yield GIVE_UP
        yield "weigher, invalid, doubled = weeded"
        yield "found = {}"
        yield "rows0 = ()"
        yield "spans0 = None"

    def _fill(self, table: int) -> Iterator[str]:
        """Put what was found into its table, or together with what is there."""
        if table not in self._filled:
            yield f"ids{table} = found"
            self._filled.add(table)
            return
        yield f"ids{table} = together(ids{table}, found)"
        yield f"if ids{table} is None:"
        yield GIVE_UP


def _index(name: str, key: str) -> Iterator[str]:
    yield f"def make_{name}(rows):"
    yield f"    return {{{key}: record for record in rows}}"


def _checked_spans(span: Offsets, table: int, item: Shape) -> Iterator[str]:
    """Nothing is found where a span is odd or there twice; in order, as they mostly stand, no two can be alike."""
    start, end = f"record{item.leaf(span.start, NUMBER)}", f"record{item.leaf(span.end, NUMBER)}"
    if span.measures:
        end = f"{start} + {end}"
    yield f"position = {span.base}"
    yield "try:"
    yield "    for record in rows:"
    yield f"        end = {end}"
    yield f"        if position <= {start} {'<=' if span.closed else '<'} end:"
    yield f"            position = end{' + 1' if span.closed else ''}"
    yield "        else:"
    yield f"            spans{table} = make_spans{table}(rows)"
    yield f"            if len(spans{table}) < len(rows) or not all([0 <= a < b for _, a, b in spans{table}]):"
    yield "                found = None"
    yield "            break"
    yield "except TypeError:"  # One of them is not there.
    yield "    found = None"
    if span.within is not None:
        yield f"if not all_trimmed([record{item.leaf(span.within, IDENTITY)} for record in rows]):"
        yield "    found = None"


def place_of(span: Offsets, item: Shape, written: Offsets | None = None) -> tuple[str, str, str]:
    """Start, end (or length) and document of the span of ``record``: half-open from 0, or as ``written`` has them."""
    base, closed, measures = (written.base, written.closed, written.measures) if written else (0, 0, False)
    start, end = f"record{item.leaf(span.start, NUMBER)}", f"record{item.leaf(span.end, NUMBER)}"
    within = "None" if span.within is None else f"record{item.leaf(span.within, IDENTITY)}"
    if measures:
        last = end if span.measures else _moved(f"{end} - {start}", span.closed)
    else:
        reach = f"{start} + {end}" if span.measures else end
        last = _moved(reach, base - span.base + span.closed - closed)
    return _moved(start, base - span.base), last, within


def _moved(place: str, by: int) -> str:
    return f"{place} + {by}" if by else place


def leaves_at(record: str, reading: Reading, item: Any) -> str:
    """The values that are read of a record, each decoded as what the shortest way to read it accepts."""
    plain, read = reading.plain, reading.leaves.read if reading.leaves else ()
    numbers = {plain.span.start, plain.span.end} if plain and plain.span else set()
    kinds = [SCALAR if plain is None else NUMBER if path in numbers else IDENTITY for path in read]
    return ", ".join(f"{record}{item.leaf(path, kind)}" if path else record for path, kind in zip(read, kinds))
