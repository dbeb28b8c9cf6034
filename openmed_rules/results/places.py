"""Where something was found: files, numbers and reasons, never an id, a key or a text."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from openmed_rules.errors import meaning


class Place(Struct, frozen=True):
    """One document: a file as it was named, and the line in it where the file is one document a line.

    ``line`` counts from 1; None where the file is one document.
    """

    file: str
    line: int | None = None

    def __str__(self) -> str:
        """``file:line``."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def to_dict(self) -> dict[str, str | int]:
        """The file, and the line where it is known."""
        return {"file": self.file} if self.line is None else {"file": self.file, "line": self.line}


class Position(Struct, frozen=True):
    """One thing that failed: where, and the reason.

    All numbers count from 1: ``case`` within the document's file, ``claim`` and ``record`` within the case,
    ``citation`` within its claim (within the case for an orphan).
    """

    place: Place
    case: int
    reason: str
    claim: int | None = None
    citation: int | None = None
    record: int | None = None

    def to_dict(self) -> dict[str, str | int]:
        """The numbers that are known, and the reason."""
        known = self.place.to_dict()
        numbers = (
            ("case", self.case),
            ("claim", self.claim),
            ("citation", self.citation),
            ("record", self.record),
        )
        known.update((name, number) for name, number in numbers if number is not None)
        return known | {"reason": self.reason}


class Unreadable(Struct, frozen=True):
    """A case that could not be read: where, and the code of the problem (``OMR-6nn``)."""

    place: Place
    code: str

    def __str__(self) -> str:
        """``file:line: code: meaning``."""
        return f"{self.place}: {self.code}: {meaning(self.code)}"

    def to_dict(self) -> dict[str, str | int]:
        """File, line where the file is one document a line, and code."""
        return self.place.to_dict() | {"code": self.code}


class CasePlace(NamedTuple):
    """Where a case stands: its document, and its number in that file, counted from 1."""

    place: Place
    case: int
