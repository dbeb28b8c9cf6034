"""What may not be read, entered or written: its exit code and one line, from every command; root must not run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from openmed_rules.ruleset.files import builtin_directory
from samples import PASSING, RULES

pytestmark = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can run a command as somebody who may do less"
)

CHECK = "check -r rules.yaml"
BASELINE = "baseline update -r rules.yaml pass.json --baseline"
UNWRITTEN = "OMR-701: {} cannot be written: Permission denied"
UNREAD = "{} OMR-503: that file cannot be read: PermissionError"

# A command; the folder it starts in; its code; how what it says begins, on either stream.
ROWS = [
    (f"{CHECK} secret.json", ".", 3, "NOT EVALUATED"),
    (f"{CHECK} pass.json secret.json", ".", 3, "FAILED"),
    (f"{CHECK} closed", ".", 3, "OMR-603: closed: the directory cannot be read"),
    (f"{CHECK} closed/pass.json", ".", 3, "NOT EVALUATED"),
    (f"{CHECK} closed/*.json", ".", 3, "OMR-602: closed/*.json: matches nothing"),
    (f"{CHECK} shut/pass.json", ".", 3, "NOT EVALUATED"),
    ("check -r secret.yaml pass.json", ".", 2, UNREAD.format("secret.yaml:")),
    ("check -r closed/rules.yaml pass.json", ".", 2, UNREAD.format("closed/rules.yaml:")),
    (f"{CHECK} pass.json --baseline secret.json", ".", 2, UNREAD.format("secret.json:")),
    (f"{CHECK} pass.json --baseline closed/base.json", ".", 2, UNREAD.format("closed/base.json:")),
    (f"{CHECK} pass.json --output new.txt", ".", 3, UNWRITTEN.format("new.txt:")),
    (f"{CHECK} pass.json --output closed/new.txt", ".", 3, UNWRITTEN.format("closed/new.txt:")),
    (f"{CHECK} pass.json --output old.txt", ".", 3, UNWRITTEN.format("old.txt:")),
    (f"{CHECK} pass.json -f json=new.json -f text=/dev/null", ".", 3, UNWRITTEN.format("new.json:")),
    (f"{CHECK} pass.json --worklist new.jsonl", ".", 3, "PASSED"),
    (f"{BASELINE} new.json", ".", 3, UNWRITTEN.format("new.json:")),
    (f"{BASELINE} closed/new.json", ".", 3, UNWRITTEN.format("closed/new.json:")),
    (f"{BASELINE} secret.json", ".", 2, UNREAD.format("secret.json:")),
    ("init --no-recognise pass.json -o new.yaml", ".", 3, UNWRITTEN.format("new.yaml:")),
    ("init --no-recognise pass.json -o closed/new.yaml", ".", 3, UNWRITTEN.format("closed/new.yaml:")),
    ("init --no-recognise secret.json", ".", 3, "OMR-631:"),
    ("init --no-recognise closed", ".", 3, "OMR-603:"),
    ("explain -r rules.yaml secret.json", ".", 3, "not evaluated"),
    ("validate secret.yaml", ".", 2, UNREAD.format("secret.yaml:")),
    ("validate --fix mended.yaml", ".", 3, UNWRITTEN.format("mended.yaml:")),
    ("test closed/rules.yaml", ".", 2, UNREAD.format("closed/rules.yaml:")),
    ("test rules.yaml --junit new.xml", ".", 3, "rules.yaml: 0 of 0 tests passed"),
    ("show secret.yaml", ".", 2, "OMR-503: that file cannot be read: PermissionError"),
    ("gate --project closed/openmed-rules.yaml", ".", 2, UNREAD.format("closed/openmed-rules.yaml:")),
    ("gate", "closed", 2, "OMR-802:"),
    ("show openmed", "closed", 0, "#"),
    ("check -r rules.yaml pass.json", "closed", 2, UNREAD.format("rules.yaml:")),
    ("check -r openmed /dev/null", "closed", 3, "NOT EVALUATED"),
]

# Here the package may be that of the checkout, and in a command the one that is installed.
_STANDS_IN = (builtin_directory(), Path(sys.prefix))
IS_INSTALLED_FOR_ALL = all(folder.stat().st_mode & 1 for place in _STANDS_IN for folder in (place, *place.parents))


@pytest.fixture(scope="module")
def outcomes() -> Iterator[dict[tuple[str, str], tuple[int, str, str]]]:
    """How each command ended. The folder is not pytest's own, which nobody else may enter."""
    folder = Path(tempfile.mkdtemp())
    try:
        arrange(folder)
        rows = "".join(f"{json.dumps([place, *command.split()])}\n" for command, place, _, _ in ROWS)
        script = [sys.executable, str(Path(__file__).with_name("as_nobody.py"))]
        before = content(folder)
        same = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # the package that is tested
        ended = subprocess.run(script, input=rows, cwd=folder, env=same, capture_output=True, text=True, check=True)
        assert content(folder) == before
        yield {row[:2]: json.loads(line) for row, line in zip(ROWS, ended.stdout.splitlines(), strict=True)}
    finally:
        shutil.rmtree(folder)


def arrange(folder: Path) -> None:
    for name in ("closed", "shut"):
        (folder / name).mkdir()
    for place in (folder, folder / "closed", folder / "shut"):
        (place / "rules.yaml").write_text(RULES, encoding="utf-8")
        (place / "pass.json").write_text(json.dumps(PASSING), encoding="utf-8")
    shutil.copy(folder / "pass.json", folder / "secret.json")
    shutil.copy(folder / "rules.yaml", folder / "secret.yaml")
    (folder / "mended.yaml").write_text(RULES.replace("$.claims", "$.claims[*]"), encoding="utf-8")
    (folder / "old.txt").write_text("old", encoding="utf-8")
    for name, mode in {".": 0o755, "closed": 0, "shut": 0o644, "secret.json": 0, "secret.yaml": 0}.items():
        (folder / name).chmod(mode)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} in {row[1]}")
def test_what_may_not_be_done(
    row: tuple[str, str, int, str], outcomes: dict[tuple[str, str], tuple[int, str, str]]
) -> None:
    command, place, code, begins = row
    if "openmed" in command.split() and not IS_INSTALLED_FOR_ALL:
        pytest.skip("the built-in layouts stand where nobody else may look")
    ended, shown, told = outcomes[command, place]

    assert ended == code
    assert (shown + told).startswith(begins)
    assert "Traceback" not in told
