"""Counts add, field by field, and what is derived from them is derived from the sums."""

from __future__ import annotations

from typing import Any

import pytest

from openmed_rules.results.counts import ClassCounts, Counts, abstain

FIELDS = [name for name in Counts._fields if name != "classes"]


def counted(*numbers: int, **by_name: int) -> Counts:
    """Counts by position or by name, without classes."""
    return Counts._make((*numbers, {})) if numbers else Counts()._replace(**dict[str, Any](by_name))


@pytest.mark.parametrize("field", FIELDS)
def test_a_count_adds(field: str) -> None:
    assert counted(**{field: 2}).plus(counted(**{field: 3})) == counted(**{field: 5})


def test_no_count_gets_into_another() -> None:
    one = counted(*range(1, len(FIELDS) + 1))
    other = counted(*(100 * number for number in range(1, len(FIELDS) + 1)))

    assert one.plus(other) == other.plus(one) == counted(*(101 * number for number in range(1, len(FIELDS) + 1)))


def test_adding_changes_neither() -> None:
    one, other = (
        Counts(claim=1, classes={"a": ClassCounts(1)}),
        Counts(claim=2, classes={"a": ClassCounts(2)}),
    )

    one.plus(other)

    assert (one.claim, other.claim, one.classes, other.classes) == (
        1,
        2,
        {"a": ClassCounts(1)},
        {"a": ClassCounts(2)},
    )


def test_classes_add_by_label() -> None:
    one = Counts(classes={"a": ClassCounts(1, 2, 3, 4, 5), "b": ClassCounts(claim=1)})
    other = Counts(classes={"a": ClassCounts(10, 20, 30, 40, 50), "c": ClassCounts(fact=1)})

    assert one.plus(other).classes == {
        "a": ClassCounts(11, 22, 33, 44, 55),
        "b": ClassCounts(claim=1),
        "c": ClassCounts(fact=1),
    }
    assert one.plus(Counts()) == Counts().plus(one) == one


def test_what_has_no_class_is_the_rest() -> None:
    counts = Counts(
        claim=10,
        supported_claim=7,
        missing_citation=2,
        valid_evidence_record=8,
        referenced_evidence=5,
        classes={"a": ClassCounts(4, 2, 1, 3, 2)},
    )

    assert counts.by_class() == {"a": ClassCounts(4, 2, 1, 3, 2), None: ClassCounts(6, 1, 1, 5, 1)}
    assert Counts(claim=3, supported_claim=1).by_class() == {None: ClassCounts(claim=3, unsupported_claim=2)}


def test_what_is_derived() -> None:
    counts = Counts(
        claim=10,
        supported_claim=7,
        citation=20,
        valid_citation=15,
        valid_evidence_record=8,
        referenced_evidence=5,
        unknown_id=2,
        unknown_span=1,
    )

    assert (counts.unsupported_claim, counts.invalid_citation, counts.omission, counts.unknown_reference) == (
        3,
        5,
        3,
        3,
    )


def test_to_abstain_takes_what_rests_on_the_evidence_and_leaves_the_rest() -> None:
    counts = counted(*range(1, len(FIELDS) + 1))._replace(classes={"a": ClassCounts(4, 2, 1, 3, 2)})
    gone: dict[str, Any] = {
        "supported_claim": 0,
        "referenced_evidence": 0,
        "classes": {"a": ClassCounts(4, 4, 1, 3, 3)},
    }

    assert abstain(counts) == counts._replace(**gone)
