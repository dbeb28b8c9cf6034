"""A run that is judged in parts, by other processes even, is the run that is judged as a whole."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canaries import LINES, RULE_FILES
from judged import TODAY, lines
from openmed_rules.judging.batch import Judging, judge_batch
from openmed_rules.judging.documents import JsonText
from openmed_rules.results.places import Place
from openmed_rules.results.waivers import in_force
from openmed_rules.ruleset.loader import load_rule_text
from samples import FAILING, PASSING, RULES

POLICIES = {
    "strict": "",
    "lenient": "policy: {tolerate: {unsupported_claim: 50%, duplicate_citation: any}}\n",
    "per batch": "policy: {per: batch, tolerate: {unsupported_claim: 5%}}\n",
    "some may fail": "policy: {failed_cases: 2}\n",
    "waived": "policy: {waivers: [{reason: duplicate_citation, until: '2026-12-31', because: known, owner: us}]}\n",
}
RULE_SETS = {name: load_rule_text(RULES + policy).rules for name, policy in POLICIES.items()}
RULE_SETS |= {name: load_rule_text(RULE_FILES[name]).rules for name in ("spans.yaml", "forms.yaml")}
ONE_FILE = Place("notes")
DOCUMENTS = [JsonText(ONE_FILE, line) for line in LINES.values()]


@pytest.mark.parametrize("locators", [False, True])
@pytest.mark.parametrize("name", RULE_SETS)
@given(
    documents=st.lists(st.sampled_from(DOCUMENTS), max_size=60),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    positions=st.sampled_from([0, 3, 20]),
)
@settings(max_examples=15, deadline=None)
def test_parts_add_up_to_the_whole(
    name: str, locators: bool, documents: list[JsonText], cuts: list[int], positions: int
) -> None:
    rules = RULE_SETS[name]
    whole = judge_batch(rules, documents, positions=positions, locators=locators, today=TODAY)

    run = Judging(in_force(rules, TODAY), has_evidence=False, locators=locators).part(positions)
    for start, end in pairwise(sorted({0, *cuts, len(documents)})):
        judging = Judging(in_force(rules, TODAY), has_evidence=False, locators=locators)
        part = judging.part(positions)
        judging.judge(documents[start:end], None, part.tally)
        run.extend(pickle.loads(pickle.dumps(part)), cases_before=run.tally.total, lines_before=0)

    assert run.report(rules.policy.waivers, TODAY) == whole


def test_positions_count_on_from_part_to_part() -> None:
    run = Judging(RULE_SETS["strict"], has_evidence=False).part(20)
    for _ in range(2):
        judging = Judging(RULE_SETS["strict"], has_evidence=False)
        part = judging.part(20)
        judging.judge(lines([FAILING, PASSING], "notes"), None, part.tally)
        run.extend(part, cases_before=run.tally.total, lines_before=0)

    assert {position.case for position in run.report((), None).positions} == {1, 3}
