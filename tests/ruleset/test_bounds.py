"""How much a rule file may hold: what is at a bound is taken, one more is refused, and neither is much work."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from judged import judge
from openmed_rules.authoring import lint as linting
from openmed_rules.authoring.lint import lint
from openmed_rules.authoring.lint.effort import EffortSpent, at_most
from openmed_rules.cli.boundary import run
from openmed_rules.ruleset import bounds
from openmed_rules.ruleset.loader import RuleFile, load_rule_file, load_rule_text
from openmed_rules.ruleset.patterns import compile_pattern
from openmed_rules.ruleset.problems import RuleFileError
from samples import PASSING, RULES

MEGABYTE = 1 << 20


def codes(text: str) -> list[str]:
    """The codes of what is wrong with a rule text."""
    try:
        load_rule_text(text)
    except RuleFileError as error:
        return [problem.code for problem in error.problems]
    return []


def padded(size: int) -> str:
    """Rules of so many bytes."""
    return RULES + "#" * (size - len(RULES))


def nested(depth: int) -> str:
    """Rules with a value so deep; that of ``summary`` in a test is the fourth."""
    return f"{RULES}tests: [{{name: t, summary: {'[' * (depth - 4)}1{']' * (depth - 4)}, expect: {{passed: false}}}}]\n"


def with_values(count: int) -> str:
    """Rules with so many values and keys: 34 beside those of a list."""
    return f"{RULES}tests: [{{name: t, summary: [{'1, ' * (count - 34)}], expect: {{passed: false}}}}]\n"


def with_aliases(added: int) -> str:
    """Rules with aliases that add so many values: an even number."""
    return f"{RULES}tests: [{{name: t, summary: [&a [1], {'*a, ' * (added // 2)}], expect: {{passed: false}}}}]\n"


def with_aliased_text(characters: int) -> str:
    """Rules of so many characters: 20,000 of one text, again and again, and what is left."""
    fixed = sum(len(str(word)) for word in walked(load_rule_text(trying("")).data))
    times, rest = divmod(characters - fixed, bounds.MAX_TEXT)
    return trying(f"&a {'x' * bounds.MAX_TEXT}, {'*a, ' * (times - 1)}{'y' * rest}")


def trying(values: str) -> str:
    return f"{RULES}tests: [{{name: t, summary: [{values}], expect: {{passed: false}}}}]\n"


def walked(value: object) -> Iterator[str]:
    """Every text of plain data, keys too."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from walked(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from walked(inner)
    elif isinstance(value, str):
        yield value


def with_paths(count: int) -> str:
    """Rules with so many paths: six beside those of a list."""
    return RULES.replace("id: fact", f"id: [{', '.join(f'a{n}' for n in range(count - 5))}]")


def with_patterns(count: int) -> str:
    captures = ", ".join(f"{{path: a, capture: '(x{n})'}}" for n in range(count))
    return RULES.replace("id: fact", f"id: [{captures}]")


def with_pattern(pattern: str) -> str:
    return RULES.replace("id: fact", f"id: {{path: fact, capture: {json.dumps(pattern)}}}")


def with_path(path: str) -> str:
    return RULES.replace("id: fact", f"id: {path}")


def with_problems(count: int) -> str:
    return RULES + "".join(f"key{n}: 1\n" for n in range(count))


AT_THE_BOUND: dict[str, tuple[Callable[[int], str], int, str]] = {
    "MAX_BYTES": (padded, bounds.MAX_BYTES, "OMR-103"),
    "MAX_DEPTH": (nested, bounds.MAX_DEPTH, "OMR-107"),
    "MAX_VALUES": (with_values, bounds.MAX_VALUES, "OMR-116"),
    "MAX_ALIASED": (with_aliases, bounds.MAX_ALIASED, "OMR-107"),
    "MAX_ALIASED_TEXT": (with_aliased_text, bounds.MAX_ALIASED_TEXT, "OMR-107"),
    "MAX_TEXT": (lambda size: f"{RULES}description: {'x' * size}\n", bounds.MAX_TEXT, "OMR-117"),
    "MAX_DIGITS": (lambda size: trying("1" * size), bounds.MAX_DIGITS, "OMR-114"),
    "MAX_PATHS": (with_paths, bounds.MAX_PATHS, "OMR-305"),
    "MAX_PATH": (lambda size: with_path("a" * size), bounds.MAX_PATH, "OMR-301"),
    "MAX_STEPS": (lambda steps: with_path("a" + ".a" * (steps - 1)), bounds.MAX_STEPS, "OMR-301"),
    "MAX_PATTERNS": (with_patterns, bounds.MAX_PATTERNS, "OMR-306"),
    "MAX_PATTERN": (lambda size: with_pattern(f"({'a' * (size - 2)})"), bounds.MAX_PATTERN, "OMR-304"),
}
"""Of each bound that a text can reach: rules of that size, the bound, and how one more is refused."""

ELSEWHERE = {"MAX_CHAIN", "MAX_LAYERS", "MAX_PROBLEMS", "MAX_WORD", "MAX_CALLS", "PATTERN_MEMORY"}
"""Bounds with a test of their own."""


def test_every_bound_is_tried() -> None:
    assert {name for name in vars(bounds) if name.isupper()} == {*AT_THE_BOUND, *ELSEWHERE}


@pytest.mark.parametrize("name", AT_THE_BOUND)
def test_what_is_at_the_bound_is_taken_and_one_more_refused(name: str) -> None:
    rules, bound, code = AT_THE_BOUND[name]
    more = 2 if name == "MAX_ALIASED" else 1

    assert codes(rules(bound)) == []
    assert codes(rules(bound + more)) == [code]


def test_a_project_and_a_baseline_have_the_bounds_of_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.yaml").write_text(RULES, encoding="utf-8")
    Path("case.json").write_text(json.dumps(PASSING), encoding="utf-8")
    project = "version: 1\ngates: [{name: one, rules: rules.yaml, summary: case.json}]\n"
    assert run(["baseline", "update", "-r", "rules.yaml", "case.json", "--baseline", "base.json"]) == 0
    baseline = Path("base.json").read_text(encoding="utf-8")

    for command, own in (("gate --project own", project), ("check -r rules.yaml case.json --baseline own", baseline)):
        for beyond, code in ((0, 0), (1, 2)):
            Path("own").write_text(own + "\n" * (bounds.MAX_BYTES + beyond - len(own)), encoding="utf-8")
            assert run(command.split()) == code


# --- files that are extended ----------------------------------------------------------------------


def codes_of(file: Path) -> set[str]:
    try:
        load_rule_file(file)
    except RuleFileError as error:
        return {problem.code for problem in error.problems}
    return set()


def extending(folder: Path, *layers: str) -> Path:
    """A rule file over layers that say this; it stands in ``folder``."""
    for number, said in enumerate(layers):
        (folder / f"{number}.yaml").write_text(said, encoding="utf-8")
    file = folder / "rules.yaml"
    names = ", ".join(f"{number}.yaml" for number in range(len(layers)))
    file.write_text(f"{RULES}extends: [{names}]\n", encoding="utf-8")
    return file


def test_so_many_layers(tmp_path: Path) -> None:
    assert codes_of(extending(tmp_path, *["version: 1"] * bounds.MAX_LAYERS)) == set()
    assert codes_of(extending(tmp_path, *["version: 1"] * (bounds.MAX_LAYERS + 1))) == {"OMR-506"}


def test_layers_are_not_longer_together_than_one_file(tmp_path: Path) -> None:
    half = "version: 1\n#" + "x" * (bounds.MAX_BYTES // 2 - 12)

    assert codes_of(extending(tmp_path, half, half)) == set()
    assert codes_of(extending(tmp_path, half, half + "x")) == {"OMR-508"}


def test_layers_hold_no_more_together_than_one_file(tmp_path: Path) -> None:
    # Each has four values beside those of its list: the mapping of all, the section, the condition, and the list.
    half = f"claims: {{where: {{a: [{'1, ' * (bounds.MAX_VALUES // 2 - 4)}]}}}}\n"

    assert codes_of(extending(tmp_path, half, half)) == set()
    assert codes_of(extending(tmp_path, half, half, "version: 1\n")) == {"OMR-508"}


# --- where a rule file may reach ------------------------------------------------------------------

REACHES = {
    "up": "../case.json",
    "up and down": "data/../../case.json",
    "from above": "{outside}",
    "a link": "link.json",
    "a linked folder": "folder/case.json",
}


@pytest.mark.parametrize("name", REACHES)
def test_the_files_of_a_test_stand_inside_of_the_root(name: str, tmp_path: Path) -> None:
    outside = tmp_path / "case.json"
    outside.write_text("{}", encoding="utf-8")
    root = tmp_path / "team"
    root.mkdir()
    (root / "link.json").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path)
    (root / "case.json").write_text("{}", encoding="utf-8")
    file = root / "rules.yaml"

    def said(path: str) -> Path:
        tests = f"tests: [{{name: t, file: {json.dumps(path)}, expect: {{passed: false}}}}]\n"
        file.write_text(RULES + tests, encoding="utf-8")
        return file

    assert codes_of(said("case.json")) == set()
    assert codes_of(said(REACHES[name].format(outside=outside))) == {"OMR-509"}
    assert load_rule_file(file, root=tmp_path).tests


def test_a_test_whose_file_leads_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(f'{RULES}tests: [{{name: t, file: "a\\0", expect: {{passed: true}}}}]\n', encoding="utf-8")

    assert codes_of(file) == {"OMR-503"}


# --- what is told ---------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [with_problems, lambda count: trying("yes, " * count)], ids=["keys", "words"])
def test_so_many_problems_are_told(told: Callable[[int], str]) -> None:
    at_the_bound, beyond = codes(told(bounds.MAX_PROBLEMS)), codes(told(bounds.MAX_PROBLEMS + 1))

    assert len(at_the_bound) == bounds.MAX_PROBLEMS
    assert beyond == [*at_the_bound, "OMR-118"]


def test_what_is_behind_a_bound_is_not_looked_at() -> None:
    rules = with_paths(bounds.MAX_PATHS + 2).replace("records: $.facts", "records: a|b")

    assert codes(rules) == ["OMR-305"]


@pytest.mark.parametrize(("length", "hint"), [(bounds.MAX_WORD, "did you mean"), (bounds.MAX_WORD + 1, "")])
def test_for_a_longer_word_no_near_one_is_looked_for(length: int, hint: str) -> None:
    label = "x" * length
    text = RULES.replace("id: id}", f"id: id, class: {{path: kind, labels: [{label[1:]}]}}}}", 1)
    with pytest.raises(RuleFileError) as refused:
        load_rule_text(f"{text}policy: {{tolerate: {{unsupported_claim: {{{label}: 1}}}}}}\n")

    (problem,) = refused.value.problems
    assert problem.hint[:12] == hint


# --- patterns -------------------------------------------------------------------------------------


def test_a_pattern_takes_bounded_memory() -> None:
    assert codes(with_pattern(r"(\pL{1,20})")) == []
    assert codes(with_pattern(r"(\pL{1,100})")) == ["OMR-302"]
    assert compile_pattern("(a)").options.max_mem == bounds.PATTERN_MEMORY


@pytest.mark.parametrize("pattern", ["((?:a+)+)b", "((?:a|aa)*)b", "((?:a*)*)*b", "(a?){500}(a{500})b"])
def test_a_pattern_that_others_take_years_for(pattern: str) -> None:
    id_of = f"id: {{path: fact, capture: '{pattern}'}}"
    text = "a" * 100_000
    report = judge(
        f"citations: {{records: citations, {id_of}}}",
        {"claims": [{"citations": [{"fact": text}]}], "evidence": ["f1"]},
    )

    assert report.citations is not None
    assert report.citations["invalid_citation_count"] == 1


def test_a_number_of_any_length_is_told_from_a_text_in_one_pass() -> None:
    from openmed_rules.ruleset.scalars import plain_value

    text = "1" * 1_000_000 + "x"  # a pattern that tries each way to part the digits would not come to an end

    assert plain_value(text) == text


# --- work and memory ------------------------------------------------------------------------------


def with_collections(count: int, claims: str = "", citations: str = "", evidence: str = "") -> str:
    """Rules with lists of collections; # is the number of each."""
    said = {"claims": claims, "citations": citations, "evidence": evidence}
    lines = RULES.splitlines()
    for number, line in enumerate(lines):
        form = said.get(line.partition(":")[0])
        if form:
            forms = ", ".join(form.replace("#", str(each)) for each in range(count))
            lines[number] = f"{line.partition(':')[0]}: [{forms}]"
    return "\n".join((*lines, ""))


def with_kinds(count: int) -> str:
    kinds = ", ".join(f"k{n}: {{where: {{t: {n}}}, id: i}}" for n in range(count))
    return RULES.replace("id: fact", f"kinds: {{{kinds}}}").replace("$.facts, id: id", f"$.facts, kinds: {{{kinds}}}")


def with_classes(count: int) -> str:
    labels = ", ".join(f"l{n}" for n in range(count))
    wrong = ", ".join(f"m{n}: 1" for n in range(count))
    rules = RULES.replace("id: id}", f"id: id, class: {{path: k, labels: [{labels}]}}}}", 1)
    return f"{rules}policy: {{tolerate: {{unsupported_claim: {{{wrong}}}}}}}\n"


def with_tests(count: int) -> str:
    tests = ", ".join(f"{{name: t{n}, summary: {{}}, expect: {{passed: true}}}}" for n in range(count))
    return f"{RULES}tests: [{tests}]\n"


GROWING: dict[str, Callable[[int], str]] = {
    "values": with_values,
    "paths": with_paths,
    "paths of the library": lambda count: with_collections(count, claims=f"{{records: \"a{count}.b#['c']\"}}"),
    "unknown keys": with_problems,
    "doubtful words": lambda count: trying("yes, " * count),
    "unions": lambda count: with_path("[" + "'a|b', " * count + "]"),
    "classes": with_classes,
    "tests": with_tests,
    "kinds": with_kinds,
    "sides": lambda count: with_collections(count, citations="{records: a#, id: i}", evidence="{records: $.b#, id: i}"),
    "sides at one place": lambda count: with_collections(
        count, citations="{records: $.a, where: {t: #}, id: i}", evidence="{records: $.a, id: j#}"
    ),
    "spans": lambda count: with_collections(
        count,
        citations="{records: a#, span: {start: s, end: e}}",
        evidence="{records: $.b#, span: {within: w, start: s, end: e}}",
    ),
}
"""Rules that grow with a number, in every way in which a stranger could make them grow."""


@contextmanager
def counted() -> Iterator[list[int]]:
    """How many functions were called inside."""
    calls = [0]

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        calls[0] += event == "call"

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("name", GROWING)
def test_the_work_grows_no_faster_than_the_file(name: str) -> None:
    codes(GROWING[name](20))  # what is loaded once is loaded; no path of it is met again, so none is known from before
    with counted() as once:
        codes(GROWING[name](200))
    with counted() as four_times:
        codes(GROWING[name](800))

    assert four_times[0] < 5 * once[0]


def test_a_path_of_the_library_is_little_work() -> None:
    rules = GROWING["paths of the library"]
    codes(rules(20))
    with counted() as calls:
        codes(rules(200))

    assert calls[0] < 2_000 * 200  # with a parser of its own for each it would be 13,500 where the library is older


@pytest.mark.parametrize("name", ["MAX_VALUES", "MAX_ALIASED", "MAX_ALIASED_TEXT", "MAX_PATHS", "MAX_PATTERNS"])
def test_a_file_at_a_bound_takes_bounded_memory(name: str) -> None:
    rules, bound, _ = AT_THE_BOUND[name]
    text = rules(bound)
    tracemalloc.start()
    try:
        codes(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 64 * MEGABYTE


# --- what validate does besides -------------------------------------------------------------------


def called(times: int) -> None:
    def nothing() -> None:
        pass

    for _ in range(times):
        nothing()


def test_effort_is_counted_in_calls() -> None:
    with at_most(1_000):
        called(990)
    with pytest.raises(EffortSpent), at_most(1_000):
        called(1_000)
    assert sys.getprofile() is None


BOMBS = {
    "claims times citations": with_collections(1, citations="{records: $.claims, id: id}")
    + f"tests: [{{name: t, summary: {{claims: [{'{id: 1}, ' * 2_000}]}}, expect: {{passed: false}}}}]\n",
    "ranges": with_collections(1, citations="{records: {path: $.r, range: [a, b]}}")
    + f"tests: [{{name: t, summary: {{claims: [1], r: [{'{a: 1, b: 99999}, ' * 9}]}}, expect: {{passed: false}}}}]\n",
    "conventions times tests": with_collections(
        50, citations="{records: c, span: {start: s, end: e}}", evidence="{records: $.f#, span: {start: s, end: e}}"
    )
    + "tests: ["
    + ", ".join(f"{{name: t{n}, summary: {{}}, expect: {{passed: false}}}}" for n in range(50))
    + "]\n",
}
"""Small rule files whose tests are a lot of work."""


@pytest.mark.parametrize("name", BOMBS)
def test_validate_does_not_do_all_that_tests_ask_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linting, "MAX_CALLS", 100_000)
    file: RuleFile = load_rule_text(BOMBS[name])

    assert "OMR-855" in [problem.code for problem in lint(file)]


def test_validate_reads_no_file_that_a_test_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from openmed_rules.authoring import rule_tests

    file = tmp_path / "rules.yaml"
    tests = "tests: [{name: t, file: case.json, expect: {passed: false}}]\n"
    file.write_text(RULES.replace("id: fact", "span: {start: s, end: e}") + tests, encoding="utf-8")
    monkeypatch.setattr(rule_tests, "read_documents", lambda files: pytest.fail(f"reads {files}"))

    assert lint(load_rule_file(file)) == ()


def test_a_citation_leads_to_so_many_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    from openmed_rules.judging import following

    hop = "{records: $.hops, id: a, to: b}"
    rules = f"citations: {{records: citations, id: fact, follow: [{hop}, {hop}]}}"
    case = {"claims": [{"citations": [{"fact": "f1"}]}], "hops": [{"a": "f1", "b": "f1"}] * 3, "evidence": ["f1"]}

    def citations(most: int) -> tuple[object, object]:
        monkeypatch.setattr(following, "MOST_REACHED", most)
        report = judge(rules, case).citations
        assert report is not None
        return report["citation_count"], report["invalid_citation_count"]

    assert citations(9) == (9, 0)
    assert citations(8) == (1, 1)
