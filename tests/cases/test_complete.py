"""Every case of the list of what went wrong in public has a row in one of the tables, and every row a test."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).parent
TABLES = sorted((HERE.parent / "data" / "cases").glob("*.yaml"))
LIST = Path(os.environ.get("OPENMED_RULES_SHARED", HERE.parents[2] / "shared")) / "cases" / "CASES.jsonl"


def rows(table: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load(table.read_text(encoding="utf-8")))


def test_every_case_has_a_row() -> None:
    if not LIST.is_file():
        pytest.skip("the list is not here")
    listed = [json.loads(line)["id"] for line in LIST.read_text(encoding="utf-8").splitlines()]

    assert len(listed) == 109
    assert {row["id"] for table in TABLES for row in rows(table)} == set(listed)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_every_table_is_played(table: Path) -> None:
    """By a test that reads it, row by row; a scene is a test of its own."""
    said = [(row["id"], row["says"]) for row in rows(table)]
    assert len(said) == len(set(said))
    if table.stem != "scenes":
        assert any(table.name in test.read_text(encoding="utf-8") for test in HERE.glob("test_*.py"))


@pytest.mark.parametrize("row", rows(HERE.parent / "data" / "cases" / "scenes.yaml"), ids=lambda row: row["id"])
def test_every_scene_is_played(row: dict[str, Any]) -> None:
    assert row.keys() <= {"id", "says", "test", "reason"}
    file, test = row["test"].split("::")
    body = ast.parse((HERE / file).read_text(encoding="utf-8")).body

    assert test in {part.name for part in body if isinstance(part, ast.FunctionDef)}
