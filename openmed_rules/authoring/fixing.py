"""What of a rule file's problems is mechanical: the same file with only those characters changed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from openmed_rules.authoring.lint import lint
from openmed_rules.ruleset.files import FileError, read_file
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.ruleset.own_files import refuse_others
from openmed_rules.ruleset.paths import PathError, parse_path
from openmed_rules.ruleset.problems import Problem, RuleFileError
from openmed_rules.ruleset.words import FLAGS
from openmed_rules.running.output import write_output

_ROUNDS = 100
"""Problems of one file that are mended at most; each may hide the next."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_KEY_BEFORE = re.compile(r"([A-Za-z_]+)\s*:\s*$")
_SWITCHED = frozenset({"merge", "ignore", "closed", "supports", "reads_text", *FLAGS})
"""Keys under which true or false stands, and no word."""
_MEANT = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_STOPS = {"[": "]", "(": ")"}


class Fix(NamedTuple):
    """One change: on which line, from which column (both from 1), how many characters, and what stands there then."""

    line: int
    column: int
    width: int
    text: str


def fix_rule_file(name: str, root: str | None = None) -> tuple[Fix, ...]:
    """Mend what is mechanical in the rule file ``name``, and write it once, whole.

    Only the characters that are wrong change; comments, order and line ends stay. What the file extends is not
    touched. A file that cannot be read, or is no rule file, is left as it is. Gives what was changed, in the order in
    which it was.

    Raises:
        OutputError: the file cannot be written.
    """
    path = Path(name)
    try:
        content = read_file(path)
        refuse_others(content, name)
        before = content.decode("utf-8")
    except (FileError, RuleFileError, UnicodeDecodeError):
        return ()
    text = before
    done: list[Fix] = []
    for _ in range(_ROUNDS):
        fix = next((fix for problem in _problems(text, path, root) if (fix := _fix_of(problem))), None)
        if fix is None or fix in done:
            break
        text = _changed(text, fix)
        done.append(fix)
    if text != before:
        write_output(name, text)
    return tuple(done)


def _problems(text: str, path: Path, root: str | None) -> list[Problem]:
    """What is wrong with the file as it would be; warnings only where nothing else is."""
    try:
        file = load_rule_file(path, root=root, text=text)
    except RuleFileError as error:
        return [problem for problem in error.problems if problem.mark.file == str(path)]
    return [problem for problem in lint(file) if problem.mark.file == str(path)]


def _changed(text: str, fix: Fix) -> str:
    """``text`` with one change; a byte order mark in front counts for nothing."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    start = starts[fix.line - 1] + fix.column - 1 + (fix.line == 1 and text.startswith("\ufeff"))
    return text[:start] + fix.text + text[start + fix.width :]


def _fix_of(problem: Problem) -> Fix | None:
    """How a problem is mended, where only one way is meant."""
    line, column = problem.mark.line, problem.mark.column
    written = problem.source[column - 1 : column - 1 + problem.width]
    if problem.code == "OMR-838" and written == "[*]":
        return Fix(line, column, problem.width, "")
    if problem.code == "OMR-114" and len(written) == problem.width and "'" not in written:
        return Fix(line, column, problem.width, _meant(problem.source[: column - 1], written))
    if problem.code in {"OMR-101", "OMR-110", "OMR-301"}:
        return _quoted_path(problem)
    return None


def _meant(before: str, written: str) -> str:
    """A doubtful word in quotes; under a key that takes true or false, that."""
    key = _KEY_BEFORE.search(before)
    if key and key[1] in _SWITCHED and written.lower() in _MEANT:
        return _MEANT[written.lower()]
    return f"'{written}'"


def _quoted_path(problem: Problem) -> Fix | None:
    """The path around a place at which YAML gave up, in quotes; None where what stands there is no path."""
    source, at = problem.source, problem.mark.column - 1
    if source[at : at + 1] not in {"[", "@", "*", "%", "`"}:
        return None
    start = at
    while start and source[start - 1] not in " \t,{\"'":
        start -= 1
    if source[start : start + 1] == "[" and start < at:
        start += 1
    end = _end_of_path(source, start)
    word = source[start:end]
    quote = '"' if "'" in word else "'"
    try:
        parse_path(word)
    except PathError:
        return None
    if quote in word or "\\" in word:
        return None
    return Fix(problem.mark.line, start + 1, end - start, f"{quote}{word}{quote}")


def _end_of_path(source: str, start: int) -> int:
    """Where a path ends that begins at ``start``: at what closes or parts values around it."""
    waiting: list[str] = []
    for position in range(start, len(source)):
        letter = source[position]
        if waiting and letter == waiting[-1]:
            waiting.pop()
        elif letter in _STOPS:
            waiting.append(_STOPS[letter])
        elif not waiting and (letter in ",}]" or source[position : position + 2] in {": ", " #"}):
            return len(source[:position].rstrip())
    return len(source.rstrip())
