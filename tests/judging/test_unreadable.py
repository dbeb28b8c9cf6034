"""What cannot be read is counted and told by its place; what is only odd is read as common readers do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judged import judge, numbers, rule_set
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import JsonText
from openmed_rules.judging.records import read_record
from openmed_rules.results.places import Place, Unreadable
from openmed_rules.results.report import Report

READS = """\
claims: {records: $.claims, id: id, where: {type: {not: note}}, class: {path: label, labels: [allergy]}}
citations: {records: citations, id: id, span: {within: page, start: start, end: end}}
evidence: {records: $.evidence, id: id, span: {within: page, start: start, end: end}}
reports: [citations]
policy: {tolerate: {invalid_citation: any, unsupported_claim: any, invalid_source_evidence: any}}
"""
GOOD: dict[str, Any] = {
    "claims": [{"id": "c1", "type": "claim", "citations": [{"id": "e1"}]}],
    "evidence": [{"id": "e1"}],
}
LONG = b"9" * 4301
HALF = rb'"\ud83d"'


def text(**fields: bytes) -> bytes:
    """A case in which ``claim``, ``citation``, ``record`` or ``case`` have fields more."""
    more = {name: b", " + fields[name] if name in fields else b"" for name in ("claim", "citation", "record", "case")}
    return (
        b'{"claims": [{"id": "c1", "type": "claim", "citations": [{"id": "e1"%(citation)s}]%(claim)s}],'
        b' "evidence": [{"id": "e1"%(record)s}]%(case)s}'
    ) % {name.encode(): value for name, value in more.items()}


def codes(report: Report) -> list[str]:
    return [unreadable.code for unreadable in report.unreadable]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        pytest.param(b'{"claims": [{"text": "caf\xe9"}]}', "OMR-611", id="text in another encoding"),
        pytest.param(json.dumps(GOOD).encode("utf-16"), "OMR-611", id="UTF-16"),
        pytest.param(b"", "OMR-612", id="nothing"),
        pytest.param(b'{"claims": [', "OMR-612", id="cut short"),
        pytest.param(b"{} {}", "OMR-612", id="two documents"),
        pytest.param(b"{'claims': []}", "OMR-612", id="single quotes"),
        pytest.param(b'{"claims": [],}', "OMR-612", id="a comma too many"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, "OMR-613", id="nested too deep"),
        pytest.param(text(citation=b'"start": NaN, "end": 5'), "OMR-615", id="NaN as an offset"),
        pytest.param(text(citation=b'"start": 0, "end": -Infinity'), "OMR-615", id="infinity as an offset"),
        pytest.param(text(record=b'"start": 0, "end": ' + LONG), "OMR-615", id="a long integer as an offset"),
        pytest.param(text(citation=b'"id": NaN'), "OMR-615", id="NaN as an id"),
        pytest.param(text(citation=b'"end": 5, "start": ' + HALF), "OMR-615", id="half a character as an offset"),
        pytest.param(text(record=b'"id": ' + LONG), "OMR-615", id="a long integer as an id"),
        pytest.param(text(record=b'"id": ' + HALF), "OMR-615", id="half a character as an id"),
        pytest.param(text(claim=b'"id": "c" , "label": ' + HALF), "OMR-615", id="half a character as a class"),
        pytest.param(
            text(citation=b'"start": 0, "end": 5, "page": ' + HALF),
            "OMR-615",
            id="half a character as a page",
        ),
        pytest.param(text(claim=b'"type": NaN'), "OMR-615", id="NaN in a condition"),
        pytest.param(text(claim=b'"type": ' + LONG), "OMR-615", id="a long integer in a condition"),
        pytest.param(text(claim=b'"type": ' + HALF), "OMR-615", id="half a character in a condition"),
        pytest.param(b'{"claims": NaN, "evidence": []}', "OMR-615", id="NaN as a claim"),
        pytest.param(text(claim=b'"citations": [NaN]'), "OMR-615", id="NaN as a citation"),
    ],
)
def test_a_document_that_cannot_be_read(document: bytes, code: str) -> None:
    report = judge(READS, document, GOOD)

    assert codes(report) == [code]
    assert report.unreadable[0].place == Place("notes", 1)
    assert (report.cases.total, report.cases.passed, report.cases.unreadable) == (2, 1, 1)
    assert (report.verdict, report.reasons) == ("failed", ("unreadable_case",))


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(b"\xef\xbb\xbf" + json.dumps(GOOD).encode(), id="a BOM"),
        pytest.param(b" \r\n" + json.dumps(GOOD).encode() + b"\r\n", id="white space around"),
        pytest.param(text(case=b'"score": NaN'), id="NaN that is not read"),
        pytest.param(text(record=b'"score": -Infinity'), id="infinity that is not read"),
        pytest.param(text(claim=b'"score": 1e999'), id="a float out of range that is not read"),
        pytest.param(text(record=b'"size": ' + LONG), id="a long integer that is not read"),
        pytest.param(text(claim=b'"text": ' + HALF), id="half a character that is not read"),
        pytest.param(text(case=HALF + b": 1"), id="half a character in a name"),
        pytest.param(text(case=b'"text": "caf\xc3\xa9 \\ud83d\\ude00"'), id="a whole character in two halves"),
        pytest.param(text(case=b'"deep": ' + b"[" * 400 + b"]" * 400), id="deep, but not too deep"),
        pytest.param(text(record=b'"id": "x", "id": "e1"'), id="equal names, of which the last counts"),
    ],
)
def test_a_document_that_is_only_odd(document: bytes) -> None:
    assert numbers(judge(READS, document))["verdict"] == "passed"


@pytest.mark.parametrize("identity", [b"NaN", HALF, LONG], ids=["NaN", "half a character", "a long integer"])
@pytest.mark.parametrize(
    ("rules", "told"),
    [("claims: {records: $.claims, id: id}", []), ("claims: {records: $.claims, id: id, merge: true}", ["OMR-615"])],
    ids=["by which nothing is joined", "by which claims are joined"],
)
def test_the_id_of_a_claim_matters_where_something_is_joined_by_it(
    rules: str, told: list[str], identity: bytes
) -> None:
    assert codes(judge(rules, text(claim=b'"id": ' + identity))) == told


@pytest.mark.parametrize(("digits", "verdict"), [(4300, "passed"), (4301, "not_evaluated")])
@pytest.mark.parametrize("sign", [b"", b"-"])
def test_an_integer_may_have_4300_digits(digits: int, verdict: str, sign: bytes) -> None:
    number = sign + b"9" * digits

    report = judge("", b'{"claims": [{"citations": [%s]}], "evidence": ["%s"]}' % (number, number))

    assert report.verdict == verdict


@pytest.mark.parametrize(
    ("integer", "valid"),
    [(10**4300 - 1, 1), (1 - 10**4300, 1), (10**4300, 0), (-(10**4300), 0), (10**5000, 0)],
    ids=["4300 digits", "-4300 digits", "4301 digits", "-4301 digits", "5001 digits"],
)
def test_an_integer_of_any_size_in_a_value_is_no_error(integer: int, valid: int) -> None:
    """A caller's own record may hold what no JSON text can."""
    case = {"claims": [{"citations": [integer]}], "evidence": [integer, "e1"]}

    report = judge_batch(rule_set(), [read_record(case, Place("notes"))])

    assert numbers(report) | {"valid_citation": valid, "invalid_citation": 1 - valid} == numbers(report)


@pytest.mark.parametrize(
    ("document", "strictly"),
    [
        (b'{"claims": [{"citations": ["e1"]}], "evidence": [], "evidence": ["e1"]}', ["OMR-614"]),
        (b'{"claims": [{"citations": ["e1"], "n": {"a": 1, "a": 1}}], "evidence": ["e1"]}', ["OMR-614"]),
        (b'{"claims": [{"citations": ["e1"]}], "evidence": ["e1"], "a": {"b": 1}, "b": {"b": 1}}', []),
    ],
)
def test_equal_names(document: bytes, strictly: list[str]) -> None:
    assert judge("", document).verdict == "passed"
    assert codes(judge("", document, strict_json=True)) == strictly


def test_half_a_character_in_a_text_that_is_read() -> None:
    rules = "reads_text: true\ncitations: {records: {path: text, find_all: '(e.)'}}"

    assert codes(judge(rules, rb'{"claims": [{"text": "e1 \ud83d"}], "evidence": ["e1"]}')) == ["OMR-615"]


@pytest.mark.parametrize(
    ("rules", "document"),
    [
        pytest.param(
            "claims: {records: $.claims, where: {type: null}}",
            b'{"claims": [{"type": NaN}, {"citations": ["e1"]}], "evidence": ["e1"]}',
            id="where anything would do",
        ),
        pytest.param("citations: {records: a.b}", b'{"claims": [{"a": NaN}], "evidence": ["e1"]}', id="on the way"),
        pytest.param(
            "citations: {records: {path: ids, split: ','}}",
            b'{"claims": [{"ids": NaN}], "evidence": ["e1"]}',
            id="as a text to split",
        ),
        pytest.param(
            "reads_text: true\ncitations: {records: {path: text, find_all: '(e.)'}}",
            b'{"claims": [{"text": NaN}], "evidence": ["e1"]}',
            id="as a text with citations in it",
        ),
        pytest.param(
            "citations: {records: {path: ids, range: [from, to]}}",
            b'{"claims": [{"ids": {"from": NaN, "to": 2}}], "evidence": ["e1"]}',
            id="as an end of a range",
        ),
    ],
)
def test_a_number_that_json_has_not_wherever_it_is_read(rules: str, document: bytes) -> None:
    assert codes(judge(rules, document)) == ["OMR-615"]


def test_equal_names_in_embedded_json() -> None:
    rules = "inputs: {summary: {embedded_json: tool}}\nevidence: {records: $.tool.facts}"
    case = {"claims": [{"citations": ["e1"]}], "tool": '{"facts": ["e9"], "facts": ["e1"]}'}
    document = json.dumps(case).encode()

    assert judge(rules, document).verdict == "passed"
    assert codes(judge(rules, document, strict_json=True)) == ["OMR-614"]


def test_half_a_character_in_embedded_json() -> None:
    rules = "inputs: {summary: {embedded_json: tool}}\nevidence: {records: $.tool.facts}"

    report = judge(rules, rb'{"claims": [], "tool": "{\"facts\": [\"\ud83d\"]}"}')

    assert codes(report) == ["OMR-615"]


def test_where_nothing_could_be_read_nothing_was_evaluated() -> None:
    report = judge("", b"{", b"[")

    assert (report.verdict, report.reasons) == ("not_evaluated", ())
    assert report.cases.unreadable == 2
    assert numbers(report)["passed"] is numbers(report)["coverage.passed"] is False


def test_no_document_at_all_is_not_evaluated() -> None:
    assert judge("").verdict == "not_evaluated"


def test_an_unreadable_document_takes_its_place_among_the_cases() -> None:
    report = judge("", b"{", {"claims": [{"citations": ["e9"]}], "evidence": ["e1"]})

    assert [(position.place.line, position.case) for position in report.positions][:1] == [(2, 2)]


def test_what_a_reader_could_not_open_is_a_case_that_could_not_be_read() -> None:
    unread = Unreadable(Place("damaged.json"), "OMR-604")
    good = JsonText(Place("good.json"), json.dumps(GOOD).encode())

    report = judge_batch(rule_set(READS), [unread, good])

    assert (report.verdict, report.unreadable) == ("failed", (unread,))


def test_an_unreadable_case_cannot_be_tolerated() -> None:
    report = judge("policy: {failed_cases: 100%}", b"{", {"claims": [{"citations": ["e1"]}], "evidence": ["e1"]})

    assert report.verdict == "failed"
    assert numbers(report)["passed"] is numbers(report)["coverage.passed"] is False


@pytest.mark.parametrize("half", [rb"\ud7ff", rb"\ud800", rb"\udbff", rb"\udc00", rb"\udfff", rb"\ue000"])
def test_every_half_of_a_pair_is_no_text_and_what_stands_around_them_is(half: bytes) -> None:
    is_text = half in {rb"\ud7ff", rb"\ue000"}
    case = b'{"claims": [{"citations": ["%s"]}], "evidence": ["%s"]}' % (half, half)
    assert codes(judge("", case)) == ([] if is_text else ["OMR-615"])
