"""The page on metrics has every number of the reports, and its example is counted as it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from openmed_rules.api import Rules
from openmed_rules.ruleset.loader import load_rule_text

PAGE = (Path(__file__).parents[1] / "docs" / "metrics.md").read_text(encoding="utf-8")


def example() -> tuple[Rules, dict[str, object], dict[str, dict[str, float]]]:
    (rules,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    summary, said = re.findall(r"^```json\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    return Rules(load_rule_text(rules).rules), json.loads(summary), json.loads(said)


def test_every_metric_is_explained_in_the_order_of_the_reports() -> None:
    rules, summary, _ = example()
    result = rules.check(summary)
    assert result.citations is not None
    assert result.coverage is not None

    assert re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE) == [*result.citations, *result.coverage]


def test_the_example_is_counted_as_it_says() -> None:
    rules, summary, said = example()
    result = rules.check(summary).to_dict()

    for report, metrics in said.items():
        counted = result[report]
        assert isinstance(counted, dict)
        assert {name: round(counted[name], 3) for name in metrics} == metrics
