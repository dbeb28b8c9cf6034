"""What a rule file reads, and probably should not, or not so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from openmed_rules.authoring.lint.subject import Check, Subject, leaves, references_of, sources_of
from openmed_rules.ruleset.model import (
    Composite,
    Evidence,
    Field,
    FindAll,
    Form,
    Items,
    Key,
    Locator,
    Path,
    Place,
    Slice,
    Source,
    Where,
)
from openmed_rules.ruleset.paths import parse_path, parse_records_path
from openmed_rules.ruleset.patterns import compile_pattern
from openmed_rules.ruleset.problems import Fault, KeyPath
from openmed_rules.ruleset.sections import Part

PROBES = ("[1]", "[1, 2]", "[1-3]")
"""How texts cite by numbers in brackets; what takes the first must not lose a digit of the others."""

_PROBE_SHAPES = (re.compile(r"\[\d+\]"), re.compile(r"\[\d+\s*,\s*\d+"), re.compile(r"\[\d+\s*-\s*\d+"))
_NESTED = 2
"""Arrays on the way to a record from which on its neighbours stand in different ones."""


# --- collections ------------------------------------------------------------------------------


def uncited_claims_stay(subject: Subject) -> Iterator[Fault]:
    """Claims that are kept because they cite something: those without a citation are not counted at all."""
    if subject.tests_in_files or _a_test_leaves_claims_out(subject):
        return
    read = {first for part in subject.sections.citations for _, source in sources_of(part) for first in _first(source)}
    for part in subject.sections.claims:
        for test in (test for tests in part.rule.where for test in tests):
            if _first_key(test.path) in read:
                message = "this filter tests what citations.records reads: claims without a citation vanish"
                hint = "remove it, or add a test that leaves a claim out and expects claim_count"
                yield Fault("OMR-831", (*part.place, "where", test.path.text), message, hint=hint, at_key=True)


def _a_test_leaves_claims_out(subject: Subject) -> bool:
    expects = {test.name: test.expect for test in subject.tests}
    for outcome in subject.run.outcomes:
        said = expects[outcome.name]
        counted = "claim_count" in said.get("citations", {}) or "summary_fact_count" in said.get("coverage", {})
        left_out = outcome.report is not None and outcome.report.left_out.get("claims")
        if outcome.passed and left_out and (counted or "no_claims" in said.get("reasons", ())):
            return True
    return False


def _first(source: Source) -> Iterator[str]:
    if not source.path.from_case and not source.path.climb and (name := _first_key(source.path)):
        yield name


def _first_key(path: Path) -> str | None:
    step = path.steps[0] if path.steps else None
    return step.name if isinstance(step, Key) and not path.from_case and not path.climb else None


def nested_records_are_told_apart(subject: Subject) -> Iterator[Fault]:
    """Evidence that stands in an array of arrays, and whose reference could repeat from one to the next."""
    for part in subject.sections.evidence:
        if part.rule.merge or _repeats_are_known(subject):
            continue
        if any(_depth(source) >= _NESTED for _, source in sources_of(part)):
            yield from _repeating(part)


def _repeating(part: Part[Evidence]) -> Iterator[Fault]:
    for place, locator, span in references_of(part):
        if any(isinstance(form, Place) and form.what == "position" and not _names_outer(form) for form in locator):
            message = "this position starts anew in every array that encloses these records"
            hint = "write `{parts: [..., {place: position}]}` with what tells the arrays apart, or `among: records`"
            yield Fault("OMR-832", (*place, "id"), message, hint=hint)
        elif locator and not any(map(_names_outer, locator)):
            message = "this id names the inner record only, and the records stand in several arrays"
            hint = "write `parts` with what tells the arrays apart, or a test of an id that repeats among them"
            yield Fault("OMR-833", (*place, "id"), message, hint=hint)
        if span and not all(form.within for form in span):
            message = "these offsets start anew in every array that encloses the records"
            yield Fault("OMR-833", (*place, "span"), message, hint="write `within` on both sides")


def _repeats_are_known(subject: Subject) -> bool:
    """Whether the file says what becomes of records that share a reference."""
    tolerated = {reason for reason, _ in subject.file.rules.policy.tolerate}
    expected = {reason for test in subject.tests for reason in test.expect.get("reasons", ())}
    return bool({"duplicate_source_evidence", "duplicate_source_fact"} & (tolerated | expected))


def _depth(source: Source) -> int:
    """Arrays on the way to a record, as far as the path tells."""
    steps = source.path.steps
    if source.form is not None:
        return 0
    passed = sum(isinstance(step, Items) for step in steps)
    opens_itself = bool(steps) and isinstance(steps[-1], (Items, Slice))
    return passed + (not opens_itself)


def _names_outer(form: Form) -> bool:
    """Whether an id takes in more than the record says of itself, or is made of parts."""
    if isinstance(form, Composite):
        return True
    if isinstance(form, Place):
        return form.what == "pointer" or form.among_records or form.climb > 0
    return any(path.climb or path.from_case for path in form.paths)


# --- alternatives -----------------------------------------------------------------------------


def alternatives_can_be_reached(subject: Subject) -> Iterator[Fault]:
    """An entry of a list that never counts, since one before it is always there when it is."""
    for place, said in _lists(subject.file.data):
        paths = [_path_of(item) for item in said]
        for number, path in enumerate(paths):
            before = [earlier for earlier in paths[:number] if earlier is not None and path and _shadows(earlier, path)]
            if before:
                message = f"{path.text if path else ''} never counts: {before[0].text} stands before it"
                yield Fault("OMR-834", (*place, number), message, hint="put the longer path first, or remove one")
    for collection in subject.sections.collections:
        for key in ("id", "claim"):
            locator: Locator = getattr(collection.rule, key, ())
            for form in locator[:-1]:
                if isinstance(form, Place) and form.what in {"position", "pointer"} and not form.climb:
                    message = f"what stands behind {{place: {form.what}}} never counts, since it is always there"
                    yield Fault("OMR-834", (*collection.place, key), message, hint="put it last")


def _lists(data: Any, place: KeyPath = ()) -> Iterator[tuple[KeyPath, list[Any]]]:  # noqa: ANN401 - plain data
    """Every list of a rule file whose first usable entry counts; ``parts`` and conditions are none."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        if key in {"parts", "where", "tests", "absent", "labels", "policy", "reports", "extends", "range", "capture"}:
            continue
        if isinstance(value, list):
            yield (*place, key), value
        yield from _lists(value, (*place, key))


def _path_of(item: object) -> Path | None:
    if isinstance(item, dict):
        refined = item.keys() - {"path"}
        item = item.get("path") if not refined else None
    return parse_path(item) if isinstance(item, str) else None


def _shadows(earlier: Path, later: Path) -> bool:
    """Whether the value at ``earlier`` is there wherever that at ``later`` is."""
    if (earlier.from_case, earlier.climb) != (later.from_case, later.climb) or not later.steps:
        return False
    starts_alike = later.steps[: len(earlier.steps)] == earlier.steps
    return starts_alike and bool(earlier.steps)


def kinds_can_be_reached(subject: Subject) -> Iterator[Fault]:
    """A kind whose condition an earlier one has, too; one that leaves out whatever is new."""
    for part in subject.referring:
        seen: dict[Where, str] = {}
        for kind in part.rule.kinds:
            place = (*part.place, "kinds", kind.name)
            if kind.where in seen:
                message = f"the kind {kind.name} never counts: {seen[kind.where]} has the same where"
                yield Fault("OMR-834", place, message, at_key=True)
            seen[kind.where] = kind.name
            names_nothing = any(all(test.negated or test.wanted == (None,) for test in tests) for tests in kind.where)
            if kind.ignore and names_nothing:
                message = f"the kind {kind.name} leaves out whatever is new: it does not name what it ignores"
                hint = "write what is ignored: `where: {field: literal}`"
                yield Fault("OMR-835", (*place, "where"), message, hint=hint)


# --- patterns and paths -----------------------------------------------------------------------


def patterns_lose_no_digit(subject: Subject) -> Iterator[Fault]:
    """A pattern for numbers in brackets that takes ``[1]``, and loses a digit of ``[1, 2]`` or ``[1-3]``."""
    texts = [value for test in subject.tests for case in test.cases for side in case for value in leaves(side)]
    for part in subject.sections.collections:
        for place, source in sources_of(part):
            if isinstance(source.form, FindAll):
                lost = _lost(source.form, [text for text in texts if isinstance(text, str)])
                if lost:
                    message = f"this pattern takes {PROBES[0]}, and not every number of {' or '.join(lost)}"
                    hint = r"write '\[([\d, -]+)\]' with `split: ','`, or a test that shows what becomes of them"
                    yield Fault("OMR-836", (*place, "find_all"), message, hint=hint)


def _lost(form: FindAll, texts: Sequence[str]) -> list[str]:
    find = compile_pattern(form.pattern).finditer

    def captured(probe: str) -> set[str]:
        return {digit for match in find(probe) for digit in re.findall(r"\d", match.group(1) or "")}

    if not captured(PROBES[0]):
        return []
    return [
        probe
        for probe, shape in zip(PROBES, _PROBE_SHAPES, strict=True)
        if captured(probe) != set(re.findall(r"\d", probe)) and not any(map(shape.search, texts))
    ]


def captures_take_something(subject: Subject) -> Iterator[Fault]:
    """A capture that matches anything changes nothing, and one that may capture nothing gives no id."""
    for part in subject.referring:
        for place, locator, _ in references_of(part):
            for form in locator:
                pattern = form.capture if isinstance(form, Field) else None
                match = compile_pattern(pattern).fullmatch("") if pattern else None
                if match and "" in match.groups():
                    message = "this pattern may capture nothing, and a blank is no id"
                    yield Fault("OMR-837", (*place, "id", "capture"), message, hint="write + instead of *")


def records_open_by_themselves(subject: Subject) -> Iterator[Fault]:
    """A ``[*]`` at the end of ``records`` is dropped before the path is read."""
    for place, text in _records_texts(subject.file.data):
        if text.endswith("[*]") and parse_records_path(text).steps == parse_records_path(text[:-3] or "@").steps:
            message = "an array at the end of records is opened anyhow: this [*] is dropped"
            column = len(text) - len("[*]")
            yield Fault("OMR-838", place, message, hint="remove it (--fix does)", column=column, width=3)


def _records_texts(data: Any, place: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:  # noqa: ANN401 - plain data
    inner: Iterable[tuple[str | int, Any]]
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        here = (*place, key)
        if key in {"tests", "where", "policy"}:
            continue
        if "records" in place[1:] or key == "records":
            at_path = key in {"records", "path"} or isinstance(key, int)
            if isinstance(value, str) and at_path:
                yield here, value
        yield from _records_texts(value, here)


READING: tuple[Check, ...] = (
    nested_records_are_told_apart,
    alternatives_can_be_reached,
    kinds_can_be_reached,
    patterns_lose_no_digit,
    captures_take_something,
    records_open_by_themselves,
    uncited_claims_stay,
)
"""The checks of this module; the one that runs tests is the last."""
