"""YAML's own traps have words of their own: what is wrong, and what to write."""

from __future__ import annotations

import pytest

from openmed_rules.ruleset.loader import load_rule_text
from openmed_rules.ruleset.problems import RuleFileError

REST = "\ncitations: {records: c}\nevidence: {records: e}\n"
TRAPS = [
    ("claims: {records: $.a[*].b}", "OMR-101", "a path is cut off by its [", "put a path with [ ] in quotes"),
    ("claims: {records: $['a']}", "OMR-101", "a path is cut off by its [", "put a path with [ ] in quotes"),
    ("claims: {where: {$.a[*].b: x}}", "OMR-101", "a path is cut off by its [", "put a path with [ ] in quotes"),
    *(
        (f"claims: {{records: {said}}}", "OMR-101", f"a value cannot begin with {sign}", f"put it in quotes: '{sign}")
        for sign, said in (("@", "@.a"), ("*", "*.a"), ("%", "%a"), ("`", "`a`"), ("@", "[@]"), ("*", "[*].a"))
    ),
    ("claims:\n  records: *a", "OMR-110", "no anchor &a above", "put a text that begins with * in quotes"),
    ("claims:\n  records: &a", "OMR-110", "an anchor without a value", "begins with & in quotes"),
    ("claims:\n  records: !a b", "OMR-108", "a tag", "begins with ! in quotes"),
    ("claims:\n  records: |a", "OMR-101", "| begins a text of several lines", "in quotes"),
    ("claims:\n  records: > a", "OMR-101", "> begins a text of several lines", "in quotes"),
    ("claims:\n  records: ? a", "OMR-101", "a value cannot begin with ?", "in quotes"),
    ("claims:\n  records: - a", "OMR-101", "a list begins on a line of its own", "below the key, or in [ ]"),
    ("claims:\n  records: 'a'[*]", "OMR-101", "a text goes on after its closing quote", "all of it in quotes"),
    ('claims:\n  records: "a"[*]', "OMR-101", "a text goes on after its closing quote", "all of it in quotes"),
    ("claims:\n  records: 'a", "OMR-101", "a quote that is not closed", "the same quote"),
    ("claims: {records: a", "OMR-101", "{ is not closed", "write }"),
    ("claims: {records: a}}", "OMR-101", "} closes nothing", "remove it"),
    ("claims:\n  records:a", "OMR-203", "a text cannot stand here", "a colon, and a space after it"),
    ("claims:\n  records a", "OMR-203", "a text cannot stand here", "a colon, and a space after it"),
    ("claims: {records:a}", "OMR-201", "records:a is no key", "a colon, and a space after it"),
    ("claims = {records: a}", "OMR-201", "claims = {records is no key", "write `claims: ...`"),
    ("claims:\N{NO-BREAK SPACE}{records: a}", "OMR-201", "is no key of this file", "write plain spaces"),
    (
        "claims:\n  records: \N{LEFT DOUBLE QUOTATION MARK}a\N{RIGHT DOUBLE QUOTATION MARK}",
        "OMR-301",
        "cannot stand in a path",
        "write straight quotes",
    ),
    ("claims:\n\trecords: a", "OMR-101", "a tab", "indent with spaces"),
    ("claims:\n  records: a\n  where: {b: off}", "OMR-114", "some readers of YAML take off for false", "'off'"),
    ("claims:\n  records: a\n  where: {b: 08}", "OMR-114", "take 08 for a number with a leading zero", "'08'"),
    ("claims: {records: a}\nrecords: b", "OMR-201", "records is no key of this file", "indent it"),
]


@pytest.mark.parametrize(("said", "code", "message", "hint"), TRAPS)
def test_a_trap_is_called_by_its_name(said: str, code: str, message: str, hint: str) -> None:
    with pytest.raises(RuleFileError) as refused:
        load_rule_text(f"version: 1\nname: n\n{said}{REST}")

    told = [problem for problem in refused.value.problems if problem.code == code and message in problem.message]
    assert told, refused.value
    assert hint in told[0].hint
    assert told[0].mark.line > 2
