"""The commands by name; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import MappingProxyType
from typing import Final, cast

import click

from openmed_rules import __version__
from openmed_rules.cli.streams import show

COMMANDS: Final = MappingProxyType(
    {
        "check": "openmed_rules.cli.check",
        "gate": "openmed_rules.cli.gates",
        "baseline": "openmed_rules.cli.baselines",
        "validate": "openmed_rules.cli.rule_files",
        "test": "openmed_rules.cli.rule_files",
        "explain": "openmed_rules.cli.explain",
        "init": "openmed_rules.cli.init",
        "list": "openmed_rules.cli.layouts",
        "show": "openmed_rules.cli.layouts",
        "schema": "openmed_rules.cli.schemas",
        "explain-code": "openmed_rules.cli.codes",
    }
)
"""The module of each command; there it is called ``<command>_command``."""

_DEBUG = "openmed_rules.debug"


def _remember_debug(context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given:
        context.meta[_DEBUG] = True


def _show_help(context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given:
        show(f"{context.get_help()}\n")
        context.exit()


def _show_version(context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given:
        show(f"openmed-rules {__version__}\n")
        context.exit()


def _flag(*names: str, then: Callable[[click.Context, click.Parameter, bool], None], text: str) -> click.Option:
    return click.Option(names, is_flag=True, is_eager=True, expose_value=False, callback=then, help=text)


# click's own options for help and version trip over a closed pipe or a full disk.
COMMON: Final = (
    _flag("--debug", then=_remember_debug, text="Tell where in this package an internal error came from."),
    _flag("-h", "--help", then=_show_help, text="Show this page."),
)


class _Commands(click.Group):
    """The commands of the table; the common options may stand before or after the name of each."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the same for every context
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name])
        command = cast("click.Command", getattr(module, f"{cmd_name.replace('-', '_')}_command"))
        if command.add_help_option:
            command.add_help_option = False
            command.params += COMMON
        return command


@click.command(
    cls=_Commands,
    params=[_flag("--version", then=_show_version, text="Show the version."), *COMMON],
    add_help_option=False,
    no_args_is_help=False,
)
def openmed_rules() -> None:
    """A gate for summaries: does every claim cite a record that exists, and is every fact cited?

    It reads ids and offsets only, by the rules of a YAML file, and shows nothing of what it read.
    """


def debugging(context: click.Context | None) -> bool:
    """Whether ``--debug`` was given to the command that ran in ``context``."""
    return context is not None and bool(context.meta.get(_DEBUG))
