"""What went wrong elsewhere with gates: what did not happen is no pass, and one verdict decides all that is told."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from judged import judge, numbers
from openmed_rules.cli.boundary import run
from openmed_rules.formats import FORMATS
from openmed_rules.upstream import (
    SummaryCitationError,
    assert_summary_citation_gate,
    assert_summary_coverage_gate,
    build_summary_citation_report,
    build_summary_coverage_report,
)
from openmed_rules.upstream_reports import SummaryCitationMetrics, SummaryCitationReport
from samples import FAILING, PASSING, RULES

DATA = Path(__file__).parents[1] / "data" / "cases"
PROJECT = """\
version: 1
gates:
  - {name: good, rules: rules.yaml, summary: pass.json}
  - {name: bad, rules: rules.yaml, summary: fail.json}
  - {name: gone, rules: rules.yaml, summary: notes/*.json}
"""
CALLS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "citations": (build_summary_citation_report, assert_summary_citation_gate),
    "coverage": (build_summary_coverage_report, assert_summary_coverage_gate),
}


def table(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load((DATA / name).read_text(encoding="utf-8")))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules and inputs, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "rules.yaml": RULES,
        "rows.yaml": RULES + "inputs: {summary: {cases: $}}\n",
        "openmed-rules.yaml": PROJECT,
        "pass.json": json.dumps(PASSING),
        "fail.json": json.dumps(FAILING),
        "cut.json": json.dumps(PASSING)[:-3],
        "empty.json": "",
        "blank.jsonl": "\n \r\n",
        "list.json": "[]",
        "null.json": "null",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize("row", table("runs.yaml"), ids=lambda row: f"{row['id']} {row['says']}")
@pytest.mark.usefixtures("folder")
def test_a_command_ends_as_it_tells(row: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    code = run(shlex.split(row["run"]))
    shown = capsys.readouterr()

    assert code == row["exit"]
    assert row["tells"] in shown.out + shown.err
    if code == 2:
        assert not shown.out


@pytest.mark.parametrize("row", table("drop_in.yaml"), ids=lambda row: f"{row['id']} {row['says']}")
def test_a_call_of_the_drop_in(row: dict[str, Any]) -> None:
    build, gate = CALLS[row["report"]]
    if "refused" in row:
        for call in (build, gate):
            with pytest.raises(SummaryCitationError, match=rf"\A{row['refused']}\Z"):
                call(**row["arguments"])
        return
    report = build(**row["arguments"])
    metrics = report.metrics if row["report"] == "citations" else report.coverage
    assert {name: getattr(metrics, name) for name in row["gives"]} == row["gives"]
    assert report.passed == metrics.passed == ("fails" not in row and row["gives"]["passed"])
    if "fails" in row:
        with pytest.raises(AssertionError) as failed:
            gate(**row["arguments"])
        assert list(failed.value.reasons) == row["fails"]  # type: ignore[attr-defined]


# --- numbers --------------------------------------------------------------------------------------


def claims(supported: int, unsupported: int) -> dict[str, Any]:
    cited = [{"citations": ["e1"]}] * supported + [{"citations": ["e9"]}] * unsupported
    return {"claims": cited, "evidence": ["e1"]}


def test_almost_all_is_not_all() -> None:
    report = judge("", claims(2071, 1))
    told = {name: FORMATS[name](report) for name in ("text", "markdown", "html", "csv", "json")}
    upstream = build_summary_citation_report(claims(2071, 1)["claims"], ["e1"])
    almost = SummaryCitationReport(SummaryCitationMetrics(**{**upstream.metrics.to_dict(), "coverage": 0.99999999}))

    assert report.verdict == "failed"
    for layout in ("text", "markdown", "html"):
        assert "99.9%" in told[layout]
    for text in told.values():
        assert "1.0000" not in text
    assert json.loads(told["json"])["citations"]["coverage"] == 2071 / 2072
    for whole in (upstream, almost):
        assert "| Coverage | 0.999" in whole.to_markdown()


@pytest.mark.parametrize(
    ("supported", "unsupported", "limit", "verdict"),
    [
        (19, 1, "5%", "passed"),
        (18, 2, "5%", "failed"),
        (93, 7, "7%", "passed"),
        (92, 8, "7%", "failed"),
        (71, 29, "29%", "passed"),
        (70, 30, "29%", "failed"),
        (999, 1, "0.1%", "passed"),
        (998, 1, "0.1%", "failed"),
        (43, 7, "14%", "passed"),
        (2071, 1, "0%", "failed"),
        (0, 3, "100%", "passed"),
        (17, 3, "3", "passed"),
        (17, 4, "3", "failed"),
    ],
)
def test_a_limit_that_is_met_is_held(supported: int, unsupported: int, limit: str, verdict: str) -> None:
    rules = f"reports: [citations]\npolicy: {{tolerate: {{unsupported_claim: {limit}, invalid_citation: any}}}}"

    report = judge(rules, claims(supported, unsupported))

    assert numbers(report)["coverage"] == supported / (supported + unsupported)
    assert report.verdict == verdict


# --- outputs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", FORMATS)
@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_report_is_whole_or_the_old_one(
    layout: str, step: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (folder / "report").write_text('{"passed": true}', encoding="utf-8")
    before = sorted(folder.iterdir())
    with monkeypatch.context() as broken:
        broken.setattr(step, fail)
        assert run(["check", "-r", "rules.yaml", "-f", f"{layout}=report", "fail.json"]) == 3
    shown = capsys.readouterr()

    assert (folder / "report").read_text(encoding="utf-8") == '{"passed": true}'
    assert sorted(folder.iterdir()) == before
    assert "OMR-701" in shown.err
    assert "Traceback" not in shown.err
    assert run(["check", "-r", "rules.yaml", "-f", f"{layout}=report", "fail.json"]) == 1
    assert (folder / "report").read_text(encoding="utf-8") != '{"passed": true}'


def ended(*arguments: str, stdout: int = subprocess.PIPE, **setting: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "openmed_rules", *arguments]
    environment = {**os.environ, **setting}
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=environment, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pipes of that kind")
@pytest.mark.parametrize(("name", "code"), [("pass.json", 0), ("fail.json", 1)])
@pytest.mark.usefixtures("folder")
def test_a_reader_that_goes_away_changes_no_code(name: str, code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    outcome = ended("check", "-r", "rules.yaml", name, stdout=writer)
    os.close(writer)

    assert (outcome.returncode, outcome.stderr) == (code, b"")


@pytest.mark.parametrize(("name", "code"), [("pass.json", 0), ("fail.json", 1)])
def test_a_letter_that_cannot_be_shown_changes_no_code(name: str, code: int, folder: Path) -> None:
    (folder / "rules.yaml").write_text(RULES.replace("name: notes", "name: notes → facts"), encoding="utf-8")
    outcome = ended("check", "-r", "rules.yaml", name, PYTHONIOENCODING="cp1252", PYTHONUTF8="0")

    assert (outcome.returncode, outcome.stderr) == (code, b"")
    assert rb"notes \u2192 facts" in outcome.stdout
