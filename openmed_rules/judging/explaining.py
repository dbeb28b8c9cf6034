"""A run looked at step by step: where paths end, and why citations fail; only counts and the author's words leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from openmed_rules.judging.documents import Document
from openmed_rules.judging.misses import MissCounter, Misses
from openmed_rules.judging.pairing import CaseReader, Pair, paired
from openmed_rules.judging.parsing import Parsed, parse_document
from openmed_rules.judging.tracing import PathTrace, Tracer
from openmed_rules.judging.values import UnusableText
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model


class Looked(Struct, frozen=True):
    """What was met: each path with its steps, the misses by kind, and how many citations each collection has."""

    traces: tuple[PathTrace, ...]
    misses: Misses
    citations: Counter[int]


def look(
    rules: model.RuleSet,
    summary: Sequence[Document],
    evidence: Sequence[Document] | None,
    vocabulary: Collection[str],
) -> Looked:
    """Follow every path of ``rules`` through the inputs, and hold what is cited against what is there.

    ``vocabulary``: the words of the rule file; no other key of a record is told. Cases that cannot be read are
    passed over.

    Raises:
        UsageError: the cases of both inputs cannot be paired.
    """
    tracer, misses = Tracer(rules, vocabulary), MissCounter(rules)
    for side, rule, documents in (
        ("summary", rules.summary_input, summary),
        ("evidence", rules.evidence_input, evidence or ()),
    ):
        for document in documents:
            parsed = parse_document(document)
            if isinstance(parsed, Parsed):
                tracer.add_document(side, rule, parsed.value)
    for pair in _pairs(rules, summary, evidence):
        if pair.unreadable is not None:
            continue
        try:
            tracer.add_case(pair.roots)
            misses.add_case(pair.roots)
        except UnusableText:
            continue
    return Looked(tuple(tracer.traces.values()), misses.misses, misses.citations)


def _pairs(rules: model.RuleSet, summary: Sequence[Document], evidence: Sequence[Document] | None) -> Iterable[Pair]:
    summaries = CaseReader(rules.summary_input, Watch(), strict_json=False).cases(summary)
    if evidence is None:
        return (Pair(case.where, case, ()) for case in summaries)
    others = CaseReader(rules.evidence_input, Watch(), strict_json=False).cases(evidence)
    return paired(rules, summaries, others, Watch())
