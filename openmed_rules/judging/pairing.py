"""Which cases there are, and which summary case meets which evidence cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TypeAlias

from msgspec import Struct

from openmed_rules.errors import UsageError
from openmed_rules.judging.cases import Divide, compile_division, compile_join
from openmed_rules.judging.documents import Document, JsonText, MappedText
from openmed_rules.judging.locators import IdReader
from openmed_rules.judging.nodes import CaseNode, CaseRoots, Identity, Missing
from openmed_rules.judging.parsing import parse_document
from openmed_rules.judging.values import UnusableText
from openmed_rules.judging.watching import Watch
from openmed_rules.results.places import CasePlace, Unreadable
from openmed_rules.ruleset import model

PARTNER_UNREADABLE = "OMR-616"


Root: TypeAlias = CaseNode | Unreadable
Decode: TypeAlias = "Callable[[bytes], Sequence[object] | None]"
"""What a plan makes of the text of a document: its cases as it decodes them, or None where it cannot take them."""


class Case:
    """One case of one input: ``plain`` is what a plan decoded of it, None where it goes the general way."""

    __slots__ = ("_parse", "_root", "plain", "where")

    def __init__(
        self,
        where: CasePlace,
        root: Root | None = None,
        parse: Callable[[], Root] | None = None,
        plain: object = None,
    ) -> None:
        """A case with its root, or with how to ``parse`` it once it is asked for, or both."""
        self.where = where
        self.plain = plain
        self._root = root
        self._parse = parse

    @property
    def root(self) -> Root:
        """Where its values start, or the word about it where it could not be read."""
        if self._root is None and self._parse is not None:
            self._root = self._parse()
        assert self._root is not None  # noqa: S101 - for the type checker
        return self._root

    def forget(self) -> None:
        """Let go of its values where they can be parsed again; that it could not be read is not forgotten."""
        if self._parse is not None and isinstance(self._root, CaseNode):
            self._root = None

    def refuse(self, code: str) -> None:
        """It turned out that it cannot be read."""
        self._root = Unreadable(self.where.place, code)


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


class CaseReader:
    """Documents of one input to its cases."""

    def __init__(self, rule: model.InputRule, watch: Watch, *, strict_json: bool, decode: Decode | None = None) -> None:
        """``decode``: the faster way to read a document, which may refuse it."""
        self._divide = compile_division(rule, watch, strict_json=strict_json)
        self._divide_again = compile_division(rule, Watch(), strict_json=strict_json)
        self._strict = strict_json
        self._decode = decode
        self._numbers: dict[str, int] = {}
        self._parsed: tuple[Document, Sequence[Root]] | None = None
        """The document of which a case was last asked for; its other cases may follow."""

    def cases(self, documents: Iterable[Document]) -> Iterator[Case]:
        """The cases of ``documents``, one after the other; a document that cannot be read is one case."""
        for document in documents:
            plain = self.decoded(document)
            if plain is None:
                yield from self.parsed(document)
            else:
                places = self.places(document, len(plain))
                for number, (place, case) in enumerate(zip(places, plain, strict=True)):
                    yield Case(place, parse=partial(self.root, document, number), plain=case)

    def decoded(self, document: Document) -> Sequence[object] | None:
        """The cases of a document as the plan decodes them; None where it goes the general way."""
        if self._decode is None:
            return None
        if type(document) is JsonText:
            return self._decode(document.content)
        return self._decode(bytes(document.content)) if type(document) is MappedText else None

    def parsed(self, document: Document) -> Iterator[Case]:
        """The cases of a document the general way."""
        roots = self._roots(document, self._divide)
        # One of many is not parsed again, since all the others would be, too.
        parse = partial(self.root, document, 0) if len(roots) == 1 else None
        return (Case(self.places(document, 1)[0], root, parse) for root in roots)

    def places(self, document: Document, count: int) -> list[CasePlace]:
        """The places of the next ``count`` cases, which stand in ``document``."""
        place = document.place
        before = self._numbers.get(place.file, 0)
        self._numbers[place.file] = before + count
        return [CasePlace(place, number) for number in range(before + 1, before + count + 1)]

    def _roots(self, document: Document, divide: Divide) -> Sequence[Root]:
        parsed = parse_document(document, strict=self._strict)
        if isinstance(parsed, Unreadable):
            return [parsed]
        try:
            return divide(parsed.value)
        except UnusableText as unusable:
            return [Unreadable(document.place, unusable.code)]

    def root(self, document: Document, number: int) -> Root:
        """One of the cases of a document, counted from 0, the general way."""
        if self._parsed is None or self._parsed[0] is not document:
            self._parsed = document, self._roots(document, self._divide_again)
        roots = self._parsed[1]
        return roots[number] if number < len(roots) else roots[0]


def paired(rules: model.RuleSet, summaries: Iterator[Case], evidences: Iterator[Case], watch: Watch) -> Iterator[Pair]:
    """Summary cases with their evidence: by ``join``, one for all, or in order.

    Of the evidence no more is held than one case, or by ``join`` where each stands. A pair is to be judged before the
    next one is asked for.

    Raises:
        UsageError: there is no ``join``, and the numbers differ.
    """
    summary_join = compile_join(rules.summary_input, watch.at("summary"))
    evidence_join = compile_join(rules.evidence_input, watch.at("evidence"))
    if summary_join is not None and evidence_join is not None:
        return _joined(summaries, evidences, summary_join, evidence_join)
    first = list(islice(evidences, 2))
    if len(first) == 1:
        return (Pair(case.where, case, (first[0],)) for case in summaries)
    return _one_to_one(summaries, chain(first, evidences))


def _one_to_one(summaries: Iterator[Case], evidences: Iterator[Case]) -> Iterator[Pair]:
    paired = 0
    for case in summaries:
        evidence = next(evidences, None)
        if evidence is None:
            raise UsageError("OMR-623", _unpaired(sum(1 for _ in summaries) + paired + 1, paired))
        yield Pair(case.where, case, (evidence,))
        paired += 1
    if rest := sum(1 for _ in evidences):
        raise UsageError("OMR-623", _unpaired(paired, paired + rest))


def _unpaired(summaries: int, evidences: int) -> str:
    return f"{summaries} summary cases and {evidences} evidence cases cannot be paired; say `join` on both inputs"


def _joined(
    summaries: Iterator[Case], evidences: Iterator[Case], summary_join: IdReader, evidence_join: IdReader
) -> Iterator[Pair]:
    """Each summary with the evidence of its id; then the evidence that no summary has asked for."""
    known: dict[Identity, list[Case]] = {}
    alone: list[list[Case]] = []
    for case in evidences:
        name = _join_id(case, evidence_join)
        case.forget()
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
        group = known.get(name, []) if name is not None else []
        yield Pair(case.where, case, tuple(group))
        _forget(group)
    met_groups = {id(known[name]) for name in met}
    for group in alone:
        if id(group) not in met_groups:
            yield Pair(group[0].where, None, tuple(group))
            _forget(group)


def _forget(cases: Iterable[Case]) -> None:
    for case in cases:
        case.forget()


def _join_id(case: Case, read: IdReader) -> Identity | None:
    if isinstance(case.root, Unreadable):
        return None
    try:
        identity = read(case.root)
    except UnusableText as unusable:
        case.refuse(unusable.code)
        return None
    return None if isinstance(identity, Missing) else identity
