"""The events of YAML to plain data with the mark of every value beside it.

A value on which readers of YAML differ is refused, with its place, and so is whatever could hide one value
behind another: a key that stands twice, a merge key, a tag, a second document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from openmed_rules.ruleset.bounds import MAX_ALIASED, MAX_ALIASED_TEXT, MAX_DEPTH, MAX_TEXT, MAX_VALUES
from openmed_rules.ruleset.model import Scalar
from openmed_rules.ruleset.problems import KeyPath, Mark, Marks, Problem, RuleFileError, Span, Spot
from openmed_rules.ruleset.scalars import DoubtfulError, plain_value
from openmed_rules.ruleset.source import Event, Source

_SURROGATE = re.compile("[\ud800-\udfff]")
_COMMENT_IN_TEXT = re.compile(r"[ \t]+(?=#[^\s#])")
_EMPTY = "the rule file is empty"
_BEGIN = "`openmed-rules init SAMPLE` writes one, `openmed-rules show openmed` is one"


class Document(NamedTuple):
    """A rule file as plain data (dicts, lists, scalars), the place of each value, and the problems so far."""

    data: Any
    marks: Marks
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Node:
    """One value of the text: a scalar, or nodes; ``complete`` once all of them were read."""

    span: Span
    content: _Content = None
    complete: bool = False


_Content: TypeAlias = "Scalar | list[_Node] | dict[str, tuple[Span, _Node]]"


def read_document(text: bytes | str, file: str) -> Document:
    """The data of a rule text; ``file`` is what problems call it.

    Raises:
        RuleFileError: where the text cannot be read at all. What leaves the rest readable is in ``problems``.
    """
    source = Source(text, file)
    reader = _Reader(source)
    try:
        root = reader.document()
        spots: dict[KeyPath, Spot] = {}
        data = reader.unfold(root, None, (), spots)
    except RuleFileError as error:
        raise RuleFileError((*reader.problems, *error.problems)) from None
    return Document(data, Marks(file, spots, source.marks.lines), tuple(reader.problems))


class _Reader:
    """Puts the nodes of one text together, and keeps what is wrong with them."""

    def __init__(self, source: Source) -> None:
        self.problems: list[Problem] = []
        self._at = source.marks.at
        self._start = Mark(source.file, 1, 1)
        self._events = source.events()
        self._anchors: dict[str, _Node] = {}
        self._read = 0
        self._keys = 0
        self._unfolded_text = 0

    def _add(self, span: Span, code: str, message: str, hint: str = "") -> None:
        self.problems.append(self._at(span.mark, code, message, hint=hint, width=span.width))

    def _stop(self, mark: Mark, code: str, message: str, hint: str = "") -> RuleFileError:
        return RuleFileError([self._at(mark, code, message, hint=hint)])

    # --- nodes ---

    def document(self) -> _Node:
        """The one document of the text."""
        if next(self._events, None) is None:
            raise self._stop(self._start, "OMR-105", _EMPTY, _BEGIN)
        root = self._node(next(self._events), 1)
        following = next(self._events, None)
        if following is not None:
            hint = "a rule file is one document; remove the ---"
            raise self._stop(following.span.mark, "OMR-106", "a second document", hint)
        if root.content is None and not self.problems:
            raise self._stop(self._start, "OMR-105", _EMPTY, _BEGIN)
        return root

    def _node(self, event: Event, depth: int, *, takes_date: bool = False) -> _Node:
        if event.kind == "alias":
            return self._aliased(event)
        self._read += 1
        if self._read > MAX_VALUES:
            raise self._stop(event.span.mark, "OMR-116", f"more than {MAX_VALUES:,} values and keys")
        if depth > MAX_DEPTH:
            raise self._stop(event.span.mark, "OMR-107", f"values nested more than {MAX_DEPTH} deep")
        if event.tag is not None:
            self._add(event.span, "OMR-108", "a tag", "remove it, or put a text that begins with ! in quotes")
        node = _Node(event.span)
        if event.anchor is not None:
            if event.anchor in self._anchors:
                self._add(event.span, "OMR-109", f"the anchor &{event.anchor} stands twice")
            self._anchors[event.anchor] = node
        if event.kind == "scalar":
            node.content = self._scalar(event, takes_date=takes_date)
        elif event.kind == "list":
            node.content = self._items(depth)
        else:
            node.content = self._members(depth)
        node.complete = True
        return node

    def _aliased(self, event: Event) -> _Node:
        node = self._anchors.get(event.anchor or "")
        if node is None:
            hint = "put a text that begins with * in quotes"
            self._add(event.span, "OMR-110", f"no anchor &{event.anchor} above", hint)
        elif not node.complete:
            self._add(event.span, "OMR-110", f"*{event.anchor} stands inside of what it names")
        else:
            return node
        return _Node(event.span, None, complete=True)

    def _items(self, depth: int) -> list[_Node]:
        items = []
        while (event := next(self._events)).kind != "end":
            items.append(self._node(event, depth + 1))
        return items

    def _members(self, depth: int) -> dict[str, tuple[Span, _Node]]:
        members: dict[str, tuple[Span, _Node]] = {}
        while (event := next(self._events)).kind != "end":
            key = self._node(event, depth + 1)
            self._keys += event.kind != "alias"
            name = key.content
            value = self._node(next(self._events), depth + 1, takes_date=name == "until")
            if name == "<<" and event.plain:
                self._add(key.span, "OMR-111", "a merge key", "write the keys out, or use `extends`")
            elif not isinstance(name, str):
                self._add(key.span, "OMR-112", "a key that is no text", "put it in quotes")
            elif name in members:
                first = members[name][0].mark
                message = f"the key {name} stands twice, first at {first.line}:{first.column}"
                self._add(key.span, "OMR-113", message)
            else:
                members[name] = key.span, value
        return members

    def _scalar(self, event: Event, *, takes_date: bool) -> Scalar:
        text, span = event.text, event.span
        if len(text) > MAX_TEXT:
            self._add(span, "OMR-117", f"a text of more than {MAX_TEXT:,} characters")
            return ""
        if _SURROGATE.search(text):
            self._add(span, "OMR-104", "half a surrogate pair")
            return ""
        if not event.plain:
            return text
        if not text and event.anchor is not None:
            self._add(span, "OMR-110", "an anchor without a value", "put a text that begins with & in quotes")
        mark, line = event.end
        if text and (cut := _COMMENT_IN_TEXT.match(line, mark.column - 1)):
            comment = Span(mark._replace(column=cut.end() + 1), 1, None)
            hint = "put the value in quotes, or a space after #"
            self._add(comment, "OMR-115", "what follows # is a comment, and not part of the value", hint)
        try:
            return plain_value(text)
        except DoubtfulError as error:
            meant = error.taken_for
            if takes_date and meant == "a date":
                return text  # where a day belongs, everyone means the same by it
            hint = f"put it in quotes: '{text}'" + (f", or write {meant}" if meant in {"true", "false"} else "")
            self._add(span, "OMR-114", f"some readers of YAML take {text} for {meant}", hint)
            return text

    # --- plain data ---

    def unfold(self, node: _Node, key: Span | None, place: KeyPath, spots: dict[KeyPath, Spot]) -> Any:  # noqa: ANN401 - plain data
        """The plain data of a node; the place of each of its values goes into ``spots``."""
        spots[place] = Spot(key, node.span)
        if len(spots) > self._read - self._keys + MAX_ALIASED:
            message = f"aliases that add more than {MAX_ALIASED:,} values"
            raise self._stop(node.span.mark, "OMR-107", message)
        content = node.content
        self._unfolded_text += sum(map(len, content)) if isinstance(content, dict) else 0
        self._unfolded_text += len(content) if isinstance(content, str) else 0
        if self._unfolded_text > MAX_ALIASED_TEXT:
            message = f"aliases that stand for more than {MAX_ALIASED_TEXT:,} characters"
            raise self._stop(node.span.mark, "OMR-107", message)
        if isinstance(content, list):
            return [self.unfold(item, None, (*place, number), spots) for number, item in enumerate(content)]
        if isinstance(content, dict):
            return {name: self.unfold(value, span, (*place, name), spots) for name, (span, value) in content.items()}
        return content
