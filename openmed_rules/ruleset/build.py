"""Plain data of the right shape to a frozen rule set."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from openmed_rules.ruleset.model import (
    Citations,
    Claims,
    ClassRule,
    Composite,
    Evidence,
    Field,
    FindAll,
    Form,
    Hop,
    InputRule,
    Kind,
    Locator,
    Path,
    Place,
    Policy,
    Range,
    RuleSet,
    Source,
    Span,
    SpanForm,
    Split,
    Test,
    Tolerance,
    Tolerances,
    Waiver,
    Where,
)
from openmed_rules.ruleset.paths import parse_path, parse_records_path


def build_rule_set(data: Mapping[str, Any], sha256: str = "", measure_sha256: str = "") -> RuleSet:
    """The rule set that ``data`` says: a whole rule file after ``extends``, of the right shape."""
    inputs = data.get("inputs", {})
    return RuleSet(
        version=data["version"],
        name=data["name"],
        description=data.get("description", ""),
        claims=tuple(map(build_claims, _as_list(data["claims"]))),
        citations=tuple(map(build_citations, _as_list(data["citations"]))),
        evidence=tuple(map(build_evidence, _as_list(data["evidence"]))),
        summary_input=_input_rule(inputs.get("summary", {})),
        evidence_input=_input_rule(inputs.get("evidence", {})),
        reports=tuple(data.get("reports", ("citations", "coverage"))),
        policy=_policy(data.get("policy", {})),
        reads_text=data.get("reads_text", False),
        sha256=sha256,
        measure_sha256=measure_sha256,
    )


def _as_list(value: Any) -> list[Any]:  # noqa: ANN401 - plain data
    """What may be absent, one or a list, as a list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


# --- collections ------------------------------------------------------------------------------


def build_claims(data: Mapping[str, Any]) -> Claims:
    """One collection of claims."""
    return Claims(
        records=_sources(data["records"]),
        input=data.get("in", "summary"),
        where=_where(data.get("where")),
        id=_locator(data.get("id")),
        class_rule=_class_rule(data.get("class")),
        merge=data.get("merge", False),
    )


def build_citations(data: Mapping[str, Any]) -> Citations:
    """One collection of citations."""
    return Citations(
        records=_sources(data.get("records")),
        input=data.get("in", "summary"),
        where=_where(data.get("where")),
        id=_locator(data.get("id")),
        span=_span(data.get("span")),
        kinds=_kinds(data.get("kinds", {})),
        kind=data.get("kind"),
        claim=_locator(data.get("claim")),
        siblings="siblings" in data,
        follow=tuple(map(_hop, data.get("follow", ()))),
        supports=data.get("supports", True),
    )


def build_evidence(data: Mapping[str, Any]) -> Evidence:
    """One collection of evidence records."""
    return Evidence(
        records=_sources(data["records"]),
        input=data.get("in", "summary"),
        where=_where(data.get("where")),
        id=_locator(data.get("id")),
        span=_span(data.get("span")),
        kinds=_kinds(data.get("kinds", {})),
        kind=data.get("kind"),
        class_rule=_class_rule(data.get("class")),
        merge=data.get("merge", False),
    )


def _input_rule(data: Mapping[str, Any]) -> InputRule:
    return InputRule(
        cases=_paths(data.get("cases")),
        join=_locator(data.get("join")),
        embedded_json=_paths(data.get("embedded_json")),
    )


def _kinds(data: Mapping[str, Any]) -> tuple[Kind, ...]:
    return tuple(
        Kind(
            name=name,
            where=_where(kind.get("where")),
            id=_locator(kind.get("id")),
            span=_span(kind.get("span")),
            ignore=kind.get("ignore", False),
        )
        for name, kind in data.items()
    )


def _hop(data: Mapping[str, Any]) -> Hop:
    return Hop(records=_sources(data["records"]), id=_locator(data["id"]), to=_locator(data["to"]))


def _class_rule(data: Mapping[str, Any] | None) -> ClassRule | None:
    return ClassRule(_locator(data), tuple(data["labels"])) if data else None


# --- records ----------------------------------------------------------------------------------


def _sources(data: Any) -> tuple[Source, ...]:  # noqa: ANN401 - plain data
    return tuple(map(_source, _as_list(data)))


def _source(data: str | Mapping[str, Any]) -> Source:
    if isinstance(data, str):
        return Source(parse_records_path(data))
    path = parse_records_path(data["path"])
    if "range" in data:
        first, last = map(parse_path, data["range"])
        return Source(path, Range(first, last))
    if "find_all" in data:
        return Source(path, FindAll(data["find_all"], data.get("split")))
    return Source(path, Split(data["split"]))


def _where(data: Any) -> Where:  # noqa: ANN401 - plain data
    return tuple(tuple(_test(path, wanted) for path, wanted in tests.items()) for tests in _as_list(data))


def _test(path: str, wanted: Any) -> Test:  # noqa: ANN401 - plain data
    negated = isinstance(wanted, dict)
    literals = wanted["not"] if negated else wanted
    return Test(parse_path(path), tuple(literals) if isinstance(literals, list) else (literals,), negated=negated)


# --- locators ---------------------------------------------------------------------------------


def _paths(data: Any) -> tuple[Path, ...]:  # noqa: ANN401 - plain data
    return tuple(map(parse_path, _as_list(data)))


def _locator(data: Any) -> Locator:  # noqa: ANN401 - plain data
    return tuple(map(_form, _as_list(data)))


def _form(data: str | Mapping[str, Any]) -> Form:
    if isinstance(data, str):
        return Field((parse_path(data),))
    if "parts" in data:
        return Composite(tuple(map(_locator, data["parts"])))
    if "place" in data:
        return Place(
            what=data["place"],
            base=data.get("base", 0),
            climb=len(data.get("of", "")),
            among_records="among" in data,
        )
    return Field(
        paths=_paths(data["path"]),
        absent=tuple(data.get("absent", ())),
        capture=data.get("capture"),
        default=data.get("default"),
    )


def _span(data: Any) -> Span:  # noqa: ANN401 - plain data
    return tuple(map(_span_form, _as_list(data)))


def _span_form(data: Mapping[str, Any]) -> SpanForm:
    return SpanForm(
        start=_locator(data.get("start")),
        end=_locator(data.get("end")),
        length=_locator(data.get("length")),
        pair=_locator(data.get("pair")),
        each=_paths(data.get("each")),
        within=_locator(data.get("within")),
        closed=data.get("closed", False),
        base=data.get("base", 0),
        absent=tuple(data.get("absent", ())),
        text_numbers="numbers" in data,
    )


# --- policy -----------------------------------------------------------------------------------


def _policy(data: Mapping[str, Any]) -> Policy:
    words = {key: data[key] for key in ("malformed", "unavailable", "spans", "per") if key in data}
    tolerate, warn = (
        tuple((reason, _tolerances(entry)) for reason, entry in data.get(block, {}).items())
        for block in ("tolerate", "warn")
    )
    waivers = tuple(
        Waiver(said["reason"], date.fromisoformat(said["until"]), said["because"], said["owner"])
        for said in data.get("waivers", ())
    )
    failed_cases = _tolerance(data.get("failed_cases", 0))
    return Policy(**words, tolerate=tolerate, failed_cases=failed_cases, warn=warn, waivers=waivers)


def _tolerances(entry: Any) -> Tolerances:  # noqa: ANN401 - plain data
    if not isinstance(entry, dict):
        return Tolerances(_tolerance(entry))
    classes = tuple((label, _tolerance(value)) for label, value in entry.items() if label != "default")
    return Tolerances(_tolerance(entry.get("default", 0)), classes)


def _tolerance(value: int | str) -> Tolerance:
    if isinstance(value, int):
        return Tolerance(count=value)
    if value == "any":
        return Tolerance(any=True)
    digits, _, decimals = value.removesuffix("%").partition(".")
    return Tolerance(parts=int(digits + decimals), whole=100 * 10 ** len(decimals))
