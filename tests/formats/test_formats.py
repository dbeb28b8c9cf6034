"""What people and programs read, held against files that show it; ``UPDATE_GOLDEN=1`` writes them anew."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from openmed_rules import __version__
from openmed_rules.formats import FORMATS
from openmed_rules.formats.wording import percent
from openmed_rules.results.places import Place, Position, Unreadable
from reports import FORGERIES, REPORTS, forged

GOLDEN = Path(__file__).parent / "golden"
SUFFIXES = {
    "text": "txt",
    "json": "json",
    "markdown": "md",
    "junit": "xml",
    "sarif": "sarif",
    "github": "github.txt",
    "csv": "csv",
    "html": "html",
}


def settled(shown: str) -> str:
    """What is shown, without what changes with every version and every change of the style."""
    shown = re.sub(r"(?s)<style>.*?</style>", "<style></style>", re.sub(r"'sha256-[^']+'", "'sha256-'", shown))
    return shown.replace(f'"version": "{__version__}"', '"version": ""')


@pytest.mark.parametrize("layout", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_reads_as_its_file_shows(name: str, layout: str) -> None:
    golden = GOLDEN / f"{name}.{SUFFIXES[layout]}"
    shown = settled(FORMATS[layout](REPORTS[name]))
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
    position = Position(Place("some/folder/with/notes-of-a-ward.jsonl", 123456), 123456, "missing_source_record", 99, 9)
    unreadable = Unreadable(Place("some/folder/with/notes-of-a-ward.jsonl", 123456), "OMR-615")
    report = replace(REPORTS["failed"], positions=(position,) * 5000, unreadable=(unreadable,) * 5000)

    assert len(FORMATS["markdown"](report)) < 65_536
