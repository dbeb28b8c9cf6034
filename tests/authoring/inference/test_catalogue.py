"""Real layouts, inferred from their samples alone: the rule file passes the good sample and fails the broken one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from openmed_rules.authoring.inference import recognising
from openmed_rules.authoring.inference.inferring import Inferred, infer_rules
from openmed_rules.authoring.rule_tests import run_rule_tests
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import Document
from openmed_rules.results.report import Report
from openmed_rules.ruleset.loader import load_rule_file, load_rule_text
from openmed_rules.running.files import find_files
from openmed_rules.running.reading import read_documents

ROOT = Path(__file__).parents[3]
SAMPLES = Path(os.environ.get("OPENMED_RULES_SHARED", ROOT.parent / "shared")) / "layouts" / "samples"
MANIFEST = SAMPLES / "MANIFEST.json"
ENTRIES: list[dict[str, Any]] = json.loads(MANIFEST.read_text(encoding="utf-8")) if MANIFEST.is_file() else []

NOT_INFERRED = {
    "bedrock_converse": "kinds whose spans stand under a key each, and evidence in rows",
    "doclens": "the evidence is marks in a text as well",
    "factscore": "nothing cites anything",
    "fhir_diagnosticreport": "two forms of reference in one list, to two collections read differently",
    "openmed_citations": "each of its citations has another form, and none stands twice",
    "w3c_annotation": "targets and selectors that are an object here and a list there, against rows",
}

pytestmark = pytest.mark.skipif(not ENTRIES, reason="the samples of real layouts are not here")
every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=[entry["layout"] for entry in ENTRIES])


known_layout = cache(load_rule_file)
"""Every sample is tried with every layout that comes with the package, which are read once."""


@pytest.fixture(autouse=True)
def _layouts_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognising, "load_rule_file", known_layout)


def documents(name: str | None) -> Iterator[Document] | None:
    return None if name is None else read_documents(find_files([str(SAMPLES / name)]))


@cache
def inferred(summary: str, evidence: str | None, *, known_layouts: bool) -> Inferred:
    cases = documents(summary)
    assert cases is not None
    return infer_rules(cases, documents(evidence), name="inferred", known_layouts=known_layouts)


def judged(found: Inferred, summary: str, evidence: str | None) -> Report:
    assert found.text is not None
    cases = documents(summary)
    assert cases is not None
    return judge_batch(load_rule_text(found.text).rules, cases, documents(evidence))


def works(entry: dict[str, Any]) -> bool:
    found = inferred(entry["pass_file"], entry["evidence_file"], known_layouts=False)
    if found.text is None:
        return False
    good = judged(found, entry["pass_file"], entry["evidence_file"])
    bad = judged(found, entry["fail_file"], entry["evidence_file"])
    assert bad.citations is not None
    unknown = bad.citations["missing_source_record_count"], bad.citations["unavailable_span_count"]
    return good.passed and not bad.passed and sorted(map(str, unknown)) == ["0", "1"]


@every_entry
def test_a_real_layout_is_inferred(entry: dict[str, Any]) -> None:
    assert works(entry) == (entry["layout"] not in NOT_INFERRED)


@every_entry
def test_the_tests_that_are_written_hold(entry: dict[str, Any]) -> None:
    found = inferred(entry["pass_file"], entry["evidence_file"], known_layouts=False)
    if found.text is None:
        return
    run = run_rule_tests(load_rule_text(found.text))

    assert len(run.outcomes) == 2
    assert not run.failed
    assert not run.refusal


@every_entry
def test_a_real_layout_is_recognised(entry: dict[str, Any]) -> None:
    found = inferred(entry["pass_file"], entry["evidence_file"], known_layouts=True)
    name = entry["layout"].replace("_", "-")

    assert found.layout == (None if name == "factscore" else name)


def test_most_of_the_catalogue_is_inferred() -> None:
    assert sum(map(works, ENTRIES)) >= 25
