"""Hops between a citation and its evidence: records that translate one id into others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import TypeAlias

from openmed_rules.judging.collecting import compile_records
from openmed_rules.judging.locators import compile_id, compile_ids
from openmed_rules.judging.nodes import Identity, Missing, Node
from openmed_rules.judging.references import Reference
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model

Follow: TypeAlias = Callable[[Reference], list[Reference]]
Steps: TypeAlias = "dict[Identity, list[Identity | Missing]]"

MOST_REACHED = 100_000
"""Ids to which one citation may lead; several hops that each give several grow by powers. More is malformed."""

LEADS_NOWHERE = ""
"""In front of an id that a hop could not resolve; no id that is read has an empty part."""


def compile_hops(hops: Sequence[model.Hop], watch: Watch) -> Callable[[Sequence[Node]], Follow]:
    """``hops`` as a function of a case that gives a function of a reference: the references at the last hop."""
    readers = [_compile_hop(hop, place) for hop, place in watch.each(hops)]

    def in_case(starts: Sequence[Node]) -> Follow:
        tables = [read(starts) for read in readers]

        def follow(reference: Reference) -> list[Reference]:
            identity, span, malformed = reference
            if identity is None:
                return [reference]
            reached: list[Identity | Missing] = [identity]
            for table in tables:
                reached = list(islice(chain.from_iterable(_step(table, here) for here in reached), MOST_REACHED + 1))
                if len(reached) > MOST_REACHED:
                    return [(None, span, True)]
            return [(None, span, True) if isinstance(last, Missing) else (last, span, malformed) for last in reached]

        return follow

    return in_case


def _step(table: Steps, here: Identity | Missing) -> list[Identity | Missing]:
    if isinstance(here, Missing) or (isinstance(here, tuple) and here[0] == LEADS_NOWHERE):
        return [here]
    return table.get(here) or [(LEADS_NOWHERE, here)]


def _compile_hop(hop: model.Hop, watch: Watch) -> Callable[[Sequence[Node]], Steps]:
    records = compile_records(hop.records, watch.at("records"), takes_keys=False, lenient=False)
    read_id, read_to = compile_id(hop.id, watch.at("id")), compile_ids(hop.to, watch.at("to"))

    def read(starts: Sequence[Node]) -> Steps:
        table: Steps = {}
        for node in (node for start in starts for node in records(start)):
            identity = read_id(node)
            if not isinstance(identity, Missing):
                table.setdefault(identity, []).extend(read_to(node))
        return table

    return read
