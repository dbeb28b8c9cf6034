"""What a plain scalar of YAML stands for: only what every reader of YAML takes for the same."""

from __future__ import annotations

import re

from openmed_rules.ruleset.bounds import MAX_DIGITS
from openmed_rules.ruleset.model import Scalar

_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_SWITCHES = {
    form: meant
    for word, meant in (("yes", "true"), ("no", "false"), ("on", "true"), ("off", "false"))
    for form in (word, word.capitalize(), word.upper())
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\.[0-9]+", re.ASCII)
_DOUBTFUL = (
    (re.compile(r"[-+]?0[0-9_]+", re.ASCII), "a number with a leading zero"),
    (
        re.compile(r"[-+]?0(?:[oO][0-7_]+|[xX][0-9a-fA-F_]+|[bB][01_]+)", re.ASCII),
        "a number that is not decimal",
    ),
    (re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?", re.ASCII), "a number of base 60"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?", re.ASCII), "a date"),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII), "infinity or not-a-number"),
    (
        re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?", re.ASCII),
        "a number in a form of its own",
    ),
)


class DoubtfulError(Exception):
    """A plain scalar that one reader takes for a text, and another for something else."""

    def __init__(self, taken_for: str) -> None:
        super().__init__(taken_for)
        self.taken_for = taken_for


def plain_value(text: str) -> Scalar:
    """The value of a plain (unquoted) scalar: null, a boolean, a number in decimal, or the text itself.

    Raises:
        DoubtfulError: where readers of YAML differ on it.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text in _SWITCHES:
        raise DoubtfulError(_SWITCHES[text])
    if text[0] in "+-.0123456789":
        if len(text) <= MAX_DIGITS:
            if _INTEGER.fullmatch(text):
                return int(text)
            if _DECIMAL.fullmatch(text):
                return float(text)
        for pattern, taken_for in _DOUBTFUL:
            if pattern.fullmatch(text):
                raise DoubtfulError(taken_for)
    return text
