"""How the ratio of a report is spread over the cases of a run: in tenths, and whole ones by themselves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from operator import add, attrgetter

from openmed_rules.results.counts import Counts
from openmed_rules.ruleset.model import ReportName

TENTHS = 11
"""0 to under 10 %, 10 to under 20 %, ..., 90 to under 100 %, and 100 %."""

_RATIOS: Mapping[ReportName, Callable[[Counts], tuple[int, int]]] = {
    "citations": attrgetter("supported_claim", "claim"),
    "coverage": attrgetter("referenced_evidence", "valid_evidence_record"),
}
"""Of each report, the part and the whole."""


class Spread:
    """Cases by the tenth of their ratio; a case without claims or without evidence has none, which is 0."""

    def __init__(self, reports: Iterable[ReportName]) -> None:
        """No case yet."""
        self._cases: dict[ReportName, list[int]] = {report: [0] * TENTHS for report in reports}

    def add(self, cases: Collection[Counts]) -> None:
        """Add cases; integers only, so that no rounding moves one over an edge."""
        for report, tenths in self._cases.items():
            for part, whole in map(_RATIOS[report], cases):
                tenths[part * 10 // (whole or 1)] += 1

    def extend(self, other: Spread) -> None:
        """Add the cases of another run under the same rules."""
        for report, tenths in self._cases.items():
            self._cases[report] = list(map(add, tenths, other._cases[report]))

    def tenths(self) -> dict[str, list[int]]:
        """By report, how many cases have a ratio in each tenth."""
        return {report: list(tenths) for report, tenths in self._cases.items()}
