"""The drop-in gives upstream's numbers and texts, mends its faults, and lets no record out."""

from __future__ import annotations

import dataclasses
import json
import os
import traceback
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openmed_rules import load_rules, upstream
from openmed_rules.upstream import (
    CitationGateError,
    CoverageGateError,
    SummaryCitationError,
    assert_summary_citation_gate,
    assert_summary_coverage_gate,
    build_summary_citation_report,
    build_summary_coverage_report,
    compute_summary_citation_metrics,
    compute_summary_fact_coverage,
    run_summary_coverage,
)

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "tests" / "data" / "conformance_sample.jsonl"
SHARED = Path(os.environ.get("OPENMED_RULES_SHARED", ROOT.parent / "shared")) / "conformance" / "cases.jsonl"
CANARY = "canary-7f3a"

Call = Callable[..., Any]
REPORTS: dict[str, Call] = {"citations": build_summary_citation_report, "coverage": run_summary_coverage}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


# --- upstream's numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize("line", lines(SAMPLE), ids=lambda line: line["case"])
def test_a_report_is_what_upstream_returns(line: dict[str, Any]) -> None:
    assert REPORTS[line["report"]](**line["args"]).to_dict() == line["expected"]


@pytest.mark.parametrize("name", [upstream.CITATIONS, upstream.COVERAGE])
def test_it_judges_by_its_rule_file(name: str) -> None:
    """Which it reads without its tests."""
    assert upstream._rules(name) == load_rules(name)  # noqa: SLF001 - what every call of the drop-in judges by


@pytest.mark.skipif(not SHARED.exists(), reason="the whole of the conformance cases is not on this machine")
def test_every_report_is_what_upstream_returns() -> None:
    differ = [
        line["case"] for line in lines(SHARED) if REPORTS[line["report"]](**line["args"]).to_dict() != line["expected"]
    ]

    assert differ == []


def test_the_other_names_of_the_arguments_are_the_same_arguments() -> None:
    claims, evidence = [{"citations": ["e1"]}], [{"id": "e1"}]
    expected = compute_summary_citation_metrics(claims, evidence)

    assert expected.passed
    assert compute_summary_citation_metrics(summary_claims=claims, source_evidence=evidence) == expected
    assert compute_summary_citation_metrics(claims=claims, source_records=evidence) == expected
    assert build_summary_citation_report(summary_claims=claims, source_records=evidence).metrics == expected
    with pytest.raises(SummaryCitationError, match=r"\Aevidence was supplied more than once\Z"):
        compute_summary_citation_metrics(claims, evidence, source_evidence=evidence)


# --- upstream's faults ----------------------------------------------------------------------------

EVIDENCE = [{"id": "e1", "start": 0, "end": 5}, {"id": "e2", "start": 5, "end": 9}]


class Text(str):
    __slots__ = ()


CITATION_FAULTS: dict[str, tuple[object, object, dict[str, object]]] = {
    "a mapping of id to record whose ids are known fields": (
        {"evidence": {"citations": ["e1"]}, "plan": {"citations": ["zz"]}},
        EVIDENCE,
        {"claim_count": 2, "passed": False},
    ),
    "equal offsets in another document": (
        [{"citations": [{"doc": "B", "start": 0, "end": 5}]}],
        [{"doc": "A", "start": 0, "end": 5}],
        {"unavailable_span_count": 1, "passed": False},
    ),
    "equal offsets in two documents are two records": (
        [{"citations": [{"doc": "B", "start": 0, "end": 5}]}],
        [{"doc": "A", "start": 0, "end": 5}, {"doc": "B", "start": 0, "end": 5}],
        {"duplicate_evidence_record_count": 0, "passed": True},
    ),
    "an id that cannot be used": (
        [{"citations": ["p9"]}],
        [{"id": True, "record_id": "p9"}],
        {"invalid_evidence_record_count": 1, "passed": False},
    ),
    "a blank id": (
        [{"citations": ["p9"]}],
        [{"id": " ", "record_id": "p9"}],
        {"invalid_evidence_record_count": 1, "passed": False},
    ),
    "two whole numbers as ids": (
        [{"citations": [1, 2]}],
        [{"id": 1}, {"id": 2}],
        {"citation_count": 2, "passed": True},
    ),
    "a claim's own id": (
        [{"id": "c1", "start": 0, "end": 5}],
        EVIDENCE,
        {"valid_citation_count": 1, "passed": True},
    ),
    "an id of a subclass of text": ([{"citations": [Text("e1")]}], [{"id": Text("e1")}], {"passed": True}),
    "an id of 5,000 digits": (
        [{"citations": [10**5000]}],
        [{"id": 10**5000}],
        {"invalid_evidence_record_count": 1, "passed": False},
    ),
}

COVERAGE_FAULTS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "a claim's own id": (
        {"source_facts": [{"id": "1"}], "summary_citations": [{"id": 1, "sentence": "uncited"}]},
        {"missing_citation_count": 1, "passed": False},
    ),
    "further evidence that cannot be used": (
        {"source_facts": ["f1"], "summary_citations": ["f1"], "source_evidence": [None]},
        {"fail_closed": True, "recall": 0.0, "failure_reasons": ("invalid_source_evidence",)},
    ),
    "further evidence that repeats itself": (
        {"source_facts": ["f1"], "summary_citations": ["f1"], "source_evidence": ["x", "x"]},
        {"fail_closed": True, "recall": 0.0, "failure_reasons": ("duplicate_source_fact",)},
    ),
    "a pair of offsets is no id": (
        {"source_facts": [[0, 5]], "summary_citations": ["0"]},
        {"invalid_citation_count": 1, "passed": False},
    ),
    "free text under evidence is no id": (
        {"source_facts": ["Glucose 9"], "summary_citations": [{"claim": "x", "evidence": "Glucose 9"}]},
        {"missing_citation_count": 1, "passed": False},
    ),
    "pairs of offsets with the same start": (
        {"source_facts": [[0, 5], [0, 9]], "summary_citations": [[0, 5], [0, 9]]},
        {"duplicate_source_fact_count": 0, "recall": 1.0, "passed": True},
    ),
    "one bad citation counts once": (
        {
            "source_facts": EVIDENCE,
            "summary_citations": [{"evidence": {"start": 100, "end": 101}}, "e1", "e2"],
        },
        {"invalid_citation_count": 1, "passed": False},
    ),
    "an id beside a text in a citation": (
        {"source_facts": [{"id": "f1"}], "summary_citations": [{"citations": [{"id": "f1", "text": "q"}]}]},
        {"recall": 1.0, "passed": True},
    ),
    "one record that has offsets alone": (
        {"source_facts": {"start_char": 0, "end_char": 5}, "summary_citations": [{"start": 0, "end": 5}]},
        {"source_fact_count": 1, "passed": True},
    ),
}


@pytest.mark.parametrize(("claims", "evidence", "expected"), CITATION_FAULTS.values(), ids=CITATION_FAULTS)
def test_a_fault_of_the_citation_report_is_mended(claims: Any, evidence: Any, expected: dict[str, object]) -> None:
    metrics = compute_summary_citation_metrics(claims, evidence)

    assert {name: getattr(metrics, name) for name in expected} == expected


@pytest.mark.parametrize(("arguments", "expected"), COVERAGE_FAULTS.values(), ids=COVERAGE_FAULTS)
def test_a_fault_of_the_coverage_report_is_mended(arguments: Any, expected: dict[str, object]) -> None:
    metrics = compute_summary_fact_coverage(**arguments)

    assert {name: getattr(metrics, name) for name in expected} == expected


def test_further_evidence_is_counted_and_may_be_other_evidence() -> None:
    metrics = compute_summary_fact_coverage(["f1"], ["f1"], source_evidence=[{"id": "x"}, {"id": "y"}])

    assert metrics.passed
    assert metrics.source_evidence_count == 2


def test_empty_further_evidence_fails_closed() -> None:
    metrics = compute_summary_fact_coverage(["f1"], ["f1"], source_evidence=[])

    assert (metrics.recall, metrics.source_evidence_count, metrics.coverage_available) == (0.0, 0, False)
    assert metrics.failure_reasons == ("missing_source_evidence",)


# --- records --------------------------------------------------------------------------------------

Named = namedtuple("Named", ["id", "start", "end"])  # noqa: PYI024 - the untyped kind is the one to be read


@dataclasses.dataclass
class Fact:
    id: str
    start: int
    end: int


class Dumped:
    def __init__(self, **members: object) -> None:
        self._members = members

    def to_dict(self) -> dict[str, object]:
        return self._members


class Modelled(Dumped):
    to_dict = None  # type: ignore[assignment]

    def model_dump(self) -> dict[str, object]:
        return self._members


@pytest.mark.parametrize(
    "record",
    [Fact("e1", 0, 5), Named("e1", 0, 5), Dumped(id="e1", span=(0, 5)), {"id": "e1", "span": Fact("", 0, 5)}],
    ids=["dataclass", "named tuple", "to_dict", "a dataclass inside a mapping"],
)
def test_a_record_may_be_of_a_type_of_its_own(record: object) -> None:
    claims = [Dumped(citations=[{"evidence_id": "e1", "start": 0, "end": 5}])]

    assert compute_summary_citation_metrics(claims, [record]).passed


def test_records_may_stand_in_any_iterable_or_in_a_mapping_by_id() -> None:
    claims = ({"citations": [name]} for name in ("f1", "f2"))

    assert compute_summary_citation_metrics(claims, {"f1": {"value": "x"}, "f2": "text"}).passed
    assert compute_summary_citation_metrics({"citations": ["f1"]}, {"id": "f1"}).claim_count == 1
    assert compute_summary_fact_coverage({"f1": [0, 5], "f2": {}}, {"a": [0, 5], "b": {"fact_id": "f2"}}).passed
    assert compute_summary_fact_coverage("f1", ("f1",)).passed


def test_an_argument_that_holds_no_records_is_refused_in_upstreams_words() -> None:
    with pytest.raises(SummaryCitationError, match=r"\Aclaims must be an iterable of structured records\Z"):
        compute_summary_citation_metrics(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"\Asource_facts must be an iterable of structured records or identifiers\Z"):
        compute_summary_fact_coverage(5)  # type: ignore[arg-type]


# --- what may not get out -------------------------------------------------------------------------


CALLS: dict[str, Call] = {
    "metrics": compute_summary_citation_metrics,
    "report": build_summary_citation_report,
    "gate": assert_summary_citation_gate,
    "coverage metrics": lambda claims, evidence: compute_summary_fact_coverage(evidence, claims),
    "coverage report": lambda claims, evidence: build_summary_coverage_report(evidence, claims),
    "coverage gate": lambda claims, evidence: assert_summary_coverage_gate(evidence, claims),
}


def frames_of_the_package(trace: TracebackType | None) -> Iterator[dict[str, object]]:
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).parent.name == "openmed_rules":
            yield trace.tb_frame.f_locals
        trace = trace.tb_next


def assert_clean(error: BaseException) -> None:
    frames = list(frames_of_the_package(error.__traceback__))

    assert frames, "the error was raised by this package"
    assert error.__cause__ is None
    assert error.__context__ is None
    assert CANARY not in repr((error, error.args, vars(error), frames))
    assert not any(isinstance(value, list | dict) for frame in frames for value in frame.values())


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            CALLS["gate"],
            CitationGateError,
            "citation-consistency gate failed: duplicate_citation, missing_citation, unsupported_claim",
        ),
        (
            CALLS["coverage gate"],
            CoverageGateError,
            "fact-coverage gate failed: missing_summary_citation, unsupported_summary_fact",
        ),
    ],
    ids=["citations", "coverage"],
)
def test_a_gate_raises_reason_codes_alone(call: Call, kind: type[AssertionError], message: str) -> None:
    with pytest.raises(kind) as caught:
        call([{"citations": [CANARY, CANARY]}, {"claim": CANARY}], [{"id": CANARY}])

    assert str(caught.value) == f"summary {message}"
    assert_clean(caught.value)


@pytest.mark.parametrize("gate", [CALLS["gate"], CALLS["coverage gate"]], ids=["citations", "coverage"])
def test_a_gate_returns_a_report_that_passes(gate: Call) -> None:
    assert gate([{"citations": ["e1"]}], [{"id": "e1"}]).passed


@pytest.mark.parametrize("call", [CALLS["report"], CALLS["gate"]], ids=["report", "gate"])
def test_a_wrong_count_of_fixtures_is_refused_without_the_records(call: Call) -> None:
    with pytest.raises(ValueError, match=r"\Afixture_count must be a non-negative integer\Z") as caught:
        call([{"citations": [CANARY]}], [{"id": CANARY}], fixture_count=-1)

    assert_clean(caught.value)


def test_a_fault_of_our_own_holds_nothing_of_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr("openmed_rules.api.judge_batch", fail)
    with pytest.raises(Exception, match="RuntimeError") as caught:
        compute_summary_citation_metrics([{"citations": [CANARY]}], [{"id": CANARY}])

    assert_clean(caught.value)


FIELDS = (
    "citations",
    "evidence",
    "source_span",
    "span",
    "evidence_id",
    "fact_id",
    "id",
    "start",
    "end",
    "claim",
)
SCALARS = st.sampled_from([CANARY, f" {CANARY} ", "", 7, -1, 0, 5, True, None, 2.5, float("nan"), b"x", object()])
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
    max_leaves=12,
)


@given(first=ANYTHING, second=ANYTHING, third=ANYTHING)
def test_whatever_comes_in_only_numbers_and_codes_come_out(first: Any, second: Any, third: Any) -> None:
    for call in (
        lambda: build_summary_citation_report(first, second),
        lambda: run_summary_coverage(first, second, source_evidence=third),
    ):
        try:
            report = call()
        except SummaryCitationError as error:
            shown = "".join(traceback.format_exception(error))
        else:
            shown = report.to_json() + report.to_markdown() + repr(report)
        assert CANARY not in shown
