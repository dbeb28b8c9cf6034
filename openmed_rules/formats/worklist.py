"""The places of what failed, one a line: for the person who looks them up where the summaries live."""

from __future__ import annotations

import json

from openmed_rules.formats.reasons import all_spots
from openmed_rules.results.report import Report


def render_worklist(report: Report) -> str:
    """JSONL of file, line, case, claim, citation and record numbers as far as they are known, and the reason."""
    return "".join(
        f"{json.dumps({**spot.place.to_dict(), **spot.known, 'reason': spot.reason})}\n" for spot in all_spots(report)
    )
