"""Plain values as readable YAML: short mappings in one line, texts in quotes where they need them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

WIDTH: Final = 110

_PLAIN: Final = re.compile(r"[A-Za-z$^_][A-Za-z0-9_.$^/-]*(?: [A-Za-z0-9_-]+)*")
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def yaml_lines(key: str, value: object, indent: int = 0) -> Iterator[str]:
    """The lines of ``key: value``."""
    yield from _lines(f"{' ' * indent}{scalar(key)}:", value, indent)


def _lines(head: str, value: object, indent: int) -> Iterator[str]:
    one_line = f"{head} {flow(value)}"
    nested = isinstance(value, Mapping | list) and value
    is_words = isinstance(value, list) and not any(isinstance(item, Mapping) for item in value)
    if not nested or (len(one_line) <= WIDTH and (indent > 0 or is_words)):
        yield one_line
        return
    yield head
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from yaml_lines(str(key), inner, indent + 2)
    elif isinstance(value, list):
        for item in value:
            yield from _item(item, indent + 2)


def _item(item: object, indent: int) -> Iterator[str]:
    one_line = f"{' ' * indent}- {flow(item)}"
    if not isinstance(item, Mapping) or len(one_line) <= WIDTH:
        yield one_line
        return
    bullet = "- "
    for key, inner in item.items():
        first, *rest = yaml_lines(str(key), inner, indent + 2)
        yield f"{' ' * indent}{bullet}{first.lstrip()}"
        yield from rest
        bullet = "  "


def flow(value: Any) -> str:  # noqa: ANN401 - any plain value
    """A value in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(str(key))}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value) if isinstance(value, str) else json.dumps(value)


def scalar(text: str) -> str:
    """A text, in quotes where YAML would take it for something else."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text)
