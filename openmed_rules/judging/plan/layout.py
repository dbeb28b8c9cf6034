"""Which rule sets have a plan: those that read named members downwards, and how these are laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from openmed_rules.judging.plan.leaves import Leaves, Names, NotPlanned, leaves_of, names_of
from openmed_rules.ruleset import model

Way: TypeAlias = tuple["str | None", ...]
"""Member names that lead to an array or to what stands in for one; ``None`` is every item of an array on the way."""


class Offsets(Struct, frozen=True):
    """A span as it stands in a record: paths to its members, and what is taken off to make it half-open from 0.

    ``measures``: the second number is a length. ``within``: the path to the document, or None.
    """

    start: Names
    end: Names
    measures: bool
    base: int
    closed: int
    within: Names | None


class Plain(Struct, frozen=True):
    """A reference that single members give.

    ``id`` is a path (empty: the record itself), a base of positions, or None where there is none. ``in_array``: a
    position is that in an array, and not one among the records.
    """

    id: Names | int | None
    span: Offsets | None
    in_array: bool = False


class Literals(Struct, frozen=True):
    """A test: the value at ``path`` is one of ``wanted`` (None: it is not there), or is none of them."""

    path: Names
    wanted: tuple[str | bool | None, ...]
    negated: bool


Condition: TypeAlias = tuple[tuple[Literals, ...], ...]
"""Alternatives of which one must hold; each is tests that must all hold. Empty: no condition."""


class Reading(Struct, frozen=True):
    """How the references of one kind are read, and which evidence they meet (``kind``).

    ``leaves``: the values that are read, and how; None where nothing is, for a position or what is left out.
    ``plain``: the shorter way, where there is one. ``condition``: what makes a record one of this kind.
    """

    kind: str | None
    leaves: Leaves | None = None
    plain: Plain | None = None
    condition: Condition = ()

    @property
    def is_ignored(self) -> bool:
        """Whether records of this kind are left out."""
        return self.leaves is None and self.plain is None

    @property
    def is_bare(self) -> bool:
        """Whether the record is a scalar, which is read itself."""
        return self.leaves is not None and self.leaves.read == ((),)

    @property
    def has_span(self) -> bool:
        """Whether a span is read."""
        return bool(self.leaves.span) if self.leaves else self.plain is not None and self.plain.span is not None


class Records(Struct, frozen=True):
    """One collection: where its records stand in ``input``, and how each kind of them is read.

    ``ways``: paths of which the first that is there leads to them. ``pieces``: what makes records of a text there.
    ``merge``: records of one id are one.
    """

    input: model.Input
    ways: tuple[Way, ...]
    condition: Condition
    pieces: model.Split | model.FindAll | None = None
    readings: tuple[Reading, ...] = ()
    merge: bool = False
    supports: bool = True

    @property
    def is_bare(self) -> bool:
        """Whether the records are scalars."""
        return any(reading.is_bare for reading in self.readings)

    @property
    def is_unread(self) -> bool:
        """Whether nothing of the records is read: they are known by their positions."""
        unread = all(reading.plain and isinstance(reading.plain.id, int) for reading in self.readings)
        return (
            bool(self.readings)
            and unread
            and not any(reading.has_span or reading.condition for reading in self.readings)
        )


class Layout(Struct, frozen=True):
    """A rule set that has a plan. ``cases``: the way to the cases of each input; None: a document is one."""

    cases: dict[model.Input, Way | None]
    claims: tuple[Records, ...]
    citations: tuple[Records, ...]
    evidence: tuple[Records, ...]
    has_kinds: bool


def layout_of(rules: model.RuleSet) -> Layout:
    """The layout of ``rules``.

    Raises:
        NotPlanned: the rule set says something that the fast way cannot take.
    """
    if rules.policy.spans != "exact":
        raise NotPlanned("policy.spans: inside")
    layout = Layout(
        cases={"summary": _cases(rules.summary_input), "evidence": _cases(rules.evidence_input)},
        claims=tuple(map(_claims, rules.claims)),
        citations=tuple(map(_citations, rules.citations)),
        evidence=tuple(map(_evidence, rules.evidence)),
        has_kinds=any(collection.kinds or collection.kind for collection in rules.evidence),
    )
    _refuse_mixed_spans(layout)
    _refuse_shared_records(layout)
    return layout


def _refuse_mixed_spans(layout: Layout) -> None:
    known = [reading for records in layout.evidence for reading in records.readings]
    spanned = {reading.kind for reading in known if reading.has_span}
    if any(
        reading.has_span and reading.kind not in spanned for cited in layout.citations for reading in cited.readings
    ):
        raise NotPlanned("spans that only citations have")
    if any(sum(reading.kind == kind for reading in known) > 1 for kind in spanned):
        raise NotPlanned("spans of several collections of evidence")


def _refuse_shared_records(layout: Layout) -> None:
    """What a record is told from is its place, which two collections must not share."""
    places = [(records.input, way) for records in layout.evidence for way in records.ways]
    if len(set(places)) < len(places):
        raise NotPlanned("several collections of evidence in one place")


def _cases(rule: model.InputRule) -> Way | None:
    if rule.join or rule.embedded_json:
        raise NotPlanned("inputs.join" if rule.join else "inputs.embedded_json")
    if len(rule.cases) > 1:
        raise NotPlanned("a list in inputs.cases")
    return _way(rule.cases[0], "inputs.cases") if rule.cases else None


# --- collections ------------------------------------------------------------------------------------


def _claims(collection: model.Claims) -> Records:
    for said, word in ((collection.merge, "claims.merge"), (collection.class_rule, "claims.class")):
        if said:
            raise NotPlanned(word)
    ways, pieces = _sources(collection.records, "claims")
    if pieces is not None:
        raise NotPlanned("split or find_all in claims.records")
    return Records(collection.input, ways, _condition(collection.where, "claims.where"))


def _citations(collection: model.Citations) -> Records:
    for said, word in (
        (collection.claim, "citations.claim"),
        (collection.siblings, "citations.siblings"),
        (collection.follow, "citations.follow"),
        (any(source.path.from_case for source in collection.records), "citations.records from $"),
    ):
        if said:
            raise NotPlanned(word)
    ways, pieces = _sources(collection.records, "citations")
    if pieces is None and not all(ways):
        raise NotPlanned("citations that are their claims")
    return Records(
        collection.input,
        ways,
        _condition(collection.where, "citations.where"),
        pieces,
        tuple(_readings(collection, "citations", may_count=False)),
        supports=collection.supports,
    )


def _evidence(collection: model.Evidence) -> Records:
    if collection.class_rule:
        raise NotPlanned("evidence.class")
    ways, pieces = _sources(collection.records, "evidence")
    condition = _condition(collection.where, "evidence.where")
    may_count = not condition and all(None not in way for way in ways)
    readings = tuple(_readings(collection, "evidence", may_count=may_count))
    if collection.merge and any(reading.plain is None or reading.has_span for reading in readings):
        raise NotPlanned("evidence.merge of more than plain ids")
    return Records(collection.input, ways, condition, pieces, readings, merge=collection.merge)


def _sources(sources: Sequence[model.Source], name: str) -> tuple[tuple[Way, ...], model.Split | model.FindAll | None]:
    ways = tuple(_way(source.path, f"{name}.records") for source in sources)
    if len(sources) > 1 and (
        any(source.form for source in sources) or not all(way and None not in way for way in ways)
    ):
        raise NotPlanned(f"a list in {name}.records of more than names")
    form = sources[0].form
    if isinstance(form, model.Range):
        raise NotPlanned(f"range in {name}.records")
    if form is not None and None in ways[0]:
        raise NotPlanned(f"split or find_all of several texts in {name}.records")
    return ways, form


def _way(path: model.Path, name: str) -> Way:
    way: list[str | None] = []
    for step in path.steps:
        if isinstance(step, model.Key):
            way.append(step.name)
        elif isinstance(step, model.Items) and not step.opens and way and way[-1] is not None:
            way.append(None)
        else:
            raise NotPlanned(f"a step of {name} that is no name and no [*] after one")
    if path.climb or way[-1:] == [None]:
        raise NotPlanned(f"{name} with ^, or with [*] at its end")
    return tuple(way)


# --- references -------------------------------------------------------------------------------------


def _readings(collection: model.Citations | model.Evidence, name: str, *, may_count: bool) -> Iterator[Reading]:
    if not collection.kinds:
        yield _reading(collection.kind, collection.id, collection.span, name, may_count=may_count)
    for kind in collection.kinds:
        condition = _condition(kind.where, f"{name}.kinds")
        if kind.ignore:
            yield Reading(kind.name, condition=condition)
        else:
            reading = _reading(kind.name, kind.id, kind.span, f"{name}.kinds", may_count=False)
            yield replace(reading, condition=condition)


def _reading(kind: str | None, locator: model.Locator, span: model.Span, name: str, *, may_count: bool) -> Reading:
    offsets = _plain_span(span)
    form = locator[0] if len(locator) == 1 else None
    if isinstance(form, model.Place):
        counted = form.what == "position" and not form.climb and (form.among_records or may_count)
        if not counted or name != "evidence" or (span and offsets is None):
            raise NotPlanned(f"a place in {name}.id that is no position among all records")
        return Reading(kind, plain=Plain(form.base, offsets, in_array=not form.among_records))
    leaves = leaves_of(locator, span, name)
    names = _plain(locator) if locator or span else ()
    if names == () and span:
        raise NotPlanned(f"{name} that are ids themselves beside a span")
    is_plain = (names is not None or not locator) and (offsets is not None or not span)
    return Reading(kind, leaves, Plain(names, offsets) if is_plain else None)


def _plain(locator: model.Locator) -> Names | None:
    """The path of a locator that is one path of names and nothing else."""
    form = locator[0] if len(locator) == 1 else None
    if not isinstance(form, model.Field) or len(form.paths) != 1:
        return None
    if form.absent or form.capture is not None or form.default is not None:
        return None
    return names_of(form.paths[0])


def _plain_span(span: model.Span) -> Offsets | None:
    """A span that is single members; None where it is more."""
    form = span[0] if len(span) == 1 else None
    if form is None or form.pair or form.each or form.absent or form.text_numbers:
        return None
    start, end = _plain(form.start), _plain(form.end or form.length)
    within = _plain(form.within)
    if not start or not end or (form.within and not within):
        return None
    return Offsets(start, end, measures=not form.end, base=form.base, closed=int(form.closed), within=within)


# --- conditions -------------------------------------------------------------------------------------


def _condition(where: model.Where, name: str) -> Condition:
    return tuple(tuple(_literals(test, name) for test in tests) for tests in where)


def _literals(test: model.Test, name: str) -> Literals:
    path = names_of(test.path)
    if not path:
        raise NotPlanned(f"a path of {name} that is more than names")
    wanted = tuple(literal for literal in test.wanted if literal is None or isinstance(literal, str | bool))
    if len(wanted) < len(test.wanted) or len({type(literal) for literal in wanted} - {type(None)}) > 1:
        raise NotPlanned(f"literals of {name} that are numbers, or of several types")
    return Literals(path, wanted, test.negated)
