"""The page for authors of rule files names commands and options that there are."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from openmed_rules.cli.commands import COMMANDS, openmed_rules
from openmed_rules.errors import CODES

PAGE = (Path(__file__).parents[2] / "docs" / "authoring.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def options(command: str) -> set[str]:
    group = openmed_rules
    assert isinstance(group, click.Group)
    found = group.get_command(click.Context(group), command)
    assert found is not None
    return {option for parameter in found.params for option in parameter.opts}


@pytest.mark.parametrize("command", SECTIONS)
def test_every_option_that_is_named_is_one(command: str) -> None:
    named = set(re.findall(r"`(--?[a-z-]+)(?: [A-Z]+)?`", SECTIONS[command]))
    assert named <= options(command)
    assert named or command == "explain"


def test_every_command_that_is_named_is_one() -> None:
    assert set(re.findall(r"openmed-rules ([a-z-]+)", PAGE)) <= set(COMMANDS)
    assert set(re.findall(r"openmed-rules show rules.yaml (--\w+)", PAGE)) <= options("show")


def test_the_codes_that_are_named_are_known() -> None:
    assert set(re.findall(r"OMR-\d{3}", PAGE)) <= set(CODES)
