"""Every command with every option, over records full of marks: none is shown, and no file touched that is not named."""

from __future__ import annotations

import json
import logging
import os
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import watched
from canaries import LINES, MARK, ONE_INPUT, PACKAGE, RULE_FILES, marks_in, write_files
from openmed_rules.cli.boundary import run
from openmed_rules.cli.commands import COMMANDS, openmed_rules
from openmed_rules.formats import FORMATS
from surprises import surprises

PROJECT = """\
version: 1
gates:
  - {name: one, rules: rules.yaml, summary: notes/*.json, baseline: base.json, formats: {html: out/one.html}}
  - {name: two, rules: two.yaml, summary: lines.jsonl, evidence: notes/good.json, formats: [junit]}
"""
BASE = "base.json"
INPUTS = "notes lines.jsonl cut.jsonl.gz odd.txt -"
ALL_FORMATS = " ".join(f"-f {name}=out/result.{name}" for name in FORMATS)
SHOWS_ALL = "--positions 1000 --min-cell 1 --locators"

DRIVEN = [
    *(f"check -r {rules} {INPUTS} -f {name} {SHOWS_ALL}" for name in FORMATS for rules in ("spans.yaml", "forms.yaml")),
    *(f"check -r {rules} {INPUTS} {ALL_FORMATS} {SHOWS_ALL} --worklist out/worklist" for rules in ONE_INPUT),
    *(f"check -r {rules} {INPUTS} --input-format {layout}" for rules in ONE_INPUT for layout in ("json", "jsonl")),
    "check -r rules.yaml notes --input-format parquet",
    f"check -r rules.yaml {INPUTS} --output out/result --strict-json --report-only --root . --debug",
    f"check -r rules.yaml {INPUTS} --baseline {BASE} --baseline {BASE} -f html -f text=out/text",
    *(f"check -r two.yaml lines.jsonl --evidence notes/{name}.json --evidence odd.txt --debug" for name in LINES),
    "check -r two.yaml notes/good.json",
    "check -r rules.yaml notes --engine python",
    "check -r rules.yaml notes lines.jsonl --jobs 2",  # the processes themselves in tests/faults/test_workers.py
    "check -r rules.yaml - --engine spark",  # the rest of Spark in tests/test_spark.py
    "check -r rules.yaml lines.jsonl --column case --evidence-column evidence",
    "check -r rules.yaml notes/missing.json notes/good.json",
    "check -r rules.yaml 'notes/[a-n]*.json'",
    "gate",
    "gate one --project openmed-rules.yaml --report-only",
    "gate -f text --debug",
    "gate -f json --jobs 2",
    "baseline update -r rules.yaml notes/plain.json notes/failing.json --baseline out/base.json",
    "baseline update -r two.yaml notes/plain.json --evidence notes/plain.json --baseline out/two.json --root . --debug",
    "baseline update -r rules.yaml lines.jsonl --baseline out/base.json --input-format jsonl",
    "baseline update -r rules.yaml notes/plain.json --input-format json --baseline out/base.json --tolerance 1%",
    "baseline update -r rules.yaml notes/plain.json --baseline out/base.json --because mended --floor 2 --drift 20%",
    "baseline update -r rules.yaml notes --input-format parquet --baseline out/base.json",
    "baseline update --gate one --project openmed-rules.yaml",
    f"validate {' '.join(RULE_FILES)} --strict --root .",
    "validate out/mended.yaml --fix --debug",
    "test misses.yaml --mutate --require-tests --junit out/junit.xml --root . --debug",
    "test misses.yaml -k file",
    *(f"explain -r {rules} notes lines.jsonl cut.jsonl.gz" for rules in ONE_INPUT),
    *(f"explain -r {rules} notes - --input-format {layout}" for rules in ONE_INPUT for layout in ("json", "jsonl")),
    *(f"explain -r two.yaml notes/{name}.json --evidence notes/{name}.json --root . --debug" for name in LINES),
    "explain -r rules.yaml notes --input-format parquet",
    "explain -r healthscribe notes --evidence notes",
    *(f"explain -r {layout} notes lines.jsonl" for layout in ("openai-chat", "openmed")),
    *(f"init notes/{name}.json -o out/init.yaml --no-recognise" for name in LINES if name != "keyed"),
    "init notes/plain.json notes/failing.json --evidence notes/plain.json --input-format json --debug",
    "init lines.jsonl --input-format jsonl --no-recognise",
    "init notes --input-format parquet",
    "list --debug",
    "show misses.yaml",
    "show misses.yaml --effective --origin --plan --root . --debug",
    "schema rules",
    "schema report --debug",
    "explain-code OMR-615 --debug",
    "--version",
    "--debug check -r rules.yaml notes/good.json",
    *(f"{command} --help" for command in ("", *COMMANDS)),
    # An input where a file of ours should stand.
    *(f"check -r {name} rules.yaml" for name in ("notes/good.json", "lines.jsonl", "odd.txt", "prose.txt")),
    *(f"{command} ./notes/{name}.json" for name in LINES for command in ("validate --fix", "test", "show")),
    *(f"show {option} prose.txt" for option in ("", "--effective", "--origin", "--plan")),
    *(f"explain -r {name} rules.yaml" for name in ("lines.jsonl", "notes/not-utf8.json", "prose.txt")),
    *(f"check -r rules.yaml notes --baseline {name}" for name in ("notes/good.json", "lines.jsonl", "prose.txt")),
    *(f"gate --project {name}" for name in ("notes/good.json", "lines.jsonl", "prose.txt")),
    "baseline update -r rules.yaml notes/plain.json --baseline notes/good.json",
    "validate out/extends.yaml out/extends_prose.yaml --root .",
]


class Drive(NamedTuple):
    """How one command ended: its code, all that it showed and logged, and what it did besides."""

    code: int
    shown: str
    events: list[watched.Event]


@pytest.fixture(scope="module")
def _filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driven")
    write_files(folder)
    (folder / "openmed-rules.yaml").write_text(PROJECT, encoding="utf-8")
    (folder / "out").mkdir()
    for number, extended in enumerate(("notes/good.json", "prose.txt")):
        copy = folder / "out" / ("extends.yaml", "extends_prose.yaml")[number]
        copy.write_text(RULE_FILES["rules.yaml"] + f"extends: ../{extended}\n", encoding="utf-8")
    (folder / "out" / "mended.yaml").write_text(RULE_FILES["misses.yaml"].replace('"@"', "@"), encoding="utf-8")
    os.chdir(folder)
    assert run(shlex.split(f"baseline update -r rules.yaml notes/plain.json notes/failing.json --baseline {BASE}")) == 0
    return folder


@pytest.fixture
def folder(_filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for each command."""
    place = tmp_path / "driven"
    shutil.copytree(_filled, place)
    monkeypatch.chdir(place)
    return place


@pytest.fixture(scope="module", autouse=True)
def _stand_where_you_stood() -> Iterator[None]:
    before = Path.cwd()
    yield
    os.chdir(before)


def drive(command: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Drive:
    """Run one command, with all that Python could tell about it turned on."""
    stdin = TextIOWrapper(BytesIO(b"\n".join(LINES.values())))
    monkeypatch.setattr(sys, "stdin", stdin)
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as warned, watched.recording() as events:
        warnings.simplefilter("always")
        code = run(shlex.split(command))
    stdin.detach()
    return Drive(code, f"{caplog.text}{told}{[str(warning.message) for warning in warned]}", events)


@pytest.mark.parametrize("command", DRIVEN, ids=str)
def test_a_command_shows_nothing_of_a_record_and_touches_nothing_that_was_not_named(
    command: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    driven = drive(command, monkeypatch, caplog)
    shown = capfd.readouterr()

    assert driven.code in {0, 1, 2, 3}
    assert shown.out + shown.err
    assert not marks_in(shown.out + shown.err + driven.shown)
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    changed = {path.relative_to(folder).as_posix() for path, content in after.items() if content != before.get(path)}
    assert not any(marks_in(path.read_bytes()) for path in map(Path, changed))
    assert changed <= {BASE, *(name for name in changed if name.startswith("out/"))}
    assert before.keys() <= after.keys()
    assert surprises(command, folder, driven.events) == []


TABLES = [
    "check -r rules.yaml table.parquet",
    "check -r rules.yaml table.parquet cut.parquet --column case --debug",
    "check -r rules.yaml table.parquet --column missing",
    "check -r two.yaml table.parquet --column case --evidence-column values",
    "explain -r rules.yaml table.parquet",
    "init table.parquet",
]


@pytest.mark.parametrize("command", TABLES)
def test_a_table_shows_nothing_of_its_rows(
    command: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    values = [json.dumps({"facts": [{"id": MARK}], MARK: [MARK]})] * len(LINES)
    columns = {"case": list(LINES.values()), "values": values, MARK: [MARK] * len(LINES)}
    parquet.write_table(pyarrow.table(columns), folder / "table.parquet")
    (folder / "cut.parquet").write_bytes((folder / "table.parquet").read_bytes()[:-90])
    driven = drive(command, monkeypatch, caplog)
    shown = capfd.readouterr()

    assert driven.code in {0, 1, 2, 3}
    assert not marks_in(shown.out + shown.err + driven.shown)


def test_every_command_and_every_option_is_driven() -> None:
    context = openmed_rules.make_context("openmed-rules", [], resilient_parsing=True)
    given: dict[str, dict[str, set[object]]] = {}
    every: dict[str, dict[str, set[object]]] = {}
    for name in openmed_rules.list_commands(context):
        command = openmed_rules.get_command(context, name)
        assert command is not None
        every[name] = {str(one.name): _choices(name, one) for one in command.params}
        given[name] = {}
        for driven in (shlex.split(line.removeprefix("--debug ")) for line in DRIVEN):
            if driven[0] == name:
                parser = command.make_parser(click.Context(command))
                values, _, order = parser.parse_args(driven[1:])
                for parameter in order:
                    _note(given[name], parameter, values.get(str(parameter.name)))

    assert {name: sorted(options) for name, options in every.items()} == {
        name: sorted(options) for name, options in given.items()
    }
    for name, options in every.items():
        for option, choices in options.items():
            assert choices <= given[name][option], f"{name} {option}"


def _choices(command: str, parameter: click.Parameter) -> set[object]:
    if (command, parameter.name) == ("check", "formats"):
        return set(FORMATS)
    return set(parameter.type.choices) if isinstance(parameter.type, click.Choice) else set()


def _note(given: dict[str, set[object]], parameter: click.Parameter, value: object) -> None:
    values = value if isinstance(value, list | tuple) else [value]
    words = {one.partition("=")[0] if isinstance(one, str) else one for one in values}
    if words - {None} and "UNSET" not in repr(value):
        given.setdefault(str(parameter.name), set()).update(words)


# --- a process of its own -------------------------------------------------------------------------

ALL_IN_ONE = """\
import json, os, shlex, sys
import watched
watched.install()
from surprises import surprises
found, folder = {}, __import__("pathlib").Path.cwd()
with watched.recording() as events:
    from openmed_rules.cli.boundary import run
    for command in json.loads(os.environ["DRIVEN"]):
        del events[:]
        code = run(shlex.split(command))
        if code not in {0, 1, 2, 3} or surprises(command, folder, list(events)):
            found[command] = [code, *surprises(command, folder, list(events))]
print("surprises:", found)
"""


def test_a_new_process_shows_and_touches_no_more(folder: Path) -> None:
    """With what is imported on the way, in development mode, with warnings as errors and the fault handler."""
    firsts = {line.split()[0]: line for line in reversed(DRIVEN) if " --help" not in line and line[0] != "-"}
    tests = Path(__file__).parents[1]
    environment = {
        **os.environ,
        "DRIVEN": json.dumps(list(firsts.values())),
        "PYTHONPATH": os.pathsep.join((str(tests), *filter(None, sys.path))),
        "PYTHONFAULTHANDLER": "1",
    }
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", ALL_IN_ONE]
    with (folder / "lines.jsonl").open("rb") as stdin:
        ended = subprocess.run(command, cwd=folder, env=environment, stdin=stdin, capture_output=True, check=False)

    assert ended.stdout.decode().splitlines()[-1] == "surprises: {}", ended.stderr.decode()[-2000:]
    assert not marks_in(ended.stdout + ended.stderr)
    assert b"Warning" not in ended.stderr


def test_a_crash_shows_the_lines_of_the_program_alone(folder: Path) -> None:
    program = "import faulthandler, sys\nfrom openmed_rules.judging import batch\n"
    program += "from openmed_rules.cli.boundary import main\n"
    program += "batch._judge_planned = batch._judge_pair = lambda *_: faulthandler._sigsegv()\n"
    program += "sys.argv[1:] = ['check', '-r', 'rules.yaml', 'notes/good.json']\nmain()\n"
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )

    assert ended.returncode not in {0, 1}
    assert f'File "{PACKAGE / "judging" / "batch.py"}"' in ended.stderr
    assert not marks_in(ended.stdout + ended.stderr)
