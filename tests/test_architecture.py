"""What keeps the code small and the boundary closed, beside the import contracts in pyproject.toml."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "openmed_rules"
MODULES = sorted(PACKAGE.rglob("*.py"))
NETWORK = {"asyncio", "ftplib", "http", "requests", "smtplib", "socket", "ssl", "urllib", "xmlrpc"}
SPEAKS = ("cli", "running")
"""The zones that may write to a terminal; the others return values."""

every_module = pytest.mark.parametrize(
    "module", MODULES, ids=[module.relative_to(PACKAGE).as_posix() for module in MODULES]
)


def imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@every_module
def test_a_module_can_be_read_in_one_sitting(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 400


@every_module
def test_a_module_says_what_it_is(module: Path) -> None:
    tree = ast.parse(module.read_bytes())

    assert ast.get_docstring(tree) or not tree.body


@every_module
def test_nothing_logs_or_talks_to_a_network(module: Path) -> None:
    assert not imported(ast.parse(module.read_bytes())) & (NETWORK | {"logging"})


@every_module
def test_only_the_outer_zones_write_to_a_terminal(module: Path) -> None:
    if module.relative_to(PACKAGE).parts[0] in SPEAKS:
        return
    tree = ast.parse(module.read_bytes())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}

    assert not names & {"print", "breakpoint"}
    assert not attributes & {"stdout", "stderr"}
    assert not imported(tree) & {"warnings", "traceback", "pdb"}
