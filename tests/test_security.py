"""What SECURITY.md promises is shown by tests that there are, and its bounds are those of the package."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from openmed_rules.errors import CODES
from openmed_rules.ruleset import bounds
from samples import FAILING, PASSING, RULES

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
PROMISES = re.findall(r"^- (.*?)(?=^- |^#|\Z)", SECTIONS["What is promised"], re.MULTILINE | re.DOTALL)
SHOWN_BY = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@cache
def functions_of(file: str) -> set[str]:
    body = ast.parse((ROOT / file).read_bytes()).body
    return {part.name for part in body if isinstance(part, ast.FunctionDef)}


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: re.sub(r"\W+", "-", promise[:40]))
def test_a_promise_names_a_test_that_shows_it(promise: str) -> None:
    assert SHOWN_BY.search(promise)


@pytest.mark.parametrize("named", sorted({"::".join(found) for found in SHOWN_BY.findall(PAGE)}))
def test_a_test_that_is_named_exists(named: str) -> None:
    file, test = named.split("::")
    assert test.startswith("test_")
    assert test in functions_of(file)


def test_every_name_of_a_test_is_read() -> None:
    assert PAGE.count("`tests/") == len(SHOWN_BY.findall(PAGE))


def test_the_bounds_are_those_of_the_package() -> None:
    told = {
        name: int(at_most.replace(",", ""))
        for name, at_most in re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", SECTIONS["Bounds"], re.MULTILINE)
    }

    assert told == {name: value for name, value in vars(bounds).items() if name.isupper()}


def test_the_codes_that_are_named_are_known() -> None:
    assert set(re.findall(r"OMR-\d+", PAGE)) <= set(CODES)


def test_the_version_that_is_supported_is_this_one() -> None:
    from openmed_rules import __version__

    (supported,) = re.findall(r"^\| ([\d.]+) \| yes \|$", PAGE, re.MULTILINE)

    assert __version__.startswith(f"{supported}.")


@pytest.mark.parametrize("layout", ["text", "json", "html", "junit"])
def test_a_result_is_the_same_in_every_process(layout: str, tmp_path: Path) -> None:
    """Though Python orders a set of words by other hashes in each."""
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    lines = "\n".join(map(json.dumps, (PASSING, FAILING, {"claims": [{}, 1]}, {})))
    (tmp_path / "cases.jsonl").write_text(lines, encoding="utf-8")
    command = [sys.executable, "-m", "openmed_rules", "check", "-r", "rules.yaml", "cases.jsonl", "-f", layout]

    def told(seed: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert ended.returncode == 1, ended.stderr
        return ended.stdout

    assert told("1") == told("2") != b""
