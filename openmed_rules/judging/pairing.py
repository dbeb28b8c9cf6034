"""Which cases there are, and which summary case meets which evidence cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec import Struct

from openmed_rules.errors import UsageError
from openmed_rules.judging.cases import compile_division, compile_join
from openmed_rules.judging.documents import Document
from openmed_rules.judging.locators import IdReader
from openmed_rules.judging.nodes import CaseNode, CaseRoots, Identity, Missing
from openmed_rules.judging.parsing import parse_document
from openmed_rules.judging.values import UnusableText
from openmed_rules.judging.watching import Watch
from openmed_rules.results.places import CasePlace, Place, Unreadable
from openmed_rules.ruleset import model

PARTNER_UNREADABLE = "OMR-616"


@dataclass(slots=True)
class Case:
    """One case of one input; ``root`` is the word about it where it could not be read."""

    where: CasePlace
    root: CaseNode | Unreadable


class Pair(Struct, frozen=True):
    """One summary case (None: evidence alone) with its evidence cases."""

    where: CasePlace
    summary: Case | None
    evidence: tuple[Case, ...]

    @property
    def unreadable(self) -> Unreadable | None:
        """The word about this case, where it or what it is paired with could not be read."""
        if self.summary is not None and isinstance(self.summary.root, Unreadable):
            return self.summary.root
        for case in self.evidence:
            if isinstance(case.root, Unreadable):
                return Unreadable(self.where.place, case.root.code if self.summary is None else PARTNER_UNREADABLE)
        return None

    @property
    def roots(self) -> CaseRoots:
        """Where its collections start."""
        root = self.summary.root if self.summary is not None else None
        return CaseRoots(
            root if isinstance(root, CaseNode) else None,
            [case.root for case in self.evidence if isinstance(case.root, CaseNode)],
        )


def read_cases(
    documents: Iterable[Document], rule: model.InputRule, watch: Watch, *, strict_json: bool
) -> Iterator[Case]:
    """The cases of ``documents``, one after the other; a document that cannot be read is one case."""
    divide = compile_division(rule, watch, strict_json=strict_json)
    numbers: Counter[str] = Counter()

    def place(of: Place) -> CasePlace:
        numbers[of.file] += 1
        return CasePlace(of, numbers[of.file])

    for document in documents:
        parsed = parse_document(document, strict=strict_json)
        if isinstance(parsed, Unreadable):
            yield Case(place(document.place), parsed)
            continue
        try:
            roots = divide(parsed.value)
        except UnusableText as unusable:
            yield Case(place(document.place), Unreadable(document.place, unusable.code))
            continue
        for root in roots:
            yield Case(place(document.place), root)


def paired(rules: model.RuleSet, summaries: Iterator[Case], evidences: list[Case], watch: Watch) -> Iterator[Pair]:
    """Summary cases with their evidence: by ``join``, one for all, or in order.

    Raises:
        UsageError: there is no ``join``, and the numbers differ.
    """
    summary_join = compile_join(rules.summary_input, watch.at("summary"))
    evidence_join = compile_join(rules.evidence_input, watch.at("evidence"))
    if summary_join is not None and evidence_join is not None:
        return _joined(summaries, evidences, summary_join, evidence_join)
    if len(evidences) == 1:
        return (Pair(case.where, case, (evidences[0],)) for case in summaries)
    return _one_to_one(summaries, evidences)


def _one_to_one(summaries: Iterator[Case], evidences: list[Case]) -> Iterator[Pair]:
    paired = 0
    for case in summaries:
        if paired == len(evidences):
            raise UsageError("OMR-623", _unpaired(sum(1 for _ in summaries) + paired + 1, len(evidences)))
        yield Pair(case.where, case, (evidences[paired],))
        paired += 1
    if paired != len(evidences):
        raise UsageError("OMR-623", _unpaired(paired, len(evidences)))


def _unpaired(summaries: int, evidences: int) -> str:
    return f"{summaries} summary cases and {evidences} evidence cases cannot be paired; say `join` on both inputs"


def _joined(
    summaries: Iterator[Case], evidences: list[Case], summary_join: IdReader, evidence_join: IdReader
) -> Iterator[Pair]:
    """Each summary with the evidence of its id; then the evidence that no summary has asked for."""
    known: dict[Identity, list[Case]] = {}
    alone: list[list[Case]] = []
    for case in evidences:
        name = _join_id(case, evidence_join)
        if name is None:
            alone.append([case])
        elif name in known:
            known[name].append(case)
        else:
            known[name] = [case]
            alone.append(known[name])
    met: set[Identity] = set()
    for case in summaries:
        name = _join_id(case, summary_join)
        if name is not None and name in known:
            met.add(name)
        yield Pair(case.where, case, tuple(known.get(name, ())) if name is not None else ())
    met_groups = {id(known[name]) for name in met}
    for group in alone:
        if id(group) not in met_groups:
            yield Pair(group[0].where, None, tuple(group))


def _join_id(case: Case, read: IdReader) -> Identity | None:
    if isinstance(case.root, Unreadable):
        return None
    try:
        identity = read(case.root)
    except UnusableText as unusable:
        case.root = Unreadable(case.where.place, unusable.code)
        return None
    return None if isinstance(identity, Missing) else identity
