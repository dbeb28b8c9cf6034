"""The report as published JSON, for programs."""

from __future__ import annotations

import json

from openmed_rules.results.report import Report


def render_json(report: Report) -> str:
    """The report's ``to_dict()``, indented, in ASCII."""
    return json.dumps(report.to_dict(), indent=2, allow_nan=False) + "\n"
