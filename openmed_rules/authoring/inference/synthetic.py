"""Two tests of a draft, made of synthetic values in its own layout: one that passes its gate, and one that fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from openmed_rules.authoring.inference.draft import (
    Allowed,
    Citing,
    Condition,
    Draft,
    FieldAt,
    Marker,
    PartsOf,
    PlaceAt,
    RangeOf,
    Reading,
    SpanAt,
)
from openmed_rules.authoring.inference.shapes import Many, Steps

_Place: TypeAlias = tuple[str | int, ...]

_DOCUMENT: Final = "D1"
_UNKNOWN: Final = 404
_FORMS: Final = MappingProxyType(
    {
        r"#(.+)": "#{}",
        r"(?:.*/)?([A-Z]\w*)/([\w.-]+)(?:/_history/.+)?": "{}/{}",
        r"([^/]+)/(.+)": "{}/{}",
        r"(.+):([^:]+)": "{}:{}",
        r"(.+)#([^#]+)": "{}#{}",
        r"\s*doc(\d+)\s*": "doc{}",
        r"\s*([^/]+)/(.+?)\s*": "{}/{}",
    }
)
"""For each pattern of a reference, how such a reference is written."""


def synthetic_tests(draft: Draft) -> list[dict[str, Any]]:
    """A test that passes the gate of ``draft`` and one that cites an unknown record, as a rule file says them."""
    spans = isinstance(draft.allowed[0].reading, SpanAt)
    reason = "unavailable_span" if spans else "missing_source_record"
    return [
        {"name": "every citation finds its record", **_inputs(draft), "expect": {"passed": True}},
        {
            "name": "a citation of an unknown record",
            **_inputs(draft, unknown=True),
            "expect": {"passed": False, "reasons": [reason], "citations": {f"{reason}_count": 1}},
        },
    ]


def _inputs(draft: Draft, *, unknown: bool = False) -> dict[str, Any]:
    case = _Case(draft)
    case.fill(unknown=unknown)
    summary = _Document()
    summary.assign(_first(draft.cases), case.summary.value)
    said = {"summary": summary.value}
    if any(allowed.input == "evidence" for allowed in draft.allowed):
        said["evidence"] = case.evidence.value
    return said


class _Document:
    """A document that grows as values are put at their places."""

    def __init__(self) -> None:
        self.value: Any = None

    def assign(self, place: _Place, value: object) -> None:
        self.value = _with(self.value, place, value)


def _with(whole: Any, place: _Place, value: object) -> Any:  # noqa: ANN401 - any JSON
    if not place:
        return value
    step, rest = place[0], place[1:]
    if isinstance(step, str):
        whole = whole if isinstance(whole, dict) else {}
        whole[step] = _with(whole.get(step), rest, value)
        return whole
    whole = whole if isinstance(whole, list) else []
    whole += [None] * (step + 1 - len(whole))
    whole[step] = _with(whole[step], rest, value)
    return whole


@dataclass(frozen=True, slots=True)
class _Known:
    """One evidence record of the case: its collection and its place."""

    allowed: Allowed
    number: int
    place: _Place


class _Case:
    """One case in the making: where each list ends so far, and the evidence records."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.summary, self.evidence = _Document(), _Document()
        self.ends: dict[tuple[str, _Place], int] = {}
        self.numbers_only = any(citing.form for citing in draft.citing)

    def fill(self, *, unknown: bool) -> None:
        claims = [
            (citing, self.next_place("summary", citing.claim))
            for citing in self.draft.citing
            for _ in self.draft.allowed
        ]
        if "missing_citation" in self.draft.tolerated and self.draft.citing[0].claim:
            self.uncited(self.draft.citing[0])
        extra = self.next_place("summary", self.draft.citing[0].claim) if unknown else None
        known = [self._record(allowed, number) for number, allowed in enumerate(self.draft.allowed)]
        for index, (citing, place) in enumerate(claims):
            self.cite(citing, place, known[index % len(known)])
        if extra is not None:
            one = known[0]
            self.cite(self.draft.citing[0], extra, _Known(one.allowed, _UNKNOWN, (*one.place[:-1], _UNKNOWN)))

    def next_place(self, side: str, steps: Steps) -> _Place:
        """The place of one more record of a collection; every list on the way has one item at least."""
        last = max((n for n, step in enumerate(steps) if isinstance(step, Many)), default=-1)
        place: _Place = ()
        for number, step in enumerate(steps):
            if not isinstance(step, Many):
                place += (step,)
                continue
            at = self.ends.get((side, place), 0) if number == last else 0
            self.ends[side, place] = max(self.ends.get((side, place), 0), at + 1)
            place += (at if step is Many.ITEMS else f"k{at}",)
        return place

    def uncited(self, citing: Citing) -> None:
        """One more claim, without a citation."""
        place = self.next_place("summary", citing.claim)
        self.summary.assign(place, {})
        _meet(self.summary, place, citing.claim_where)

    def _record(self, allowed: Allowed, number: int) -> _Known:
        document = self.evidence if allowed.input == "evidence" else self.summary
        place = self.next_place(allowed.input, allowed.records)
        start = place[-1] if place else 0
        if allowed.where is None and isinstance(start, int):  # the claims that stand in the same list are records too
            for earlier in range(start):
                self._name(document, allowed, _Known(allowed, 100 + earlier, (*place[:-1], earlier)))
        known = _Known(allowed, number, place)
        self._name(document, allowed, known)
        return known

    def _name(self, document: _Document, allowed: Allowed, known: _Known) -> None:
        document.assign(known.place, _at(document.value, known.place) or {})
        self._put(document, known.place, allowed.reading, self._values(known))
        _meet(document, known.place, allowed.where)

    def cite(self, citing: Citing, claim: _Place, known: _Known) -> None:
        _meet(self.summary, claim, citing.claim_where)
        record = (*claim, *_first(citing.records))
        values = self._values(known)
        if isinstance(citing.form, Marker):
            self.summary.assign(record, f"synthetic {_marked(citing, values)}")
            return
        if isinstance(citing.form, RangeOf):
            for steps in (citing.form.first, citing.form.last):
                self.summary.assign((*record, *_first(steps)), values[-1])
            return
        self._put(self.summary, record, citing.reading, values)
        _meet(self.summary, record, citing.where)

    def _values(self, known: _Known) -> list[Any]:
        """The parts of the reference of a record; a span is its document, its start and its end."""
        return list(self._parts(known.allowed.reading, known))

    def _parts(self, reading: Reading, known: _Known, *, first: bool = False) -> Iterator[Any]:
        if isinstance(reading, SpanAt):
            start = 10 * known.number
            yield from (_DOCUMENT, start, start + 5)
        elif isinstance(reading, PartsOf):
            yield from self._parts(reading.parts[0], known, first=True)
            yield from self._parts(reading.parts[1], known)
        elif isinstance(reading, PlaceAt):
            yield _placed(reading, known.place)
        elif first:
            yield _DOCUMENT
        else:
            yield known.number if self.numbers_only else f"r{known.number}"

    def _put(self, document: _Document, record: _Place, reading: Reading, values: list[Any]) -> None:
        if isinstance(reading, PartsOf):
            for part, value in zip(reading.parts, values, strict=True):
                self._put(document, record, part, [value])
        elif isinstance(reading, SpanAt):
            _put_span(document, record, reading, values)
        elif isinstance(reading, FieldAt):
            value = _FORMS[reading.capture].format(*values) if reading.capture else values[-1]
            document.assign((*_climbed(record, reading.climb), *_first(reading.paths[0])), value)


def _put_span(document: _Document, record: _Place, reading: SpanAt, values: list[Any]) -> None:
    name, start, end = values

    def put(field: FieldAt, value: object) -> None:
        document.assign((*_climbed(record, field.climb), *_first(field.paths[0])), value)

    def offset(value: int) -> int | str:
        return str(value) if reading.text_numbers else value

    if reading.within:
        put(reading.within, name)
    end -= reading.closed
    if reading.length:
        put(reading.start, offset(start + reading.base))
        put(reading.length, offset(end - start))
    elif reading.end:
        put(reading.start, offset(start + reading.base))
        put(reading.end, offset(end + reading.base))
    else:
        put(reading.start, [offset(start + reading.base), offset(end + reading.base)])


def _placed(reading: PlaceAt, place: _Place) -> Any:  # noqa: ANN401 - a number or a text
    if reading.what == "pointer":
        return "".join(f"/{step}" for step in place)
    last = place[-1]
    return last + reading.base if isinstance(last, int) and reading.what == "position" else str(last)


def _marked(citing: Citing, values: list[Any]) -> str:
    capture = citing.reading.capture if isinstance(citing.reading, FieldAt) else None
    return f"[{_FORMS[capture].format(*values) if capture else values[-1]}]"


def _meet(document: _Document, record: _Place, where: Condition | None) -> None:
    if where and where.wanted:
        document.assign((*record, *_first(where.field)), where.wanted[0])


def _climbed(record: _Place, levels: int) -> _Place:
    """The object around a record, that many objects up."""
    while levels:
        levels -= isinstance(record[-1], str)
        record = record[:-1]
    return record


def _first(steps: Steps) -> _Place:
    """The first place that a path leads to."""
    return tuple((0 if step is Many.ITEMS else "k0") if isinstance(step, Many) else step for step in steps)


def _at(whole: Any, place: _Place) -> Any:  # noqa: ANN401 - any JSON
    for step in place:
        if isinstance(whole, dict):
            whole = whole.get(step)
        elif isinstance(whole, list) and isinstance(step, int) and step < len(whole):
            whole = whole[step]
        else:
            return None
    return whole
