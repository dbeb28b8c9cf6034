"""What a single value may be used as: an id, an offset, a literal of the rule file."""

from __future__ import annotations

from openmed_rules.judging.nodes import MALFORMED, Missing

# The largest text of digits that Python converts by default, in both directions (sys.int_info).
MOST_DIGITS = 4300
_HUGE = 10**MOST_DIGITS


UNUSABLE_FIELD = "OMR-615"


class UnusableText(Exception):
    """A text holds what no JSON text may hold, so that its case cannot be read. Carries only a code."""

    def __init__(self, code: str = UNUSABLE_FIELD) -> None:
        self.code = code


class Unusable:
    """Stands in a parsed document for NaN, an infinity or an integer that is too long to be one."""

    __slots__ = ()


UNUSABLE = Unusable()


def id_text(value: object) -> str | Missing:
    """``value`` as the text by which ids are compared: trimmed; integers as decimal text.

    Booleans, floats, objects, arrays and blanks are no ids.
    """
    if type(value) is str:
        text = value.strip()
        if not text:
            return MALFORMED
        if not text.isascii():
            refuse_surrogates(text)
        return text
    if type(value) is int:
        return str(value) if -_HUGE < value < _HUGE else MALFORMED
    if value is UNUSABLE:
        raise UnusableText
    return value if isinstance(value, Missing) else MALFORMED


def refuse_unusable(value: object) -> None:
    """Raise ``UnusableText`` where ``value`` is what JSON has not."""
    if value is UNUSABLE:
        raise UnusableText


def refuse_surrogates(text: str) -> None:
    """Raise ``UnusableText`` where ``text`` holds half a surrogate pair."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UnusableText


def offset(value: object, *, text_numbers: bool) -> int | Missing:
    """``value`` as an offset in characters, of either sign: an integer, or decimal digits where text is allowed."""
    if type(value) is int:
        return value
    if type(value) is str and not value.isascii():
        refuse_surrogates(value)
    if type(value) is str and text_numbers:
        digits = value.strip()
        unsigned = digits.removeprefix("-")
        if unsigned.isascii() and unsigned.isdigit() and len(unsigned) <= MOST_DIGITS:
            return int(digits)
        return MALFORMED
    if value is UNUSABLE:
        raise UnusableText
    return value if isinstance(value, Missing) else MALFORMED


def same_literal(value: object, literal: object) -> bool:
    """Whether a record's value is a rule's literal, by JSON type: ``1`` is ``1.0``, but not ``true`` or ``"1"``."""
    if value is UNUSABLE:
        raise UnusableText
    if type(value) is str and not value.isascii():
        refuse_surrogates(value)
    if type(value) is type(literal):
        return value == literal
    return {type(value), type(literal)} == {int, float} and value == literal
