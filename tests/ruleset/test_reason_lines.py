"""Which line of a rule file a result points at."""

from __future__ import annotations

from pathlib import Path

import pytest

from openmed_rules.ruleset.loader import load_rule_file, load_rule_text
from openmed_rules.ruleset.reason_lines import reason_marks
from openmed_rules.ruleset.words import REASONS

RULES = """\
version: 1
name: notes
claims: {records: $.claims}
citations:
  - {records: citations}
evidence: {records: $.facts}
policy:
  tolerate:
    unsupported_claim: 5%
    missing_source_record: any
"""


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("unsupported_claim", 9),
        ("unsupported_summary_fact", 9),
        ("missing_citation", 9),
        ("missing_summary_citation", 9),
        ("missing_source_record", 10),
        ("unavailable_span", 4),
        ("unknown_citation", 4),
        ("no_citations", 4),
        ("no_claims", 3),
        ("omitted_source_fact", 6),
        ("missing_source_evidence", 6),
        ("unreadable_case", 1),
    ],
)
def test_a_reason_is_decided_on_at_a_line(reason: str, line: int) -> None:
    mark = reason_marks(load_rule_text(RULES, "rules.yaml"))[reason]

    assert (mark.file, mark.line) == ("rules.yaml", line)


def test_every_reason_has_a_line() -> None:
    assert set(reason_marks(load_rule_text(RULES))) == set(REASONS)


def test_what_another_file_says_is_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("version: 1\nname: sub\nextends: base.yaml\n", encoding="utf-8")
    marks = reason_marks(load_rule_file(tmp_path / "rules.yaml"))

    assert (Path(marks["no_claims"].file).name, marks["no_claims"].line) == ("base.yaml", 3)
