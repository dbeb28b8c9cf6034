"""A repository with three teams' rule files, three layouts and one project file, gated end to end."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from openmed_rules.cli.boundary import run
from openmed_rules.gates import clock
from openmed_rules.running import jobs

PROJECT = """\
gates:
  - name: alpha
    rules: alpha/rules.yaml
    summary: alpha/notes/*.jsonl
    policy: {tolerate: {unsupported_claim: 25%, invalid_citation: 25%}}
  - name: beta
    rules: beta/rules.yaml
    summary: [beta/one.json, beta/two.json]
    formats: {json: out/beta.json, junit: out/beta.xml}
  - name: gamma
    rules: gamma/rules.yaml
    summary: gamma/answers.jsonl
    evidence: gamma/documents.jsonl
    policy:
      waivers:
        - {reason: duplicate_citation, until: 2026-12-31, because: the vendor mends it, owner: team gamma}
"""
ALPHA = """\
version: 1
name: alpha
claims: {records: $.claims}
citations: {records: citations, id: fact}
evidence: {records: $.facts, id: id}
"""
BETA = """\
version: 1
name: beta
claims: {records: "$.summary.sections[*].statements"}
citations: {records: refs}
evidence: {records: $.facts.*, id: {place: key}, class: {path: kind, labels: [allergy, drug]}}
policy: {tolerate: {omitted_source_fact: {default: 10%, allergy: 0}}}
"""
GAMMA = """\
version: 1
name: gamma
inputs: {summary: {join: note}, evidence: {join: note}}
claims: {records: $.claims}
citations: {records: spans, span: {within: note, start: [start], end: end}}
evidence: {in: evidence, records: $.spans, span: {within: note, start: start, end: end}}
"""
BEFORE, LAST_DAY, AFTER = date(2026, 12, 1), date(2026, 12, 31), date(2027, 1, 1)


def beta_case(facts: int, *, allergy_is_cited: bool) -> dict[str, Any]:
    """A note of ``facts`` drugs, all of them cited, and one allergy."""
    kinds = {f"d{number}": {"kind": "drug"} for number in range(facts)} | {"a": {"kind": "allergy"}}
    cited = [name for name in kinds if name != "a" or allergy_is_cited]
    return {"summary": {"sections": [{"statements": [{"refs": cited}]}]}, "facts": kinds}


def gamma_span(start: int) -> dict[str, Any]:
    return {"note": "n1", "start": start, "end": start + 5}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository, which is also where the command runs."""
    flat = {"claims": [{"citations": [{"fact": n}]} for n in (1, 2, 3, 9)], "facts": [{"id": n} for n in (1, 2, 3)]}
    files = {
        "openmed-rules.yaml": PROJECT,
        "alpha/rules.yaml": ALPHA,
        "alpha/notes/a.jsonl": json.dumps(flat),
        "alpha/notes/b.jsonl": json.dumps(flat),
        "beta/rules.yaml": BETA,
        "beta/one.json": json.dumps(beta_case(19, allergy_is_cited=True)),
        "beta/two.json": json.dumps(beta_case(19, allergy_is_cited=False)),
        "gamma/rules.yaml": GAMMA,
        "gamma/answers.jsonl": json.dumps({"note": "n1", "claims": [{"spans": [gamma_span(0), gamma_span(0)]}]}),
        "gamma/documents.jsonl": json.dumps({"note": "n1", "spans": [gamma_span(0)]}),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    on(BEFORE, monkeypatch)
    return tmp_path


def on(day: date, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "today", lambda: day)


def gated(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and the result of each gate by its name."""
    code = run(["gate", "--format", "json", *arguments])
    result = json.loads(capsys.readouterr().out)
    assert result["exit_code"] == code
    assert result["passed"] is (result["verdict"] == "passed")
    return code, {gate["name"]: gate for gate in result["gates"]}


@pytest.mark.usefixtures("repository")
def test_one_passes_one_fails_a_class_budget_and_one_is_waived(capsys: pytest.CaptureFixture[str]) -> None:
    code, gates = gated(capsys)

    assert code == 1
    assert {name: gate["verdict"] for name, gate in gates.items()} == {
        "alpha": "passed",
        "beta": "failed",
        "gamma": "passed",
    }
    assert gates["alpha"]["report"]["cases"]["total"] == 2
    assert gates["beta"]["report"]["reasons"] == ["omitted_source_fact"]
    assert gates["beta"]["report"]["coverage"]["omission_count"] == 1  # of 40: 2.5%, which 10% of the total hides
    assert gates["gamma"]["report"]["waived"] == {"duplicate_citation": 1}
    assert gates["gamma"]["report"]["waivers"][0]["state"] == "used"


@pytest.mark.parametrize(("day", "code", "state"), [(LAST_DAY, 0, "used"), (AFTER, 1, "expired")])
@pytest.mark.usefixtures("repository")
def test_a_waiver_holds_to_the_end_of_its_last_day(
    day: date, code: int, state: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on(day, monkeypatch)

    got, gates = gated(capsys, "gamma")
    (waiver,) = gates["gamma"]["report"]["waivers"]

    assert (got, waiver["state"]) == (code, state)
    assert waiver["expires_soon"] is (day == LAST_DAY)
    assert gates["gamma"]["report"]["waived"] == ({"duplicate_citation": 1} if code == 0 else {})


@pytest.mark.usefixtures("repository")
def test_the_text_tells_each_gate_and_all_of_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on(AFTER, monkeypatch)
    assert run(["gate"]) == 1
    text = capsys.readouterr().out

    assert text.endswith("FAILED  3 gates: 1 passed, 2 failed\n")
    assert "  beta   failed, omitted_source_fact\n" in text
    assert "expired on 2026-12-31 (UTC)" in text
    assert "the vendor mends it (team gamma)" in text


@pytest.mark.usefixtures("repository")
def test_a_failed_gate_may_be_reported_only(capsys: pytest.CaptureFixture[str]) -> None:
    code, gates = gated(capsys, "--report-only")
    assert run(["gate", "--report-only"]) == 0
    text = capsys.readouterr().out

    assert code == 0
    assert gates["beta"]["verdict"] == "failed"
    assert gates["beta"]["report"]["report_only"] is True
    assert text.endswith("FAILED  3 gates: 2 passed, 1 failed  report only: a failed gate does not fail the command\n")


def test_results_go_to_the_files_that_the_project_names(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, gates = gated(capsys, "beta")

    assert json.loads((repository / "out/beta.json").read_text(encoding="utf-8")) == gates["beta"]["report"]
    assert "omitted_source_fact" in (repository / "out/beta.xml").read_text(encoding="utf-8")


def test_it_runs_from_anywhere_below(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "gamma")

    assert run(["gate", "alpha"]) == 0
    assert run(["gate", "--project", str(repository / "openmed-rules.yaml"), "gamma"]) == 0


@pytest.mark.parametrize("processes", [1, 3])
def test_side_by_side_or_one_by_one_is_the_same(
    repository: Path, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from openmed_rules.gates.gating import run_gates
    from openmed_rules.gates.project import load_project

    monkeypatch.setattr(jobs, "SHARE", 1)
    project = load_project(repository / "openmed-rules.yaml")
    result = run_gates(project, project.gates, processes=processes)

    assert [one.verdict for one in result.results] == ["passed", "failed", "passed"]


def test_an_input_that_is_not_there_does_not_stop_the_other_gates(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for note in (repository / "alpha/notes").iterdir():
        note.unlink()

    code, gates = gated(capsys)

    assert code == 3
    assert gates["alpha"]["problem"]["code"] == "OMR-602"
    assert (gates["alpha"]["verdict"], gates["beta"]["verdict"]) == ("not_evaluated", "failed")


@pytest.mark.parametrize(
    ("wrong", "right", "code", "place"),
    [
        ("name: gamma", "name: beta", "OMR-812", "10:11"),
        ("rules: alpha/rules.yaml", "rulez: alpha/rules.yaml", "OMR-201", "3:5"),
        ("rules: alpha/rules.yaml", "rules: alpha/rulez.yaml", "OMR-502", "alpha/rulez.yaml"),
        ("    summary: alpha/notes/*.jsonl\n", "", "OMR-202", "2:5"),
        ("{json: out/beta.json, junit: out/beta.xml}", "[jsn]", "OMR-813", "9:15"),
        ("{json: out/beta.json, junit: out/beta.xml}", "{jsn: out/beta.json}", "OMR-813", "9:15"),
        ("reason: duplicate_citation", "reason: duplicate_citaton", "OMR-210", "16:20"),
        ("reason: duplicate_citation", "reason: unreadable_case", "OMR-209", "16:20"),
        ("until: 2026-12-31", "until: 2026-13-31", "OMR-212", "16:47"),
        ("until: 2026-12-31", "until: someday", "OMR-212", "16:47"),
        ("until: 2026-12-31", "until: 2028-12-31", "OMR-811", "16:47"),
        (", owner: team gamma", "", "OMR-202", "16:11"),
        ("unsupported_claim: 25%", "unsupported_claims: 25%", "OMR-210", "5:25"),
        ("gates:", "gatez:", "OMR-201", "1:1"),
        ("gates:", "waivers: {max_days: -1}\ngates:", "OMR-204", "1:21"),
        ("name: gamma", "min_cell: 0\n    name: gamma", "OMR-204", "10:15"),
    ],
)
def test_what_is_wrong_with_a_project_is_told_with_its_place(  # noqa: PLR0913, PLR0917 - a table
    repository: Path, wrong: str, right: str, code: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert PROJECT.count(wrong) == 1
    (repository / "openmed-rules.yaml").write_text(PROJECT.replace(wrong, right), encoding="utf-8")

    assert run(["gate"]) == 2
    said = capsys.readouterr().err

    assert f": {code}: " in said
    assert place in said.split(f": {code}: ")[0]


def test_a_project_may_let_waivers_reach_further(repository: Path) -> None:
    project = PROJECT.replace("2026-12-31", "2027-12-01").replace("gates:", "waivers: {max_days: 365}\ngates:")
    (repository / "openmed-rules.yaml").write_text(project, encoding="utf-8")
    waiver = "[{reason: duplicate_citation, until: 2027-12-01, because: x, owner: y}]"
    (repository / "gamma/rules.yaml").write_text(f"{GAMMA}policy: {{waivers: {waiver}}}\n", encoding="utf-8")

    assert run(["gate", "gamma"]) == 0
    assert run(["validate", "gamma/rules.yaml"]) == 0
    (repository / "openmed-rules.yaml").write_text(PROJECT, encoding="utf-8")
    assert run(["validate", "gamma/rules.yaml"]) == 2


@pytest.mark.usefixtures("repository")
def test_a_gate_that_is_not_known_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gate", "gama"]) == 2
    assert "OMR-801: openmed-rules.yaml: there is no gate gama; did you mean gamma?" in capsys.readouterr().err


def test_without_a_project_file_there_is_no_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(["gate"]) == 2
