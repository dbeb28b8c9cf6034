"""Spark on this machine: what it counts is what the loop in one process counts, and no row gets out of a worker."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import watched
from canaries import LINES, RULE_FILES, assert_error_is_clean, assert_result_is_clean, marks_in, plain
from judged import TODAY
from openmed_rules import InputError, Rules, UsageError
from openmed_rules.cli.boundary import run
from openmed_rules.errors import InternalError
from openmed_rules.gates import clock
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import JsonText
from openmed_rules.results.places import Place
from openmed_rules.ruleset.loader import load_rule_text
from samples import FAILING, PASSING, RULES, TWO_INPUTS, evidence, summary

NEEDS = "needs Spark: pip install 'openmed-rules[spark]'"
sql = pytest.importorskip("pyspark.sql", reason=NEEDS)
pytest.importorskip("pyarrow", reason=NEEDS)
pytest.importorskip("pandas", reason=NEEDS)
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("needs Java 17 or newer", allow_module_level=True)

from openmed_rules.spark import check  # noqa: E402 - it needs pyspark

POLICIES = {
    "strict": "",
    "lenient": "policy: {tolerate: {unsupported_claim: 50%, duplicate_citation: any}}\n",
    "per batch": "policy: {per: batch, tolerate: {unsupported_claim: 5%}}\n",
    "some may fail": "policy: {failed_cases: 2}\n",
}
CASES = [*LINES.values(), *(json.dumps(case).encode() for case in (PASSING, FAILING, PASSING))] * 3
CRASHING = """
import os, signal, time
from pathlib import Path
from openmed_rules.judging import batch

judge = batch.Judging.judge

def planted(self, summary, evidence, tally):
    crash = Path(__file__).with_name("crash").read_text()
    if crash == "raises":
        raise KeyError([document.content for document in summary])
    if crash == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if crash == "waits":
        Path(__file__).with_name("waiting").touch()
        time.sleep(60)
    judge(self, summary, evidence, tally)

batch.Judging.judge = planted
"""
"""A module for the workers: what goes wrong in them, as the file ``crash`` beside it says."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Path]]:
    """A session on two cores, and a folder with its ``log`` and with ``crash``, which its workers obey."""
    folder = tmp_path_factory.mktemp("engine")
    (folder / "crash").write_text("", encoding="utf-8")
    (folder / "sitecustomize.py").write_text(CRASHING, encoding="utf-8")
    patch = pytest.MonkeyPatch()
    patch.setenv("PYSPARK_PYTHON", sys.executable)
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"), *sys.path))))
    shown = os.dup(2)
    with watched.open_sockets(), (folder / "log").open("w") as log:
        os.dup2(log.fileno(), 2)  # what Spark and its workers say goes where the process that starts them says it
        session = (
            sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        os.dup2(shown, 2)
        yield session, folder
        session.stop()
    patch.undo()


@pytest.fixture
def spark(engine: tuple[Any, Path]) -> Any:
    return engine[0]


@pytest.fixture
def crash(engine: tuple[Any, Path]) -> Iterator[Path]:
    yield engine[1] / "crash"
    (engine[1] / "crash").write_text("", encoding="utf-8")


def rules(text: str = RULES) -> Rules:
    return Rules(load_rule_text(text).rules)


def table(spark: Any, cases: list[Any], schema: str, partitions: int = 3) -> Any:
    """A table of ``cases`` in their order, in several partitions."""
    return spark.createDataFrame(spark.sparkContext.parallelize(cases, partitions), schema)


def numbered(spark: Any, cases: list[bytes]) -> Any:
    return table(spark, [(number, bytearray(case)) for number, case in enumerate(cases)], "number int, case binary")


# --- one batch ------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_a_batch_is_counted_as_in_one_process(policy: str, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "today", lambda: TODAY)
    said = rules(RULES + POLICIES[policy])
    expected = judge_batch(said.rule_set, [JsonText(Place("summary"), case) for case in CASES], today=TODAY)

    result = check(numbered(spark, CASES), said, column="case")

    assert result.report == expected
    assert result.positions
    assert result.report.cases.unreadable


def test_a_batch_without_rows_is_not_evaluated(spark: Any) -> None:
    result = check(numbered(spark, [b"{}"]).where("number < 0"), rules(), column="case")

    assert result.verdict == "not_evaluated"
    assert result.report.cases.total == 0


def test_columns_are_judged_as_the_json_they_stand_for(spark: Any) -> None:
    cases = [PASSING, FAILING, plain(), plain("unknown")]
    text = spark.createDataFrame([(json.dumps(case),) for case in cases], "case string")
    columns = spark.read.json(spark.sparkContext.parallelize([json.dumps(case) for case in cases], 1))
    expected = rules().check_many(cases)

    assert check(text, rules()) == expected
    assert check(columns, rules()) == expected
    nested = columns.selectExpr("named_struct('case', struct(*)) as outer", "1 as number")
    assert check(nested, rules(), column="outer.case") == expected
    maps = spark.sql("select map('claims', array(map('id', 'c1'))) as case, 1 as number")
    assert check(maps, rules(), column="case") == rules().check_many([{"claims": [{"id": "c1"}]}])


def test_evidence_meets_the_summary_of_its_row(spark: Any) -> None:
    said = rules(TWO_INPUTS)
    summaries = [summary("f1"), summary("f2"), summary("f1"), summary("f1")]
    facts = [evidence("f1"), evidence("f1", "f2"), evidence("f2"), None]
    rows = [
        (json.dumps(one), json.dumps(other) if other else None) for one, other in zip(summaries, facts, strict=True)
    ]
    df = table(spark, rows, "summary string, facts string", partitions=2)
    expected = [said.check(one, other or {}) for one, other in zip(summaries, facts, strict=True)]

    result = check(df, said, column="summary", evidence_column="facts")

    assert result.report.cases.failed == sum(not one.passed for one in expected) == 3
    assert result.positions[0].case == 2
    each = check(df, said, column="summary", evidence_column="facts", per_case=True, key="summary").collect()
    assert [(row.verdict, tuple(row.reasons)) for row in each] == [(one.verdict, one.reasons) for one in expected]


# --- row by row -----------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["strict", "lenient", "some may fail"])
def test_each_row_has_the_verdict_that_the_batch_counts(policy: str, spark: Any) -> None:
    said = rules(RULES + POLICIES[policy])
    df = numbered(spark, CASES)

    each = check(df, said, column="case", per_case=True, key="number")

    assert each.columns == ["number", "verdict", "reasons"]
    rows = each.collect()
    assert [row.number for row in rows] == list(range(len(CASES)))
    verdicts = [row.verdict for row in rows]
    totals = check(df, said, column="case").report.cases
    assert verdicts.count("passed") == totals.passed
    assert verdicts.count("failed") == totals.failed
    assert verdicts.count("not_evaluated") == totals.unreadable
    assert all(bool(row.reasons) == (row.verdict != "passed") for row in rows)
    assert {reason for row in rows for reason in row.reasons} >= {"unreadable_case", "missing_source_record"}


@pytest.mark.parametrize("key", ["case", "evidence", "a key"])
def test_a_key_may_be_of_any_type_and_have_any_name(key: str, spark: Any) -> None:
    df = spark.createDataFrame([(json.dumps(PASSING),)], "text string").selectExpr(
        f"date'2026-01-01' as `{key}`", "text"
    )

    (row,) = check(df, rules(), column="text", per_case=True, key=f"`{key}`").collect()

    assert (str(row[key]), row.verdict, row.reasons) == ("2026-01-01", "passed", [])


# --- what cannot be done --------------------------------------------------------------------------


def test_what_does_not_go_together_is_told_before_a_job_starts(spark: Any) -> None:
    df = numbered(spark, [b"{}"])

    with pytest.raises(InputError, match="OMR-621"):
        check(df, rules(TWO_INPUTS), column="case")
    with pytest.raises(UsageError, match="OMR-622"):
        check(df, rules(), column="case", evidence_column="case")
    with pytest.raises(UsageError, match="OMR-641"):
        check(df, rules(), column="case", per_case=True)  # type: ignore[call-overload]
    with pytest.raises(InputError, match="OMR-607"):
        check(df, rules(), column="missing")
    with pytest.raises(InputError, match="OMR-607"):
        check(df, rules(), column="case", per_case=True, key="missing")


def test_a_row_whose_cases_cannot_be_paired_is_an_error_of_ours(spark: Any) -> None:
    many = TWO_INPUTS + "inputs: {summary: {cases: $}, evidence: {cases: $}}\n"
    rows = [(json.dumps([summary("f1")] * 3), json.dumps([evidence("f1")] * 2))]
    df = spark.createDataFrame(rows, "summary string, facts string")

    with pytest.raises(UsageError, match="OMR-623: 3 summary cases and 2 evidence cases"):
        check(df, rules(many), column="summary", evidence_column="facts")


@pytest.mark.parametrize("name", RULE_FILES)
def test_nothing_of_a_row_comes_to_the_driver(name: str, spark: Any) -> None:
    df = numbered(spark, list(LINES.values()))
    evidence = "case" if name == "two.yaml" else None
    with pytest.raises(InputError) as missing:
        check(df, rules(RULE_FILES[name]), column="missing")

    assert_error_is_clean(missing.value)
    assert_result_is_clean(check(df, rules(RULE_FILES[name]), column="case", evidence_column=evidence))
    each = check(df, rules(RULE_FILES[name]), column="case", evidence_column=evidence, per_case=True, key="number")
    assert not marks_in(repr(each.collect()))


def test_a_worker_that_fails_says_nothing_of_its_rows(spark: Any, crash: Path) -> None:
    df = numbered(spark, [json.dumps(plain()).encode()])
    log = crash.with_name("log")
    logged = len(log.read_text())
    each = check(df, rules(), column="case", per_case=True, key="number")

    crash.write_text("raises")
    with pytest.raises(InternalError) as whole:
        check(df, rules(), column="case")
    with pytest.raises(Exception, match="KeyError while judging") as one:
        each.collect()
    crash.write_text("is killed")
    with pytest.raises(InternalError) as killed:
        check(df, rules(), column="case")

    assert str(whole.value) == "OMR-901: KeyError while judging"
    assert killed.value.code == "OMR-903"
    said = log.read_text()[logged:]
    assert "KeyError while judging" in said
    assert not marks_in(f"{whole.value!r}{one.value!r}{one.value}{killed.value!r}{said}")


def test_a_worker_without_a_package_is_told_so(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = ModuleType("not_on_the_workers")
    exec("def judge_rows(job, batches): yield from batches", vars(elsewhere))
    monkeypatch.setitem(sys.modules, elsewhere.__name__, elsewhere)
    monkeypatch.setattr("openmed_rules.spark._judge_rows", elsewhere.judge_rows)

    with pytest.raises(InternalError, match=r"OMR-903: .*: PYSPARK_PYTHON names it"):
        check(numbered(spark, [b"{}"]), rules(), column="case")


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def folder(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "spans.yaml").write_text(RULE_FILES["spans.yaml"], encoding="utf-8")
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(CASES) + b"\n\n \r\n")
    (tmp_path / "b.json").write_text(json.dumps(FAILING, indent=2), encoding="utf-8")
    numbered(spark, CASES).coalesce(1).write.parquet(str(tmp_path / "a.parquet"))
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    return tmp_path


@pytest.mark.parametrize("options", ["", "--locators", "--strict-json", "--positions 2"])
@pytest.mark.parametrize("inputs", ["-r rules.yaml a.jsonl", "-r spans.yaml a.jsonl", "-r rules.yaml b.json"])
def test_the_command_says_the_same(inputs: str, options: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    *rule_file, name = inputs.split()
    arguments = ["check", *rule_file, str(folder / name), *options.split(), "-f", "json"]
    code = run(arguments)
    expected = json.loads(capsys.readouterr().out)
    for place in (*expected["positions"], *expected["unreadable"]):
        place.pop("line", None)

    assert run([*arguments, "--engine", "spark"]) == code
    assert json.loads(capsys.readouterr().out) == expected


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
@pytest.mark.usefixtures("open_sockets")
def test_a_signal_ends_the_command_without_a_traceback(
    number: signal.Signals, code: int, word: str, folder: Path, crash: Path
) -> None:
    crash.write_text("waits")
    waiting = crash.with_name("waiting")
    command = [sys.executable, "-m", "openmed_rules", "check", "-r", "rules.yaml", "--engine", "spark", "b.json"]
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, start_new_session=True)
        while process.poll() is None and not waiting.exists():
            time.sleep(0.1)
        waiting.unlink()
        process.send_signal(number)
        ended = process.wait(timeout=60)
    os.killpg(process.pid, signal.SIGKILL)  # Spark stays until its worker is done

    assert (ended, (folder / "out").read_text()) == (code, "")
    told = (folder / "err").read_text()
    assert f"openmed-rules: {word}\n" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ("a.parquet --column case", 3, "unreadable"),
        ("a.parquet --column missing", 3, "OMR-607"),
        ("missing.jsonl", 3, "OMR-601"),
        ("broken.parquet", 3, "OMR-603"),
        ("a.jsonl b.json", 2, "OMR-641"),
        ("-", 2, "OMR-641"),
        ("a.jsonl --column case", 2, "OMR-629"),
    ],
)
def test_the_exit_code_tells_how_it_ended(
    arguments: str, code: int, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Spark looks for names where it was started, which is another place than this folder.
    words = [str(folder / word) if "." in word else word for word in arguments.split()]
    assert run(["check", "-r", "rules.yaml", "--engine", "spark", *words]) == code
    said = capsys.readouterr()
    assert told in said.out + said.err
    assert not marks_in(said.out + said.err)
