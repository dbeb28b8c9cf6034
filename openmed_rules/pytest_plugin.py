"""For pytest: ``openmed_gate``, the gate of a rule file as a fixture.

With ``--openmed-rules RULES`` a test asks for the fixture and calls it: ``openmed_gate(summary)``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from openmed_rules.api import CheckResult

_RULES = "openmed_rules"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that names the rule file."""
    group = parser.getgroup("openmed-rules", "the gate of summaries")
    group.addoption(
        "--openmed-rules",
        dest=_RULES,
        metavar="RULES",
        help="the rule file, or the built-in layout, by which openmed_gate judges",
    )


@pytest.fixture(scope="session")
def openmed_gate(pytestconfig: pytest.Config) -> Callable[..., CheckResult]:
    """The gate: called with a summary, and its evidence where the rules read some, it raises what failed."""
    from openmed_rules.api import load_rules
    from openmed_rules.ruleset.problems import RuleFileError

    named = pytestconfig.getoption(_RULES)
    if named is None:
        pytest.fail("openmed_gate needs the option --openmed-rules RULES", pytrace=False)
    try:
        return load_rules(named).assert_gate
    except RuleFileError as error:
        problems = str(error)
    pytest.fail(problems, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A gate that failed is told in a line: the frames of the test that called it hold its records."""
    from openmed_rules.errors import GateError, RulesError

    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, (GateError, RulesError)):
        lines = [entry.lineno + 1 for entry in call.excinfo.traceback if entry.path == item.path]
        where = ":".join(map(str, (report.location[0], *lines[-1:])))
        report.longrepr = f"{where}: {call.excinfo.typename}: {call.excinfo.value}"
    return report
