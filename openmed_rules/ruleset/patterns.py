"""The patterns of a rule file, on an engine whose time is linear in the text and whose memory is bounded."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from openmed_rules.ruleset.bounds import MAX_PATTERN, PATTERN_MEMORY

if TYPE_CHECKING:
    import re2


class PatternError(Exception):
    """Why a pattern was refused; ``column`` is counted from 0, None where the engine does not say."""

    def __init__(self, code: str, message: str, column: int | None, width: int) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.column = column
        self.width = width


def group_count(pattern: str) -> int:
    """How many groups a pattern has.

    Raises:
        PatternError: where google-re2 does not accept it.
    """
    import re2

    if len(pattern) > MAX_PATTERN:
        raise PatternError("OMR-304", f"a pattern of more than {MAX_PATTERN:,} characters", MAX_PATTERN, 1)
    try:
        return int(compile_pattern(pattern).groups)
    except re2.error as error:
        reason = error.args[0]
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    fragment = reason.partition(": ")[2]
    column = pattern.find(fragment) if fragment else -1
    message = f"not a pattern of RE2: {reason}"
    raise PatternError("OMR-302", message, None if column < 0 else column, max(len(fragment), 1))


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> re2._Regexp[str]:
    """``pattern``, compiled once in a process.

    Raises:
        re2.error: where the engine does not accept it; never for one of a rule file that was loaded.
    """
    import re2  # it is slow to load, and few rule files have a pattern

    options = re2.Options()
    options.log_errors = False
    options.max_mem = PATTERN_MEMORY
    return re2.compile(pattern, options)
