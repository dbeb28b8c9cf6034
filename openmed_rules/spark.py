"""Cases in a Spark DataFrame, judged where they are: every worker counts its rows, and the counts are added up here.

No row comes to the driver. An error of a worker is caught there and told by its code, since Spark shows what a worker
raises.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat
from pathlib import PurePosixPath
from threading import Thread
from typing import Literal, TypeVar, overload

import pyarrow as pa
from msgspec import Struct
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql
from pyspark.sql.types import ArrayType, BinaryType, StringType, StructType

from openmed_rules.api import SUMMARY, CheckResult, Rules
from openmed_rules.errors import CodedError, InputError, InternalError, UsageError, contained, meaning
from openmed_rules.gates import clock
from openmed_rules.gates.runs import Run
from openmed_rules.judging.batch import Judging, Part
from openmed_rules.judging.documents import Document
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report, VerdictWord
from openmed_rules.results.reporting import case_verdict
from openmed_rules.results.waivers import in_force
from openmed_rules.ruleset.model import RuleSet
from openmed_rules.running.files import STDIN, InputFormat
from openmed_rules.running.tables import documents_of

Answer = TypeVar("Answer")

_LAYOUTS: dict[str, InputFormat] = {".json": "json", ".parquet": "parquet"}
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
"""How many rows a worker gets at once: fewer than Spark's 10,000 are faster where a row is a document."""
_CODES = {
    "FAILED_READ_FILE": "OMR-603",
    "PATH_NOT_FOUND": "OMR-601",
    "UNABLE_TO_INFER_SCHEMA": "OMR-602",
    "UNRESOLVED_COLUMN": "OMR-607",
}
"""What may be wrong with an input, by the beginning of the name that Spark gives to it."""
_OTHER_PYTHON = ("ModuleNotFoundError", "PYTHON_VERSION_MISMATCH")
"""What a worker says whose Python is not that of the driver."""


class Job(Struct, frozen=True):
    """How every worker judges its rows.

    ``rules``: with those waivers only that are in force. ``place``: what to call all rows together.
    """

    rules: RuleSet
    has_evidence: bool
    place: Place = SUMMARY
    strict_json: bool = False
    positions: int = 20
    locators: bool = False

    def judging(self) -> Judging:
        """The rules, ready to judge."""
        return Judging(self.rules, self.has_evidence, strict_json=self.strict_json, locators=self.locators)


@overload
def check(
    df: DataFrame,
    rules: Rules,
    *,
    column: str | None = None,
    evidence_column: str | None = None,
    per_case: Literal[False] = False,
) -> CheckResult: ...


@overload
def check(
    df: DataFrame,
    rules: Rules,
    *,
    column: str | None = None,
    evidence_column: str | None = None,
    per_case: Literal[True],
    key: str,
) -> DataFrame: ...


def check(  # noqa: PLR0913 - each says where something stands
    df: DataFrame,
    rules: Rules,
    *,
    column: str | None = None,
    evidence_column: str | None = None,
    per_case: bool = False,
    key: str | None = None,
) -> CheckResult | DataFrame:
    """Judge the rows of ``df``: all of them as one batch, or each by itself.

    ``column``: the one that holds the case, as JSON text or as a struct; without it the row is the case, or its only
    column where that is text. ``evidence_column``: the one that holds the evidence of the same case, where the rules
    read one. ``per_case``: give a DataFrame of the column ``key`` and of each row's ``verdict`` (``not_evaluated``
    where it could not be read) and ``reasons``; it judges once its rows are asked for. Columns are named as Spark SQL
    does it (``note.summary`` is a field), and the key by none of these two words.

    Raises:
        InputError: the rules read an evidence input, and there is none; a column is not there; or what Spark should
            read cannot be read.
        InternalError: the job did not come to its end.
        UsageError: no collection of the rules reads the evidence input; the cases of a row cannot be paired; or
            ``per_case`` without a ``key``.
    """
    today = clock.today()
    job = Job(in_force(rules.rule_set, today), evidence_column is not None)
    job.judging()  # refuses what does not go with the rules before anything is started
    cases = partial(_cases, df, column, evidence_column)
    if not per_case:
        return CheckResult(_judged(cases, job).report(rules.rule_set.policy.waivers, today))
    if key is None:
        raise UsageError("OMR-641", "per_case needs a key: the column by which a row is known")
    return _asked(lambda: _verdicts(cases(key), job))


def judge_paths(
    run: Run, inputs: Sequence[str], input_format: InputFormat | None, column: str | None, evidence_column: str | None
) -> Report:
    """Judge what Spark reads at ``inputs`` as ``run`` says: paths and globs of one layout, wherever Spark can read.

    Text is a case a line, and a case a file where it is ``json``. ``column``, ``evidence_column``: as ``check``.

    Raises:
        InputError: as ``check``, and where nothing stands at a path.
        InternalError: as ``check``.
        UsageError: as ``check``, and for standard input, several layouts, or a column of what is no table.
    """
    layouts = {input_format or _LAYOUTS.get(PurePosixPath(word.removesuffix(".gz")).suffix, "jsonl") for word in inputs}
    if len(layouts) > 1 or STDIN in inputs:
        raise UsageError("OMR-641", "Spark reads inputs of one layout, and not standard input")
    layout = layouts.pop()
    if layout != "parquet" and (column is not None or evidence_column is not None):
        raise UsageError("OMR-629", f"{inputs[0]}: is no table, so it has no columns")
    job = Job(
        in_force(run.rules, run.today),
        evidence_column is not None,
        place=Place(inputs[0]) if len(inputs) == 1 else SUMMARY,
        strict_json=run.strict_json,
        positions=run.positions,
        locators=run.counts_locators,
    )
    job.judging()
    part = _aside(lambda: _judged(lambda: _cases(_read(inputs, layout), column, evidence_column), job))
    return part.report(run.rules.policy.waivers, run.today)


# --- on the driver ------------------------------------------------------------------------------------


def _aside(work: Callable[[], Answer]) -> Answer:
    """What ``work`` gives, done in a thread of its own: an interruption would find Spark in the middle of an answer.

    Spark would wait for that answer before it lets go, and log what interrupted it.
    """
    outcomes: list[Answer | BaseException] = []
    thread = Thread(target=lambda: outcomes.append(contained("asking Spark", work)), daemon=True)
    thread.start()
    thread.join()
    (outcome,) = outcomes
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _read(inputs: Sequence[str], layout: InputFormat) -> DataFrame:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark's bar is drawn on standard error also where that is no terminal.
    builder = SparkSession.builder.appName("openmed-rules").config("spark.ui.showConsoleProgress", "false")
    spark = builder.getOrCreate()
    if not spark.sparkContext.getConf().contains(_BATCH):
        spark.conf.set(_BATCH, "1000")
    if layout == "parquet":
        return spark.read.parquet(*inputs)
    whole = layout == "json"
    texts = spark.read.text(list(inputs), wholetext=whole, lineSep=None if whole else "\n")
    return texts.where(sql.ltrim("value", sql.lit(" \t\n\v\f\r")) != "")


def _cases(df: DataFrame, column: str | None, evidence_column: str | None, key: str | None = None) -> DataFrame:
    """What a worker needs, in columns: the case, the evidence and the key, as far as there are such."""
    columns = [sql.col(name) for name in (evidence_column, key) if name is not None]
    return df.select(_case(df, column).alias("openmed_rules_case"), *columns)


def _case(df: DataFrame, column: str | None) -> Column:
    fields = df.schema.fields
    if column is None and len(fields) == 1 and isinstance(fields[0].dataType, (StringType, BinaryType)):
        return df[0]
    return sql.struct("*") if column is None else sql.col(column)


def _judged(cases: Callable[[], DataFrame], job: Job) -> Part:
    whole = job.judging().part(job.positions)
    for row in _asked(lambda: cases().mapInArrow(partial(_judge_rows, job), "part binary").collect()):
        part = pickle.loads(row.part)  # noqa: S301 - written by our own worker
        if isinstance(part, BaseException):
            raise part
        whole.extend(part, cases_before=whole.tally.total, lines_before=0)
    return whole


def _verdicts(cases: DataFrame, job: Job) -> DataFrame:
    schema = StructType(cases.schema.fields[-1:])
    schema.add("verdict", StringType()).add("reasons", ArrayType(StringType()))
    return cases.mapInArrow(partial(_judge_each, job), schema)


def _asked(work: Callable[[], Answer]) -> Answer:
    """What Spark gives. Its errors are told by name: what they say may hold a value of a row."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - also those of a driver that has lost its Spark
        problem = contained("asking Spark what is wrong", _problem, error)
    raise problem


def _problem(error: Exception) -> CodedError:
    said = str(error)
    for name, code in _CODES.items():
        if f"[{name}" in said:
            return InputError(code, f"{meaning(code)} (Spark: {name})")
    name = (error.getCondition() if isinstance(error, PySparkException) else None) or type(error).__name__
    why = "what Spark logged says why"
    if any(word in said for word in _OTHER_PYTHON):
        why = "the Python of the workers is another, or lacks a package: PYSPARK_PYTHON names it"
    return InternalError("OMR-903", f"{meaning('OMR-903')}: {name}; {why}")


# --- on a worker --------------------------------------------------------------------------------------


def _judge_rows(job: Job, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One row for all that a worker was given: the part that it judged, or the error to raise for it."""
    part = contained("judging", _part_of, job, batches)
    yield pa.RecordBatch.from_pydict({"part": [pickle.dumps(part)]})


def _part_of(job: Job, batches: Iterator[pa.RecordBatch]) -> Part:
    judging = job.judging()
    part = judging.part(job.positions)
    for batch in batches:
        for summary, evidence in _rows(batch, job):
            judging.judge(summary, evidence, part.tally)
    return part


def _judge_each(job: Job, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The key, the verdict and the reasons of each row."""
    judging = job.judging()
    for batch in batches:
        endings = contained("judging", _endings, batch, judging, job)
        if isinstance(endings, BaseException):
            raise endings
        verdicts = pa.array([verdict for verdict, _ in endings], pa.string())
        reasons = pa.array([list(reasons) for _, reasons in endings], pa.list_(pa.string()))
        names = [batch.schema.names[-1], "verdict", "reasons"]
        yield pa.RecordBatch.from_arrays([batch.columns[-1], verdicts, reasons], names)


def _endings(batch: pa.RecordBatch, judging: Judging, job: Job) -> list[tuple[VerdictWord, tuple[str, ...]]]:
    endings = []
    for summary, evidence in _rows(batch, job):
        tally = judging.part(0).tally
        judging.judge(summary, evidence, tally)
        endings.append(case_verdict(tally))
    return endings


def _rows(batch: pa.RecordBatch, job: Job) -> Iterator[tuple[Sequence[Document], Sequence[Document] | None]]:
    """The two inputs of each row: the summary in it meets the evidence in it, and no other."""
    summaries = _documents(batch.column(0), job)
    if not job.has_evidence:
        return (((summary,), None) for summary in summaries)
    others = _documents(batch.column(1), job)
    return (((summary,), (evidence,)) for summary, evidence in zip(summaries, others, strict=True))


def _documents(column: pa.Array, job: Job) -> Iterator[Document]:
    return documents_of(column, repeat(job.place))
