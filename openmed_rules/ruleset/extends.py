"""The layers of a rule file: what it says, over what the files that it extends say.

Every value keeps the mark of the file that it came from.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from openmed_rules.ruleset.bounds import MAX_BYTES, MAX_CHAIN, MAX_LAYERS, MAX_VALUES
from openmed_rules.ruleset.document import Document
from openmed_rules.ruleset.files import (
    WHAT_THE_ROOT_IS,
    FileError,
    builtin_directory,
    find_builtin,
    is_inside,
    names_a_file,
    read_file,
    resolved,
    root_of,
)
from openmed_rules.ruleset.own_files import read_own
from openmed_rules.ruleset.problems import Fault, KeyPath, Marks, Problem, RuleFileError, Spot
from openmed_rules.ruleset.schema import KNOWN_VERSIONS

_MERGED = frozenset(
    {
        ("inputs",),
        ("inputs", "summary"),
        ("inputs", "evidence"),
        ("claims",),
        ("citations",),
        ("evidence",),
        ("policy",),
        ("policy", "tolerate"),
        ("policy", "warn"),
    }
)
"""Mappings that are merged key by key; any other value is replaced whole."""


def with_layers(document: Document, file: Path | None, root: Path | None) -> Document:
    """A rule file over all that it extends; without the key ``extends``.

    ``file``: where it stands, None for a text that stands nowhere; ``root``: the directory that no layer may
    stand outside of, None for the nearest one with ``openmed-rules.yaml`` or ``.git``, or that of the file.

    Raises:
        RuleFileError: where a layer cannot be had.
    """
    if not isinstance(document.data, dict):
        return document
    layering = _Layering(root or (root_of(file) if file else None))
    whole = layering.over_its_bases(document, file, ())
    if layering.problems:
        raise RuleFileError((*document.problems, *layering.problems))
    return whole


class _Layering:
    """Puts layers on top of each other, and keeps which of them cannot be had."""

    def __init__(self, root: Path | None) -> None:
        self.problems: list[Problem] = []
        self._root = root
        self._layers = 0
        self._bytes = 0
        self._values = 0

    def over_its_bases(self, document: Document, file: Path | None, chain: tuple[_Link, ...]) -> Document:
        """A layer over its bases; ``chain`` is the files that led to it."""
        chain = (*chain, _Link(file, resolved(file) if file else None, document.marks.name))
        data = {key: value for key, value in document.data.items() if key != "extends"}
        whole = Document({}, Marks(document.marks.name), ())
        for place, name in _names(document.data.get("extends", [])):
            base = self._base_or_none(name, place, document.marks, chain)
            whole = over(base, whole) if base else whole
        return over(document._replace(data=data), whole)

    def _base_or_none(self, name: object, place: KeyPath, marks: Marks, chain: tuple[_Link, ...]) -> Document | None:
        """The layer that ``extends`` names at ``place``; None where it cannot be had, which is kept."""
        try:
            return self._base(name, chain)
        except FileError as error:
            self.problems.append(marks.problem(Fault(error.code, place, error.message, hint=error.hint)))
        except RuleFileError as error:
            self.problems += error.problems
        return None

    def _base(self, name: object, chain: tuple[_Link, ...]) -> Document:
        """The layer that ``extends`` names, over its own bases.

        Raises:
            FileError: where it cannot be had.
            RuleFileError: where it cannot be read.
        """
        self._layers += 1
        if len(chain) > MAX_CHAIN or self._layers > MAX_LAYERS:
            message = f"extends goes over more than {MAX_CHAIN} files in a row, or {MAX_LAYERS} in all"
            raise FileError("OMR-506", message)
        file, called = self._find(name, chain[-1])
        whole_path = resolved(file)
        if whole_path in (link.resolved for link in chain):
            circle = " > ".join((*(link.called for link in chain), called))
            raise FileError("OMR-505", f"extends goes round in a circle: {circle}")
        document = self._read(file, called)
        if not isinstance(document.data, dict):
            raise FileError("OMR-507", f"{called} is no mapping")
        problems = document.problems
        version = document.data.get("version", 1)
        if version not in KNOWN_VERSIONS or isinstance(version, bool):
            expected = f"version {KNOWN_VERSIONS[-1]}"
            fault = Fault("OMR-208", ("version",), f"version {version} is not known", expected)
            problems = (*problems, document.marks.problem(fault))
        inherited = {key: value for key, value in document.data.items() if key != "tests"}
        return self.over_its_bases(Document(inherited, document.marks, problems), file, chain)

    def _read(self, file: Path, called: str) -> Document:
        """What stands in a layer, where that is not too much beside what the others hold."""
        content = read_file(file)
        self._bytes += len(content)
        if self._bytes > MAX_BYTES:
            raise FileError("OMR-508", f"what is extended has more than {MAX_BYTES:,} bytes in all")
        document = read_own(content, called)
        self._values += len(document.marks.spots)
        if self._values > MAX_VALUES:
            raise FileError("OMR-508", f"what is extended has more than {MAX_VALUES:,} values in all")
        return document

    def _find(self, name: object, sayer: _Link) -> tuple[Path, str]:
        """The file that ``extends`` names, and what to call it."""
        if not isinstance(name, str):
            raise FileError("OMR-203", "extends takes the name of a layout, a path, or a list of these")
        if not names_a_file(name):
            return find_builtin(name), name
        if "://" in name:
            raise FileError("OMR-503", "extends reads files, and no address of a network")
        if sayer.file is None:
            raise FileError("OMR-503", "a path leads nowhere from a text that is no file")
        file = sayer.file.parent / name
        root = builtin_directory() if sayer.file.parent == builtin_directory() else self._root
        if root is not None and not is_inside(file, root):
            raise FileError("OMR-504", f"{name} stands outside of the root", WHAT_THE_ROOT_IS)
        return file, os.path.normpath(Path(sayer.called).parent / name)


class _Link(NamedTuple):
    """One file on the way to a layer: its path, that without links and dots, and what problems call it."""

    file: Path | None
    resolved: Path | None
    called: str


def _names(said: object) -> Iterator[tuple[KeyPath, object]]:
    """The layers that ``extends`` names, the lowest first."""
    if isinstance(said, list):
        yield from ((("extends", number), name) for number, name in enumerate(said))
    else:
        yield ("extends",), said


# --- one layer over another -------------------------------------------------------------------


def over(upper: Document, lower: Document) -> Document:
    """One layer over another, merged as ``extends`` merges."""
    spots: dict[KeyPath, Spot] = {}
    data = _merged(upper, upper.data, lower, lower.data, (), spots)
    marks = Marks(upper.marks.name, spots, {**lower.marks.lines, **upper.marks.lines})
    return Document(data, marks, (*lower.problems, *upper.problems))


def _merged(  # noqa: PLR0913, PLR0917 - two layers, each with the part of it that is at hand
    upper: Document,
    over: Mapping[str, Any],
    lower: Document,
    under: Mapping[str, Any],
    place: KeyPath,
    spots: dict[KeyPath, Spot],
) -> dict[str, Any]:
    """One mapping over another; the places of what remains go into ``spots``."""
    _keep_spot(upper, place, spots)
    merged: dict[str, Any] = {}
    for key in dict.fromkeys((*under, *over)):
        here = (*place, key)
        if key not in over:
            merged[key] = _kept(lower, under[key], here, spots)
        elif here in _MERGED and isinstance(over[key], dict) and isinstance(under.get(key), dict):
            merged[key] = _merged(upper, over[key], lower, under[key], here, spots)
        elif over[key] is not None or key not in under:  # null removes what is there
            merged[key] = _kept(upper, over[key], here, spots)
    return merged


def _kept(layer: Document, value: Any, place: KeyPath, spots: dict[KeyPath, Spot]) -> Any:  # noqa: ANN401 - plain data
    """A value of one layer, with the places of all that is in it."""
    _keep_spot(layer, place, spots)
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        _kept(layer, item, (*place, key), spots)
    return value


def _keep_spot(layer: Document, place: KeyPath, spots: dict[KeyPath, Spot]) -> None:
    if place in layer.marks.spots:
        spots[place] = layer.marks.spots[place]
