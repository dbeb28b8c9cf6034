"""What went wrong elsewhere with what a record holds: no way out of a call, a file or a command has any of it."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cerberus
import pytest

from canaries import MARK, Awkward, Proxy, assert_error_is_clean, assert_result_is_clean, marks_in, plain
from openmed_rules import (
    GateError,
    RuleFileError,
    Rules,
    RulesError,
    assert_summary_citation_gate,
    assert_summary_coverage_gate,
    build_summary_citation_report,
    load_rules,
    run_summary_coverage,
)
from openmed_rules.cli.boundary import run
from openmed_rules.formats import FORMATS
from samples import RULES, TWO_INPUTS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "two.yaml").write_text(TWO_INPUTS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def rules(folder: Path) -> Rules:
    return load_rules(folder / "rules.yaml")


# --- errors ---------------------------------------------------------------------------------------

ERRORS: dict[str, Callable[[Rules], object]] = {
    "a gate that failed": lambda rules: rules.assert_gate(plain("unknown")),
    "a gate over a record that fails": lambda rules: rules.assert_gate(Awkward()),
    "a gate over a record that fails inside": lambda rules: rules.assert_gate({**plain(), "claims": [Proxy()]}),
    "inputs that do not go together": lambda rules: rules.check(plain(), evidence=plain()),
    "one record for many": lambda rules: rules.check_many(plain()),
    "evidence that is missing": lambda _: load_rules("two.yaml").check(plain()),
    "the gate of citations": lambda _: assert_summary_citation_gate([plain("unknown")], [{"id": MARK}]),
    "citations of a record that fails": lambda _: build_summary_citation_report([Awkward()], [{"id": MARK}]),
    "evidence that fails": lambda _: build_summary_citation_report([plain()], iter([Proxy()])),
    "a wrapped record": lambda _: build_summary_citation_report({**plain(), "evidence": [MARK]}, [MARK]),
    "the gate of coverage": lambda _: assert_summary_coverage_gate([{"id": MARK}], [plain("unknown")]),
    "coverage of a record that fails": lambda _: run_summary_coverage([{"id": MARK}], [Awkward()]),
    "a text for records": lambda _: run_summary_coverage(5, [MARK]),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", ERRORS)
def test_no_error_keeps_a_secret(call: str, rules: Rules) -> None:
    """Neither in its words nor behind it, nor in what its traceback shows of the frames of this package."""
    with pytest.raises((ValueError, AssertionError, RulesError)) as raised:
        ERRORS[call](rules)

    assert_error_is_clean(raised.value)


def test_a_record_that_fails_is_a_case_that_cannot_be_read(rules: Rules) -> None:
    result = rules.check(Awkward())

    assert [unreadable.code for unreadable in result.report.unreadable] == ["OMR-617"]
    assert_result_is_clean(result)


# --- what a command shows -------------------------------------------------------------------------

BROKEN = {
    "cut short": json.dumps(plain()).encode()[:-4],
    "cut short in a text": f'{{"claims": [{{"text": "{MARK}'.encode(),
    "no JSON": f"{{'{MARK}': '{MARK}'}}".encode(),
    "another encoding": f'{{"claims": "{MARK} é"}}'.encode("latin-1"),
    "half a character": json.dumps({"claims": [{"citations": [{"fact": f"{MARK}\ud83d"}]}]}).encode(),
    "two members": f'{{"{MARK}": 1, "{MARK}": 2}}'.encode(),
    "a number that is none": f'{{"{MARK}": NaN}}'.encode(),
}


@pytest.mark.parametrize("command", ["check -r rules.yaml --strict-json", "explain -r rules.yaml", "init"])
@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.usefixtures("folder")
def test_no_file_is_shown(fault: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("case.json").write_bytes(BROKEN[fault])

    code = run([*command.split(), "case.json"])
    shown = capsys.readouterr()

    assert code == 3 or not command.startswith("check")
    assert "Traceback" not in shown.err
    assert not marks_in(shown.out + shown.err)


@pytest.mark.usefixtures("folder")
def test_no_id_is_named(rules: Rules, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    case = {"claims": [{"id": MARK, "citations": [{"fact": MARK}]}], "facts": [{"id": "e1"}]}
    Path("case.json").write_text(json.dumps(case), encoding="utf-8")

    with caplog.at_level(logging.DEBUG):
        for layout in FORMATS:
            assert run(["check", "-r", "rules.yaml", "-f", layout, "--worklist", "list", "case.json"]) == 1
        assert run(["explain", "-r", "rules.yaml", "case.json"]) == 0
        with pytest.raises(GateError, match="missing_source_record"):
            rules.assert_gate(case)
    shown = capsys.readouterr()

    assert not marks_in(shown.out + shown.err + caplog.text + Path("list").read_text(encoding="utf-8"))


def test_nothing_is_logged(rules: Rules, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        assert rules.check(plain()).passed
        assert not rules.check(plain("unknown")).passed
        assert build_summary_citation_report([{"citations": [MARK]}], [{"id": MARK}]).passed

    assert caplog.records == []


# --- what a rule file shows -----------------------------------------------------------------------

PASTED = {
    "an error of syntax": f"claims:\n  text: {MARK}: x: y\n",
    "a record": f"claims:\n  - id: {MARK}\n    text: {MARK}\nevidence:\n  - id: {MARK}\n",
    "a record by id": f"evidence:\n  {MARK}: {{text: {MARK}}}\n",
    "findings": f"tests:\n  - name: {MARK}\nreports: [{MARK}]\n",
    "JSON": json.dumps(plain()),
    "JSON that was cut short": json.dumps(plain())[:-5],
    "a tag": f"!!{MARK} {MARK}\n",
    "a control character": f"claims: {MARK}\x07\n",
    "an escape that is none": f'claims: "{MARK}\\UFFFFFFFF"\n',
    "prose": f"Seen today: {MARK}: well\n",
}


@pytest.mark.parametrize("pasted", PASTED)
@pytest.mark.parametrize("command", ["check -r pasted.yaml none.json", "validate pasted.yaml", "test pasted.yaml"])
@pytest.mark.usefixtures("folder")
def test_a_record_in_the_place_of_rules_is_not_shown(
    pasted: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pasted.yaml").write_text(PASTED[pasted], encoding="utf-8")

    assert run(command.split()) == 2
    shown = capsys.readouterr()
    assert "pasted.yaml" in shown.out + shown.err
    assert not marks_in(shown.out + shown.err)
    with pytest.raises(RuleFileError) as refused:
        load_rules("pasted.yaml")
    assert_error_is_clean(refused.value)


WRONG_LINES = ["text: seen: x: y", 'text: "\\UFFFFFFFF"', "text: !!seen a", "text: &a", "text: @a", "text:\ta"]


@pytest.mark.parametrize("line", WRONG_LINES)
@pytest.mark.usefixtures("folder")
def test_of_a_rule_file_the_wrong_line_alone_is_shown(line: str) -> None:
    """Nothing behind the error holds the rest: a parser keeps the whole text in its marks."""
    Path("wrong.yaml").write_text(f"version: 1\nname: {MARK}\n{line}\ndescription: {MARK}\n", encoding="utf-8")

    with pytest.raises(RuleFileError) as refused:
        load_rules("wrong.yaml")

    assert line in [problem.source for problem in refused.value.problems]
    assert_error_is_clean(refused.value)


def test_no_schema_is_held_against_a_record(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cerberus.Validator, "validate", None)
    monkeypatch.setattr(cerberus.Validator, "__init__", None)
    case: dict[str, Any] = {
        "claims": [{"mode": MARK, "citations": {MARK: MARK}}],
        "facts": [{MARK: MARK}],
        "mode": MARK,
    }

    result = rules.check(case)

    assert result.verdict == "failed"
    assert_result_is_clean(result)


# --- examples -------------------------------------------------------------------------------------


def test_no_example_asserts_on_a_call_that_takes_a_record() -> None:
    """It would be printed with what the assertion compares, so an example calls what raises by itself."""
    shown = [path for path in (ROOT / "openmed_rules").rglob("*.py") if path.name != "__init__.py"]
    shown += [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]
    asserting = re.compile(
        r"^\s*(?:>>> )?assert [^\n`]*\b(?:check|check_many|compute_\w+|build_\w+|run_summary_\w+)\(", re.MULTILINE
    )

    found = [path.name for path in shown if asserting.search(path.read_text(encoding="utf-8"))]

    assert found == []
    assert asserting.search("    assert rules.check(note).passed")
    assert "assert_gate" in (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
