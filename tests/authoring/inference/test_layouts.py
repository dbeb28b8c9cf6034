"""Layouts that are inferred from small samples: the rule that is written, and what it says of a fault."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import pytest
import yaml

from judged import lines
from openmed_rules.authoring.inference.inferring import Inferred, infer_rules
from openmed_rules.authoring.rule_tests import run_rule_tests
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_text


def inferred(summaries: Iterable[object], evidence: Iterable[object] | None = None) -> Inferred:
    known = None if evidence is None else lines(evidence, "facts")
    return infer_rules(lines(summaries, "notes"), known, name="small", known_layouts=False)


def rule(found: Inferred) -> dict[str, Any]:
    """What the text says, without its tests; they must hold."""
    assert found.text is not None
    file = load_rule_text(found.text)
    run = run_rule_tests(file)
    assert len(run.outcomes) == 2
    assert not run.failed
    assert not run.refusal
    said: dict[str, Any] = yaml.safe_load(found.text)
    return {key: value for key, value in said.items() if key not in {"version", "name", "tests"}}


def judged(found: Inferred, summaries: Iterable[object], evidence: Iterable[object] | None = None) -> Report:
    assert found.text is not None
    known = None if evidence is None else lines(evidence, "facts")
    return judge_batch(load_rule_text(found.text).rules, lines(summaries, "notes"), known)


LAYOUTS: dict[str, tuple[dict[str, Any], dict[str, Any] | None, dict[str, Any]]] = {
    "ids": (
        {"claims": [{"cites": [{"fact": "fa"}]}, {"cites": [{"fact": "fb"}]}], "facts": [{"id": "fa"}, {"id": "fb"}]},
        None,
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "cites", "id": "fact"},
            "evidence": {"records": "$.facts", "id": "id"},
        },
    ),
    "bare ids of a second input, not all of them cited": (
        {"claims": [{"cites": ["fa", "fb"]}, {"cites": ["fb"]}]},
        {"facts": ["fa", "fb", "fc"]},
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "cites"},
            "evidence": {"in": "evidence", "records": "$.facts"},
            "reports": ["citations"],
        },
    ),
    "positions from 0": (
        {"claims": [{"cites": [0, 2]}, {"cites": [1]}], "facts": [{"text": "x"}, {"text": "y"}, {"text": "z"}]},
        None,
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "cites"},
            "evidence": {"records": "$.facts", "id": {"place": "position"}},
        },
    ),
    "positions from 1": (
        {"claims": [{"cites": [1, 3]}, {"cites": [2]}], "facts": [{"text": "x"}, {"text": "y"}, {"text": "z"}]},
        None,
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "cites"},
            "evidence": {"records": "$.facts", "id": {"place": "position", "base": 1}},
        },
    ),
    "object keys": (
        {"claims": [{"source": "r12"}, {"source": "r13"}], "facts": {"r12": {"text": "x"}, "r13": {"text": "y"}}},
        None,
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "source"},
            "evidence": {"records": "$.facts.*", "id": {"place": "key"}},
        },
    ),
    "pointers": (
        {"claims": [{"refs": ["#/facts/0"]}, {"refs": ["#/facts/1"]}], "facts": [{"text": "x"}, {"text": "y"}]},
        None,
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "refs", "id": {"path": "@", "capture": "#(.+)"}},
            "evidence": {"records": "$.facts", "id": {"place": "pointer"}},
        },
    ),
    "two fields together": (
        {"claims": [{"cites": [{"doc": "d1", "chunk": "c1"}, {"doc": "d2", "chunk": "c1"}]},
                    {"cites": [{"doc": "d1", "chunk": "c2"}]}]},
        {"chunks": [{"doc_id": "d1", "chunk_id": "c1"}, {"doc_id": "d1", "chunk_id": "c2"},
                    {"doc_id": "d2", "chunk_id": "c1"}, {"doc_id": "d2", "chunk_id": "c2"}]},
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "cites", "id": {"parts": ["doc", "chunk"]}},
            "evidence": {"in": "evidence", "records": "$.chunks", "id": {"parts": ["doc_id", "chunk_id"]}},
            "reports": ["citations"],
        },
    ),
    "offset and length against start and end": (
        {"claims": [{"cites": [{"offset": 0, "length": 7}]}, {"cites": [{"offset": 31, "length": 4}]}]},
        {"spans": [{"start": 0, "end": 7}, {"start": 31, "end": 35}]},
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "cites", "span": {"start": "offset", "length": "length"}},
            "evidence": {"in": "evidence", "records": "$.spans", "span": {"start": "start", "end": "end"}},
        },
    ),
    "an inclusive end against a pair": (
        {"claims": [{"cites": [{"start": 0, "end": 6}]}, {"cites": [{"start": 31, "end": 34}]}]},
        {"facts": [{"range": [0, 7]}, {"range": [31, 35]}]},
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "cites", "span": {"start": "start", "end": "end", "closed": True}},
            "evidence": {"in": "evidence", "records": "$.facts", "span": {"pair": "range"}},
        },
    ),
    "offsets within documents": (
        {"claims": [{"cites": [{"note": "n1", "start": 0, "end": 4}]},
                    {"cites": [{"note": "n2", "start": 0, "end": 4}]}],
         "facts": [{"note": "n1", "start": 0, "end": 4}, {"note": "n2", "start": 0, "end": 4}]},
        None,
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "cites", "span": {"within": "note", "start": "start", "end": "end"}},
            "evidence": {"records": "$.facts", "span": {"within": "note", "start": "start", "end": "end"}},
        },
    ),
    "ranges of sentences": (
        {"statements": [{"citation": [{"first": 0, "last": 1}]}, {"citation": [{"first": 2, "last": 2}]}]},
        {"sentences": [{"idx": 0}, {"idx": 1}, {"idx": 2}]},
        {
            "claims": {"records": "$.statements"},
            "citations": {"records": {"path": "citation", "range": ["first", "last"]}},
            "evidence": {"in": "evidence", "records": "$.sentences", "id": "idx"},
        },
    ),
    "a type tells which are citations": (
        {"claims": [{"notes": [{"type": "cite", "ref": "fa"}, {"type": "aside", "ref": "zz"}]},
                    {"notes": [{"type": "cite", "ref": "fb"}, {"type": "aside", "ref": "yy"}]}],
         "facts": [{"id": "fa"}, {"id": "fb"}]},
        None,
        {
            "claims": {"records": "$.claims"},
            "citations": {"records": "notes", "where": {"type": "cite"}, "id": "ref"},
            "evidence": {"records": "$.facts", "id": "id"},
        },
    ),
    "marks in a text": (
        {"answer": "one [1]. two [2][3].", "documents": [{"title": "x"}, {"title": "y"}, {"title": "z"}]},
        None,
        {
            "reads_text": True,
            "claims": {"records": "$"},
            "citations": {"records": {"path": "answer", "find_all": r"\[(\d[\d, ]*)\]"}},
            "evidence": {"records": "$.documents", "id": {"place": "position", "base": 1}},
            "policy": {"tolerate": {"duplicate_citation": "any"}},
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_inferred(name: str) -> None:
    summary, evidence, said = LAYOUTS[name]

    assert rule(inferred([summary], evidence and [evidence])) == said


@pytest.mark.parametrize("name", LAYOUTS)
def test_its_sample_passes(name: str) -> None:
    summary, evidence, _ = LAYOUTS[name]

    assert judged(inferred([summary], evidence and [evidence]), [summary], evidence and [evidence]).passed


def test_cases_of_a_document_have_evidence_of_their_own() -> None:
    items = [{"answer": {"cites": [1, 2]}, "docs": [{}, {}]}, {"answer": {"cites": [1]}, "docs": [{}]}]
    found = inferred([{"items": items}])

    assert rule(found)["inputs"] == {"summary": {"cases": "$.items"}}
    assert not judged(found, [{"items": [*items, {"answer": {"cites": [2]}, "docs": [{}]}]}]).passed


def test_evidence_documents_meet_summaries_one_to_one() -> None:
    summaries = [{"claims": [{"cites": [f"f{n}"]}]} for n in range(4)]
    facts = [{"facts": [{"id": f"f{n}"}]} for n in range(4)]
    found = inferred(summaries, facts)

    assert judged(found, summaries, facts).passed
    assert not judged(found, summaries, facts[::-1]).passed


def test_where_nothing_names_a_record_there_are_only_questions() -> None:
    found = inferred([{"text": "synthetic", "score": 0.5}])

    assert found.text is None
    assert found.questions


def test_a_reading_that_is_as_good_is_asked_about() -> None:
    claims = [{"cites": [{"url": "ua", "path": "ua"}]}, {"cites": [{"url": "ub", "path": "ub"}]}]
    found = inferred([{"claims": claims, "facts": [{"url": "ua"}, {"url": "ub"}]}])

    assert any("The sample speaks for both" in question for question in found.questions)


def test_a_known_layout_is_recognised() -> None:
    summary = {"ClinicalDocumentation": {"Sections": [{"Summary": [{"EvidenceLinks": [{"SegmentId": "s1"}]}]}]}}
    transcript = {"Conversation": {"TranscriptSegments": [{"SegmentId": "s1"}]}}
    found = infer_rules(lines([summary], "notes"), lines([transcript], "facts"), name="ours")

    assert found.layout == "healthscribe"
    assert rule(found) == {"extends": "healthscribe"}
    assert judged(found, [summary], [transcript]).passed


# --- faults -----------------------------------------------------------------------------------


def notes(number: int) -> list[dict[str, Any]]:
    return [
        {
            "body": {
                "sentences": [
                    {"text": "synthetic", "links": [{"segment": f"n{n}s{k}", "w": 1}, {"segment": f"n{n}s{k + 1}"}]}
                    for k in range(0, 6, 2)
                ]
            },
            "segments": [{"key": f"n{n}s{k}", "speaker": "a"} for k in range(6)],
        }
        for n in range(number)
    ]  # fmt: skip


def faulty(clean: list[dict[str, Any]]) -> list[dict[str, Any]]:
    broken = deepcopy(clean)
    broken[2]["body"]["sentences"][0]["links"][0]["segment"] = "unknown"
    broken[5]["body"]["sentences"][1]["links"] = []
    broken[9]["body"]["sentences"][2]["links"][1]["segment"] = None
    broken[11]["body"]["sentences"][0]["links"] = None
    broken[14]["segments"][3]["key"] = None
    broken[17]["body"]["sentences"] = []
    return broken


def test_faults_of_a_sample_change_nothing() -> None:
    clean = notes(20)

    assert rule(inferred(faulty(clean))) == rule(inferred(clean))


def test_what_the_sample_fails_is_asked_about() -> None:
    found = inferred(faulty(notes(20)))

    assert any("missing_source_record" in question for question in found.questions)


def test_the_support_is_told() -> None:
    found = inferred(faulty(notes(20)))

    assert found.text is not None
    counted = re.search(r"# (\d+) of (\d+) citations found their record\.", found.text)
    assert counted is not None
    assert 0 < int(counted[1]) < int(counted[2])


def test_a_document_that_cannot_be_read_is_left_out() -> None:
    clean = notes(5)

    assert rule(inferred([*clean, b'{"cut": '])) == rule(inferred(clean))
