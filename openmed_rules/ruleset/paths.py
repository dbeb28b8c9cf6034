"""Path text to a typed path; the only module that knows jsonpath-ng.

The grammar is jsonpath-ng's own. What it parses and the rule language does not have is refused here, with the
column: operators that change values (arithmetic, sort, backticks), unions, any filter but ``==`` and ``&&``.
"""

from __future__ import annotations

import re
from copy import copy
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING

from msgspec.structs import replace

from openmed_rules.ruleset.bounds import MAX_PATH, MAX_STEPS
from openmed_rules.ruleset.model import Descend, Equals, Filter, Index, Items, Key, Path, Slice, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jsonpath_ng import JSONPath
    from jsonpath_ng._ply_types import _Token
    from jsonpath_ng.ext.parser import ExtendedJsonPathParser

_STEP = re.compile(r"\.(\.?)([A-Za-z_][A-Za-z0-9_-]*)|\.(\*)|\[(\*)\]|\[(0|[1-9][0-9]{0,8})\]", re.ASCII)
_PLAIN = re.compile(rf"[$@](?:{_STEP.pattern})*", re.ASCII)
_OPERATOR_NAMES = frozenset({"where", "wherenot"})

_NULL = "\0null"
_HERE = "\0here"
_STAND_INS: dict[str, tuple[Step, ...]] = {
    "\0.*": (Items(opens=True),),
    "\0[*]": (Items(opens=False),),
    _HERE: (),
}
"""Names that no path can hold, for what versions of the library parse to different trees, or not at all."""

_LEADING_ZERO = re.compile(r"-?0[0-9]")

_QUOTE_NAME = "a name with other characters than A-Z, a-z, 0-9, _ and - goes in quotes: 'a name'"
_FILTER = "write [?(@.field == 'text')]"
_ONLY_EQUALS = "a filter knows == and && only"
_INSTEAD_OF: dict[object, str] = {"=": "write ==", "!=": "write `where: {field: {not: ...}}`"}
_LIST_OF_PATHS = "write a list of paths: the first that is there counts"
_REFUSED = {
    "|": ("the union | is not part of a path", _LIST_OF_PATHS),
    ",": ("a comma is not part of a path", _LIST_OF_PATHS),
    "&": ("& is not part of a path", "write && between the tests of a filter"),
    "OR": ("|| is not part of a path", "write a `where` with a list of values, or a list of paths"),
    "+": ("arithmetic is not part of a path", ""),
    "-": ("arithmetic is not part of a path", _QUOTE_NAME),
    "/": ("arithmetic is not part of a path", ""),
    "!": (_ONLY_EQUALS, "write `where: {field: {not: ...}}`"),
    "~": ("~ is not part of a path", ""),
    "NAMED_OPERATOR": ("operators in backticks are not part of a path", ""),
    "SORT_DIRECTION": ("sorting and / are not part of a path", "names are separated by dots: a.b"),
    "WHERE": ("`where` is an operator of paths", "quote the name: 'where'"),
    "WHERENOT": ("`wherenot` is an operator of paths", "quote the name: 'wherenot'"),
}


class PathError(Exception):
    """Why a path was refused.

    ``column`` is counted from 0 in the path as it was written, ``width`` in characters; ``hint`` says what to
    write instead.
    """

    def __init__(self, message: str, column: int = 0, *, width: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.width = width
        self.hint = hint


@lru_cache(maxsize=4096)
def parse_path(text: str) -> Path:
    """Parse a path of the rule language.

    Raises:
        PathError: where the text is no path, or uses what the rule language does not have.
    """
    if len(text) > MAX_PATH:
        raise PathError(f"a path of more than {MAX_PATH:,} characters", MAX_PATH)
    for column, character in enumerate(text):
        if character < " " or character == "\x7f" or "\ud800" <= character <= "\udfff":
            raise PathError("a control character in a path", column)
    climb = len(text) - len(text.lstrip("^"))
    body = _anchored(text[climb:], climbs=climb > 0)
    if body.count(".") + body.count("[") > MAX_STEPS:
        raise PathError(f"a path of more than {MAX_STEPS} steps")
    try:
        steps = _plain_steps(body) if _PLAIN.fullmatch(body) else _library_steps(body)
    except PathError as error:
        error.column = max(error.column + len(text) - len(body), 0)
        raise
    return Path(text=text, from_case=body[0] == "$", climb=climb, steps=steps)


@lru_cache(maxsize=4096)
def parse_records_path(text: str) -> Path:
    """Parse a path to records, of which an array is opened anyhow: a ``[*]`` at its end is dropped.

    Raises:
        PathError: as ``parse_path``, and where the last step is a filter.
    """
    path = parse_path(text)
    if path.steps[-1:] == (Items(opens=False),) and path.steps[-2:-1] != (Descend(),):
        path = replace(path, steps=path.steps[:-1])
    if path.steps and isinstance(path.steps[-1], Filter):
        raise PathError(
            "a filter as the last step of records",
            text.rindex("?"),
            hint="write it as `where`, or go on with a name after it",
        )
    return path


def _anchored(rest: str, *, climbs: bool) -> str:
    """The path with its start written out: ``$`` the case, or ``@`` the record."""
    start = rest[:1]
    if climbs:
        if start == "$":
            raise PathError("^ and $ do not go together", hint="$ is the case wherever it stands")
        if start not in ("", ".", "["):
            raise PathError("after ^ a dot is missing", hint=f"write ^.{rest}")
        return "@" + rest
    if not rest.strip():
        raise PathError("an empty path", hint='write "@" for the record itself, $ for the case')
    if start == "@" and re.match("@[A-Za-z_]", rest):
        raise PathError("a dot is missing after @", hint=f"write @.{rest[1:]}, or quote a name that begins with @")
    if start in "$@":
        return rest
    if start == ".":
        name = rest.lstrip(".")
        hint = f"write {name}, or @..{name} for any depth" if name else ""
        raise PathError("a path does not begin with a dot", hint=hint)
    return f"@{rest}" if start == "[" else f"@.{rest}"


def _plain_steps(body: str) -> tuple[Step, ...]:
    """The steps of a path of plain names, ``..``, ``[*]``, ``.*`` and ``[n]``, without the import of the library.

    Nearly every path is one; a test holds that the library reads each the same way.
    """
    steps: list[Step] = []
    for match in _STEP.finditer(body):
        deep, name, star, _, number = match.groups()
        if name in _OPERATOR_NAMES:
            return _library_steps(body)
        if deep:
            steps.append(Descend())
        steps.append(Key(name) if name else Index(int(number)) if number else Items(opens=star is not None))
    return tuple(steps)


# --- jsonpath-ng ------------------------------------------------------------------------------


def _library_steps(body: str) -> tuple[Step, ...]:
    """The steps as jsonpath-ng parses them, where all of them are part of the language."""
    from jsonpath_ng.exceptions import JsonPathLexerError, JsonPathParserError
    from jsonpath_ng.ext.parser import ExtendedJsonPathLexer

    try:
        tokens = _alike(body, ExtendedJsonPathLexer().tokenize(body))
    except JsonPathLexerError as error:
        raise _lexical_error(body, str(error)) from None
    _refuse_tokens(body, tokens)
    asked_for = 0

    def stream() -> Iterator[_Token]:
        nonlocal asked_for
        before = ""
        for asked_for, token in enumerate(tokens):  # noqa: B007 - read where parsing stops
            yield from _with_stand_ins(token, before)
            before = token.type
        asked_for = len(tokens)

    try:
        tree = _parser().parse_token_stream(stream())
    except JsonPathParserError:
        raise _syntax_error(body, tokens, asked_for) from None
    filters = (token.lexpos for token in tokens if token.type == "?")
    return tuple(_steps(tree, filters))


@lru_cache(maxsize=1)
def _parser() -> ExtendedJsonPathParser:
    """The parser of the library: making one takes longer than parsing, 35 ms in the versions for Python 3.10.

    What it goes by while it parses is local to a call, and an error ends it, so threads share one.
    """
    from jsonpath_ng.ext.parser import ExtendedJsonPathParser

    return ExtendedJsonPathParser()


def _alike(body: str, tokens: Iterable[_Token]) -> list[_Token]:
    """The tokens as the newest version of the library has them: ``&&``, ``||`` and ``null`` are one each."""
    alike: list[_Token] = []
    for token in tokens:
        before = alike[-1] if alike else None
        if before and before.type == token.type in {"&", "|"} and before.lexpos + 1 == token.lexpos:
            before.type, before.value = ("OR", "||") if token.type == "|" else ("&", "&&")
            continue
        if token.type == "ID" and token.value == "null" and not _is_quoted(body, token):
            token.type, token.value = "NULL", _NULL
        alike.append(token)
    return alike


def _with_stand_ins(token: _Token, before: str) -> Iterator[_Token]:
    """A token as every version of the library understands it; ``before`` is the type of the one before it."""
    kind = token.type
    if kind == "[" and before == "DOUBLEDOT":
        yield _name(_HERE, token)
    if kind == "*":
        yield _name("\0[*]" if before == "[" else "\0.*", token)
    elif kind in {"NULL", "BOOL"} and before != "FILTER_OP":
        yield _name("null" if kind == "NULL" else str(token.value).lower(), token)
    else:
        yield _name(_NULL, token) if token.value == _NULL else token


def _name(name: str, token: _Token) -> _Token:
    """A name in the place of a token."""
    stand_in = copy(token)
    stand_in.type, stand_in.value = "ID", name
    return stand_in


def _steps(node: JSONPath, filters: Iterator[int]) -> Iterator[Step]:
    """The steps of a tree, from left to right; ``filters``: of each filter, its column."""
    from jsonpath_ng import jsonpath
    from jsonpath_ng.ext import filter as ext

    match node:
        case jsonpath.Root() | jsonpath.This():
            return
        case jsonpath.Child(left=left, right=right):
            yield from _steps(left, filters)
            yield from _steps(right, filters)
        case jsonpath.Descendants(left=left, right=right):
            yield from _steps(left, filters)
            yield Descend()
            yield from _steps(right, filters)
        case jsonpath.Fields(fields=(str(name),)):
            yield from _STAND_INS.get(name, (Key(name),))
        case jsonpath.Index(indices=(int(number),)):
            yield Index(number)
        case jsonpath.Slice(start=start, end=stop, step=step):
            if step == 0:
                raise PathError("a slice with a step of 0")
            yield Slice(start, stop, step)
        case ext.Filter(expressions=tests):
            column = next(filters)
            yield Filter(tuple(_test(test, column) for test in tests))
        case _:
            raise PathError(f"{type(node).__name__} is not part of a path")


def _test(node: JSONPath, column: int) -> Equals:
    """One test of the filter at ``column``."""
    from jsonpath_ng import JSONPath
    from jsonpath_ng.ext.filter import Expression

    if not isinstance(node, Expression) or node.op != "==" or isinstance(node.value, JSONPath):
        raise PathError("a filter compares a field with a literal", column, hint=_FILTER)
    steps = tuple(_steps(node.target, repeat(column)))
    keys = tuple(step.name for step in steps if isinstance(step, Key))
    if not keys or len(keys) < len(steps):
        raise PathError("a filter reads names only: @.a or @.a.b", column, hint=_FILTER)
    return Equals(keys, None if node.value == _NULL else node.value)


# --- what is refused --------------------------------------------------------------------------


def _refuse_tokens(body: str, tokens: Sequence[_Token]) -> None:
    """Refuse what the library would parse and the language does not have."""
    depth = 0  # of brackets inside a filter
    before = ""
    for token in tokens:
        kind, column = token.type, token.lexpos
        if (kind in _REFUSED and token.value != "&&") or (kind == "FILTER_OP" and token.value != "=="):
            message, hint = _REFUSED.get(kind, (_ONLY_EQUALS, _INSTEAD_OF.get(token.value, "write a `where`")))
            width = len(str(token.value))
            start = column - width if kind == "NAMED_OPERATOR" else column  # its token lies at the closing one
            raise PathError(message, start, width=width, hint=hint)
        if kind in {"NUMBER", "FLOAT"} and _LEADING_ZERO.match(body, column):
            raise PathError("a number with a leading zero", column)
        refused = _in_filter(body, before, token) if depth else _in_path(body, before, token)
        if refused:
            raise PathError(refused[0], column, hint=refused[1])
        depth += kind == "?" or (depth > 0 and kind == "[")
        depth -= depth > 0 and kind == "]"
        before = kind


def _in_path(body: str, before: str, token: _Token) -> tuple[str, str] | None:
    """What is wrong with a token outside of a filter, and what to write instead."""
    kind = token.type
    bare_name = kind in {"ID", "BOOL", "NULL"} and not _is_quoted(body, token)
    if kind in {"(", ")"}:
        return "parentheses and calls are not part of a path", ""
    if kind in {"$", "@"} and before:
        hint = "quote a name that begins with @" if kind == "@" else ""
        return f"{kind} stands at the beginning of a path only", hint
    if kind in {"NUMBER", "FLOAT"} and before not in {"[", ":"}:
        return "a bare number in a path", "write [0] for an item, '0' in quotes for a name"
    if kind == "*" and before not in {".", "DOUBLEDOT", "["}:
        return "arithmetic is not part of a path", "write .* or [*]"
    if bare_name and before == "[":
        return "a name in brackets without quotes", f"write .{token.value} or ['{token.value}']"
    if bare_name and "@" in str(token.value):
        return "a name with @ in it must be quoted", f"write '{token.value}'"
    if kind == "FILTER_OP":
        return "a comparison outside of a filter", _FILTER
    return None


def _in_filter(body: str, before: str, token: _Token) -> tuple[str, str] | None:
    """What is wrong with a token inside of a filter, and what to write instead."""
    kind = token.type
    if kind == "$":
        return "a filter compares a field of the item with a literal", _FILTER
    if before == "FILTER_OP" and kind == "@":
        return "a filter compares a field with a literal", _FILTER
    if before in {"?", "(", "AND", "&"} and kind not in {"(", "@"}:
        return "a test of a filter begins with @", _FILTER
    if kind == "ID" and not _is_quoted(body, token):
        if before == "FILTER_OP":
            return "a text in a filter must be quoted", f"write '{token.value}'"
        if "@" in str(token.value):
            return "a name with @ in it must be quoted", f"write @.'{str(token.value).lstrip('@')}'"
    return None


def _is_quoted(body: str, token: _Token) -> bool:
    """Whether a name stood in quotes; the library's token lies at the closing one."""
    return body[token.lexpos] in "'\""


def _lexical_error(body: str, message: str) -> PathError:
    """Where the library's lexer gave up, in our words."""
    place = re.search(r"col (\d+)", message)
    if place is None:
        return PathError("a quote that is not closed", max(body.rfind("'"), body.rfind('"'), body.rfind("`")))
    column = int(place[1])
    character = body[column : column + 1]
    if character == "^":
        return PathError("^ stands at the beginning of a path only", column)
    if character in _REFUSED:
        message, hint = _REFUSED[character]
        return PathError(message, column, hint=hint)
    hint = "write straight quotes: ' or \"" if character in "\u2018\u2019\u201c\u201d\u00ab\u00bb" else _QUOTE_NAME
    return PathError(f"{character} cannot stand in a path", column, hint=hint)


def _syntax_error(body: str, tokens: Sequence[_Token], position: int) -> PathError:
    """Where the library's parser gave up, in our words."""
    if position >= len(tokens):
        return PathError("the path ends too early", max(len(body) - 1, 0))
    token = tokens[position]
    before = tokens[position - 1].type if position else ""
    if token.type == "]" and before == "[":
        return PathError("[] is empty", token.lexpos, hint="write [*] for every item")
    if token.type in {"ID", "BOOL", "NULL"} and before in {"ID", "NUMBER", "BOOL", "NULL"}:
        return PathError("two names without a dot between them", token.lexpos, hint=_QUOTE_NAME)
    return PathError(f"{body[token.lexpos]} is not expected here", token.lexpos)
