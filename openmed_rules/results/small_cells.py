"""Small cells: which counts by class are not shown, so that an aggregate does not point at one person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from openmed_rules.results.baseline import Share

MIN_CELL = 11
"""The smallest count by class that is shown, 0 aside; 1 shows every one of them."""

Label: TypeAlias = "str | None"
"""A class; None is what has no class, which anybody can compute from a total and the classes that are shown."""


class Withheld(NamedTuple):
    """The classes of which the whole is not shown, and those of which the part is not."""

    wholes: frozenset[str]
    parts: frozenset[str]


def withheld(shares: Mapping[str, Share], rest: Share, least: int) -> Withheld:
    """What of ``shares`` by class is not shown, beside a total that is. ``rest``: what of the total has no class.

    A whole of 1 to ``least`` - 1 is not, nor a part that is so small or that leaves so little of its whole. Where
    what is hidden is still so small in sum, anybody can compute it, and the next smallest is hidden too; where all
    of them are too few, nothing by class is shown, 0 neither.
    """
    cells = dict[Label, Share]([(None, rest), *shares.items()])
    some = [label for label, share in shares.items() if share.whole]

    def is_small(count: int) -> bool:
        return 0 < count < least

    def grown(hidden: set[Label], smallest_first: Iterable[str], *counts: Callable[[Share], int]) -> set[Label]:
        """``hidden`` with as many more as it takes; what has no class is never shown."""
        if not hidden:
            return hidden
        hidden |= {None}
        for label in (*smallest_first, None):
            if not any(is_small(sum(count(cells[one]) for one in hidden)) for count in counts):
                return hidden
            hidden |= {label}
        return set(cells)

    small_wholes = {label for label, cell in cells.items() if is_small(cell.whole)}
    wholes = grown(small_wholes, sorted(some, key=lambda label: (shares[label].whole, label)), _whole)
    small_parts = {label for label, cell in cells.items() if is_small(cell.part) or is_small(_left(cell))}
    by_part = sorted(some, key=lambda label: (not shares[label].part, *shares[label], label))
    parts = grown(wholes | small_parts, by_part, _part, _left)
    if parts == cells.keys() and len(some) + (rest.whole > 0) == 1:
        wholes = set(cells)
    if any(cells[label].part for label in parts):
        parts -= {label for label, cell in cells.items() if not cell.whole and label not in wholes}  # a 0 of nothing
    else:
        parts = set()  # each of them is 0, as anybody can tell
    return Withheld(*(frozenset(label for label in hidden if label is not None) for hidden in (wholes, parts)))


def _whole(cell: Share) -> int:
    return cell.whole


def _part(cell: Share) -> int:
    return cell.part


def _left(cell: Share) -> int:
    return cell.whole - cell.part


# --- the counts by class of a report ------------------------------------------------------------------

SIDES = (("claim", "unsupported_claim"), ("fact", "omission"))
"""The counts of a class: each whole, and the part of it that is told."""


def shown_classes(
    classes: Mapping[str, Mapping[str, int]], unclassed: Mapping[str, int], least: int
) -> dict[str, dict[str, int | None]]:
    """The counts of each class, None where one is not shown. ``unclassed``: those of what has no class."""
    shown: dict[str, dict[str, int | None]] = {label: dict(counts) for label, counts in classes.items()}
    for whole, part in SIDES:
        hidden = withheld(
            {label: Share(counts[part], counts[whole]) for label, counts in classes.items()},
            Share(unclassed.get(part, 0), unclassed.get(whole, 0)),
            least,
        )
        for label, counts in shown.items():
            counts |= {name: None for name, labels in zip((whole, part), hidden, strict=True) if label in labels}
    return shown
