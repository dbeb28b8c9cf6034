"""``schema``: JSON Schemas, for those who write rule files, and for those who read what this package writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from types import MappingProxyType
from typing import Final

import click

from openmed_rules.authoring.rule_schema import rule_file_schema
from openmed_rules.cli.streams import show


def _report_schema() -> str:
    return files("openmed_rules.formats").joinpath("report.schema.json").read_text(encoding="utf-8")


def _rules_schema() -> str:
    return f"{json.dumps(rule_file_schema(), indent=2, ensure_ascii=False)}\n"


_SCHEMAS: Final = MappingProxyType[str, Callable[[], str]]({"rules": _rules_schema, "report": _report_schema})


@click.command("schema")
@click.argument("name", type=click.Choice(list(_SCHEMAS)), default="rules")
def schema_command(name: str) -> int:
    """Show a JSON Schema: of a rule file (rules), or of the report as `check --format json` writes it (report).

    Written to a file, the first one makes an editor complete and check a rule file that begins with
    `# yaml-language-server: $schema=rules.schema.json`.
    """
    show(_SCHEMAS[name]())
    return 0
