"""A caller's own record as a document: whatever its own code does, the answer is a value or a code."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TypeGuard

from openmed_rules.judging.documents import Document, PlainValue
from openmed_rules.judging.parsing import TOO_DEEP
from openmed_rules.judging.values import UNUSABLE
from openmed_rules.results.places import Place, Unreadable

NOT_A_RECORD = "OMR-617"

_DUMPS = ("to_dict", "model_dump", "_asdict")


def read_record(record: object, place: Place) -> Document:
    """``record`` in plain values; never raises.

    It may be made of mappings, sequences, dataclasses, and of what has ``to_dict()`` or ``model_dump()``.
    Anything else in it (a date, an open file) is malformed, and a part that holds itself makes the record
    unreadable; both matter only where a rule reads them.
    """
    try:
        return PlainValue(place, _Conversion().plain(record))
    except RecursionError:
        code = TOO_DEEP
    except Exception:  # noqa: BLE001 - a record's own code may say in its error what stands in the record
        code = NOT_A_RECORD
    return Unreadable(place, code)


def read_records(records: Iterable[object], place: Place) -> Iterator[Document]:
    """Each of ``records`` as a document; an iterable that fails on its way ends in an ``Unreadable``."""
    try:
        for record in records:
            yield read_record(record, place)
    except Exception:  # noqa: BLE001 - as above
        failed = True
    else:
        failed = False
    if failed:
        yield Unreadable(place, NOT_A_RECORD)


def is_collection(value: object) -> TypeGuard[Iterable[object]]:
    """Whether ``value`` holds records, and is none itself; one whose own code fails when it is asked is none."""
    try:
        if isinstance(value, Mapping | str | bytes) or is_dataclass(value):
            return False
        return isinstance(value, Iterable) and not any(hasattr(type(value), name) for name in _DUMPS)
    except Exception:  # noqa: BLE001 - what it raises may say what stands in the record
        return False


class _Conversion:
    """One record on its way: what was met is kept, so that nothing is read twice or without end."""

    __slots__ = ("_done", "_kept", "_open")

    def __init__(self) -> None:
        self._open: set[int] = set()
        self._done: dict[int, object] = {}
        self._kept: list[object] = []

    def plain(self, value: object) -> object:
        """``value`` in dicts, lists and scalars."""
        if isinstance(value, Enum):
            value = value.value
        if value is None or isinstance(value, str | int | float):
            return _scalar(value)
        if id(value) in self._done:
            return self._done[id(value)]
        if id(value) in self._open:
            return UNUSABLE
        self._open.add(id(value))
        self._kept.append(value)
        self._done[id(value)] = whole = self._whole(value)
        self._open.remove(id(value))
        return whole

    def _whole(self, value: object) -> object:
        members = _members(value)
        if members is not None:
            return {_name(key): self.plain(member) for key, member in members.items()}
        if isinstance(value, Sequence | AbstractSet) and not isinstance(value, bytes | bytearray | memoryview):
            return [self.plain(item) for item in value]
        return {}


def _members(value: object) -> Mapping[object, object] | None:
    """The fields of a value by name; None where it has none."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, type):
        return None
    for name in _DUMPS:
        if hasattr(type(value), name):
            said = getattr(value, name)()
            return said if isinstance(said, Mapping) else None
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return None


def _scalar(value: object) -> object:
    """A text or a number of a subclass as what it is; a number that JSON has not stands for itself alone."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float) and math.isfinite(value):
        return float.__float__(value)
    return UNUSABLE


def _name(key: object) -> str:
    """A key as JSON writes it."""
    if isinstance(key, str):
        return str.__str__(key)
    return json.dumps(_scalar(key))
