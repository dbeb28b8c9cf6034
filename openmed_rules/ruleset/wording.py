"""What does not fit the shape of a rule file, in words: one fault for one mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from openmed_rules.ruleset.problems import Fault, KeyPath, did_you_mean, nearest, spell
from openmed_rules.ruleset.schema import FORMS, KNOWN_VERSIONS
from openmed_rules.ruleset.words import BY_CLASS, IN_COVERAGE, NEVER_TOLERATED, ONLY_ANY, SAID_HERE

_TYPES = {
    "text": "a text",
    "path": "a path",
    "flag": "true or false",
    "whole": "a whole number",
    "number": "a number",
    "literal": "a text, a number, true, false or null",
    "list": "a list",
    "dict": "a mapping",
}
_SHARES = {
    "tolerance": "a count, a percentage such as 5%, or any",
    "tolerance by class": "a count, a percentage such as 5%, any, or a mapping of these by class",
    "share": "a count, or a percentage such as 5%",
}
_KEY_AND_VALUE = re.compile(r"([A-Za-z_]+)\s*[:= ]")
_INDENTED = frozenset({"records", "id", "where", "span", "kinds", "kind", "merge"})
_AMOUNTS = (("policy", "tolerate"), ("policy", "warn"))
"""Where amounts of reasons stand, in a rule file and in the policy of a gate."""


class Reason(NamedTuple):
    """Why something is wrong, in words; ``column`` and ``width`` as in ``Fault``."""

    code: str
    message: str
    expected: str = ""
    hint: str = ""
    column: int | None = None
    width: int = 1


class Misfit(NamedTuple):
    """One place where data does not fit its schema: the rule that failed, with its argument in the schema.

    ``info``: of an unknown key, the keys that could stand there; of a text that is none of its kind, why.
    """

    rule: str
    place: KeyPath
    value: Any
    constraint: Any
    info: Any = None
    at_key: bool = False

    @property
    def key(self) -> str:
        """The last key or position of the place."""
        return str(self.place[-1]) if self.place else ""


def word_misfits(misfits: list[Misfit]) -> list[Fault]:
    """The faults of a rule file; what is missing because its key is misspelt is no fault of its own."""
    unknown = [misfit for misfit in misfits if misfit.rule == "unknown"]
    meant = {(*misfit.place[:-1], nearest(misfit.key, misfit.info)) for misfit in unknown}
    meant |= {(*misfit.place[:-1], "not") for misfit in unknown if misfit.info == ("not",)}
    explained = {misfit.place[:-1] for misfit in unknown if misfit.key in SAID_HERE or nearest(misfit.key, misfit.info)}
    faults = []
    for misfit in misfits:
        if misfit.rule == "required" and misfit.place in meant:
            continue
        if misfit.rule == "variants" and misfit.place in explained:
            continue
        reason = _WORDED[misfit.rule](misfit)
        at_key = misfit.at_key or misfit.rule in {"unknown", "without"}
        code, message, expected, hint, column, width = reason
        faults.append(Fault(code, misfit.place, message, expected, hint, column, width, at_key))
    return faults


def _unknown(misfit: Misfit) -> Reason:
    if misfit.place[-3:-1] in _AMOUNTS:
        return _no_reason(misfit.key, misfit.info)
    return _unknown_key(misfit)


def _unknown_key(misfit: Misfit) -> Reason:
    if misfit.info == ("not",):
        expected = "a literal, a list of literals, or {not: ...} with one of these"
        return Reason("OMR-201", f"{misfit.key} is no condition", expected, SAID_HERE.get(misfit.key, ""))
    section = spell(misfit.place[:-1]) or "this file"
    hint = SAID_HERE.get(misfit.key) or _run_together(misfit.key)
    if not hint and len(misfit.place) == 1 and misfit.key in _INDENTED:
        hint = "it stands in claims, citations or evidence: indent it"
    hint = hint or did_you_mean(misfit.key.strip(), misfit.info)
    return Reason("OMR-201", f"{misfit.key} is no key of {section}", f"one of {_series(misfit.info)}", hint)


def _no_reason(reason: str, known: Sequence[str]) -> Reason:
    if reason in NEVER_TOLERATED:
        return Reason("OMR-209", f"{reason} cannot be tolerated")
    if reason in IN_COVERAGE:
        hint = f"write {IN_COVERAGE[reason]}: what the coverage report counts follows it"
        return Reason("OMR-210", f"{reason} is a name of the coverage report", hint=hint)
    hint = did_you_mean(reason, known)
    return Reason("OMR-210", f"{reason} is no reason", f"one of {_series(known)}", hint)


def _wrong_form(misfit: Misfit) -> Reason:
    if misfit.constraint not in _SHARES:
        return _cannot_stand(misfit, _series(_TYPES[rules["type"]] for rules in FORMS[misfit.constraint]))
    expected = _SHARES[misfit.constraint]
    if isinstance(misfit.value, float):
        return Reason("OMR-206", "a fraction is no tolerance", expected, f"write {_percent(misfit.value)}")
    if isinstance(misfit.value, dict) and misfit.place[-3:-1] in _AMOUNTS:
        message = f"{misfit.key} is not tolerated by class"
        return Reason("OMR-211", message, expected, f"by class go {_series(BY_CLASS)} only")
    return _cannot_stand(misfit, expected)


def _wrong_type(misfit: Misfit) -> Reason:
    return _cannot_stand(misfit, _TYPES[misfit.constraint])


def _cannot_stand(misfit: Misfit, expected: str) -> Reason:
    if misfit.place[-3:-1] in _AMOUNTS and misfit.key in ONLY_ANY:
        return _only_any(misfit)
    hint = ""
    if isinstance(misfit.value, list):
        hint = "one value stands here, not a list"
    elif expected in {_TYPES["whole"], _TYPES["flag"]} and isinstance(misfit.value, str):
        hint = "write it without quotes"
    elif isinstance(misfit.value, str):
        hint = _run_together(misfit.value)
    return Reason("OMR-203", f"{_name(misfit.value)} cannot stand here", expected, hint)


def _run_together(text: str) -> str:
    """What to write where a key and its value were read as one text."""
    if any(letter != " " and letter.isspace() for letter in text):
        return "write plain spaces: there is another kind of blank"
    word = _KEY_AND_VALUE.match(text)
    return f"write `{word[1]}: ...`: a colon, and a space after it" if word else ""


def _needs(misfit: Misfit) -> Reason:
    if isinstance(misfit.constraint, str):
        return Reason("OMR-207", f"{misfit.key} needs {misfit.constraint} beside it")
    key, value = next(iter(misfit.constraint.items()))
    return Reason("OMR-207", f"{misfit.key} goes with {key}: {value} only")


def _excludes(misfit: Misfit) -> Reason:
    others = [misfit.constraint] if isinstance(misfit.constraint, str) else misfit.constraint
    return Reason("OMR-207", f"{misfit.key} does not go with {_series(others)}")


def _no_variant(misfit: Misfit) -> Reason:
    keys = _first_keys(misfit)
    hint = "write the path itself, without a mapping" if set(misfit.value) == {"path"} else ""
    return Reason("OMR-207", "this mapping does not say what it is", f"one of the keys {_series(keys)}", hint)


def _not_a_word(misfit: Misfit) -> Reason:
    if misfit.place == ("version",):
        known = _series(map(str, KNOWN_VERSIONS))
        return Reason("OMR-208", f"version {misfit.value} is not known", f"version {known}")
    if misfit.constraint == ["any"]:
        return _only_any(misfit)
    words = [str(word) for word in misfit.constraint]
    if misfit.key == "reason":
        return _no_reason(misfit.value, words)
    hint = did_you_mean(misfit.value, words)
    return Reason("OMR-205", f"{misfit.value} cannot stand here", _series(words), hint)


def _only_any(misfit: Misfit) -> Reason:
    message = f"{misfit.key} is tolerated as a whole, or not at all"
    return Reason("OMR-206", message, "any", "without an entry it is not tolerated")


def _not_of_a_form(misfit: Misfit) -> Reason:
    if misfit.key == "of":
        return Reason("OMR-204", "this names no enclosing object", "^, or ^^ for one further out")
    form = "share" if misfit.place[-2:] == ("policy", "failed_cases") else "tolerance"
    number = misfit.value.strip().removesuffix("%").strip()
    hint = f"write {number}, or {number}%" if number.isdecimal() and len(number) < 3 else ""  # noqa: PLR2004 - 0 to 99
    return Reason("OMR-206", f"{misfit.value} is no tolerance", _SHARES[form], hint)


def _missing(misfit: Misfit) -> Reason:
    value = str(KNOWN_VERSIONS[-1]) if misfit.place == ("version",) else "..."
    return Reason("OMR-202", f"{misfit.key} is missing", hint=f"write `{misfit.key}: {value}`")


def _empty(misfit: Misfit) -> Reason:
    if misfit.place[::2] == ("tests", "expect"):
        return Reason("OMR-204", "this test expects nothing", "at least one of passed, reasons, citations or coverage")
    return Reason("OMR-204", f"{_name(misfit.value)} that is empty")


def _first_keys(misfit: Misfit) -> tuple[str, ...]:
    """The keys by which the variants of a mapping are told apart."""
    return tuple(next(iter(keys)) for keys in misfit.constraint)


def _percent(fraction: float) -> str:
    """A fraction as the percentage that was probably meant."""
    return f"{fraction * 100 if fraction <= 1 else fraction:.10g}%"


def _name(value: object) -> str:
    """What a value is, in words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {str: "a text", int: "a whole number", float: "a fraction", list: "a list", dict: "a mapping"}
    return names.get(type(value), "this")


def _series(words: Iterable[str]) -> str:
    """``a, b or c``."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


_WORDED: dict[str, Callable[[Misfit], Reason]] = {
    "unknown": _unknown,
    "required": _missing,
    "nullable": lambda _: Reason("OMR-203", "nothing stands here", hint="write a value, or remove the key"),
    "type": _wrong_type,
    "form": _wrong_form,
    "variants": _no_variant,
    "without": lambda misfit: Reason("OMR-207", f"{misfit.key} does not go with {misfit.constraint}"),
    "dependencies": _needs,
    "excludes": _excludes,
    "allowed": _not_a_word,
    "regex": _not_of_a_form,
    "check_with": lambda misfit: misfit.info,
    "minlength": _empty,
    "maxlength": lambda misfit: Reason("OMR-204", f"a text of more than {misfit.constraint} characters"),
    "items": lambda _: Reason("OMR-204", "two paths are needed: the first and the last", "[first, last]"),
    "min": lambda misfit: Reason(
        "OMR-204", f"{misfit.value} is below {misfit.constraint}", f"a whole number from {misfit.constraint}"
    ),
}
"""Every rule of the schema, and how a misfit of it is worded."""
