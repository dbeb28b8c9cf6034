"""The file of a baseline: read with the places of what is wrong in it, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from openmed_rules.errors import OutputError
from openmed_rules.results.baseline import Baseline, Change, Share, Slack
from openmed_rules.results.report import RulesInfo
from openmed_rules.ruleset.files import FileError, read_file
from openmed_rules.ruleset.own_files import read_own
from openmed_rules.ruleset.problems import Fault, Mark, Problem, RuleFileError
from openmed_rules.ruleset.shape import shape_faults
from openmed_rules.running.output import write_output

BASELINE_VERSION = 1


def read_baseline(file: str, rules: RulesInfo | None = None) -> Baseline:
    """The baseline in ``file``. ``rules``: those that must have measured it.

    Raises:
        RuleFileError: it cannot be used: it is not there, no baseline, of another version, or of other rules.
    """
    try:
        # JSON is YAML, and so every value has its place.
        document = read_own(read_file(Path(file)), file, "baseline file")
    except FileError as error:
        raise RuleFileError([Problem(error.code, Mark(file, 0, 0), error.message, hint=error.hint)]) from None
    data, marks, problems = document
    faults = list(_of_another_version(data)) or shape_faults(data, "baseline file")
    if not faults and rules is not None:
        faults = list(_of_other_rules(data, rules))
    if problems or faults:
        raise RuleFileError((*problems, *map(marks.problem, faults)))
    return _baseline(data)


def _of_another_version(data: object) -> Iterator[Fault]:
    if isinstance(data, dict) and data.get("schema_version", BASELINE_VERSION) != BASELINE_VERSION:
        message = f"a baseline of schema version {data['schema_version']}"
        hint = "write it anew: openmed-rules baseline update --because ..."
        yield Fault("OMR-803", ("schema_version",), message, f"schema version {BASELINE_VERSION}", hint)


def _of_other_rules(data: Mapping[str, Any], rules: RulesInfo) -> Iterator[Fault]:
    if data["rules"]["sha256"] != rules.measure_sha256:
        message = "a baseline of another rule set, or of this one before what it measures changed"
        hint = "write it anew: openmed-rules baseline update --because ..."
        yield Fault("OMR-804", ("rules", "sha256"), message, f"{rules.name}, {rules.measure_sha256}", hint)


def _baseline(data: Mapping[str, Any]) -> Baseline:
    return Baseline(
        rules=data["rules"]["name"],
        sha256=data["rules"]["sha256"],
        slack=Slack(data["tolerance"], data["floor"], data["drift_tolerance"]),
        ratios={name: Share(**share) for name, share in data["ratios"].items()},
        locators=data["locators"],
        history=tuple(
            Change(change["date"], change["because"], tuple(change["loosened"])) for change in data["history"]
        ),
    )


def baseline_text(baseline: Baseline) -> str:
    """A baseline as its file holds it: JSON in a fixed order, made to be committed."""
    data = {
        "schema_version": BASELINE_VERSION,
        "rules": {"name": baseline.rules, "sha256": baseline.sha256},
        "tolerance": baseline.slack.tolerance,
        "floor": baseline.slack.floor,
        "drift_tolerance": baseline.slack.drift,
        "ratios": {name: share.to_dict() for name, share in sorted(baseline.ratios.items())},
        "locators": {name: dict(counts) for name, counts in sorted(baseline.locators.items())},
        "history": [
            {"date": change.date, "because": change.because, "loosened": list(change.loosened)}
            for change in baseline.history
        ],
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def rewrite_baseline(file: str, change: Callable[[Baseline | None], Baseline]) -> Baseline:
    """Write what ``change`` makes of the baseline in ``file``, None where there is no such file.

    Another run that does so at the same time waits, and then sees this one's.

    Raises:
        OutputError: the file cannot be written; the old one stays.
        RuleFileError: what stands there cannot be used.
    """
    with _alone(file):
        known = read_baseline(file) if os.path.exists(file) else None  # noqa: PTH110 - asks, and never raises
        baseline = change(known)
        write_output(file, baseline_text(baseline))
    return baseline


@contextmanager
def _alone(file: str) -> Iterator[None]:
    """No other run writes in the directory of ``file`` meanwhile; the lock ends with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # where there is no such lock, the file is still whole, and the last run's
        yield
        return
    problem = None
    try:
        lock = os.open(Path(os.path.realpath(file)).parent, os.O_RDONLY)
    except OSError as error:
        problem = OutputError("OMR-701", f"{file}: cannot be written: {error.strerror}")
    if problem:
        raise problem
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
