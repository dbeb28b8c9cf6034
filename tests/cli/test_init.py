"""``init``: where the rule file goes, and what the exit code says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run

HEALTHSCRIBE = Path(__file__).parents[2] / "examples" / "healthscribe"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "patient-17.json"
    case = {"claims": [{"cites": [{"fact": "fa"}]}, {"cites": [{"fact": "fb"}]}], "facts": [{"id": "fa"}, {"id": "fb"}]}
    file.write_text(json.dumps(case), encoding="utf-8")
    return file


def test_the_rule_file_is_shown(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", str(notes)]) == 0

    shown = capsys.readouterr()
    assert "\nname: inferred\n" in shown.out
    assert "\n# 2 of 2 citations found their record.\n" in shown.out
    assert "patient" not in shown.out
    assert shown.err == ""


def test_the_rule_file_is_written_and_works_unedited(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = notes.with_name("our notes.yaml")

    assert run(["init", str(notes), "-o", str(rules)]) == 0
    assert "\nname: our-notes\n" in rules.read_text(encoding="utf-8")
    assert run(["validate", str(rules)]) == 0
    assert run(["test", str(rules)]) == 0
    assert run(["check", "-r", str(rules), str(notes)]) == 0
    assert f"{rules} written" in capsys.readouterr().err


def test_a_file_that_exists_is_left_alone(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = notes.read_bytes()

    assert run(["init", str(notes), "-o", str(notes)]) == 2
    assert notes.read_bytes() == before
    assert capsys.readouterr().err.startswith("OMR-633: ")


def test_a_known_layout_is_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    samples = ["init", str(HEALTHSCRIBE / "summary.json"), "--evidence", str(HEALTHSCRIBE / "transcript.json")]

    assert run(samples) == 0
    shown = capsys.readouterr()
    assert "\nextends: healthscribe\n" in shown.out
    assert shown.err == "openmed-rules: this is healthscribe\n"

    assert run([*samples, "--no-recognise"]) == 0
    shown = capsys.readouterr()
    assert "extends" not in shown.out
    assert "id: SegmentId" in shown.out


UNKNOWN = {
    "OMR-634": (['{"text": "synthetic"}'], 3),
    "OMR-631": (['{"text": '], 3),
    "OMR-632": (['{"claims": [{"fact": "fa"}]}', '{"facts": ["fa"]}', '{"facts": ["fb"]}'], 2),
}


@pytest.mark.parametrize("code", UNKNOWN)
def test_what_cannot_be_inferred_is_told(code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts, exit_code = UNKNOWN[code]
    files = []
    for number, text in enumerate(texts):
        file = tmp_path / f"{number}.json"
        file.write_text(text, encoding="utf-8")
        files += [str(file)] if number == 0 else ["--evidence", str(file)]

    assert run(["init", *files]) == exit_code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert code in shown.err


def test_standard_input_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "-", "--evidence", "-"]) == 2
    assert "OMR-624" in capsys.readouterr().err


def test_a_terminal_shows_a_bar(
    notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert run(["init", str(notes)]) == 0
    assert "reading samples" in capsys.readouterr().err


def test_a_long_file_is_sampled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "notes.jsonl"
    lines = (json.dumps({"claims": [{"cites": [f"n{n}a"]}], "facts": [{"id": f"n{n}a"}]}) + "\n" for n in range(5000))
    file.write_text("".join(lines), encoding="utf-8")

    assert run(["init", str(file), "--no-recognise"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("# Inferred from 313 of 5,000 documents.")
