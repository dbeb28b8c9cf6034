"""Rule text to the events of YAML; the only module that knows PyYAML.

The parser is PyYAML's own in Python, never the one in C, so that every machine reads the same. It is asked
for events only: what a value stands for is decided in ``document``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, NoReturn, TypeAlias, cast

import yaml

from openmed_rules.ruleset.bounds import MAX_BYTES
from openmed_rules.ruleset.problems import Mark, Marks, Problem, RuleFileError, Span
from openmed_rules.ruleset.syntax import why_not_yaml

_LINE_END = re.compile(r"\r\n|\r|\n")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")

Kind: TypeAlias = Literal["document", "mapping", "list", "scalar", "alias", "end"]
_KINDS: dict[type[yaml.Event], Kind] = {
    yaml.DocumentStartEvent: "document",
    yaml.MappingStartEvent: "mapping",
    yaml.SequenceStartEvent: "list",
    yaml.ScalarEvent: "scalar",
    yaml.AliasEvent: "alias",
    yaml.MappingEndEvent: "end",
    yaml.SequenceEndEvent: "end",
}


class Event(NamedTuple):
    """One event of a YAML text: a document or a value begins, a scalar or an alias is there, a value ends.

    ``text`` is what a scalar says, ``plain`` whether it stood without quotes; ``anchor`` is also what an
    alias calls. ``end``: the place behind it, with the line of that.
    """

    kind: Kind
    span: Span
    text: str
    plain: bool
    anchor: str | None
    tag: str | None
    end: tuple[Mark, str]


class Source:
    """One rule text: its lines, and problems at places of it.

    Raises:
        RuleFileError: where the text is too long, or holds what cannot be read as characters.
    """

    def __init__(self, text: bytes | str, file: str) -> None:
        self.file = file
        self.text = self._decoded(text)
        self.marks = Marks(file, {}, {file: _LINE_END.split(self.text)})

    def mark(self, position: int) -> Mark:
        """The place of the character at ``position``."""
        return _mark(self.text, position, self.file)

    def events(self) -> Iterator[Event]:
        """The events of the text, without those of the stream and of a document's end.

        Raises:
            RuleFileError: where the text is no YAML.
        """
        loader = yaml.SafeLoader(self.text)
        try:
            while loader.check_event():
                event = loader.get_event()  # type: ignore[no-untyped-call]
                if type(event) in _KINDS:
                    yield self._event(event)
        except yaml.MarkedYAMLError as error:
            here = loader.get_mark()
            position = (error.problem_mark or here).index
            context = (error.context_mark or error.problem_mark or here).index
            reason = why_not_yaml(self.text, error.problem or "", position, error.context or "", context)
            self._refuse(reason.position, reason.message, reason.hint)
        except (ArithmeticError, AttributeError, LookupError, ValueError):
            # PyYAML has errors of many kinds for an escape that names no character.
            self._refuse(loader.get_mark().index, "an escape that names no character", "")

    def _event(self, event: yaml.Event) -> Event:
        start, end = cast("tuple[yaml.Mark, yaml.Mark]", (event.start_mark, event.end_mark))
        lines = self.marks.lines[self.file]
        kind = _KINDS[type(event)]
        text = getattr(event, "value", "")
        plain = getattr(event, "style", None) is None
        mark = Mark(self.file, start.line + 1, start.column + 1)
        span = Span(mark, 1, None)
        if start.line == end.line:
            quote = 0 if plain else 1
            written = lines[start.line][start.column + quote : end.column - quote]
            is_verbatim = kind == "scalar" and written == text
            span = Span(mark, max(end.column - start.column, 1), quote if is_verbatim else None)
        behind = Mark(self.file, end.line + 1, end.column + 1), lines[end.line]
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        return Event(kind, span, text, plain, anchor, tag, behind)

    def _refuse(self, position: int, message: str, hint: str) -> NoReturn:
        raise RuleFileError([self.marks.at(self.mark(position), "OMR-101", message, hint=hint)]) from None

    def _decoded(self, text: bytes | str) -> str:
        """The text without its byte order mark."""
        if len(text) > MAX_BYTES:
            message = f"a rule file of more than {MAX_BYTES:,} bytes"
            raise RuleFileError([Problem("OMR-103", Mark(self.file, 1, 1), message)])
        if isinstance(text, bytes):
            try:
                text = text.decode("utf-8")
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode("utf-8")
                message = f"not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}"
                raise RuleFileError([Problem("OMR-102", _mark(before, len(before), self.file), message)]) from None
        text = text.removeprefix("\ufeff")
        if found := _UNREADABLE.search(text):
            message = f"the character U+{ord(found[0]):04X} cannot stand in a rule file"
            raise RuleFileError([Problem("OMR-104", _mark(text, found.start(), self.file), message)])
        return text


def _mark(text: str, position: int, file: str) -> Mark:
    before = _LINE_END.split(text[:position])
    return Mark(file, len(before), len(before[-1]) + 1)
