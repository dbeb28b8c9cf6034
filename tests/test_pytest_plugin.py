"""The plugin for pytest, as its users run it: in a process of its own, and without a word of a record."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from samples import RULES, TWO_INPUTS

CANARY = "CANARY"
TESTS = """\
def planted(fact="CANARY-unknown"):
    return {"claims": [{"id": "CANARY", "text": "CANARY", "citations": [{"fact": fact}]}],
            "facts": [{"id": "CANARY-known", "value": "CANARY"}]}


def test_fails(openmed_gate):
    summary = planted()
    openmed_gate(summary)


def test_fails_in_an_assertion(openmed_gate):
    note = planted()
    assert openmed_gate(note)


def test_fails_further_down(openmed_gate):
    def judge(record):
        return openmed_gate(record)

    judge(planted())


def test_passes(openmed_gate):
    assert openmed_gate(planted("CANARY-known")).passed
"""


def ended(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A run of pytest over the tests in ``folder``; where the package is installed, it finds the plugin itself."""
    installed = any(entry.value == "openmed_rules.pytest_plugin" for entry in entry_points(group="pytest11"))
    load = [] if installed else ["-p", "openmed_rules.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *load, *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "two.yaml").write_text(TWO_INPUTS, encoding="utf-8")
    (tmp_path / "wrong.yaml").write_text(RULES.replace("claims:", "clams:"), encoding="utf-8")
    (tmp_path / "test_notes.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-l"],
        ["--showlocals", "--tb=long"],
        ["-l", "--full-trace", "-vv"],
        ["--tb=native"],
        ["--tb=short", "-l"],
        ["--assert=plain", "-l"],
        ["-n", "2", "-l"],
    ],
    ids=" ".join,
)
def test_a_gate_that_fails_is_told_without_a_word_of_the_record(folder: Path, options: list[str]) -> None:
    outcome = ended(folder, "--openmed-rules", "rules.yaml", "--junit-xml=junit.xml", *options)
    junit = (folder / "junit.xml").read_text(encoding="utf-8")

    assert outcome.returncode == 1
    assert "3 failed, 1 passed" in outcome.stdout
    for line, text in ((8, outcome.stdout), (13, outcome.stdout), (18, outcome.stdout), (8, junit)):
        assert f"test_notes.py:{line}: GateError: the gate failed: " in text
    assert "missing_source_record" in junit
    assert CANARY not in outcome.stdout + outcome.stderr + junit


def test_an_input_that_is_missing_is_told_likewise(folder: Path) -> None:
    outcome = ended(folder, "--openmed-rules", "two.yaml", "-l", "-k", "test_fails_further_down")

    assert "InputError: OMR-621: " in outcome.stdout
    assert CANARY not in outcome.stdout


def test_a_built_in_layout_is_a_rule_file_too(folder: Path) -> None:
    outcome = ended(folder, "--openmed-rules", "openmed-citations", "-k", "test_fails_further_down", "-l")

    assert "1 failed" in outcome.stdout
    assert CANARY not in outcome.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "openmed_gate needs the option --openmed-rules RULES"),
        (["--openmed-rules", "wrong.yaml"], "wrong.yaml:3:1: OMR-201: "),
        (["--openmed-rules", "missing.yaml"], "missing.yaml: OMR-502: "),
    ],
    ids=["no option", "a wrong file", "a missing file"],
)
def test_rules_that_cannot_be_used_are_told(folder: Path, options: list[str], message: str) -> None:
    outcome = ended(folder, *options)

    assert "4 errors" in outcome.stdout
    assert message in outcome.stdout
    assert "Traceback" not in outcome.stdout


def test_other_tests_are_shown_as_ever(folder: Path) -> None:
    (folder / "test_notes.py").write_text("def test_other():\n    value = 1\n    assert value == 2\n", encoding="utf-8")
    outcome = ended(folder, "-l")

    assert "assert 1 == 2" in outcome.stdout
    assert "value      = 1" in outcome.stdout
