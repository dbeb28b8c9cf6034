"""What comes in: a document as bytes or as a value, or the word that it could not be read."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from openmed_rules.results.places import Place, Unreadable


class JsonText(Struct, frozen=True):
    """One JSON document, as the bytes of a file or of one line of it."""

    place: Place
    content: bytes

    def __repr__(self) -> str:
        """Where it stands, and nothing of what it says."""
        return f"JsonText({self.place})"


class MappedText(Struct, frozen=True):
    """One JSON document whose bytes stay in their file until they are looked at: it is long, or kept for later."""

    place: Place
    content: memoryview

    def __repr__(self) -> str:
        """Where it stands, and nothing of what it says."""
        return f"MappedText({self.place})"

    def whole(self) -> JsonText:
        """The same, held whole."""
        return JsonText(self.place, bytes(self.content))


class PlainValue(Struct, frozen=True):
    """One document that is parsed already: mappings, lists and scalars."""

    place: Place
    content: object

    def __repr__(self) -> str:
        """Where it stands, and nothing of what it says."""
        return f"PlainValue({self.place})"


Document: TypeAlias = JsonText | MappedText | PlainValue | Unreadable
