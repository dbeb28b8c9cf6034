"""Cases that hypothesis makes up, clean and dirty, and several layouts in which they may come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from hypothesis import strategies as st

from judged import judge
from openmed_rules.results.report import Report

# --- what a case holds, before it is laid out ---------------------------------------------------------

NAMES = ["e1", "e2", "e3", "e4"]
UNUSABLE: list[Any] = [None, True, 7.5, "", "  ", {}, []]
NO_RECORD = [None, 5, True, "", [], ["e1"]]


def span(name: str) -> dict[str, Any]:
    """The span that belongs to a name: so an id and a span of one record never say two things by chance."""
    start = 10 * int(name[1:])
    return {"doc": "A", "start": start, "end": start + 5}


@st.composite
def references(draw: st.DrawFn) -> Any:
    """A citation: by id, by span, by both, of what is not known, contradicting itself, or broken."""
    name, other = draw(st.sampled_from(NAMES)), draw(st.sampled_from([*NAMES, "e9"]))
    both = [{"id": name, **span(name)}, {"id": name, **span(other)}]
    whole = draw(st.sampled_from([{"id": name}, {"id": other}, span(name), *both]))
    return draw(st.just(whole) | broken(whole) | st.sampled_from(NO_RECORD))


def broken(whole: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """``whole`` with one field that cannot be used, or of another kind."""
    return st.builds(
        lambda changed: {**whole, changed[0]: changed[1]},
        st.tuples(st.sampled_from(["id", "doc", "start", "end"]), st.sampled_from(UNUSABLE))
        | st.tuples(st.just("kind"), st.sampled_from(["p", "web", 3])),
    )


def record(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """A record of evidence that is found by its id, its span or both, or that is broken."""
    fields = {"id": name, **span(name)}
    kind = "allergy" if name in NAMES[:2] else "drug"
    whole = st.sampled_from([["id"], ["doc", "start", "end"], list(fields)]).map(
        lambda parts: {"type": kind, **{part: fields[part] for part in parts}}
    )
    return whole | whole.flatmap(broken)


@st.composite
def evidence(draw: st.DrawFn) -> list[Any]:
    """Records, some of them more than once: what shares one reference shares all of them, and the class."""
    known = {name: draw(record(name)) for name in NAMES}
    named = draw(st.lists(st.sampled_from(NAMES), max_size=5))
    return [known[name] for name in named] + draw(st.lists(st.sampled_from(NO_RECORD), max_size=1))


@dataclass(frozen=True)
class Content:
    """One case: claims as (name, type, citations), and records of evidence."""

    claims: tuple[tuple[str, Any, tuple[Any, ...]], ...]
    evidence: tuple[Any, ...]


def contents() -> st.SearchStrategy[Content]:
    claim = st.tuples(
        st.sampled_from(["c1", "c2", "c3"]),
        st.sampled_from(["allergy", "note", "title", None, {}]),
        st.lists(references(), max_size=4).map(tuple),
    )
    return st.builds(Content, st.lists(claim, max_size=4).map(tuple), evidence().map(tuple))


# --- layouts ------------------------------------------------------------------------------------------


class Laid(NamedTuple):
    """The documents of one case."""

    summary: Any
    evidence: Any = None


class Layout(NamedTuple):
    """Rules, and how a case with a number is laid out for them."""

    rules: str
    lay_out: Callable[[Content, int], Laid]


def nested(content: Content, _number: int) -> Laid:
    claims = [{"id": name, "type": kind, "citations": list(cited)} for name, kind, cited in content.claims]
    sections = [{"claims": claims[::2]}, {"claims": claims[1::2]}]
    return Laid({"sections": sections, "evidence": list(content.evidence)})


def by_edges(content: Content, _number: int) -> Laid:
    """Edges outside of the claims; those of one claim are orphans."""
    edges = [
        {"claim": name, **reference} if isinstance(reference, dict) else reference
        for name, _, cited in content.claims
        for reference in cited
    ]
    types = {"c1": "allergy", "c2": None}
    claims = [{"id": name, "type": types[name]} for name, _, _ in content.claims if name in types]
    return Laid({"claims": claims, "edges": edges, "evidence": list(content.evidence)})


def apart(content: Content, number: int) -> Laid:
    summary = nested(content, number).summary
    return Laid({"note": number, **summary}, {"note": str(number), "facts": list(content.evidence)})


def as_text(content: Content, _number: int) -> Laid:
    claims = [
        {"refs": "; ".join(str(reference.get("id")) for reference in cited if isinstance(reference, dict))}
        for _, _, cited in content.claims
    ]
    return Laid({"claims": claims, "evidence": list(content.evidence)})


def by_hops(content: Content, _number: int) -> Laid:
    def chunk(reference: Any) -> Any:
        return {"id": f"k{reference['id']}"} if isinstance(reference, dict) and "id" in reference else reference

    chunks = [*({"id": f"k{name}", "to": [name]} for name in NAMES), {"id": "ke1", "to": "e2"}]
    claims = [{"citations": [chunk(reference) for reference in cited]} for _, _, cited in content.claims]
    return Laid({"claims": claims, "chunks": chunks, "evidence": list(content.evidence)})


BY_SPAN_TOO = """
claims: {records: '$.sections[*].claims', where: {type: {not: title}}, class: {path: type, labels: [allergy]}}
citations: {records: citations, id: [id, '@'], span: {within: doc, start: start, end: end}}
evidence:
  records: $.evidence
  id: id
  span: {within: doc, start: start, end: end}
  class: {path: type, labels: [allergy]}
"""
JOINED = """
claims: {records: '$.sections[*].claims', id: id, merge: true}
citations:
- {records: citations, id: id, span: {within: doc, start: start, end: end}}
- {records: citations, supports: false}
evidence:
  records: $.evidence
  id: id
  span: {within: doc, start: start, end: end}
  merge: true
  where: {kind: null}
"""
OF_KINDS = """
claims: {records: '$.sections[*].claims', class: {path: type, labels: [allergy]}}
citations:
  records: citations
  kinds:
    web: {where: {kind: web}, ignore: true}
    page: {where: {kind: p}, id: id}
    note: {span: {within: doc, start: start, end: end}}
evidence:
  records: $.evidence
  class: {path: type, labels: [allergy]}
  kinds:
    page: {where: {kind: p}, id: id}
    note: {span: {within: doc, start: start, end: end}}
"""
WITH_EDGES = """
claims: {records: $.claims, id: id, class: {path: type, labels: [allergy]}}
citations: {records: $.edges, claim: claim, id: {parts: [{path: doc, default: A}, id]}}
evidence:
  records: $.evidence
  id: {parts: [{path: doc, default: A}, id]}
  class: {path: type, labels: [allergy]}
"""
IN_TWO_INPUTS = """
inputs: {summary: {join: note}, evidence: {join: note}}
claims: {records: '$.sections[*].claims'}
citations:
  records: citations
  id: [id, {path: kind, absent: ['']}]
  span: {within: doc, start: start, end: end}
evidence: {in: evidence, records: $.facts, id: id, span: {within: doc, start: start, end: end}}
"""
AS_TEXT = """
citations: {records: {path: refs, split: ';'}}
evidence: {records: $.evidence, id: id}
"""
BY_HOPS = """
citations: {records: citations, id: id, follow: [{records: $.chunks, id: id, to: to}]}
evidence: {records: $.evidence, id: id}
"""
LAYOUTS = [
    Layout(BY_SPAN_TOO, nested),
    Layout(JOINED, nested),
    Layout(OF_KINDS, nested),
    Layout(WITH_EDGES, by_edges),
    Layout(IN_TWO_INPUTS, apart),
    Layout(AS_TEXT, as_text),
    Layout(BY_HOPS, by_hops),
]

EVIDENCE_TOLERATED = """
policy:
  tolerate:
    invalid_source_evidence: any
    duplicate_source_evidence: any
    unsupported_claim: {default: 50%, allergy: 0}
"""
DETAILS_TOLERATED = """
policy:
  tolerate:
    missing_citation: any
    missing_source_record: 1
    orphan_citation: 20%
    no_citations: any
    no_claims: any
"""
SUMS_TOLERATED = """
policy:
  per: batch
  tolerate:
    invalid_citation: 40%
    omitted_source_fact: {default: 50%, allergy: any}
"""
POLICIES = [
    "",
    "policy: {unavailable: count}",
    "policy: {malformed: ignore, spans: inside}",
    EVIDENCE_TOLERATED,
    DETAILS_TOLERATED,
    SUMS_TOLERATED,
]

gates = st.sampled_from(
    [
        layout._replace(rules=layout.rules + policy)
        for layout in LAYOUTS
        for policy in POLICIES
        if "allergy" not in policy or "class" in layout.rules
    ]
)
"""Every layout with every policy that goes with it."""
runs = st.lists(contents(), min_size=1, max_size=3)


def laid_out(layout: Layout, run: list[Content]) -> list[Laid]:
    """The documents of each case of a run."""
    return [layout.lay_out(content, number) for number, content in enumerate(run)]


def report_of(layout: Layout, laid: list[Laid], *, positions: int = 20) -> Report:
    """The report of these documents."""
    facts = [case.evidence for case in laid] if laid[0].evidence is not None else None
    return judge(layout.rules, *[case.summary for case in laid], evidence=facts, positions=positions)
