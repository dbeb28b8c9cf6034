"""The project file: the gates of a repository, each with its rules, its inputs and where its results go."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any

from openmed_rules.errors import UsageError
from openmed_rules.formats import FORMATS
from openmed_rules.results.small_cells import MIN_CELL
from openmed_rules.ruleset.document import Document
from openmed_rules.ruleset.files import FileError, is_file, names_a_file, read_file
from openmed_rules.ruleset.own_files import read_own
from openmed_rules.ruleset.problems import Fault, KeyPath, Mark, Marks, Problem, RuleFileError, did_you_mean
from openmed_rules.ruleset.shape import shape_faults

PROJECT_FILE = "openmed-rules.yaml"
MAX_DAYS = 180
"""How many days ahead a waiver may reach where the project file does not say."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of a project file; every path is made ready to be opened.

    ``policy``: what it lays over the policy of its rules. ``outputs``: formats and their files; None is standard
    output. ``baseline``: the file of its baseline, if it has one. ``min_cell``: the smallest count by class that
    is shown.
    """

    name: str
    rules: str | Path
    summary: tuple[str, ...]
    evidence: tuple[str, ...]
    outputs: tuple[tuple[str, str | None], ...]
    baseline: str | None
    policy: Document | None = field(repr=False)
    min_cell: int = MIN_CELL


@dataclass(frozen=True, slots=True)
class Project:
    """A project file that can be used. ``max_days``: how many days ahead a waiver may reach."""

    file: str
    gates: tuple[Gate, ...]
    max_days: int

    def chosen(self, name: str | None) -> tuple[Gate, ...]:
        """The gate of that name, or all of them.

        Raises:
            UsageError: no gate has that name.
        """
        if name is None:
            return self.gates
        named = tuple(gate for gate in self.gates if gate.name == name)
        if not named:
            names = [gate.name for gate in self.gates]
            hint = did_you_mean(name, names) or f"the gates are {', '.join(names)}"
            raise UsageError("OMR-801", f"{self.file}: there is no gate {name}; {hint}")
        return named


def find_project() -> Path:
    """The nearest project file, upwards from where the command runs.

    Raises:
        UsageError: there is none.
    """
    places: tuple[Path, ...] = ()
    try:
        here = Path.cwd()
        places = (here, *here.parents)
    except OSError:  # it was removed, or may not be looked at
        pass
    for place in places:
        if is_file(place / PROJECT_FILE):
            return Path(os.path.relpath(place / PROJECT_FILE))
    raise UsageError("OMR-802", f"there is no {PROJECT_FILE} here, or in a directory above")


def load_project(file: Path) -> Project:
    """The project file at a path.

    Raises:
        RuleFileError: with everything that is wrong with it.
    """
    called = str(file)
    try:
        document = read_own(read_file(file), called, "project file")
    except FileError as error:
        raise RuleFileError([Problem(error.code, Mark(called, 0, 0), error.message, hint=error.hint)]) from None
    data, marks, problems = document
    faults = shape_faults(data, "project file")
    if not faults:
        faults = list(_meaning_faults(data))
    if problems or faults:
        raise RuleFileError((*problems, *map(marks.problem, faults)))
    beside = file.parent
    gates = tuple(_gate(said, _policy(document, ("gates", n)), beside) for n, said in enumerate(data["gates"]))
    return Project(called, gates, data.get("waivers", {}).get("max_days", MAX_DAYS))


def _meaning_faults(data: Mapping[str, Any]) -> Iterator[Fault]:
    names: set[str] = set()
    for number, gate in enumerate(data["gates"]):
        place = ("gates", number)
        if gate["name"] in names:
            yield Fault("OMR-812", (*place, "name"), f"a second gate is called {gate['name']}")
        names.add(gate["name"])
        formats = gate.get("formats", ())
        for key, name in _keyed(formats):
            if name not in FORMATS:
                expected = f"one of {', '.join(FORMATS)}"
                hint = did_you_mean(name, FORMATS)
                yield Fault(
                    "OMR-813", (*place, "formats", key), f"{name} is no format", expected, hint, at_key=key == name
                )


def _keyed(formats: Mapping[str, str] | list[str]) -> list[tuple[str | int, str]]:
    if isinstance(formats, Mapping):
        return [(name, name) for name in formats]
    return list(enumerate(formats))


def _policy(document: Document, place: KeyPath) -> Document | None:
    """What a gate lays over the policy of its rules, as a layer of a rule file with the places of the project file."""
    said = document.data[place[0]][place[1]]
    if "policy" not in said:
        return None
    depth = len(place)
    spots = {key[depth:]: spot for key, spot in document.marks.spots.items() if key[:depth] == place}
    kept = {key: spot for key, spot in spots.items() if key[:1] == ("policy",)}
    marks = Marks(document.marks.name, kept, document.marks.lines)
    return Document({"policy": said["policy"]}, marks, ())


def _gate(said: Mapping[str, Any], policy: Document | None, beside: Path) -> Gate:
    rules = said["rules"]
    of_a_file = names_a_file(rules) or is_file(beside / rules)
    return Gate(
        name=said["name"],
        rules=beside / rules if of_a_file else rules,
        summary=_patterns(said["summary"], beside),
        evidence=_patterns(said.get("evidence", []), beside),
        outputs=_outputs(said.get("formats", ()), beside),
        baseline=str(beside / said["baseline"]) if "baseline" in said else None,
        policy=policy,
        min_cell=said.get("min_cell", MIN_CELL),
    )


def _patterns(said: str | list[str], beside: Path) -> tuple[str, ...]:
    """Paths and globs from the directory of the project file; only what the file says may be a glob."""
    patterns = [said] if isinstance(said, str) else said
    return tuple(str(_plain_or_glob(pattern, beside)) for pattern in patterns)


def _plain_or_glob(pattern: str, beside: Path) -> Path:
    plain = beside / pattern
    if not any(letter in pattern for letter in "*?[") or os.path.exists(plain):  # noqa: PTH110 - it never raises
        return plain
    return Path(escape(str(beside))) / pattern


def _outputs(said: Mapping[str, str] | list[str], beside: Path) -> tuple[tuple[str, str | None], ...]:
    if isinstance(said, Mapping):
        return tuple((name, str(beside / file)) for name, file in said.items())
    return tuple((name, None) for name in said)
