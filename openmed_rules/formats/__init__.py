"""How a report is written down: one file for each format, each a function from the report to its text."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import MappingProxyType
from typing import Final

from openmed_rules.results.report import Report


def _format(name: str) -> Callable[[Report], str]:
    """``render_NAME`` of the module of that name, which is imported once a report is written so."""

    def render(report: Report) -> str:
        text: str = getattr(import_module(f"openmed_rules.formats.{name}"), f"render_{name}")(report)
        return text

    return render


NAMES = ("text", "json", "markdown", "junit", "sarif", "github", "csv", "html")
FORMATS: Final = MappingProxyType({name: _format(name) for name in NAMES})
