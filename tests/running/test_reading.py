"""Files as documents: what each holds, where, and what is said of those that cannot be read."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from openmed_rules.judging.documents import JsonText, MappedText
from openmed_rules.running import reading
from openmed_rules.running.files import InputFile, find_files
from openmed_rules.running.following import Reading
from openmed_rules.running.reading import read_documents

BOM = b"\xef\xbb\xbf"
SHORT = [("JsonText", 1, b"{}\n")]
LINES = b'{"a": 1}\n{"a": 2}\n'
PRETTY = b'{\n  "a": 1\n}\n'


def read(name: str | os.PathLike[str], input_format: str | None = None) -> list[tuple[int | None, bytes | str]]:
    """Of each document its line, and its content or the code of what is wrong."""
    documents = list(read_documents(find_files([os.fspath(name)], input_format)))
    assert {document.place.file for document in documents} <= {os.fspath(name)}
    return [
        (document.place.line, document.content.strip() if isinstance(document, JsonText) else document.code)
        for document in documents
    ]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", b"{}", [(None, b"{}")]),
        ("a.json", PRETTY, [(None, PRETTY.strip())]),
        ("a.json", BOM + b"{}", [(None, b"{}")]),
        ("a.json", LINES, [(None, LINES.strip())]),
        ("a.json", b"[1]", [(None, b"[1]")]),
        ("a.json", b"\xff\xfe{\x00", [(None, b"\xff\xfe{\x00")]),
        ("a.json", b"", [(None, "OMR-602")]),
        ("a.json", b" \r\n\t\n", [(None, "OMR-602")]),
        ("a.json", BOM, [(None, "OMR-602")]),
        ("a.jsonl", LINES, [(1, b'{"a": 1}'), (2, b'{"a": 2}')]),
        ("a.jsonl", b"{}", [(1, b"{}")]),
        ("a.jsonl", b"{}\r\n\r\n \n[]\r\n", [(1, b"{}"), (4, b"[]")]),
        ("a.jsonl", BOM + b"\n{}\n", [(2, b"{}")]),
        ("a.jsonl", b'{"a": "\xe2\x80\xa8"}\n{}', [(1, b'{"a": "\xe2\x80\xa8"}'), (2, b"{}")]),
        ("a.jsonl", b'{}\n{"a": \n', [(1, b"{}"), (2, b'{"a":')]),
        ("a.jsonl", PRETTY, [(1, b"{"), (2, b'"a": 1'), (3, b"}")]),
        ("a.jsonl", b"\n\n", [(None, "OMR-602")]),
        ("a.ndjson", LINES, [(1, b'{"a": 1}'), (2, b'{"a": 2}')]),
        ("a.txt", LINES, [(1, b'{"a": 1}'), (2, b'{"a": 2}')]),
        ("a.txt", BOM + b"\n" + LINES, [(2, b'{"a": 1}'), (3, b'{"a": 2}')]),
        ("a.txt", b'{"a": NaN}\n{}\n', [(1, b'{"a": NaN}'), (2, b"{}")]),
        ("a.txt", b'{"a": "\xe9"}\n{}\n', [(1, b'{"a": "\xe9"}'), (2, b"{}")]),
        ("a.txt", b"[" * 9_000 + b"]" * 9_000 + b"\n{}\n", [(1, b"[" * 9_000 + b"]" * 9_000), (2, b"{}")]),
        ("a.txt", b"9" * 5_000 + b"\n{}\n", [(1, b"9" * 5_000), (2, b"{}")]),
        ("a.txt", b"{}\n\n", [(None, b"{}")]),
        ("a.txt", PRETTY, [(None, PRETTY.strip())]),
        ("a.txt", b"\n" + PRETTY, [(None, PRETTY.strip())]),
        ("a.txt", b"not JSON\n{}\n", [(None, b"not JSON\n{}")]),
        ("a.txt", b"", [(None, "OMR-602")]),
        ("a", LINES, [(1, b'{"a": 1}'), (2, b'{"a": 2}')]),
    ],
)
def test_a_file_is_divided_by_its_name_and_its_first_line(
    tmp_path: Path, name: str, content: bytes, expected: list[tuple[int | None, bytes | str]]
) -> None:
    (tmp_path / name).write_bytes(content)

    assert read(tmp_path / name) == expected


def test_the_layout_that_is_said_outright_counts(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(LINES)
    (tmp_path / "a.jsonl").write_bytes(PRETTY)

    assert read(tmp_path / "a.json", "jsonl") == [(1, b'{"a": 1}'), (2, b'{"a": 2}')]
    assert read(tmp_path / "a.jsonl", "json") == [(None, PRETTY.strip())]


Change = Callable[[bytes], bytes]
every_packing = pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("zst", zstandard.compress)], ids=["gz", "zst"]
)


@every_packing
@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (lambda packed: packed, ["", ""]),
        (lambda packed: packed + packed, ["", "", "", ""]),
        (lambda _packed: b"", ["OMR-602"]),
        (lambda _packed: LINES, ["OMR-604"]),
        (lambda packed: packed + b"trailing", ["", "", "OMR-604"]),
        (lambda packed: packed + bytes(100), ["", ""]),
    ],
    ids=["whole", "two parts", "empty", "not packed", "trailing bytes", "filled up"],
)
def test_a_packed_file_is_unpacked(tmp_path: Path, suffix: str, pack: Change, change: Change, codes: list[str]) -> None:
    packed = tmp_path / f"a.jsonl.{suffix}"
    packed.write_bytes(change(pack(LINES)))

    assert [content if isinstance(content, str) else "" for _, content in read(packed)] == codes


@every_packing
def test_of_a_packed_file_that_was_cut_short_the_lines_before_the_cut_count(
    tmp_path: Path, suffix: str, pack: Change
) -> None:
    lines = b"".join(b'{"a": "%s"}\n' % os.urandom(400).hex().encode() for _ in range(2000))
    packed = tmp_path / f"a.jsonl.{suffix}"
    packed.write_bytes(pack(lines)[:-2000])

    *documents, (line, problem) = read(packed)

    assert 0 < len(documents) < 2000
    assert [content for _, content in documents] == lines.splitlines()[: len(documents)]
    assert (line, problem) == (len(documents) + 1, "OMR-604")


@pytest.mark.parametrize("suffix", ["json.gz", "json.zst", "gz", "zst"])
def test_a_packed_document_that_was_cut_short_is_unreadable(tmp_path: Path, suffix: str) -> None:
    pack = zstandard.compress if suffix.endswith("zst") else gzip.compress
    (tmp_path / f"a.{suffix}").write_bytes(pack(PRETTY * 100)[:-5])

    assert read(tmp_path / f"a.{suffix}") == [(None, "OMR-604")]


def test_a_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    assert read(tmp_path / "a.json") == [(None, "OMR-601")]
    assert read(tmp_path / "a.json.gz") == [(None, "OMR-601")]
    assert read(tmp_path / "a.json.zst") == [(None, "OMR-601")]


def test_a_file_that_the_system_refuses_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()

    documents = list(read_documents([InputFile(os.fspath(tmp_path / "a.json"), "json")]))

    assert [document.code for document in documents] == ["OMR-603"]


def test_standard_input_is_told_by_its_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for content, expected in [(LINES, [1, 2]), (PRETTY, [None])]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

        assert [line for line, _ in read("-")] == expected


def test_standard_input_that_is_closed_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert read("-") == [(None, "OMR-601")]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system gives open files no names")
def test_a_pipe_is_read_like_a_file() -> None:
    reader, writer = os.pipe()
    os.write(writer, LINES)
    os.close(writer)

    assert [line for line, _ in read(f"/dev/fd/{reader}")] == [1, 2]
    os.close(reader)


def test_files_follow_each_other_whatever_becomes_of_one(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINES)
    (tmp_path / "b.json").write_bytes(b"")
    (tmp_path / "c.json").write_bytes(PRETTY)

    documents = read_documents(find_files([os.fspath(tmp_path)]))

    assert [type(document).__name__ for document in documents] == [
        "JsonText",
        "JsonText",
        "Unreadable",
        "JsonText",
    ]


def test_memory_does_not_grow_with_the_number_of_lines(tmp_path: Path) -> None:
    def peak(lines: int) -> int:
        (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n' * lines)
        tracemalloc.start()
        count = sum(1 for _ in read_documents(find_files([os.fspath(tmp_path / "a.jsonl")])))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == lines
        return most

    assert peak(200_000) < 2 * peak(20_000)


@pytest.fixture
def long_from_four(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is long."""
    monkeypatch.setattr(reading, "LONG", 4)


def contents(path: Path, *, keeps: bool = False) -> list[tuple[str, int | None, bytes]]:
    """Of each document its type, its line and what it holds."""
    return [
        (type(document).__name__, document.place.line, bytes(document.content))
        for document in read_documents(find_files([os.fspath(path)]), Reading(maps=True, keeps=keeps))
        if isinstance(document, JsonText | MappedText)
    ]


@pytest.mark.usefixtures("long_from_four")
@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", b'{"a": 1}', [("MappedText", None, b'{"a": 1}')]),
        ("a.json", BOM + b"[1]", [("MappedText", None, b"[1]")]),
        ("a.json", b"  \n  ", []),
        ("a.json", b"{}", [("JsonText", None, b"{}")]),
        ("a.jsonl", b'{}\n{"a": 1}\n\n[]', [*SHORT, ("MappedText", 2, b'{"a": 1}\n'), ("JsonText", 4, b"[]")]),
        ("a.jsonl", BOM + b"{}\n[]\n", [("MappedText", 1, b"{}\n"), ("JsonText", 2, b"[]\n")]),
        ("a.jsonl", b"{}\n          \n[12]", [*SHORT, ("MappedText", 3, b"[12]")]),
        ("a.txt", b'{"a": 1}', [("MappedText", None, b'{"a": 1}')]),
        ("a.txt", b'{\n"a": 1\n}', [("MappedText", None, b'{\n"a": 1\n}')]),
        ("a.txt", b'{"a": 1}\n{}', [("MappedText", 1, b'{"a": 1}\n'), ("JsonText", 2, b"{}")]),
    ],
)
def test_what_is_long_stays_in_its_file(
    tmp_path: Path, name: str, content: bytes, expected: list[tuple[str, int | None, bytes]]
) -> None:
    (tmp_path / name).write_bytes(content)

    assert contents(tmp_path / name) == expected


@pytest.mark.usefixtures("long_from_four")
def test_what_is_packed_is_held_however_long(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n[12]\n'))

    assert contents(tmp_path / "a.jsonl.gz") == [("JsonText", 1, b'{"a": 1}\n'), ("JsonText", 2, b"[12]\n")]


@pytest.mark.usefixtures("long_from_four")
def test_lines_that_are_kept_stay_in_their_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(BOM + LINES + b"\n[]")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(LINES))

    assert contents(tmp_path / "a.jsonl", keeps=True) == [
        ("MappedText", 1, b'{"a": 1}\n'),
        ("MappedText", 2, b'{"a": 2}\n'),
        ("MappedText", 4, b"[]"),
    ]
    assert [kind for kind, _, _ in contents(tmp_path / "a.jsonl.gz", keeps=True)] == ["JsonText", "JsonText"]
