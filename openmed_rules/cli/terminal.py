"""The text format in colour."""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import Final

from rich.console import Console
from rich.text import Text

from openmed_rules.formats.text import Role, text_lines
from openmed_rules.results.report import Report

_STYLES: Final = MappingProxyType[Role, str](
    {
        "passed": "bold green",
        "failed": "bold red",
        "not_evaluated": "bold yellow",
        "heading": "bold",
        "reason": "red",
        "plain": "",
    }
)


def in_colour(report: Report) -> str:
    """The lines of the text format, with what makes a terminal show them in colour."""
    console = Console(file=sys.stdout, soft_wrap=True, highlight=False)
    with console.capture() as capture:
        for line in text_lines(report):
            console.print(Text(line.text, style=_STYLES[line.role]))
    return capture.get()
