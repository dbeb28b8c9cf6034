"""Declarative YAML rules that gate citation consistency and fact coverage of clinical summaries."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openmed_rules.api import CheckResult, Rules, load_rules
    from openmed_rules.errors import GateError, InputError, RulesError, UsageError
    from openmed_rules.ruleset.problems import RuleFileError
    from openmed_rules.upstream import (
        assert_summary_citation_gate,
        assert_summary_coverage_gate,
        build_summary_citation_report,
        build_summary_coverage_report,
        compute_summary_citation_metrics,
        compute_summary_fact_coverage,
        run_summary_coverage,
    )

__version__ = "0.1.0"

__all__ = [
    "CheckResult",
    "GateError",
    "InputError",
    "RuleFileError",
    "Rules",
    "RulesError",
    "UsageError",
    "assert_summary_citation_gate",
    "assert_summary_coverage_gate",
    "build_summary_citation_report",
    "build_summary_coverage_report",
    "compute_summary_citation_metrics",
    "compute_summary_fact_coverage",
    "load_rules",
    "run_summary_coverage",
]

_MODULES = {
    "openmed_rules.api": ("CheckResult", "Rules", "load_rules"),
    "openmed_rules.errors": ("GateError", "InputError", "RulesError", "UsageError"),
    "openmed_rules.ruleset.problems": ("RuleFileError",),
    "openmed_rules.upstream": (
        "assert_summary_citation_gate",
        "assert_summary_coverage_gate",
        "build_summary_citation_report",
        "build_summary_coverage_report",
        "compute_summary_citation_metrics",
        "compute_summary_fact_coverage",
        "run_summary_coverage",
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """A public name, once it is asked for: importing the package alone costs nothing."""
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
