"""What citations and evidence say of each other: the same kinds and documents, and never the same place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, product
from typing import NamedTuple, TypeAlias

from openmed_rules.ruleset.model import (
    Citations,
    Evidence,
    FindAll,
    Input,
    Items,
    Locator,
    Path,
    Range,
    Source,
    Span,
    Split,
    Step,
    Where,
)
from openmed_rules.ruleset.problems import Fault, KeyPath
from openmed_rules.ruleset.sections import Part, Sections

_Side: TypeAlias = Part[Citations] | Part[Evidence]
_Conditions: TypeAlias = tuple[Where, Where]
_Stretch: TypeAlias = tuple[Input, tuple[Step, ...], Split | FindAll | Range | None]
_ITSELF = Source(Path("@", from_case=False, climb=0, steps=()))


class _Reading(NamedTuple):
    """How records of one kind (None: without kinds) are referred to, and where the rule file says so."""

    kind: str | None
    place: KeyPath
    where: _Conditions
    id: Locator
    span: Span


def _readings(part: _Side) -> list[_Reading]:
    rule = part.rule
    if not rule.kinds:
        return [_Reading(rule.kind, part.place, (rule.where, ()), rule.id, rule.span)]
    return [
        _Reading(kind.name, (*part.place, "kinds", kind.name), (rule.where, kind.where), kind.id, kind.span)
        for kind in rule.kinds
        if not kind.ignore
    ]


def kinds_meet(sections: Sections) -> Iterator[Fault]:
    """A named kind that the other side lacks can never meet anything."""
    citing = list(chain.from_iterable(map(_readings, sections.citations)))
    cited = list(chain.from_iterable(map(_readings, sections.evidence)))
    names = {reading.kind for reading in cited} - {None}
    if not names:
        return
    for reading in cited:
        if reading.kind is None:
            message = "this collection names no kind, and another of evidence does"
            yield Fault(
                "OMR-421",
                reading.place,
                message,
                hint="every collection of evidence names kinds, or none does",
            )
    known = {reading.kind for reading in citing}
    for side, other, lacking in ((citing, "evidence", names), (cited, "citations", known)):
        for reading in side:
            if reading.kind is not None and reading.kind not in lacking:
                message = f"no {other} of the kind {reading.kind}"
                is_key = "kinds" in reading.place
                place = reading.place if is_key else (*reading.place, "kind")
                yield Fault("OMR-422", place, message, "the same kind on both sides", at_key=is_key)


def within_on_both_sides(sections: Sections) -> Iterator[Fault]:
    """Offsets count in a document on both sides, or on neither."""
    citations, evidence = _by_within(sections.citations), _by_within(sections.evidence)
    told: list[list[_Reading]] = []
    for (kind, ours), citing in citations.items():
        for cited_kind, theirs in product({None, kind}, _WITHIN):
            cited = evidence.get((cited_kind, theirs))
            lacking = citing if False in ours and True in theirs else cited
            if cited and lacking and ours != theirs and not any(lacking is group for group in told):
                told.append(lacking)
                for reading in lacking:
                    message = "within on one side only: what these offsets count in is not said"
                    hint = "write `within` for citations and for evidence, or for neither"
                    yield Fault("OMR-423", (*reading.place, "span"), message, hint=hint)


_WITHIN = (frozenset({True}), frozenset({False}), frozenset({True, False}))
"""Whether the forms of a span say ``within``: all, none, some of them."""


def _by_within(parts: Iterable[_Side]) -> dict[tuple[str | None, frozenset[bool]], list[_Reading]]:
    """The readings with a span, by kind and by whether they say ``within``."""
    groups: dict[tuple[str | None, frozenset[bool]], list[_Reading]] = defaultdict(list)
    for reading in chain.from_iterable(map(_readings, parts)):
        if reading.span:
            groups[reading.kind, frozenset(bool(form.within) for form in reading.span)].append(reading)
    return groups


def evidence_is_not_the_citations(sections: Sections) -> Iterator[Fault]:
    """Evidence read from where the citations stand would know everything that is cited."""
    standing: dict[_Stretch, list[Part[Evidence]]] = defaultdict(list)
    for part in sections.evidence:
        for stretch in set(_stretches(part.rule.input, (), part.rule.records)):
            standing[stretch].append(part)
    told = set()
    for citing in sections.citations:
        cites = _references(citing) | {(_EVERY, reference) for _, reference in _references(citing)}
        shared = {stretch for stretch in _citing_stretches(citing.rule, sections) if stretch in standing}
        for part in chain.from_iterable(standing[stretch] for stretch in shared):
            if part.place not in told and not cites.isdisjoint(_references(part)):
                told.add(part.place)
                message = "evidence is read from where the citations stand, by the same locator"
                hint = "so it would know everything that is cited: read it from the source"
                yield Fault("OMR-424", (*part.place, "records"), message, hint=hint)


_EVERY: _Conditions = ((), ())
"""No condition: evidence of every record takes in those of any condition."""


def _references(part: _Side) -> set[tuple[_Conditions, Locator | Span]]:
    """The locators of a collection, each with the conditions of the records; the empty one is the record itself."""
    return {
        (reading.where, locator)
        for reading in _readings(part)
        for locator in [locator for locator in (reading.id, reading.span) if locator] or [()]
    }


def _citing_stretches(rule: Citations, sections: Sections) -> Iterator[_Stretch]:
    """Where citations stand, from the case."""
    if rule.claim:
        yield from _stretches(rule.input, (), rule.records)
        return
    for part in sections.claims:
        for claims in part.rule.records:
            if not claims.path.climb:
                yield from _stretches(part.rule.input, claims.path.steps, rule.records or (_ITSELF,))


def _stretches(entry: Input, start: tuple[Step, ...], sources: Iterable[Source]) -> Iterator[_Stretch]:
    """The records of sources that begin at ``start``; an array is opened anyhow, with ``[*]`` or without."""
    for source in sources:
        if not source.path.climb:
            steps = (*(() if source.path.from_case else start), *source.path.steps)
            yield entry, tuple(step for step in steps if not isinstance(step, Items)), source.form
