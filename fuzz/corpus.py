"""Where fuzzing starts: the layouts, their own tests and their words, made into inputs of each target."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Final

from openmed_rules.ruleset.files import builtin_directory, builtin_names
from openmed_rules.ruleset.loader import RuleTest, load_rule_file
from targets import NAMES, SPLIT

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{2,31}")
_OWN_RULES: Final = b"\xff"
"""The first byte of an input of ``judging`` that brings its rules along."""


def rules() -> Iterator[bytes]:
    """Every layout, and its first lines."""
    for text in _texts():
        yield text
        yield text[: text.find(b"\ntests:") + 1]


def paths() -> Iterator[bytes]:
    """What stands in the layouts where a path could be, with a value from a test of the layout that says it first."""
    values: dict[bytes, bytes] = {}
    for name, text in zip(builtin_names(), _texts(), strict=True):
        summary, _ = _inputs(load_rule_file(name).tests[0])
        for path in re.findall(rb"[$@^.\w\[][^\s,{}:#]*", text.partition(b"\ntests:")[0]):
            values.setdefault(path.strip(b"'\""), summary)
    yield from (path + SPLIT + value for path, value in values.items())
    for odd in _ODD_PATHS:
        yield odd.encode() + SPLIT + b'{"a": {"b": [{"c": 1}, {"c": "x"}]}}'


_ODD_PATHS: Final = (
    "$..c", "a.b[?(@.c == 1)].c", "a.b[?(@.c == 'x' && @.d == null)].c", "a.b[::-1]", "$.*", "^^.a", "'a b'.\"c\"",
    "a.b[1:2].c", "@", "a.b[-1]", "a|b", "a.`len`", "a.b[/c]", "a + b", "[", "a..", "$.a[?c=1]",
)  # fmt: skip


def records() -> Iterator[bytes]:
    """The summaries of every layout's tests, as a file of each kind."""
    for name in builtin_names():
        texts = [_inputs(test)[0] for test in load_rule_file(name).tests]
        joined = b"\n".join(texts)
        for number, called in enumerate(NAMES):
            content = joined if "jsonl" in called or called == "a" else texts[0]
            yield bytes([number]) + (gzip.compress(content, mtime=0) if called.endswith(".gz") else content)
    yield b'\x01\xef\xbb\xbf{"a": NaN}\r\n\r\n{"a": 1e999, "a": "\\ud800"}\n{"a": -0}\n[' + b"9" * 4400 + b"]"


def judging() -> Iterator[bytes]:
    """Every test of every layout, by the layout's name, and some by its text."""
    for number, (name, text) in enumerate(zip(builtin_names(), _texts(), strict=True)):
        for test in load_rule_file(name).tests:
            summary, evidence = _inputs(test)
            inputs = summary if evidence is None else summary + SPLIT + evidence
            yield bytes([number]) + inputs
        yield _OWN_RULES + text[: text.find(b"\ntests:") + 1] + SPLIT + inputs


CORPORA: Final = MappingProxyType[str, Callable[[], Iterator[bytes]]](
    {"rules": rules, "paths": paths, "records": records, "judging": judging}
)
"""The seeds of every target."""


def write_corpus(name: str, folder: Path) -> int:
    """Write the seeds of a target into ``folder``, one file each, and say how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 0
    for number, seed in enumerate(CORPORA[name](), 1):
        (folder / f"seed-{number:05}").write_bytes(seed)
    return number


def write_words(file: Path) -> None:
    """Write the words of all layouts as a dictionary, from which a fuzzer takes pieces."""
    words = sorted({word for text in _texts() for word in _WORD.findall(text.decode())})
    file.write_text("".join(f'"{word}"\n' for word in words), encoding="utf-8")


def _texts() -> list[bytes]:
    return [(builtin_directory() / f"{name}.yaml").read_bytes() for name in builtin_names()]


def _inputs(test: RuleTest) -> tuple[bytes, bytes | None]:
    """The summaries of a test, one a line, and its evidence."""
    summaries = b"\n".join(json.dumps(case.summary).encode() for case in test.cases)
    evidence = [json.dumps(case.evidence).encode() for case in test.cases if case.evidence is not None]
    return summaries, b"\n".join(evidence) if evidence else None
