"""The best reading of a sample, and what else it could have been."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openmed_rules.authoring.inference.candidates import Candidate
from openmed_rules.authoring.inference.completing import complete, repaired
from openmed_rules.authoring.inference.composites import composite_candidates
from openmed_rules.authoring.inference.identities import Side
from openmed_rules.authoring.inference.markers import marker_candidates
from openmed_rules.authoring.inference.searching import id_candidates, range_candidates
from openmed_rules.authoring.inference.settling import Settled, settle
from openmed_rules.authoring.inference.shapes import grow
from openmed_rules.authoring.inference.spans import span_candidates
from openmed_rules.judging.documents import Document

_MOST_TRIED = 25
_EFFORT = 2_000_000
"""How many cells each way to search may look at; a sample that is wide is then searched in part."""

_LEAST = 1.0
"""What less speaks for was found by chance."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The reading that was chosen, and the best one of other collections or fields; None where there is none."""

    best: Candidate
    settled: Settled
    runner_up: Candidate | None


def choose(
    summary: Sequence[object],
    evidence: Sequence[object] | None,
    documents: Sequence[Document],
    evidence_documents: Sequence[Document] | None,
) -> Choice | None:
    """The best reading of the sample that the engine agrees with; None where there is none.

    ``summary`` and ``evidence`` are the values of the documents.
    """
    mine = Side("summary", grow(summary))
    other = Side("evidence", grow(evidence)) if evidence is not None else None
    ranked = _ranked(mine, other, one_evidence=evidence is None or len(evidence) == 1)
    if evidence is not None:
        ranked = [candidate for candidate in ranked if candidate.identity.input == "evidence"]
    ranked = [candidate for candidate in ranked if candidate.form or candidate.score >= _LEAST]
    for candidate in ranked[:_MOST_TRIED]:
        draft = complete(candidate, [one for one in ranked if one is not candidate], mine, other)
        settled = settle(draft, documents, evidence_documents) if draft else None
        if settled:
            rest = (one for one in ranked if _differs(one, candidate))
            return Choice(candidate, settled, next(rest, None))
    return None


def _ranked(mine: Side, other: Side | None, *, one_evidence: bool) -> list[Candidate]:
    mine.allow(_EFFORT)
    found = list(id_candidates(mine, other, one_evidence=one_evidence))
    found += _others(found, mine, other, one_evidence=one_evidence)
    return sorted((repaired(one, mine) for one in found), key=lambda candidate: -candidate.score)


def _others(found: Sequence[Candidate], mine: Side, other: Side | None, *, one_evidence: bool) -> Iterator[Candidate]:
    yield from range_candidates(found, mine)
    for search in (composite_candidates, span_candidates, marker_candidates):
        mine.allow(_EFFORT)
        yield from search(mine, other, one_evidence=one_evidence)


def _differs(one: Candidate, best: Candidate) -> bool:
    return one.record is not best.record or one.identity.record is not best.identity.record or (one.name != best.name)
