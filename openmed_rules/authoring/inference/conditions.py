"""Discriminators: a field such as ``type`` on which it depends what else a record holds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from openmed_rules.authoring.inference.columns import Column
from openmed_rules.authoring.inference.draft import Condition
from openmed_rules.authoring.inference.identities import Side
from openmed_rules.authoring.inference.shapes import Shape
from openmed_rules.authoring.inference.words import says

_TYPE: Final = frozenset({"type", "kind", "category", "role", "status", "class", "tag"})
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z_. -]{0,40}")
_MOST_WORDS: Final = 8
_FEW_RECORDS: Final = 10
_SURE: Final = 0.9


def discriminator(record: Shape, side: Side, good: Mapping[int, bool]) -> Condition | None:
    """The condition that tells the good records of ``record`` from the rest; None where no field does.

    ``good``: for each record, by the ``id()`` of its spot, whether it is one.
    """
    found = [
        (not says(column.name, _TYPE), len(column.field), condition)
        for column in side.by_record.get(record, ())
        if column.field and (condition := _condition(column, good)) is not None
    ]
    return min(found, key=lambda item: item[:2])[2] if found else None


def _condition(column: Column, good: Mapping[int, bool]) -> Condition | None:
    by_word: dict[str, list[bool]] = defaultdict(list)
    for spot, text in column.cells:
        if id(spot) in good:
            by_word[text].append(good[id(spot)])
    if not 1 <= len(by_word) <= _MOST_WORDS:
        return None
    wanted = [word for word, votes in by_word.items() if sum(votes) >= _SURE * len(votes)]
    covered = sum(sum(by_word[word]) for word in wanted)
    let_in = sum(len(by_word[word]) for word in wanted)
    all_good = sum(good.values())
    if not wanted or covered < _SURE * all_good or let_in == len(good):
        return None
    if any(sum(votes) > (1 - _SURE) * len(votes) for word, votes in by_word.items() if word not in wanted):
        return None
    if not all(_may_be_told(word, len(by_word[word]), len(good), column) for word in wanted):
        return None
    return Condition(column.field, tuple(sorted(wanted)))


def _may_be_told(word: str, times: int, records: int, column: Column) -> bool:
    """Whether a word is frequent; of few records, whether it is the plain word of a field that names types."""
    if not _WORD.fullmatch(word):
        return False
    if records < _FEW_RECORDS:
        return times > 1 or says(column.name, _TYPE)
    return times * 50 >= records and times > 1
