"""What went wrong elsewhere with names: whatever a name is, every format has the shape that it has with a plain one."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from openmed_rules.cli.boundary import run
from samples import FAILING, RULES

TABLE = Path(__file__).parents[1] / "data" / "cases" / "names.yaml"


class Tags(HTMLParser):
    """The tags of a page, each with the names of its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def rows_of(text: str) -> list[int]:
    """For each line of Markdown the cells that it has: a bar counts unless it is escaped, a tag where it is no code."""
    outside = re.sub(r"`[^`]+`|<code>(?:\w|&#\d+;)*</code>", "", text)
    assert not re.search(r"<(?!/?(?:details|summary)>)|\]\(", outside)
    return [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines()]


def cells_of(text: str) -> list[int]:
    rows = list(csv.reader(io.StringIO(text)))
    assert not [cell for row in rows for cell in row if cell.lstrip().startswith(("=", "+", "-", "@", "\t", "\r"))]
    return [len(row) for row in rows]


def lines_of(text: str) -> list[bool]:
    """The lines, each by whether it is a command of a pipeline; all of them can be printed."""
    assert all(line.isprintable() for line in text.splitlines())
    return [line.lstrip().startswith("::") for line in text.splitlines()]


SHAPES: dict[str, Callable[[str], object]] = {
    "text": lines_of,
    "github": lines_of,
    "markdown": rows_of,
    "csv": cells_of,
    "html": lambda text: Tags(text).found,
    "junit": lambda text: [element.tag for element in ET.fromstring(text).iter()],
    "sarif": lambda text: len(json.loads(text)["runs"][0]["results"]),
    "json": lambda text: sorted(json.loads(text)),
}


@pytest.fixture
def shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], dict[str, object]]:
    """The shape of every format, of a run in which all files have a name, and the rules call themselves something."""

    def shapes(name: str, called: str) -> dict[str, object]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        monkeypatch.chdir(folder)
        rules, case, cut = (f"{name.replace('/', '')}.{suffix}" for suffix in ("yaml", "json", "cut.json"))
        Path(rules).write_text(RULES.replace("name: notes", f"name: {json.dumps(called)}"), encoding="utf-8")
        Path(case).write_text(json.dumps(FAILING), encoding="utf-8")
        Path(cut).write_text("{", encoding="utf-8")
        outputs = [f"--format={layout}=out.{layout}" for layout in SHAPES]

        assert run(["check", "-r", f"./{rules}", *outputs, f"./{case}", f"./{cut}"]) == 3
        return {layout: shape(Path(f"out.{layout}").read_text(encoding="utf-8")) for layout, shape in SHAPES.items()}

    return shapes


@pytest.mark.parametrize(
    "row", yaml.safe_load(TABLE.read_text(encoding="utf-8")), ids=lambda row: f"{row['id']} {row['says']}"
)
def test_no_name_changes_the_shape_of_a_format(
    row: dict[str, Any], shapes: Callable[[str, str], dict[str, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert shapes(row["name"], "plain" if "refused" in row else row["name"]) == shapes("plain", "plain")
    if "refused" in row:
        Path("rules.yaml").write_text(
            RULES.replace("name: notes", f"name: {json.dumps(row['name'])}"), encoding="utf-8"
        )
        assert run(["check", "-r", "rules.yaml", "plain.json"]) == 2
        assert row["refused"] in capsys.readouterr().err
