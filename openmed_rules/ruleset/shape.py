"""Whether plain data has the shape of a rule file; the only module that knows Cerberus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

from cerberus import TypeDefinition, Validator
from cerberus.errors import UNKNOWN_FIELD, ErrorDefinition, ValidationError

from openmed_rules.ruleset.bounds import MAX_PATHS, MAX_PATTERNS, MAX_PROBLEMS
from openmed_rules.ruleset.model import Path
from openmed_rules.ruleset.paths import PathError, parse_path, parse_records_path
from openmed_rules.ruleset.patterns import PatternError, group_count
from openmed_rules.ruleset.problems import Fault
from openmed_rules.ruleset.schema import FORMS, Rules
from openmed_rules.ruleset.wording import Misfit, Reason, word_misfits

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_WRONG_FORM = ErrorDefinition(0x71, "form")
_NO_VARIANT = ErrorDefinition(0x72, "variants")
_WITHOUT = ErrorDefinition(0x73, "without")
_OWN = ErrorDefinition(0x74, "check_with")
_GROUP = 0x80
"""The bit of an error that only holds others."""

_TYPES: dict[str, tuple[tuple[type, ...], tuple[type, ...]]] = {
    "text": ((str,), ()),
    "path": ((str,), ()),
    "flag": ((bool,), ()),
    "whole": ((int,), (bool,)),
    "number": ((int, float), (bool,)),
    "literal": ((str, int, float), ()),
    "list": ((list,), ()),
    "dict": ((dict,), ()),
}
"""Each type by its name: the types of Python that it takes (True is an int), and those that it does not."""


_DEFINITIONS = {name: TypeDefinition(name, *types) for name, types in _TYPES.items()}


def shape_faults(data: object, form: str = "rule file") -> list[Fault]:
    """Everything in which ``data`` has not the shape of a ``form``: a rule file, or a project file.

    Only as much is looked for as is told, and one more: Cerberus takes quadratic time for its errors.
    """
    validator = _Validator({"": {"form": form}}, met=Counter())
    validator.validate({"": data}, normalize=False)
    return word_misfits([_misfit(error) for error in _leaves(validator._errors)])  # noqa: SLF001 - `errors` are texts


def _leaves(errors: list[ValidationError]) -> Iterator[ValidationError]:
    """The errors themselves, out of the groups in which Cerberus keeps them."""
    for error in errors:
        if error.is_group_error:
            yield from _leaves(error.child_errors)
        else:
            yield error


def _misfit(error: ValidationError) -> Misfit:
    return Misfit(
        rule=error.rule or "unknown",
        place=error.document_path[1:],
        value=error.value,
        constraint=error.constraint,
        info=error.info[0] if error.info else None,
        at_key="keysrules" in error.schema_path,
    )


class _Validator(Validator):  # type: ignore[misc]  # Cerberus has no types
    """Cerberus with the types and the rules that ``schema`` uses.

    The docstrings of the rules are what Cerberus checks their arguments by.
    """

    types_mapping = _DEFINITIONS

    def _error(self, *args: Any) -> None:  # noqa: ANN401 - Cerberus' own signature
        is_one = len(args) > 1 and not args[1].code & _GROUP
        if is_one and self._count("errors") > MAX_PROBLEMS + 1:
            return
        if args[1:] == (UNKNOWN_FIELD,):
            args = (*args, tuple(name for name, rules in self.schema.items() if "without" not in rules))
        super()._error(*args)

    # --- what a text must be ---

    def _check_with_one_line(self, field: str, value: str) -> None:
        if not value.isprintable() or value != value.strip():
            message = "a control character, or a blank at an end"
            self._error(field, _OWN, Reason("OMR-204", message, expected="a text of one line"))

    def _check_with_date(self, field: str, value: str) -> None:
        # The pattern beside it: later versions of Python read more forms of a date than earlier ones.
        try:
            known = _DATE.fullmatch(value) and date.fromisoformat(value)
        except ValueError:
            known = None
        if not known:
            self._error(field, _OWN, Reason("OMR-212", f"{value} is no date", expected="a day: 2027-01-31"))

    def _check_with_path(self, field: str, value: str) -> None:
        self._check_path(field, value, parse_path)

    def _check_with_records_path(self, field: str, value: str) -> None:
        self._check_path(field, value, parse_records_path)

    def _check_path(self, field: str, value: str, parse: Callable[[str], Path]) -> None:
        if self._is_beyond(field, "paths", MAX_PATHS, "OMR-305"):
            return
        try:
            parse(value)
        except PathError as error:
            reason = Reason("OMR-301", error.message, hint=error.hint, column=error.column, width=error.width)
            self._error(field, _OWN, reason)

    def _check_with_pattern(self, field: str, value: str) -> None:
        self._check_groups(field, value, range(1, 100), "a group ( ) around each part of the id")

    def _check_with_one_group(self, field: str, value: str) -> None:
        self._check_groups(field, value, range(1, 2), "one group ( ) around what is to be found")

    def _check_groups(self, field: str, value: str, counts: range, expected: str) -> None:
        if self._is_beyond(field, "patterns", MAX_PATTERNS, "OMR-306"):
            return
        try:
            groups = group_count(value)
        except PatternError as error:
            reason = Reason(error.code, error.message, column=error.column, width=error.width)
            self._error(field, _OWN, reason)
        else:
            if groups not in counts:
                message = f"a pattern with {groups or 'no'} groups"
                self._error(field, _OWN, Reason("OMR-303", message, expected=expected))

    def _is_beyond(self, field: str, what: str, most: int, code: str) -> bool:
        """Whether there are more of something than a rule file may hold; told once."""
        count = self._count(what)
        if count == most + 1:
            self._error(field, _OWN, Reason(code, f"more than {most:,} {what}"))
        return count > most

    def _count(self, what: str) -> int:
        """How many of something were met so far, with this one, in the whole of the data."""
        met: Counter[str] = self._config["met"]
        met[what] += 1
        return met[what]

    # --- rules of the schema ---

    def _validate_nullable(self, nullable: bool, field: str, value: object) -> None:
        """{'type': 'boolean'}"""  # noqa: D415 - Cerberus checks the schema by it
        super()._validate_nullable(nullable, field, value)
        if value is None:
            self._drop_remaining_rules()  # Cerberus leaves those that it does not know

    def _validate_form(self, name: str, field: str, value: object) -> None:
        """{'type': 'string'}"""  # noqa: D415 - likewise
        for rules in FORMS[name]:
            included, excluded = _TYPES[rules["type"]]
            if isinstance(value, included) and not isinstance(value, excluded):
                child = self._get_child_validator(schema_crumb=(field, "form"), schema={field: rules})
                child.validate({field: value}, normalize=False)
                self._error(child._errors)  # noqa: SLF001 - a validator of this class
                return
        self._error(field, _WRONG_FORM)

    def _validate_variants(self, variants: tuple[Rules, ...], field: str, value: Mapping[str, Any]) -> None:
        """{'type': 'list'}"""  # noqa: D415 - likewise
        schema = next((keys for keys in variants if next(iter(keys)) in value), None)
        every_key = dict.fromkeys(key for keys in variants for key in keys)
        if schema is None:
            self._error(field, _NO_VARIANT)
            schema = {key: {"nullable": True} for key in every_key}
        else:
            schema = {
                **{key: {"without": next(iter(schema))} for key in every_key if key not in schema},
                **schema,
            }
        child = self._get_child_validator(document_crumb=field, schema_crumb=(field, "variants"), schema=schema)
        child.validate(value, normalize=False)
        self._error(child._errors)  # noqa: SLF001 - a validator of this class

    def _validate_without(self, _other: str, field: str, _value: object) -> None:
        """{'type': 'string'}"""  # noqa: D415 - likewise
        self._error(field, _WITHOUT)
