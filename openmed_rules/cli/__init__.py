"""The command line: commands to calls, errors to exit codes."""

from openmed_rules.cli.boundary import main

__all__ = ["main"]
