"""Codes of what validate warns of, OMR-83 to OMR-85."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from openmed_rules.authoring.diagnoses.diagnosis import Diagnosis

_TESTS: Final = """\
tests:
  - name: known
    summary: {claims: [{id: c, citations: [{fact: a}]}], facts: [{id: a}]}
    expect: {passed: true}
  - name: unknown
    summary: {claims: [{id: c, citations: [{fact: b}]}], facts: [{id: a}]}
    expect: {passed: false}
"""

DIAGNOSES: Final = MappingProxyType(
    {
        "OMR-831": Diagnosis(
            "claims: {records: $.claims, where: {citations: {not: null}}}\n" + _TESTS,
            "Remove the filter. Where what cites nothing is no claim, add a test that leaves one out, and expects"
            " claim_count.",
        ),
        "OMR-832": Diagnosis(
            "evidence: {records: '$.notes[*].facts', id: {place: position}}",
            "Write parts with what tells the arrays apart on both sides, or among: records.",
        ),
        "OMR-833": Diagnosis(
            "evidence: {records: '$.notes[*].facts', id: id}",
            "Write parts on both sides. Where ids are unique, add a test of one that repeats, which expects"
            " duplicate_source_evidence.",
        ),
        "OMR-834": Diagnosis(
            "citations: {records: citations, id: [fact, fact.id]}",
            "Put the longer path first, or remove the one that never counts.",
        ),
        "OMR-835": Diagnosis(
            "citations: {records: citations, kinds: {other: {where: {type: {not: fact}}, ignore: true},"
            " fact: {id: fact}}}",
            "Name what is ignored, so that a new kind is counted.",
        ),
        "OMR-836": Diagnosis(
            "reads_text: true\ncitations: {records: {path: text, find_all: '\\[(\\d+)\\]'}}",
            "Write '\\[([\\d, -]+)\\]' with split: ',', or add a test that shows what becomes of [1, 2] and [1-3].",
        ),
        "OMR-837": Diagnosis(
            "citations: {records: citations, id: {path: fact, capture: '([A-Z]*)'}}", "Write + instead of *."
        ),
        "OMR-838": Diagnosis("evidence: {records: '$.facts[*]', id: id}", "Remove it; validate --fix does."),
        "OMR-841": Diagnosis(
            "policy: {tolerate: {invalid_citation: any, unsupported_claim: any, no_citations: any}}",
            "Give invalid_citation or unsupported_claim a count or a percentage.",
        ),
        "OMR-842": Diagnosis(
            "policy: {tolerate: {missing_citation: any, no_citations: any}}",
            "Remove no_citations: it fails only a run in which nothing at all is cited.",
        ),
        "OMR-851": Diagnosis(
            "description: without tests", "Write one test that passes the gate, and one that fails it."
        ),
        "OMR-852": Diagnosis(
            _TESTS.replace("false", "true"), "Write a test with expect: {passed: false, reasons: [...]}."
        ),
        "OMR-853": Diagnosis(
            "claims: {records: $.claims, where: {type: {not: heading}}}\n" + _TESTS,
            "Write a test with a record that this leaves out.",
        ),
        "OMR-854": Diagnosis(
            "citations: {records: citations, id: fact}\nevidence: {records: $.facts, id: {place: position}}\ntests:\n"
            "  - name: known\n    summary: {claims: [{citations: [{fact: 1}]}], facts: [{}, {}]}\n"
            "    expect: {citations: {valid_citation_count: 1}}\n"
            "  - {name: none, summary: {claims: []}, expect: {passed: false}}\n",
            "Write a test that cites the first and the last record.",
        ),
        "OMR-855": Diagnosis(
            "$ openmed-rules validate rules.yaml  # tests with ten thousand records each",
            "Write smaller tests, or put their inputs into files; `openmed-rules test` runs them all.",
        ),
    }
)
