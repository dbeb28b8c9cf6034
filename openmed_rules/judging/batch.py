"""A run: documents in, one report out. The only door through which records come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial

from openmed_rules.errors import InputError, UsageError
from openmed_rules.judging.documents import Document, MappedText
from openmed_rules.judging.judge import CaseJudge, compile_judge
from openmed_rules.judging.pairing import Case, CaseReader, Decode, Pair, paired
from openmed_rules.judging.plan.leaves import NotPlanned
from openmed_rules.judging.plan.long import Long, LongCounts
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
    judging = Judging(in_force(rules, today), evidence is not None, strict_json=strict_json, locators=locators)
    part = judging.part(positions)
    judging.judge(summary, evidence, part.tally)
    return part.report(rules.policy.waivers, today)


@dataclass(slots=True)
class Part:
    """The cases of a run, or of one part of it, judged; it can be handed to another process.

    ``locators``: by path in the rule file, how often it was tried and found, where that was asked for.
    """

    tally: Tally
    locators: dict[str, LocatorCounts] | None = None

    def extend(self, other: Part, *, cases_before: int, lines_before: int) -> None:
        """Add the part that comes after this; ``cases_before`` and ``lines_before`` as in ``Tally.extend``."""
        self.tally.extend(other.tally, cases_before=cases_before, lines_before=lines_before)
        if self.locators is not None and other.locators is not None:
            none = LocatorCounts()
            self.locators |= {
                path: counts.plus(self.locators.get(path, none)) for path, counts in other.locators.items()
            }

    def report(self, waivers: Sequence[model.Waiver], today: date | None) -> Report:
        """The report, once every part is in it; ``waivers`` and ``today`` as in ``make_report``."""
        found = self.locators
        locators = None if found is None else {path: counts.to_dict() for path, counts in found.items()}
        return make_report(self.tally, locators, waivers, today)


class Judging:
    """A rule set, ready to judge documents as they come; of a document nothing is kept but what it counts."""

    def __init__(
        self, rules: model.RuleSet, has_evidence: bool, *, strict_json: bool = False, locators: bool = False
    ) -> None:
        """``rules``: with those waivers only that are in force. ``has_evidence``: whether there is a second input.

        Raises:
            InputError: the rules read an evidence input, and there is none.
            UsageError: no collection reads the evidence input.
        """
        if rules.reads_evidence_input and not has_evidence:
            raise InputError("OMR-621", "a collection says `in: evidence`, and no evidence input is given")
        if has_evidence and not rules.reads_evidence_input:
            raise UsageError("OMR-622", "an evidence input is given, and no collection says `in: evidence`")
        self._rules = rules
        self._locators: dict[str, LocatorCounts] | None = {} if locators else None
        watch = Watch(self._locators)
        self._judge = compile_judge(rules, watch) if locators else _judge_of(rules)
        self._plan = None if locators or strict_json else _plan_of(rules)
        decode: Mapping[model.Input, Decode] = {} if self._plan is None else self._plan.cases
        self._inputs = watch.at("inputs")
        self._summary = CaseReader(
            rules.summary_input,
            self._inputs.at("summary"),
            strict_json=strict_json,
            decode=decode.get("summary"),
        )
        self._evidence = CaseReader(
            rules.evidence_input,
            self._inputs.at("evidence"),
            strict_json=strict_json,
            decode=decode.get("evidence"),
        )

    def part(self, positions: int) -> Part:
        """Nothing judged yet. ``positions``: how many positions are kept at most."""
        return Part(Tally(self._rules, positions=positions), self._locators)

    def judge(self, summary: Iterable[Document], evidence: Iterable[Document] | None, tally: Tally) -> None:
        """Add the cases of ``summary`` to ``tally``, each judged against its evidence.

        Raises:
            UsageError: the cases of both cannot be paired.
        """
        if evidence is None:
            long = None if self._plan is None else partial(_long_of, self._rules)
            _judge_documents(summary, self._summary, self._plan, self._judge, tally, long)
            return
        others = self._evidence.cases(evidence)
        pairs = paired(self._rules, self._summary.cases(summary), others, self._inputs)
        _judge_pairs(pairs, self._plan, self._judge, tally)


@lru_cache(maxsize=64)
def _judge_of(rules: model.RuleSet) -> CaseJudge:
    """The judge of ``rules``, compiled once in a process; it keeps nothing of what it judges."""
    return compile_judge(rules, Watch())


@lru_cache(maxsize=64)
def _plan_of(rules: model.RuleSet) -> Plan | None:
    try:
        return compile_plan(rules)
    except NotPlanned:
        return None


@lru_cache(maxsize=64)
def _long_of(rules: model.RuleSet) -> Long:
    return Long(rules)


def _judge_documents(  # noqa: PLR0913, PLR0917 - the ways there are
    documents: Iterable[Document],
    reader: CaseReader,
    plan: Plan | None,
    judge: CaseJudge,
    tally: Tally,
    long: Callable[[], Long] | None,
) -> None:
    """Judge documents that hold all of their cases: by ``plan``, and where it cannot take one, the general way.

    ``long``: gives how long ones are judged without being held whole; it is asked for once there is one.
    """
    for document in documents:
        if type(document) is MappedText and long is not None:
            outcome = long().judge(document, tally.most_positions)
            if isinstance(outcome, LongCounts):
                tally.add(reader.places(document, 1)[0], outcome.counts, outcome.notes)
                continue
            if outcome is not None:
                _judge_documents(outcome, reader, plan, judge, tally, None)
                continue
        counts = _planned(reader.decoded(document), plan)
        if counts is None:
            for case in reader.parsed(document):
                _judge_pair(Pair(case.where, case, ()), judge, tally)
        elif tally.takes_many:
            tally.add_many(counts)
        else:
            places = reader.places(document, len(counts))
            for number, (place, one) in enumerate(zip(places, counts, strict=True)):
                tally.add(place, one, partial(_notes_of, document, number, place, reader, judge))


def _planned(cases: Sequence[object] | None, plan: Plan | None) -> list[Counts] | None:
    """The counts of all cases of a document by the plan; None where one of them goes the general way."""
    if cases is None or plan is None:
        return None
    counts: list[Counts] = []
    for case in cases:
        one = plan.judge(case, None)
        if one is None:
            return None
        counts.append(one)
    return counts


def _judge_pairs(pairs: Iterable[Pair], plan: Plan | None, judge: CaseJudge, tally: Tally) -> None:
    """Judge ``pairs``: by ``plan``, and where it cannot take one, the general way."""
    for pair in pairs:
        counts = None if plan is None else _counts(pair, plan)
        if counts is None:
            _judge_pair(pair, judge, tally)
        else:
            tally.add(pair.where, counts, partial(_notes, pair, judge))


def _counts(pair: Pair, plan: Plan) -> Counts | None:
    """The counts by the plan; None where a part of the case goes the general way."""
    summary, evidence = pair.summary, pair.evidence
    if summary is None or summary.plain is None or len(evidence) != 1 or evidence[0].plain is None:
        return None
    return plan.judge(summary.plain, evidence[0].plain)


def _judge_pair(pair: Pair, judge: CaseJudge, tally: Tally) -> None:
    unreadable = pair.unreadable
    if unreadable is not None:
        tally.add_unreadable(unreadable)
        return
    notes: list[Note] | None = None if tally.takes_many else []
    try:
        counts = judge(pair.roots, notes)
    except UnusableText as unusable:
        tally.add_unreadable(Unreadable(pair.where.place, unusable.code))
    else:
        tally.add(pair.where, counts, lambda: notes or ())


def _notes_of(document: Document, number: int, place: CasePlace, reader: CaseReader, judge: CaseJudge) -> list[Note]:
    """What may have failed in one case of a document, counted from 0."""
    return _notes(Pair(place, Case(place, parse=partial(reader.root, document, number)), ()), judge)


def _notes(pair: Pair, judge: CaseJudge) -> list[Note]:
    """What may have failed in a case whose counts are known."""
    notes: list[Note] = []
    judge(pair.roots, notes)
    return notes
