"""Why a citation leads to no record: the kind of its miss, counted; what was compared stays here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from openmed_rules.judging.citing import Claim, compile_claims
from openmed_rules.judging.evidence import EvidenceIndex, Table, compile_evidence
from openmed_rules.judging.judge import Weighing
from openmed_rules.judging.nodes import CaseRoots, Identity
from openmed_rules.judging.references import Reference
from openmed_rules.judging.spans import SpanValue
from openmed_rules.judging.watching import Watch
from openmed_rules.results.notes import UNKNOWN_BOTH, UNKNOWN_ID, UNKNOWN_SPAN
from openmed_rules.ruleset import model

SEPARATORS: Final = "?#/:@|._-"
"""At what an id is cut to see whether only its beginning or its end differs."""

Key: TypeAlias = tuple[int, "str | None", str]
"""The number of a collection of citations, the kind of evidence that it meets, and the kind of miss."""

Misses: TypeAlias = "Counter[Key]"


class _Known(Struct, frozen=True):
    """What the records of one kind are called, by all that a near miss may have in common with them."""

    table: Table
    whole: frozenset[str]
    cut: dict[str, str]
    before_query: frozenset[str]
    folded: frozenset[str]
    numbers: frozenset[int]
    documents: frozenset[Identity | None]
    anywhere: frozenset[tuple[int, int]]
    starts: frozenset[tuple[Identity | None, int]]
    ends: frozenset[tuple[Identity | None, int]]

    @classmethod
    def of(cls, table: Table) -> _Known:
        """Look at a table from all sides."""
        whole = frozenset(name for name in table.ids if isinstance(name, str))
        parts = [part for span, _ in table.all_spans() for part in span]
        return cls(
            table=table,
            whole=whole,
            cut={rest: cut for name in whole for cut, rest in _cuts(name)},
            before_query=frozenset(name.partition("?")[0] for name in whole if "?" in name),
            folded=frozenset(map(str.casefold, whole)),
            numbers=frozenset(int(name) for name in whole if _is_number(name)),
            documents=frozenset(document for document, _, _ in parts),
            anywhere=frozenset((start, end) for _, start, end in parts),
            starts=frozenset((document, start) for document, start, _ in parts),
            ends=frozenset((document, end) for document, _, end in parts),
        )


class MissCounter:
    """Judges the citations of one collection after the other, and counts why those that failed did.

    ``misses``: how many of each kind. ``citations``: how many citations each collection has.
    """

    def __init__(self, rules: model.RuleSet) -> None:
        """Nothing counted yet of ``rules``."""
        self.misses: Misses = Counter()
        self.citations: Counter[int] = Counter()
        self._gather = compile_evidence(rules, Watch())
        # One collection at a time, so that each miss is known to belong to it.
        self._claims = [
            compile_claims(replace(rules, citations=(collection,)), Watch()) for collection in rules.citations
        ]

    def add_case(self, roots: CaseRoots) -> None:
        """Count the misses of one case."""
        index = self._gather(roots).index
        known: dict[str | None, _Known] = {}
        for number, gather in enumerate(self._claims):
            for claim in gather(roots).claims:
                self._add(number, claim, index, known)

    def _add(self, number: int, claim: Claim, index: EvidenceIndex, known: dict[str | None, _Known]) -> None:
        for citing, reference in claim.citations:
            self.citations[number] += 1
            table = index.table(citing.kind)
            _, fault = Weighing().weigh(citing.kind, reference, table, set())
            if fault is None:
                continue
            if citing.kind not in known:
                known[citing.kind] = _Known.of(table)
            for miss in _kinds_of_miss(reference, fault, known[citing.kind]):
                self.misses[number, citing.kind, miss] += 1


def _kinds_of_miss(reference: Reference, fault: tuple[str, ...], known: _Known) -> Iterator[str]:
    identity, span, malformed = reference
    if fault in {UNKNOWN_ID, UNKNOWN_BOTH} and identity is not None:
        yield _of_id(identity, known)
    if fault in {UNKNOWN_SPAN, UNKNOWN_BOTH} and span is not None:
        yield _of_span(span, known)
    if fault not in {UNKNOWN_ID, UNKNOWN_SPAN, UNKNOWN_BOTH}:
        if malformed:
            yield "malformed"
        else:
            yield "no reference" if identity is None and span is None else "two records"


# --- ids --------------------------------------------------------------------------------------


def _of_id(identity: Identity, known: _Known) -> str:
    if not known.table.ids:
        return "no id known"
    if isinstance(identity, str) and known.whole:
        return next(_likenesses(identity, known), "unknown id")
    composites = [name for name in known.table.ids if isinstance(name, tuple)]
    if isinstance(identity, str) or not composites:
        return "parts"
    return "wrong document" if any(name[-1] == identity[-1] for name in composites) else "unknown id"


def _likenesses(identity: str, known: _Known) -> Iterator[str]:
    """What an id that no record has shares with one that a record has, the closest first."""
    number = int(identity) if _is_number(identity) else None
    if number is not None and number in known.numbers:
        yield "leading zero"
    if identity.casefold() in known.folded:
        yield "letter case"
    for side, cut in (("cited", _cut_to(identity, known.whole)), ("known", known.cut.get(identity, ""))):
        if cut:
            yield f"{side} {cut}"
    if number is not None and known.numbers and len(known.numbers) == len(known.table.ids):
        if number == max(known.numbers) + 1:
            yield "one past the last"
        if number == min(known.numbers) - 1:
            yield "one before the first"
    if "?" in identity and identity.partition("?")[0] in known.before_query:
        yield "after ?"


def _cut_to(name: str, whole: Collection[str]) -> str:
    """What of an id has to go so that it is one of ``whole``: ``prefix /``, ``suffix ?``; or nothing does."""
    return next((cut for cut, rest in _cuts(name) if rest in whole), "")


def _cuts(name: str) -> Iterator[tuple[str, str]]:
    """What is left of an id without a beginning or an end, up to a sign or to where digits begin or end.

    ``prefix /`` leaves what stands behind the last sign, ``first /`` what stands behind an earlier one; ``suffix /``
    what stands before the first sign, ``last /`` what stands before a later one.
    """
    for position, sign in enumerate(name):
        if sign in SEPARATORS:
            head, tail = name[:position], name[position + 1 :]
            yield f"{'first' if sign in tail else 'prefix'} {sign}", tail
            yield f"{'last' if sign in head else 'suffix'} {sign}", head
    letters = name.rstrip("0123456789")
    if letters and letters != name:
        yield "prefix letters", name[len(letters) :]
    digits = name.lstrip("0123456789")
    if digits and digits != name:
        yield "suffix letters", name[: len(name) - len(digits)]


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) < 19  # noqa: PLR2004 - what fits into 64 bits


# --- spans ------------------------------------------------------------------------------------


def _of_span(span: SpanValue, known: _Known) -> str:
    spans = known.table.spans
    if not spans:
        return "no span known"
    if len(span) > 1:
        return "unknown span"
    ((document, start, end),) = span
    for word, first, last in (
        ("end one too large", 0, 1),
        ("end one too small", 0, -1),
        ("both one too large", 1, 1),
        ("both one too small", -1, -1),
        ("start one too large", 1, 0),
        ("start one too small", -1, 0),
    ):
        if (document, start - first, end - last) in spans:
            return word
    if (start, end) in known.anywhere:
        return "wrong document"
    if document not in known.documents:
        return "unknown document"
    if any(
        within == document and first <= start and end <= last
        for ((within, first, last), *_), _ in known.table.all_spans()
    ):
        return "inside a record"
    if (document, start) in known.starts:
        return "start matches"
    return "end matches" if (document, end) in known.ends else "unknown span"
