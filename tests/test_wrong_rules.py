"""Rule files that are wrong and could pass: each mistake of the list is caught by what the list says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from judged import judge
from openmed_rules.authoring.diagnostics import whole_file
from openmed_rules.authoring.explain import explain, explanation_lines
from openmed_rules.authoring.lint import lint
from openmed_rules.authoring.rule_tests import NONE_FAILS, run_rule_tests
from openmed_rules.errors import RulesError
from openmed_rules.judging.documents import PlainValue
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_text
from openmed_rules.ruleset.problems import RuleFileError

LIST = Path(os.environ.get("OPENMED_RULES_SHARED", Path(__file__).parents[2] / "shared")) / "cases" / "WRONG_RULES.md"
ROWS = 21

CASE: dict[str, Any] = {"claims": [{"id": "c", "citations": [{"fact": "a"}]}], "facts": [{"id": "a"}]}


def test_every_row_of_the_list_has_its_test() -> None:
    if not LIST.is_file():
        pytest.skip("the list is not here")
    rows = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(rows) - 1 == ROWS
    assert sum(name.startswith("test_row_") for name in globals()) == ROWS


def refused(said: str) -> set[str]:
    """The codes for which a rule file cannot be used."""
    with pytest.raises(RuleFileError) as error:
        load_rule_text(whole_file(said))
    return {problem.code for problem in error.value.problems}


def warned(said: str) -> set[str]:
    """The codes of the warnings about a rule file."""
    return {problem.code for problem in lint(load_rule_text(whole_file(said)))}


def report(said: str, case: Any = CASE) -> Report:
    return judge(load_rule_text(whole_file(said)).rules, case)


def told(said: str, case: Any) -> str:
    file = load_rule_text(whole_file(said))
    return "\n".join(explanation_lines(explain(file, [PlainValue(Place("case"), case)])))


def with_tests(*cases: Any, expect: str = "{passed: true}") -> str:
    return "tests:\n" + "".join(
        f"  - {{name: t{number}, summary: {json.dumps(case)}, expect: {expect}}}\n" for number, case in enumerate(cases)
    )


def test_row_records_misspelt_while_uncited_claims_are_tolerated() -> None:
    said = (
        "citations: {records: citatons, id: fact}\npolicy: {tolerate: {missing_citation: any}}\nreports: [citations]\n"
    )
    assert "no_citations" in report(said).reasons
    loose = said.replace("any}", "any, unsupported_claim: any, no_citations: any}")
    assert run_rule_tests(load_rule_text(whole_file(loose + with_tests(CASE)))).refusal == NONE_FAILS


def test_row_a_path_that_never_finds_anything() -> None:
    file = load_rule_text(whole_file("citations: {records: citations, id: [fact, fact_id]}\n" + with_tests(CASE)))
    run = run_rule_tests(file)
    assert run.untried == ("citations.id[1]",)
    assert run.outcomes[0].report is not None
    assert run.outcomes[0].report.locators is not None
    assert run.outcomes[0].report.locators["citations.id[0]"]["found"] == 1


def test_row_claims_filtered_to_those_that_cite() -> None:
    said = "claims: {records: $.claims, where: {citations: {not: null}}}\n"
    assert "OMR-831" in warned(said)
    assert report(said, {**CASE, "claims": [*CASE["claims"], {}]}).left_out["claims"] == 1


def test_row_a_literal_under_not_that_is_misspelt_or_misread() -> None:
    assert "OMR-853" in warned("claims: {records: $.claims, where: {type: {not: headng}}}\n" + with_tests(CASE))
    assert refused("claims: {records: $.claims, where: {type: {not: no}}}\n") == {"OMR-114"}
    assert refused("claims: {records: $.claims, where: {type: {not: 07}}}\n") == {"OMR-114"}


def test_row_a_kind_ignored_too_widely() -> None:
    kinds = "{rest: {where: {type: {not: fact}}, ignore: true}, fact: {id: fact}}"
    said = f"citations: {{records: citations, kinds: {kinds}}}\n"
    assert "OMR-835" in warned(said)
    assert report(said).left_out["citations"] == 1


def test_row_evidence_read_from_where_the_citations_stand() -> None:
    assert refused("evidence: {records: '$.claims[*].citations', id: fact}\n") == {"OMR-424"}


def test_row_evidence_read_from_the_summary_because_the_file_was_forgotten() -> None:
    with pytest.raises(RulesError, match="OMR-621"):
        report("evidence: {in: evidence, records: $.facts, id: id}\n")


def test_row_a_reference_made_of_the_position_alone() -> None:
    assert refused("citations: {records: citations, id: {place: position}}\n") == {"OMR-403"}


def test_row_a_default_on_an_id() -> None:
    assert refused("citations: {records: citations, id: {path: fact, default: 0}}\n") == {"OMR-201"}


def test_row_the_case_is_not_the_whole_document() -> None:
    cases = {"cases": [CASE, {"claims": [{"citations": [{"fact": "a"}]}], "facts": [{"id": "b"}]}]}
    assert "missing_source_record" in report("inputs: {summary: {cases: $.cases}}\n", cases).reasons


def test_row_join_on_one_side_only_and_cases_that_cannot_be_paired() -> None:
    assert "OMR-412" in refused("inputs: {summary: {join: note}}\n")
    two = load_rule_text(whole_file("evidence: {in: evidence, records: $.facts, id: id}\n")).rules
    with pytest.raises(RulesError, match="OMR-623"):
        judge(two, CASE, CASE, CASE, evidence=[CASE, CASE])


def test_row_ids_that_repeat_between_documents_and_spans_without_within() -> None:
    assert "OMR-833" in warned("evidence: {records: '$.notes[*].facts', id: id}\n")
    span = "{start: s, end: e}"
    said = f"citations: {{records: citations, span: {span}}}\nevidence: {{records: '$.notes[*].facts', span: {span}}}\n"
    assert "OMR-833" in warned(said)


def test_row_positions_that_start_anew_under_two_wildcards() -> None:
    assert "OMR-832" in warned("evidence: {records: '$.notes[*].facts', id: {place: position}}\n")


POSITIONS = "citations: {records: citations, id: fact}\nevidence: {records: $.facts, id: {place: position}}\n"


def test_row_base_0_where_the_data_counts_from_1() -> None:
    inside = {"claims": [{"citations": [{"fact": 1}]}], "facts": [{}, {}, {}]}
    tests = with_tests(inside, expect="{citations: {valid_citation_count: 1}}")
    assert "OMR-854" in warned(POSITIONS + tests)
    past = {"claims": [{"citations": [{"fact": 3}]}], "facts": [{}, {}, {}]}
    assert "write `{place: position, base: 1}`" in told(POSITIONS, past)


def test_row_inclusive_ends_read_as_half_open() -> None:
    span = "{start: s, end: e}"
    said = f"citations: {{records: citations, span: {span}}}\nevidence: {{records: $.facts, span: {span}}}\n"
    case = {"claims": [{"citations": [{"s": 0, "e": 4}]}], "facts": [{"s": 0, "e": 5}]}
    assert "write `closed: true` in the span of the citations" in told(said, case)
    loose = said.replace("e}", "e, closed: true}").replace("evidence:", "policy: {spans: inside}\nevidence:")
    wide = {"claims": [{"citations": [{"s": 2, "e": 3}]}], "facts": [{"s": 0, "e": 9}]}
    assert "OMR-854" in warned(loose + with_tests(wide))


def test_row_a_pattern_that_loses_numbers() -> None:
    assert "OMR-836" in warned("reads_text: true\ncitations: {records: {path: text, find_all: '\\[(\\d+)\\]'}}\n")


def test_row_scalars_of_an_object_are_no_ids() -> None:
    case = {"claims": [{"citations": {"fact": "a", "score": 1}}], "facts": ["a"]}
    said = "citations: {records: citations.*}\nevidence: {records: $.facts}\n"
    found = report(said, case).citations
    assert found is not None
    assert (found["citation_count"], found["valid_citation_count"]) == (2, 0)


def test_row_an_edge_read_by_one_of_its_ends_only() -> None:
    said = "citations: {records: [subj, obj]}\n"
    case = {"claims": [{"subj": ["a"], "obj": ["b"]}], "facts": [{"id": "a"}, {"id": "b"}]}
    run = run_rule_tests(load_rule_text(whole_file(said + with_tests(case))))
    assert set(run.untried) == {"claims.id", "citations.records[1]"}
    union = "citations: [{records: subj}, {records: obj}]\n"
    assert run_rule_tests(load_rule_text(whole_file(union + with_tests(case)))).untried == ("claims.id",)


def test_row_merge_on_the_wrong_field() -> None:
    said = "evidence: {records: $.facts, id: id, merge: true}\n"
    case = {**CASE, "facts": [{"id": "a"}] * 4}
    assert report(said, case).joined["evidence"] == 3
    assert "more than half of evidence were joined" in told(said, case)


def test_row_a_gate_that_cannot_fail() -> None:
    tolerated = "{invalid_citation: any, unsupported_claim: any, no_citations: any}"
    assert "OMR-841" in warned(f"policy: {{tolerate: {tolerated}}}\n")


def test_row_addresses_that_differ_by_a_tracking_parameter() -> None:
    case = {
        "claims": [{"citations": [{"fact": "https://x.test/a?utm_source=y"}]}],
        "facts": [{"id": "https://x.test/a?utm_source=z"}],
    }
    found = told("", case)
    assert "differ behind ?" in found
    assert "capture:" in found
    assert "x.test" not in found
