"""Records full of marks that must not get out, in every state a record may come in, and how to find one that did."""

from __future__ import annotations

import gc
import gzip
import hashlib
import json
import pickle
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import openmed_rules
from samples import RULES, TWO_INPUTS

PACKAGE = Path(openmed_rules.__file__).parent
NUMBER = 90210555
"""Stands for a mark where only a number may stand."""
MARK = "CANARY"
HARM = "`touch pwned` $(touch pwned) {{7*7}} %s !!python/name:os __import__('os').system('touch pwned')"

_HASHES = ("md5", "sha1", "sha256", "blake2b")
_OF_WHOLE_VALUES = [
    hashlib.new(name, f"{MARK}-{value}".encode()).hexdigest() for name in _HASHES for value in ("known", "claim")
]
_FOUND = re.compile("|".join((MARK, str(NUMBER)[:-2] + r"\d\d", *_OF_WHOLE_VALUES)), re.IGNORECASE)


def marks_in(shown: str | bytes) -> list[str]:
    """The marks in what was shown or written, also one of which only a digest is told."""
    return _FOUND.findall(shown if isinstance(shown, str) else shown.decode("latin-1"))


# --- rules that read them -------------------------------------------------------------------------

SPANS = """\
version: 1
name: spans
claims: {records: $.claims, id: id, where: {kind: {not: note}}, class: {path: label, labels: [allergy]}}
citations: {records: citations, id: fact, span: {within: page, start: start, end: end}}
evidence: {records: $.facts, id: id, span: {within: page, start: start, end: end}}
policy: {tolerate: {duplicate_citation: any}}
"""
MISSES = """\
version: 1
name: misses
claims: {records: $.claims, id: id, where: {kind: {not: note}}}
citations:
  - {records: citations, id: [fact, {parts: [page, start]}], span: {within: page, start: start, end: end}}
  - {records: "citations[*].page", id: "@"}
evidence: {records: $.facts, id: {path: id, capture: '(?:.*-)?(.+)'}, span: {within: kind, start: start, end: end}}
tests:
  - {name: a file, file: notes/good.json, expect: {passed: true, citations: {claim_count: 0}}}
"""
EVERY_FORM = """\
version: 1
name: every-form
reads_text: true
inputs: {summary: {cases: $, embedded_json: [kind, "claims[*].text"]}}
claims:
  - {records: $.claims, id: {place: pointer}, merge: true, class: {path: label, labels: [allergy]}}
  - {records: "$..claims[*]", id: {parts: [id, {place: key}]}}
citations:
  - {records: {path: text, find_all: '(C\\w+)'}, id: "@"}
  - records: [citations, {path: label, split: "-"}, {path: page, range: [start, end]}]
    kinds:
      odd: {where: [{kind: a}, {page: null}], id: {path: fact, capture: '(.*)-(.*)', absent: [-1, ""]}}
      rest:
        span: [{pair: fact}, {each: parts, start: start, end: end}, {start: {path: start, default: 0}, length: end}]
  - {records: $.claims, id: fact, claim: id, follow: [{records: $.facts, id: id, to: [kind, "@.label"]}]}
evidence:
  - {records: "$.facts.*", kinds: {odd: {where: {kind: {not: [b, null]}}, id: {place: key}}, rest: {id: id}}}
"""
RULE_FILES = {
    "rules.yaml": RULES,
    "two.yaml": TWO_INPUTS,
    "spans.yaml": SPANS,
    "misses.yaml": MISSES,
    "forms.yaml": EVERY_FORM,
}
ONE_INPUT = [name for name in RULE_FILES if name != "two.yaml"]


# --- records --------------------------------------------------------------------------------------


def planted(number: int = 0) -> dict[str, Any]:
    """A case in which every leaf, and a key of every object, is a mark."""
    key = f"{MARK}-key-{number}"

    def record(**members: Any) -> dict[str, Any]:
        return {**members, key: f"{MARK}-leaf", "kind": f"{MARK}-kind", "label": f"{MARK}-label"}

    def span(**members: Any) -> dict[str, Any]:
        return record(page=f"{MARK}-page", **members)

    return record(
        claims=[
            record(id=f"{MARK}-claim", text=f"{MARK} {HARM}", citations=[record(fact=f"{MARK}-known")] * 2),
            record(id=NUMBER, citations=[record(fact=f"{MARK}-unknown"), record(fact=NUMBER), f"{MARK}-bare"]),
            record(id=f"{MARK}-spans", citations=[span(start=NUMBER, end=NUMBER + 1), span(start=NUMBER, end=3)]),
            record(id={key: MARK}, citations=f"{MARK}-text", text=json.dumps({key: f"{MARK} in a text"})),
            f"{MARK}-claim",
        ],
        facts=[
            record(id=f"{MARK}-known"),
            record(id=f"{MARK}-known"),
            span(id=f"{MARK}-other", start=NUMBER, end=NUMBER + 9),
            record(id=[MARK]),
            f"{MARK}-bare",
        ],
    )


def keyed() -> dict[str, Any]:
    """The same, where a map from ids to records takes the place of each array."""
    case = planted()
    claims = {f"{MARK}-{number}": claim for number, claim in enumerate(case["claims"])}
    facts = {f"{MARK}-{number}": fact for number, fact in enumerate(case["facts"])}
    return {**case, "claims": claims, "facts": facts}


def plain(cited: str = "known") -> dict[str, Any]:
    """A case that the fast way takes whole."""
    return {
        "claims": [{"id": f"{MARK}-claim", "text": f"{MARK} text", "citations": [{"fact": f"{MARK}-{cited}"}]}],
        "facts": [{"id": f"{MARK}-known", "value": f"{MARK} value"}],
    }


_GOOD = json.dumps(planted()).encode()
LINES = {
    "good": _GOOD,
    "keyed": json.dumps(keyed()).encode(),
    "plain": json.dumps(plain()).encode(),
    "failing": json.dumps(plain("unknown")).encode(),
    "cut": _GOOD[:-40],
    "no-json": b"{" + f"'{MARK}': {MARK}".encode() + b"}",
    "not-utf8": _GOOD.replace(MARK.encode(), MARK.encode() + b"\xff"),
    "nan": json.dumps({**planted(), "facts": [{"id": float("nan"), MARK: MARK}]}).encode(),
    "half-a-pair": json.dumps({**planted(), "facts": [{"id": f"{MARK}\ud83d"}]}).encode(),
    "half-a-pair-unread": json.dumps({**planted(), f"{MARK}\ud83d": f"{MARK}\ud83d"}).encode(),
    "huge": b'{"claims": [{"id": ' + str(NUMBER).encode() * 1000 + b"}]}",
    "deep": b'{"%s": %s' % (MARK.encode(), b"[" * 100_000),
    "two-names": b'{"claims": "%s", "claims": "%s"}' % ((MARK.encode(),) * 2),
    "a-scalar": f'"{MARK}"'.encode(),
}
"""One document each, by what is the matter with it."""


class Awkward:
    """A record whose own code says in its error, and in its repr, what it holds."""

    def __init__(self) -> None:
        self.value = MARK

    def __repr__(self) -> str:
        return MARK

    def to_dict(self) -> dict[str, Any]:
        raise KeyError(MARK, planted())


class Proxy:
    """A lazy object that fails once somebody looks at it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(MARK)


class Ends:
    """A record whose own code ends the program, with an error behind that."""

    def to_dict(self) -> dict[str, Any]:
        try:
            Awkward().to_dict()
        except KeyError as error:
            raise KeyboardInterrupt from error


def holds_itself() -> dict[str, Any]:
    record = planted()
    record[MARK] = record
    for name in ("citations", "citation", "evidence", "source_evidence", "references", "span", "evidence_id"):
        record[name] = record
    return record


def fails_on_its_way() -> Iterator[object]:
    yield planted()
    raise KeyError(MARK)


OBJECTS: dict[str, Callable[[], Any]] = {
    "good": planted,
    "keyed": keyed,
    "awkward": Awkward,
    "a proxy": Proxy,
    "holds itself": holds_itself,
    "awkward inside": lambda: {**planted(), "claims": [Awkward()], "citations": [Awkward()], "id": MARK},
    "a proxy inside": lambda: {**planted(), "claims": [Proxy()], "citations": [Proxy()], "id": MARK},
    "odd key": lambda: {(MARK,): MARK},
    "a text": lambda: MARK,
    "half a pair": lambda: {**planted(), "claims": [{"id": f"{MARK}\ud800"}], "citations": [f"{MARK}\ud800"]},
    "an iterator that fails": fails_on_its_way,
    "ends the program": Ends,
}


def write_files(folder: Path) -> None:
    """Rule files, inputs of every kind, and files that nobody names, into ``folder``."""
    for name, text in RULE_FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    notes = folder / "notes"
    (notes / "inner").mkdir(parents=True)
    for name, line in LINES.items():
        (notes / f"{name}.json").write_bytes(line)
    whole = b"\n".join(LINES.values())
    (folder / "lines.jsonl").write_bytes(whole)
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(whole)[:-30])
    (folder / "odd.txt").write_bytes(LINES["cut"])
    (folder / "prose.txt").write_text(f"Seen today: {MARK}\nname: {MARK}\n", encoding="utf-8")
    for unnamed in ("unnamed.json", "unnamed.yaml", "notes/.hidden.json", "notes/inner/unnamed.json"):
        (folder / unnamed).write_bytes(_GOOD)


# --- all that can be seen of a value ----------------------------------------------------------------


def assert_result_is_clean(result: object) -> None:
    """Nothing of a record is in a result, in what it shows of itself, or in anything that it holds."""
    for value in _seen_from(result):
        assert not marks_in(value)


def assert_error_is_clean(error: BaseException) -> None:
    """Nothing of a record is in an error, in the errors behind it, or in the frames of this package that it passed."""
    assert error.__cause__ is None
    assert error.__context__ is None
    assert not marks_in(f"{error!r} {error} {error.args} {vars(error)} {getattr(error, '__notes__', '')}")
    if type(error).__module__.startswith("openmed_rules"):
        assert not marks_in(pickle.dumps(error))
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    frames = [frame for frame in shown.stack if is_ours(frame.filename)]
    assert frames
    assert not marks_in(repr([(frame.name, frame.line, frame.locals) for frame in frames]))
    for text in _reached_from(error):
        assert not marks_in(text)


def is_ours(file_name: str) -> bool:
    """Whether code is of this package, or made by it."""
    return Path(file_name).is_relative_to(PACKAGE) or file_name.startswith("<plan")


def _seen_from(value: object, depth: int = 3) -> Iterator[str | bytes]:
    """What a value shows: its repr, its pickle, and what every public attribute and method without arguments gives."""
    yield repr(value)
    yield str(value)
    yield pickle.dumps(value)
    yield from _reached_from(value)
    if isinstance(value, list | tuple):
        for item in value:
            yield from _seen_from(item, depth)
    elif depth and re.match(r"openmed_rules\.(?!ruleset\b)", type(value).__module__):
        for name in set(public_names(type(value))) - NEEDS_MORE:
            member = getattr(value, name)
            yield from _seen_from(member() if callable(member) else member, depth - 1)


NEEDS_MORE = frozenset({"with_first", "write_json", "write_markdown", "check", "check_many", "assert_gate"})
"""Methods of results and rules that need an argument; each has a test of its own."""


def public_names(kind: type) -> list[str]:
    """The public attributes and methods of a class."""
    return [name for name in dir(kind) if not name.startswith("_") and name not in dir(tuple)]


_NOT_FOLLOWED = (type, ModuleType, FunctionType, BuiltinFunctionType, CodeType)


def _reached_from(value: object) -> Iterator[str | bytes]:
    """Every text that the garbage collector reaches from a value, and not over the frames of a caller."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, _NOT_FOLLOWED):
            continue
        seen.add(id(item))
        if isinstance(item, str | bytes):
            yield item
        elif type(item) is int and item.bit_length() < 64:
            yield str(item)
        elif isinstance(item, FrameType):
            if is_ours(item.f_code.co_filename):
                waiting += item.f_locals.values()
        else:
            waiting += gc.get_referents(item)
