"""Whether a pattern can be run by the linear-time engine, and how many groups it has."""

from __future__ import annotations


class PatternError(Exception):
    """Why a pattern was refused; ``column`` is counted from 0, None where the engine does not say."""

    def __init__(self, message: str, column: int | None, width: int) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.width = width


def group_count(pattern: str) -> int:
    """How many groups a pattern has.

    Raises:
        PatternError: where google-re2 does not accept it.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return int(re2.compile(pattern, options).groups)
    except re2.error as error:
        reason = error.args[0]
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    fragment = reason.partition(": ")[2]
    column = pattern.find(fragment) if fragment else -1
    raise PatternError(f"not a pattern of RE2: {reason}", None if column < 0 else column, max(len(fragment), 1))
