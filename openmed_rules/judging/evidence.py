"""The evidence of one case: which of its records are valid, and by what each is found."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias, cast

from msgspec import Struct

from openmed_rules.judging.classes import compile_class
from openmed_rules.judging.collecting import LeftOut, compile_records, compile_sorting
from openmed_rules.judging.nodes import CaseRoots, Identity, Node
from openmed_rules.judging.references import BROKEN, Reference, compile_kinds, counts_records, takes_keys
from openmed_rules.judging.spans import Part, SpanValue
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model

EvidenceRecord: TypeAlias = "tuple[str | None, Reference, str | None, tuple[SpanValue, ...]]"
"""One record: its kind, its reference, its class, and further spans where several records were joined."""


class Table:
    """What the valid records of one kind are found by: ids and spans to a record's number, counted from 0.

    In ``spans`` a span of one part stands as that part, which is less to keep.
    """

    __slots__ = ("around", "ids", "spans")

    def __init__(self) -> None:
        """Nothing known yet."""
        self.ids: dict[Identity, int] = {}
        self.spans: dict[Part | SpanValue, int] = {}
        self.around: Around | None = None

    def find_span(self, span: SpanValue) -> int | None:
        """The record of exactly this span, or, where these were asked for, of the narrowest one around it."""
        if self.around is not None:
            return self.around.find(span)
        return self.spans.get(span[0] if len(span) == 1 else span)

    def all_spans(self) -> Iterator[tuple[SpanValue, int]]:
        """Every span that a record is found by, with that record."""
        for key, position in self.spans.items():
            yield cast("SpanValue", (key,) if type(key[1]) is int else key), position


NOTHING_KNOWN = Table()


class EvidenceIndex:
    """The evidence records of one case. Numbers of records count from 1, in the order of the case.

    ``numbers``, ``labels``: the number and the class of each valid record. ``invalid``, ``duplicates``: the
    numbers of the others.
    """

    def __init__(self, *, has_kinds: bool) -> None:
        """No record yet. ``has_kinds``: a citation meets only records of its own kind."""
        self.record_count = 0
        self.numbers = array("Q")
        self.labels: list[str | None] = []
        self.invalid: list[int] = []
        self.duplicates: list[int] = []
        self._has_kinds = has_kinds
        self._tables: dict[str | None, Table] = {}

    def add(self, records: Iterable[EvidenceRecord]) -> None:
        """Add the next records of the case."""
        tables, labels, numbers = self._tables, self.labels, self.numbers
        number = self.record_count
        for kind, (identity, span, malformed), label, more_spans in records:
            number += 1
            if malformed or (identity is None and span is None):
                self.invalid.append(number)
                continue
            table = tables.get(kind)
            if table is None:
                table = tables[kind] = Table()
            known, position = table.spans, len(labels)
            spans = () if span is None else _keys(span)
            if more_spans:
                spans = (*spans, *(key for each in more_spans for key in _keys(each)))
            if identity in table.ids or not known.keys().isdisjoint(spans):
                self.duplicates.append(number)
                continue
            labels.append(label)
            numbers.append(number)
            if identity is not None:
                table.ids[identity] = position
            for each in spans:
                known[each] = position
        self.record_count = number

    def find_inside(self) -> None:
        """Once all records are added: let a span be found by what lies inside it."""
        for table in self._tables.values():
            table.around = Around(table.all_spans())

    def put(self, kind: str | None, table: Table) -> None:
        """Let ``table`` be what is known of the records of ``kind``."""
        self._tables[kind] = table

    def table(self, kind: str | None) -> Table:
        """What a citation of ``kind`` may meet."""
        return self._tables.get(kind if self._has_kinds else None, NOTHING_KNOWN)


def _keys(span: SpanValue) -> tuple[Part | SpanValue, ...]:
    """The key under which a span stands in a table, alone in a tuple: of one part it is the span itself."""
    return span if len(span) == 1 else (span,)


class Around:
    """Evidence spans by what lies inside them, the narrowest first."""

    def __init__(self, spans: Iterable[tuple[SpanValue, int]]) -> None:
        """Sort ``spans`` by their document and their width in characters."""
        self._by_document: dict[Identity | None, list[tuple[int, int, SpanValue]]] = {}
        for span, position in spans:
            width = sum(end - start for _, start, end in span)
            self._by_document.setdefault(span[0][0], []).append((width, position, span))
        for known in self._by_document.values():
            known.sort(key=lambda entry: entry[:2])

    def find(self, cited: SpanValue) -> int | None:
        """The record whose narrowest span holds every part of ``cited``."""
        known = self._by_document.get(cited[0][0], [])
        return next((position for _, position, span in known if _holds(span, cited)), None)


def _holds(span: SpanValue, cited: SpanValue) -> bool:
    return all(
        any(document == within and start <= first and last <= end for within, start, end in span)
        for document, first, last in cited
    )


class Gathered(Struct, frozen=True):
    """The evidence of one case, and how much was left out or joined on the way."""

    index: EvidenceIndex
    left_out: int
    joined: int


class EvidenceGatherer(Protocol):
    """The evidence of a case, or of a slice of one beside what ``index`` has already."""

    def __call__(self, roots: CaseRoots, index: EvidenceIndex | None = None) -> Gathered:
        """Gather the evidence below ``roots``; ``left_out`` and ``joined`` are of these alone."""


def compile_evidence(rules: model.RuleSet, watch: Watch) -> EvidenceGatherer:
    """The evidence rules as a function of a case."""
    collections = [
        (collection, _compile_collection(collection, rules.policy, place))
        for collection, place in watch.each(rules.evidence)
    ]
    has_kinds = any(collection.kinds or collection.kind for collection in rules.evidence)
    inside = rules.policy.spans == "inside"

    def gather(roots: CaseRoots, index: EvidenceIndex | None = None) -> Gathered:
        index = index or EvidenceIndex(has_kinds=has_kinds)
        left_out = LeftOut()
        joined = 0
        for collection, read in collections:
            records = read(roots.starts(collection.input), left_out)
            kept = _merge(records) if collection.merge else records
            joined += len(records) - len(kept)
            index.add(kept)
        if inside:
            index.find_inside()
        return Gathered(index, left_out.total, joined)

    return gather


CollectionReader: TypeAlias = Callable[[Sequence[Node], LeftOut], list[EvidenceRecord]]


def _compile_collection(collection: model.Evidence, policy: model.Policy, watch: Watch) -> CollectionReader:
    records = compile_records(collection.records, watch.at("records"), takes_keys=takes_keys(collection), lenient=False)
    numbered = counts_records(collection)
    sort = compile_sorting(collection.where, collection.kinds, watch, scalars_lack_fields=True, numbered=numbered)
    kinds = compile_kinds(collection, watch, ignore_malformed=policy.malformed == "ignore")
    label = compile_class(collection.class_rule, watch)

    def read(starts: Sequence[Node], left_out: LeftOut) -> list[EvidenceRecord]:
        found = [node for start in starts for node in records(start)]
        return [
            (
                kinds[kind].name,
                BROKEN if malformed else kinds[kind].read(node),
                label(node) if label is not None else None,
                (),
            )
            for node, kind, malformed in sort(found, left_out)
        ]

    return read


def _merge(records: Sequence[EvidenceRecord]) -> list[EvidenceRecord]:
    """Records of one kind with equal ids as one, which is malformed where a part of it is."""
    merged: list[EvidenceRecord] = []
    known: dict[tuple[str | None, Identity], int] = {}
    for record in records:
        kind, (identity, _, _), _, _ = record
        if identity is None:
            merged.append(record)
            continue
        place = known.setdefault((kind, identity), len(merged))
        if place == len(merged):
            merged.append(record)
        else:
            merged[place] = _joined(merged[place], record)
    return merged


def _joined(first: EvidenceRecord, other: EvidenceRecord) -> EvidenceRecord:
    kind, (identity, span, malformed), label, more_spans = first
    _, (_, other_span, other_malformed), other_label, _ = other
    spans = dict.fromkeys(each for each in (span, *more_spans, other_span) if each is not None)
    return kind, (identity, None, malformed or other_malformed), label or other_label, tuple(spans)
