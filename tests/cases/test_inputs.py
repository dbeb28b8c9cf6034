"""What went wrong elsewhere with files of JSON: an exit code, a code and a place, and nothing of what stands there."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from openmed_rules.cli.boundary import run

TABLE = Path(__file__).parents[1] / "data" / "cases" / "inputs.yaml"
RULES = """\
version: 1
name: notes
claims: {records: $.claims}
citations: {records: citations, id: [id, '@'], span: {start: start, end: end}}
evidence: {records: $.evidence, id: id, span: {start: start, end: end}}
"""


def content_of(row: dict[str, Any]) -> bytes:
    text = str(row["input"]).replace("%s", row.get("filling", "") * row.get("times", 1))
    content = text.encode(row.get("encoding", "utf-8"))
    if "pack" in row:
        content = gzip.compress(content)
    return content[: len(content) - row.get("cut", 0)] + str(row.get("junk", "")).encode()


@pytest.mark.parametrize(
    "row", yaml.safe_load(TABLE.read_text(encoding="utf-8")), ids=lambda row: f"{row['id']} {row['says']}"
)
def test_an_input_is_read_or_told(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = row.get("file", "case.json")
    Path("rules.yaml").write_text(RULES + row.get("rule", ""), encoding="utf-8")
    Path(name).write_bytes(content_of(row))

    code = run(["check", "-f", "json", "-r", "rules.yaml", *row.get("options", []), name])
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    unreadable = [[case["code"], case["line"]] if "line" in case else case["code"] for case in result["unreadable"]]
    passed, total = row.get("cases", (0, 1))

    assert code == row["exit"] == result["exit_code"]
    assert unreadable == row.get("unreadable", [])
    assert result["cases"] == {
        "total": total,
        "passed": passed,
        "failed": total - passed - len(unreadable),
        "unreadable": len(unreadable),
    }
    assert not shown.err
