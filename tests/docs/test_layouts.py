"""The page about the built-in layouts says what their rule files say."""

from __future__ import annotations

import os
from pathlib import Path

from openmed_rules.authoring.layout_docs import render_layouts
from openmed_rules.ruleset.files import builtin_names

PAGE = Path(__file__).parents[2] / "docs" / "layouts.md"


def test_the_page_is_up_to_date() -> None:
    """``UPDATE_GOLDEN=1`` writes it anew."""
    page = render_layouts()
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(page, encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == page


def test_every_layout_has_a_section() -> None:
    page = render_layouts()

    assert all(f"\n## {name}\n" in page for name in builtin_names())
