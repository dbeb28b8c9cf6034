"""Tables as inputs: a row a case or a record, JSON text or columns, and what is said of those that cannot be read."""

from __future__ import annotations

import decimal
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from canaries import LINES, MARK, RULE_FILES, marks_in, plain, planted
from openmed_rules.cli.boundary import run
from openmed_rules.judging.documents import JsonText, PlainValue
from openmed_rules.judging.values import UNUSABLE
from openmed_rules.running.files import find_files
from openmed_rules.running.reading import read_documents
from samples import FAILING, PASSING, RULES, TWO_INPUTS, evidence, summary

pa = pytest.importorskip("pyarrow", reason="needs the package pyarrow: pip install 'openmed-rules[parquet]'")
parquet = pytest.importorskip("pyarrow.parquet", reason="as above")

from openmed_rules.running import tables  # noqa: E402 - it needs pyarrow

OBJECT = pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))])


def write(file: Path, columns: dict[str, Any], **options: Any) -> str:
    parquet.write_table(pa.table(columns), file, **options)
    return str(file)


def read(name: str, column: str | None = None) -> list[tuple[int | None, object]]:
    """Of each document its row, and its content or the code of what is wrong."""
    documents = read_documents(find_files([name], column=column))
    return [(one.place.line, one.content if isinstance(one, JsonText | PlainValue) else one.code) for one in documents]


def checked(folder: Path, capsys: pytest.CaptureFixture[str], *words: str, rules: str = RULES) -> dict[str, Any]:
    """The report of ``check``, without what tells one file from another."""
    (folder / "rules.yaml").write_text(rules, encoding="utf-8")
    run(["check", "-r", str(folder / "rules.yaml"), "-f", "json", *words])
    said = capsys.readouterr()
    assert said.err == ""
    report: dict[str, Any] = json.loads(said.out)
    for place in (*report["positions"], *report["unreadable"]):
        del place["file"]
    return report


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pa.array([1, None], pa.int8()), [1, None]),
        (pa.array([2**64 - 1], pa.uint64()), [2**64 - 1]),
        (pa.array([True, None]), [True, None]),
        (pa.array([None, None]), [None, None]),
        (pa.array([1.5, float("nan"), float("inf"), None]), [1.5, UNUSABLE, UNUSABLE, None]),
        (pa.array(["a", None], pa.large_string()), ["a", None]),
        (pa.array(["a", None], pa.string_view()), ["a", None]),
        (pa.array(["a", None, "a"]).dictionary_encode(), ["a", None, "a"]),
        (pa.array([date(2026, 1, 1), None]), [{}, None]),
        (pa.array([1], pa.timestamp("ns")), [{}]),
        (pa.array([decimal.Decimal("1.5")]), [{}]),
        (
            pa.array([{"a": 1, "b": ["x", None]}, None, {"a": None, "b": None}], OBJECT),
            [{"a": 1, "b": ["x", None]}, None, {"a": None, "b": None}],
        ),
        (pa.array([{"a": b"x"}]), [{"a": {}}]),
        (pa.array([{}, None], pa.struct([])), [{}, None]),
        (pa.array([[1, 2], None, [], [None]]), [[1, 2], None, [], [None]]),
        (pa.array([[1], None], pa.large_list(pa.int64())), [[1], None]),
        (pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)), [[1, 2], None, [3, 4]]),
        (
            pa.array([[("k", 1), ("k", 2)], None, [("z", None)]], pa.map_(pa.string(), pa.int64())),
            [{"k": 2}, None, {"z": None}],
        ),
        (pa.array([[(7, "x")]], pa.map_(pa.int64(), pa.string())), [{"7": "x"}]),
        (pa.array([[{"a": 1}], [{"a": 2}, None]]), [[{"a": 1}], [{"a": 2}, None]]),
        (pa.array([b"1" * 16], pa.uuid()), [{}]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_a_column_becomes_plain_values(column: Any, values: list[object]) -> None:
    nested = pa.StructArray.from_arrays([column], ["v"])

    def found(cases: Any) -> list[object]:
        return [document.content["v"] for document in tables.documents_of(cases, iter(lambda: None, 0))]

    assert found(nested) == values
    assert found(nested.slice(1)) == values[1:]


def test_text_that_is_no_text_is_unreadable_where_it_is_read() -> None:
    column = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a\xff", b"ok"]).buffers())

    first, second = tables.documents_of(pa.StructArray.from_arrays([column], ["v"]), iter(lambda: None, 0))

    assert first.content == {"v": "a\udcff"}
    assert second.content == {"v": "ok"}


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "named", "expected"),
    [
        ({"any": ["{}", "[1]"]}, None, [(1, b"{}"), (2, b"[1]")]),
        ({"any": [b"{}", None, b""]}, None, [(1, b"{}"), (2, None), (3, b"")]),
        ({"id": ["x"], "case": ["{}"]}, "case", [(1, b"{}")]),
        ({"id": ["x"], "a.b": ["{}"]}, "a.b", [(1, b"{}")]),
        ({"id": ["x"], "case": [{"a": 1}]}, "case", [(1, {"a": 1})]),
        ({"id": ["x"], "facts": [[{"id": "f1"}]]}, None, [(1, {"id": "x", "facts": [{"id": "f1"}]})]),
        ({"claims": [[1], None]}, None, [(1, {"claims": [1]}), (2, {"claims": None})]),
        ({"id": ["x"]}, "case", [(None, "OMR-607")]),
        ({"id": [], "case": []}, None, [(None, "OMR-602")]),
    ],
)
def test_a_row_is_a_document(
    columns: dict[str, Any], named: str | None, expected: list[tuple[int | None, object]], tmp_path: Path
) -> None:
    assert read(write(tmp_path / "a.parquet", columns), named) == expected


def test_rows_count_on_from_batch_to_batch(tmp_path: Path) -> None:
    file = write(tmp_path / "a.parquet", {"case": [str(row) for row in range(1, 1001)]}, row_group_size=300)

    assert read(file) == [(row, str(row).encode()) for row in range(1, 1001)]


@pytest.mark.parametrize("content", [b"", b"{}\n", b"PAR1", b"PAR1" + b"\x00" * 50 + b"PAR1"])
def test_what_is_no_table_is_unreadable(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(content)

    assert read(str(tmp_path / "a.parquet")) == [(None, "OMR-608")]


def test_a_damaged_table_ends_in_one_that_is_unreadable(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    write(file, {"case": [str(row) * 50 for row in range(4000)]}, row_group_size=1000, use_dictionary=False)
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 2000] = os.urandom(2000)
    file.write_bytes(content)

    *readable, last = read(str(file))

    assert last == (None, "OMR-608")
    assert [row for row, _ in readable] == list(range(1, len(readable) + 1))


def test_a_table_that_comes_through_a_pipe_cannot_be_read(tmp_path: Path) -> None:
    content = Path(write(tmp_path / "a.parquet", {"case": ["{}"]})).read_bytes()
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    command = [sys.executable, "-m", "openmed_rules", "check", "-r", "rules.yaml", "-", "--input-format", "parquet"]

    ended = subprocess.run(command, input=content, capture_output=True, cwd=tmp_path, check=False)

    assert ended.returncode == 3
    assert b"OMR-603" in ended.stdout


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    def most(rows: int) -> int:
        columns = {"case": ["x" * 10_000] * rows}
        file = write(tmp_path / f"{rows}.parquet", columns, row_group_size=rows, use_dictionary=False)
        before = pa.total_allocated_bytes()
        return max(pa.total_allocated_bytes() - before for _ in read_documents(find_files([file])))

    assert most(6000) < 1.5 * most(2000)


# --- the command ----------------------------------------------------------------------------------


def test_a_table_is_judged_as_its_lines_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for line in LINES.values() if b"\n" not in line]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    table = write(tmp_path / "a.parquet", {"id": list(range(len(lines))), "case": lines})

    expected = checked(tmp_path, capsys, str(tmp_path / "a.jsonl"))

    assert checked(tmp_path, capsys, table, "--column", "case") == expected
    assert checked(tmp_path, capsys, table, "--column", "case", "--strict-json")["cases"]["unreadable"] > 0


@pytest.mark.parametrize("cases", [[PASSING, FAILING], [plain(), plain("unknown")], [PASSING] * 300])
def test_columns_are_judged_as_the_json_they_stand_for(
    cases: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases), encoding="utf-8")
    parquet.write_table(pa.Table.from_pylist(cases), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"id": ["x"] * len(cases), "case": cases}), tmp_path / "b.parquet")

    expected = checked(tmp_path, capsys, str(tmp_path / "a.jsonl"))

    assert checked(tmp_path, capsys, str(tmp_path / "a.parquet")) == expected
    assert checked(tmp_path, capsys, str(tmp_path / "b.parquet"), "--column", "case") == expected


def test_evidence_may_stand_in_the_same_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(summary("f1"), evidence("f1")), (summary("f1", "f404"), evidence("f1"))]
    table = write(
        tmp_path / "a.parquet",
        {"summary": [json.dumps(one) for one, _ in rows], "facts": [facts for _, facts in rows]},
    )

    report = checked(tmp_path, capsys, table, "--column", "summary", "--evidence-column", "facts", rules=TWO_INPUTS)

    assert report["cases"] == {"total": 2, "passed": 1, "failed": 1, "unreadable": 0}
    assert report["citations"]["citation_count"] == 3


def test_rows_of_one_key_are_one_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    joined = (
        "version: 1\nname: joined\ninputs: {summary: {join: note}, evidence: {join: note}}\n"
        "claims: {records: $.claims, id: id}\ncitations: {records: citations, id: fact}\n"
        "evidence: {in: evidence, records: $, id: fact}\n"
    )
    facts = write(tmp_path / "facts.parquet", {"note": [1, 2, 1, 3], "fact": ["f1", "f1", "f2", "f1"]})
    notes = [{"note": 1, **summary("f1", "f2")}, {"note": 2, **summary("f1")}, {"note": 3, **summary("f2")}]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(note)}\n" for note in notes), encoding="utf-8")

    report = checked(tmp_path, capsys, str(tmp_path / "a.jsonl"), "--evidence", facts, rules=joined)

    assert report["cases"] == {"total": 3, "passed": 2, "failed": 1, "unreadable": 0}
    assert report["coverage"]["source_fact_count"] == 4


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("a.parquet --column missing", 3, "OMR-607"),
        ("cut.parquet", 3, "OMR-608"),
        ("a.jsonl --column case", 2, "OMR-629"),
        ("missing.parquet", 3, "OMR-601"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_code(
    words: str, code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = Path(write(tmp_path / "a.parquet", {"id": [MARK], "case": [json.dumps(planted())]})).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(content[:-20])
    (tmp_path / "a.jsonl").write_text("{}\n", encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")

    file, *options = words.split()
    assert run(["check", "-r", str(tmp_path / "rules.yaml"), str(tmp_path / file), *options]) == code
    said = capsys.readouterr()
    assert told in said.out + said.err
    assert not marks_in(said.out + said.err)


@pytest.mark.parametrize("rules", [name for name in RULE_FILES if name != "two.yaml"])
def test_no_value_of_a_table_gets_out(rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = {key: value for key, value in planted().items() if key in {"facts", "kind", "label"}}
    columns = {
        "id": [MARK],
        MARK: [MARK],
        "facts": [json.dumps(case["facts"])],
        "claims": [json.dumps(planted()["claims"])],
    }
    rows = write(tmp_path / "a.parquet", columns)
    texts = write(tmp_path / "b.parquet", {MARK: list(LINES.values())})
    (tmp_path / "rules.yaml").write_text(RULE_FILES[rules], encoding="utf-8")

    assert run(["check", "-r", str(tmp_path / "rules.yaml"), rows, texts, "--locators"]) in {1, 3}
    said = capsys.readouterr()
    assert not marks_in(said.out + said.err)


def test_other_commands_take_tables_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write(tmp_path / "a.parquet", {"case": [json.dumps(PASSING)]})
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")

    assert run(["explain", "-r", str(tmp_path / "rules.yaml"), table]) == 0
    assert run(["init", table]) == 0
    assert "records: $.claims" in capsys.readouterr().out


def test_the_core_knows_nothing_of_arrow(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(PASSING), encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    program = (
        "import sys\nfrom openmed_rules.cli.boundary import run\nimport openmed_rules.api, openmed_rules.upstream\n"
        "assert run(['check', '-r', 'rules.yaml', 'a.jsonl']) == 0\n"
        "assert not {'pyarrow', 'pyspark', 'pandas', 'numpy'} & set(sys.modules)\n"
    )

    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True)
