"""Measure this project beside its peers, interleaved, and write ``RESULTS.md``: ``python benchmarks/run.py``.

The peer is installed into an environment of its own. Every figure is a ratio of medians of runs that took turns; a
row whose counts differ from the peer's is void.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import corpus

HERE = Path(__file__).parent
WORK = HERE / "corpora"
PEER = WORK / "peer"


@dataclass(frozen=True)
class Row:
    """One comparison: what is measured, ours and the peer's command, what is compared, and the goal."""

    what: str
    against: str
    ours: list[str]
    theirs: list[str]
    goal: str
    compares: bool = True
    key: str = "cpu"


def peer_python() -> str:
    """The interpreter of the peer's environment, which is made where it is not there yet."""
    python = PEER / "bin" / "python"
    if not python.exists():
        venv.create(PEER, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "openmed==3.1.0", "orjson"], check=True)
    return str(python)


def measured(command: list[str]) -> dict[str, Any]:
    """What one run says of itself."""
    seeded = os.environ | {"PYTHONHASHSEED": "0"}
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=seeded)
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def rows(cases: int, claims: int) -> list[Row]:
    """What is measured."""
    python, peer = sys.executable, peer_python()
    files = {style: WORK / f"{style}-{cases}.jsonl" for style in corpus.STYLES}
    for style, file in files.items():
        corpus.write_lines(file, style, cases)
    document = WORK / f"document-{claims}.json"
    corpus.write_document(document, claims)

    def ours(way: str, file: Path, rules: str = "rules") -> list[str]:
        return [python, str(HERE / "ours.py"), way, str(file), rules]

    def theirs(way: str, file: Path) -> list[str]:
        return [peer, str(HERE / "theirs.py"), way, str(file)]

    def beside_orjson(style: str, goal: str) -> Row:
        file = files[style]
        rules = f"rules-{style}" if style in {"id", "span"} else "rules"
        parsing = theirs("orjson", file)
        return Row(f"both reports, {style}", "bare orjson", ours("fast", file, rules), parsing, goal, compares=False)

    mixed = files["mixed"]
    openmed, openmed_document = theirs("openmed-json", mixed), theirs("openmed-orjson", document)
    return [
        Row("both reports, mixed corpus", "openmed + json", ours("fast", mixed), openmed, "15 times faster"),
        Row("general way, mixed corpus", "openmed + json", ours("general", mixed), openmed, "4 times faster"),
        beside_orjson("mixed", "at most 1.5 times"),
        beside_orjson("id", "at most 1.25 times"),
        beside_orjson("span", "at most 1.5 times"),
        beside_orjson("both", "at most 1.5 times"),
        Row("one document", "openmed + orjson", ours("fast", document), openmed_document, "8 times faster"),
        Row(
            "memory of one document",
            "openmed + orjson",
            ours("fast", document),
            openmed_document,
            "a tenth",
            key="memory",
        ),
    ]


def process_rows(lines: int) -> list[Row]:
    """Two processes beside one."""
    file = WORK / f"mixed-{lines}.jsonl"
    corpus.write_lines(file, "mixed", lines)
    two, one = ([sys.executable, str(HERE / "ours.py"), way, str(file)] for way in ("jobs-2", "jobs-1"))
    return [Row(f"two processes, {lines:,} lines, wall time", "one", two, one, "1.7 times faster", key="wall")]


def large(lines: int, claims: int) -> list[str]:
    """CPU time and memory of the largest inputs; their files are removed, since they take more than a gigabyte."""
    found = []
    for what, write, file, goal in (
        ("JSONL", partial(corpus.write_lines, style="mixed", cases=lines), WORK / f"large-{lines}.jsonl", 150),
        ("one document", partial(corpus.write_document, claims=claims), WORK / f"large-{claims}.json", 400),
    ):
        write(file)
        run = measured([sys.executable, str(HERE / "ours.py"), "jobs-1", str(file)])
        size = file.stat().st_size / 1e6
        found.append(f"| {what} | {size:.0f} | {run['cpu']:.3g} | {run['memory'] / 1024:.0f} | under {goal} |")
        file.unlink()
    return ["", "| what | MB | CPU seconds | MB of memory | goal |", "|---|--:|--:|--:|--:|", *found]


def spark_rows(lines: int) -> list[Row]:
    """Spark beside the loop in one process, where Spark is at hand."""
    if find_spec("pyspark") is None or shutil.which("java") is None:
        print("without Spark: it needs pip install 'openmed-rules[spark]', and Java")
        return []
    file = WORK / f"mixed-{lines}.jsonl"
    corpus.write_lines(file, "mixed", lines)
    ours, loop = ("on_spark.py", str(file)), ("ours.py", "fast", str(file))
    commands = ([sys.executable, str(HERE / script), *words] for script, *words in (ours, loop))
    return [Row(f"Spark, {lines:,} lines, wall time", "the loop in one process", *commands, "1.1 times", key="wall")]


def cold_start(runs: int) -> list[str]:
    """CPU time of `check` on one small file beside that of an interpreter that does nothing."""
    example = HERE.parent / "examples" / "openai-responses" / "response.json"
    check = [sys.executable, "-m", "openmed_rules", "check", "-r", "openai-responses", str(example)]
    bare = [sys.executable, "-c", "pass"]
    pairs = [(_seconds(check), _seconds(bare)) for _ in range(3 * runs)][1:]  # the first writes the byte code
    ours, theirs = (statistics.median(column) * 1e3 for column in zip(*pairs, strict=True))
    return [
        "",
        "| cold start | CPU milliseconds | of a bare interpreter | more | goal |",
        "|---|--:|--:|--:|--:|",
        f"| check on one small file | {ours:.0f} | {theirs:.0f} | {ours - theirs:.0f} | at most 150 |",
    ]


def _seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_layout() -> list[str]:
    """What each built-in layout costs on the inputs of its tests that pass; items are claims, citations, records."""
    ended = subprocess.run([sys.executable, str(HERE / "by_layout.py")], capture_output=True, text=True, check=True)
    layouts = [json.loads(said) for said in ended.stdout.splitlines()]
    layouts.sort(key=lambda found: (found["why"] is not None, found["microseconds"]))
    return [
        "",
        "| layout | microseconds a case | bytes a case | items a case | times a parse of all | why not the fast way |",
        "|---|--:|--:|--:|--:|---|",
        *(
            f"| {found['layout']} | {found['microseconds']:.0f} | {found['bytes']:.0f} | {found['items']:.0f} |"
            f" {found['parsings']:.0f} | {found['why'] or ''} |"
            for found in layouts
        ),
    ]


def line(row: Row, runs: int) -> str:
    """One row of the table: the runs take turns, so that a slow minute of the machine is both's."""
    pairs = [(measured(row.ours), measured(row.theirs)) for _ in range(runs)]
    ours = [mine[row.key] for mine, _ in pairs]
    theirs = [other[row.key] for _, other in pairs]
    ratio = statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True))
    agrees = not row.compares or all(mine["counts"] == other["counts"] for mine, other in pairs)
    said = f"{ratio:.2f} times its time" if ratio >= 1 else f"{1 / ratio:.1f} times faster"
    if row.key == "memory":
        said = f"{ratio:.2f} times its memory"
    spread = f"{min(ours):.3g} to {max(ours):.3g}"
    columns = [
        row.what,
        row.against,
        f"{statistics.median(ours):.3g} ({spread})",
        f"{statistics.median(theirs):.3g}",
        said if agrees else "VOID: counts differ",
        row.goal,
    ]
    return f"| {' | '.join(columns)} |"


def growth(sizes: list[int], name: str, write: Callable[[Path, int], None]) -> list[str]:
    """CPU time and memory for the same corpus at growing sizes."""
    found = []
    for size in sizes:
        file = WORK / name.format(size)
        write(file, size)
        run = measured([sys.executable, str(HERE / "ours.py"), "fast", str(file)])
        found.append(f"| {size} | {run['cpu']:.3g} | {run['cpu'] / size * 1e6:.1f} | {run['memory'] / 1024:.0f} |")
    return found


def main() -> None:
    """Measure, and write the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=4000)
    options.add_argument("--claims", type=int, default=20000)
    options.add_argument("--lines", type=int, default=200_000, help="for what is worth several processes")
    options.add_argument("--large", action="store_true", help="also a gigabyte of JSONL and one document of half of it")
    options.add_argument("--runs", type=int, default=5)
    chosen = options.parse_args()
    WORK.mkdir(exist_ok=True)
    measured_rows = (*rows(chosen.cases, chosen.claims), *process_rows(chosen.lines), *spark_rows(chosen.lines))
    table = [line(row, chosen.runs) for row in measured_rows]
    cases, claims = ([size * factor for factor in (1, 2, 4, 8, 16)] for size in (chosen.cases, chosen.claims))
    page = "\n".join(
        [
            "# Results",
            "",
            f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}.",
            f"{chosen.cases} cases of 6 kB a line; one document of {chosen.claims} claims.",
            f"Medians of {chosen.runs} runs that took turns, in CPU seconds (kB of memory).",
            "Memory of ours is what is held beside the pages of mapped files (`RssAnon`, sampled).",
            "",
            "| what | against | ours | theirs | ratio | goal |",
            "|---|---|---|---|---|---|",
            *table,
            "",
            "| cases | CPU seconds | microseconds a case | MB |",
            "|--:|--:|--:|--:|",
            *growth(cases, "mixed-{}.jsonl", lambda file, size: corpus.write_lines(file, "mixed", size)),
            "",
            "| claims of one document | CPU seconds | microseconds a claim | MB |",
            "|--:|--:|--:|--:|",
            *growth(claims, "document-{}.json", corpus.write_document),
            *cold_start(chosen.runs),
            *by_layout(),
            *(large(160_000, 1_130_000) if chosen.large else ()),
            "",
        ]
    )
    (HERE / "RESULTS.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
