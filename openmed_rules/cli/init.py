"""``init``: a rule file inferred from samples."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from openmed_rules.authoring.inference.inferring import Inferred, infer_rules
from openmed_rules.cli.streams import show, tell
from openmed_rules.errors import InputError, UsageError
from openmed_rules.ruleset.files import is_file
from openmed_rules.running.files import INPUT_FORMATS, STDIN, InputFile, InputFormat, find_files
from openmed_rules.running.output import write_output
from openmed_rules.running.reading import read_documents

_UNNAMED = "inferred"
_LONGEST_NAME = 80


@click.command("init")
@click.argument("samples", nargs=-1, required=True, metavar="SAMPLE...")
@click.option("--evidence", multiple=True, metavar="FILE", help="The second input; may be given again.")
@click.option("-o", "--output", metavar="FILE", help="The new rule file, instead of standard output.")
@click.option("--no-recognise", is_flag=True, help="Infer the rules also where a built-in layout fits.")
@click.option("--input-format", type=click.Choice(INPUT_FORMATS), help="How the samples are laid out.")
def init_command(
    *,
    samples: tuple[str, ...],
    evidence: tuple[str, ...],
    output: str | None,
    no_recognise: bool,
    input_format: InputFormat | None,
) -> int:
    """Infer a rule file from SAMPLE..., and say what speaks for it and what only you can tell.

    Exit code: 0 there is a rule file, 2 wrong use, 3 a sample that is unreadable, or in which nothing was found.
    """
    if [*samples, *evidence].count(STDIN) > 1:
        raise UsageError("OMR-624", "standard input can be read only once")
    if output is not None and output != STDIN and os.path.lexists(output):
        raise UsageError("OMR-633", f"{output}: exists already; remove it, or name another file")
    summary_files = find_files(samples, input_format)
    evidence_files = find_files(evidence, input_format)
    with _progress([*summary_files, *evidence_files]) as told:
        inferred = infer_rules(
            read_documents(summary_files),
            read_documents(evidence_files) if evidence else None,
            name=_name(output),
            known_layouts=not no_recognise,
            told=told,
        )
    return _write(inferred, output)


def _write(inferred: Inferred, output: str | None) -> int:
    tell("".join(f"openmed-rules: question: {question}\n" for question in inferred.questions))
    if inferred.text is None:
        raise InputError("OMR-634", "no citation of the sample names a record, so no rule could be inferred")
    if inferred.layout:
        tell(f"openmed-rules: this is {inferred.layout}\n")
    if output is None or output == STDIN:
        show(inferred.text)
        return 0
    write_output(output, inferred.text)
    tell(f"openmed-rules: {output} written; now: openmed-rules test {output}\n")
    return 0


def _name(output: str | None) -> str:
    """What the rules are called: after the new file, and never after a sample, whose name may tell too much."""
    stem = Path(output).stem if output and output != STDIN else ""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", stem)[:_LONGEST_NAME].strip("-") or _UNNAMED


@contextmanager
def _progress(files: Sequence[InputFile]) -> Iterator[Callable[[int], None]]:
    """What to call with the size of each document that was read; a terminal shows a bar."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _size: None
        return
    from rich.console import Console
    from rich.progress import Progress

    total = sum(map(_size, files)) or None
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading samples", total=total)
        yield lambda size: progress.advance(task, size)


def _size(file: InputFile) -> int:
    """The size of a file in bytes; of one that is compressed or is no file it cannot be told."""
    path = Path(file.name)
    return path.stat().st_size if is_file(path) and not file.packing else 0
