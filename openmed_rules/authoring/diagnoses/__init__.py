"""What causes each code, shown by an example, and what mends it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from openmed_rules.authoring.diagnoses import of_commands, of_rule_files, of_warnings

DIAGNOSES: Final = MappingProxyType({**of_rule_files.DIAGNOSES, **of_commands.DIAGNOSES, **of_warnings.DIAGNOSES})
"""Every code with an example and a remedy."""
