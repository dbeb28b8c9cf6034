"""The claims of one case with their citations, wherever the upstream puts these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from openmed_rules.judging.classes import compile_class
from openmed_rules.judging.collecting import LeftOut, compile_records, compile_sorting
from openmed_rules.judging.following import Follow, compile_hops
from openmed_rules.judging.locators import IdReader, compile_id, compile_ids
from openmed_rules.judging.nodes import ABSENT, MALFORMED, CaseRoots, Identity, Missing, Node
from openmed_rules.judging.references import (
    BROKEN,
    Reference,
    compile_kinds,
    counts_records,
    takes_keys,
)
from openmed_rules.judging.values import UnusableText
from openmed_rules.judging.walking import Found, open_array
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model


class Citing(NamedTuple):
    """What the citations of one kind have in common: which kind of evidence they may meet, and what they are worth."""

    kind: str | None
    supports: bool


Citation: TypeAlias = tuple[Citing, Reference]


class Claim(Struct, eq=False, gc=False):
    """One claim with all its citations.

    ``place``: where it stands. ``nodes``: where its citations may stand: several places where claims were joined,
    none where it is malformed. ``id``: None where it has no usable one. ``label``: its class.
    """

    place: Node
    nodes: list[Node]
    id: Identity | None = None
    label: str | None = None
    citations: list[Citation] = []

    def __repr__(self) -> str:
        """Nothing of a record."""
        return "Claim"


class Claimed(Struct, frozen=True):
    """The claims of one case, and how much was left out, joined or cited for no claim on the way."""

    claims: list[Claim]
    orphans: int
    joined: int
    left_out_claims: int
    left_out_citations: int


ClaimGatherer: TypeAlias = Callable[[CaseRoots], Claimed]
Citer: TypeAlias = "Callable[[CaseRoots, Sequence[Claim], LeftOut], int]"
"""Gives the claims of a case their citations, and how many belong to no claim."""


def compile_claims(rules: model.RuleSet, watch: Watch) -> ClaimGatherer:
    """The rules for claims and citations as a function of a case."""
    by_name = any(collection.claim for collection in rules.citations)
    collections = [
        (collection, _compile_claims(collection, place, meets_by_id=by_name or collection.merge))
        for collection, place in watch.at("claims").each(rules.claims)
    ]
    citers = [
        _compile_citer(collection, rules.policy, place)
        for collection, place in watch.at("citations").each(rules.citations)
    ]

    def gather(roots: CaseRoots) -> Claimed:
        claims: list[Claim] = []
        joined = 0
        claims_left, citations_left = LeftOut(), LeftOut()
        for collection, read in collections:
            found = list(read(roots.starts(collection.input), claims_left))
            kept = _merge(found) if collection.merge else found
            joined += len(found) - len(kept)
            claims += kept
        orphans = sum(cite(roots, claims, citations_left) for cite in citers)
        return Claimed(claims, orphans, joined, claims_left.total, citations_left.total)

    return gather


def _compile_claims(
    collection: model.Claims, watch: Watch, *, meets_by_id: bool
) -> Callable[[Sequence[Node], LeftOut], Iterator[Claim]]:
    """A collection of claims as a function; ``meets_by_id``: whether anything becomes of their ids."""
    by_key = takes_keys(collection)
    records = compile_records(collection.records, watch.at("records"), takes_keys=by_key, lenient=False)
    numbered = counts_records(collection)
    sort = compile_sorting(collection.where, (), watch, scalars_lack_fields=False, numbered=numbered)
    read_id = compile_id(collection.id, watch.at("id"))
    if not meets_by_id:
        read_id = _only_counted(read_id)
    label = compile_class(collection.class_rule, watch)

    def read(starts: Sequence[Node], left_out: LeftOut) -> Iterator[Claim]:
        for node, _, malformed in sort([node for start in starts for node in records(start)], left_out):
            if malformed:
                yield Claim(node, [])
                continue
            identity = read_id(node)
            usable = None if isinstance(identity, Missing) else identity
            yield Claim(node, [node], usable, label(node) if label is not None else None)

    return read


def _only_counted(read_id: IdReader) -> IdReader:
    """An id of which nothing becomes makes no case unreadable, whether it is counted or not."""

    def read(node: Node) -> Identity | Missing:
        try:
            return read_id(node)
        except UnusableText:
            return ABSENT

    return read


def _merge(claims: Sequence[Claim]) -> list[Claim]:
    """Claims with equal ids as one that stands in all their places."""
    merged: list[Claim] = []
    known: dict[Identity | None, Claim] = {}
    for claim in claims:
        first = known.get(claim.id)
        if first is not None:
            first.nodes += claim.nodes
            first.label = first.label or claim.label
            continue
        merged.append(claim)
        if claim.id is not None:
            known[claim.id] = claim
    return merged


def _compile_citer(collection: model.Citations, policy: model.Policy, watch: Watch) -> Citer:
    read = _compile_citations(collection, policy, watch)
    hops = compile_hops(collection.follow, watch.at("follow")) if collection.follow else None

    def follow_in(roots: CaseRoots) -> Follow | None:
        return hops(roots.starts(collection.input)) if hops is not None else None

    if collection.claim:
        return _edge_citer(collection, compile_ids(collection.claim, watch.at("claim")), read, follow_in)
    if collection.siblings:
        return _sibling_citer(read, follow_in)

    def cite(roots: CaseRoots, claims: Sequence[Claim], left_out: LeftOut) -> int:
        follow = follow_in(roots)
        for claim in claims:
            claim.citations += [citation for _, citation in read(claim.nodes, left_out, follow)]
        return 0

    return cite


def _item_itself(start: Node) -> list[Node]:
    found = Found()
    open_array(start, found)
    return found.places


CitationReader: TypeAlias = "Callable[[Sequence[Node], LeftOut, Follow | None], list[tuple[Node, Citation]]]"


def _compile_citations(collection: model.Citations, policy: model.Policy, watch: Watch) -> CitationReader:
    """A collection of citations as a function from where it starts to the citations there, each with its record."""
    by_key, lenient = takes_keys(collection), not collection.claim
    records = (
        compile_records(collection.records, watch.at("records"), takes_keys=by_key, lenient=lenient)
        if collection.records
        else _item_itself
    )
    numbered = counts_records(collection)
    sort = compile_sorting(collection.where, collection.kinds, watch, scalars_lack_fields=False, numbered=numbered)
    kinds = compile_kinds(collection, watch, ignore_malformed=policy.malformed == "ignore")
    citing = [Citing(kind.name, collection.supports) for kind in kinds]
    first, read_first = citing[0], kinds[0].read
    takes_all = not (collection.where or collection.kinds or numbered)

    def read_all(starts: Sequence[Node], _left_out: LeftOut, _follow: Follow | None) -> list[tuple[Node, Citation]]:
        found = records(starts[0]) if len(starts) == 1 else [node for start in starts for node in records(start)]
        return [(node, (first, BROKEN if node.value is MALFORMED else read_first(node))) for node in found]

    def read(starts: Sequence[Node], left_out: LeftOut, follow: Follow | None) -> list[tuple[Node, Citation]]:
        members = sort([node for start in starts for node in records(start)], left_out)
        cited = [
            (node, (citing[kind], BROKEN if malformed else kinds[kind].read(node))) for node, kind, malformed in members
        ]
        if follow is None:
            return cited
        return [(node, (kind, reached)) for node, (kind, reference) in cited for reached in follow(reference)]

    return read_all if takes_all and not collection.follow else read


def _edge_citer(
    collection: model.Citations,
    read_claims: Callable[[Node], list[Identity | Missing]],
    read: CitationReader,
    follow_in: Callable[[CaseRoots], Follow | None],
) -> Citer:
    """Citations that stand outside their claim and name it."""

    def cite(roots: CaseRoots, claims: Sequence[Claim], left_out: LeftOut) -> int:
        known: dict[Identity | Missing, Claim] = {}
        for claim in claims:
            if claim.id is not None:
                known.setdefault(claim.id, claim)
        orphans = 0
        for node, citation in read(roots.starts(collection.input), left_out, follow_in(roots)):
            for name in read_claims(node) or [ABSENT]:
                claim_named = known.get(name)
                if claim_named is None:
                    orphans += 1
                else:
                    claim_named.citations.append(citation)
        return orphans

    return cite


def _sibling_citer(read: CitationReader, follow_in: Callable[[CaseRoots], Follow | None]) -> Citer:
    """Citations that follow their claim in the array in which it stands, up to the next claim."""

    def cite(roots: CaseRoots, claims: Sequence[Claim], left_out: LeftOut) -> int:
        follow = follow_in(roots)
        places = {_place(node) for claim in claims for node in (claim.place, *claim.nodes)}
        for claim in claims:
            items = [item for node in claim.nodes for item in _following(node, places)]
            claim.citations += [citation for _, citation in read(items, left_out, follow)]
        return 0

    return cite


def _place(node: Node) -> tuple[int, str | int | None]:
    return id(node.parent.value) if node.parent is not None else 0, node.key


def _following(node: Node, claim_places: set[tuple[int, str | int | None]]) -> Iterator[Node]:
    array = node.parent.value if node.parent is not None else None
    if type(array) is not list or type(node.key) is not int:
        return
    for position in range(node.key + 1, len(array)):
        if (id(array), position) in claim_places:
            return
        yield Node(array[position], node.parent, position)
