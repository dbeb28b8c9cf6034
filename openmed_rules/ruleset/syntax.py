"""Why a text is no YAML, in words for the person who wrote it; most often a path lacks its quotes."""

from __future__ import annotations

import re
from typing import NamedTuple

_IN_BRACKETS = "inside { } and [ ], put a path with [ ] in quotes"


class Reason(NamedTuple):
    """Why, what to write instead (may be empty), and at which character of the text."""

    message: str
    hint: str
    position: int


def why_not_yaml(text: str, problem: str, position: int, context: str, context_position: int) -> Reason:
    """The reason in our words.

    ``problem`` and ``context`` are what PyYAML says, at their positions in ``text``.
    """
    if context in {"while scanning an alias", "while scanning an anchor"}:
        if re.search(r"[\w.\])'\"]\[$", text[:context_position]):
            return Reason("a path is cut off by its [", _IN_BRACKETS, context_position - 1)
        return _cannot_begin(text[context_position], context_position)
    if context in {"while parsing a flow mapping", "while parsing a flow sequence"}:
        return _in_flow(text, position, context_position)
    if context == "while scanning a directive":
        return Reason("a line cannot begin with %", "put the text in quotes", context_position)
    if context == "while scanning a block scalar":
        sign = text[context_position]
        return Reason(
            f"{sign} begins a text of several lines", "put a text that begins with it in quotes", context_position
        )
    if text[position : position + 1] in {"}", "]"}:
        return Reason(f"{text[position]} closes nothing", "remove it, or put the text before it in quotes", position)
    if text[position - 1 : position] in {"'", '"'} and text[position : position + 1].strip():
        return Reason("a text goes on after its closing quote", "put all of it in quotes, of the other kind", position)
    return _by_problem(text[position : position + 1], problem, position, context, context_position)


def _by_problem(letter: str, problem: str, position: int, context: str, context_position: int) -> Reason:
    if "cannot start any token" in problem:
        return _cannot_begin(letter, position)
    if "unknown escape character" in problem:
        return Reason(f"\\{letter} is no escape of YAML", "put a pattern in single quotes: '...'", position - 1)
    if "unexpected end of stream" in problem:
        return Reason("a quote that is not closed", "end the text with the same quote", context_position)
    if "mapping values are not allowed" in problem:
        hint = "indent keys alike, and put a text with ': ' in quotes"
        return Reason("a colon where no key can stand", hint, position)
    if "could not find expected ':'" in problem:
        return Reason("a key without a colon", "write a colon and a space after it", context_position)
    if "sequence entries are not allowed" in problem:
        return Reason("a list begins on a line of its own", "write it below the key, or in [ ]", position)
    if "mapping keys are not allowed" in problem:
        return Reason("a value cannot begin with ?", "put it in quotes: '?...'", position)
    if "<scalar>" in problem:
        hint = "put all of it in quotes, of the other kind"
        return Reason("a text goes on after its closing quote", hint, position)
    if "block" in context:
        hint = "what is of one level is indented alike"
        return Reason("this does not fit what stands above", hint, position)
    return Reason(f"this is no YAML: {problem}", "", position)


def _cannot_begin(letter: str, position: int) -> Reason:
    if letter == "\t":
        return Reason("a tab", "indent with spaces, and put one after the colon", position)
    return Reason(f"a value cannot begin with {letter}", f"put it in quotes: '{letter}...'", position)


def _in_flow(text: str, position: int, context_position: int) -> Reason:
    """Between ``{`` and ``}``, or ``[`` and ``]``; a path is most often what does not fit there."""
    letter = text[position : position + 1]
    if letter == "[":
        return Reason("a path is cut off by its [", _IN_BRACKETS, position)
    bracket = text[context_position]
    closing = {"{": "}", "[": "]"}.get(bracket, bracket)
    if not letter or _is_further_out(text, position, context_position):
        return Reason(f"{bracket} is not closed", f"write {closing}", context_position)
    message = f"{letter} is not expected between {bracket} and {closing}"
    return Reason(message, "put a text with signs in quotes", position)


def _is_further_out(text: str, position: int, context_position: int) -> bool:
    """Whether a place stands on a later line than a bracket, and is indented no more: it was not meant inside."""
    here, there = text.rfind("\n", 0, position) + 1, text.rfind("\n", 0, context_position) + 1

    def indent(start: int) -> int:
        return len(text[start:]) - len(text[start:].lstrip(" "))

    return here > there and indent(here) <= indent(there)
