"""What holds whatever is done to inputs: of the built-in layouts by values, and of generated rules by files too."""

from __future__ import annotations

import copy
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from generated import Content, Layout, contents, gates, laid_out
from judged import BASE
from layout_cases import LayoutCase, citations_of, layout, layout_cases, records_of, with_policy
from openmed_rules.cli.boundary import run
from openmed_rules.errors import CODES, CodedError
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import Document
from openmed_rules.judging.nodes import Node
from openmed_rules.judging.records import read_record
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report
from openmed_rules.ruleset.model import RuleSet
from structure import changed

EXAMPLES = int(os.environ.get("OPENMED_RULES_EXAMPLES", "60"))
"""How many inputs each property is tried with; ``.ci/full`` tries more."""

unhurried = settings(deadline=None, max_examples=EXAMPLES)
of_files = settings(deadline=None, max_examples=max(EXAMPLES // 4, 15))
CASES = st.sampled_from(layout_cases())
RANDOMS = st.randoms(use_true_random=False)


def judged(rules: RuleSet, summaries: list[Any], evidence: list[Any] | None) -> Report:
    def documents(values: list[Any], name: str) -> list[Document]:
        return [read_record(value, Place(name, number)) for number, value in enumerate(values, 1)]

    return judge_batch(rules, documents(summaries, "notes"), evidence and documents(evidence, "facts"))


def figures(report: Report) -> dict[str, Any]:
    """Everything but the places, which follow the order by nature."""
    return {name: value for name, value in report.to_dict().items() if not name.startswith("positions")}


def ratios(report: Report) -> dict[str, float]:
    named = {**(report.citations or {}), **(report.coverage or {})}
    return {name: value for name, value in named.items() if isinstance(value, float)}


# --- any change at all --------------------------------------------------------------------------------


@unhurried
@given(CASES, RANDOMS)
def test_whatever_is_done_to_an_input_ends_in_a_report_or_an_error_of_ours(case: LayoutCase, random: Random) -> None:
    summaries, evidence = case.inputs
    if evidence is None or random.random() < 0.7:
        summaries = [changed(summary, random) for summary in summaries]
    else:
        evidence = [changed(document, random) for document in evidence]
    try:
        report = judged(layout(case.layout).rules, summaries, evidence)
    except CodedError as error:
        report, code = None, error.code
    if report is None:
        assert code in CODES
        return

    said = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert said["passed"] is (said["verdict"] == "passed") is (report.exit_code == 0)
    assert said["cases"]["total"] == sum(said["cases"][word] for word in ("passed", "failed", "unreadable"))
    assert all(0.0 <= value <= 1.0 for value in ratios(report).values())


# --- evidence that is lost, citations that are added --------------------------------------------------

TOLD = "omitted_source_fact invalid_source_evidence no_claims no_citations"
"""What is tolerated: an uncited record is not omitted once it is gone, and an invalid one is mended by deleting it."""


@unhurried
@given(CASES, st.data())
def test_evidence_that_is_lost_helps_nobody(case: LayoutCase, data: st.DataObject) -> None:
    rules = with_policy(case.layout, TOLD)
    summaries, evidence = case.inputs
    nodes = records_of(rules, summaries, evidence)
    assume(nodes)
    before = judged(rules, summaries, evidence)
    assume(not any(count(before, name) for name in ("duplicate_evidence_record", "duplicate_source_fact")))

    lose(data.draw(st.sampled_from(nodes)), data.draw(st.sampled_from(["delete", None, True, {}, [], ""])))
    after = judged(rules, summaries, evidence)
    # What a condition leaves out is no evidence that could be lost, and damaged it may no longer be left out.
    assume(before.to_dict()["left_out"] == after.to_dict()["left_out"])
    # A record may hold more than evidence: in some layouts the claims stand in one of them.
    assume(all(count(before, name) == count(after, name) for name in ("claim", "summary_fact", "citation")))

    assert before.passed or not after.passed
    assert ratios(after).get("coverage", 0.0) <= ratios(before).get("coverage", 0.0)


def count(report: Report, name: str) -> object:
    return {**(report.citations or {}), **(report.coverage or {})}.get(f"{name}_count")


def lose(node: Node, instead: Any) -> None:
    assert node.parent is not None
    container: Any = node.parent.value
    if instead == "delete":
        del container[node.key]
    else:
        container[node.key] = instead


@unhurried
@given(CASES, st.data())
def test_a_citation_of_nothing_or_of_the_same_again_raises_no_ratio(case: LayoutCase, data: st.DataObject) -> None:
    rules = layout(case.layout).rules
    summaries, evidence = case.inputs
    nodes = [node for node in citations_of(rules, summaries) if node.parent and isinstance(node.parent.value, list)]
    assume(nodes)
    before = judged(rules, summaries, evidence)

    node = data.draw(st.sampled_from(nodes))
    again = copy.deepcopy(node.value)
    assert node.parent is not None
    array: Any = node.parent.value
    array.insert(array.index(node.value) + 1, data.draw(st.sampled_from([again, unknown(again)])))
    after = judged(rules, summaries, evidence)

    for name, value in ratios(after).items():
        worse_is_more = name == "abstention_rate"
        assert (value >= ratios(before)[name]) if worse_is_more else (value <= ratios(before)[name]), name


def unknown(value: Any) -> Any:
    """A value of the same shape of which no part is known."""
    if isinstance(value, dict):
        return {name: unknown(member) for name, member in value.items()}
    if isinstance(value, list):
        return [unknown(item) for item in value]
    return "nowhere" if isinstance(value, str) else 10**9 if type(value) is int else value


# --- order --------------------------------------------------------------------------------------------


@unhurried
@given(CASES, RANDOMS)
def test_the_order_of_members_changes_no_number(case: LayoutCase, random: Random) -> None:
    rules = layout(case.layout).rules
    summaries, evidence = case.inputs
    turned = shuffled(summaries, random), shuffled(evidence, random)

    assert figures(judged(rules, summaries, evidence)) == figures(judged(rules, *turned))


def shuffled(value: Any, random: Random) -> Any:
    if isinstance(value, list):
        return [shuffled(item, random) for item in value]
    if not isinstance(value, dict):
        return value
    names = random.sample(list(value), len(value))
    return {name: shuffled(value[name], random) for name in names}


# --- files --------------------------------------------------------------------------------------------


@contextmanager
def folder() -> Iterator[Path]:
    """A directory for one example: a fixture would serve all of them."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def written(path: Path, values: list[Any]) -> str:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    return str(path)


def checked(place: Path, rules: str, files: list[str], evidence: list[str]) -> tuple[int, dict[str, Any]]:
    """What the command says of files: its exit code, and the report without its places."""
    (place / "rules.yaml").write_text(rules, encoding="utf-8")
    more = [word for file in evidence for word in ("--evidence", file)]
    code = run(["check", "-r", str(place / "rules.yaml"), "-f", f"json={place / 'report.json'}", *files, *more])
    said: dict[str, Any] = json.loads((place / "report.json").read_text(encoding="utf-8"))
    return code, {
        name: value for name, value in said.items() if name not in {"positions", "positions_left", "unreadable"}
    }


def as_rules(layout: Layout) -> str:
    return json.dumps({**yaml.safe_load(BASE), **yaml.safe_load(layout.rules)})


@of_files
@given(gates, st.lists(contents(), min_size=2, max_size=5), RANDOMS, st.data())
def test_how_a_batch_is_laid_out_in_files_changes_no_number(
    layout: Layout, batch: list[Content], random: Random, data: st.DataObject
) -> None:
    """In one file or in two, cut anywhere, one after the other or the other way round, packed or not."""
    laid = laid_out(layout, batch)
    has_evidence = laid[0].evidence is not None
    cut = data.draw(st.integers(0, len(laid)))
    turned = data.draw(st.booleans())
    with folder() as place:
        whole = [written(place / "all.jsonl", [case.summary for case in laid])]
        parts = [part for part in (laid[:cut], laid[cut:]) if part]
        files = [
            written(place / f"part{number}.jsonl", [case.summary for case in part]) for number, part in enumerate(parts)
        ]
        facts = [case.evidence for case in laid]
        evidence = [written(place / "facts.jsonl", facts)] if has_evidence else []
        random.shuffle(facts)
        again = [written(place / "again.jsonl", facts)] if has_evidence else []

        in_one = checked(place, as_rules(layout), whole, evidence)
        in_parts = checked(place, as_rules(layout), files[::-1] if turned else files, again)

    assert in_one == in_parts


@of_files
@given(
    gates.filter(lambda layout: "in: evidence" in layout.rules), st.lists(contents(), min_size=1, max_size=4), st.data()
)
def test_evidence_that_is_cut_off_or_damaged_on_disk_turns_no_fail_into_a_pass(
    layout: Layout, batch: list[Content], data: st.DataObject
) -> None:
    """What is lost of a summary's file at the end of a line nobody can notice; of its evidence it is noticed."""
    laid = laid_out(layout, batch)
    with folder() as place:
        files = [written(place / "all.jsonl", [case.summary for case in laid])]
        evidence = [written(place / "facts.jsonl", [case.evidence for case in laid])]
        before, _ = checked(place, as_rules(layout), files, evidence)
        damage(Path(evidence[0]), data)
        after, _ = checked(place, as_rules(layout), files, evidence)

    assert (before == 0) or (after != 0)


def damage(path: Path, data: st.DataObject) -> None:
    """Cut off, or overwritten with what no text holds."""
    content = bytearray(path.read_bytes())
    start = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[start:]
    else:
        end = data.draw(st.integers(start + 1, len(content)))
        content[start:end] = data.draw(st.sampled_from([b"\xff", b"\0"])) * (end - start)
    path.write_bytes(content)


@of_files
@given(CASES, st.data())
def test_a_damaged_file_ends_in_a_code_and_never_passes_for_a_whole_one(case: LayoutCase, data: st.DataObject) -> None:
    """A document that is cut off or overwritten cannot be read, and a run in which one cannot be never passes."""
    with folder() as place:
        files = [written(place / "all.json", [])]
        Path(files[0]).write_text(json.dumps(case.summaries[0]), encoding="utf-8")
        evidence = [] if case.evidence is None else [written(place / "facts.jsonl", case.evidence[:1])]
        damage(Path(files[0]), data)
        more = [word for file in evidence for word in ("--evidence", file)]
        code = run(["check", "-r", case.layout, "-f", f"json={place / 'report.json'}", *files, *more])

    assert code == 3
