"""The line of a rule file that would mend what most citations fail for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.model import Locator, Place, Span
from openmed_rules.ruleset.problems import Fault, KeyPath
from openmed_rules.ruleset.sections import Sections

MEANINGS: Final = MappingProxyType[str, str](
    {
        "malformed": "a field of the citation is there and cannot be used; the types above say which",
        "no reference": "neither an id nor a span is there",
        "two records": "its id and its span lead to different records",
        "no id known": "an id, and no record has one",
        "unknown id": "an id that no record has",
        "leading zero": "the id of a record, but for a zero in front",
        "letter case": "the id of a record, but for capital letters",
        "parts": "an id of parts on one side, and a plain one on the other",
        "after ?": "the id of a record, but for what stands behind ?",
        "one past the last": "a number, one past the last record",
        "one before the first": "a number, one before the first record",
        "no span known": "a span, and no record has one",
        "unknown span": "a span that no record has",
        "end one too large": "the start of a record, and an end that is one too large",
        "end one too small": "the start of a record, and an end that is one too small",
        "both one too large": "the span of a record, but one too large at both ends",
        "both one too small": "the span of a record, but one too small at both ends",
        "start one too large": "the end of a record, and a start that is one too large",
        "start one too small": "the end of a record, and a start that is one too small",
        "start matches": "the start of a record, and another end",
        "end matches": "the end of a record, and another start",
        "wrong document": "the place of a record, in another document",
        "unknown document": "a place in a document that no record names",
        "inside a record": "a span inside that of a record",
    }
)
"""Each kind of miss in words."""


class _Side(NamedTuple):
    """How one side refers to records of a kind, and where the rule file says so."""

    place: KeyPath
    id: Locator
    span: Span

    @property
    def closed(self) -> bool:
        """Whether its ends are inclusive."""
        return any(form.closed for form in self.span)

    @property
    def base(self) -> int:
        """From what its offsets count."""
        return max((form.base for form in self.span), default=0)

    def fault(self, key: str, message: str, hint: str) -> Fault:
        """What to write under ``key``."""
        return Fault("", (*self.place, *key.split(".")), message, hint=hint)


def remedies(file: RuleFile, misses: Mapping[tuple[int, str | None, str], int]) -> Iterator[Fault]:
    """For each collection and kind: what would mend the kind of miss that most of its citations have in common."""
    sections = Sections(file.data)
    of_side: dict[tuple[int, str | None, bool], Counter[str]] = {}
    for (number, kind, miss), count in misses.items():
        about_spans = miss in _OF_SPANS
        of_side.setdefault((number, kind, about_spans), Counter())[miss] += count
    for (number, kind, _), counts in of_side.items():
        miss, count = counts.most_common(1)[0]
        total = counts.total()
        if 2 * count <= total:
            continue
        part = sections.citations[number]
        cites = _side(part.place, part.rule, kind)
        cited = next(
            (_side(other.place, other.rule, kind) for other in sections.evidence if _has_kind(other.rule, kind)),
            _side(sections.evidence[0].place, sections.evidence[0].rule, kind),
        )
        for fault in _mending(miss, cites, cited):
            yield Fault("", fault.place, f"{count} of {total}: {fault.message}", hint=fault.hint)


def _has_kind(rule: object, kind: str | None) -> bool:
    names = {getattr(rule, "kind", None), *(each.name for each in getattr(rule, "kinds", ()))}
    return kind in names


def _side(place: KeyPath, rule: object, kind: str | None) -> _Side:
    for each in getattr(rule, "kinds", ()):
        if each.name == kind:
            return _Side((*place, "kinds", each.name), each.id, each.span)
    return _Side(place, getattr(rule, "id", ()), getattr(rule, "span", ()))


def _mending(miss: str, cites: _Side, cited: _Side) -> Iterator[Fault]:
    if miss in _OF_SPANS:
        yield from _of_span(miss, cites, cited)
    elif miss in _OF_NUMBERS:
        yield from _of_position(miss, cited)
    elif miss in _CAPTURES:
        message, pattern = _CAPTURES[miss]
        for side in (cites, cited):
            yield side.fault("id", message, _capture(pattern))
    elif miss == "parts":
        yield cites.fault("id", "an id of parts meets a plain one", "write `parts` on both sides, or on neither")
    elif miss.startswith(("cited ", "known ")):
        yield from _of_affix(miss, cites, cited)


def _of_span(miss: str, cites: _Side, cited: _Side) -> Iterator[Fault]:
    if miss in {"wrong document", "unknown document"}:
        message = "the places are in documents of other names: `within` names another field than on the other side"
        yield cites.fault("span.within", message, "write `within:` with the field that names the document")
    elif miss == "inside a record":
        message = "the spans lie inside those of records"
        yield Fault("", ("policy", "spans"), message, hint="write `policy: {spans: inside}` if that is enough")
    elif miss.startswith("end one"):
        yield _of_ends(miss, cites, cited)
    elif miss.startswith("both one"):
        yield _of_bases(miss, cites, cited)
    elif miss.startswith("start one"):
        side, name = (cites, "citations") if miss.endswith("large") else (cited, "evidence")
        hint = f"write `base: {side.base + 1}` and `closed: true` in the span of the {name}"
        yield side.fault("span", f"the {name} count from {side.base + 1}, and their ends are inclusive", hint)


def _of_ends(miss: str, cites: _Side, cited: _Side) -> Fault:
    """One side has inclusive ends; or says so, and has not."""
    size = miss.rpartition(" ")[2]
    writes, removes = ((cited, "evidence"), (cites, "citations"))
    if size == "small":
        writes, removes = removes, writes
    if removes[0].closed:
        message = f"the cited ends are one too {size}: those of the {removes[1]} are not inclusive"
        return removes[0].fault("span.closed", message, f"remove `closed: true` from the span of the {removes[1]}")
    message = f"the cited ends are one too {size}: those of the {writes[1]} are inclusive"
    return writes[0].fault("span", message, f"write `closed: true` in the span of the {writes[1]}")


def _of_bases(miss: str, cites: _Side, cited: _Side) -> Fault:
    """One side counts from one more than it says, or from one less."""
    if miss == "both one too large":
        side, base, name = cites, cites.base + 1, "citations"
    elif cites.base:
        side, base, name = cites, cites.base - 1, "citations"
    else:
        side, base, name = cited, cited.base + 1, "evidence"
    key = "span.base" if side.base else "span"
    return side.fault(key, f"the {name} count from {base}", f"write `base: {base}` in the span of the {name}")


def _of_position(miss: str, cited: _Side) -> Iterator[Fault]:
    place = next((form for form in cited.id if isinstance(form, Place) and form.what == "position"), None)
    if place is None:
        return
    base = place.base + 1 if miss == "one past the last" else place.base - 1
    if base >= 0:
        message = f"the citations count the records from {base}"
        yield cited.fault("id", message, f"write `{{place: position, base: {base}}}`")


def _of_affix(miss: str, cites: _Side, cited: _Side) -> Iterator[Fault]:
    who, what, sign = miss.split(" ")
    pattern = _AFFIXES[what, sign] if sign == "letters" else _AFFIXES[what, ""].replace("S", sign)
    side, name = (cites, "cited ids") if who == "cited" else (cited, "ids of the evidence")
    end = "beginning" if what in {"prefix", "first"} else "end"
    yield side.fault("id", f"the {name} differ only by their {end}", _capture(pattern))


def _capture(pattern: str) -> str:
    return f"write `{{path: ..., capture: '{pattern}'}}`"


_AFFIXES: Final = MappingProxyType(
    {
        ("prefix", ""): "(?:.*[S])?([^S]+)",
        ("first", ""): "(?:[^S]*[S])?(.+)",
        ("suffix", ""): "([^S]+)(?:[S].*)?",
        ("last", ""): "(.+)[S][^S]*",
        ("prefix", "letters"): r"\D*(\d+)",
        ("suffix", "letters"): r"(\d+)\D*",
    }
)
_CAPTURES: Final = MappingProxyType(
    {
        "leading zero": ("the ids differ by zeros in front", r"0*(\d+)"),
        "after ?": ("the ids differ behind ?", r"([^?]+)(?:\?.*)?"),
    }
)
_OF_NUMBERS = frozenset({"one past the last", "one before the first"})
_OF_SPANS = frozenset(
    {
        "unknown span",
        "no span known",
        "end one too large",
        "end one too small",
        "both one too large",
        "both one too small",
        "start one too large",
        "start one too small",
        "start matches",
        "end matches",
        "wrong document",
        "unknown document",
        "inside a record",
    }
)
