"""Small counts by class: none is shown, and none can be computed; the gate decides on the true ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from judged import judge
from openmed_rules.formats import FORMATS
from openmed_rules.results.baseline import Baseline, Share, Slack
from openmed_rules.results.holding import hold_against, ratios_of
from openmed_rules.results.small_cells import MIN_CELL, shown_classes, withheld

NONE = Share(0, 0)
OF_CELL = {
    "whole": lambda cell: cell.whole,
    "part": lambda cell: cell.part,
    "left": lambda cell: cell.whole - cell.part,
}


def test_the_published_limit_is_the_default() -> None:
    assert judge("", {"claims": []}).min_cell == MIN_CELL == 11


# Each class with the part and the whole of it, and what is shown of them: `-` is withheld.
SHOWN = {
    "enough of everything": ("a 20/40 b 30/50", "a 20/40 b 30/50"),
    "nothing at all": ("a 0/0 b 0/40", "a 0/0 b 0/40"),
    "one short of enough": ("a 0/10 b 0/40 c 0/50", "a 0/- b 0/- c 0/50"),
    "just enough": ("a 0/11 b 0/40", "a 0/11 b 0/40"),
    "a small part": ("a 3/40 b 20/50 c 30/60", "a -/40 b -/50 c 30/60"),
    "a part that leaves little": ("a 38/40 b 20/50 c 30/60", "a -/40 b -/50 c 30/60"),
    "a small whole hides its part, and the smallest other one": ("a 2/5 b 20/40 c 25/60", "a -/- b -/- c 25/60"),
    "few that are hidden together": ("a 0/2 b 0/3 c 0/50 d 0/60", "a 0/- b 0/- c 0/- d 0/60"),
    "all together are few": ("a 1/2 b 0/3 c 0/0", "a -/- b -/- c -/-"),
    "all of the parts are few": ("a 1/40 b 0/50", "a -/40 b -/50"),
    "one class holds everything": ("a 3/40 b 0/0", "a -/- b -/-"),
    "the smallest that has something": ("a 0/5 b 0/60 c 0/40 d 0/0", "a 0/- b 0/60 c 0/- d 0/0"),
    "a small part hides the smallest other part": ("a 3/40 b 0/50 c 20/60 d 30/60", "a -/40 b 0/50 c -/60 d 30/60"),
    "parts that leave few together": ("a 38/40 b 12/12 c 20/60 d 30/60", "a -/40 b -/12 c -/60 d 30/60"),
    "the part of a hidden whole": ("a 2/5 b 15/20 c 12/60 d 40/80", "a -/- b -/- c -/60 d 40/80"),
    "parts that are wholes": ("a 5/5 b 40/40 c 50/50", "a -/- b -/- c 50/50"),
    "a part of nothing": ("a 1/40 b 0/50 c 0/0", "a -/40 b -/50 c 0/0"),
    "few of one class, and nothing else": ("a 0/40 b 0/0 None 1/4", "a -/- b 0/0"),
    "nothing of any class": ("a 0/0 b 0/0 None 3/40", "a -/- b -/-"),
    "what has no class is small": ("a 0/40 b 0/50 None 0/4", "a 0/- b 0/50"),
    "what has no class is enough to hide among": ("a 0/4 b 0/50 None 0/30", "a 0/- b 0/50"),
}


def cells(text: str) -> dict[str | None, Share]:
    words = text.split()
    pairs = zip(words[::2], words[1::2], strict=True)
    return {None if label == "None" else label: Share(*map(int, cell.split("/"))) for label, cell in pairs}


@pytest.mark.parametrize(("found", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_is_shown(found: str, shown: str) -> None:
    assert as_shown(cells(found), 11) == shown


def as_shown(found: Mapping[str | None, Share], least: int) -> str:
    named = {label: cell for label, cell in found.items() if label is not None}
    hidden = withheld(named, found.get(None, NONE), least)
    return " ".join(
        f"{label} {'-' if label in hidden.parts else cell.part}/{'-' if label in hidden.wholes else cell.whole}"
        for label, cell in named.items()
    )


def test_one_who_knows_the_rule_cannot_tell_a_small_count() -> None:
    """Of all tables of one size: those that are shown alike differ in every cell that is small in one of them."""
    every = [Share(part, whole) for whole in range(6) for part in range(whole + 1)]
    alike = defaultdict(list)
    for a, b, rest in product(every, repeat=3):
        found = {"a": a, "b": b, None: rest}
        total = tuple(map(sum, zip(a, b, rest, strict=True)))
        if total[1] <= 5:  # so that every table that is shown alike is among them
            alike[total, as_shown(found, 3)].append(found)

    assert len(alike) > 50
    assert [name for tables in alike.values() for name in told_exactly(tables, 3)] == []


def told_exactly(tables: list[dict[str | None, Share]], least: int) -> Iterator[str]:
    """The cells that are small, and the same in each of ``tables``."""
    for label, (name, of) in product(tables[0], OF_CELL.items()):
        counts = {of(table[label]) for table in tables}
        if len(counts) == 1 and 0 < min(counts) < least:
            yield f"{label}: {name} is {min(counts)}: {tables[0]}"


CELL = st.integers(0, 60).flatmap(lambda whole: st.builds(Share, st.integers(0, whole), st.just(whole)))


@given(st.dictionaries(st.sampled_from("abcdef"), CELL, min_size=1), CELL, st.integers(1, 25))
def test_what_is_hidden_together_is_not_small(named: dict[str, Share], rest: Share, least: int) -> None:
    hidden = withheld(named, rest, least)
    lefts = hidden.wholes | hidden.parts
    for labels, of in ((hidden.wholes, "whole"), (hidden.parts, "part"), (lefts, "left")):
        apart = OF_CELL[of](rest) + sum(OF_CELL[of](named[label]) for label in labels)
        few = 0 < apart < least
        assert not few or labels >= {label for label, cell in named.items() if cell.whole}
        assert [label for label in named.keys() - labels if 0 < OF_CELL[of](named[label]) < least] == []


@given(st.dictionaries(st.sampled_from("abcdef"), CELL), CELL)
def test_one_shows_all(named: dict[str, Share], rest: Share) -> None:
    assert withheld(named, rest, 1) == (frozenset(), frozenset())


# --- in a report --------------------------------------------------------------------------------------

BY_CLASS = """
claims: {records: $.claims, class: {path: kind, labels: [allergy, drug]}}
evidence: {records: $.evidence, id: id, class: {path: kind, labels: [allergy, drug]}}
"""


def case(**cited_of: tuple[int, int]) -> dict[str, Any]:
    """A case with so many claims and facts of each kind, of which the first are cited and supported."""
    known = [(f"{kind}{n}", kind, n < cited) for kind, (cited, of) in cited_of.items() for n in range(of)]
    return {
        "claims": [{"kind": kind, "citations": [name] if cited else []} for name, kind, cited in known],
        "evidence": [{"id": name, "kind": kind} for name, kind, _ in known],
    }


SMALL = case(allergy=(40, 43), drug=(30, 60))


def test_every_output_withholds_what_the_report_holds() -> None:
    few = judge(BY_CLASS, SMALL)
    all_of_it = replace(few, min_cell=1)
    recorded = Baseline("r", "", Slack(), ratios_of(few), {})
    held = {"withheld": hold_against(few, recorded, "b.json"), "shown": hold_against(all_of_it, recorded, "b.json")}

    assert few.classes["allergy"] == {"claim": 43, "unsupported_claim": 3, "fact": 43, "omission": 3}
    assert few.to_dict()["classes"] == {
        label: {"claim": whole, "unsupported_claim": None, "fact": whole, "omission": None}
        for label, whole in (("allergy", 43), ("drug", 60))
    }
    assert all_of_it.to_dict()["classes"] == few.classes
    texts = {name: [render(report) for report in held.values()] for name, render in FORMATS.items()}
    assert {name for name, (without, whole) in texts.items() if without != whole} == {"text", "json", "html", "csv"}
    assert [name for name, (without, _) in texts.items() if "40/43" in without] == []
    rows = [next(line for line in text.splitlines() if "allergy.recall" in line).split() for text in texts["text"]]
    assert rows == [
        ["classes.allergy.recall", "recorded", "withheld", "withheld", "same"],
        ["classes.allergy.recall", "recorded", "93.0%", "(40/43)", "93.0%", "(40/43)", "same"],
    ]


def test_a_side_without_a_class_is_no_breakdown() -> None:
    rules = BY_CLASS.replace("claims: {records: $.claims, class: {path: kind, labels: [allergy, drug]}}", "")

    assert judge(rules, case(allergy=(3, 4), drug=(30, 60))).shown_classes() == {
        "allergy": {"claim": 0, "unsupported_claim": 0, "fact": None, "omission": None},
        "drug": {"claim": 0, "unsupported_claim": 0, "fact": None, "omission": None},
    }


def test_the_verdict_knows_what_is_withheld() -> None:
    def verdict(allergies: int) -> str:
        tolerate = f"unsupported_claim: any, omitted_source_fact: {{default: any, allergy: {allergies}}}"
        report = judge(f"{BY_CLASS}policy: {{tolerate: {{{tolerate}}}}}", SMALL)
        assert report.shown_classes()["allergy"]["omission"] is None
        return report.verdict

    assert (verdict(2), verdict(3)) == ("failed", "passed")


def test_a_ratio_that_was_of_too_few_is_withheld_though_it_no_longer_is() -> None:
    before = {
        "coverage.recall": Share(85, 103),
        "classes.allergy.recall": Share(0, 4),
        "classes.drug.recall": Share(25, 39),
        "classes.other.recall": Share(60, 60),
    }
    now = judge(BY_CLASS, case(allergy=(40, 40), drug=(60, 60)))
    held = hold_against(now, Baseline("r", "", Slack(), before, {}), "b.json").baseline

    assert held is not None
    assert {line.name for line in held.lines if line.withheld} == {"classes.allergy.recall", "classes.drug.recall"}


def test_counts_of_which_nothing_is_known_besides() -> None:
    counts = {"claim": 40, "unsupported_claim": 12, "fact": 4, "omission": 0}

    assert shown_classes({"a": counts}, {}, 11) == {"a": {**counts, "fact": None}}
