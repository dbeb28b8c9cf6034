"""What is wrong with a rule file though it is well formed: each warning, and what answers it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from openmed_rules.authoring.diagnostics import whole_file
from openmed_rules.authoring.fixing import fix_rule_file
from openmed_rules.authoring.lint import lint
from openmed_rules.cli.boundary import run
from openmed_rules.errors import CODES
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import load_rule_file, load_rule_text
from samples import FAILING, PASSING

UNTESTED = "OMR-851"
TESTS = f"""\
tests:
  - {{name: passes, summary: {json.dumps(PASSING)}, expect: {{passed: true}}}}
  - {{name: fails, summary: {json.dumps(FAILING)}, expect: {{passed: false}}}}
"""


def codes(said: str, tests: str = TESTS) -> list[str]:
    """The codes of the warnings about a rule file that says this."""
    return [problem.code for problem in lint(load_rule_text(whole_file(said + tests)))]


@pytest.mark.parametrize("name", builtin_names())
def test_the_built_in_layouts_are_clean(name: str) -> None:
    assert lint(load_rule_file(name)) == ()


def test_a_good_file_is_clean() -> None:
    assert codes("") == []


BY_CLASS = "claims: {records: $.claims, id: id, class: {path: k, labels: [a]}}\n"
WRONG = {
    "nested ids": ("OMR-833", "evidence: {records: '$.notes[*].facts', id: id}\n"),
    "nested spans": (
        "OMR-833",
        "citations: {records: c, span: &s {start: s, end: e}}\nevidence: {records: '$.n[*].f', span: *s}\n",
    ),
    "nested positions": ("OMR-832", "evidence: {records: '$.notes[*].facts', id: {place: position}}\n"),
    "a list with a prefix": ("OMR-834", "citations: {records: citations, id: [fact, fact.id]}\n"),
    "a list with a double": ("OMR-834", "evidence: {records: [$.facts, $.facts], id: id}\n"),
    "behind a position": ("OMR-834", "evidence: {records: $.facts, id: [{place: position}, id]}\n"),
    "two kinds of one where": (
        "OMR-834",
        "citations: {records: c, kinds: {a: {where: {t: 1}, id: a}, b: {where: {t: 1}, id: b}}}\n",
    ),
    "ignored by what it is not": (
        "OMR-835",
        "citations: {records: c, kinds: {x: {where: {t: {not: fact}}, ignore: true}, fact: {id: fact}}}\n",
    ),
    "ignored by what it lacks": (
        "OMR-835",
        "citations: {records: c, kinds: {x: {where: {t: null}, ignore: true}, fact: {id: fact}}}\n",
    ),
    "a pattern for one number": (
        "OMR-836",
        "reads_text: true\ncitations: {records: {path: text, find_all: '\\[(\\d+)\\]'}}\n",
    ),
    "a pattern for a list": (
        "OMR-836",
        "reads_text: true\ncitations: {records: {path: text, find_all: '\\[([\\d, ]+)\\]', split: ','}}\n",
    ),
    "a capture of nothing": ("OMR-837", "citations: {records: citations, id: {path: fact, capture: '(.*)'}}\n"),
    "a star that is dropped": ("OMR-838", "evidence: {records: '$.facts[*]', id: id}\n"),
    "a gate without a limit": (
        "OMR-841",
        "policy: {tolerate: {invalid_citation: 100%, unsupported_claim: any, no_citations: any}}\n",
    ),
    "a gate without a limit by class": (
        "OMR-841",
        BY_CLASS
        + "policy: {tolerate: {invalid_citation: any, no_citations: any, unsupported_claim: {a: any, default: any}}}\n",
    ),
    "a batch that cannot fail": ("OMR-841", "policy: {failed_cases: 100%}\n"),
    "nothing cited at all": ("OMR-842", "policy: {tolerate: {unsupported_claim: any, no_citations: any}}\n"),
    "an unwanted word of no test": ("OMR-853", "claims: {records: $.claims, id: id, where: {type: {not: heading}}}\n"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str) -> None:
    code, said = WRONG[name]
    assert code in codes(said)
    assert code in CODES


RIGHT = {
    "a document beside the position": "evidence: {records: '$.n[*].f', id: {parts: [note, {place: position}]}}\n",
    "a position among all": "evidence: {records: '$.n[*].f', id: {place: position, among: records}}\n",
    "an enclosing field": "evidence: {records: '$.n[*].f', id: ^.id}\n",
    "joined records": "evidence: {records: '$.n[*].f', id: id, merge: true}\n",
    "a rule for what repeats": (
        "evidence: {records: '$.n[*].f', id: id}\npolicy: {tolerate: {duplicate_source_evidence: any}}\n"
    ),
    "one number of an array": "evidence: {records: '$.n[0].f', id: id}\n",
    "the longer path first": "citations: {records: citations, id: [fact.id, fact]}\n",
    "an ignored word": "citations: {records: c, kinds: {x: {where: {t: x}, ignore: true}, fact: {id: fact}}}\n",
    "a whole pattern": (
        "reads_text: true\ncitations: {records: {path: text, find_all: '\\[([\\d, -]+)\\]', split: ','}}\n"
    ),
    "a pattern of other marks": "reads_text: true\ncitations: {records: {path: text, find_all: '\\((\\d+)\\)'}}\n",
    "stars in the middle": (
        "evidence: {records: '$.facts[*][*]', id: id}\npolicy: {tolerate: {duplicate_source_evidence: 0}}\n"
    ),
    "a limit": "policy: {tolerate: {invalid_citation: 5%, unsupported_claim: any}}\n",
    "a limit for one class": (
        BY_CLASS
        + "policy: {tolerate: {invalid_citation: any, no_citations: any, unsupported_claim: {a: 0, default: any}}}\n"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_meant_is_let_be(name: str) -> None:
    assert codes(RIGHT[name]) == []


# --- what a test answers ----------------------------------------------------------------------


def test_without_tests_nobody_knows() -> None:
    assert codes("", tests="") == [UNTESTED]


def test_one_test_must_expect_a_failure() -> None:
    assert codes("", tests=TESTS.replace("passed: false", "citations: {claim_count: 1}")) == ["OMR-852"]
    assert codes("", tests=TESTS.replace("passed: false", "reasons: [missing_source_record]")) == []


FILTER = "claims: {records: $.claims, id: id, where: {citations: {not: null}}}\n"
UNCITED = json.dumps({**PASSING, "claims": [*PASSING["claims"], {"id": "glue"}]})


@pytest.mark.parametrize(
    ("expect", "answered"),
    [
        ("{passed: true}", False),
        ("{citations: {claim_count: 1}}", True),
        ("{coverage: {summary_fact_count: 1}}", True),
        ("{citations: {claim_count: 2}}", False),
    ],
)
def test_a_filter_on_citations_is_answered_by_a_test_that_counts_claims(expect: str, answered: bool) -> None:
    test = f"  - {{name: glue, summary: {UNCITED}, expect: {expect}}}\n"
    assert codes(FILTER, TESTS + test) == ([] if answered else ["OMR-831"])


def test_a_pattern_is_answered_by_a_test_that_shows_its_marks() -> None:
    said = "reads_text: true\ncitations: {records: {path: text, find_all: '\\[(\\d+)'}}\n"
    test = '  - {name: marks, summary: {claims: [{text: "a [1, 2] b [1-3]"}]}, expect: {passed: false}}\n'
    assert codes(said, TESTS + test) == []


def test_an_unwanted_word_is_answered_by_a_test_that_holds_it() -> None:
    said = "claims: {records: $.claims, id: id, where: {type: {not: [heading, null]}}}\n"
    test = "  - {name: h, summary: {claims: [{type: heading}]}, expect: {passed: false}}\n"
    assert codes(said, TESTS + test) == []
    assert codes(said.replace("heading", "1"), TESTS + test.replace("heading", "true")) == ["OMR-853"]


POSITIONS = "citations: {records: citations, id: fact}\nevidence: {records: $.facts, id: {place: position}}\n"


@pytest.mark.parametrize(("cited", "noticed"), [("[{fact: 1}]", False), ("[{fact: 0}, {fact: 2}]", True)])
def test_a_convention_is_answered_by_a_test_that_cites_the_ends(cited: str, noticed: bool) -> None:
    tests = f"""\
tests:
  - name: ends
    summary: {{claims: [{{citations: {cited}}}], facts: [{{}}, {{}}, {{}}]}}
    expect: {{reasons: [omitted_source_fact], citations: {{invalid_citation_count: 0}}}}
"""
    assert codes(POSITIONS, tests) == ([] if noticed else ["OMR-854"])


# --- the command ------------------------------------------------------------------------------


def validate(folder: Path, text: str, *options: str) -> int:
    (folder / "rules.yaml").write_text(text, encoding="utf-8")
    return run(["validate", str(folder / "rules.yaml"), *options])


def test_warnings_are_told_and_with_strict_they_are_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = whole_file(WRONG["a star that is dropped"][1] + TESTS)

    assert validate(tmp_path, text) == 0
    told = capsys.readouterr().out
    assert "rules.yaml:5:29: OMR-838: warning: an array at the end" in told
    assert "                                ^^^\n    hint: remove it" in told
    assert "rules.yaml: ok (notes, version 1), 1 warning\n" in told

    assert validate(tmp_path, text, "--strict") == 2
    told = capsys.readouterr().out
    assert "OMR-838: an array" in told
    assert ": ok" not in told


BROKEN = """\
# kept
version: 1
name: x   # and this
claims: {records: $.claims[*].parts, where: {type: [a], b: yes, c: 07}}\r
citations: {records: citations[*], id: @.fact}
evidence: {records: "$.facts[*]", merge: yes, id: [*.id, id]}
"""
MENDED = """\
# kept
version: 1
name: x   # and this
claims: {records: '$.claims[*].parts', where: {type: [a], b: 'yes', c: '07'}}\r
citations: {records: 'citations', id: '@.fact'}
evidence: {records: "$.facts", merge: true, id: ['*.id', id]}
"""


def test_what_is_mechanical_is_mended_and_nothing_else_changes(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    for mark in (b"", b"\xef\xbb\xbf"):
        file.write_bytes(mark + BROKEN.encode())
        file.chmod(0o640)

        assert len(fix_rule_file(str(file))) == 9
        assert file.read_bytes() == mark + MENDED.encode()
        assert file.stat().st_mode & 0o777 == 0o640
        assert fix_rule_file(str(file)) == ()
        load_rule_file(file)
        assert [path.name for path in tmp_path.iterdir()] == ["rules.yaml"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "claims: {records: *x}\n",
        "claims:\n  records: $.a | $.b\n",
        "claims: {records: `x`}\n",
    ],
)
def test_what_is_not_mechanical_stays(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(text, encoding="utf-8")

    assert fix_rule_file(str(file)) == ()
    assert file.read_text(encoding="utf-8") == text


def test_a_file_that_is_not_there_is_no_error_of_the_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--fix", str(tmp_path / "none.yaml")]) == 2
    assert "OMR-502" in capsys.readouterr().out


def test_the_fix_tells_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert validate(tmp_path, BROKEN, "--fix") == 0
    told = capsys.readouterr().out
    assert told.count(": mended\n") == 9
    assert "rules.yaml:4:19: mended" in told
    assert "ok (x, version 1)" in told
