"""``list`` and ``show``: the layouts that come with the package, and rule files as they take effect."""

from __future__ import annotations

from pathlib import Path

import click

from openmed_rules.authoring.showing import effective_lines, origin_lines, plan_line
from openmed_rules.cli.streams import show
from openmed_rules.errors import UsageError
from openmed_rules.ruleset.files import FileError, builtin_names, find_builtin, names_a_file, read_file
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.ruleset.own_files import refuse_others


@click.command("list")
def list_command() -> int:
    """List the built-in layouts."""
    names = builtin_names()
    width = max(map(len, names))
    show("".join(f"{name.ljust(width)}  {load_rule_file(name).rules.description}\n" for name in names))
    return 0


@click.command("show")
@click.argument("name", metavar="NAME|FILE")
@click.option("--effective", is_flag=True, help="What it says after `extends`, without its tests.")
@click.option("--origin", is_flag=True, help="Each value with the file and the line it comes from.")
@click.option("--plan", is_flag=True, help="Which way it runs, and why not the fast one.")
@click.option("--root", metavar="DIR", help="Where `extends` may reach.")
def show_command(name: str, root: str | None, *, effective: bool, origin: bool, plan: bool) -> int:
    """Show a built-in layout or a rule file: with its comments, or as it takes effect."""
    if not (effective or origin or plan):
        show(_text(name))
        return 0
    file = load_rule_file(name, root=root)
    lines: list[str] = []
    if effective:
        lines += effective_lines(file)
    if origin:
        lines += origin_lines(file)
    if plan:
        lines.append(plan_line(file))
    show("".join(f"{line}\n" for line in lines))
    return 0


def _text(name: str) -> str:
    """The rule file as it stands.

    Raises:
        RuleFileError: it is no rule file, and may be an input.
        UsageError: it cannot be had.
    """
    try:
        content = read_file(Path(name) if names_a_file(name) else find_builtin(name))
    except FileError as error:
        problem = UsageError(error.code, f"{error.message}; {error.hint}" if error.hint else error.message)
    else:
        refuse_others(content, name)
        return content.decode("utf-8", "replace")
    raise problem
