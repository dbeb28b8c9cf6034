"""One small layout that many tests speak of: its rules, and cases that pass, fail and cannot be read."""

from __future__ import annotations

from typing import Any

RULES = """\
version: 1
name: notes
claims: {records: $.claims, id: id}
citations: {records: citations, id: fact}
evidence: {records: $.facts, id: id}
"""

TWO_INPUTS = """\
version: 1
name: notes-and-facts
claims: {records: $.claims, id: id}
citations: {records: citations, id: fact}
evidence: {in: evidence, records: $.facts, id: id}
"""


def case(*cited: str, facts: tuple[str, ...] = ("f1",)) -> dict[str, Any]:
    """A summary of one claim that cites ``cited``, with its facts."""
    return {**summary(*cited), **evidence(*facts)}


def summary(*cited: str) -> dict[str, Any]:
    """A summary of one claim that cites ``cited``."""
    return {"claims": [{"id": "c1", "text": "synthetic", "citations": [{"fact": name} for name in cited]}]}


def evidence(*facts: str) -> dict[str, Any]:
    """The facts of that name."""
    return {"facts": [{"id": name, "value": "synthetic"} for name in facts]}


PASSING = case("f1")
FAILING = case("f1", "f404")
