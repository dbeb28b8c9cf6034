"""Several baselines show the way to a run; one is no way."""

from __future__ import annotations

from judged import judge
from openmed_rules.formats.html import render_html
from openmed_rules.results.baseline import Baseline, Share, Slack
from openmed_rules.results.holding import with_trend


def baseline(part: int) -> Baseline:
    return Baseline("small", "0" * 64, Slack(), {"citations.coverage": Share(part, 4)}, {}, ())


REPORT = judge("", {"claims": [{"citations": ["e1"]}], "evidence": ["e1"]})


def test_baselines_lead_to_the_run() -> None:
    report = with_trend(REPORT, [(baseline(1), "may.json"), (baseline(3), "june.json")])

    way = [(point.name, point.ratios["citations.coverage"].to_dict()) for point in report.trend]
    assert way == [
        ("may.json", {"part": 1, "whole": 4}),
        ("june.json", {"part": 3, "whole": 4}),
        ("this run", {"part": 1, "whole": 1}),
    ]
    page = render_html(report)
    assert page.count('<polyline class="way"') == 2
    assert "25.0% (1/4)" in page


def test_one_baseline_is_no_way() -> None:
    assert with_trend(REPORT, [(baseline(1), "may.json")]).trend == ()
    assert "<polyline" not in render_html(REPORT)
