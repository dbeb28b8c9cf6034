"""A run: documents in, one report out. The only door through which records come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache, partial

from openmed_rules.errors import InputError, UsageError
from openmed_rules.judging.documents import Document, JsonText
from openmed_rules.judging.judge import CaseJudge, compile_judge
from openmed_rules.judging.nodes import CaseNode, CaseRoots
from openmed_rules.judging.pairing import Case, Pair, paired, read_cases
from openmed_rules.judging.parsing import parse_document
from openmed_rules.judging.plan.layout import NotPlanned
from openmed_rules.judging.plan.running import Plan, compile_plan
from openmed_rules.judging.values import UnusableText
from openmed_rules.judging.watching import LocatorCounts, Watch
from openmed_rules.results.counts import Counts
from openmed_rules.results.notes import Note
from openmed_rules.results.places import CasePlace, Unreadable
from openmed_rules.results.report import Report
from openmed_rules.results.reporting import make_report
from openmed_rules.results.tally import Tally
from openmed_rules.results.waivers import in_force
from openmed_rules.ruleset import model


def judge_batch(  # noqa: PLR0913 - each is an option of the command
    rules: model.RuleSet,
    summary: Iterable[Document],
    evidence: Iterable[Document] | None = None,
    *,
    strict_json: bool = False,
    positions: int = 20,
    locators: bool = False,
    today: date | None = None,
) -> Report:
    """Judge every case of ``summary`` against its evidence.

    ``evidence``: the second input, where the rules read one. ``strict_json``: an object with two members of one
    name makes its case unreadable. ``positions``: how many positions of what failed are kept. ``locators``: count
    how often each locator was tried and found. ``today``: the day (UTC) on which waivers are held; without one, none
    of them waives anything.

    Raises:
        InputError: the rules read an evidence input, and there is none.
        UsageError: no collection reads the evidence input, or its cases cannot be paired with those of the summary.
    """
    if evidence is None and rules.reads_evidence_input:
        raise InputError("OMR-621", "a collection says `in: evidence`, and no evidence input is given")
    if evidence is not None and not rules.reads_evidence_input:
        raise UsageError("OMR-622", "an evidence input is given, and no collection says `in: evidence`")
    waivers, rules = rules.policy.waivers, in_force(rules, today)
    counts_of_locators: dict[str, LocatorCounts] | None = {} if locators else None
    watch = Watch(counts_of_locators)
    judge = compile_judge(rules, watch) if locators else _judge_of(rules)
    tally = Tally(rules, positions=positions)
    plan = None if evidence is not None or locators or strict_json else _plan_of(rules)
    if plan is not None:
        _judge_planned(summary, plan, judge, tally)
        return make_report(tally, None, waivers, today)
    inputs = watch.at("inputs")
    summaries = read_cases(summary, rules.summary_input, inputs.at("summary"), strict_json=strict_json)
    pairs: Iterator[Pair] = (Pair(case.where, case, ()) for case in summaries)
    if evidence is not None:
        others = read_cases(evidence, rules.evidence_input, inputs.at("evidence"), strict_json=strict_json)
        pairs = paired(rules, summaries, list(others), inputs)
    for pair in pairs:
        _judge_pair(pair, judge, tally)
    found = None
    if counts_of_locators is not None:
        found = {path: counts.to_dict() for path, counts in counts_of_locators.items()}
    return make_report(tally, found, waivers, today)


@lru_cache(maxsize=64)
def _judge_of(rules: model.RuleSet) -> CaseJudge:
    """The judge of ``rules``, compiled once in a process; it keeps nothing of what it judges."""
    return compile_judge(rules, Watch())


def _judge_pair(pair: Pair, judge: CaseJudge, tally: Tally) -> None:
    unreadable = pair.unreadable
    if unreadable is not None:
        tally.add_unreadable(unreadable)
        return
    notes: list[Note] = []
    try:
        counts = judge(pair.roots, notes)
    except UnusableText as unusable:
        tally.add_unreadable(Unreadable(pair.where.place, unusable.code))
    else:
        tally.add(pair.where, counts, lambda: notes)


# --- the fast way -------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _plan_of(rules: model.RuleSet) -> Plan | None:
    try:
        return compile_plan(rules)
    except NotPlanned:
        return None


MANY = 256
"""How many cases are added up at once, where nothing of a single one is wanted any more."""


def _judge_planned(documents: Iterable[Document], plan: Plan, judge: CaseJudge, tally: Tally) -> None:
    """Judge documents of one case each by ``plan``, and those that it cannot take the general way."""
    file, number = "", 0
    waiting: list[Counts] = []
    for document in documents:
        place = document.place
        file, number = place.file, number + 1 if place.file == file else 1
        counts = plan(document.content) if isinstance(document, JsonText) else None
        if counts is None:
            where = CasePlace(place, number)
            _judge_pair(Pair(where, Case(where, _root(document)), ()), judge, tally)
        elif waiting or tally.takes_many:
            waiting.append(counts)
            if len(waiting) == MANY:
                tally.add_many(waiting)
                waiting = []
        else:
            tally.add(CasePlace(place, number), counts, partial(_notes, document, judge))
    tally.add_many(waiting)


def _root(document: Document) -> CaseNode | Unreadable:
    parsed = parse_document(document)
    return parsed if isinstance(parsed, Unreadable) else CaseNode(parsed.value)


def _notes(document: Document, judge: CaseJudge) -> list[Note]:
    """What may have failed in a document whose counts are known."""
    root = _root(document)
    notes: list[Note] = []
    if isinstance(root, CaseNode):
        judge(CaseRoots(root, ()), notes)
    return notes
