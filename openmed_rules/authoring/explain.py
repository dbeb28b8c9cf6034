"""Why a run came out as it did: where paths end, why citations fail, and what in the rule file would mend it.

It is made of counts, types and words of the rule file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from openmed_rules.authoring.remedies import MEANINGS, remedies
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import Document
from openmed_rules.judging.explaining import Looked, look
from openmed_rules.judging.tracing import PathTrace, StepCounts
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.problems import Fault, KeyPath, Mark

_STEP = re.compile(r"[^.\[\]]+|\[\d+\]")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_PLURALS = {word: f"{word}s" for word in ("object", "array", "text", "whole number", "fraction")}


class Explanation(Struct, frozen=True):
    """One run: its report with the counts of locators, and what was met on the way."""

    file: RuleFile
    report: Report
    looked: Looked


def explain(file: RuleFile, summary: Sequence[Document], evidence: Sequence[Document] | None = None) -> Explanation:
    """Judge the inputs by ``file``, and look at every path and every citation that failed.

    Raises:
        InputError: the rules read an evidence input, and there is none.
        UsageError: no collection reads the evidence input, or its cases cannot be paired with those of the summary.
    """
    report = judge_batch(file.rules, summary, evidence, locators=True)
    return Explanation(file, report, look(file.rules, summary, evidence, words_of(file.data)))


def words_of(data: Any) -> frozenset[str]:  # noqa: ANN401 - plain data
    """Every name that a rule file says: its keys, also those in its tests, and the names in its paths."""
    words: set[str] = set()
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            words.update(name for key in value for name in (key, *_NAME.findall(key)))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            words.update(_NAME.findall(value))
    return frozenset(words)


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """The explanation as text, line by line."""
    report = explanation.report
    yield ", ".join((report.verdict.replace("_", " "), *report.reasons))
    yield from (f"  {unreadable}" for unreadable in report.unreadable)
    yield ""
    yield "paths"
    for trace in explanation.looked.traces:
        yield from _trace_lines(explanation.file, trace)
    yield from _amounts(report)
    if explanation.looked.misses:
        yield ""
        yield "citations that failed"
        yield from _miss_lines(explanation)
    mending = list(dict.fromkeys(remedies(explanation.file, explanation.looked.misses)))
    if mending:
        yield ""
        yield "what would mend it"
        for fault in mending:
            mark = explanation.file.marks.problem(fault).mark
            yield f"  {_spelt(mark)}: {fault.message}: {fault.hint}"


def _trace_lines(file: RuleFile, trace: PathTrace) -> Iterator[str]:
    mark = file.marks.problem(Fault("", place_of(trace.name), "")).mark
    yield f"  {_spelt(mark)}: {trace.name}: {trace.text}"
    yield f"    {' > '.join(f'{step.text} {_types(step.values)}' for step in trace.steps)}"
    for step in trace.steps:
        if step.ended:
            whys = ", ".join(f"{why} ({count})" for why, count in sorted(step.ended.items(), key=lambda item: -item[1]))
            yield f"    {step.text} ended: {whys}{_near(step)}"


def _types(values: Counter[str]) -> str:
    return _counted({word if count == 1 else _PLURALS.get(word, word): count for word, count in values.items()}) or "0"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {word}" for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _near(step: StepCounts) -> str:
    if not step.near:
        return ""
    word, count = step.near.most_common(1)[0]
    return f"; did you mean {word}? {count} of these have it"


def _amounts(report: Report) -> Iterator[str]:
    told = [(f"left out of {name} by `where` or an ignored kind", count) for name, count in report.left_out.items()]
    told += [(f"joined {name}", count) for name, count in report.joined.items()]
    told.append(("citations that belong to no claim", report.orphan_citations))
    if any(count for _, count in told):
        yield ""
        yield from (f"{name}: {count}" for name, count in told if count)
    counted = {
        "evidence": (report.citations or report.coverage or {}),
        "claims": (report.citations or report.coverage or {}),
    }
    for name, count in report.joined.items():
        metrics = counted[name]
        words = (
            ("evidence_record_count", "source_evidence_count")
            if name == "evidence"
            else ("claim_count", "summary_fact_count")
        )
        kept = next((metrics[word] for word in words if word in metrics), 0)
        if isinstance(kept, int) and count > kept:
            yield f"more than half of {name} were joined: is `merge` on the field that tells them apart?"


def _miss_lines(explanation: Explanation) -> Iterator[str]:
    file, looked = explanation.file, explanation.looked
    of_collection: dict[tuple[int, str | None], Counter[str]] = {}
    for (number, kind, miss), count in looked.misses.items():
        of_collection.setdefault((number, kind), Counter())[miss] += count
    for (number, kind), misses in of_collection.items():
        place = citations_place(file, number)
        mark = file.marks.problem(Fault("", place, "")).mark
        of_kind = f", kind {kind}" if kind else ""
        name = "".join(f"[{step}]" if isinstance(step, int) else step for step in place)
        yield f"  {_spelt(mark)}: {name}{of_kind}: {looked.citations[number]} citations"
        for miss, count in misses.most_common():
            yield f"    {count}: {meaning_of(miss)}"


def meaning_of(miss: str) -> str:
    """A kind of miss in words."""
    if miss in MEANINGS:
        return MEANINGS[miss]
    side, what, sign = miss.split(" ")
    end = "beginning" if what in {"prefix", "first"} else "end"
    at = (
        "letters beside its digits"
        if sign == "letters"
        else f"up to a {sign}"
        if end == "beginning"
        else f"from a {sign} on"
    )
    return f"the {'cited id' if side == 'cited' else 'id of the evidence'} differs only by its {end}: {at}"


def citations_place(file: RuleFile, number: int) -> KeyPath:
    """Where a collection of citations stands."""
    return ("citations", number) if isinstance(file.data["citations"], list) else ("citations",)


def place_of(name: str) -> KeyPath:
    """``citations[1].id[0]`` as keys and positions."""
    return tuple(int(step[1:-1]) if step.startswith("[") else step for step in _STEP.findall(name))


def _spelt(mark: Mark) -> str:
    return f"{mark.file}:{mark.line}" if mark.line else mark.file
