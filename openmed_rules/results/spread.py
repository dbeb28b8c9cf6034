"""How the ratio of a report is spread over the cases of a run: in tenths, and whole ones by themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from openmed_rules.results.counts import Counts
from openmed_rules.ruleset.model import ReportName

TENTHS = 11
"""0 to under 10 %, 10 to under 20 %, ..., 90 to under 100 %, and 100 %."""

_TENTH: Mapping[ReportName, Callable[[Counts], int]] = {
    "citations": lambda counts: counts.supported_claim * 10 // (counts.claim or 1),
    "coverage": lambda counts: counts.referenced_evidence * 10 // (counts.valid_evidence_record or 1),
}


class Spread:
    """Cases by the tenth of their ratio; a case without claims or without evidence has none, which is 0."""

    def __init__(self, reports: Iterable[ReportName]) -> None:
        """No case yet."""
        self._cases: dict[ReportName, Counter[int]] = {report: Counter() for report in reports}

    def add(self, cases: Iterable[Counts]) -> None:
        """Add cases; integers only, so that no rounding moves one over an edge."""
        for report, tenths in self._cases.items():
            tenths.update(map(_TENTH[report], cases))

    def tenths(self) -> dict[str, list[int]]:
        """By report, how many cases have a ratio in each tenth."""
        return {report: [tenths[number] for number in range(TENTHS)] for report, tenths in self._cases.items()}
