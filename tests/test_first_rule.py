"""The guide: each of its files is written, each command run, each output compared; ``UPDATE_GOLDEN=1`` renews it."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run

GUIDE = Path(__file__).parents[1] / "docs" / "first-rule.md"
_BLOCK = re.compile(r"^```(?P<kind>\w+) ?(?P<file>[\w.]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def shown(typed: str, capfd: pytest.CaptureFixture[str]) -> str:
    """What a terminal shows of one command: messages, and then the result."""
    program, *arguments = shlex.split(typed)
    assert program == "openmed-rules"
    words, _, target = typed.partition(" > ")
    code = run(shlex.split(words)[1:]) if target else run(arguments)
    out, err = capfd.readouterr()
    if target:
        Path(target).write_text(out, encoding="utf-8")
        out = ""
    text = re.sub(r"sha256 [0-9a-f]+", "sha256 ...", err + out)
    return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}(exit code {code})\n"


def replayed(text: str, capfd: pytest.CaptureFixture[str]) -> str:
    """A console block with what its commands show now."""
    commands = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{shown(command, capfd)}" for command in commands)


def test_the_guide_shows_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    guide = GUIDE.read_text(encoding="utf-8")

    def told(block: re.Match[str]) -> str:
        text = block["text"]
        if block["kind"] == "console":
            text = replayed(text, capfd)
        elif Path(block["file"]).exists():
            text = Path(block["file"]).read_text(encoding="utf-8")
        else:
            Path(block["file"]).write_text(text, encoding="utf-8")
        return f"```{block['kind']}{' ' if block['file'] else ''}{block['file']}\n{text}```"

    now = _BLOCK.sub(told, guide)
    if os.environ.get("UPDATE_GOLDEN"):
        GUIDE.write_text(now, encoding="utf-8")

    assert now == guide


def test_the_guide_says_nothing_that_is_not_tried() -> None:
    guide = GUIDE.read_text(encoding="utf-8")

    assert {block["kind"] for block in _BLOCK.finditer(guide)} == {"json", "yaml", "console"}
