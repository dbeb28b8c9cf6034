"""Patterns of the rule file, on an engine whose time is linear in the text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> re2._Regexp[str]:
    """``pattern``, compiled once in a process; it was tried when the rule file was loaded."""
    import re2  # it is slow to load, and few rule files have a pattern

    return re2.compile(pattern)
