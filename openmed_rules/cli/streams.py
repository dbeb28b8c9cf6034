"""Standard output and standard error, also where nobody reads them or the disk is full."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from openmed_rules.errors import OutputError


def escape_unknown_letters() -> None:
    """From now on a letter that standard output cannot write is spelt out, instead of being an error."""
    if sys.stdout is not None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def show(text: str) -> None:
    """Writes a result to standard output; a reader that went away is no error.

    Raises:
        OutputError: it cannot be written.
    """
    if sys.stdout is None:
        raise OutputError("OMR-701", "standard output is closed")
    problem = None
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
    except OSError as error:
        _silence(sys.stdout)
        problem = OutputError("OMR-701", f"standard output: {error.strerror}")
    if problem:
        raise problem


def tell(text: str) -> None:
    """Writes a message to standard error, if that is possible."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """What is left in the stream goes nowhere, so that the interpreter does not trip over it when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
