"""Where the results of one run go: each to its place, and none in the way of another."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable

from msgspec import Struct

from openmed_rules.cli.streams import show, tell
from openmed_rules.errors import OutputError, UsageError
from openmed_rules.formats import FORMATS
from openmed_rules.formats.wording import printable
from openmed_rules.results.report import Report
from openmed_rules.ruleset.problems import did_you_mean
from openmed_rules.running.output import write_output

_STDOUT = frozenset({"-", "/dev/stdout", "/dev/fd/1"})


class Output(Struct, frozen=True):
    """One result and its place: a file, or standard output where ``file`` is None."""

    render: Callable[[Report], str]
    file: str | None


def to_file(render: Callable[[Report], str], name: str) -> Output:
    """What ``render`` gives, to the file of that name; ``-`` is standard output."""
    return Output(render, None if name in _STDOUT else name)


def outputs_of(formats: Iterable[str], output: str | None) -> tuple[Output, ...]:
    """Each ``FORMAT=FILE``; a ``FORMAT`` alone goes to ``output``, or to standard output.

    Raises:
        UsageError: a format is not known, or a file has no name; or no format is left for ``output``.
    """
    pairs = [said.partition("=") for said in formats]
    if output is not None and all(equals for _, equals, _ in pairs):
        raise UsageError("OMR-628", f"--output {output}: every format has a file of its own")
    return tuple(_output(name, file if equals else "-" if output is None else output) for name, equals, file in pairs)


def _output(name: str, file: str) -> Output:
    if name not in FORMATS:
        hint = did_you_mean(name, FORMATS) or f"the formats are {', '.join(FORMATS)}"
        raise UsageError("OMR-627", f"there is no format {name}; {hint}")
    if not file:
        raise UsageError("OMR-627", f"--format {name}=: the name of the file is missing")
    return to_file(FORMATS[name], file)


def check_places(outputs: Iterable[Output]) -> None:
    """Hold the places of all results against each other.

    Raises:
        UsageError: two results go to one place.
    """
    places: set[str | None] = set()
    for output in outputs:
        place = None if output.file is None else _place(output.file)
        if place in places:
            raise UsageError("OMR-628", f"two results go to {output.file or 'standard output'}")
        places.add(place)


def _place(file: str) -> str:
    try:
        return os.path.realpath(file)
    except OSError:  # it cannot be told, nor written to
        return file


def write_outputs(results: Iterable[tuple[Output, Report]]) -> bool:
    """Write each result to its place, also where another cannot be written; whether all of them are there.

    What cannot be written is told.
    """
    written = [_is_written(output, report) for output, report in results]
    return all(written)


def _is_written(output: Output, report: Report) -> bool:
    try:
        _write(output, report)
    except OutputError as error:
        tell(f"{printable(str(error))}\n")
        return False
    return True


def _write(output: Output, report: Report) -> None:
    if output.file is not None:
        write_output(output.file, output.render(report))
    elif output.render is FORMATS["text"] and sys.stdout is not None and sys.stdout.isatty():
        from openmed_rules.cli.terminal import in_colour

        show(in_colour(report))
    else:
        show(output.render(report))
