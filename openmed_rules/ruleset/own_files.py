"""Files of this package's own kinds: one that was named by mistake may be an input, and nothing of it is told."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from openmed_rules.ruleset.document import Document, read_document
from openmed_rules.ruleset.problems import Mark, Marks, Problem, RuleFileError

Kind: TypeAlias = Literal["rule file", "project file", "baseline file"]


class _Sign(NamedTuple):
    """By what a kind is known: a line of its text, or a key of its data and the type of what stands there."""

    line: re.Pattern[str]
    key: str
    type: type
    hint: str


# A record may have the same keys. In JSON they stand in quotes and inside of a brace; in YAML they are bare, but no key
# of the rule language stands below them.
_SIGNS: Final = MappingProxyType[Kind, _Sign](
    {
        "rule file": _Sign(
            re.compile(
                r"^ *version *: *\d|\A\s*\{\s*[\"']?version[\"']?\s*:\s*\d"
                r"|^(?:extends|reads_text) *:(?!\S)"
                r"|^(?:claims|citations|evidence) *:[\s{\[-]*(?:(?:records|in|where|kinds|merge) *:(?!\S)|[$@^])"
                r"|^inputs *:[\s{]*(?:summary|evidence) *:(?!\S)"
                r"|^policy *:[\s{]*(?:tolerate|malformed|unavailable|spans|per|failed_cases|warn|waivers) *:(?!\S)",
                re.MULTILINE,
            ),
            "version",
            int,
            "it begins with `version: 1`; did an input and the rule file change places?",
        ),
        "project file": _Sign(
            re.compile(r"^(?:gates|waivers) *:(?!\S)|^ +(?:- +)?rules *:(?!\S)", re.MULTILINE),
            "gates",
            list,
            "it has a list of `gates`",
        ),
        "baseline file": _Sign(
            re.compile(r"\A\s*[\[{]\s*\"schema_version\"\s*:\s*\d"),
            "ratios",
            dict,
            "`openmed-rules baseline update` writes one",
        ),
    }
)
_REMARK = re.compile(r"^\s*#.*$", re.MULTILINE)


def read_own(content: bytes, file: str, kind: Kind = "rule file") -> Document:
    """The data of a file that is to be of ``kind``; ``file`` is what problems call it.

    Raises:
        RuleFileError: it cannot be read at all; or it shows no sign of its kind, and that alone is told.
    """
    outcome: Document | RuleFileError
    try:
        outcome = read_document(content, file)
    except RuleFileError as error:
        outcome = error
    data = outcome.data if isinstance(outcome, Document) else None
    if isinstance(outcome, Document) and not isinstance(data, dict):
        nothing: list[object] | str = [] if isinstance(data, list) else ""  # that it is no mapping can be told
        outcome = Document(nothing, Marks(file, {(): outcome.marks.spots[()]}), ())
    elif not _is_known(content, data, kind):
        outcome = _unknown(file, kind)
    del content, data
    if isinstance(outcome, RuleFileError):
        raise outcome
    return outcome


def refuse_others(content: bytes, file: str) -> None:
    """Let every rule file pass, also one in which something is wrong.

    Raises:
        RuleFileError: it shows no sign of a rule file.
    """
    try:
        data = read_document(content, file).data
    except RuleFileError:
        data = None
    is_known = _is_known(content, data, "rule file")
    del content, data
    if not is_known:
        raise _unknown(file, "rule file")


def _is_known(content: bytes, data: object, kind: Kind) -> bool:
    sign = _SIGNS[kind]
    if isinstance(data, dict) and type(data.get(sign.key)) is sign.type:
        return True
    # Its lines are known also in a wrong encoding; a file of remarks alone has nothing to tell.
    text = content.decode("utf-8", "replace").replace("\0", "").removeprefix("\ufeff")
    return bool(sign.line.search(text)) or not _REMARK.sub("", text).strip()


def _unknown(file: str, kind: Kind) -> RuleFileError:
    message = f"this is no {kind}, and nothing of it is shown, since it may be an input"
    return RuleFileError([Problem("OMR-510", Mark(file, 0, 0), message, hint=_SIGNS[kind].hint)])
