"""A gate over months: runs that get better and worse, a baseline that is written and held, waivers that end."""

from __future__ import annotations

import json
import os
import tempfile
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from shutil import rmtree
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from judged import lines, rule_set
from openmed_rules.errors import UsageError
from openmed_rules.gates.baseline_file import baseline_text, read_baseline, rewrite_baseline
from openmed_rules.gates.ratchet import NewSlack, next_baseline
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.baseline import Baseline, fraction
from openmed_rules.results.holding import hold_against, ratios_of
from openmed_rules.results.report import Report

STEPS = int(os.environ.get("OPENMED_RULES_EXAMPLES", "15"))
BEGIN, UNTIL = date(2026, 1, 1), date(2026, 3, 1)
RULES = f"""\
citations: {{records: citations, id: fact}}
evidence: {{records: $.facts, id: id}}
policy:
  tolerate: {{unsupported_claim: any, invalid_citation: any, omitted_source_fact: any}}
  waivers: [{{reason: duplicate_citation, until: '{UNTIL}', because: the vendor mends it, owner: us}}]
"""
PERCENTS = st.sampled_from(["0%", "1%", "12.5%", "100%"])


def notes(supported: int, of: int, *, repeats: bool = False) -> dict[str, Any]:
    """A summary of ``of`` claims, of which so many cite a fact that is there; one of them may do so twice."""
    claims = [{"citations": [{"fact": f"f{number}" if number < supported else "nowhere"}]} for number in range(of)]
    if repeats:
        claims[0]["citations"] *= 2
    return {"claims": claims, "facts": [{"id": f"f{number}"} for number in range(of)]}


class Gate(RuleBasedStateMachine):
    """One gate with its baseline, on one day after another."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.file = str(self.place / "base.json")
        self.today = BEGIN
        self.rules = rule_set(RULES)

    def teardown(self) -> None:
        rmtree(self.place)

    def _report(self, supported: int, of: int) -> Report:
        report = self._judged(notes(min(supported, of), of))
        assert report.passed
        return report

    def _judged(self, note: dict[str, Any]) -> Report:
        return judge_batch(self.rules, lines([note], "notes"), locators=True, today=self.today)

    @property
    def _known(self) -> Baseline | None:
        return read_baseline(self.file) if Path(self.file).exists() else None

    @initialize(supported=st.integers(0, 8), tolerance=PERCENTS, floor=st.integers(0, 5))
    def begin(self, supported: int, tolerance: str, floor: int) -> None:
        self._update(self._report(supported, 8), NewSlack(tolerance, floor), None)

    @rule(days=st.integers(1, 40))
    def wait(self, days: int) -> None:
        self.today += timedelta(days=days)

    @rule(supported=st.integers(0, 8), of=st.integers(1, 8))
    def check(self, supported: int, of: int) -> None:
        """A run fails where one of its ratios is worse than the recorded one by more than is allowed, else not."""
        known = self._known
        assert known is not None
        report = self._report(supported, of)
        held = hold_against(report, known, "base.json")
        allowed = fraction(known.slack.tolerance)
        measured = ratios_of(report)
        worse = {
            name
            for name, recorded in known.ratios.items()
            if name in measured
            and min(recorded.whole, measured[name].whole) >= known.slack.floor
            and recorded.ratio - measured[name].ratio > allowed
        }

        assert held.passed is not bool(worse)
        assert held.baseline is not None
        assert {line.name for line in held.baseline.worse} == worse

    @rule(supported=st.integers(0, 8), of=st.integers(1, 8))
    def update_without_a_reason(self, supported: int, of: int) -> None:
        """What is recorded gets no looser, whatever the run says; where that cannot be, nothing is written."""
        self._update(self._report(supported, of), NewSlack(), None)

    @rule(
        supported=st.integers(0, 8), of=st.integers(1, 8), tolerance=PERCENTS, floor=st.integers(0, 5), drift=PERCENTS
    )
    def update_with_other_slack(self, supported: int, of: int, tolerance: str, floor: int, drift: str) -> None:
        self._update(self._report(supported, of), NewSlack(tolerance, floor, drift), None)

    @rule(supported=st.integers(0, 8), of=st.integers(1, 8), tolerance=st.none() | PERCENTS)
    def update_with_a_reason(self, supported: int, of: int, tolerance: str | None) -> None:
        report = self._report(supported, of)
        self._update(report, NewSlack(tolerance), "the vendor changed")
        known = self._known
        assert known is not None
        assert {name: known.ratios[name] for name in ratios_of(report)} == ratios_of(report)

    def _update(self, report: Report, slack: NewSlack, because: str | None) -> None:
        before = self._known
        text = Path(self.file).read_bytes() if before else b""
        try:
            rewrite_baseline(self.file, lambda known: next_baseline(known, report, slack, because, self.today))
        except UsageError as error:
            refused: str | None = error.code
        else:
            refused = None
        after = self._known
        if refused is not None:
            assert (refused, because) == ("OMR-806", None)
            assert Path(self.file).read_bytes() == text
        elif before is not None and after is not None:
            self._hold(before, after, because)

    def _hold(self, before: Baseline, after: Baseline, because: str | None) -> None:
        assert after.history[: len(before.history)] == before.history
        assert len(after.history) - len(before.history) == (because is not None)
        assert set(after.ratios) >= set(before.ratios)
        if because is not None:
            return
        assert fraction(after.slack.tolerance) <= fraction(before.slack.tolerance)
        assert fraction(after.slack.drift) <= fraction(before.slack.drift)
        assert after.slack.floor <= before.slack.floor
        for name, share in before.ratios.items():
            assert after.ratios[name].ratio >= share.ratio
        for name, counts in before.locators.items():
            assert _rate(after.locators[name]) >= _rate(counts)

    @precondition(lambda self: self._known is not None)
    @invariant()
    def the_file_says_what_it_was_given(self) -> None:
        known = self._known
        assert known is not None
        text = Path(self.file).read_text(encoding="utf-8")
        assert baseline_text(known) == text
        assert json.loads(text)["schema_version"] == 1
        assert [path.name for path in self.place.iterdir()] == ["base.json"]

    @invariant()
    def a_waiver_holds_to_its_last_day(self) -> None:
        report = self._judged(notes(2, 2, repeats=True))
        assert report.passed is (self.today <= UNTIL)
        assert [line.state for line in report.waivers] == ["used" if report.passed else "expired"]


def _rate(counts: Any) -> Fraction:
    return Fraction(counts.get("met", counts["found"]), counts["tried"]) if counts["tried"] else Fraction(0)


Gate.TestCase.settings = settings(deadline=None, max_examples=STEPS, stateful_step_count=12)
TestGate = Gate.TestCase
