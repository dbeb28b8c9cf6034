"""Path text: what it parses to, what is refused and where, and that the short way is the library's way."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from openmed_rules.ruleset import paths
from openmed_rules.ruleset.model import Descend, Equals, Filter, Index, Items, Key, Path, Slice, Step
from openmed_rules.ruleset.paths import PathError, parse_path, parse_records_path

A, B, C = Key("a"), Key("b"), Key("c")
EACH, OPENED = Items(opens=False), Items(opens=True)


def only(*tests: Equals) -> Filter:
    return Filter(tests)


@pytest.mark.parametrize(
    ("text", "climb", "steps"),
    [
        ("$", 0, ()),
        ("@", 0, ()),
        ("^", 1, ()),
        ("a", 0, (A,)),
        ("@.a", 0, (A,)),
        ("$.a.b", 0, (A, B)),
        ("^.a", 1, (A,)),
        ("^^.a.b", 2, (A, B)),
        ("^['a']", 1, (A,)),
        ("^..a", 1, (Descend(), A)),
        ("a[*].b", 0, (A, EACH, B)),
        ("a.*", 0, (A, OPENED)),
        ("*", 0, (OPENED,)),
        ("$.*.a[*]", 0, (OPENED, A, EACH)),
        ("a[*].*.b[*]", 0, (A, EACH, OPENED, B, EACH)),
        ("a['x y'][*].'*'.*", 0, (A, Key("x y"), EACH, Key("*"), OPENED)),
        ("[0].a", 0, (Index(0), A)),
        ("$[*]", 0, (EACH,)),
        ("a[-1]", 0, (A, Index(-1))),
        ("a[1:2]", 0, (A, Slice(1, 2, None))),
        ("a[::-1]", 0, (A, Slice(None, None, -1))),
        ("a[:]", 0, (A, Slice(None, None, None))),
        ("$..a", 0, (Descend(), A)),
        ("a..b.c", 0, (A, Descend(), B, C)),
        ("a..b..c", 0, (A, Descend(), B, Descend(), C)),
        ("a..[*]", 0, (A, Descend(), EACH)),
        ("$..*", 0, (Descend(), OPENED)),
        ("'source docs'.a", 0, (Key("source docs"), A)),
        ("meta.'fact-id'", 0, (Key("meta"), Key("fact-id"))),
        ("$['証拠'][*]", 0, (Key("証拠"), EACH)),
        ("a.'@id'", 0, (A, Key("@id"))),
        ("'where'", 0, (Key("where"),)),
        ("source-refs[*]", 0, (Key("source-refs"), EACH)),
        ("a.null.true", 0, (A, Key("null"), Key("true"))),
        ("a[?(@.b == 'x')].c", 0, (A, only(Equals(("b",), "x")), C)),
        ("a[?@.b == null].c", 0, (A, only(Equals(("b",), None)), C)),
        ("a[?(@.b.'x y' == -1)].c", 0, (A, only(Equals(("b", "x y"), -1)), C)),
        (
            "a[?(@.b == true && @['c'] == \"it's\")].c",
            0,
            (A, only(Equals(keys=("b",), literal=True), Equals(("c",), "it's")), C),
        ),
        (
            "$..a[?(@.b == 1)][?(@.c == 2)]",
            0,
            (Descend(), A, only(Equals(("b",), 1)), only(Equals(("c",), 2))),
        ),
    ],
)
def test_a_path_parses(text: str, climb: int, steps: tuple[Step, ...]) -> None:
    path = parse_path(text)

    assert (path.climb, path.steps, path.text) == (climb, steps, text)
    assert path.from_case == text.startswith("$")


@pytest.mark.parametrize(
    ("literal", "value"),
    [("1", 1), ("1.0", 1.0), ("true", True), ("false", False), ("'true'", "true"), ("'1'", "1")],
)
def test_a_literal_of_a_filter_keeps_its_type(literal: str, value: object) -> None:
    (step,) = parse_path(f"a[?(@.b == {literal})]").steps[1:]

    assert isinstance(step, Filter)
    assert type(step.tests[0].literal) is type(value)
    assert step.tests[0].literal == value


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "empty path"),
        ("  ", 0, "empty path"),
        (".a", 0, "does not begin with a dot"),
        ("..a", 0, "does not begin with a dot"),
        ("^$.a", 0, "^ and $"),
        ("^a", 0, "after ^ a dot"),
        ("a.^.b", 2, "^ stands at the beginning"),
        ("$.a.$.b", 4, "$ stands at the beginning"),
        ("a.@.b", 2, "@ stands at the beginning"),
        ("@id", 0, "dot is missing after @"),
        ("a.@id", 2, "must be quoted"),
        ("$.a | $.b", 4, "union"),
        ("a || b", 2, "|| is not"),
        ("a & b", 2, "& is not"),
        ("a, b", 1, "comma"),
        ("a['b','c']", 5, "comma"),
        ("a[0,1]", 3, "comma"),
        ("$.a + $.b", 4, "arithmetic"),
        ("a - b", 2, "arithmetic"),
        ("a*b", 1, "arithmetic"),
        ("a.`len`", 3, "backticks"),
        ("a[/b]", 2, "sorting"),
        ("org/evidence[*]", 3, "sorting"),
        ("/a/b", 0, "sorting"),
        ("//a", 0, "sorting"),
        ("a where b", 2, "`where` is an operator"),
        ("a.where", 2, "`where` is an operator"),
        ("a.wherenot.b", 2, "`wherenot` is an operator"),
        ("a.length()", 8, "calls"),
        ("(a.b).c", 0, "parentheses"),
        ("a.0", 2, "bare number"),
        ("12", 0, "bare number"),
        ("a.0.5", 2, "bare number"),
        ("a[01]", 2, "leading zero"),
        ("a[b]", 2, "without quotes"),
        ("a[]", 2, "[] is empty"),
        ("a[::0]", 0, "step of 0"),
        ("a b", 2, "two names"),
        ("証拠", 0, "cannot stand in a path"),
        ("a%b", 1, "cannot stand in a path"),
        ("a#b", 1, "cannot stand in a path"),
        ("a\nb", 1, "control character"),
        ("a\ud800", 1, "control character"),
        ("a.'b", 2, "not closed"),
        ("a.", 1, "ends too early"),
        ("a[", 1, "ends too early"),
        ("a..", 2, "ends too early"),
        ("a]", 1, "not expected"),
        ("$a", 1, "not expected"),
        ("a.~b", 2, "~ is not"),
        ("a == 1", 2, "outside of a filter"),
        ("a[?(@.b = 1)].c", 8, "== and && only"),
        ("a[?(@.b != 1)].c", 8, "== and && only"),
        ("a[?(@.b > 1)].c", 8, "== and && only"),
        ("a[?(@.b =~ '(x+)+')].c", 8, "== and && only"),
        ("a[?(!@.b)].c", 4, "== and && only"),
        ("a[?(@.b == 1 || @.c == 2)].d", 13, "|| is not"),
        ("a[?(@.b == 1 & @.c == 2)].d", 13, "& is not"),
        ("a[?(@.b)].c", 2, "a field with a literal"),
        ("a[?(@.b == @.c)].d", 11, "a field with a literal"),
        ("a[?(@.b == $.c)].d", 11, "a field of the item"),
        ("a[?(@ == 1)].b", 2, "names only"),
        ("a[?(@.b[0] == 1)].c", 2, "names only"),
        ("a[?(b == 1)].c", 4, "begins with @"),
        ("a[?('x' == 1)].c", 6, "begins with @"),
        ("a[?(@.b == x)].c", 11, "must be quoted"),
        ("a[?(@.b == True)].c", 11, "must be quoted"),
        ("a[?(@.b == 01)].c", 11, "leading zero"),
        ("^^.a[?(@.b = 1)].c", 11, "== and && only"),
        ("x" * 1001, 1000, "1,000 characters"),
    ],
)
def test_a_path_is_refused_at_its_place(text: str, column: int, message: str) -> None:
    with pytest.raises(PathError, match=re.escape(message)) as refused:
        parse_path(text)

    assert refused.value.column == column
    assert refused.value.width >= 1


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("$.a[*]", (A,)),
        ("$.a", (A,)),
        ("$.a[*][*]", (A, EACH)),
        ("$.a.*", (A, OPENED)),
        ("$[*]", ()),
        ("$..[*]", (Descend(), EACH)),
        ("a[0:2]", (A, Slice(0, 2, None))),
    ],
)
def test_a_path_to_records_drops_one_star_at_its_end(text: str, steps: tuple[Step, ...]) -> None:
    assert parse_records_path(text).steps == steps


@pytest.mark.parametrize("text", ["a[?(@.b == 1)]", "a[?(@.b == 1)][*]"])
def test_a_path_to_records_does_not_end_in_a_filter(text: str) -> None:
    with pytest.raises(PathError, match="last step") as refused:
        parse_records_path(text)

    assert refused.value.column == 2


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]*", fullmatch=True)
PLAIN = st.builds(
    "".join,
    st.tuples(
        st.sampled_from("$@"),
        st.lists(
            NAMES.map(".{}".format)
            | NAMES.map("..{}".format)
            | st.integers(0, 99).map("[{}]".format)
            | st.sampled_from([".*", "[*]"]),
            max_size=6,
        ).map("".join),
    ),
)


def parsed(text: str, parse: Callable[[str], object] = parse_path) -> Any:
    """What ``parse`` makes of a text: what it gives, or why it refuses it."""
    try:
        return parse(text)
    except PathError as error:
        return error.message, error.column


@given(PLAIN)
@example("$.where")
@example("@.null[0].true")
@example("@.a-1.b-")
def test_a_plain_path_reads_as_the_library_reads_it(text: str) -> None:
    assert parsed(text, paths._plain_steps) == parsed(text, paths._library_steps)  # noqa: SLF001 - two ways


@given(st.text(alphabet="ab.*[]()'\"@$^?=&|<!~`/, 01:-#é", max_size=20))
def test_any_text_is_a_path_or_is_refused_inside_of_it(text: str) -> None:
    outcome = parsed(text)

    assert isinstance(outcome, Path) or 0 <= outcome[1] <= len(text)


def test_one_parser_of_the_library_serves_all_threads() -> None:
    texts = [f"$.a{n}['b'].c[?(@.d == 'e{n}')]" if n % 3 else f"$.a{n}['b'].c[?(@.d" for n in range(60)]

    def outcome(text: str) -> object:
        try:
            return parse_path(text)
        except PathError as error:
            return error.message, error.column

    alone = [outcome(text) for text in texts]
    parse_path.cache_clear()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(outcome, texts)) == alone
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize(
    ("text", "offered"), [(".a", "a"), ("..a", "@..a"), ("...a", "@..a"), ("..", ""), ("@id", "@.id"), ("^a", "^.a")]
)
def test_a_path_that_a_hint_offers_is_one(text: str, offered: str) -> None:
    with pytest.raises(PathError) as refused:
        parse_path(text)

    assert offered in refused.value.hint.replace(",", "").split() if offered else not refused.value.hint
    assert not offered or parse_path(offered)
