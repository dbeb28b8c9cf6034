"""``list`` and ``show``: the layouts that come with the package."""

from __future__ import annotations

import click

from openmed_rules.cli.streams import show
from openmed_rules.errors import UsageError
from openmed_rules.ruleset.files import FileError, builtin_names, find_builtin
from openmed_rules.ruleset.loader import load_rule_file


@click.command("list")
def list_command() -> int:
    """List the built-in layouts."""
    names = builtin_names()
    width = max(map(len, names))
    show("".join(f"{name.ljust(width)}  {load_rule_file(name).rules.description}\n" for name in names))
    return 0


@click.command("show")
@click.argument("name")
def show_command(name: str) -> int:
    """Show the rule file of a built-in layout, with its comments."""
    try:
        file = find_builtin(name)
    except FileError as error:
        problem = UsageError(error.code, f"{error.message}; {error.hint}")
    else:
        show(file.read_text(encoding="utf-8"))
        return 0
    raise problem
