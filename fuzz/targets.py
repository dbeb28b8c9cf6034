"""What must hold for any bytes: one function for each way into the package; no fuzzer is needed to call them.

Each takes what a fuzzer made and returns, or fails where an error is not one of ours, a report is none, or two ways
to the same answer differ.
"""

from __future__ import annotations

import atexit
import json
import math
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from openmed_rules.authoring.lint import lint
from openmed_rules.authoring.showing import effective_lines, origin_lines, plan_line
from openmed_rules.errors import CODES, CodedError
from openmed_rules.formats import FORMATS
from openmed_rules.judging.batch import judge_batch
from openmed_rules.judging.documents import Document, JsonText
from openmed_rules.judging.nodes import CaseNode
from openmed_rules.judging.parsing import Parsed, parse_document
from openmed_rules.judging.records import read_record
from openmed_rules.judging.values import UNUSABLE, UnusableText
from openmed_rules.judging.walking import Found, compile_reader, compile_walk, open_array
from openmed_rules.results.places import Place, Unreadable
from openmed_rules.results.report import Report
from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import RuleFile, load_rule_file, load_rule_text
from openmed_rules.ruleset.model import RuleSet
from openmed_rules.ruleset.paths import PathError, parse_path, parse_records_path
from openmed_rules.ruleset.problems import RuleFileError
from openmed_rules.running.files import find_files
from openmed_rules.running.reading import read_documents

SPLIT: Final = b"\0"
"""Between the parts of an input: rules, summaries, evidence. No JSON text and no rule file can hold it."""

Target = Callable[[bytes], None]


def rules(text: bytes) -> None:
    """A rule file from a stranger: every problem has a code and a place; what loads can be told and loaded again."""
    file = _loaded(text)
    if file is None:
        return
    for warning in lint(file):
        assert warning.code in CODES
        assert str(warning)
    assert list(origin_lines(file))
    assert plan_line(file)
    effective = "\n".join(effective_lines(file))
    assert load_rule_text(effective).rules.sha256 == file.rules.sha256


def paths(text: bytes) -> None:
    """A path, and a value to walk it over, with ``SPLIT`` between: it is refused with its place, or finds places."""
    said, _, document = text.partition(SPLIT)
    path = said.decode("utf-8", "surrogateescape")
    value = _value(document)
    for parse in (parse_path, parse_records_path):
        try:
            parsed = parse(path)
        except PathError as error:
            assert error.message
            assert 0 <= error.column <= len(path)
            continue
        read, found = compile_reader(parsed), Found()
        try:
            read(CaseNode(value))
            compile_walk(parsed, open_array)(CaseNode(value), found)
        except UnusableText as unusable:
            assert unusable.code in CODES


def records(content: bytes) -> None:
    """A file of records: the first byte says what it is called. It ends in documents that are values or codes.

    What the quick decoder takes, the common one takes for the same.
    """
    file = _folder() / NAMES[content[0] % len(NAMES)] if content else _folder() / NAMES[0]
    file.write_bytes(content[1:])
    for document in read_documents(find_files([str(file)])):
        assert document.place.line is None or document.place.line > 0
        parsed, strictly = parse_document(document), parse_document(document, strict=True)
        for one in (parsed, strictly):
            assert isinstance(one, Parsed) or one.code in CODES
        if isinstance(strictly, Parsed):
            assert isinstance(parsed, Parsed)
            assert _spelt(parsed.value) == _spelt(strictly.value)


def judging(content: bytes) -> None:
    """Rules, summaries and evidence; the first byte names a built-in layout, or says that rules are part of it.

    The quick way and the general one give the same report, by bytes and by values; it can be written in each format.
    """
    if not content:
        return
    parts = content[1:].split(SPLIT)
    names = builtin_names()
    if content[0] < len(names):
        known = load_layout(names[content[0]])
    else:
        known = _rule_set(parts.pop(0))
        if known is None:
            return
    summaries = _lines(parts[0] if parts else b"", "summary")
    evidence = _lines(parts[1], "evidence") if len(parts) > 1 else None
    if evidence is None and known.reads_evidence_input:
        evidence = summaries
    report = _report(known, summaries, evidence)
    generally = _report(known, summaries, evidence, locators=True)
    of_values = _report(known, _as_values(summaries), None if evidence is None else _as_values(evidence))
    assert _said(report) == _said(generally) == _said(of_values)
    if report is not None:
        assert report.verdict in {"passed", "failed", "not_evaluated"}
        assert report.passed is (report.verdict == "passed")
        assert bool(report.reasons) is (report.verdict == "failed")
        for render in FORMATS.values():
            render(report).encode()


TARGETS: Final = MappingProxyType[str, Target]({"rules": rules, "paths": paths, "records": records, "judging": judging})
"""Every target by its name."""

NAMES: Final = ("a.json", "a.jsonl", "a", "a.json.gz", "a.jsonl.gz", "a.gz", "a.jsonl.zst")
"""What a file of records may be called."""


# --- how they do it -----------------------------------------------------------------------------------


def _loaded(text: bytes) -> RuleFile | None:
    try:
        return load_rule_text(text)
    except RuleFileError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.code in CODES
            assert str(problem)
        return None


@lru_cache(maxsize=512)
def _rule_set(text: bytes) -> RuleSet | None:
    file = _loaded(text)
    return file.rules if file is not None else None


@lru_cache(maxsize=128)
def load_layout(name: str) -> RuleSet:
    """The rule set of a built-in layout."""
    return load_rule_file(name).rules


def _value(document: bytes) -> object:
    parsed = parse_document(JsonText(Place("value"), document))
    return parsed.value if isinstance(parsed, Parsed) else {"a": [{"b": 1}, [None, "x"]], "b": 1.5}


@lru_cache(maxsize=1)
def _folder() -> Path:
    """Where files are written to be read: in memory, where there is such a place."""
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(dir=memory if memory.is_dir() else None)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _spelt(value: object) -> str:
    """A value as a text in which numbers differ where their types do; NaN and its kind by their class."""
    return json.dumps(value, ensure_ascii=True, default=lambda other: type(other).__name__)


def _lines(content: bytes, name: str) -> list[Document]:
    return [JsonText(Place(name, number), line) for number, line in enumerate(content.split(b"\n"), 1)]


def _as_values(documents: list[Document]) -> list[Document]:
    return list(_values(documents))


def _values(documents: list[Document]) -> Iterator[Document]:
    """Each document as a caller may have it; as a text where it is nested more deeply than Python can follow."""
    for document in documents:
        parsed = parse_document(document)
        try:
            record = parsed if isinstance(parsed, Unreadable) else read_record(_common(parsed.value), document.place)
        except RecursionError:
            record = document
        yield document if isinstance(record, Unreadable) else record


def _common(value: object) -> object:
    """A parsed value as the common readers give it: NaN is a float."""
    if isinstance(value, dict):
        return {name: _common(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_common(item) for item in value]
    return math.nan if value is UNUSABLE else value


def _report(
    known: RuleSet, summaries: list[Document], evidence: list[Document] | None, *, locators: bool = False
) -> Report | None:
    """The report; None where the inputs do not go with the rules."""
    try:
        return judge_batch(known, summaries, evidence, locators=locators)
    except CodedError as error:
        assert error.code in CODES
        return None


def _said(report: Report | None) -> dict[str, object] | None:
    """All that a report says but for its locators, which are counted only when asked for."""
    if report is None:
        return None
    said = report.to_dict()
    json.dumps(said, allow_nan=False)
    return {name: value for name, value in said.items() if name != "locators"}
