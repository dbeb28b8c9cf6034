"""The loop of a plan, as source text made for one layout.

What is plain is judged in the loop. A citation that does not lead straight to its record goes to ``weigh``, the
general judge of one citation; a document whose evidence is not plain gives None and goes the general way whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from openmed_rules.judging.plan.layout import Layout, Literal, NotPlanned, Offsets, Records
from openmed_rules.judging.plan.shape import IDENTITY, NUMBER, TEXT, Shape


class Source(Struct, frozen=True):
    """The text of a plan's loop (a function ``judge`` of a decoded document), and the type of its documents."""

    text: str
    document: Any


def source_of(layout: Layout) -> Source:
    """The loop for ``layout``.

    Raises:
        NotPlanned: one member is read in two ways.
    """
    document = Shape()
    lines = [
        "def judge(document):",
        *_indented(_evidence(layout.evidence, document)),
        *_indented(_claims(layout, document)),
        *_indented(_result()),
    ]
    return Source("\n".join(lines) + "\n", document.struct())


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)


def _array(path: tuple[str | None, ...], start: str, shape: Shape) -> tuple[str, Shape]:
    """An expression for the records at ``path``, and the shape of one."""
    names = path[: path.index(None)] if None in path else path
    way, item = shape.rows(tuple(name for name in names if name is not None))
    rest = path[len(names) + 1 :]
    if not rest:
        return f"{start}{way}", item
    inner, item = _array(rest, "outer", item)
    return f"[inner for outer in {start}{way} or () for inner in {inner} or ()]", item


def _bare(records: Records) -> bool:
    """Whether the records are ids themselves."""
    return records.id == () and records.span is None


def _condition(tests: tuple[Literal, ...], record: str, shape: Shape) -> str:
    """An expression that tells whether ``record`` is one of its collection."""
    return " and ".join(
        f"{record}{shape.leaf(test.path, TEXT)} {'not in' if test.negated else 'in'} "
        f"{(*test.texts, None) if test.absent else test.texts!r}"
        for test in tests
    )


def _filtered(records: Records, name: str, record: str, shape: Shape, left: str) -> Iterator[str]:
    """Leave out what the conditions of ``records`` leave out, and count it in ``left``."""
    if records.where:
        yield f"kept = [{record} for {record} in {name} if {_condition(records.where, record, shape)}]"
        yield f"{left} += len({name}) - len(kept)"
        yield f"{name} = kept"


# --- evidence ---------------------------------------------------------------------------------------


def _evidence(evidence: Records, document: Shape) -> Iterator[str]:
    """Read every reference of the evidence at once; give up where one is missing, malformed or there twice."""
    yield "left_claims = left_citations = left_evidence = 0"
    if _bare(evidence):
        if evidence.where or None in evidence.path:
            raise NotPlanned("evidence.where on bare ids")
        yield f"evidence = document{document.scalars(tuple(filter(None, evidence.path)), IDENTITY)} or ()"
        shape = Shape()
    else:
        way, shape = _array(evidence.path, "document", document)
        yield f"evidence = {way} or ()"
    yield from _filtered(evidence, "evidence", "record", shape, "left_evidence")
    yield "if not evidence:"
    yield "    return None"
    yield "count = len(evidence)"
    if _bare(evidence):
        yield "ids = identify(evidence)"
    elif isinstance(evidence.id, int):
        yield f"ids = positions(count, {evidence.id})"
    elif evidence.id is not None:
        yield f"ids = identify([record{shape.leaf(evidence.id, IDENTITY)} for record in evidence])"
    else:
        yield "ids = {}"
    yield "if ids is None:"
    yield "    return None"
    if evidence.span is not None:
        yield from _evidence_spans(evidence.span, shape)
    else:
        yield "spans = None"


def _evidence_spans(span: Offsets, shape: Shape) -> Iterator[str]:
    start, end = shape.leaf(span.start, NUMBER), shape.leaf(span.end, NUMBER)
    within = "None"
    if span.within is not None:
        within = f"[record{shape.leaf(span.within, IDENTITY)} for record in evidence]"
    yield f"spans = regular([record{start} for record in evidence], [record{end} for record in evidence],"
    yield f"    {within}, {span.base}, {span.closed}, {span.measures})"
    yield "if spans is None:"
    yield "    return None"


# --- claims and their citations ---------------------------------------------------------------------


def _claims(layout: Layout, document: Shape) -> Iterator[str]:
    way, shape = _array(layout.claims.path, "document", document)
    yield f"claims = {way} or ()"
    yield from _filtered(layout.claims, "claims", "claim", shape, "left_claims")
    yield "if not claims:"
    yield "    return None"
    yield "supported = uncited = without_reference = cited = repeated = doubly = odd = invalid = 0"
    yield "referenced = set()"
    yield "refer = referenced.add"
    yield "weighing = table = None"
    yield "find = ids.get"
    for number, citations in enumerate(layout.citations):
        if citations.span is not None:
            span = citations.span
            yield f"starts{number}, ends{number}, within{number}, at{number} = written("
            yield f"    spans, {span.base}, {span.closed}, {span.measures})"
    yield "for claim in claims:"
    yield "    entries = useless = blank = 0"
    yield "    seen = set()"
    for number, citations in enumerate(layout.citations):
        yield from _indented(_citations(number, citations, shape))
    yield "    if not entries:"
    yield "        uncited += 1"
    yield "    cited += entries"
    yield "    if useless < entries:"
    yield "        supported += 1"
    yield "    if blank == entries:"
    yield "        without_reference += 1"


def _citations(number: int, citations: Records, claim: Shape) -> Iterator[str]:
    if _bare(citations):
        if citations.where or None in citations.path:
            raise NotPlanned("citations.where on bare ids")
        yield f"citations = claim{claim.scalars(tuple(filter(None, citations.path)), IDENTITY)}"
        shape = Shape()
    else:
        way, shape = _array(citations.path, "claim", claim)
        yield f"citations = {way}"
    yield "if citations:"
    yield from _indented(_filtered(citations, "citations", "citation", shape, "left_citations"))
    yield "    entries += len(citations)"
    if not citations.supports:
        yield "    useless += len(citations)"
    yield "    for citation in citations:"
    yield from _indented(_indented(_citation(number, citations, shape)))


def _citation(number: int, citations: Records, shape: Shape) -> Iterator[str]:
    """One citation: straight to its record, or weighed; what is counted in the end is only what is not plain."""
    identity = (
        f"citation{shape.leaf(citations.id, IDENTITY)}"
        if isinstance(citations.id, tuple) and citations.id
        else "citation"
    )
    leaves = [identity] if citations.id is not None else []
    span = citations.span
    if span is None:
        yield f"record = find({identity})"
    else:
        start, end = f"citation{shape.leaf(span.start, NUMBER)}", f"citation{shape.leaf(span.end, NUMBER)}"
        within = "None" if span.within is None else f"citation{shape.leaf(span.within, IDENTITY)}"
        leaves += [start, end] if span.within is None else [start, end, within]
        by_span = f"record = at{number}(({within}, {start}, {end}))"
        if citations.id is None:
            yield by_span
        else:
            same_document = "" if span.within is None else f" and {within} == within{number}[record]"
            yield f"identity = {identity}"
            yield "if identity is None:"
            yield f"    {by_span}"
            yield "else:"
            yield "    record = find(identity)"
            yield "    if record is not None:"
            yield f"        if {start} == starts{number}[record] and {end} == ends{number}[record]{same_document}:"
            yield "            doubly += 1"
            yield f"        elif {start} is not None or {end} is not None:"
            yield "            record = None"
    yield "if record is None:"
    yield "    odd += 1"
    yield "    if weighing is None:"
    yield "        weighing, table = Weighing(), PlainTable(ids, spans)"
    yield f"    reference = read{number}({', '.join(leaves)})"
    yield "    record, fault = weighing.weigh(None, reference, table, seen)"
    yield "    blank += reference[0] is None and reference[1] is None"
    yield "    if fault is not None:"
    yield "        invalid += 1"
    yield f"        useless += {int(citations.supports)}"
    if citations.supports:
        yield "    else:"
        yield "        refer(record)"
    yield "else:"
    yield "    if record in seen:"
    yield "        repeated += 1"
    yield "    else:"
    yield "        seen.add(record)"
    if citations.supports:
        yield "    refer(record)"


# --- the counts -------------------------------------------------------------------------------------


def _result() -> Iterator[str]:
    """The counts, in the order of ``Counts``."""
    yield "if weighing is None:"
    yield "    weighing = NOTHING_WEIGHED"
    yield "return Counts("
    yield "    len(claims), supported, uncited, without_reference, cited, cited - invalid,"
    yield "    repeated + weighing.repeated,"
    yield "    weighing.no_record, weighing.no_span, weighing.no_way,"
    yield "    weighing.only_record, weighing.only_span, weighing.only_both,"
    yield "    cited - odd + doubly + weighing.reference, weighing.no_record, weighing.no_span,"
    yield "    count, count, 0, 0, len(referenced), 0, 0, 0, 0, 0, 0, left_claims, left_citations, left_evidence,"
    yield ")"
