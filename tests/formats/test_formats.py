"""What people and programs read, held against files that show it; ``UPDATE_GOLDEN=1`` writes them anew."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from openmed_rules.formats import FORMATS
from openmed_rules.formats.wording import percent
from openmed_rules.results.places import Place, Position, Unreadable
from openmed_rules.results.report import CaseTotals, Metrics, ReasonLine, Report, RulesInfo

GOLDEN = Path(__file__).parent / "golden"
SUFFIXES = {"text": "txt", "json": "json", "markdown": "md"}


def citations(*, supported: int, claims: int, fail_closed: bool = False) -> Metrics:
    return {
        "coverage": 0.0 if fail_closed else supported / claims,
        "supported_claim_count": supported,
        "unsupported_claim_count": claims - supported,
        "fail_closed": fail_closed,
    }


def coverage(*, cited: int, facts: int) -> Metrics:
    return {
        "recall": cited / facts,
        "cited_fact_count": cited,
        "omission_count": facts - cited,
        "fail_closed": False,
    }


PASSED = Report(
    rules=RulesInfo("discharge-notes", 1, "4f1c2a9e" * 8),
    reads_text=False,
    verdict="passed",
    reasons=(),
    cases=CaseTotals(total=3, passed=3, failed=0, unreadable=0),
    citations=citations(supported=39, claims=39),
    coverage=coverage(cited=12, facts=12),
    tolerated={},
    joined={"claims": 0, "evidence": 0},
    orphan_citations=0,
)

REPORTS = {
    "passed": PASSED,
    "failed": replace(
        PASSED,
        verdict="failed",
        reasons=("missing_source_record", "unknown_citation", "no_citations", "unreadable_case"),
        cases=CaseTotals(total=24, passed=1, failed=1, unreadable=22),
        citations=citations(supported=2071, claims=2072),
        coverage=coverage(cited=1, facts=12),
        tolerated={"duplicate_citation": 2},
        joined={"claims": 0, "evidence": 3},
        orphan_citations=1,
        lines=(
            ReasonLine("citations", "missing_source_record", 1, 41, "0", failed=True),
            ReasonLine("citations", "duplicate_citation", 2, 41, "5%", failed=False),
            ReasonLine("citations", "invalid_source_evidence", 0, 12, "any", failed=False),
            ReasonLine("coverage", "unknown_citation", 1, 41, "0", failed=True),
            ReasonLine("run", "no_citations", 1, None, "0", failed=True),
        ),
        positions=(
            Position(Place("notes.jsonl", 2), 2, "missing_source_record", claim=4, citation=1),
            Position(Place("b.json"), 1, "invalid_source_evidence", record=7),
        ),
        positions_left=3,
        unreadable=tuple(Unreadable(Place("c.jsonl.gz", line), "OMR-604") for line in range(1, 22)),
        classes={"allergy": {"claim": 0, "unsupported_claim": 0, "fact": 4, "omission": 1}},
        left_out={"claims": 3, "citations": 0},
        locators={"claims.records": {"tried": 3, "found": 41}, "evidence.id[1]": {"tried": 3, "found": 0}},
    ),
    "reads_text": replace(PASSED, reads_text=True, coverage=None),
    "fails_closed": replace(
        PASSED,
        verdict="failed",
        reasons=("missing_source_evidence",),
        cases=CaseTotals(total=1, passed=0, failed=1, unreadable=0),
        citations=citations(supported=0, claims=3, fail_closed=True),
        coverage=None,
        lines=(ReasonLine("citations", "missing_source_evidence", 1, 1, "0", failed=True),),
    ),
    "not_evaluated": replace(
        PASSED,
        verdict="not_evaluated",
        reasons=("unreadable_case",),
        cases=CaseTotals(total=1, passed=0, failed=0, unreadable=1),
        citations=None,
        coverage=None,
        unreadable=(Unreadable(Place("a.json"), "OMR-602"),),
    ),
}


@pytest.mark.parametrize("layout", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_reads_as_its_file_shows(name: str, layout: str) -> None:
    golden = GOLDEN / f"{name}.{SUFFIXES[layout]}"
    shown = FORMATS[layout](REPORTS[name])
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(shown, encoding="utf-8")

    assert shown == golden.read_text(encoding="utf-8")


def test_json_is_the_published_report() -> None:
    assert json.loads(FORMATS["json"](REPORTS["failed"])) == REPORTS["failed"].to_dict()


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (0.0, "0%"),
        (1.0, "100%"),
        (1 / 3, "33.3%"),
        (0.95, "95.0%"),
        (2071 / 2072, "99.9%"),
        (1 / 1_000_000, "0.1%"),
        (0.99999999, "99.9%"),
    ],
)
def test_rounding_never_makes_all_or_nothing(ratio: float, shown: str) -> None:
    assert percent(ratio) == shown


FORGERIES = [
    "a|b",
    "a\n| verdict | passed |",
    "`a`",
    "``",
    "a` | `b",
    "<img src=x onerror=alert(1)>",
    "</summary></details>",
    "**passed**",
    "\\",
    "a\\",
    " a ",
    "\x1b[32mpassed\x1b[0m",
    "\u202edessap",
    "a\u2028b",
    "\udcff",
    "@everyone #1 [x](y)",
]


def forged(name: str) -> Report:
    return replace(
        REPORTS["failed"],
        rules=RulesInfo(name, 1, "0" * 64),
        positions=(Position(Place(name, 2), 2, "missing_source_record"),),
        unreadable=(Unreadable(Place(name), "OMR-604"),),
        classes={name: {"claim": 1}},
        left_out={name: 1},
        locators={name: {"tried": 1, "found": 0}},
    )


def cells(row: str) -> int:
    """How many cells a row has for those who render it: a bar counts unless it is escaped."""
    return len(re.findall(r"(?<!\\)\|", row)) - 1


@pytest.mark.parametrize("name", FORGERIES)
def test_no_name_forges_a_row_or_marks_up_a_comment(name: str) -> None:
    plain = FORMATS["markdown"](forged("plain"))
    shown = FORMATS["markdown"](forged(name))

    assert shown.count("\n") == plain.count("\n")
    assert [cells(row) for row in shown.splitlines()] == [cells(row) for row in plain.splitlines()]
    code = re.compile(r"`[^`]+`|<code>(?:\w|&#\d+;)*</code>")
    assert code.sub("", shown) == code.sub("", plain)


@pytest.mark.parametrize("name", FORGERIES)
def test_no_name_speaks_to_a_terminal_or_begins_a_line(name: str) -> None:
    shown = FORMATS["text"](forged(name))

    assert len(shown.splitlines()) == len(FORMATS["text"](forged("plain")).splitlines())
    assert all(line.isprintable() for line in shown.splitlines())


def test_a_comment_stays_short_enough_to_be_posted() -> None:
    position = Position(
        Place("some/folder/with/notes-of-a-ward.jsonl", 123456), 123456, "missing_source_record", 99, 9
    )
    unreadable = Unreadable(Place("some/folder/with/notes-of-a-ward.jsonl", 123456), "OMR-615")
    report = replace(REPORTS["failed"], positions=(position,) * 5000, unreadable=(unreadable,) * 5000)

    assert len(FORMATS["markdown"](report)) < 65_536
