"""A run is the sum of its cases, however these are added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from judged import lines, rule_set
from openmed_rules.judging.batch import Judging, judge_batch
from openmed_rules.results import tally
from openmed_rules.results.report import Report

E0, E1 = {"id": "e0"}, {"id": "e1"}
DOCUMENTS: list[dict[str, Any]] = [
    {"claims": [{"r": ["e0"]}, {"r": ["e1"]}], "ev": [E0, E1]},
    {"claims": [{"r": ["e0"]}], "ev": [E0]},
    {"claims": [{"r": ["e0"]}], "ev": [E0, E1]},
    {"claims": [{"r": ["e0", "e0"]}, {"r": ["e1", "zz"]}], "ev": [E0, E1]},
    {"claims": [{"r": ["zz", "yy"]}, {"r": []}, {"r": ["e0"]}], "ev": [E0, E1]},
    {"claims": [{"r": ["e0"]}], "ev": [E0, E0, {}]},
    {"claims": [{"r": ["e0"]}], "ev": []},
    {"claims": [], "ev": [E0]},
]
DAMAGED = [b"{", b'{"claims": NaN}']
RULES = {
    "nothing is tolerated": "",
    "some is": "policy: {tolerate: {omitted_source_fact: 1, missing_source_record: 1}}",
    "the sums decide": "policy: {per: batch}",
    "the sums, and a part of them is let be": "policy: {per: batch, tolerate: {unsupported_claim: 20%}}",
}
LAYOUT = """\
claims: {records: $.claims}
citations: {records: r}
evidence: {records: $.ev, id: id}
"""


@pytest.fixture(autouse=True)
def _few_at_once() -> Iterator[None]:
    """So that cases are added up several times in a small run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "MANY", 3)
        yield


def report_of(said: str, documents: list[Any], positions: int) -> Report:
    return judge_batch(rule_set(LAYOUT + said), lines(documents, "notes"), positions=positions)


def found(report: Report) -> Counter[tuple[str, str]]:
    """How much of each reason of each report was found."""
    return Counter({(line.report, line.reason): line.found for line in report.lines if line.found})


SOME_DOCUMENTS = st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=12)


@pytest.mark.parametrize("said", RULES.values(), ids=RULES)
@given(documents=SOME_DOCUMENTS)
def test_how_many_positions_are_kept_changes_no_number(said: str, documents: list[dict[str, Any]]) -> None:
    every = report_of(said, documents, 1000)
    for positions in (0, 1, 5):
        some = report_of(said, documents, positions)
        assert some.positions == every.positions[:positions]
        assert some.positions_left == len(every.positions) - len(some.positions)
        assert replace(some, positions=(), positions_left=0) == replace(every, positions=())


@given(documents=SOME_DOCUMENTS, positions=st.sampled_from([0, 1, 1000]))
def test_a_run_is_the_sum_of_its_cases(documents: list[dict[str, Any]], positions: int) -> None:
    whole = report_of("", documents, positions)
    alone = [report_of("", [document], positions) for document in documents]

    assert whole.cases.failed == sum(one.cases.failed for one in alone)
    assert found(whole) == sum(map(found, alone), Counter())
    assert whole.positions_left + len(whole.positions) == sum(one.positions_left + len(one.positions) for one in alone)
    for report, tenths in whole.distribution.items():
        assert tenths == [sum(column) for column in zip(*(one.distribution[report] for one in alone), strict=True)]


@pytest.mark.parametrize("said", RULES.values(), ids=RULES)
@given(
    documents=st.lists(st.sampled_from([*DOCUMENTS, *DAMAGED]), min_size=1, max_size=12),
    at=st.integers(0, 12),
    positions=st.sampled_from([0, 1, 5, 1000]),
)
def test_two_halves_of_a_file_are_the_whole_of_it(said: str, documents: list[Any], at: int, positions: int) -> None:
    """Each half numbers its lines and its cases from 1."""
    rules = rule_set(LAYOUT + said)
    halves = documents[:at], documents[at:]
    first, second = (Judging(rules, has_evidence=False).part(positions) for _ in halves)
    for part, half in zip((first, second), halves, strict=True):
        Judging(rules, has_evidence=False).judge(lines(half, "notes"), None, part.tally)
    first.extend(second, cases_before=first.tally.total, lines_before=len(halves[0]))

    assert first.report((), None) == judge_batch(rules, lines(documents, "notes"), positions=positions)


def test_evidence_that_fails_in_one_case_fails_the_sums() -> None:
    """Also where the sums are within the tolerance, and whatever fails in a later case."""
    invalid: dict[str, Any] = {"claims": [{"r": ["e0"]}], "ev": [E0, {}]}
    twice: dict[str, Any] = {"claims": [{"r": ["e0"]}], "ev": [E0, E0]}
    documents = [invalid, twice, *DOCUMENTS[:1] * 20]
    said = "policy: {per: batch, tolerate: {invalid_source_evidence: 10%, duplicate_source_evidence: 10%}}"

    assert {"invalid_source_evidence", "duplicate_source_evidence"} <= set(report_of(said, documents, 5).reasons)
    assert report_of(said, documents[2:], 5).reasons == ()
