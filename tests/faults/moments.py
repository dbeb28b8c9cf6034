"""A command run again and again, each time with a signal at another moment: a script of its own, since it forks.

``python moments.py SIGNAL HOW_MANY FILE ARGUMENT...``: a moment is a call of a function, counted from where the
command begins to where the process ends. Writes one JSON object for
each moment: the exit code, what was shown, what FILE holds, and which other files are there.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import openmed_rules
from openmed_rules.cli import main

BEGUN, LAST = 30, 8
"""The call from which on a command has a word for a signal, and how many calls at the end are all tried."""
SHOWN = Path("shown.out"), Path("shown.err")


def load_everything() -> None:
    """Import all that a command may import, so that a moment is one of the command, and not of an import."""
    for module in pkgutil.walk_packages(openmed_rules.__path__, "openmed_rules."):
        if not module.name.endswith((".__main__", ".pytest_plugin", ".upstream", ".upstream_reports")):
            with suppress(ImportError):  # of a package that is not installed, and that no command here needs
                importlib.import_module(module.name)


def run(arguments: list[str], number: int, at: int) -> None:
    """Run the command in this process, which it ends; the signal comes at the call ``at``, and never where that is 0.

    The first call is that of the command itself, which has not begun then.
    """
    for stream, file in enumerate(SHOWN, 1):
        shown = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(shown, stream)
        os.close(shown)
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"
        if calls == at:
            sys.setprofile(None)
            os.kill(os.getpid(), number)

    if not at:
        atexit.register(lambda: Path("calls").write_text(str(calls)))
    sys.argv[1:] = arguments
    sys.setprofile(count)
    main()


def outcome(target: Path, code: int) -> dict[str, object]:
    """What a run left behind."""
    out, error = (file.read_text(encoding="utf-8") for file in SHOWN)
    there = sorted(path.name for path in Path.cwd().iterdir())
    return {"code": code, "out": out, "err": error, "held": target.read_text(encoding="utf-8"), "files": there}


def spread(calls: int, how_many: int) -> list[int]:
    """So many moments over all ``calls``, and the last ones, in which the command ends."""
    evenly = {BEGUN + (calls - BEGUN) * part // how_many for part in range(how_many)}
    return sorted(evenly | set(range(calls - LAST, calls)))


def main_of_all(number: int, how_many: int, target: Path, arguments: list[str]) -> None:
    """Fork a run for each moment, spread evenly over the calls that the command makes."""
    moments, done = [0], 0
    old = target.read_bytes()
    while done < len(moments):
        at = moments[done]
        target.write_bytes(old)
        child = os.fork()
        if not child:
            run(arguments, number, at)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        done += 1
        if not at:
            calls = int(Path("calls").read_text())
            Path("calls").unlink()
            moments += spread(calls, how_many)
        sys.stdout.write(json.dumps({"at": at, **outcome(target, code)}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    load_everything()
    main_of_all(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
