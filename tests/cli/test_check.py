"""``check``: what goes in, what comes out, and with which exit code."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from openmed_rules.cli.boundary import run
from samples import FAILING, PASSING, RULES, TWO_INPUTS, evidence, summary


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules and inputs, which is also where the command runs."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "rules.yaml": RULES,
        "two.yaml": TWO_INPUTS,
        "wrong.yaml": RULES.replace("claims:", "clams:"),
        "pass.json": json.dumps(PASSING),
        "fail.json": json.dumps(FAILING),
        "bad.json": json.dumps(PASSING)[:-3],
        "empty.json": "",
        "mixed.jsonl": f"{json.dumps(PASSING)}\n\n{json.dumps(FAILING)}\n",
        "cut.jsonl": f"{json.dumps(PASSING)}\n{json.dumps(PASSING)[:-3]}\n",
        "twice.json": json.dumps(PASSING)[:-1] + ', "claims": []}',
        "summary.json": json.dumps(summary("f1")),
        "evidence.json": json.dumps(evidence("f1")),
        "evidence.jsonl": f"{json.dumps(evidence('f1'))}\n" * 2,
        "folder/a.json": json.dumps(PASSING),
        "folder/b.jsonl": f"{json.dumps(PASSING)}\n" * 2,
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "nothing").mkdir()
    return tmp_path


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and the published result."""
    code = run(["check", "--format", "json", *arguments])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("-r rules.yaml pass.json", 0),
        ("--rules rules.yaml pass.json", 0),
        ("-r rules.yaml fail.json", 1),
        ("-r rules.yaml pass.json fail.json", 1),
        ("-r rules.yaml mixed.jsonl", 1),
        ("-r rules.yaml --report-only fail.json", 0),
        ("-r rules.yaml bad.json", 3),
        ("-r rules.yaml pass.json bad.json", 3),
        ("-r rules.yaml --report-only pass.json bad.json", 3),
        ("-r rules.yaml fail.json bad.json", 3),
        ("-r rules.yaml cut.jsonl", 3),
        ("-r rules.yaml empty.json", 3),
        ("-r rules.yaml missing.json", 3),
        ("-r rules.yaml pass.json missing.json", 3),
        ("-r rules.yaml folder", 0),
        ("-r rules.yaml folder/*.json", 0),
        ("-r rules.yaml nothing", 3),
        ("-r rules.yaml nothing/*.json", 3),
        ("-r rules.yaml twice.json", 1),
        ("-r rules.yaml --strict-json twice.json", 3),
        ("-r rules.yaml --input-format jsonl pass.json", 0),
        ("-r rules.yaml --input-format json mixed.jsonl", 3),
        ("-r two.yaml summary.json --evidence evidence.json", 0),
        ("-r two.yaml summary.json --evidence missing.json", 3),
        ("-r two.yaml summary.json", 3),
        ("-r two.yaml summary.json --evidence evidence.jsonl", 2),
        ("-r two.yaml summary.json summary.json --evidence evidence.json --evidence evidence.json", 0),
        ("-r rules.yaml pass.json --evidence evidence.json", 2),
        ("-r rules.yaml - -", 2),
        ("-r two.yaml - --evidence -", 2),
        ("-r wrong.yaml pass.json", 2),
        ("-r missing.yaml pass.json", 2),
        ("-r no-such-layout pass.json", 2),
        ("-r rules.yaml", 2),
        ("pass.json", 2),
        ("-r rules.yaml --format yaml pass.json", 2),
        ("-r rules.yaml --positions -1 pass.json", 2),
        ("-r rules.yaml --no-such-option pass.json", 2),
        ("-r rules.yaml --output missing/result.txt pass.json", 3),
        ("-r rules.yaml --output missing/result.txt fail.json", 3),
        ("-r rules.yaml --output nothing pass.json", 3),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_exit_code_tells_how_it_ended(arguments: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", *arguments.split()]) == code

    shown = capsys.readouterr()
    assert bool(shown.out) != bool(shown.err)  # a result, or a message
    assert "Traceback" not in shown.err
    if shown.out:
        assert shown.out.startswith("PASSED") is (code == 0 and "--report-only" not in arguments)


@pytest.mark.usefixtures("folder")
def test_a_message_is_one_line_whatever_is_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "-r", "rules.yaml", "\x1b[32m*\n.json"]) == 3
    assert capsys.readouterr().err == "OMR-602: \\x1b[32m*\\n.json: matches nothing\n"


@pytest.mark.usefixtures("folder")
def test_every_input_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    code, result = check(capsys, "-r", "rules.yaml", "folder", "pass.json", "mixed.jsonl")

    assert code == 1
    assert result["cases"] == {"total": 6, "passed": 5, "failed": 1, "unreadable": 0}
    assert result["positions"][0] == {
        "file": "mixed.jsonl",
        "line": 3,
        "case": 2,
        "claim": 1,
        "citation": 2,
        "reason": "missing_source_record",
    }


@pytest.mark.parametrize(("content", "cases"), [("mixed.jsonl", 2), ("pass.json", 1)])
def test_standard_input_is_judged(
    folder: Path,
    content: str,
    cases: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((folder / content).read_bytes())))

    assert check(capsys, "-r", "rules.yaml", "-")[1]["cases"]["total"] == cases


def test_a_packed_file_that_was_cut_short_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.json.gz").write_bytes(gzip.compress((folder / "pass.json").read_bytes())[:-9])

    assert run(["check", "-r", "rules.yaml", "a.json.gz"]) == 3
    assert "a.json.gz  OMR-604" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ("pass.json", 3, "OMR-642: needs the package pyspark: pip install 'openmed-rules[spark]'"),
        ("summary.json --evidence evidence.json", 2, "OMR-641: Spark reads evidence from a column of the same rows"),
    ],
)
def test_spark_is_asked_for_and_cannot_do_it(
    arguments: str, code: int, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openmed_rules.cli.check.find_spec", lambda _name: None)

    assert run(["check", "-r", "rules.yaml", "--engine", "spark", *arguments.split()]) == code
    assert capsys.readouterr().err.startswith(told)


@pytest.mark.usefixtures("folder")
def test_positions_and_locators_are_told_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    few = check(capsys, "-r", "rules.yaml", "--positions", "0", "fail.json")[1]
    many = check(capsys, "-r", "rules.yaml", "--locators", "fail.json")[1]

    assert few["positions"] == []
    assert "locators" not in few
    assert len(many["positions"]) > 0
    assert many["locators"]["claims.records"] == {"tried": 1, "found": 1}


@pytest.mark.parametrize("layout", ["text", "json", "markdown"])
def test_a_result_goes_to_a_file(folder: Path, layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "-r", "rules.yaml", "--format", layout, "fail.json"]) == 1
    shown = capsys.readouterr().out

    arguments = ["check", "-r", "rules.yaml", "--format", layout, "fail.json", "--output"]
    assert run([*arguments, "result"]) == 1
    told = capsys.readouterr()
    assert run([*arguments, "-"]) == 1

    assert (folder / "result").read_text(encoding="utf-8") == shown
    assert told.out == ""
    assert told.err.startswith("openmed-rules: failed, ")
    assert capsys.readouterr().out == shown


def test_only_what_is_named_is_touched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.rglob("*"))
    for layout in ("text", "json", "markdown"):
        check_code = run(["check", "-r", "rules.yaml", "--format", layout, "mixed.jsonl"])
        assert check_code == 1
    capsys.readouterr()

    assert sorted(folder.rglob("*")) == before


@pytest.mark.usefixtures("folder")
def test_extends_reaches_no_further_than_the_root(capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder/rules.yaml").write_text("version: 1\nname: sub\nextends: ../rules.yaml\n", encoding="utf-8")

    assert run(["check", "-r", "folder/rules.yaml", "--root", ".", "pass.json"]) == 0
    assert run(["check", "-r", "folder/rules.yaml", "--root", "folder", "pass.json"]) == 2
    assert "folder/rules.yaml:3:" in capsys.readouterr().err
