"""Fuzz every target for a while: ``python fuzz/run.py [SECONDS] [TARGET...]``, with ``atheris`` installed.

SECONDS is for each target (15 where it is not said). What makes one fail is left in ``fuzz/crashes``; a row of
``tests/test_fuzz.py`` keeps it from coming back. Exit code: 0 nothing failed, 1 something did, 2 wrong use.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from corpus import write_corpus, write_words
from targets import TARGETS

HERE = Path(__file__).parent
CRASHES = HERE / "crashes"
LONGEST_INPUT = 16_384
SECONDS_FOR_ONE = 10
"""One input that takes longer fails its target: nothing here may take a time that is not in proportion."""
MEGABYTES = 2048


def main(arguments: list[str]) -> int:
    """Fuzz the targets that are named, two at a time."""
    seconds = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 15
    names = arguments or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        print(f"no target is called {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
        return 2
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(lambda name: _fuzz(name, seconds, Path(folder)), names))
    return int(any(codes))


def _fuzz(name: str, seconds: int, folder: Path) -> int:
    """Fuzz one target and tell how it went; the exit code of its process."""
    seeds = write_corpus(name, folder / name)
    write_words(folder / f"{name}.words")
    CRASHES.mkdir(exist_ok=True)
    command = [
        sys.executable, str(HERE / "one.py"), name,
        str(folder / name),
        f"-dict={folder / name}.words",
        f"-artifact_prefix={CRASHES}/{name}-",
        f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}",
        f"-timeout={SECONDS_FOR_ONE}", f"-rss_limit_mb={MEGABYTES}", "-print_final_stats=1",
    ]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    executions = re.search(r"number_of_executed_units: (\d+)", ended.stderr)
    covered = re.findall(r"cov: (\d+)", ended.stderr)
    told = f"{executions[1] if executions else '?'} inputs, {covered[-1] if covered else '?'} branches"
    print(f"{name}: {seeds} seeds, {told}, {'FAILED' if ended.returncode else 'nothing failed'}", flush=True)
    if ended.returncode:
        print(*_why(ended.stdout + ended.stderr), sep="\n", flush=True)
    return ended.returncode


def _why(log: str) -> list[str]:
    """What of a log is no progress: the traceback, and the input."""
    return [line for line in log.splitlines() if not re.match(r"#\d+\t|INFO:|stat::", line)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
