"""How much a rule file may hold, so that one from a stranger is read in bounded time and memory.

Each bound lies far above what a person writes. What is at a bound is taken; one more is refused.
"""

from __future__ import annotations

from typing import Final

# --- the text, also of a project file and of a baseline -------------------------------------------

MAX_BYTES: Final = 1_000_000
"""Bytes of one file, and of all together that it extends. YAML is read at about a megabyte a second."""

MAX_DEPTH: Final = 64
"""Mappings and lists inside each other. What reads them calls itself, and Python has a limit on that."""

MAX_VALUES: Final = 50_000
"""Values and keys of one file, and values of all that it extends. Each takes about a kilobyte, with its place."""

MAX_ALIASED: Final = 20_000
"""Values that all aliases of a file may add together; a few lines of them could stand for billions."""

MAX_ALIASED_TEXT: Final = 1_000_000
"""Characters that a file may hold with its aliases written out: as many as without them."""

MAX_TEXT: Final = 20_000
"""Characters of one key or value. Messages show it, and near words are looked for; a longer text stands in a file."""

MAX_DIGITS: Final = 100
"""Digits of a number. Python takes more than linear time to read one."""

# --- what it extends ------------------------------------------------------------------------------

MAX_CHAIN: Final = 16
"""Files that extend each other in a row. Each is read inside of the call that reads the one before it."""

MAX_LAYERS: Final = 100
"""Files that are extended in all, each as often as it is named: two that name two each grow by powers."""

# --- what the rules say ---------------------------------------------------------------------------

MAX_PATHS: Final = 2_000
"""Paths of a rule file. One that needs the library's parser takes about a millisecond."""

MAX_PATH: Final = 1_000
"""Characters of a path; a longer one was written by no person."""

MAX_STEPS: Final = 100
"""Dots and brackets of a path. Each step is a call inside of the one before it."""

MAX_PATTERNS: Final = 100
"""Patterns of a rule file; each may take up ``PATTERN_MEMORY``."""

MAX_PATTERN: Final = 1_000
"""Characters of a pattern."""

PATTERN_MEMORY: Final = 1 << 20
"""Bytes that the engine may take for one pattern: a few characters of repeats could ask for gigabytes."""

# --- what is told ---------------------------------------------------------------------------------

MAX_PROBLEMS: Final = 100
"""Problems of a file that are told at once. Words that may have been meant are looked for, for each of them."""

MAX_WORD: Final = 100
"""Characters of a word for which near ones are looked for: to compare two long texts takes more than linear time."""

MAX_CALLS: Final = 2_000_000
"""Calls of functions in which ``validate`` tries the tests of a rule file; a few lines could ask for years of work."""
