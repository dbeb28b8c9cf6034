"""JSON text to plain values, as the common readers do it: what no field may hold is found when that field is read.

No error of a parser leaves this module: they hold the text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NoReturn

import msgspec

from openmed_rules.judging.documents import Document, JsonText, MappedText
from openmed_rules.judging.values import MOST_DIGITS, UNUSABLE, UnusableText, refuse_surrogates
from openmed_rules.results.places import Unreadable

NOT_UTF8 = "OMR-611"
NOT_JSON = "OMR-612"
TOO_DEEP = "OMR-613"
EQUAL_NAMES = "OMR-614"
NO_NUMBER = "OMR-618"

_decode = msgspec.json.Decoder().decode


class Parsed:
    """A document that could be read: its value."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        """Hold ``value``."""
        self.value = value


def parse_document(document: Document, *, strict: bool = False) -> Parsed | Unreadable:
    """The value of ``document``.

    ``strict``: equal names in one object, NaN and infinities are refused wherever they stand.
    """
    if isinstance(document, Unreadable):
        return document
    if isinstance(document, MappedText):
        document = document.whole()
    if not isinstance(document, JsonText):
        return Parsed(document.content)
    if not strict:
        try:
            return Parsed(_decode(document.content))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass  # What it refuses may still be read the common way, which also tells what is wrong.
    outcome = _parse_slowly(document.content, strict=strict)
    return Unreadable(document.place, outcome) if isinstance(outcome, str) else outcome


def _parse_slowly(content: bytes, *, strict: bool) -> Parsed | str:
    """The value, or the code of what is wrong."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return NOT_UTF8
    try:
        return Parsed(
            json.loads(
                text,
                parse_constant=_refuse_constant if strict else lambda _name: UNUSABLE,
                parse_int=_integer,
                object_pairs_hook=_distinct if strict else None,
            )
        )
    except RecursionError:
        return TOO_DEEP
    except UnusableText as refused:
        return refused.code
    except ValueError:
        return NOT_JSON


def _integer(digits: str) -> object:
    return int(digits) if len(digits.lstrip("-")) <= MOST_DIGITS else UNUSABLE


def _refuse_constant(_name: str) -> NoReturn:
    raise UnusableText(NO_NUMBER)


def _distinct(members: Sequence[tuple[str, object]]) -> dict[str, object]:
    whole = dict(members)
    if len(whole) != len(members):
        raise UnusableText(EQUAL_NAMES)
    return whole


def parse_embedded(text: str, *, strict: bool) -> object:
    """The value of JSON text that stands in a field; the text itself where it is none.

    Raises:
        UnusableText: it holds half a surrogate pair, or what ``strict`` refuses.
    """
    if not text.isascii():
        refuse_surrogates(text)
    outcome = _parse_slowly(text.encode(), strict=strict)
    if outcome in (EQUAL_NAMES, NO_NUMBER):
        raise UnusableText(outcome)
    return text if isinstance(outcome, str) else outcome.value
