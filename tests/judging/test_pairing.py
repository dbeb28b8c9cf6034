"""Which summary meets which evidence."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from judged import judge, lines, numbers, rule_set
from openmed_rules.errors import InputError, UsageError
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.places import Place, Unreadable
from openmed_rules.results.report import Report
from openmed_rules.running import reading
from openmed_rules.running.files import find_files
from openmed_rules.running.following import Reading
from openmed_rules.running.reading import read_documents

IN_ORDER = "evidence: {in: evidence, records: $.facts}"
BY_ID = "inputs: {summary: {join: note}, evidence: {join: note}}\n" + IN_ORDER


def cites(*ids: object, **more: object) -> dict[str, Any]:
    return {"claims": [{"citations": list(ids)}], **more}


def facts(*ids: object, **more: object) -> dict[str, Any]:
    return {"facts": list(ids), **more}


def test_one_evidence_case_serves_every_summary() -> None:
    report = judge(IN_ORDER, cites("e1"), cites("e1"), evidence=[facts("e1")])

    assert (report.verdict, report.cases.total) == ("passed", 2)
    assert numbers(report)["evidence_record"] == 2


def test_several_pair_one_to_one() -> None:
    assert judge(IN_ORDER, cites("e1"), cites("e2"), evidence=[facts("e1"), facts("e2")]).verdict == "passed"
    assert judge(IN_ORDER, cites("e1"), cites("e2"), evidence=[facts("e2"), facts("e1")]).verdict == "failed"


@pytest.mark.parametrize(("summaries", "others"), [(3, 2), (2, 3), (1, 2), (2, 0), (0, 2)])
def test_another_number_cannot_be_paired(summaries: int, others: int) -> None:
    with pytest.raises(UsageError, match="OMR-623") as caught:
        judge(IN_ORDER, *[cites("e1")] * summaries, evidence=[facts("e1")] * others)

    assert f"{summaries} summary cases and {others} evidence cases" in str(caught.value)


def test_cases_are_paired_not_documents() -> None:
    rules = "inputs: {summary: {cases: $.all}, evidence: {cases: $}}\n" + IN_ORDER

    report = judge(rules, {"all": [cites("e1"), cites("e2")]}, evidence=[[facts("e1")], [facts("e2")]])

    assert report.verdict == "passed"


def test_an_id_meets_in_any_order() -> None:
    report = judge(
        BY_ID,
        cites("e1", note=1),
        cites("e2", note="b"),
        evidence=[facts("e2", note=" b "), facts("e1", note="1")],
    )

    assert report.verdict == "passed"


def test_two_evidence_cases_of_one_id_are_read_together() -> None:
    report = judge(BY_ID, cites("e1", "e2", note=1), evidence=[facts("e1", note=1), facts("e2", note=1)])

    assert (report.verdict, numbers(report)["evidence_record"]) == ("passed", 2)


def test_two_summaries_of_one_id_meet_the_same_evidence() -> None:
    report = judge(BY_ID, cites("e1", note=1), cites("e1", note=1), evidence=[facts("e1", note=1)])

    assert (report.verdict, report.cases.total) == ("passed", 2)


def test_evidence_without_a_summary_is_a_case_without_claims() -> None:
    report = judge(BY_ID, cites("e1", note=1), evidence=[facts("e1", note=1), facts("e2", note=2)])

    assert report.cases.total == 2
    assert set(report.reasons) == {"no_claims", "omitted_source_fact"}
    assert {(str(position.place), position.case) for position in report.positions} == {("facts:2", 2)}


@pytest.mark.parametrize("note", [None, "x", True, "", {}])
def test_a_summary_that_meets_no_evidence_has_none(note: object) -> None:
    report = judge(BY_ID + "\nreports: [citations]", cites("e1", note=note), evidence=[facts("e1", note="1")])

    assert report.cases.total == 2
    assert {"missing_source_evidence", "missing_source_record"} <= set(report.reasons)


def test_a_path_may_climb_to_what_all_cases_share() -> None:
    rules = "inputs: {summary: {cases: '$.answers[*].body', join: ^^.note}, evidence: {join: note}}\n" + IN_ORDER
    summary = {"note": 7, "answers": [{"body": cites("e1")}, {"body": cites("e1")}]}

    assert judge(rules, summary, evidence=[facts("e1", note=7)]).verdict == "passed"


# --- a partner that cannot be read -------------------------------------------------------------------


def test_a_pair_keeps_its_place_when_one_of_it_cannot_be_read() -> None:
    report = judge(IN_ORDER, cites("e1"), b"{", cites("e3"), evidence=[b"[", facts("e2"), facts("e3")])

    assert (report.cases.total, report.cases.passed, report.cases.unreadable) == (3, 1, 2)
    assert report.unreadable == (
        Unreadable(Place("notes", 1), "OMR-616"),
        Unreadable(Place("notes", 2), "OMR-612"),
    )


def test_the_one_evidence_case_that_cannot_be_read_leaves_nothing_to_judge() -> None:
    report = judge(IN_ORDER, cites("e1"), cites("e1"), evidence=[b"["])

    assert (report.verdict, report.cases.unreadable) == ("not_evaluated", 2)


def test_evidence_that_cannot_be_read_has_no_id_to_meet_by() -> None:
    report = judge(BY_ID, cites("e1", note=1), evidence=[b"[", facts("e1", note=1)])

    assert (report.verdict, report.cases.passed, report.cases.unreadable) == ("failed", 1, 1)
    assert report.unreadable == (Unreadable(Place("facts", 1), "OMR-612"),)


@pytest.mark.parametrize("note", [b"NaN", rb'"\ud83d"', b"9" * 5000])
def test_an_id_that_cannot_be_read_makes_its_case_unreadable(note: bytes) -> None:
    on_summary = judge(BY_ID, b'{"claims": [], "note": %s}' % note, cites("e1", note=1), evidence=[facts("e1", note=1)])
    on_evidence = judge(BY_ID, cites("e1", note=1), evidence=[facts("e1", note=1), b'{"note": %s}' % note])

    assert on_summary.unreadable == (Unreadable(Place("notes", 1), "OMR-615"),)
    assert on_evidence.unreadable == (Unreadable(Place("facts", 2), "OMR-615"),)
    assert on_summary.cases.passed == on_evidence.cases.passed == 1


def test_a_field_of_the_evidence_that_cannot_be_read_makes_the_case_unreadable() -> None:
    report = judge(IN_ORDER, cites("e1"), evidence=[b'{"facts": [NaN]}'])

    assert (report.verdict, report.cases.unreadable) == ("not_evaluated", 1)


# --- inputs that do not go together ------------------------------------------------------------------


def test_rules_that_read_evidence_need_it() -> None:
    with pytest.raises(InputError, match="OMR-621") as caught:
        judge(IN_ORDER, cites("e1"))

    assert caught.value.exit_code == 3


def test_evidence_that_nothing_reads_is_an_error() -> None:
    with pytest.raises(UsageError, match="OMR-622") as caught:
        judge("", cites("e1"), evidence=[facts("e1")])

    assert caught.value.exit_code == 2


def test_an_evidence_input_without_a_document_is_no_missing_input() -> None:
    assert judge(BY_ID, cites("e1", note=1), evidence=[]).verdict == "failed"


def test_evidence_that_is_kept_is_parsed_again_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is held of it are the places of its lines, also of such as cannot be read."""
    monkeypatch.setattr(reading, "LONG", 1 << 18)
    cases = 400
    facts_of = [facts(*(f"e{n}-{number}" for number in range(200)), note=n) for n in range(cases)]
    evidence = "\n".join([*map(json.dumps, reversed(facts_of)), '{"note": ', json.dumps(facts("z", note="NaN"))])
    (tmp_path / "facts.jsonl").write_text(evidence.replace('"NaN"', "NaN"), encoding="utf-8")
    summaries = [cites(f"e{n}-1", note=n) for n in range(cases)] + [cites("e3-2", note=3), cites("e3-2")]

    def report(*, keeps: bool) -> tuple[Report, int]:
        given = read_documents(find_files([str(tmp_path / "facts.jsonl")]), Reading(maps=True, keeps=keeps))
        tracemalloc.start()
        judged = judge_batch(rule_set(BY_ID), lines(summaries, "notes.jsonl"), given)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return judged, peak

    kept, little = report(keeps=True)
    held, more = report(keeps=False)

    assert kept == held
    assert (kept.cases.total, kept.cases.unreadable) == (cases + 4, 2)
    assert little < len(evidence) < more < 3 * len(evidence)
