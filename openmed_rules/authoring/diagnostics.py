"""The catalogue of diagnostics: of every code what causes it, an example, and what to do.

An example is a piece of a rule file (what it leaves out stands in ``BASE``), or a command, which begins with ``$``.
"""

from __future__ import annotations

import re
from typing import Final

from openmed_rules.authoring.diagnoses import DIAGNOSES
from openmed_rules.errors import CODES

BASE: Final = """\
version: 1
name: notes
claims: {records: $.claims, id: id}
citations: {records: citations, id: fact}
evidence: {records: $.facts, id: id}
"""
"""The rule file around an example."""

_TOP_KEY: Final = re.compile(r"^([a-z]+):", re.MULTILINE)
_GROUPS: Final = (
    ("OMR-1", "The text of a rule file"),
    ("OMR-2", "The shape of a rule file"),
    ("OMR-3", "Paths and patterns"),
    ("OMR-4", "What a rule file says"),
    ("OMR-5", "Rule files on disk"),
    ("OMR-6", "Inputs and calls"),
    ("OMR-7", "Outputs"),
    ("OMR-80", "Gates and baselines"),
    ("OMR-81", "Project files and waivers"),
    ("OMR-83", "Warnings: what is read"),
    ("OMR-84", "Warnings: how strict the gate is"),
    ("OMR-85", "Warnings: what tests leave open"),
    ("OMR-9", "Faults of our own"),
)


def whole_file(example: str) -> str:
    """A rule file with an example in it: the lines of ``BASE`` whose keys it does not have, and the example."""
    said = set(_TOP_KEY.findall(example))
    lines = [line for line in BASE.splitlines(keepends=True) if line.partition(":")[0] not in said]
    return "".join((*lines, example, "" if example.endswith("\n") else "\n"))


def explained(code: str) -> str:
    """What ``explain-code`` prints."""
    found = DIAGNOSES[code]
    example = "".join(f"    {line}\n" for line in found.example.splitlines())
    return f"{code}: {CODES[code]}\n\nFor example:\n\n{example}\n{found.remedy}\n"


def page() -> str:
    """The page about every code, in Markdown."""
    lines = [
        "# Diagnostics",
        "",
        "Every problem has a code that never changes its meaning. `openmed-rules explain-code OMR-nnn` tells the same",
        "without a network. Around each example of a rule file stands this one:",
        "",
        "```yaml",
        *BASE.splitlines(),
        "```",
    ]
    for start, title in _GROUPS:
        lines += ("", f"## {title}")
        for code in sorted(code for code in CODES if _group(code) == start):
            found = DIAGNOSES[code]
            fence = "```console" if found.example.startswith("$") else "```yaml"
            head = CODES[code]
            lines += ("", f"### {code}", "", f"{head[:1].upper()}{head[1:]}.", "")
            lines += (fence, *found.example.splitlines(), "```", "", found.remedy)
    return "\n".join(lines) + "\n"


def _group(code: str) -> str:
    return next(start for start, _ in reversed(_GROUPS) if code.startswith(start))
