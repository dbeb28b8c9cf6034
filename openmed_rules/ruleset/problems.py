"""What is wrong with a rule file: each problem with its place, in words for the person who wrote the file."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from openmed_rules.errors import RulesError
from openmed_rules.ruleset.bounds import MAX_PROBLEMS, MAX_WORD

EXCERPT = 120
"""Characters of a line that are shown at most."""

KeyPath: TypeAlias = tuple[str | int, ...]
"""Where a value stands in the data of a rule file: the keys and positions that lead to it."""


class Mark(NamedTuple):
    """A place in a file; ``line`` and ``column`` are counted from 1, and 0 where there is no text."""

    file: str
    line: int
    column: int


class Fault(Struct, frozen=True):
    """Something wrong with the value at ``place``; a place that is not there stands for what encloses it.

    ``column``: where in the text of the value, counted from 0, and ``width`` characters wide; None for the
    whole value. ``at_key``: the key is wrong, not its value.
    """

    code: str
    place: KeyPath
    message: str
    expected: str = ""
    hint: str = ""
    column: int | None = None
    width: int = 1
    at_key: bool = False


class Problem(Struct, frozen=True):
    """One problem of a rule file at its place.

    ``source`` is the line of the file that the mark is on, ``width`` how many of its characters are meant.
    ``expected`` and ``hint`` may be empty.
    """

    code: str
    mark: Mark
    message: str
    expected: str = ""
    hint: str = ""
    width: int = 1
    source: str = ""

    def __str__(self) -> str:
        """``file:line:column: code: message``, the line with a caret, what was expected, and a hint."""
        place = f"{self.mark.file}:{self.mark.line}:{self.mark.column}" if self.mark.line else self.mark.file
        lines = [f"{place}: {self.code}: {self.message}"]
        if self.source.strip():
            lines += (f"    {line}" for line in _excerpt(self.source, self.mark.column - 1, self.width))
        if self.expected:
            lines.append(f"    expected: {self.expected}")
        if self.hint:
            lines.append(f"    hint: {self.hint}")
        return "\n".join(lines)


class RuleFileError(RulesError):
    """A rule file that cannot be used; ``problems`` is everything that is wrong with it, sorted by place.

    Of more than ``MAX_PROBLEMS`` these are the first, and one that says so.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        found = sorted(problems, key=lambda problem: (problem.mark, problem.code))
        if len(found) > MAX_PROBLEMS:
            last = found[MAX_PROBLEMS - 1].mark
            message = f"more than {MAX_PROBLEMS} problems"
            found[MAX_PROBLEMS:] = [Problem("OMR-118", last, message, hint="mend these first")]
        self.problems = tuple(found)
        super().__init__(self.problems)

    def __str__(self) -> str:
        """Every problem, one after the other."""
        return "\n".join(map(str, self.problems))


class Span(NamedTuple):
    """A stretch of one line: where it begins, and how many characters it has.

    ``verbatim``: after how many of them the text of a value begins; None where its characters are not those
    of the file (an escape, several lines).
    """

    mark: Mark
    width: int
    verbatim: int | None


class Spot(NamedTuple):
    """Where a value of the data stands in its file, and its key, if it has one."""

    key: Span | None
    value: Span


class Marks(Struct, frozen=True):
    """The place of every value of a rule file, also of what came from another file by ``extends``.

    ``name`` stands in for places where there is no text; ``lines`` are the lines of each file.
    """

    name: str
    spots: Mapping[KeyPath, Spot] = field(default_factory=dict)
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def problem(self, fault: Fault) -> Problem:
        """``fault`` at its place in the file."""
        place = fault.place
        while place and place not in self.spots:
            place = place[:-1]
        if place not in self.spots:
            return self._without_text(fault)
        spot = self.spots[place]
        is_there = place == fault.place
        span = spot.key if spot.key and (fault.at_key or not is_there) else spot.value
        mark, width, verbatim = span
        if is_there and fault.column is not None and verbatim is not None:
            mark, width = mark._replace(column=mark.column + verbatim + fault.column), fault.width
        return self.at(mark, fault.code, fault.message, expected=fault.expected, hint=fault.hint, width=width)

    def at(  # noqa: PLR0913 - what a problem is made of
        self, mark: Mark, code: str, message: str, *, expected: str = "", hint: str = "", width: int = 1
    ) -> Problem:
        """A problem at ``mark``, with the line of the file there."""
        lines = self.lines.get(mark.file, ())
        source = lines[mark.line - 1] if 0 < mark.line <= len(lines) else ""
        return Problem(code, mark, message, expected, hint, width, source)

    def _without_text(self, fault: Fault) -> Problem:
        words = spell(fault.place)
        message = f"{words}: {fault.message}" if words else fault.message
        return Problem(fault.code, Mark(self.name, 0, 0), message, fault.expected, fault.hint)


def spell(place: KeyPath) -> str:
    """A place in words: ``citations[1].id``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The one of ``words`` that ``word`` was probably meant to be; a long text is no word."""
    from difflib import get_close_matches  # it is slow to load, and only a wrong file needs it

    if len(word) > MAX_WORD:
        return None
    known = [other for other in words if len(other) <= MAX_WORD]
    return next(iter(get_close_matches(word.lower(), known, n=1, cutoff=0.7)), None)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """A hint that names the nearest of ``words``, or nothing."""
    near = nearest(word, words)
    return f"did you mean {near}?" if near else ""


def _excerpt(source: str, start: int, width: int) -> tuple[str, str]:
    """A line, or the middle of a long one, and a line below it that points at ``width`` characters."""
    first = max(0, start - EXCERPT // 2) if len(source) > EXCERPT else 0
    shown = source[first : first + EXCERPT].expandtabs(1)
    before, meant = shown[: start - first], shown[start - first : start - first + width]
    return shown.rstrip(), " " * sum(map(_cells, before)) + "^" * max(sum(map(_cells, meant)), 1)


def _cells(letter: str) -> int:
    """How wide a letter is on a terminal."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
