"""The tests that a rule file brings along: what is told of them, and when they prove nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from openmed_rules.authoring.rule_tests import NO_TESTS, NONE_FAILS, Difference, RuleTestRun, run_rule_tests
from openmed_rules.ruleset.loader import load_rule_file, load_rule_text
from samples import FAILING, PASSING, RULES, TWO_INPUTS, case, evidence, summary

FAILS = f"""
  - name: fails
    summary: {json.dumps(FAILING)}
    expect: {{passed: false}}
"""


def run(tests: str, rules: str = RULES) -> RuleTestRun:
    return run_rule_tests(load_rule_text(f"{rules}tests:{FAILS}{tests}"))


def differences(expect: str, *, summary: object = PASSING, rules: str = RULES) -> list[Difference]:
    outcome = run(f"  - {{name: t, summary: {json.dumps(summary)}, expect: {expect}}}\n", rules).outcomes[1]
    assert outcome.passed is not bool(outcome.differences)
    return list(outcome.differences)


NOT_SO = Difference("coverage.failure_reasons", "unknown_citation", "none")


@pytest.mark.parametrize(
    "expect",
    [
        "{passed: true}",
        "{citations: {claim_count: 1, coverage: 1.0}}",
        "{citations: {coverage: 1}, coverage: {recall: 1.0, fail_closed: false}}",
        "{citations: {failure_reasons: []}}",
    ],
)
def test_what_is_expected_and_got_differs_in_nothing(expect: str) -> None:
    assert differences(expect) == []


@pytest.mark.parametrize(
    ("expect", "expected"),
    [
        ("{passed: false}", [Difference("passed", "false", "true")]),
        ("{reasons: [missing_citation]}", [Difference("reasons", "missing_citation", "none")]),
        ("{citations: {claim_count: 2}}", [Difference("citations.claim_count", "2", "1")]),
        ("{coverage: {recall: 0.999}}", [Difference("coverage.recall", "0.999", "1.0")]),
        ("{coverage: {failure_reasons: [unknown_citation]}}", [NOT_SO]),
        ("{coverage: {fail_closed: true}}", [Difference("coverage.fail_closed", "true", "false")]),
        (
            "{passed: false, citations: {claim_count: 0, citation_count: 1}, coverage: {omission_count: 4}}",
            [
                Difference("passed", "false", "true"),
                Difference("citations.claim_count", "0", "1"),
                Difference("coverage.omission_count", "4", "0"),
            ],
        ),
    ],
)
def test_what_differs_is_told(expect: str, expected: list[Difference]) -> None:
    assert differences(expect) == expected


def test_the_failure_reasons_of_a_report_are_those_expected_in_any_order() -> None:
    found = ["unsupported_claim", "missing_source_record", "invalid_citation"]

    def told(reasons: list[str]) -> list[str]:
        expect = f"{{citations: {{failure_reasons: {reasons}}}}}"
        return [difference.what for difference in differences(expect, summary=case("f9"))]

    assert told(found) == []
    assert told(found[1:]) == told([*found, "missing_citation"]) == ["citations.failure_reasons"]


def test_the_reasons_are_at_least_those_expected() -> None:
    assert differences("{reasons: [missing_source_record]}", summary=FAILING) == []
    (difference,) = differences("{reasons: [missing_source_record, missing_citation]}", summary=FAILING)

    assert difference.expected == "missing_citation"
    assert "missing_source_record" in difference.got


def test_a_ratio_may_be_written_with_three_decimals() -> None:
    thirds = {**summary("f1"), **evidence("f1", "f2", "f3")}

    assert differences("{coverage: {recall: 0.333}}", summary=thirds) == []
    assert differences("{coverage: {recall: 0.33}}", summary=thirds) == [
        Difference("coverage.recall", "0.33", str(1 / 3))
    ]


def test_the_cases_of_a_test_are_one_batch() -> None:
    cases = json.dumps([{"summary": PASSING}, {"summary": FAILING}])
    outcome = run(f"  - {{name: t, cases: {cases}, expect: {{citations: {{claim_count: 2}}}}}}\n").outcomes[1]

    assert outcome.passed
    assert outcome.report is not None
    assert outcome.report.cases.total == 2


def test_each_case_has_its_own_evidence() -> None:
    cases = json.dumps([{"summary": summary(name), "evidence": evidence(name)} for name in ("f1", "f2")])
    rules = f"{TWO_INPUTS}tests:\n  - {{name: t, cases: {cases}, expect: {{passed: true}}}}\n"

    assert run_rule_tests(load_rule_text(rules)).outcomes[0].passed


def files(folder: Path, expect: str, **names: str) -> list[Difference]:
    """What differs in a test whose inputs stand in files beside the rule file."""
    (folder / "rules.yaml").write_text(
        f"{TWO_INPUTS}tests:\n  - {{name: t, file: {json.dumps(names)}, expect: {expect}}}\n",
        encoding="utf-8",
    )
    return list(run_rule_tests(load_rule_file(folder / "rules.yaml")).outcomes[0].differences)


def test_inputs_may_stand_in_files_beside_the_rule_file(tmp_path: Path) -> None:
    (tmp_path / "summaries.jsonl").write_text(f"{json.dumps(summary('f1'))}\n" * 2, encoding="utf-8")
    (tmp_path / "facts.json").write_text(json.dumps(evidence("f1")), encoding="utf-8")

    inputs = {"summary": "summaries.jsonl", "evidence": "facts.json"}
    assert files(tmp_path, "{passed: true, citations: {claim_count: 2}}", **inputs) == []


@pytest.mark.parametrize(("name", "got"), [("missing.json", "does not exist"), ("bad.json", "not JSON")])
def test_nothing_may_be_expected_of_what_cannot_be_read(tmp_path: Path, name: str, got: str) -> None:
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    (tmp_path / "facts.json").write_text(json.dumps(evidence("f1")), encoding="utf-8")

    told = files(tmp_path, "{passed: false}", summary=name, evidence="facts.json")

    assert told
    assert any(got in difference.got for difference in told)


def test_nothing_may_be_expected_of_no_case_at_all() -> None:
    rules = f'{RULES}inputs: {{summary: {{cases: "$.cases[*]"}}}}\n'

    assert differences("{passed: false}", summary={"cases": []}, rules=rules) == [
        Difference("inputs", "at least one case", "none")
    ]


# --- what proves nothing ----------------------------------------------------------------------


def test_a_rule_file_without_tests_is_refused() -> None:
    assert run_rule_tests(load_rule_text(RULES)).refusal == NO_TESTS


def test_tests_of_which_none_fails_the_gate_are_refused() -> None:
    passes = f"tests:\n  - {{name: t, summary: {json.dumps(PASSING)}, expect: {{passed: true}}}}\n"

    assert run_rule_tests(load_rule_text(RULES + passes)).refusal == NONE_FAILS
    assert run("").refusal == ""


def test_a_locator_that_finds_nothing_in_any_test_is_told() -> None:
    rules = RULES.replace("id: fact", "id: [fact, fact_id, ref]").replace("$.facts", "[$.facts, $.records]")
    tests = f"  - {{name: t, summary: {json.dumps(summary('f1'))}, expect: {{passed: false}}}}\n"

    assert run(tests, rules).untried == ("citations.id[1]", "citations.id[2]", "evidence.records[1]")


def test_what_holds_only_such_locators_stands_for_them() -> None:
    rules = RULES.replace(
        "{records: citations, id: fact}", "[{records: citations, id: fact}, {records: refs, id: [a, b]}]"
    )

    assert run("", rules).untried == ("citations[1]",)
