"""Compiled paths find what the library finds; where the rule language differs from it, this page says how."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonpath_ng.ext.parser import parse

from openmed_rules.judging.nodes import ABSENT, MALFORMED, CaseNode, Node
from openmed_rules.judging.walking import Found, compile_reader, compile_walk
from openmed_rules.ruleset.paths import parse_path

SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 2, "", "x", "y", "1"])
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c d"]), inner, max_size=3),
    max_leaves=20,
)
STEPS = [
    *(
        ".a",
        ".b",
        ".'c d'",
        "['a']",
        "[0]",
        "[1]",
        "[-1]",
        "[*]",
        ".*",
        "[0:2]",
        "[1:]",
        "[::2]",
        "[::-1]",
        "[:-1]",
    ),
    *("..a", "..b", "..*", "..[0]", "..[*]", "..'c d'"),
    *("[?(@.a == 1)]", "[?(@.a == 'x')]", "[?(@.a == true)]", "[?(@.a == null)]", "[?(@.a.b == 1)]"),
    *("[?(@.'c d' == 1)]", "[?(@.a == 1 && @.b == 'x')]"),
]
PATHS = st.lists(st.sampled_from(STEPS), min_size=1, max_size=4).map(lambda steps: "$" + "".join(steps))

Location = tuple[str | int, ...]


the_library_holds = pytest.mark.skipif(
    version("jsonpath-ng").startswith("1.8."), reason="jsonpath-ng 1.8 stumbles over values of a wrong type"
)


@the_library_holds
@settings(deadline=None)
@given(PATHS, DOCUMENTS)
@example("$..a..b", {"a": {"a": {"b": 1}}})
@example("$[*][0]", {"a": [1], "b": 5})
def test_a_path_finds_what_the_library_finds(path: str, document: Any) -> None:
    """Null is not there; a wrong type on the way is malformed; what the library reaches twice counts once."""
    ours = [location(node) for node in walk(path, document) if node.value is not None and node.value is not MALFORMED]
    theirs = [counted(match, document) for match in parse(path).find(document) if match.value is not None]

    assert ours == list(dict.fromkeys(theirs))


@the_library_holds
@settings(deadline=None)
@given(PATHS, DOCUMENTS)
def test_a_value_is_there_malformed_or_absent(path: str, document: Any) -> None:
    """One value: what the library finds once. Several are malformed, and so is a wrong type on the way."""
    matches = {counted(match, document): match.value for match in parse(path).find(document)}
    found = [value for value in matches.values() if value is not None]
    broken = any(node.value is MALFORMED for node in walk(path, document))
    value = compile_reader(parse_path(path))(CaseNode(document))

    if not found and value is MALFORMED:
        assert broken
    elif not found:
        assert value is ABSENT
    elif len(found) == 1 and not broken:
        assert value is found[0]
    else:
        assert value is MALFORMED


@pytest.mark.parametrize(
    ("path", "document", "values"),
    [
        ("$.a", {"a": None}, []),
        ("$[*]", [None], [None]),
        ("$.*", {"a": None}, [None]),
        ("$.a.b", {"a": 5}, [MALFORMED]),
        ("$.a.b", {"a": [{"b": 1}]}, [MALFORMED]),
        ("$.a[0]", {"a": {}}, [MALFORMED]),
        ("$.a[*].b", {"a": [{"b": 1}, 5]}, [1, MALFORMED]),
        ("$.a.*.b", {"a": {"c": {"b": 1}, "d": 5}}, [1]),
        ("$.a.*.b", {"a": [{"b": 1}, 5]}, [1, MALFORMED]),
        ("$..b", {"a": 5, "c": {"b": 1}}, [1]),
        ("$.a[0:1]", {"a": 5}, [MALFORMED]),
        ("$.a[?(@.b == 1)]", {"a": 5}, [MALFORMED]),
        ("$.a[?(@.b == 1)]", {"a": [{"b": 1.0}, {"b": True}, {"b": "1"}, {}]}, [{"b": 1.0}]),
        ("$.a[?(@.b == null)]", {"a": [{"b": None}, {}]}, [{"b": None}]),
    ],
)
def test_what_is_there_and_cannot_be_used_is_kept(path: str, document: Any, values: list[Any]) -> None:
    assert [node.value for node in walk(path, document)] == values


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("^.n", 2),
        ("^^.n", 1),
        ("^^^.n", ABSENT),
        ("^", {"n": 2, "items": [[{"own": 3}]]}),
        ("own", 3),
        ("@.own", 3),
        ("$.n", 2),
    ],
)
def test_a_climb_counts_objects(path: str, value: object) -> None:
    """``^`` is ours: arrays do not count, above the root is absent, and ``$`` is the case."""
    root = Node({"n": 1, "case": {"n": 2, "items": [[{"own": 3}]]}})
    case = CaseNode({"n": 2, "items": [[{"own": 3}]]}, root, "case")
    items = Node([[{"own": 3}]], case, "items")
    record = Node({"own": 3}, Node([{"own": 3}], items, 0), 0)

    assert compile_reader(parse_path(path))(record) == value


def test_a_path_of_any_depth_does_not_recurse() -> None:
    document: Any = {"a": 1}
    for _ in range(50_000):
        document = [document]

    assert [node.value for node in walk("$..a", document)] == [1]


@pytest.mark.parametrize(
    ("path", "found"), [("$" + "[*]" * 90, 1), ("$" + "..c" * 30, 71), ("$" + "..*" * 30, 71), ("$" + "..[*]" * 30, 71)]
)
def test_a_path_of_many_steps_takes_no_longer_than_its_steps_and_places(path: str, found: int) -> None:
    """No step is compiled, and no place walked through, as often as there are ways to it."""
    document: Any = 1
    for _ in range(100):
        document = {"c": document}

    assert len(walk(path, document)) == found


def walk(path: str, document: Any) -> list[Node]:
    found = Found()
    compile_walk(parse_path(path), lambda node, found: found.add(node))(CaseNode(document), found)
    return found.places


def location(node: Node) -> Location:
    steps: list[str | int] = []
    while node.parent is not None:
        assert node.key is not None
        steps.append(node.key)
        node = node.parent
    return tuple(reversed(steps))


def counted(match: Any, document: Any) -> Location:
    """Where the library found a match, with positions counted from the front."""
    keys: list[Any] = []
    while match.context is not None:
        keys.append(match.path.fields[0] if hasattr(match.path, "fields") else match.path.indices[0])
        match = match.context
    steps: list[str | int] = []
    for key in reversed(keys):
        steps.append(key % len(document) if isinstance(key, int) else key)
        document = document[key]
    return tuple(steps)
