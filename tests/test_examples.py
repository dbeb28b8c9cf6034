"""Every example does what its folder shows; ``UPDATE_GOLDEN=1`` writes what it shows anew."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from openmed_rules.cli.boundary import run

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/README.md"))
FORMATS = {"text": "expected.txt", "json": "expected.json"}

every_example = pytest.mark.parametrize("folder", EXAMPLES, ids=[folder.name for folder in EXAMPLES])


def command(folder: Path) -> list[str]:
    """The command in the example's README, without the program's name."""
    (line,) = re.findall(r"^`openmed-rules (.*)`$", (folder / "README.md").read_text("utf-8"), flags=re.MULTILINE)
    return shlex.split(line)


@every_example
@pytest.mark.parametrize("layout", FORMATS)
def test_an_example_shows_what_its_folder_says(
    folder: Path, layout: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    code = run([*command(folder), "--format", layout])
    shown = capsys.readouterr().out
    shown = re.sub(r"(sha256\W+)[0-9a-f]{12,64}", r"\1...", shown)  # it changes with every word of the rules
    expected = folder / FORMATS[layout]
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(shown, encoding="utf-8")

    assert shown == expected.read_text(encoding="utf-8")
    assert code == int(
        "passed" not in shown.splitlines()[0].lower() if layout == "text" else '"passed": false' in shown
    )


@every_example
def test_the_rules_of_an_example_pass_their_own_tests(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = folder / "rules.yaml"
    if rules.exists():
        assert run(["test", str(rules)]) == 0, capsys.readouterr()


@every_example
def test_the_readme_of_an_example_is_short(folder: Path) -> None:
    lines = (folder / "README.md").read_text("utf-8").splitlines()

    assert len([line for line in lines if line]) == 3


def test_the_examples_are_there() -> None:
    assert {"healthscribe", "openai-responses", "team-envelope"} <= {folder.name for folder in EXAMPLES}
