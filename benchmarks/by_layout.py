"""What each built-in layout costs: the inputs of its tests that pass, over and over; lines of JSON for ``run.py``."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from itertools import cycle, islice

import msgspec

from openmed_rules.errors import UsageError
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import JsonText
from openmed_rules.judging.plan.leaves import NotPlanned
from openmed_rules.judging.plan.running import compile_plan
from openmed_rules.results.places import Place
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import CaseInputs, RuleFile, load_rule_file
from openmed_rules.ruleset.model import RuleSet

CASES = 2000
RUNS = 5


def documents(values: Iterable[object]) -> list[JsonText]:
    """``CASES`` documents, one of ``values`` after the other, over and over."""
    texts = [json.dumps(value).encode() for value in values]
    return [JsonText(Place("corpus", number), text) for number, text in enumerate(islice(cycle(texts), CASES), 1)]


def stand_alone(rules: RuleSet, cases: Iterable[CaseInputs]) -> list[CaseInputs]:
    """Those of ``cases`` that are one case of each input, so that many of them can be paired."""
    alone = []
    for case in cases:
        inputs = [JsonText(Place("corpus", number), json.dumps(case.summary).encode()) for number in (1, 2)]
        others = [JsonText(Place("corpus", number), json.dumps(case.evidence).encode()) for number in (1, 2)]
        try:
            judge_batch(rules, inputs, others if rules.reads_evidence_input else None)
        except UsageError:
            continue
        alone.append(case)
    return alone


def why_general(rules: RuleSet) -> str | None:
    """What keeps a rule set from the fast way; None where nothing does."""
    try:
        compile_plan(rules)
    except NotPlanned as reason:
        return str(reason)
    return None


def fastest(work: Callable[[], object]) -> float:
    """CPU seconds of the fastest of some runs."""
    seconds = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def measured(name: str, file: RuleFile) -> dict[str, object]:
    """One layout: CPU microseconds, bytes and items a case; ``parsings``: against a parse of all by ``msgspec``."""
    passing = (case for test in file.tests if test.expect.get("passed") for case in test.cases)
    cases = stand_alone(file.rules, passing)
    summaries = documents(case.summary for case in cases)
    evidence = documents(case.evidence for case in cases) if file.rules.reads_evidence_input else None
    texts = [document.content for document in (*summaries, *(evidence or ()))]
    report = judge_batch(file.rules, summaries, evidence)
    counted = [report.citations or {}, report.coverage or {}]
    names = ("claim_count", "citation_count", "evidence_record_count")
    read = sum(max(counts.get(name, 0) for counts in counted) for name in names)
    ours = fastest(lambda: judge_batch(file.rules, summaries, evidence))
    parsing = fastest(lambda: [msgspec.json.decode(text) for text in texts])
    return {
        "layout": name,
        "why": why_general(file.rules),
        "microseconds": ours / CASES * 1e6,
        "bytes": sum(map(len, texts)) / CASES,
        "items": read / CASES,
        "parsings": ours / parsing,
    }


if __name__ == "__main__":
    for name in builtin_names():
        file = load_rule_file(name)
        if not file.rules.summary_input.join:  # The same case over and over would meet itself.
            print(json.dumps(measured(name, file)), flush=True)
