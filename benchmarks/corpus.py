"""Synthetic corpora from a seed: cases with claims, citations and evidence, a few of them dirty."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WORDS = (
    "stable on the same dose denies pain labs reviewed follow up in two weeks history of raised pressure imaging"
    " shows no acute process plan continue diet discussed no known reaction sleeps well walks daily"
).split()
STYLES = ("mixed", "id", "span", "both")


def words(chance: random.Random, count: int) -> str:
    """Text that no rule reads."""
    return " ".join(chance.choices(WORDS, k=count))


def case(
    chance: random.Random, number: int, *, claims: int, citations: int, records: int, style: str
) -> dict[str, Any]:
    """One case. ``style``: what citations carry; ``mixed`` has all of them, and 2 % of its cases are dirty."""
    evidence = list(_evidence(chance, number, records))
    dirty = style == "mixed"
    cited = [
        {
            "id": f"cl-{claim}",
            "claim": words(chance, chance.randint(10, 24)),
            "citations": [_citation(chance, evidence, style) for _ in range(citations)],
        }
        for claim in range(claims)
    ]
    if dirty and chance.random() < 0.02:
        empty = evidence[-1] | {"end": evidence[-1]["start"]}
        evidence[-1] = chance.choice([dict(evidence[0]), {"type": "note"}, empty])
    if dirty and chance.random() < 0.05:
        cited[-1]["citations"] = []
    return {"case_id": f"case-{number}", "claims": cited, "evidence": evidence}


def _evidence(chance: random.Random, number: int, records: int) -> Iterator[dict[str, Any]]:
    position = 0
    for record in range(records):
        length = chance.randint(20, 200)
        span = {"start": position, "end": position + length}
        text = words(chance, chance.randint(12, 36))
        yield {"id": f"ev-{number}-{record:06d}", "type": "note"} | span | {"text": text}
        position += length + chance.randint(1, 9)


def _citation(chance: random.Random, evidence: list[dict[str, Any]], style: str) -> dict[str, Any]:
    record = chance.choice(evidence)
    by_id = {"evidence_id": record["id"]}
    by_span = {"start": record["start"], "end": record["end"]}
    if style != "mixed":
        return {"id": by_id, "span": by_span, "both": by_id | by_span}[style]
    luck = chance.random()
    if luck < 0.82:
        return by_id | by_span if luck < 0.70 else by_id
    if luck < 0.92:
        return by_span
    if luck < 0.95:
        return by_id | by_span | {"end": record["end"] + 1}
    return {"evidence_id": "ev-unknown"} | by_span if luck < 0.97 else {"note": "nothing to match by"}


def write_lines(file: Path, style: str, cases: int, *, seed: int = 7) -> None:
    """``cases`` cases of 8 claims, one a line; nothing is written where the file is there already."""
    if file.exists():
        return
    chance = random.Random(seed)
    with file.open("w", encoding="utf-8") as out:
        for number in range(cases):
            out.write(json.dumps(case(chance, number, claims=8, citations=2, records=20, style=style)) + "\n")


def write_document(file: Path, claims: int, *, seed: int = 9) -> None:
    """One case with as many records as claims."""
    if not file.exists():
        chance = random.Random(seed)
        document = case(chance, 0, claims=claims, citations=1, records=claims, style="both")
        file.write_text(json.dumps(document), encoding="utf-8")
