"""Which rule sets have a plan: those that read plain members of plain records, and how these are laid out."""

from __future__ import annotations

from msgspec import Struct

from openmed_rules.ruleset import model


class NotPlanned(Exception):
    """Why a rule set has no plan, in words of the rule file."""


class Offsets(Struct, frozen=True):
    """A span as it stands in a record: paths to its members, and what is taken off to make it half-open from 0.

    ``measures``: the second number is a length. ``within``: the path to the document, or None.
    """

    start: tuple[str, ...]
    end: tuple[str, ...]
    measures: bool
    base: int
    closed: int
    within: tuple[str, ...] | None


class Literal(Struct, frozen=True):
    """A condition: the text at ``path`` is one of ``texts``, or is not there where ``absent`` is true."""

    path: tuple[str, ...]
    texts: tuple[str, ...]
    absent: bool
    negated: bool


class Records(Struct, frozen=True):
    """One collection: ``path`` leads to its array, in which ``None`` stands for every item of an array on the way.

    ``id`` is a path (empty: the record itself), a base of positions, or None where there is no id.
    """

    path: tuple[str | None, ...]
    where: tuple[Literal, ...]
    id: tuple[str, ...] | int | None
    span: Offsets | None
    supports: bool = True


class Layout(Struct, frozen=True):
    """A rule set that has a plan."""

    claims: Records
    citations: tuple[Records, ...]
    evidence: Records


def layout_of(rules: model.RuleSet) -> Layout:
    """The layout of ``rules``.

    Raises:
        NotPlanned: the rule set says something that the fast way cannot take.
    """
    if rules.summary_input != model.InputRule() or rules.reads_evidence_input:
        raise NotPlanned("inputs")
    if rules.policy.spans != "exact":
        raise NotPlanned("policy.spans: inside")
    if len(rules.claims) != 1:
        raise NotPlanned("several collections of claims")
    if len(rules.evidence) != 1:
        raise NotPlanned("several collections of evidence")
    claims, evidence = rules.claims[0], rules.evidence[0]
    for said, word in (
        (claims.merge or evidence.merge, "merge"),
        (claims.class_rule or evidence.class_rule, "class"),
        (evidence.kinds or evidence.kind, "kinds"),
    ):
        if said:
            raise NotPlanned(word)
    if not evidence.span and any(collection.span for collection in rules.citations):
        raise NotPlanned("spans that only citations have")
    if isinstance(evidence.id[0] if evidence.id else None, model.Place) and not _is_counted_along(evidence):
        raise NotPlanned("evidence.id that is no position among all records")
    return Layout(
        claims=Records(_array(claims.records, "claims"), _where(claims.where, "claims"), None, None),
        citations=tuple(_citations(collection) for collection in rules.citations),
        evidence=Records(
            _array(evidence.records, "evidence"),
            _where(evidence.where, "evidence"),
            _id(evidence.id, evidence.span, "evidence"),
            _span(evidence.span, "evidence"),
        ),
    )


def _is_counted_along(evidence: model.Evidence) -> bool:
    """Whether the positions of the records are their numbers among all that are read."""
    form = evidence.id[0]
    one_array = len(evidence.records) == 1 and all(
        isinstance(step, model.Key) for step in evidence.records[0].path.steps
    )
    return isinstance(form, model.Place) and (form.among_records or (one_array and not evidence.where))


def _citations(collection: model.Citations) -> Records:
    for said, word in (
        (collection.claim, "citations.claim"),
        (collection.siblings, "citations.siblings"),
        (collection.follow, "citations.follow"),
        (collection.kinds or collection.kind, "citations.kinds"),
    ):
        if said:
            raise NotPlanned(word)
    return Records(
        _array(collection.records, "citations"),
        _where(collection.where, "citations"),
        _id(collection.id, collection.span, "citations"),
        _span(collection.span, "citations"),
        supports=collection.supports,
    )


def _array(sources: tuple[model.Source, ...], name: str) -> tuple[str | None, ...]:
    if len(sources) != 1:
        raise NotPlanned(f"a list in {name}.records")
    source = sources[0]
    if source.form is not None:
        raise NotPlanned(f"split, find_all or range in {name}.records")
    if source.path.climb or (name == "citations" and source.path.from_case):
        raise NotPlanned(f"a path of {name}.records that does not start at its record")
    steps: list[str | None] = []
    for step in source.path.steps:
        if isinstance(step, model.Key):
            steps.append(step.name)
        elif isinstance(step, model.Items) and not step.opens:
            steps.append(None)
        else:
            raise NotPlanned(f"a step of {name}.records that is no name and no [*]")
    if not steps or steps[-1] is None or steps[0] is None:
        raise NotPlanned(f"{name}.records that begins or ends with an array")
    return tuple(steps)


def _members(path: model.Path, name: str) -> tuple[str, ...]:
    names = tuple(step.name for step in path.steps if isinstance(step, model.Key))
    if path.from_case or path.climb or len(names) != len(path.steps):
        raise NotPlanned(f"a path of {name} that is more than names")
    return names


def _field(locator: model.Locator, name: str) -> tuple[str, ...]:
    form = locator[0] if len(locator) == 1 else None
    if not isinstance(form, model.Field) or len(form.paths) != 1:
        raise NotPlanned(f"a list, a place or parts in {name}")
    if form.absent or form.capture is not None or form.default is not None:
        raise NotPlanned(f"absent, capture or default in {name}")
    return _members(form.paths[0], name)


def _id(locator: model.Locator, span: model.Span, name: str) -> tuple[str, ...] | int | None:
    if not locator:
        return None if span else ()
    form = locator[0]
    if len(locator) == 1 and isinstance(form, model.Place) and form.what == "position":
        if form.climb:
            raise NotPlanned(f"of in {name}.id")
        return form.base
    path = _field(locator, f"{name}.id")
    if not path and span:
        raise NotPlanned(f"{name} that are ids themselves beside a span")
    return path


def _span(span: model.Span, name: str) -> Offsets | None:
    if not span:
        return None
    form = span[0]
    if len(span) != 1 or form.pair or form.each or form.absent or form.text_numbers:
        raise NotPlanned(f"{name}.span that is more than start and end or length")
    return Offsets(
        start=_field(form.start, f"{name}.span"),
        end=_field(form.end or form.length, f"{name}.span"),
        measures=not form.end,
        base=form.base,
        closed=int(form.closed),
        within=_field(form.within, f"{name}.span.within") if form.within else None,
    )


def _where(where: model.Where, name: str) -> tuple[Literal, ...]:
    if len(where) > 1:
        raise NotPlanned(f"a list in {name}.where")
    return tuple(_literal(test, name) for tests in where for test in tests)


def _literal(test: model.Test, name: str) -> Literal:
    texts = tuple(literal for literal in test.wanted if isinstance(literal, str))
    absent = None in test.wanted
    if len(texts) + absent != len(test.wanted):
        raise NotPlanned(f"a literal of {name}.where that is no text")
    return Literal(_members(test.path, f"{name}.where"), texts, absent, test.negated)
