"""A draft in the words of the rule language."""

from __future__ import annotations

import re
from typing import Any

from openmed_rules.authoring.inference.draft import (
    ITSELF,
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

_PLAIN_NAME = re.compile(r"(?!where)[A-Za-z_][A-Za-z0-9_-]*")


def rule_mapping(draft: Draft, name: str) -> dict[str, Any]:
    """The rule file that ``draft`` is, without its tests, in the order in which people read it."""
    rule: dict[str, Any] = {"version": 1, "name": name}
    if draft.reads_text:
        rule["reads_text"] = True
    if inputs := _inputs(draft):
        rule["inputs"] = inputs
    claims = list(dict.fromkeys((citing.claim, citing.claim_where) for citing in draft.citing))
    rule["claims"] = _one_or_many([_claims(claim, where) for claim, where in claims])
    rule["citations"] = _one_or_many(_distinct([_citations(citing) for citing in draft.citing]))
    rule["evidence"] = _one_or_many([_evidence(allowed) for allowed in draft.allowed])
    if not draft.with_coverage:
        rule["reports"] = ["citations"]
    if draft.tolerated:
        rule["policy"] = {"tolerate": dict.fromkeys(draft.tolerated, "any")}
    return rule


def spelled(steps: Steps, start: str = "") -> str:
    """The path of ``steps``; ``start`` is ``$``, a climb, or empty for a path from the record."""
    path = start
    for step in steps:
        if isinstance(step, str):
            name = step if _PLAIN_NAME.fullmatch(step) else "'" + re.sub(r"(['\\])", r"\\\1", step) + "'"
            path += f".{name}" if path else name
        elif isinstance(step, int):
            path += f"[{step}]"
        elif step is Many.ITEMS:
            path += "[*]" if path else "@[*]"
        else:
            path += ".*" if path else "@.*"
    return path or "@"


def spelled_records(steps: Steps, start: str = "") -> str:
    """The path of a collection: an array at its end is opened anyhow."""
    return spelled(steps[:-1] if steps[-1:] == (Many.ITEMS,) else steps, start)


def _inputs(draft: Draft) -> dict[str, Any]:
    summary: dict[str, Any] = {}
    evidence: dict[str, Any] = {}
    if draft.cases:
        summary["cases"] = spelled_records(draft.cases, "$")
    if draft.join:
        summary["join"], evidence["join"] = map(spelled, draft.join)
    return {name: said for name, said in (("summary", summary), ("evidence", evidence)) if said}


def _claims(claim: Steps, where: Condition | None) -> dict[str, Any]:
    said: dict[str, Any] = {"records": spelled_records(claim, "$")}
    if where:
        said["where"] = _condition(where)
    return said


def _citations(citing: Citing) -> dict[str, Any]:
    path = spelled_records(citing.records)
    said: dict[str, Any] = {"records": path}
    if isinstance(citing.form, Marker):
        said["records"] = {"path": path, "find_all": citing.form.pattern}
        if citing.form.split:
            said["records"]["split"] = citing.form.split
    elif isinstance(citing.form, RangeOf):
        said["records"] = {"path": path, "range": [spelled(citing.form.first), spelled(citing.form.last)]}
    if citing.where:
        said["where"] = _condition(citing.where)
    return said | _reference(citing.reading)


def _evidence(allowed: Allowed) -> dict[str, Any]:
    said: dict[str, Any] = {"in": "evidence"} if allowed.input == "evidence" else {}
    said["records"] = spelled_records(allowed.records, "$")
    if allowed.where:
        said["where"] = _condition(allowed.where)
    said |= _reference(allowed.reading)
    if allowed.merge:
        said["merge"] = True
    return said


def _condition(where: Condition) -> dict[str, Any]:
    wanted: Any = {"not": None} if not where.wanted else list(where.wanted)
    if len(where.wanted) == 1:
        (wanted,) = where.wanted
    return {spelled(where.field): wanted}


def _reference(reading: Reading) -> dict[str, Any]:
    if isinstance(reading, SpanAt):
        return {"span": _span(reading)}
    return {} if reading == ITSELF else {"id": _locator(reading)}


def _span(reading: SpanAt) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if reading.within:
        said["within"] = _locator(reading.within)
    if reading.end is None and reading.length is None:
        said["pair"] = _locator(reading.start)
    else:
        said["start"] = _locator(reading.start)
    if reading.end:
        said["end"] = _locator(reading.end)
    if reading.length:
        said["length"] = _locator(reading.length)
    if reading.closed:
        said["closed"] = True
    if reading.base:
        said["base"] = reading.base
    if reading.text_numbers:
        said["numbers"] = "text"
    return said


def _locator(reading: FieldAt | PlaceAt | PartsOf) -> Any:  # noqa: ANN401 - a text, a list or a mapping
    if isinstance(reading, PlaceAt):
        return {"place": reading.what, **({"base": reading.base} if reading.base else {})}
    if isinstance(reading, PartsOf):
        return {"parts": [_locator(part) for part in reading.parts]}
    paths = [spelled(path, "^" * reading.climb) for path in reading.paths]
    if reading.capture:
        return {"path": paths[0], "capture": reading.capture}
    return paths[0] if len(paths) == 1 else paths


def _one_or_many(said: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - one collection, or a list of them
    return said[0] if len(said) == 1 else said


def _distinct(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for number, one in enumerate(said) if one not in said[:number]]
