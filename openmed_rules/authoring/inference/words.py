"""What names say: the words that people give to claims, citations, evidence and ids."""

from __future__ import annotations

import re
from functools import lru_cache


def _set(words_of_a_kind: str) -> frozenset[str]:
    return frozenset(words_of_a_kind.split())


CLAIM = _set(
    "claim statement sentence summary answer response relation assertion finding insight inference bullet "
    "conclusion output message content fact text segment row support attribution paragraph"
)
CITATION = _set(
    "citation cite cited reference ref referenced evidence source support supported supporting link "
    "provenance annotation grounding target span attribution node retrieved retrieval chunk fact token "
    "turn existing contradicted index indices"
)
EVIDENCE = _set(
    "evidence fact source doc document chunk passage segment reference context record hit result entity "
    "entities ent token transcript turn node allowed citation annotation sentence span title resource "
    "retrieval"
)
ID = _set("id ident identifier key ref refid idx index indices uri url number no pmid pointer path")
GIVES = _set("from subject parent")
TAKES = _set("to target object ref")
"""What the two ends of an edge are called: a claim gives, its evidence takes."""

OFFSET = _set("start begin end stop offset length len first last")
"""Counts of letters, pages or sentences; no ids, and small enough to meet any number by chance."""

_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@lru_cache(maxsize=4096)
def words(name: str) -> frozenset[str]:
    """The words of a key, in small letters and without a plural ``s``."""
    pieces = [piece.lower() for piece in _PIECE.findall(name)]
    return frozenset(pieces) | {piece.removesuffix("s") for piece in pieces}


def says(name: str, meant: frozenset[str]) -> bool:
    """Whether a key has one of the words that are meant."""
    return bool(words(name) & meant)
