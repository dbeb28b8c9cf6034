"""``explain``: where a path ends, why citations fail, and the line of the rule file that would mend it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from openmed_rules.authoring.diagnostics import whole_file
from openmed_rules.authoring.explain import explain, explanation_lines, meaning_of, words_of
from openmed_rules.authoring.remedies import MEANINGS
from openmed_rules.cli.boundary import run
from openmed_rules.judging.documents import PlainValue
from openmed_rules.judging.explaining import look
from openmed_rules.results.places import Place
from openmed_rules.ruleset.loader import load_rule_text

SPANS = (
    "citations: {records: citations, span: {within: doc, start: s, end: e}}\n"
    "evidence: {records: $.facts, span: {within: doc, start: s, end: e}}\n"
)
FACTS = [("a", 0, 4), ("a", 7, 9), ("b", 2, 9), ("b", 20, 30)]


def told(said: str, case: Any) -> list[str]:
    """The lines about a case, judged by a rule file that says this."""
    file = load_rule_text(whole_file(said), "rules.yaml")
    return list(explanation_lines(explain(file, [PlainValue(Place("case"), case)])))


def misses(said: str, case: Any) -> dict[str, int]:
    """How many citations failed, by the kind of their miss."""
    file = load_rule_text(whole_file(said))
    looked = look(file.rules, [PlainValue(Place("case"), case)], None, ())
    return {miss: count for (_, _, miss), count in looked.misses.items()}


def spans(*cited: tuple[str, int, int]) -> dict[str, Any]:
    def span(doc: str, start: int, end: int) -> dict[str, Any]:
        return {"doc": doc, "s": start, "e": end}

    return {"claims": [{"citations": [span(*each)]} for each in cited], "facts": [span(*each) for each in FACTS]}


def ids(cited: list[Any], known: list[Any]) -> dict[str, Any]:
    return {"claims": [{"citations": [{"fact": name} for name in cited]}], "facts": [{"id": name} for name in known]}


# --- the path ---------------------------------------------------------------------------------


def test_a_path_is_told_step_by_step() -> None:
    case = {
        "claims": {"parts": [{"list": [{"id": 1}]}, {"list": "x"}, {"list": None}, {"lists": []}, 7]},
        "facts": [{"id": 0.5}, {"id": True}, {"id": "f"}, {"id": 7}, {}],
    }
    lines = told("claims: {records: '$.claims.parts[*].list', id: id}", case)

    assert "  rules.yaml:5: claims.records: $.claims.parts[*].list" in lines
    assert (
        "    start 1 object > .claims 1 object > .parts 1 array > [*] 4 objects, 1 whole number > .list 1 array, 1 text"
        in lines
    )
    assert "    .list ended: null (1), no such key (1), a whole number has no keys (1)" in lines
    (found,) = [line for line in lines if line.startswith("    start 5 objects > .id")]
    assert found == "    start 5 objects > .id 1 fraction, 1 text, 1 true or false, 1 whole number"


def test_the_nearest_word_of_the_rule_file_is_named_and_no_other_key() -> None:
    said = "claims: {records: $.summary.claimz}\n"
    lines = told(said, {"summary": {"claims": [], "claimzy": [], "claim-secret": 1}})

    assert any(".claimz ended: no such key (1); did you mean claims? 1 of these have it" in line for line in lines)
    assert not any("secret" in line or "claimzy" in line for line in lines)


def test_the_words_of_a_rule_file_are_its_keys_its_paths_and_those_of_its_tests() -> None:
    words = words_of({"claims": {"records": "$.a[*].'b c'"}, "tests": [{"summary": {"deep": [{"er": 1}]}}]})
    assert {"claims", "records", "a", "b", "c", "deep", "er"} <= words


def test_the_paths_to_the_cases_are_told() -> None:
    lines = told("inputs: {summary: {cases: $.notez}}", {"notes": []})
    assert "  rules.yaml:6: inputs.summary.cases: $.notez" in lines
    assert "    start 1 object > .notez 0" in lines


KINDS = """\
citations:
  records: citations
  kinds: {page: {where: {type: page}, span: {pair: range}}, note: {id: {parts: [doc, n]}}}
evidence: {records: $.facts, kinds: {page: {where: {type: page}, span: {pair: range}}, note: {id: {parts: [doc, n]}}}}
"""


def test_every_path_of_a_kind_is_told() -> None:
    names = [line.split(": ")[1] for line in told(KINDS, {"claims": []}) if line.startswith("  rules.yaml")]
    assert "citations.kinds.page.where.type" in names
    assert "citations.kinds.page.span.pair" in names
    assert {"citations.kinds.note.id.parts[0]", "evidence.kinds.note.id.parts[1]"} <= set(names)


# --- misses -----------------------------------------------------------------------------------


def shifted(start: int, end: int) -> dict[str, Any]:
    return spans(*((doc, first + start, last + end) for doc, first, last in FACTS[1:]))


@pytest.mark.parametrize(
    ("start", "end", "miss", "mended"),
    [
        (0, 1, "end one too large", "rules.yaml:5: 3 of 3: .* write `closed: true` in the span of the evidence"),
        (0, -1, "end one too small", "rules.yaml:4: 3 of 3: .* write `closed: true` in the span of the citations"),
        (1, 1, "both one too large", "rules.yaml:4: 3 of 3: .* write `base: 1` in the span of the citations"),
        (-1, -1, "both one too small", "rules.yaml:5: 3 of 3: .* write `base: 1` in the span of the evidence"),
        (1, 0, "start one too large", "rules.yaml:4: 3 of 3: .* `base: 1` and `closed: true` in the span of the cit"),
        (-1, 0, "start one too small", "rules.yaml:5: 3 of 3: .* `base: 1` and `closed: true` in the span of the evi"),
    ],
)
def test_wrong_by_one_is_called_by_its_name_with_the_line_to_mend(start: int, end: int, miss: str, mended: str) -> None:
    case = shifted(start, end)
    said = f"name: notes\nclaims: {{records: $.claims}}\n{SPANS}"
    import re

    assert misses(said, case) == {miss: 3}
    lines = told(said, case)
    assert any(MEANINGS[miss] in line for line in lines)
    assert any(re.search(mended, line) for line in lines), lines


def test_a_convention_that_is_said_and_does_not_hold_is_removed() -> None:
    closed = SPANS.replace("end: e}", "end: e, closed: true}", 1)
    assert any("remove `closed: true` from the span of the citations" in line for line in told(closed, spans(*FACTS)))
    based = SPANS.replace("end: e}", "end: e, base: 1}", 1)
    assert any("write `base: 0` in the span of the citations" in line for line in told(based, spans(*FACTS[1:])))


def test_a_within_that_names_the_wrong_field_is_named() -> None:
    case = spans(*FACTS)
    for number, claim in enumerate(case["claims"]):
        claim["citations"][0]["page"] = f"p{number}"
    said = SPANS.replace("within: doc", "within: page", 1)

    assert misses(said, case) == {"wrong document": 4}
    (line,) = [line for line in told(said, case) if "write `within:`" in line]
    assert line.startswith("  rules.yaml:4: 4 of 4: ")


@pytest.mark.parametrize(
    ("cited", "miss"),
    [
        (("a", 0, 4), None),
        (("a", 0, 2), "inside a record"),
        (("b", 2, 40), "start matches"),
        (("b", 12, 30), "end matches"),
        (("b", 12, 40), "unknown span"),
        (("c", 12, 40), "unknown document"),
        (("b", 7, 9), "wrong document"),
        (("a", 4, 0), "malformed"),
    ],
)
def test_a_span_that_no_record_has(cited: tuple[str, int, int], miss: str | None) -> None:
    assert misses(SPANS, spans(cited)) == ({miss: 1} if miss else {})


@pytest.mark.parametrize(
    ("cited", "known", "miss", "pattern"),
    [
        (["doc/f1", "doc/f2"], ["f1", "f2"], "cited prefix /", r"(?:.*[/])?([^/]+)"),
        (["a/b/f1", "f2"], ["f1", "f2"], "cited prefix /", r"(?:.*[/])?([^/]+)"),
        (["a:b:c"], ["b:c"], "cited first :", r"(?:[^:]*[:])?(.+)"),
        (["f1?utm=x"], ["f1"], "cited suffix ?", r"([^?]+)(?:[?].*)?"),
        (["a.b.v2"], ["a.b"], "cited last .", r"(.+)[.][^.]*"),
        (["f1"], ["doc#f1"], "known prefix #", r"(?:.*[#])?([^#]+)"),
        (["f1"], ["f1@3"], "known suffix @", r"([^@]+)(?:[@].*)?"),
        (["fact12"], ["12", "13"], "cited prefix letters", r"\D*(\d+)"),
        (["12"], ["fact12", "fact13"], "known prefix letters", r"\D*(\d+)"),
        (["u?a=1"], ["u?a=2"], "after ?", r"([^?]+)(?:\?.*)?"),
        (["007"], ["7"], "leading zero", r"0*(\d+)"),
    ],
)
def test_ids_that_differ_by_what_a_capture_takes_off(
    cited: list[Any], known: list[Any], miss: str, pattern: str
) -> None:
    case = ids(cited, known)
    assert misses("", case) == {miss: sum(name not in known for name in cited)}
    (*_, line) = told("", case)
    assert f"capture: '{pattern}'" in line
    path = "{path: %s, capture: '%s'}"
    mended = whole_file(
        f"citations: {{records: citations, id: {path % ('fact', pattern)}}}\n"
        * miss.startswith(("cited", "after", "lead"))
        + f"evidence: {{records: $.facts, id: {path % ('id', pattern)}}}\n"
        * miss.startswith(("known", "after", "lead"))
    )
    looked = look(load_rule_text(mended).rules, [PlainValue(Place("case"), case)], None, ())
    assert not looked.misses


@pytest.mark.parametrize(
    ("cited", "known", "miss"),
    [
        (["F1"], ["f1"], "letter case"),
        (["f9"], ["f1"], "unknown id"),
        (["f9"], [], "no id known"),
        ([0.5], ["f1"], "malformed"),
        ([None], ["f1"], "no reference"),
        (["3"], [1, 2], "one past the last"),
        ([0], [1, 2], "one before the first"),
    ],
)
def test_an_id_that_no_record_has(cited: list[Any], known: list[Any], miss: str) -> None:
    assert misses("", ids(cited, known)) == {miss: 1}


def test_what_is_malformed_and_ignored_is_no_reference() -> None:
    assert misses("policy: {malformed: ignore}\n", ids([0.5], ["f1"])) == {"no reference": 1}


def test_positions_that_count_from_one_are_named_with_their_line() -> None:
    said = "citations: {records: citations, id: fact}\nevidence: {records: $.facts, id: {place: position}}\n"
    lines = told(said, ids([1, 2], ["x", "y"]))
    assert any("write `{place: position, base: 1}`" in line and "rules.yaml:5" in line for line in lines)


def test_an_id_and_a_span_of_two_records() -> None:
    said = (
        "citations: {records: citations, id: fact, span: {start: s, end: e}}\n"
        "evidence: {records: $.facts, id: id, span: {start: s, end: e}}\n"
    )
    case = {
        "claims": [{"citations": [{"fact": "a", "s": 5, "e": 6}]}],
        "facts": [{"id": "a", "s": 0, "e": 1}, {"id": "b", "s": 5, "e": 6}],
    }
    assert misses(said, case) == {"two records": 1}


def test_ids_of_parts() -> None:
    said = "citations: {records: citations, id: fact}\nevidence: {records: $.facts, id: {parts: [doc, id]}}\n"
    case = {"claims": [{"citations": [{"fact": "a", "doc": "x"}]}], "facts": [{"id": "a", "doc": "y"}]}
    assert misses(said, case) == {"parts": 1}
    assert misses(said.replace("id: fact", "id: {parts: [doc, fact]}"), case) == {"wrong document": 1}


def test_every_kind_of_miss_is_worded() -> None:
    for miss in ("cited prefix /", "known suffix ?", "cited last .", "known prefix letters"):
        assert " differs only by its " in meaning_of(miss)


def test_each_collection_and_kind_is_told_for_itself() -> None:
    said = (
        "citations:\n  - {records: citations, id: fact}\n  - {records: refs, id: ref}\n"
        "evidence: {records: $.facts, id: id}\n"
    )
    case = {"claims": [{"citations": [{"fact": "x/f"}], "refs": [{"ref": "f"}, {"ref": "q"}]}], "facts": [{"id": "f"}]}
    lines = told(said, case)
    assert "  rules.yaml:5: citations[0]: 1 citations" in lines
    assert "  rules.yaml:6: citations[1]: 2 citations" in lines


def test_more_than_half_joined_is_told() -> None:
    said = "evidence: {records: $.facts, id: id, merge: true}\n"
    lines = told(said, ids(["a"], ["a", "a", "a"]))
    assert "joined evidence: 2" in lines
    assert any(line.startswith("more than half of evidence were joined") for line in lines)
    assert not any(line.startswith("more than half") for line in told(said, ids(["a"], ["a", "b", "b"])))


def test_what_a_filter_left_out_is_told() -> None:
    said = "claims: {records: $.claims, where: {type: statement}}\n"
    assert "left out of claims by `where` or an ignored kind: 1" in told(said, ids(["a"], ["a"]))


def test_a_case_that_is_right_needs_no_mending() -> None:
    lines = told("", ids(["a"], ["a"]))
    assert lines[0] == "passed"
    assert "what would mend it" not in lines
    assert "citations that failed" not in lines


# --- the command ------------------------------------------------------------------------------


def test_the_command_explains_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.yaml").write_text(whole_file(SPANS), encoding="utf-8")
    (tmp_path / "case.json").write_text(json.dumps(shifted(0, 1)), encoding="utf-8")
    (tmp_path / "cut.json").write_text("{", encoding="utf-8")

    assert run(["explain", "-r", str(tmp_path / "rules.yaml"), str(tmp_path / "case.json")]) == 0
    assert "write `closed: true` in the span of the evidence" in capsys.readouterr().out
    assert run(["explain", "-r", str(tmp_path / "rules.yaml"), str(tmp_path / "cut.json")]) == 3
    assert run(["explain", "-r", str(tmp_path / "rules.yaml"), str(tmp_path / "none.json")]) == 3
    assert run(["explain", "-r", str(tmp_path / "none.yaml"), str(tmp_path / "case.json")]) == 2
    assert run(["explain", "-r", "healthscribe", str(tmp_path / "case.json")]) == 3


@pytest.mark.parametrize("name", ["healthscribe", "anthropic-citations", "openai-responses", "langchain-blocks"])
def test_built_in_layouts_are_explained_on_their_own_tests(name: str) -> None:
    from openmed_rules.ruleset.loader import load_rule_file

    file = load_rule_file(name)
    for test in file.tests:
        summary = [PlainValue(Place("s"), case.summary) for case in test.cases]
        evidence = [PlainValue(Place("e"), case.evidence) for case in test.cases if case.evidence is not None]
        assert list(explanation_lines(explain(file, summary, evidence or None)))
