"""The built-in layouts judge the catalogue's samples and real public files as counted by hand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from openmed_rules.authoring.rule_tests import run_rule_tests
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import PlainValue
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.running.files import find_files
from openmed_rules.running.reading import read_documents

SHARED = Path(os.environ.get("OPENMED_RULES_SHARED", Path(__file__).parents[2] / "shared")) / "layouts"
SAMPLES, REAL = SHARED / "samples", SHARED / "real"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the catalogue's samples are not at hand")


def judge(layout: str, summary: Path, evidence: Path | list[object] | None) -> Report:
    """The report of a file by a built-in layout."""
    if isinstance(evidence, Path):
        given = read_documents(find_files([str(evidence)]))
    else:
        given = None if evidence is None else (PlainValue(Place("evidence"), value) for value in evidence)
    return judge_batch(load_rule_file(layout).rules, read_documents(find_files([str(summary)])), given)


def counts(report: Report) -> tuple[int, int, int]:
    """Claims, evidence records and unknown citations, by whichever report there is."""
    citations, coverage = report.citations, report.coverage
    if citations is not None:
        unknown = citations["missing_source_record_count"] + citations["unavailable_span_count"]  # type: ignore[operator]
        return citations["claim_count"], citations["evidence_record_count"], unknown  # type: ignore[return-value]
    assert coverage is not None
    names = ("summary_fact_count", "source_evidence_count", "invalid_citation_count")
    return tuple(coverage[name] for name in names)  # type: ignore[return-value]


@pytest.mark.parametrize("name", builtin_names())
def test_a_layout_passes_its_own_tests(name: str) -> None:
    """Each has at least four, some of which fail its gate, and no path of it is untried."""
    file = load_rule_file(name)
    run = run_rule_tests(file)

    assert (run.failed, run.refusal, run.untried if not name.startswith("openmed-c") else ()) == (0, "", ())
    assert len(file.tests) >= 4


def samples() -> list[dict[str, Any]]:
    """The entries of the catalogue's manifest."""
    manifest = SAMPLES / "MANIFEST.json"
    return json.loads(manifest.read_text()) if manifest.is_file() else []


@needs_shared
@pytest.mark.parametrize("entry", samples(), ids=lambda entry: entry["layout"])
def test_a_sample_of_the_catalogue(entry: dict[str, Any]) -> None:
    layout = entry["layout"].replace("_", "-")
    evidence = SAMPLES / entry["evidence_file"] if entry["evidence_file"] else None

    right = judge(layout, SAMPLES / entry["pass_file"], evidence)
    wrong = judge(layout, SAMPLES / entry["fail_file"], evidence)

    if layout == "factscore":  # It cites nothing, so nothing of it can pass.
        assert (right.verdict, wrong.verdict) == ("failed", "failed")
        assert "invalid_citation" in right.reasons
        return
    assert (right.verdict, right.reasons) == ("passed", ())
    assert counts(right) == (entry["claims"], entry["evidence"], 0)
    assert (wrong.verdict, counts(wrong)[2]) == ("failed", 1)


def real(  # noqa: PLR0913, PLR0917 - the columns of the table
    layout: str, file: str, claims: int, cited: int, uncited: int, records: int, evidence: list[object] | None = None
) -> Any:
    """A row: claims, citations, claims without a citation, evidence records."""
    return pytest.param(layout, file, (claims, cited, uncited, records), evidence, id=file)


CHARACTERS_OF_0: list[object] = [{"facts": [{"key": ["doc-char", 0, 0, 100_000]}]}]
BLOCKS_OF_0: list[object] = [{"facts": [{"key": ["doc-block", 0, 0, 100]}]}]
ANTHROPIC = "anthropic_citations/generate-{}-document-citations-1.json"
REAL_FILES = [
    real("cohere-v2", "cohere_v2/cohere-citations.json", 3, 3, 0, 1, [{"documents": [{"id": "doc:0"}]}]),
    real("perplexity", "perplexity/perplexity-citations.json", 1, 13, 0, 7),
    real("gemini-grounding", "gemini_grounding/generate-text-with-file-search-1.json", 1, 1, 0, 1),
    real("openai-responses", "openai_responses/openai-file-search-tool.1.json", 1, 1, 0, 0),
    real("openai-responses", "openai_responses/openai-file-search-tool.2.json", 1, 1, 0, 1),
    real("anthropic-citations", ANTHROPIC.format("text-with-text"), 2, 2, 0, 1, CHARACTERS_OF_0),
    real("anthropic-citations", ANTHROPIC.format("text-with-custom-content"), 2, 2, 0, 1, BLOCKS_OF_0),
    real("anthropic-citations", ANTHROPIC.format("structured-with-text"), 1, 2, 0, 1, CHARACTERS_OF_0),
    real("trec-rag25-ids", "trec_autojudge/my_best_run_02_with_citations.jsonl", 3, 1, 2, 1),
    real("uima-cas-json", "uima_cas_json_links/data.json", 1, 2, 0, 2),
    real("fhir-provenance", "fhir/allergyintolerance-provenance-example1.json", 1, 0, 1, 0),
]


@needs_shared
@pytest.mark.parametrize(("layout", "file", "expected", "evidence"), REAL_FILES)
def test_a_real_file(layout: str, file: str, expected: tuple[int, ...], evidence: list[object] | None) -> None:
    found = judge(layout, REAL / file, evidence).citations

    assert found is not None
    assert found["missing_source_record_count"] == (1 if not expected[3] and expected[1] else 0)
    names = ("claim_count", "citation_count", "missing_citation_count", "evidence_record_count")
    assert tuple(found[name] for name in names) == expected


@needs_shared
def test_references_that_are_text_only_never_score() -> None:
    report = judge("bedrock-rag", REAL / "bedrock_rag" / "rag-eval-byoi-sample-data.jsonl", [{}])

    assert report.citations is not None
    assert (report.verdict, report.citations["claim_count"]) == ("failed", 249)
    assert report.citations["coverage"] == 0.0
