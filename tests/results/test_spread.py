"""A case stands in the tenth of its ratio, and a whole one by itself."""

from __future__ import annotations

import pytest

from openmed_rules.results.counts import Counts
from openmed_rules.results.spread import Spread

TENTHS = [(0, 0, 0), (0, 3, 0), (1, 10, 1), (99, 1000, 0), (999, 1000, 9), (7, 7, 10)]


@pytest.mark.parametrize(("supported", "claims", "tenth"), TENTHS)
def test_a_ratio_stands_in_its_tenth(supported: int, claims: int, tenth: int) -> None:
    spread = Spread(["citations"])

    spread.add([Counts(claim=claims, supported_claim=supported)])

    assert spread.tenths()["citations"].index(1) == tenth


def test_cases_are_counted_for_each_report() -> None:
    spread = Spread(["citations", "coverage"])

    spread.add([Counts(claim=2, supported_claim=1, valid_evidence_record=4, referenced_evidence=4)] * 3)

    assert spread.tenths() == {
        "citations": [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0],
        "coverage": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3],
    }
