"""How a report is written down: one file for each format, each a function from the report to its text."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from openmed_rules.formats.csv import render_csv
from openmed_rules.formats.github import render_github
from openmed_rules.formats.html import render_html
from openmed_rules.formats.json import render_json
from openmed_rules.formats.junit import render_junit
from openmed_rules.formats.markdown import render_markdown
from openmed_rules.formats.sarif import render_sarif
from openmed_rules.formats.text import render_text
from openmed_rules.results.report import Report

FORMATS: Final = MappingProxyType[str, Callable[[Report], str]](
    {
        "text": render_text,
        "json": render_json,
        "markdown": render_markdown,
        "junit": render_junit,
        "sarif": render_sarif,
        "github": render_github,
        "csv": render_csv,
        "html": render_html,
    }
)
