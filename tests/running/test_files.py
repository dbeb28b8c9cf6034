"""Which files the words of a command line name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openmed_rules.errors import InputError, UsageError
from openmed_rules.running.files import InputFile, find_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "notes/b.json",
        "notes/a.jsonl",
        "notes/.hidden.json",
        "notes/deeper/c.json",
        "other/d.json",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "odd[1].json").write_text("{}")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["notes/b.json"], ["notes/b.json"]),
        (["-"], ["-"]),
        (["missing.json"], ["missing.json"]),
        (["notes"], ["notes/a.jsonl", "notes/b.json"]),
        (["notes/"], ["notes/a.jsonl", "notes/b.json"]),
        (["notes/*.json*"], ["notes/a.jsonl", "notes/b.json"]),
        (["*/[bd].json"], ["notes/b.json", "other/d.json"]),
        (["other", "notes/a.jsonl"], ["other/d.json", "notes/a.jsonl"]),
        (["odd[1].json"], ["odd[1].json"]),
        (["oth?r"], ["other/d.json"]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_words_name_files(words: list[str], names: list[str]) -> None:
    assert [file.name for file in find_files(words)] == names


@pytest.mark.parametrize("word", ["nothing", "notes/*.csv", "missing/*"])
@pytest.mark.usefixtures("folder")
def test_a_word_that_names_nothing_is_an_error(word: str) -> None:
    with pytest.raises(InputError, match=r"^OMR-602: "):
        find_files(["notes", word])


@pytest.mark.parametrize(
    ("name", "layout", "packing"),
    [
        ("a.json", "json", None),
        ("a.JSON", "json", None),
        ("a.jsonl", "jsonl", None),
        ("a.ndjson", "jsonl", None),
        ("a.json.gz", "json", "gz"),
        ("a.jsonl.zst", "jsonl", "zst"),
        ("a.gz", None, "gz"),
        ("a.txt", None, None),
        ("a", None, None),
        ("-", None, None),
        (".json", None, None),
    ],
)
def test_a_name_tells_the_layout(name: str, layout: str | None, packing: str | None) -> None:
    assert find_files([name]) == (InputFile(name, layout, packing),)


def test_the_layout_may_be_said_outright() -> None:
    assert find_files(["a.json", "b.txt.gz"], "jsonl") == (
        InputFile("a.json", "jsonl"),
        InputFile("b.txt.gz", "jsonl", "gz"),
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.json.zst", "OMR-605: a.json.zst: needs the package zstandard: pip install 'openmed-rules[zstd]'"),
        ("a.parquet", "OMR-606: a.parquet: needs the package pyarrow: pip install 'openmed-rules[parquet]'"),
    ],
)
def test_a_package_that_is_not_installed_is_named(name: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openmed_rules.running.files.find_spec", lambda _name: None)

    with pytest.raises(InputError, match=re.escape(told)):
        find_files([name])


def test_a_column_is_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openmed_rules.running.files.find_spec", lambda _name: object())

    assert find_files(["a.parquet"], column="case") == (InputFile("a.parquet", "parquet", column="case"),)
    assert find_files(["a"], "parquet", "case") == (InputFile("a", "parquet", column="case"),)
    with pytest.raises(UsageError, match=r"^OMR-629: a\.jsonl: is no table"):
        find_files(["a.jsonl"], column="case")
