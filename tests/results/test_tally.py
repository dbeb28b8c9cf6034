"""A run is the sum of its cases, however these are added up."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from judged import lines, rule_set
from openmed_rules.judging.batch import Judging, Part, judge_batch
from openmed_rules.results import tally
from openmed_rules.results.report import Report
from openmed_rules.ruleset.model import RuleSet

E0, E1 = {"id": "e0"}, {"id": "e1"}
OMITS_TWO = {"claims": [{"r": ["e0"]}], "ev": [E0, E1, {"id": "e2"}]}
DAMAGED_EVIDENCE = {"claims": [{"r": ["e0"]}], "ev": [E0, E0, {}]}
DOCUMENTS: list[dict[str, Any]] = [
    {"claims": [{"r": ["e0"]}, {"r": ["e1"]}], "ev": [E0, E1]},
    {"claims": [{"r": ["e0"]}], "ev": [E0]},
    {"claims": [{"r": ["e0"]}], "ev": [E0, E1]},
    {"claims": [{"r": ["e0", "e0"]}, {"r": ["e1", "zz"]}], "ev": [E0, E1]},
    {"claims": [{"r": ["zz", "yy"]}, {"r": []}, {"r": ["e0"]}], "ev": [E0, E1]},
    DAMAGED_EVIDENCE,
    OMITS_TWO,
    {"claims": [{"r": ["e0"]}], "ev": []},
    {"claims": [], "ev": [E0]},
]
DAMAGED = [b"{", b'{"claims": NaN}']
RULES = {
    "nothing is tolerated": "",
    "some is": "policy: {tolerate: {omitted_source_fact: 1, missing_source_record: 1}}",
    "the sums decide": "policy: {per: batch}",
    "the sums decide, and all evidence is within them": (
        "policy: {per: batch, tolerate: {invalid_source_evidence: 30%, duplicate_source_evidence: 30%}}"
    ),
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


def counted(rules: RuleSet, documents: list[Any], positions: int) -> Part:
    part = Judging(rules, has_evidence=False).part(positions)
    Judging(rules, has_evidence=False).judge(lines(documents, "notes"), None, part.tally)
    return part


@pytest.mark.parametrize("said", RULES.values(), ids=RULES)
@given(
    documents=st.lists(st.sampled_from([*DOCUMENTS, *DAMAGED]), min_size=1, max_size=12),
    cuts=st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted),
    positions=st.sampled_from([0, 1, 5, 1000]),
)
@example(documents=[OMITS_TWO, *DOCUMENTS[2:3] * 2], cuts=[1, 2], positions=5)
@example(documents=[DAMAGED_EVIDENCE, *DOCUMENTS[:1] * 4], cuts=[1, 3], positions=5)
@example(documents=DOCUMENTS[4:5] * 6, cuts=[2, 4], positions=5)
def test_the_parts_of_a_file_are_the_whole_of_it(
    said: str, documents: list[Any], cuts: list[int], positions: int
) -> None:
    """Each part numbers its lines and its cases from 1."""
    rules = rule_set(LAYOUT + said)
    edges = [0, *cuts, len(documents)]
    first, *others = [counted(rules, documents[start:end], positions) for start, end in pairwise(edges)]
    for part, before in zip(others, cuts, strict=True):
        first.extend(part, cases_before=first.tally.total, lines_before=min(before, len(documents)))

    assert first.report((), None) == judge_batch(rules, lines(documents, "notes"), positions=positions)


@example(first=DOCUMENTS[2:3], second=DOCUMENTS[2:3], more=DOCUMENTS[2:3] * 3, positions=5)
@example(first=DOCUMENTS[3:5], second=DOCUMENTS[3:5], more=[], positions=15)
@given(first=SOME_DOCUMENTS, second=SOME_DOCUMENTS, more=SOME_DOCUMENTS, positions=st.sampled_from([0, 1, 5, 1000]))
def test_a_run_goes_on_after_a_part_was_added(
    first: list[Any], second: list[Any], more: list[Any], positions: int
) -> None:
    rules = rule_set(LAYOUT)
    run = counted(rules, first, positions)
    run.extend(counted(rules, second, positions), cases_before=0, lines_before=0)
    Judging(rules, has_evidence=False).judge(lines(more, "notes"), None, run.tally)

    at_once = counted(rules, [*first, *second, *more], positions)
    assert run.tally.takes_many is at_once.tally.takes_many
    report, whole = run.report((), None), at_once.report((), None)
    assert len(report.positions) == len(whole.positions)
    assert replace(report, positions=()) == replace(whole, positions=())


@pytest.mark.parametrize("said", RULES.values(), ids=RULES)
def test_what_a_run_keeps_does_not_grow_with_its_cases(said: str) -> None:
    rules = rule_set(LAYOUT + said)
    sizes = [len(pickle.dumps(counted(rules, DOCUMENTS * many, 5))) for many in (10, 30)]

    assert sizes[1] - sizes[0] < 100, "a few digits more of what is counted"


@pytest.mark.parametrize("failing", [DOCUMENTS[2], DOCUMENTS[3]], ids=["one place each", "several kinds of place"])
def test_cases_are_added_many_at_once_when_no_more_places_are_wanted(failing: dict[str, Any]) -> None:
    every = len(report_of("", [failing], 100).positions)
    for positions in (every * 3 - 1, every * 3, every * 3 + 1):
        run = counted(rule_set(LAYOUT), [failing] * 3, positions)
        assert run.tally.takes_many is (positions <= every * 3)


def test_what_a_run_keeps_does_not_grow_with_its_parts() -> None:
    rules = rule_set(LAYOUT)
    part = counted(rules, [*DAMAGED, *DOCUMENTS], 5)
    run = counted(rules, [], 5)
    sizes = []
    for _ in range(3):
        for _ in range(100):
            run.extend(part, cases_before=0, lines_before=0)
        sizes.append(len(pickle.dumps(run)))

    assert sizes[2] - sizes[0] < 100, "a few digits more of what is counted"


def test_evidence_that_fails_in_one_case_fails_the_sums() -> None:
    """Also where the sums are within the tolerance, and whatever fails in a later case."""
    invalid: dict[str, Any] = {"claims": [{"r": ["e0"]}], "ev": [E0, {}]}
    twice: dict[str, Any] = {"claims": [{"r": ["e0"]}], "ev": [E0, E0]}
    documents = [invalid, twice, *DOCUMENTS[:1] * 20]
    said = "policy: {per: batch, tolerate: {invalid_source_evidence: 10%, duplicate_source_evidence: 10%}}"

    assert {"invalid_source_evidence", "duplicate_source_evidence"} <= set(report_of(said, documents, 5).reasons)
    assert report_of(said, documents[2:], 5).reasons == ()
