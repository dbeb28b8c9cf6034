"""One process or several, whole files or stretches of them: the result is the same, to the letter."""

from __future__ import annotations

import gc
import gzip
import io
import json
import multiprocessing
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from canaries import LINES
from judged import TODAY, rule_set
from openmed_rules.cli.boundary import run
from openmed_rules.formats.json import render_json
from openmed_rules.gates.runs import Run
from openmed_rules.running import dividing, jobs
from openmed_rules.running.dividing import Job, bytes_of, divided
from openmed_rules.running.files import find_files
from openmed_rules.running.jobs import collector_paused, judge
from samples import FAILING, PASSING, RULES, TWO_INPUTS, evidence, summary

BOM = b"\xef\xbb\xbf"
GOOD, BAD = (json.dumps(case).encode() for case in (PASSING, FAILING))
ENDS = (b"\n", b"\r\n", b"\n\n", b"\n \t\r\n")
PIECES = [*LINES.values(), GOOD, BAD, b"", b" ", BOM, BOM + GOOD, b"{", b"[]", b'{"a": "\r"}']


def of_run(rules: str, words: list[str], processes: int, others: list[str] | None = None, **options: Any) -> str:
    """The whole report, as JSON."""
    given = None if others is None else find_files(others)
    one = Run(rule_set(rules), find_files(words), given, TODAY, **options)
    return render_json(one.report(processes))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Everything is worth a share, and a share is judged in this process; how many shares there were."""
    counted: list[int] = []

    def side_by_side(tasks: list[Job], *_: object) -> list[Any]:
        counted.append(len(tasks))
        return [judge(task) for task in tasks]

    monkeypatch.setattr(jobs, "SHARE", 1)
    monkeypatch.setattr(dividing, "OPENING", 0)
    monkeypatch.setattr(jobs, "_side_by_side", side_by_side)
    return counted


# --- the same -------------------------------------------------------------------------------------

LENIENT = RULES + "policy: {per: batch, tolerate: {unsupported_claim: 5%}}\n"
OPTIONS: list[dict[str, Any]] = [
    {},
    {"positions": 2},
    {"positions": sys.maxsize},
    {"locators": True},
    {"strict_json": True},
]


LINE = st.tuples(st.sampled_from(PIECES), st.sampled_from(ENDS)).map(b"".join)
HEAD = st.sampled_from([b"", BOM])
CONTENTS = st.tuples(HEAD, st.lists(LINE, max_size=25).map(b"".join), st.sampled_from(PIECES)).map(b"".join)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=CONTENTS,
    processes=st.integers(2, 9),
    options=st.sampled_from(OPTIONS),
    rules=st.sampled_from([RULES, LENIENT]),
)
@pytest.mark.usefixtures("here")
def test_stretches_add_up_to_the_file(content: bytes, processes: int, options: dict[str, Any], rules: str) -> None:
    Path("a.jsonl").write_bytes(content)

    assert of_run(rules, ["a.jsonl"], processes, **options) == of_run(rules, ["a.jsonl"], 1, **options)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=40) | st.text('{}[]\n\r "a1', max_size=40).map(str.encode), size=st.integers(1, 50))
def test_stretches_begin_where_a_line_ended_and_leave_nothing_out(content: bytes, size: int) -> None:
    Path("a.jsonl").write_bytes(content)
    shares = divided(Job(rule_set(RULES), find_files(["a.jsonl"])), size)
    cuts = [share.summary[0].stretch for share in shares]

    if len(shares) > 1:
        starts, ends = ([getattr(cut, name) for cut in cuts] for name in ("start", "end"))
        assert starts == [0, *ends[:-1]]
        assert ends[-1] is None
        assert all(content[start - 1 : start] == b"\n" for start in starts[1:])
    else:
        assert cuts == [None]


MANY = (GOOD + b"\n") * 40 + BAD + b"\n" + b"{\n\n" + (GOOD + b"\n") * 40 + BAD
FILES: dict[str, bytes] = {
    "many.jsonl": MANY,
    "crlf.jsonl": MANY.replace(b"\n", b"\r\n"),
    "bom.ndjson": BOM + MANY,
    "blank.jsonl": b"\n" * 600,
    "blank_first.jsonl": b"\n" * 600 + MANY,
    "blank_last.jsonl": MANY + b"\n" * 600,
    "long_line.jsonl": MANY + b" " * 9000 + b"\n" + BAD,
    "few.jsonl": b"{}",
    "one_byte.jsonl": b"{",
    "empty.jsonl": b"",
    "packed.jsonl.gz": gzip.compress(MANY),
    "cut.jsonl.gz": gzip.compress(MANY)[:-9],
    "one.json": BAD,
    "by_first_line": MANY,
    "pretty.txt": json.dumps(FAILING, indent=1).encode(),
}
WORDS = [
    *([name] for name in FILES),
    ["many.jsonl", "crlf.jsonl"],
    ["one.json", "many.jsonl", "few.jsonl", "empty.jsonl", "crlf.jsonl", "one.json"],
    ["many.jsonl", "many.jsonl"],
    ["missing.jsonl", "many.jsonl", "missing.json"],
    ["."],
]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_files_of_all_kinds_give_the_same(words: list[str]) -> None:
    for name, content in FILES.items():
        Path(name).write_bytes(content)
    for options, rules in product(OPTIONS, (RULES, LENIENT)):
        whole = of_run(rules, words, 1, **options)
        assert {of_run(rules, words, processes, **options) for processes in (2, 3, 7)} == {whole}


JOINED = TWO_INPUTS + "inputs: {summary: {join: name}, evidence: {join: name}}\n"
CASES_INSIDE = TWO_INPUTS + "inputs: {evidence: {cases: $.all}}\n"


@pytest.mark.parametrize(
    ("rules", "facts", "name", "is_divided"),
    [
        (TWO_INPUTS, [evidence("f1")], "facts.json", True),
        (TWO_INPUTS, ["{"], "facts.json", True),
        (TWO_INPUTS, [], "facts.json", True),
        (TWO_INPUTS, [evidence("f1")], "facts.jsonl", False),
        (TWO_INPUTS, [evidence("f1")] * 60, "facts.jsonl", False),
        (CASES_INSIDE, [{"all": [evidence("f1")] * 60}], "facts.json", False),
        (JOINED, [{"name": number, **evidence("f1")} for number in range(60)], "facts.jsonl", False),
    ],
)
def test_cases_with_evidence_meet_it(
    rules: str, facts: list[Any], name: str, is_divided: bool, here: list[int]
) -> None:
    cases = [{"name": number, **summary("f1" if number % 7 else "f404")} for number in range(60)]
    Path("cases.jsonl").write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    Path("more.json").write_text(json.dumps(evidence("f404")), encoding="utf-8")
    Path(name).write_text("\n".join(fact if fact == "{" else json.dumps(fact) for fact in facts), encoding="utf-8")
    for options in OPTIONS:
        whole = of_run(rules, ["cases.jsonl"], 1, [name], **options)
        assert {of_run(rules, ["cases.jsonl"], processes, [name], **options) for processes in (2, 3)} == {whole}

    assert bool(here) is is_divided
    divisions = len(divided(Job(rule_set(rules), find_files(["cases.jsonl"]), find_files([name, "more.json"])), 99))
    assert divisions == 1


@pytest.mark.parametrize("processes", ["2", "3"])
@pytest.mark.parametrize("layout", ["json", "text", "csv"])
def test_real_processes_give_the_same(
    processes: str, layout: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jobs, "SHARE", 1)
    Path("rules.yaml").write_text(RULES, encoding="utf-8")
    Path("a.jsonl").write_bytes(MANY * 3)
    Path("b.json").write_bytes(BAD)
    check = ["check", "-r", "rules.yaml", "a.jsonl", "b.json", "-f", layout, "--worklist", "work"]
    endings = []
    for number in ("1", processes):
        code = run([*check, "--jobs", number])
        endings.append((code, capsys.readouterr(), Path("work").read_text(encoding="utf-8")))

    assert endings[0] == endings[1]
    assert endings[0][0] == 3
    assert multiprocessing.active_children() == []


# --- what is divided ------------------------------------------------------------------------------


def test_a_small_input_starts_no_process_and_imports_nothing_for_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "openmed_rules.running.workers", raising=False)
    Path("rules.yaml").write_text(RULES, encoding="utf-8")
    Path("a.jsonl").write_bytes(MANY * 100)

    assert run(["check", "-r", "rules.yaml", "a.jsonl", "--jobs", "8"]) == 3
    assert "openmed_rules.running.workers" not in sys.modules
    assert capsys.readouterr().err == ""


def test_standard_input_stays_in_one_process(here: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    for processes in (1, 3):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MANY)))
        shown.append(of_run(RULES, ["-"], processes))

    assert shown[0] == shown[1]
    assert here == []


def test_many_small_files_are_shared_out_in_order(folder: Path) -> None:
    for number in range(50):
        (folder / f"{number:02}.json").write_bytes(GOOD)
    files = find_files(["."])
    shares = divided(Job(rule_set(RULES), files), 10 * dividing.OPENING)

    assert 5 <= len(shares) <= 7
    assert tuple(file for share in shares for file in share.summary) == files


def test_another_file_in_the_place_of_one_that_was_cut_is_not_read(folder: Path) -> None:
    (folder / "a.jsonl").write_bytes(MANY)
    shares = divided(Job(rule_set(RULES), find_files(["a.jsonl"])), 2000)
    (folder / "b.jsonl").write_bytes(MANY)
    (folder / "b.jsonl").replace("a.jsonl")
    tallies = [judge(share).part.tally for share in shares]

    assert len(shares) > 2
    assert [[one.code for one in tally.unreadable] for tally in tallies] == [["OMR-603"]] * len(shares)


def test_how_much_there_is_to_read(folder: Path) -> None:
    (folder / "a.jsonl").write_bytes(MANY)
    job = Job(rule_set(RULES), find_files(["a.jsonl", "a.jsonl", "missing.jsonl"]))
    assert bytes_of(job) == 2 * len(MANY)
    assert bytes_of(replace(job, summary=find_files(["a.jsonl", "-"]))) is None


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json"])
def test_it_is_told_how_far_a_run_is(name: str, processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "SHARE", 1 << 18)
    lines = (GOOD + b"\n") * 20_000
    content = b"[" + lines.replace(b"\n", b",") + GOOD + b"]" if name == "a.json" else lines
    Path(name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    told: list[tuple[int, int]] = []
    Run(rule_set(RULES), find_files([name]), None, TODAY).report(processes, lambda *both: told.append(both))

    assert sum(size for size, _ in told) == Path(name).stat().st_size
    assert name == "a.json" or sum(cases for _, cases in told) > 10_000


# --- the garbage collector ------------------------------------------------------------------------


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    try:
        with suppress(KeyboardInterrupt), collector_paused():
            assert not gc.isenabled()
            raise KeyboardInterrupt
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


def test_judging_leaves_nothing_that_only_the_collector_could_take(folder: Path) -> None:
    """Or a run would grow with its lines while the collector rests."""
    (folder / "a.jsonl").write_bytes(b"\n".join(PIECES * 40))
    job = Job(rule_set(RULES), find_files(["a.jsonl"]))
    judge(job)
    gc.collect()
    with collector_paused():
        judge(job)
        left = gc.collect()

    assert left < 40
