"""What comes in: a document as bytes or as a value, or the word that it could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from openmed_rules.results.places import Place, Unreadable


@dataclass(slots=True)
class JsonText:
    """One JSON document, as the bytes of a file or of one line of it."""

    place: Place
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class PlainValue:
    """One document that is parsed already: mappings, lists and scalars."""

    place: Place
    content: object = field(repr=False)


Document: TypeAlias = JsonText | PlainValue | Unreadable
