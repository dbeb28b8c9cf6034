"""An example of a problem, with its remedy."""

from __future__ import annotations

from typing import NamedTuple


class Diagnosis(NamedTuple):
    """An example of a problem, and what mends it."""

    example: str
    remedy: str
