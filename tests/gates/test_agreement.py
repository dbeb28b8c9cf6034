"""Exit code, text and JSON come from one verdict: they agree, whatever the policy, the day and the baseline."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openmed_rules.cli.boundary import run
from openmed_rules.gates import clock
from openmed_rules.ruleset.words import BY_CLASS, ONLY_ANY, TOLERABLE

TODAY = date(2026, 12, 1)
WORDS = {"passed": "PASSED", "failed": "FAILED", "not_evaluated": "NOT EVALUATED"}
RULES = {
    "version": 1,
    "name": "agreed",
    "claims": {"records": "$.claims", "class": {"path": "kind", "labels": ["a", "b"]}},
    "citations": {"records": "citations", "id": "fact"},
    "evidence": {"records": "$.facts", "id": "id", "class": {"path": "kind", "labels": ["a", "b"]}},
}

amounts = st.sampled_from([0, 1, 3, "20%", "50%", "any"])


@st.composite
def blocks(draw: st.DrawFn) -> dict[str, Any]:
    """What ``tolerate`` or ``warn`` may say."""
    said: dict[str, Any] = {}
    for reason in draw(st.lists(st.sampled_from(TOLERABLE), max_size=4, unique=True)):
        if reason in ONLY_ANY:
            said[reason] = "any"
        elif reason in BY_CLASS and draw(st.booleans()):
            labels = draw(st.lists(st.sampled_from(["default", "a", "b"]), min_size=1, unique=True))
            said[reason] = {label: draw(amounts) for label in labels}
        else:
            said[reason] = draw(amounts)
    return said


waivers = st.lists(
    st.builds(
        lambda reason, days: {
            "reason": reason,
            "until": (TODAY + timedelta(days)).isoformat(),
            "because": "agreed on",
            "owner": "us",
        },
        st.sampled_from(TOLERABLE),
        st.integers(-30, 180),
    ),
    min_size=1,
    max_size=3,
)
policies = st.fixed_dictionaries(
    {},
    optional={
        "tolerate": blocks(),
        "warn": blocks(),
        "waivers": waivers,
        "malformed": st.sampled_from(["invalid", "ignore"]),
        "failed_cases": st.sampled_from([0, 1, "50%"]),
    },
) | st.fixed_dictionaries(
    {"per": st.just("batch")}, optional={"tolerate": blocks(), "warn": blocks(), "waivers": waivers}
)

kinds = st.sampled_from(["a", "b", "c"])
facts = st.lists(
    st.builds(lambda name, kind: {"id": name, "kind": kind}, st.sampled_from([1, 2, 3, True]), kinds), max_size=4
)
claims = st.lists(
    st.builds(
        lambda cited, kind: {"citations": [{"fact": one} for one in cited], "kind": kind},
        st.lists(st.sampled_from([1, 2, 3, 9, None]), max_size=3),
        kinds,
    ),
    max_size=3,
)
cases = st.lists(
    st.builds(lambda claims, facts: json.dumps({"claims": claims, "facts": facts}), claims, facts)
    | st.sampled_from(["{", '{"claims": []}']),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("agreed"))
        patch.setattr(clock, "today", lambda: TODAY)
        yield Path()


def ran(*arguments: str) -> tuple[int, str]:
    """The exit code, and what stands on standard output."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = run(arguments)
    return code, out.getvalue()


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(policy=policies, first=cases, then=cases, report_only=st.booleans(), has_baseline=st.booleans())
def test_they_agree(  # noqa: PLR0913 - what is varied
    folder: Path, *, policy: dict[str, Any], first: list[str], then: list[str], report_only: bool, has_baseline: bool
) -> None:
    (folder / "rules.yaml").write_text(json.dumps({**RULES, "policy": policy}), encoding="utf-8")
    (folder / "first.jsonl").write_text("\n".join(first), encoding="utf-8")
    (folder / "then.jsonl").write_text("\n".join(then), encoding="utf-8")
    base = folder / "base.json"
    base.unlink(missing_ok=True)
    more = ["--report-only"] if report_only else []
    recorded = (
        has_baseline and not ran("baseline", "update", "-r", "rules.yaml", "first.jsonl", "--baseline", "base.json")[0]
    )
    more += ["--baseline", "base.json"] if recorded else []

    code, text = ran("check", "-r", "rules.yaml", "then.jsonl", *more)
    code_of_json, published = ran("check", "-r", "rules.yaml", "then.jsonl", "-f", "json", *more)
    said = json.loads(published)

    assert code == code_of_json == said["exit_code"]
    assert text.startswith(WORDS[said["verdict"]])
    assert code == expected_code(said, report_only=report_only)
    assert said["passed"] is (said["verdict"] == "passed")
    assert bool(said["reasons"]) is (said["verdict"] == "failed")
    assert all(reason in text for reason in said["reasons"])
    for reason, amount in (*said["warnings"].items(), *said["waived"].items()):
        assert any(line.split() == [reason, str(amount)] for line in text.splitlines())
    for waiver in said["waivers"]:
        assert ("expired on" if waiver["state"] == "expired" else "until") + f" {waiver['until']} (UTC)" in text
        assert waiver["state"] != "expired" or not waiver["waived"]
    assert ("report only" in text) is said["report_only"] is report_only
    if recorded:
        worse = [name for name, ratio in said["baseline"]["ratios"].items() if ratio["standing"] == "worse"]
        assert bool(worse) is ("worse_than_baseline" in said["reasons"]) or said["verdict"] == "not_evaluated"
        assert all(name in text for name in worse)
        assert all(drift["locator"] in text for drift in said["drift"])


def expected_code(said: dict[str, Any], *, report_only: bool) -> int:
    if said["cases"]["unreadable"] or said["verdict"] == "not_evaluated":
        return 3
    return 0 if said["passed"] or report_only else 1


@settings(deadline=None, max_examples=60)
@given(policy=policies, then=cases, more=blocks(), waived=waivers)
def test_a_warning_or_a_waiver_never_makes_a_gate_fail(
    folder: Path, *, policy: dict[str, Any], then: list[str], more: dict[str, Any], waived: list[dict[str, str]]
) -> None:
    strict = {key: value for key, value in policy.items() if key not in {"warn", "waivers"}}
    (folder / "then.jsonl").write_text("\n".join(then), encoding="utf-8")

    def code(said: dict[str, Any]) -> int:
        (folder / "rules.yaml").write_text(json.dumps({**RULES, "policy": said}), encoding="utf-8")
        return ran("check", "-r", "rules.yaml", "then.jsonl")[0]

    strictly = code(strict)
    assert code({**strict, "warn": more}) <= strictly
    assert code({**strict, "warn": more, "waivers": waived}) <= strictly
