"""``explain-code``: what the code of a problem means, with an example, and what mends it."""

from __future__ import annotations

import click

from openmed_rules.authoring.diagnostics import explained
from openmed_rules.cli.streams import show
from openmed_rules.errors import CODES, UsageError


@click.command("explain-code")
@click.argument("code", metavar="OMR-nnn")
def explain_code_command(code: str) -> int:
    """Tell what the code of a problem means, with an example, and what to do."""
    known = code.upper()
    if known not in CODES:
        raise UsageError("OMR-626", f"no problem has the code {code}")
    show(explained(known))
    return 0
