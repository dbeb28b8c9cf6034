"""What programs read: it keeps to its schema, says the same in every format, and obeys no name."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import xmlschema
from msgspec.structs import replace

from judged import judge
from openmed_rules.formats import FORMATS
from openmed_rules.formats.github import MOST
from openmed_rules.formats.reasons import MEANINGS, REASONS_OF, words
from openmed_rules.formats.worklist import render_worklist
from openmed_rules.results.places import Place, Position, Unreadable
from openmed_rules.results.report import Report
from openmed_rules.ruleset.words import REASONS
from reports import FORGERIES, REPORTS, hostile_names_of

ROOT = Path(__file__).parents[2]
REPORT_SCHEMA = json.loads((ROOT / "openmed_rules" / "formats" / "report.schema.json").read_text("utf-8"))
SARIF_SCHEMA = json.loads((ROOT / "tests" / "data" / "sarif.schema.json").read_text("utf-8"))
JUNIT_SCHEMA = xmlschema.XMLSchema(ROOT / "tests" / "data" / "junit.xsd")

GOOD = {"claims": [{"citations": ["f1"]}], "evidence": ["f1"]}
RULES = "citations: {records: citations}\nclaims: {records: $.claims, class: {path: kind, labels: [a, b]}}\n"
RULES += "policy: {tolerate: {unsupported_claim: 5%}, warn: {orphan_citation: any}}"
JUDGED = {
    "passed": judge(RULES, GOOD),
    "failed": judge(RULES, GOOD, {"claims": [{"kind": "a", "citations": ["f9", []]}, {}], "evidence": ["f1", "f1", 7]}),
    "empty": judge(RULES, {}),
    "unreadable": judge(RULES, GOOD, b"{", b"["),
    "not evaluated": judge(RULES, b"{"),
}
HOSTILE = [*FORGERIES, "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1", "::error::a", " ::set-output name=a::b"]
HOSTILE += [
    "##[error]a",
    "##vso[task.complete]",
    "a%0Ab",
    "a,b:c=d",
    "'a'\"b\"",
    "]]>",
    "<!--",
    "&lt;",
    "\x00\x08\ufffe",
]
every_hostile = pytest.mark.parametrize("name", HOSTILE)


def closed(schema: Any) -> Any:
    """The schema, allowing no key that it does not describe."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: closed(part) for key, part in schema.items()}
    return {"additionalProperties": False, **parts} if isinstance(parts.get("properties"), dict) else parts


def sarif(report: Report) -> dict[str, Any]:
    (run,) = json.loads(FORMATS["sarif"](report))["runs"]
    return dict(run)


# --- schemas ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", JUDGED)
def test_json_is_as_the_published_schema_says(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(REPORT_SCHEMA)

    jsonschema.validate(json.loads(FORMATS["json"](JUDGED[name])), closed(REPORT_SCHEMA))


def test_json_of_everything_that_a_report_may_hold_is_as_the_schema_says() -> None:
    report = replace(REPORTS["let_be"], **{name: getattr(JUDGED["failed"], name) for name in ("citations", "coverage")})
    report = replace(report, locators=REPORTS["failed"].locators, unreadable=REPORTS["failed"].unreadable)

    jsonschema.validate(report.to_dict(), closed(REPORT_SCHEMA))


@pytest.mark.parametrize("report", [*REPORTS.values(), *JUDGED.values()])
def test_sarif_is_as_its_schema_says(report: Report) -> None:
    jsonschema.validate(json.loads(FORMATS["sarif"](report)), SARIF_SCHEMA)


@pytest.mark.parametrize("report", [*REPORTS.values(), *JUDGED.values()])
def test_junit_is_as_its_schema_says(report: Report) -> None:
    shown = FORMATS["junit"](report)
    JUNIT_SCHEMA.validate(shown)

    whole = ET.fromstring(shown)
    for suite in (whole, *whole.iter("testsuite")):
        assert int(suite.attrib["tests"]) == len(list(suite.iter("testcase"))) > 0
        assert int(suite.attrib["failures"]) == len(list(suite.iter("failure")))
        assert int(suite.attrib["errors"]) == len(list(suite.iter("error")))
    broken = int(whole.attrib["failures"]) + int(whole.attrib["errors"])
    assert (broken == 0) is report.passed


def test_every_reason_has_words_and_a_test() -> None:
    assert set(REASONS) <= set(MEANINGS)
    assert {reason for reasons in REASONS_OF.values() for reason in reasons} == set(REASONS)
    assert words("some_new_reason") == "some new reason"


# --- the same in every format -------------------------------------------------------------------------


def places_of(layout: str, report: Report) -> set[tuple[str, str]]:
    """Each place, as ``file:line case 1 claim 2``, with its reason."""
    return {(_plain(where), reason) for where, reason in PLACES[layout](FORMATS[layout](report).replace("<wbr>", ""))}


def _plain(where: str) -> str:
    return re.sub(r"[\s,:]+", " ", where.replace("</code></td><td>", " "))


def _in_json(shown: str) -> Iterator[tuple[str, str]]:
    for known in json.loads(shown)["positions"]:
        yield _spelt(known), known["reason"]


def _in_csv(shown: str) -> Iterator[tuple[str, str]]:
    for row in csv.DictReader(io.StringIO(shown)):
        if row["row"] == "place" and not row["code"]:
            yield _spelt(row), row["name"]


def _in_sarif(shown: str) -> Iterator[tuple[str, str]]:
    for result in json.loads(shown)["runs"][0]["results"]:
        for place in result.get("relatedLocations", ()):
            physical = place["physicalLocation"]
            line = physical.get("region", {}).get("startLine")
            known = {"file": physical["artifactLocation"]["uri"], "line": line, **place["properties"]}
            assert _plain(place["message"]["text"]) in _plain(_spelt(known))
            yield _spelt(known), result["ruleId"]


def _in_junit(shown: str) -> Iterator[tuple[str, str]]:
    for test in ET.fromstring(shown).iter("testcase"):
        for failure in test.iter("failure"):
            for line in (failure.text or "").splitlines()[1:]:
                yield line, test.attrib["name"]


def _matches(pattern: str, shown: str) -> Iterator[tuple[str, str]]:
    return ((found["where"], found["reason"]) for found in re.finditer(pattern, shown, flags=re.MULTILINE))


PLACES: dict[str, Callable[[str], Iterator[tuple[str, str]]]] = {
    "text": partial(_matches, r"^  (?P<where>\S+ +case .*?)  +(?P<reason>\w+)$"),
    "json": _in_json,
    "junit": _in_junit,
    "sarif": _in_sarif,
    "github": partial(_matches, r"^::error [^:]*title=(?P<reason>\w+)::(?P<where>\S+: case .*)$"),
    "csv": _in_csv,
    "html": partial(
        _matches,
        r"<tr><td><code>(?P<where>\S+</code></td><td>case .*?)</td><td><code>(?P<reason>\w+)</code></td></tr>",
    ),
}


def _spelt(known: dict[str, Any]) -> str:
    where = known["file"] + (f":{known['line']}" if known.get("line") else "")
    words = ("case", "claim", "citation", "record")
    return " ".join((where, *(f"{word} {known[word]}" for word in words if known.get(word))))


def test_the_places_agree_in_every_format() -> None:
    report = judge("", *[{"claims": [{"citations": ["f9"]}, {}], "evidence": ["f1"]}] * 2, positions=6)
    report = replace(report, rule_lines={reason: Place("rules.yaml", 3) for reason in report.reasons})
    expected = {(_plain(_spelt(place.to_dict())), place.reason) for place in report.positions}

    assert len(expected) == 6
    for layout in PLACES:
        shown = report if layout != "github" else replace(report, lines=(), reasons=())  # all its errors are places
        assert places_of(layout, shown) == expected, layout


def test_a_markdown_row_has_the_place_too() -> None:
    rows = FORMATS["markdown"](REPORTS["failed"]).splitlines()

    assert "| `notes.jsonl:2` | 2 | 4 | 1 |  | `missing_source_record` |" in rows


def test_a_worklist_has_numbers_and_reasons_only() -> None:
    lines = [json.loads(line) for line in render_worklist(REPORTS["failed"]).splitlines()]

    assert lines[0] == {
        "file": "notes.jsonl",
        "line": 2,
        "case": 2,
        "claim": 4,
        "citation": 1,
        "reason": "missing_source_record",
    }
    assert lines[-1] == {"file": "c.jsonl.gz", "line": 21, "code": "OMR-604", "reason": "unreadable_case"}
    assert len(lines) == 23
    assert render_worklist(REPORTS["passed"]) == ""


# --- SARIF and GitHub ---------------------------------------------------------------------------------


def test_a_sarif_result_is_at_a_line_of_the_rule_file_and_keeps_its_fingerprint() -> None:
    run = sarif(REPORTS["failed"])
    (result,) = [result for result in run["results"] if result["ruleId"] == "missing_source_record"]
    (location,) = result["locations"]

    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "team/rules.yaml"},
        "region": {"startLine": 9},
    }
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "missing_source_record"
    more = replace(REPORTS["failed"], positions=(), lines=REPORTS["failed"].lines[:1])
    again = next(found for found in sarif(more)["results"] if found["ruleId"] == "missing_source_record")
    assert again["partialFingerprints"] == result["partialFingerprints"]
    assert len({str(found["partialFingerprints"]) for found in run["results"]}) == len(run["results"])


def test_sarif_tells_what_warns_and_what_is_waived() -> None:
    warned, waived = sarif(REPORTS["let_be"])["results"]

    assert (warned["ruleId"], warned["level"]) == ("omitted_source_fact", "warning")
    assert waived["suppressions"] == [
        {"kind": "external", "justification": "the export is mended (team-a, until 2027-01-31 (UTC), expires soon)"}
    ]
    assert sarif(REPORTS["passed"])["results"] == []
    assert not sarif(REPORTS["not_evaluated"])["invocations"][0]["executionSuccessful"]


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/rules.yaml", "a%20b/rules.yaml"),
        ("/a/rules.yaml", "file:///a/rules.yaml"),
        ("é:#?.yaml", "%C3%A9%3A%23%3F.yaml"),
        ("\udcff", "%FF"),
    ],
)
def test_a_file_name_becomes_a_uri(file: str, uri: str) -> None:
    report = replace(REPORTS["failed"], rule_lines={"missing_source_record": Place(file, 1)})

    assert f'"uri": "{uri}"' in FORMATS["sarif"](report)


def test_annotations_are_as_many_as_github_shows() -> None:
    position = Position(Place("notes.jsonl", 2), 2, "missing_source_record", claim=4)
    report = replace(REPORTS["failed"], positions=(position,) * 50, positions_left=1000)
    lines = FORMATS["github"](report).splitlines()

    assert sum(line.startswith("::error ") for line in lines) == MOST
    # 4 reasons, 50 positions and 21 unreadable cases are told, of which 10 are shown; 1001 more there are.
    assert lines[-1] == f"::notice title=discharge-notes::and {4 + 50 + 21 - 10 + 1000 + 1} more in the report"


# --- hostile names ------------------------------------------------------------------------------------


@every_hostile
def test_no_name_ends_a_github_command_or_begins_one(name: str) -> None:
    plain, shown = (FORMATS["github"](hostile_names_of(chosen)).splitlines() for chosen in ("plain", name))

    assert len(shown) == len(plain)
    for line, other in zip(shown, plain, strict=True):
        command, properties, _ = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()  # type: ignore[union-attr]
        keys = re.findall(r"(\w+)=[^,]*", properties)
        assert other.startswith(f"::{command} ")
        assert keys == re.findall(r"(\w+)=", other.split("::")[1])
        assert line.isprintable()


@every_hostile
@pytest.mark.parametrize("layout", ["text", "markdown", "csv", "junit", "sarif", "html", "json"])
def test_no_name_is_a_command_in_the_log_of_a_pipeline(name: str, layout: str) -> None:
    for line in FORMATS[layout](hostile_names_of(name)).splitlines():
        assert not line.strip().startswith("::")
        assert layout == "json" or "##[" not in line
        assert layout == "json" or "##vso[" not in line


@every_hostile
def test_no_cell_is_a_formula_and_no_name_begins_a_row(name: str) -> None:
    plain, shown = (
        list(csv.reader(io.StringIO(FORMATS["csv"](hostile_names_of(chosen))))) for chosen in ("plain", name)
    )

    assert [len(row) for row in shown] == [len(row) for row in plain]
    for row in shown:
        for cell in row:
            assert not cell.lstrip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"))
            assert cell.isprintable()


@every_hostile
def test_no_name_marks_up_xml(name: str) -> None:
    plain, shown = (FORMATS["junit"](hostile_names_of(chosen)) for chosen in ("plain", name))
    JUNIT_SCHEMA.validate(shown)

    assert shown.isascii()
    tags = [[element.tag for element in ET.fromstring(text).iter()] for text in (plain, shown)]
    assert tags[0] == tags[1]
    assert shown.count("\n") == plain.count("\n")


@every_hostile
def test_no_name_marks_up_a_page(name: str) -> None:
    plain, shown = (FORMATS["html"](hostile_names_of(chosen)) for chosen in ("plain", name))

    assert shown.isascii()
    assert re.findall(r"<[^>]*", re.sub(r' aria-label="[^"]*"', "", shown)) == re.findall(
        r"<[^>]*", re.sub(r' aria-label="[^"]*"', "", plain)
    )
    assert shown.count('"') == plain.count('"')


@every_hostile
def test_no_name_makes_sarif_invalid(name: str) -> None:
    jsonschema.validate(json.loads(FORMATS["sarif"](hostile_names_of(name))), SARIF_SCHEMA)


def test_an_unreadable_place_is_told_in_every_format() -> None:
    report = replace(REPORTS["failed"], unreadable=(Unreadable(Place("odd.json"), "OMR-612"),))

    for layout in FORMATS:
        assert "odd.json" in FORMATS[layout](report)
