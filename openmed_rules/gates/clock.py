"""The day on which waivers are held: the one place that asks a clock."""

from __future__ import annotations

from datetime import date, datetime, timezone


def today() -> date:
    """The day in UTC, the same for every machine."""
    return datetime.now(timezone.utc).date()
