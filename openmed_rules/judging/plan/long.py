"""A document of hundreds of megabytes, judged slice by slice: only the ids and spans of its evidence are kept.

The evidence is read before the claims, wherever it stands. What cannot be judged so is judged whole, with the same
outcome: rule sets without a plan; with a second input; whose evidence is known by its positions, joined, cut out of
texts, or partly of a kind that is ignored; and documents that are not laid out as the rules say.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from openmed_rules.judging.citing import Claimed, compile_claims
from openmed_rules.judging.documents import JsonText, MappedText
from openmed_rules.judging.evidence import EvidenceIndex, Gathered, Table, compile_evidence
from openmed_rules.judging.judge import ClaimJudge, case_notes
from openmed_rules.judging.nodes import CaseNode, CaseRoots
from openmed_rules.judging.parsing import Parsed, parse_document
from openmed_rules.judging.plan.layout import Layout, layout_of
from openmed_rules.judging.plan.leaves import NotPlanned
from openmed_rules.judging.plan.running import compile_source, decoder
from openmed_rules.judging.plan.slicing import Slicer
from openmed_rules.judging.values import UnusableText
from openmed_rules.judging.watching import Watch
from openmed_rules.results.counts import Counts
from openmed_rules.results.gate import Limits
from openmed_rules.results.notes import OMITTED, Note, Reasons
from openmed_rules.results.places import Place
from openmed_rules.ruleset import model

_PIECE: Final = 1 << 20
_NOWHERE: Final = Place("")


class _NotSlicedError(Exception):
    """The document must be judged whole."""


class _NotPlainError(Exception):
    """A slice that the plan cannot take."""


class LongCounts(msgspec.Struct, frozen=True):
    """The counts of a long case, and how to find the first of each kind of what may have failed in it."""

    counts: Counts
    notes: Callable[[], Iterator[Note]]


class Long:
    """Long documents under one rule set that has a plan."""

    def __init__(self, rules: model.RuleSet) -> None:
        """How they are cut: into documents of a few cases each, or into slices of the one case that each is."""
        layout = layout_of(rules)
        way = layout.cases["summary"]
        self._cases = None if way is None else Slicer((way,))
        self._case: LongCase | None = None
        with suppress(NotPlanned):
            self._case = LongCase(rules, layout)

    def judge(self, document: MappedText, positions: int) -> LongCounts | Iterator[JsonText] | None:
        """The outcome of a document that is one case, or the same cases in the same order, a few in each document.

        None where it must be judged whole. ``positions``: how many notes of each kind are wanted at most.
        """
        if not _is_utf8(document.content):
            return None
        if self._case is not None:
            return self._case.judge(document.content, positions)
        if self._cases is None:
            return None
        try:
            slices = self._cases.slices(document.content) or iter(())
        except (msgspec.MsgspecError, RecursionError):
            return None
        first = next(slices, None)  # Whether no case is there, or none but one that holds nothing, the whole tells.
        return None if first is None else (JsonText(document.place, text) for text in chain([first], slices))


class LongCase:
    """Documents that are one case, under one rule set."""

    def __init__(self, rules: model.RuleSet, layout: Layout) -> None:
        """The plan in slices, and the general way in slices for what the plan cannot take.

        Raises:
            NotPlanned: the cases of this rule set cannot be judged in slices.
        """
        _refuse(layout)
        source, names = compile_source(rules, layout, in_slices=True)
        self._decode = decoder(source.documents["summary"], names["summary_cases"])
        self._judge = names["judge"]
        self._has_kinds = layout.has_kinds
        self._claims = [Slicer(records.ways) for records in layout.claims]
        self._evidence = [Slicer(records.ways) for records in layout.evidence]
        self._gather_claims = [compile_claims(replace(rules, claims=(one,)), Watch()) for one in rules.claims]
        self._gather_evidence = [compile_evidence(replace(rules, evidence=(one,)), Watch()) for one in rules.evidence]
        self._limits = Limits.of(rules.policy)

    def judge(self, content: memoryview, positions: int) -> LongCounts | None:
        """The outcome of a document; None where it must be judged whole. ``positions`` as in ``Long.judge``."""
        try:
            return self.by_plan(content) or self.generally(content, positions)
        except (_NotSlicedError, msgspec.MsgspecError, RecursionError, UnusableText):
            return None

    def by_plan(self, content: memoryview) -> LongCounts | None:
        """The outcome by the plan; None where it cannot take one of the slices, and raises where one cannot be read."""
        claims = [self._decoded(_slices(slicer, content)) for slicer in self._claims]
        evidence = [self._decoded(_slices(slicer, content)) for slicer in self._evidence]
        try:
            found = self._judge(claims, evidence)
        except _NotPlainError:
            return None
        if found is None:
            return None
        counts, referenced, records, tables = found

        def notes() -> Iterator[Note]:
            if counts.unsupported_claim or counts.invalid_citation or counts.duplicate_citation:
                judge = ClaimJudge(self._index(tables()))
                for _, noted in self._judged(content, judge):
                    yield from noted
                    judge.referenced.clear()  # It is known already.
            for number, record in enumerate(chain.from_iterable(records), 1):
                if record not in referenced:
                    yield Note(OMITTED, record=number)

        return LongCounts(counts, notes)

    def _decoded(self, slices: Iterable[bytes]) -> Iterator[Any]:
        for text in slices:
            cases = self._decode(text)
            if cases is None:
                raise _NotPlainError
            yield from cases

    def _index(self, tables: dict[str | None, Table]) -> EvidenceIndex:
        index = EvidenceIndex(has_kinds=self._has_kinds)
        for kind, table in tables.items():
            index.put(kind, table)
        return index

    def generally(self, content: memoryview, positions: int) -> LongCounts:
        """The outcome the general way; raises where a slice cannot be read."""
        index = EvidenceIndex(has_kinds=self._has_kinds)
        left_out = 0
        for slicer, gather in zip(self._evidence, self._gather_evidence, strict=True):
            for roots in _roots(slicer, content):
                left_out += gather(roots, index).left_out
        judge = ClaimJudge(index)
        claims_left = citations_left = 0
        first: dict[Reasons, list[Note]] = {}
        for claimed, noted in self._judged(content, judge):
            for note in noted:
                kept = first.setdefault(note.reasons, [])
                if len(kept) < positions:
                    kept.append(note)
            claims_left += claimed.left_out_claims
            citations_left += claimed.left_out_citations
        none = Claimed([], 0, 0, claims_left, citations_left)
        found = judge.counts(Gathered(index, left_out, joined=0), none)
        counts = self._limits.settled(found)

        def notes() -> Iterator[Note]:
            yield from chain.from_iterable(first.values())
            if counts is not found:
                yield from judge.withdraw()
            yield from case_notes(judge, 0)

        return LongCounts(counts, notes)

    def _judged(self, content: memoryview, judge: ClaimJudge) -> Iterator[tuple[Claimed, list[Note]]]:
        """Give ``judge`` all claims; what each slice of them gathered, and what was noted of it, which is then gone."""
        for slicer, gather in zip(self._claims, self._gather_claims, strict=True):
            for roots in _roots(slicer, content):
                claimed = gather(roots)
                for claim in claimed.claims:
                    judge.add(claim)
                noted, judge.notes = judge.notes, []
                yield claimed, noted


def _refuse(layout: Layout) -> None:
    """Raise ``NotPlanned`` where a slice does not tell what the whole case does."""
    records = (*layout.claims, *layout.citations, *layout.evidence)
    readings = [reading for known in layout.evidence for reading in known.readings]
    if layout.cases["summary"] is not None:
        raise NotPlanned("inputs.cases")
    if any(one.input != "summary" for one in records):
        raise NotPlanned("in: evidence")
    if not all(way for one in (*layout.claims, *layout.evidence) for way in one.ways):
        raise NotPlanned("a case that is a record itself")
    if any(one.merge or one.pieces for one in layout.evidence):
        raise NotPlanned("evidence that is joined, or cut out of texts")
    if any(reading.is_ignored or (reading.plain and isinstance(reading.plain.id, int)) for reading in readings):
        raise NotPlanned("evidence that is ignored, or known by its positions")


def _slices(slicer: Slicer, content: memoryview) -> Iterator[bytes]:
    slices = slicer.slices(content)
    if slices is None:
        raise _NotSlicedError
    return slices


def _roots(slicer: Slicer, content: memoryview) -> Iterator[CaseRoots]:
    """The slices as the general way reads them."""
    for text in _slices(slicer, content):
        parsed = parse_document(JsonText(_NOWHERE, text))
        if not isinstance(parsed, Parsed):
            raise _NotSlicedError
        yield CaseRoots(CaseNode(parsed.value), ())


def _is_utf8(content: memoryview) -> bool:
    """Whether all of it is, but for an unfinished end, which is no JSON; what a decoder skips it does not check."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    try:
        for start in range(0, len(content), _PIECE):
            decode(content[start : start + _PIECE])
    except UnicodeDecodeError:
        return False
    return True
