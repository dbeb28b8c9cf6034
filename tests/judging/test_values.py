"""What a single value of a record is: as an offset, and beside a literal of the rule file."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from openmed_rules.judging.nodes import MALFORMED, Missing
from openmed_rules.judging.values import MOST_DIGITS, UnusableText, offset, same_literal

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


@pytest.mark.parametrize(
    ("value", "literal", "same"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1.0, 1, True),
        (1, 2.0, False),
        (1, True, False),
        (True, 1, False),
        (0.0, False, False),
        (1, "1", False),
        ("1", 1, False),
        ("a", "A", False),
        ([1], [1], True),
        (None, False, False),
        (MALFORMED, "malformed", False),
    ],
)
def test_a_value_is_a_literal_by_its_json_type(value: object, literal: object, same: bool) -> None:
    assert same_literal(value, literal) is same


def test_what_tells_of_text_that_cannot_be_used_crosses_processes() -> None:
    """With its code alone."""
    assert pickle.loads(pickle.dumps(UnusableText("OMR-612"))).code == "OMR-612"
