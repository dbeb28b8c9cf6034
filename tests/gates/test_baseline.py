"""A baseline: written whole, tightened freely, loosened for a reason; and what drifted since."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from openmed_rules.cli.boundary import run
from openmed_rules.gates import clock
from openmed_rules.gates.baseline_file import baseline_text, read_baseline, rewrite_baseline
from openmed_rules.results.baseline import Baseline, Share, Slack

RULES = """\
version: 1
name: ratcheted
claims: {records: $.claims}
citations: {records: citations, id: fact}
evidence: {records: $.facts, id: id, class: {path: kind, labels: [allergy]}}
policy: {tolerate: {unsupported_claim: any, invalid_citation: any, omitted_source_fact: any, duplicate_citation: any}}
"""


def notes(supported: int, of: int, *, name: Callable[[int], Any] = lambda number: number) -> dict[str, Any]:
    """A summary of ``of`` claims, of which so many cite a fact that is there."""
    cited = [name(number) if number < supported else "nowhere" for number in range(of)]
    return {
        "claims": [{"citations": [{"fact": one}]} for one in cited],
        "facts": [{"id": name(number), "kind": "allergy"} for number in range(of)],
    }


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(clock, "today", lambda: date(2026, 12, 1))
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    return tmp_path


def given(value: object) -> None:
    Path("notes.json").write_text(json.dumps(value), encoding="utf-8")


def update(*more: str) -> int:
    return run(["baseline", "update", "-r", "rules.yaml", "notes.json", "--baseline", "base.json", *more])


def checked(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    arguments = ["check", "-r", "rules.yaml", "notes.json", "--baseline", "base.json", "-f", "json", *more]
    code = run(arguments)
    return code, json.loads(capsys.readouterr().out)


def recorded() -> dict[str, Any]:
    said: dict[str, Any] = json.loads(Path("base.json").read_text(encoding="utf-8"))
    return said


# --- the ratchet ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "slack", "code"),
    [
        ((9, 10), (), 0),
        ((10, 10), (), 0),
        ((8, 10), (), 1),
        ((89, 100), (), 1),
        ((89, 100), ("--tolerance", "1%"), 0),
        ((889, 1000), ("--tolerance", "1%"), 1),
        ((8, 10), ("--tolerance", "10%"), 0),
        ((7, 9), ("--floor", "10"), 0),
        ((7, 10), ("--floor", "10"), 1),
    ],
)
def test_a_ratio_that_gets_worse_fails(
    now: tuple[int, int], slack: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    given(notes(9, 10))
    assert update(*slack) == 0
    given(notes(*now))

    got, result = checked(capsys)

    assert got == code
    assert ("worse_than_baseline" in result["reasons"]) is (code == 1)
    assert result["citations"]["passed"] is result["coverage"]["passed"] is (code == 0)
    standings = {ratio["standing"] for ratio in result["baseline"]["ratios"].values()}
    assert ("worse" in standings) is (code == 1)


def test_a_class_that_gets_worse_fails_where_the_total_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    value = notes(10, 10)
    for fact in value["facts"][1:]:
        del fact["kind"]
    given(value)
    update("--tolerance", "20%")
    value["claims"] = value["claims"][1:]
    given(value)

    code, result = checked(capsys)

    assert code == 1
    assert [name for name, ratio in result["baseline"]["ratios"].items() if ratio["standing"] == "worse"] == [
        "classes.allergy.recall"
    ]


def test_a_baseline_holds_what_its_messages_withhold(capsys: pytest.CaptureFixture[str]) -> None:
    value = notes(38, 40)
    for fact in value["facts"][6:]:
        del fact["kind"]
    given(value)
    update()
    first = capsys.readouterr().out
    value["claims"] = value["claims"][1:]
    given(value)

    assert update() == 2
    said = capsys.readouterr().err
    assert recorded()["ratios"]["classes.allergy.recall"] == {"part": 6, "whole": 6}
    assert ["classes.allergy.recall", "withheld"] in [line.split() for line in first.splitlines()]
    assert "coverage.recall 38/40 to 37/40" in said
    assert "classes.allergy.recall is lower" in said


def test_it_tightens_freely_and_loosens_for_a_reason_only(capsys: pytest.CaptureFixture[str]) -> None:
    given(notes(8, 10))
    assert update() == 0
    given(notes(9, 10))
    assert update() == 0
    tight = recorded()
    given(notes(7, 10))
    assert update() == 2
    said = capsys.readouterr().err
    assert recorded() == tight
    assert update("--because", "a smaller model, agreed on") == 0

    assert tight["ratios"]["citations.coverage"] == {"part": 9, "whole": 10}
    assert tight["history"] == []
    assert "OMR-806" in said
    assert "citations.coverage 9/10 to 7/10" in said
    assert recorded()["ratios"]["citations.coverage"] == {"part": 7, "whole": 10}
    (change,) = recorded()["history"]
    assert (change["date"], change["because"]) == ("2026-12-01", "a smaller model, agreed on")
    assert "citations.coverage 9/10 to 7/10" in change["loosened"]


@pytest.mark.parametrize("looser", [("--tolerance", "1%"), ("--floor", "2"), ("--drift", "11%")])
def test_more_slack_needs_a_reason_and_less_does_not(looser: tuple[str, str]) -> None:
    given(notes(8, 10))
    update()
    assert update(*looser) == 2
    assert update(*looser, "--because", "few cases") == 0
    option, _ = looser
    assert update(option, "0" if option == "--floor" else "0%") == 0


def test_only_aggregates_are_recorded() -> None:
    given(notes(8, 10, name=lambda number: f"CANARY-{number}"))
    update("--because", "the first one")

    assert "CANARY" not in Path("base.json").read_text(encoding="utf-8")


def test_nothing_is_recorded_of_a_run_that_could_not_be_read() -> None:
    Path("notes.json").write_text("{", encoding="utf-8")

    assert update() == 3
    assert not Path("base.json").exists()


def test_the_policy_may_change_and_what_is_measured_may_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given(notes(8, 10))
    update()
    rules = folder / "rules.yaml"
    rules.write_text(RULES.replace("duplicate_citation: any", "duplicate_citation: 3"), encoding="utf-8")
    assert checked(capsys)[0] == 0
    rules.write_text(RULES.replace("id: fact", "id: [fact, ref]"), encoding="utf-8")

    assert run(["check", "-r", "rules.yaml", "notes.json", "--baseline", "base.json"]) == 2
    assert "base.json:5:15: OMR-804: " in capsys.readouterr().err
    assert update() == 2
    assert update("--because", "they renamed it") == 0
    assert checked(capsys)[0] == 0


@pytest.mark.parametrize(
    ("wrong", "right", "place"),
    [
        ('"schema_version": 1', '"schema_version": 2', "base.json:2:21: OMR-803: "),
        ('"floor": 1', '"floor": -1', "base.json:8:12: OMR-204: "),
        ('"tolerance": "0%"', '"tolerance": 0', "base.json:7:16: OMR-203: "),
        ('"history"', '"histories"', "OMR-201: "),
        ("{", "[", "OMR-101: "),
    ],
)
def test_a_baseline_that_cannot_be_used_is_told_with_its_place(
    wrong: str, right: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given(notes(8, 10))
    update()
    text = Path("base.json").read_text(encoding="utf-8")
    Path("base.json").write_text(text.replace(wrong, right, 1), encoding="utf-8")

    assert run(["check", "-r", "rules.yaml", "notes.json", "--baseline", "base.json"]) == 2
    assert place in capsys.readouterr().err
    assert update() == 2


def test_a_baseline_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    given(notes(8, 10))

    assert run(["check", "-r", "rules.yaml", "notes.json", "--baseline", "base.json"]) == 2
    assert "OMR-502" in capsys.readouterr().err


def test_a_gate_of_the_project_has_its_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = (
        "gates: [{name: one, rules: rules.yaml, summary: notes.json, baseline: base.json, policy: {spans: inside}}]"
    )
    (folder / "openmed-rules.yaml").write_text(project, encoding="utf-8")
    given(notes(8, 10))
    assert run(["baseline", "update", "--gate", "one"]) == 0
    assert run(["gate"]) == 0
    given(notes(7, 10))
    capsys.readouterr()

    assert run(["gate"]) == 1
    assert "worse_than_baseline" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        "-r rules.yaml --baseline base.json",
        "-r rules.yaml notes.json",
        "notes.json --baseline base.json",
        "--gate one -r rules.yaml",
        "-r rules.yaml notes.json --baseline base.json --tolerance 1",
        "-r rules.yaml notes.json --baseline base.json --because=",
    ],
)
def test_wrong_use_is_told(arguments: str) -> None:
    given(notes(8, 10))

    assert run(["baseline", "update", *arguments.split()]) == 2
    assert not Path("base.json").exists()


# --- drift ------------------------------------------------------------------------------------


def renamed(value: dict[str, Any]) -> None:
    for claim in value["claims"]:
        claim["citations"] = [{"fact_id": citation["fact"]} for citation in claim["citations"]]


def nested(value: dict[str, Any]) -> None:
    value["summary"] = {"claims": value.pop("claims")}


def wrapped(value: dict[str, Any]) -> None:
    for fact in value["facts"]:
        fact["id"] = {"value": fact["id"]}


def as_text(value: dict[str, Any]) -> None:
    for fact in value["facts"]:
        fact["id"] = f"fact-{fact['id']}"


def harmless_text(value: dict[str, Any]) -> None:
    for fact in value["facts"]:
        fact["id"] = str(fact["id"])


@pytest.mark.parametrize(
    ("change", "locator", "what", "fails"),
    [
        (renamed, "citations.id", "finds nothing any more", True),
        (nested, "claims.records", "finds nothing any more", True),
        (wrapped, "evidence.id", "finds what cannot be used", True),
        (as_text, "evidence.id", "numbers turned to text", True),
        (harmless_text, "evidence.id", "numbers turned to text", False),
    ],
)
def test_a_layout_that_changed_is_told_before_the_numbers(
    change: Callable[[dict[str, Any]], None],
    locator: str,
    what: str,
    fails: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    value = notes(10, 10)
    given(value)
    update()
    change(value)
    given(value)

    code, result = checked(capsys)
    assert run(["check", "-r", "rules.yaml", "notes.json", "--baseline", "base.json"]) == code == int(fails)
    text = capsys.readouterr().out

    assert [(drift["locator"], drift["what"]) for drift in result["drift"]] == [(locator, what)]
    assert text.index(locator) < text.index("citation coverage")
    assert text.split("\n")[2:4][0] == "Drift"


@pytest.mark.parametrize(("missing", "drifts"), [(1, False), (2, True)])
def test_a_locator_is_found_less_often(missing: int, drifts: bool, capsys: pytest.CaptureFixture[str]) -> None:
    value = notes(10, 10)
    given(value)
    update("--tolerance", "50%")
    for fact in value["facts"][:missing]:
        del fact["kind"]
    given(value)

    _, result = checked(capsys)

    assert [drift["what"] for drift in result["drift"]] == ["is found less often"] * drifts


# --- the file ---------------------------------------------------------------------------------


def baseline(part: int) -> Baseline:
    ratios = {f"classes.c{number}.recall": Share(part, 100) for number in range(3)}
    return Baseline("ratcheted", "0" * 64, Slack(), ratios, {})


def test_what_is_written_is_read_again() -> None:
    rewrite_baseline("base.json", lambda _: baseline(7))

    assert read_baseline("base.json") == baseline(7)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_moment_the_file_is_whole(folder: Path) -> None:
    """The writer kills itself at the n-th line that it runs, for every n, as no signal could be timed."""
    old, new = baseline_text(baseline(1)), baseline_text(baseline(2))
    target = folder / "base.json"
    outcomes = []
    for moment in range(1, 2000):
        target.write_text(old, encoding="utf-8")
        child = os.fork()
        if not child:
            _write_and_die_at(moment, new)
        _, status = os.waitpid(child, 0)
        outcomes.append(target.read_text(encoding="utf-8"))
        for draft in folder.glob(".base.json.*"):
            draft.unlink()
        if os.WIFEXITED(status):
            break

    assert len(outcomes) > 50
    assert outcomes[0] == old
    assert outcomes[-1] == new
    assert set(outcomes) == {old, new}
    assert outcomes == sorted(outcomes, key=[old, new].index)


def _write_and_die_at(moment: int, text: str) -> None:
    from openmed_rules.gates import baseline_file
    from openmed_rules.running import output

    left = moment

    def count(frame: Any, event: str, _argument: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in {baseline_file.__file__, output.__file__}:
            return None
        if event == "line":
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
        return count

    sys.settrace(count)
    try:
        rewrite_baseline("base.json", lambda _: baseline(2))
    finally:
        sys.settrace(None)
        os._exit(0 if text else 1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a lock of directories")
def test_a_second_run_waits_and_sees_the_first(folder: Path) -> None:
    rewrite_baseline("base.json", lambda _: baseline(1))
    inside, seen = threading.Event(), []

    def first(_: Baseline | None) -> Baseline:
        inside.set()
        second.join(0.2)
        assert not seen, "the second run did not wait"
        return baseline(2)

    def follow(known: Baseline | None) -> Baseline:
        seen.append(known)
        return baseline(3)

    def run_second() -> None:
        inside.wait()
        rewrite_baseline("base.json", follow)

    second = threading.Thread(target=run_second)
    second.start()
    rewrite_baseline("base.json", first)
    second.join()

    assert seen == [baseline(2)]
    assert read_baseline("base.json") == baseline(3)
    assert [file.name for file in folder.iterdir() if "base" in file.name] == ["base.json"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_baseline_that_cannot_be_written_is_told_and_stays(folder: Path) -> None:
    given(notes(8, 10))
    update()
    before = recorded()
    given(notes(9, 10))
    folder.chmod(0o500)
    try:
        assert update() == 3
    finally:
        folder.chmod(0o700)
    assert recorded() == before


def test_a_disk_that_is_full_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    given(notes(8, 10))
    update()
    before = recorded()
    given(notes(9, 10))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    assert update() == 3
    assert recorded() == before
    assert not list(folder.glob(".base.json.*"))
