"""A rule file to a rule set: read, laid over what it extends, checked, built."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from openmed_rules.ruleset.bounds import MAX_PROBLEMS
from openmed_rules.ruleset.build import build_rule_set
from openmed_rules.ruleset.document import Document, read_document
from openmed_rules.ruleset.extends import over, with_layers
from openmed_rules.ruleset.files import (
    WHAT_THE_ROOT_IS,
    FileError,
    find_builtin,
    is_file,
    is_inside,
    names_a_file,
    read_file,
    root_of,
)
from openmed_rules.ruleset.meaning import meaning_faults
from openmed_rules.ruleset.model import RuleSet
from openmed_rules.ruleset.own_files import read_own
from openmed_rules.ruleset.problems import Fault, KeyPath, Mark, Marks, Problem, RuleFileError
from openmed_rules.ruleset.shape import shape_faults

_BEYOND = frozenset({"OMR-305", "OMR-306"})
"""Bounds behind which a file is not looked at, so that nothing more is known of what it says."""


class CaseInputs(NamedTuple):
    """The inputs of one case of a test, as plain values; ``evidence`` is None where the rules read none."""

    summary: Any
    evidence: Any = None


class InputFiles(NamedTuple):
    """The input files of a test; ``evidence`` is None where the rules read none."""

    summary: Path
    evidence: Path | None = None


@dataclass(frozen=True, slots=True)
class RuleTest:
    """One test of a rule file: its inputs, as values or as files, and what is expected of the result.

    ``expect`` has at least one of ``passed``, ``reasons``, ``citations`` and ``coverage``; the last two map
    metrics to numbers.
    """

    name: str
    mark: Mark
    expect: Mapping[str, Any]
    cases: tuple[CaseInputs, ...] = ()
    files: InputFiles | None = None


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule file that can be used.

    ``name`` is what messages call it; ``data`` is what it says after ``extends``, as plain values; ``marks``
    has the place of each of these, in the file that it came from.
    """

    name: str
    rules: RuleSet
    tests: tuple[RuleTest, ...]
    data: Mapping[str, Any] = field(repr=False)
    marks: Marks = field(repr=False)


def load_rule_file(
    path_or_name: str | Path,
    *,
    root: str | Path | None = None,
    layer: Document | None = None,
    text: str | None = None,
) -> RuleFile:
    """The rule file at a path, or the built-in layout of that name.

    ``root``: the directory that ``extends`` and the files of tests do not leave; by default the nearest one upwards
    that holds ``openmed-rules.yaml`` or ``.git``, or that of the file. ``layer``: what is laid over the file, as
    ``extends`` lays it. ``text``: what the file is to say, instead of what it says.

    Raises:
        RuleFileError: with everything that is wrong with it.
    """
    called = str(path_or_name)
    try:
        is_path = isinstance(path_or_name, Path) or names_a_file(called) or is_file(called)
        file = Path(called) if is_path else find_builtin(called)
        document = read_own(read_file(file), called) if text is None else read_document(text, called)
    except FileError as error:
        raise RuleFileError([Problem(error.code, Mark(called, 0, 0), error.message, hint=error.hint)]) from None
    return _load(document, file, Path(root) if root else None, layer)


def load_rule_text(text: str | bytes, name: str = "rules") -> RuleFile:
    """The rule file that a text is; ``name`` is what messages call it. It may extend built-in layouts only.

    Raises:
        RuleFileError: with everything that is wrong with it.
    """
    return _load(read_document(text, name), None, None)


def load_rule_mapping(mapping: Mapping[str, Any]) -> RuleSet:
    """The rule set that a mapping of plain values says. It may extend built-in layouts only.

    Raises:
        RuleFileError: with everything that is wrong with it.
    """
    marks = Marks("rules")
    try:
        return _load(Document(_plain_copy(mapping, marks), marks, ()), None, None).rules
    except RecursionError:
        raise RuleFileError([marks.problem(Fault("OMR-107", (), "values nested too deep"))]) from None


def _plain_copy(mapping: Mapping[str, Any], marks: Marks) -> Any:  # noqa: ANN401 - plain data
    """The values of a mapping, with no part that its owner could change later."""
    try:
        return json.loads(json.dumps(mapping, allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError):
        fault = Fault("OMR-203", (), "a rule file holds plain values only")
        raise RuleFileError([marks.problem(fault)]) from None


def _load(document: Document, file: Path | None, root: Path | None, layer: Document | None = None) -> RuleFile:
    whole = with_layers(document, file, root)
    if layer is not None and isinstance(whole.data, dict):
        whole = over(layer, whole)
    data, marks, problems = whole
    faults = shape_faults(data)
    if isinstance(data, dict) and len(faults) <= MAX_PROBLEMS and not any(fault.code in _BEYOND for fault in faults):
        faults += meaning_faults(data, {str(fault.place[0]) for fault in faults})
    told = {problem.mark for problem in problems}
    new = [problem for problem in map(marks.problem, faults) if problem.mark not in told or not problem.mark.line]
    if problems or new:
        raise RuleFileError((*problems, *new))
    tests = tuple(_test(test, ("tests", n), marks, file) for n, test in enumerate(data.get("tests", ())))
    root = root or (root_of(file) if file else Path())
    inputs = [(input_file, test.mark) for test in tests for input_file in filter(None, test.files or ())]
    if outside := [problem for named in inputs if (problem := _reach_problem(*named, root))]:
        raise RuleFileError(outside)
    rules = build_rule_set(data, digest(data), digest(_measuring(data)))
    return RuleFile(document.marks.name, rules, tests, data, marks)


def _test(said: Mapping[str, Any], place: KeyPath, marks: Marks, file: Path | None) -> RuleTest:
    mark = marks.problem(Fault("", place, "")).mark
    if "file" in said:
        names = said["file"] if isinstance(said["file"], dict) else {"summary": said["file"]}
        beside = file.parent if file else Path()
        files = InputFiles(**{side: beside / name for side, name in names.items()})
        return RuleTest(said["name"], mark, said["expect"], files=files)
    cases = said.get("cases", [said])
    inputs = tuple(CaseInputs(case["summary"], case.get("evidence")) for case in cases)
    return RuleTest(said["name"], mark, said["expect"], inputs)


def _reach_problem(file: Path, mark: Mark, root: Path) -> Problem | None:
    """Why a test may not read a file: it stands outside of the root, or leads nowhere."""
    try:
        inside = is_inside(file, root)
    except FileError as error:
        return Problem(error.code, mark, error.message)
    if inside:
        return None
    return Problem("OMR-509", mark, "a file of this test stands outside of the root", hint=WHAT_THE_ROOT_IS)


def digest(data: Mapping[str, Any]) -> str:
    """The SHA-256 of what a rule file says after ``extends``, without its ``tests``.

    It is taken of the JSON text with sorted keys, so that comments and order do not matter.
    """
    said = {key: value for key, value in data.items() if key != "tests"}
    text = json.dumps(said, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


def _measuring(data: Mapping[str, Any]) -> dict[str, Any]:
    """What of a rule file decides what is counted; how much of it is tolerated does not."""
    policy = data.get("policy", {})
    counting = {key: policy[key] for key in ("malformed", "unavailable", "spans") if key in policy}
    said = {key: value for key, value in data.items() if key not in {"name", "description", "policy"}}
    return {**said, "policy": counting}
