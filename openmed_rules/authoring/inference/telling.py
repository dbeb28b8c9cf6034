"""An inferred rule as text: the rule, what speaks for it, what else it could be, and what only a person knows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from openmed_rules.authoring.inference.candidates import Candidate
from openmed_rules.authoring.inference.choosing import Choice
from openmed_rules.authoring.inference.draft import FieldAt, PartsOf, PlaceAt, Reading
from openmed_rules.authoring.inference.recognising import Recognised
from openmed_rules.authoring.inference.sampling import Sample
from openmed_rules.authoring.inference.spelling import rule_mapping, spelled, spelled_records
from openmed_rules.authoring.inference.yaml_text import WIDTH, yaml_lines

NO_EVIDENCE: Final = (
    "Which records may be cited? No collection of the sample has names that other values repeat.",
    "Are the records in a second file? Then name it with --evidence.",
    "How does a citation name its record: by an id, a position, offsets, or a mark in a text?",
)
"""What to ask where nothing was found."""

_CLOSE: Final = 1.5
_SCHEMA: Final = "# yaml-language-server: $schema=rules.schema.json"
"""With it an editor completes the file, once ``openmed-rules schema rules`` was written beside it."""


def inferred_text(
    choice: Choice, tests: Sequence[Mapping[str, Any]], name: str, sample: Sample
) -> tuple[str, tuple[str, ...]]:
    """The rule file, and the questions that it asks."""
    rule = rule_mapping(choice.settled.draft, name)
    if tests:
        rule["tests"] = list(tests)
    asked = tuple(_questions(choice, tests))
    lines = [*_header(sample), *_asked(asked)]
    comments = _comments(choice)
    for key, value in rule.items():
        if key not in ("version", "name", "reads_text"):
            lines.append("")
        for comment in comments.get(key, ()):
            lines += _comment(comment)
        lines += yaml_lines(key, value)
    return "\n".join([*lines, ""]), asked


def recognised_text(
    known: Recognised, others: Sequence[Recognised], name: str, sample: Sample
) -> tuple[str, tuple[str, ...]]:
    """The rule file that takes a known layout over, and the questions that it asks."""
    asked: tuple[str, ...] = ()
    rivals = [other.name for other in others if other.valid >= known.valid]
    if rivals:
        asked = (f"Is it {known.name}? {', '.join(rivals)} reads as many citations of the sample.",)
    lines = [*_header(sample), *_asked(asked), "version: 1", *yaml_lines("name", name), ""]
    lines += _comment(f"This is {known.name}: {_share(known.valid, known.citations, 'citations')} found their record.")
    lines += _comment(f"`openmed-rules show {known.name}` tells what it says; what stands here is laid over it.")
    if not known.report.passed:
        lines += _comment(f"The sample fails: {', '.join(known.report.reasons)}.")
    lines += [*yaml_lines("extends", known.name), ""]
    lines += yaml_lines("tests", _tests_of(known))
    return "\n".join([*lines, ""]), asked


def _tests_of(known: Recognised) -> list[dict[str, Any]]:
    """A test that passes and one that fails, of those of the layout itself."""
    tests = []
    for wanted in (True, False):
        for test in known.file.tests:
            if test.cases and test.expect.get("passed") is wanted:
                cases = [
                    {"summary": case.summary, **({} if case.evidence is None else {"evidence": case.evidence})}
                    for case in test.cases
                ]
                inputs: dict[str, Any] = cases[0] if len(cases) == 1 else {"cases": cases}
                tests.append({"name": test.name, **inputs, "expect": dict(test.expect)})
                break
    return tests


def _header(sample: Sample) -> Iterator[str]:
    yield _SCHEMA
    documents = f"{len(sample.values):,} of {sample.seen:,} documents"
    yield from _comment(
        f"Inferred from {documents}. It is made of keys that stand in these records, and of words that many of "
        "them hold: look before you share it."
    )


def _asked(questions: Sequence[str]) -> Iterator[str]:
    for question in questions:
        yield from _comment(f"QUESTION: {question}")


def _questions(choice: Choice, tests: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    best, runner_up = choice.best, choice.runner_up
    if choice.settled.draft.reads_text:
        yield (
            "Are the marks in the text the citations? Nothing else names a record, so this rule reads that text, and "
            "every report of it says so."
        )
    if runner_up and runner_up.score > best.score - _CLOSE:
        yield f"Is it what stands below, or {_described(runner_up)}? The sample speaks for both."
    if _both_bases(best):
        yield "Do positions count from 0 or from 1? The sample fits both: see `base`."
    if "missing_citation" in choice.settled.draft.tolerated:
        yield "May a claim have no citation? Some of the sample have none, and this rule lets them be: see `tolerate`."
    if not choice.settled.report.passed:
        yield f"The sample fails this gate: {', '.join(choice.settled.report.reasons)}. Are these its faults?"
    if not tests:
        yield "What does a case look like that passes, and one that fails? No test could be made: write two."


def _both_bases(best: Candidate) -> bool:
    """Whether records are named by positions that would be there from either base."""
    reading = best.identity.reading
    if not isinstance(reading, PlaceAt) or reading.what != "position":
        return False
    values = {int(text) for _, text in best.cells if text.isdecimal()}
    known = {int(text) - reading.base for text in best.identity.texts}
    return bool(values) and values <= known and {value - 1 for value in values} <= known


def _comments(choice: Choice) -> dict[str, list[str]]:
    counts = {name: int(value) for name, value in choice.settled.numbers.items()}
    best, draft = choice.best, choice.settled.draft
    found = counts["citation_count"] - counts["missing_source_record_count"] - counts["unavailable_span_count"]
    citations = [f"{_share(found, counts['citation_count'], 'citations')} found their record."]
    if choice.runner_up:
        citations.append(f"Rejected: {_described(choice.runner_up)}.")
    policy = []
    if "missing_citation" in draft.tolerated:
        policy.append(f"{_share(counts['missing_citation_count'], counts['claim_count'], 'claims')} have no citation.")
    if "duplicate_citation" in draft.tolerated:
        policy.append("One claim may cite a record several times.")
    cited = _share(counts["referenced_evidence_count"], counts["evidence_record_count"], "records")
    return {
        "inputs": ["Each of these is a case of its own, with evidence of its own."] if best.scope.shape.depth else [],
        "claims": [_counted(counts["claim_count"], "claim")],
        "citations": citations,
        "evidence": [f"{cited} are cited."],
        "reports": ["Not every record is cited, so none need be: without this line each must be."],
        "policy": policy,
        "tests": ["Synthetic values in the layout above: `openmed-rules test` runs these."],
    }


def _described(candidate: Candidate) -> str:
    claim = spelled_records(candidate.way.claim.steps, "$")
    records = spelled_records(candidate.way.records)
    share = _share(candidate.fit.count, candidate.fit.total, "values")
    evidence = spelled_records(candidate.identity.record.steps, "$")
    return (
        f"`{records}` of `{claim}` by {_read(candidate.reading)}, naming `{evidence}` "
        f"by {_read(candidate.identity.reading)} ({share})"
    )


def _read(reading: Reading) -> str:
    if isinstance(reading, PlaceAt):
        return reading.what
    if isinstance(reading, PartsOf):
        return " and ".join(map(_read, reading.parts))
    return f"`{spelled(reading.paths[0])}`" if isinstance(reading, FieldAt) else "span"


def _share(part: int, whole: int, what: str) -> str:
    return f"{part:,} of {whole:,} {what}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'} in the sample."


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
