"""A gate that fails in somebody's test is told without a word of the record, however pytest is asked to show it."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from canaries import marks_in, write_files
from openmed_rules import pytest_plugin

TESTS = """\
import canaries
import pytest
from openmed_rules import *


def test_gate():
    load_rules("rules.yaml").assert_gate(canaries.planted())


def test_evidence():
    load_rules("two.yaml").check(canaries.planted())


def test_many():
    load_rules("two.yaml").check_many([canaries.planted()], iter([canaries.Proxy()] * 2))


def test_citations():
    assert_summary_citation_gate([canaries.planted()], [canaries.planted()])


def test_coverage():
    assert_summary_coverage_gate(summary_citations=[canaries.planted()], source_facts=[canaries.planted()])


def test_drop_in():
    build_summary_citation_report(canaries.fails_on_its_way(), canaries.planted())


def test_fixture(openmed_gate):
    note = canaries.planted()
    openmed_gate(note)


def test_an_input_for_rules():
    load_rules("notes/good.json")


@pytest.mark.skipif("sys.version_info < (3, 11)")
def test_group():
    try:
        load_rules("rules.yaml").assert_gate(canaries.planted())
    except GateError as error:
        raise ExceptionGroup("several", [error]) from None
"""
PUBLIC = {"pytest_addoption", "openmed_gate", "pytest_runtest_makereport"}
"""What the plugin offers: its option and its fixture are used below, and its hook words what fails."""


def test_everything_that_the_plugin_offers_is_driven() -> None:
    offered = {
        name
        for name, value in vars(pytest_plugin).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name not in {"annotations", "TYPE_CHECKING"}
    }

    assert offered - {"Callable", "Generator"} == PUBLIC


@pytest.mark.parametrize(
    "options",
    [["-l", "--tb=long", "--full-trace", "-vv"], ["--showlocals", "--log-level=DEBUG", "-W", "error", "-rA"]],
    ids=" ".join,
)
def test_pytest_shows_nothing_of_a_record(tmp_path: Path, options: list[str]) -> None:
    write_files(tmp_path)
    (tmp_path / "test_gates.py").write_text(TESTS, encoding="utf-8")
    installed = any(entry.value == "openmed_rules.pytest_plugin" for entry in entry_points(group="pytest11"))
    load = [] if installed else ["-p", "openmed_rules.pytest_plugin"]
    command = [sys.executable, "-X", "dev", "-m", "pytest", "-p", "no:cacheprovider", *load, *options]
    command += ["--junit-xml=junit.xml", "--openmed-rules=rules.yaml"]
    path = os.pathsep.join((str(Path(__file__).parents[1]), *filter(None, sys.path)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONFAULTHANDLER": "1"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    junit = (tmp_path / "junit.xml").read_text(encoding="utf-8")

    assert ("9 failed" if sys.version_info >= (3, 11) else "8 failed, 1 skipped") in ended.stdout
    for shown in (ended.stdout, junit):
        for told in ("the gate failed: ", "OMR-621", "OMR-623", "OMR-510", "citation-consistency gate failed: "):
            assert told in shown
        assert not marks_in(shown)
    assert not marks_in(ended.stderr)
