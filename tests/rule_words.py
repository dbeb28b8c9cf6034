"""The words that a rule file may be made of, as the schema has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openmed_rules.ruleset.schema import FORMS


def keys() -> set[str]:
    """Every key that may stand in a rule file."""
    mappings = [part for part in parts(FORMS["rule file"], set()) if part.get("type") == "dict"]
    return {key for part in mappings for keys in (part.get("schema", {}), *part.get("variants", ())) for key in keys}


def choices() -> set[str]:
    """Every word of a fixed choice."""
    allowed = (word for part in parts(FORMS["rule file"], set()) for word in part.get("allowed", ()))
    return {word for word in allowed if isinstance(word, str)}


def parts(rules: Any, seen: set[str]) -> Iterator[dict[str, Any]]:
    """Every part of the schema that ``rules`` lead to, each form once."""
    if isinstance(rules, (list, tuple)):
        for part in rules:
            yield from parts(part, seen)
    elif isinstance(rules, dict):
        yield rules
        for part in rules.values():
            yield from parts(part, seen)
        form = rules.get("form")
        if isinstance(form, str) and form not in seen:
            seen.add(form)
            yield from parts(FORMS[form], seen)
