"""Inputs that break, change or bear odd names: what is said of them, and that nothing of it passes."""

from __future__ import annotations

import builtins
import io
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from judged import rule_set
from openmed_rules.cli.boundary import run
from openmed_rules.formats import FORMATS
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.report import Report
from openmed_rules.running.files import find_files
from openmed_rules.running.reading import read_documents
from samples import FAILING, PASSING, RULES

GOOD = json.dumps(PASSING).encode() + b"\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.yaml").write_text(RULES, encoding="utf-8")
    Path("pass.json").write_bytes(GOOD)
    Path("fail.json").write_text(json.dumps(FAILING), encoding="utf-8")
    return tmp_path


def judged(name: str) -> Report:
    return judge_batch(rule_set(RULES), read_documents(find_files([name])))


def codes(report: Report) -> list[str]:
    return [unreadable.code for unreadable in report.unreadable]


# --- a read that fails, and a file that changes meanwhile ---------------------------------------------

MANY = 10_000
"""Lines: several times as many as are read ahead."""


class _Breaking(io.RawIOBase):
    """A file of ``content`` on a disk that fails after it."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        read = self._content.readinto(buffer)
        if not read:
            raise OSError(5, "Input/output error")
        return read


@pytest.mark.parametrize("name", ["pass.json", "pass.jsonl", "pass", "pass.jsonl.gz", "pass.jsonl.zst"])
@pytest.mark.parametrize("after", [0, 1, len(GOOD), len(GOOD) + 1, len(GOOD) * MANY])
def test_a_disk_that_fails_on_the_way(name: str, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (GOOD * MANY)[:after]

    def broken(*_: object, **__: object) -> io.BufferedReader:
        return io.BufferedReader(_Breaking(content))

    monkeypatch.setattr(builtins, "open", broken)
    report = judged(name)
    monkeypatch.undo()

    assert codes(report)[-1] in {"OMR-603", "OMR-604"}
    assert (report.exit_code, report.passed) == (3, False)


def cut(path: Path) -> None:
    """Short, in the middle of a line."""
    os.truncate(path, len(GOOD) * MANY // 2 + 5)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def grown(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(GOOD + GOOD[:10])


def replaced(path: Path) -> None:
    other = path.with_name("other.jsonl")
    other.write_bytes(b"{")
    other.replace(path)


def removed(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(
    ("change", "cases", "unreadable"),
    [
        (cut, range(MANY // 2, MANY // 2 + 1), ["OMR-612"]),
        (emptied, range(1, MANY), ["OMR-612"]),
        (grown, range(MANY + 1, MANY + 2), ["OMR-612"]),
        (replaced, range(MANY, MANY + 1), []),
        (removed, range(MANY, MANY + 1), []),
    ],
)
def test_a_file_that_changes_while_it_is_read(
    folder: Path, change: Callable[[Path], None], cases: range, unreadable: list[str]
) -> None:
    """What was read is judged, what was cut off is unreadable, and another file of its name is not read."""
    path = folder / "many.jsonl"
    path.write_bytes(GOOD * MANY)
    documents = read_documents(find_files([str(path)]))

    def meanwhile() -> Iterator[Any]:
        yield next(documents)
        change(path)
        yield from documents

    report = judge_batch(rule_set(RULES), meanwhile())

    assert report.cases.passed in cases
    assert codes(report) == unreadable
    assert report.exit_code == (3 if unreadable else 0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize(
    ("written", "code"), [(b"", 3), (GOOD[:10], 3), (GOOD, 0), (GOOD * 2 + GOOD[:10], 3), (GOOD + b"\xff", 3)]
)
def test_a_pipe_whose_writer_goes_away(written: bytes, code: int) -> None:
    os.mkfifo("pipe.jsonl")

    def write() -> None:
        with Path("pipe.jsonl").open("wb") as stream:
            stream.write(written)

    writer = threading.Thread(target=write)
    writer.start()
    ended = run(["check", "-r", "rules.yaml", "pipe.jsonl"])
    writer.join()

    assert ended == code


needs_proc = pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="this system has no /proc")


@needs_proc
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check -r rules.yaml /proc/self/mem", 3),
        ("check -r rules.yaml pass.json /proc/self/mem", 3),
        ("check -r /proc/self/mem pass.json", 2),
        ("check -r rules.yaml pass.json --baseline /proc/self/mem", 2),
        ("baseline update -r rules.yaml /proc/self/mem --baseline new.json", 3),
        ("gate --project /proc/self/mem", 2),
        ("validate /proc/self/mem.yaml /proc/self/mem", 2),
        ("explain -r rules.yaml /proc/self/mem", 3),
        ("init /proc/self/mem", 3),
    ],
)
def test_a_file_of_which_nothing_can_be_read(command: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command.split()) == code
    assert "internal error" not in capsys.readouterr().err


# --- names --------------------------------------------------------------------------------------------

NAMES = [
    *("-dash", "--output", "sp ace", "new\nline", "tab\t", "\x1b[31mred", "\u202ehcraes", "naïve→", "%s{x}$HOME`id`"),
    *("*", "[a]", "~", "CON", "a:b", "a\\b", "'", '"', "<b>", "a|b", "#", "&amp;", os.fsdecode(b"odd\xff"), "é" * 120),
]
LONG = ["b" * 256, "b" * 5000, "b/" * 3000]


@pytest.mark.parametrize("name", NAMES)
def test_an_odd_name_is_a_name_like_any_other(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(f"{name}.json").write_text(json.dumps(FAILING), encoding="utf-8")
    Path(f"{name}.yaml").write_text(RULES, encoding="utf-8")

    formats = [f"--format={layout}={name}.{layout}.out" for layout in FORMATS]
    assert run(["check", f"--rules={name}.yaml", *formats, "--", f"{name}.json"]) == 1
    assert all(Path(f"{name}.{layout}.out").stat().st_size > 0 for layout in FORMATS)
    assert run(["baseline", "update", f"--rules={name}.yaml", f"--baseline={name}.base", "--", f"{name}.new"]) == 3
    assert run(["validate", "--", f"{name}.yaml"]) == 0
    assert run(["validate", "--", f"{name}.yml"]) == 2
    told = "".join(capsys.readouterr())
    assert "internal error" not in told
    assert all(letter.isprintable() for letter in told.replace("\n", ""))


@pytest.mark.parametrize("name", LONG, ids=["256", "5000", "deep"])
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check -r rules.yaml {}", 3),
        ("check -r rules.yaml {}*", 3),
        ("check -r {} pass.json", 2),
        ("check -r {}.yaml pass.json", 2),
        ("check -r rules.yaml pass.json --output {}", 3),
        ("check -r rules.yaml pass.json --worklist {}", 3),
        ("check -r rules.yaml pass.json --baseline {}", 2),
        ("baseline update -r rules.yaml pass.json --baseline {}", 3),
        ("gate --project {}", 2),
        ("validate {} {}.yaml", 2),
        ("test {}", 2),
        ("test rules.yaml --junit {}", 3),
        ("show {}", 2),
        ("explain -r rules.yaml {}", 3),
        ("init --no-recognise {}", 3),
        ("init --no-recognise pass.json -o {}", 3),
    ],
)
def test_a_name_that_is_too_long(command: str, code: int, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command.format(name, name).split()) == code
    assert "internal error" not in capsys.readouterr().err


def test_an_output_may_have_the_longest_name_there_is() -> None:
    assert run(["check", "-r", "rules.yaml", "pass.json", "--output", "b" * 255]) == 0
    assert Path("b" * 255).exists()


@pytest.mark.parametrize(
    "arguments", [["check", "-r", "rules.yaml", ""], ["init", ""], ["explain", "-r", "rules.yaml", "pass.json", ""]]
)
def test_an_empty_name_is_no_directory(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """As an unset variable of a shell gives it; it would name the directory at hand."""
    assert run(arguments) == 3
    assert capsys.readouterr().err == "OMR-602: the name of an input is empty\n"


# --- line ends and marks at the beginning -------------------------------------------------------------

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", BOM])
def test_a_rule_file_may_have_any_line_ends(end: bytes, mark: bytes) -> None:
    Path("rules.yaml").write_bytes(mark + RULES.encode().replace(b"\n", end))

    assert [run(["check", "-r", "rules.yaml", name]) for name in ("pass.json", "fail.json")] == [0, 1]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp037"])
def test_a_rule_file_in_another_encoding_is_refused(encoding: str) -> None:
    Path("rules.yaml").write_bytes(RULES.encode(encoding))

    assert run(["check", "-r", "rules.yaml", "pass.json"]) == 2


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\n\r\n", b" \r\n"])
@pytest.mark.parametrize("mark", [b"", BOM])
def test_lines_may_end_as_on_windows(end: bytes, mark: bytes) -> None:
    Path("many.jsonl").write_bytes(mark + GOOD.strip() + end + GOOD.strip() + end)

    assert (judged("many.jsonl").cases.passed, judged("many.jsonl").exit_code) == (2, 0)
