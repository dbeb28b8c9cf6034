"""What stands in the repository for pipelines, run as they run it: the hooks, the action, the recipes."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from openmed_rules.cli.boundary import run
from samples import FAILING, PASSING, RULES, TWO_INPUTS, evidence, summary

ROOT = Path(__file__).parents[1]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
TESTED = """\
tests:
  - {name: good, summary: {claims: [{id: c, citations: [{fact: f}]}], facts: [{id: f}]}, expect: {passed: true}}
  - {name: bad, summary: {claims: [{id: c, citations: [{fact: g}]}], facts: [{id: f}]}, expect: {passed: false}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules and inputs, in which ``openmed-rules`` is a command."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "rules.yaml": RULES + TESTED,
        "two.yaml": TWO_INPUTS,
        "wrong.yaml": RULES.replace("claims:", "clams:"),
        "failing.yaml": RULES + TESTED.replace("passed: true", "passed: false"),
        "pass.json": json.dumps(PASSING),
        "fail it.json": json.dumps(FAILING),
        "summary.json": json.dumps(summary("f1")),
        "evidence.json": json.dumps(evidence("f1")),
        "bin/openmed-rules": f'#!/bin/sh\nexec "{sys.executable}" -m openmed_rules "$@"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bin" / "openmed-rules").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    return tmp_path


# --- pre-commit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hook", "files", "code"),
    [
        ("openmed-rules-validate", ["rules.yaml", "two.yaml"], 0),
        ("openmed-rules-validate", ["rules.yaml", "wrong.yaml"], 2),
        ("openmed-rules-test", ["rules.yaml"], 0),
        ("openmed-rules-test", ["rules.yaml", "failing.yaml"], 1),
        ("openmed-rules-test", ["two.yaml"], 2),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_hook_runs_over_the_files_that_it_is_given(hook: str, files: list[str], code: int) -> None:
    (entry,) = [found["entry"] for found in HOOKS if found["id"] == hook]

    assert subprocess.run([*shlex.split(entry), *files], capture_output=True, check=False).returncode == code


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("rules.yaml", True),
        ("gate/rules.yml", True),
        ("gate/discharge.rules.yaml", True),
        ("team-rules.yaml", True),
        ("openmed-rules.yaml", False),
        ("gate/openmed-rules.yml", False),
        ("rules/readme.yaml", False),
        ("overrules.yaml", False),
        ("rules.yaml.orig", False),
    ],
)
def test_a_hook_takes_rule_files_and_no_others(name: str, *, taken: bool) -> None:
    for hook in HOOKS:
        is_taken = re.search(hook["files"], name) is not None and re.search(hook["exclude"], name) is None
        assert is_taken is taken


# --- the action ---------------------------------------------------------------------------------------


def gate(folder: Path, **inputs: str) -> tuple[int, str, dict[str, str], str]:
    """The exit code of the action's script, its log, its outputs, and the summary of the step."""
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "gate"]
    given = {name: value["default"] for name, value in ACTION["inputs"].items() if "default" in value} | inputs
    names = {name: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", said) for name, said in step["env"].items()}
    environment = {name: given[found[1]] for name, found in names.items() if found}
    assert len(environment) == len(step["env"])
    (folder / "outputs").write_text("")
    (folder / "summary.md").write_text("")
    runner = {
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(folder / "outputs"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "RUNNER_TEMP": str(folder),
    }
    ended = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **environment, **runner},
        capture_output=True,
        text=True,
        check=False,
    )
    outputs = dict(line.split("=", 1) for line in (folder / "outputs").read_text().splitlines())
    return ended.returncode, ended.stdout + ended.stderr, outputs, (folder / "summary.md").read_text()


def test_the_action_lets_a_good_run_through(folder: Path) -> None:
    code, log, outputs, told = gate(folder, rules="rules.yaml", summaries="pass.json")

    assert code == 0
    assert log.startswith("PASSED  notes")
    assert "::notice title=notes::passed" in log
    assert outputs == {"verdict": "passed", "sarif": "openmed-rules.sarif"}
    assert told.startswith("### `notes`: passed\n")
    assert json.loads((folder / "openmed-rules.sarif").read_text())["version"] == "2.1.0"


def test_the_action_stops_at_a_bad_one_and_says_why(folder: Path) -> None:
    inputs = {"summaries": " pass.json\n\n  fail it.json \n", "options": "--worklist\nwork list.jsonl\n", "sarif": ""}
    code, log, outputs, told = gate(folder, rules="rules.yaml", **inputs)

    assert code == 1
    assert "::error file=rules.yaml,line=4,title=missing_source_record::" in log
    assert "::error file=fail it.json,title=missing_source_record::" in log
    assert outputs == {"verdict": "failed"}
    assert "| `fail it.json` | 1 | 1 | 2 |  | `missing_source_record` |" in told
    assert (folder / "work list.jsonl").exists()
    assert not list(folder.glob("*.sarif"))


def test_the_action_takes_evidence(folder: Path) -> None:
    assert gate(folder, rules="two.yaml", summaries="summary.json", evidence="evidence.json")[0] == 0


@pytest.mark.parametrize(("rules", "summaries", "code"), [("wrong.yaml", "pass.json", 2), ("two.yaml", "pass.json", 3)])
def test_the_action_says_nothing_of_what_did_not_run(folder: Path, rules: str, summaries: str, code: int) -> None:
    (folder / "openmed-rules.sarif").write_text("of another run")
    ended, log, outputs, told = gate(folder, rules=rules, summaries=summaries)

    assert ended == code
    assert "OMR-" in log
    assert (outputs, told) == ({}, "")


@pytest.mark.usefixtures("folder")
def test_a_name_is_a_name_and_no_command_of_the_shell() -> None:
    folder = Path.cwd()
    code, _, _, _ = gate(folder, rules="rules.yaml", summaries="$(touch broken)\n`touch broken`\n; touch broken")

    assert code == 3
    assert not (folder / "broken").exists()


def test_the_action_puts_no_input_into_a_script() -> None:
    assert not any("${{" in step.get("run", "") for step in ACTION["runs"]["steps"])


# --- the page -----------------------------------------------------------------------------------------


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)


def test_every_command_of_the_page_can_be_typed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "step.md"))
    (folder / "summaries.jsonl").write_text(json.dumps(PASSING))
    (folder / "out").mkdir()
    (folder / "out" / "summaries.jsonl").write_text(json.dumps(PASSING))
    commands = re.findall(r"(?m)(?<![`\w])openmed-rules (check .*?)(?:'|$)", PAGE)

    assert len(commands) == 4
    for command in commands:
        assert run(shlex.split(os.path.expandvars(command))) == 0, command
    assert (folder / "report.xml").exists()
    assert (folder / "step.md").exists()


def test_the_recipes_are_yaml_and_name_what_there_is() -> None:
    action, gitlab, hooks = (yaml.safe_load(block) for block in blocks("yaml"))
    (step,) = [step for step in action["jobs"]["gate"]["steps"] if "openmed-rules" in step["uses"]]
    names: set[Any] = {hook["id"] for hook in hooks["repos"][0]["hooks"]}

    assert set(step["with"]) <= set(ACTION["inputs"])
    assert {name for name, said in ACTION["inputs"].items() if said.get("required")} <= set(step["with"])
    assert gitlab["gate"]["artifacts"]["reports"] == {"junit": "report.xml"}
    assert names == {hook["id"] for hook in HOOKS}
