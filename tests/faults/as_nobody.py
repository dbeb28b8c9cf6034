"""Commands run by a user who may do nothing: a script of its own, since it forks and gives its rights away.

Reads ``[place, argument, ...]``, one JSON array a line, and writes ``[code, shown, told]`` for each; ``place`` is
where in the folder at hand the command runs.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from openmed_rules.cli import main
from openmed_rules.cli.boundary import run

NOBODY = 65534


def ended(place: str, arguments: list[str]) -> tuple[int, str, str]:
    """How a command ends that starts in ``place``: its code, and what it wrote to either stream."""
    with tempfile.TemporaryFile() as shown, tempfile.TemporaryFile() as told:
        child = os.fork()
        if not child:
            os.dup2(shown.fileno(), 1)
            os.dup2(told.fileno(), 2)
            os.chdir(place)
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            sys.argv[1:] = arguments
            main()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        shown.seek(0)
        told.seek(0)
        return code, shown.read().decode(), told.read().decode()


def warm_up(rows: list[list[str]]) -> None:
    """Run each command in a copy of the folder, so that all is imported: nobody may read where Python stands."""
    before, copy = Path.cwd(), Path(tempfile.mkdtemp())
    shutil.copytree(before, copy, dirs_exist_ok=True)
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for place, *arguments in rows:
            os.chdir(copy / place)
            run(arguments)
    os.chdir(before)
    shutil.rmtree(copy)


if __name__ == "__main__":
    rows = [json.loads(line) for line in sys.stdin]
    warm_up(rows)
    for place, *arguments in rows:
        sys.stdout.write(json.dumps(ended(place, arguments)) + "\n")
        sys.stdout.flush()
