"""What a single value of a record is, as an offset."""

from __future__ import annotations

from typing import Any

import pytest

from openmed_rules.judging.nodes import MALFORMED, Missing
from openmed_rules.judging.values import MOST_DIGITS, offset

MOST = "9" * MOST_DIGITS


@pytest.mark.parametrize(
    ("value", "is_read"),
    [
        (" 7 ", 7),
        ("-7", -7),
        ("007", 7),
        (MOST, int(MOST)),
        ("-" + MOST, -int(MOST)),
        (MOST + "9", MALFORMED),
        ("--7", MALFORMED),
        ("7-", MALFORMED),
        ("-", MALFORMED),
        ("+7", MALFORMED),
        ("7.0", MALFORMED),
        ("\u0667", MALFORMED),
        ("", MALFORMED),
        (True, MALFORMED),
        (7.0, MALFORMED),
    ],
)
def test_an_offset_that_is_text(value: Any, is_read: int | Missing) -> None:
    assert offset(value, text_numbers=True) == is_read
