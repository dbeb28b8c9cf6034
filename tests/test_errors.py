"""The codes of problems: each is used, and each is told."""

from __future__ import annotations

import re
from pathlib import Path

import openmed_rules
from openmed_rules.errors import CODES

PACKAGE = Path(openmed_rules.__file__).parent


def test_every_code_is_used_and_has_a_meaning() -> None:
    used = {
        code
        for module in PACKAGE.rglob("*.py")
        if module.name != "errors.py"
        for code in re.findall(r"OMR-\d{3}", module.read_text(encoding="utf-8"))
    }

    assert used == set(CODES)


def test_a_meaning_is_one_plain_line() -> None:
    for meaning in CODES.values():
        assert meaning.isprintable()
        assert 10 < len(meaning) < 110
        assert meaning[0].islower() or meaning.startswith("JSON")
        assert not meaning.endswith(".")
