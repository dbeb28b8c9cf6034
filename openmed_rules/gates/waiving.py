"""Rule files whose waivers do not reach too far ahead: loaded so for every command that judges."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from openmed_rules.gates import clock
from openmed_rules.gates.project import MAX_DAYS, PROJECT_FILE, load_project
from openmed_rules.ruleset.document import Document
from openmed_rules.ruleset.files import FileError, is_file, resolved
from openmed_rules.ruleset.loader import RuleFile, load_rule_file
from openmed_rules.ruleset.problems import Fault, Problem, RuleFileError


def load_gate_rules(
    path_or_name: str | Path,
    *,
    root: str | Path | None = None,
    layer: Document | None = None,
    max_days: int | None = None,
) -> RuleFile:
    """A rule file, as ``load_rule_file`` loads it, whose waivers end in time.

    ``max_days``: how many days ahead a waiver may reach; by default what the nearest project file upwards from the
    rule file says.

    Raises:
        RuleFileError: with everything that is wrong with it; also where a waiver reaches too far.
    """
    file = load_rule_file(path_or_name, root=root, layer=layer)
    today = clock.today()
    if list(_too_far(file, today, MAX_DAYS if max_days is None else max_days)):
        days = _days_allowed(Path(path_or_name)) if max_days is None else max_days
        problems = list(_too_far(file, today, days))
        if problems:
            raise RuleFileError(problems)
    return file


def _days_allowed(rule_file: Path) -> int:
    """What the nearest project file says. It is asked only where a waiver needs to know."""
    try:
        directory = resolved(rule_file).parent
    except FileError:
        return MAX_DAYS
    for place in (directory, *directory.parents):
        if is_file(place / PROJECT_FILE):
            return load_project(place / PROJECT_FILE).max_days
    return MAX_DAYS


def _too_far(file: RuleFile, today: date, days: int) -> Iterator[Problem]:
    last = today + timedelta(days=min(days, (date.max - today).days))
    for number, waiver in enumerate(file.rules.policy.waivers):
        if waiver.until > last:
            message = f"a waiver until {waiver.until.isoformat()} reaches more than {days} days ahead"
            hint = f"a project file may say more: `waivers: {{max_days: {(waiver.until - today).days}}}`"
            expected = f"a day up to {last.isoformat()}"
            fault = Fault("OMR-811", ("policy", "waivers", number, "until"), message, expected, hint)
            yield file.marks.problem(fault)
