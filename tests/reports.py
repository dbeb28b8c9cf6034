"""Reports that the tests of the formats show: one of each kind, and one whose names mean harm."""

from __future__ import annotations

from datetime import date

from msgspec.structs import replace

from openmed_rules.results.baseline import BaselineCheck, Drift, RatioLine, Share, Slack
from openmed_rules.results.places import Place, Position, Unreadable
from openmed_rules.results.report import CaseTotals, Metrics, ReasonLine, Report, RulesInfo, WaiverLine
from openmed_rules.ruleset.model import NOTHING, Policy, Tolerance, Tolerances, Waiver

DAY = date(2027, 1, 31)


def citations(*, supported: int, claims: int, fail_closed: bool = False) -> Metrics:
    return {
        "coverage": 0.0 if fail_closed else supported / claims,
        "claim_count": claims,
        "supported_claim_count": supported,
        "unsupported_claim_count": claims - supported,
        "fail_closed": fail_closed,
    }


def coverage(*, cited: int, facts: int) -> Metrics:
    return {
        "recall": cited / facts,
        "source_fact_count": facts,
        "cited_fact_count": cited,
        "omission_count": facts - cited,
        "fail_closed": False,
    }


PASSED = Report(
    rules=RulesInfo("discharge-notes", 1, "4f1c2a9e" * 8),
    reads_text=False,
    verdict="passed",
    reasons=(),
    cases=CaseTotals(total=3, passed=3, failed=0, unreadable=0),
    citations=citations(supported=39, claims=39),
    coverage=coverage(cited=12, facts=12),
    tolerated={},
    joined={"claims": 0, "evidence": 0},
    orphan_citations=0,
)

REPORTS = {
    "passed": PASSED,
    "failed": replace(
        PASSED,
        verdict="failed",
        reasons=("missing_source_record", "unknown_citation", "no_citations", "unreadable_case"),
        cases=CaseTotals(total=24, passed=1, failed=1, unreadable=22),
        citations=citations(supported=2071, claims=2072),
        coverage=coverage(cited=1, facts=12),
        tolerated={"duplicate_citation": 2},
        joined={"claims": 0, "evidence": 3},
        orphan_citations=1,
        lines=(
            ReasonLine("citations", "missing_source_record", 1, 41, "0", failed=True),
            ReasonLine("citations", "duplicate_citation", 2, 41, "5%", failed=False),
            ReasonLine("citations", "invalid_source_evidence", 0, 12, "any", failed=False),
            ReasonLine("coverage", "unknown_citation", 1, 41, "0", failed=True),
            ReasonLine("run", "no_citations", 1, None, "0", failed=True),
        ),
        positions=(
            Position(Place("notes.jsonl", 2), 2, "missing_source_record", claim=4, citation=1),
            Position(Place("b.json"), 1, "invalid_source_evidence", record=7),
        ),
        positions_left=3,
        unreadable=tuple(Unreadable(Place("c.jsonl.gz", line), "OMR-604") for line in range(1, 22)),
        classes={
            "allergy": {"claim": 0, "unsupported_claim": 0, "fact": 4, "omission": 3},
            "medication": {"claim": 2000, "unsupported_claim": 1, "fact": 8, "omission": 8},
            "problem": {"claim": 72, "unsupported_claim": 0, "fact": 0, "omission": 0},
        },
        left_out={"claims": 3, "citations": 0},
        locators={"claims.records": {"tried": 3, "found": 41}, "evidence.id[1]": {"tried": 3, "found": 0}},
        policy=Policy(
            tolerate=(
                ("duplicate_citation", Tolerances(Tolerance(parts=5, whole=100))),
                ("omitted_source_fact", Tolerances(Tolerance(count=1), (("allergy", NOTHING),))),
            ),
            failed_cases=Tolerance(count=1),
        ),
        rule_lines={"missing_source_record": Place("team/rules.yaml", 9), "unknown_citation": Place("rules.yaml", 4)},
    ),
    "let_be": replace(
        PASSED,
        lines=(
            ReasonLine("citations", "invalid_citation", 2, 41, "0", failed=False, waived=2),
            ReasonLine("coverage", "omitted_source_fact", 3, 12, "0", failed=False, warned=3),
        ),
        warnings={"omitted_source_fact": 3},
        waived={"invalid_citation": 2},
        waivers=(
            WaiverLine("invalid_citation", DAY, "the export is mended", "team-a", "used", expires_soon=True, waived=2),
            WaiverLine("no_claims", DAY, "old notes", "team-b", "unused", expires_soon=False, waived=0),
        ),
        baseline=BaselineCheck(
            "baseline.json",
            Slack("1%", 20, "10%"),
            (
                RatioLine("citations.coverage", Share(38, 39), Share(39, 39), "better"),
                RatioLine("coverage.recall", Share(9, 12), None, "not_held"),
                RatioLine("classes.allergy.recall", Share(3, 4), Share(4, 4), "better", withheld=True),
            ),
            (Drift("evidence.id", "is found less often", Share(12, 12), Share(6, 12)),),
        ),
        report_only=True,
        policy=Policy(
            warn=(("omitted_source_fact", Tolerances(Tolerance(any=True))),),
            waivers=(Waiver("invalid_citation", DAY, "the export is mended", "team-a"),),
            per="batch",
            malformed="ignore",
            spans="inside",
            unavailable="count",
        ),
        rule_lines={"invalid_citation": Place("rules.yaml", 4), "omitted_source_fact": Place("rules.yaml", 12)},
    ),
    "reads_text": replace(PASSED, reads_text=True, coverage=None),
    "fails_closed": replace(
        PASSED,
        verdict="failed",
        reasons=("missing_source_evidence",),
        cases=CaseTotals(total=1, passed=0, failed=1, unreadable=0),
        citations=citations(supported=0, claims=3, fail_closed=True),
        coverage=None,
        lines=(ReasonLine("citations", "missing_source_evidence", 1, 1, "0", failed=True),),
    ),
    "not_evaluated": replace(
        PASSED,
        verdict="not_evaluated",
        reasons=("unreadable_case",),
        cases=CaseTotals(total=1, passed=0, failed=0, unreadable=1),
        citations=None,
        coverage=None,
        unreadable=(Unreadable(Place("a.json"), "OMR-602"),),
    ),
}


FORGERIES = [
    "a|b",
    "a\n| verdict | passed |",
    "`a`",
    "``",
    "a` | `b",
    "<img src=x onerror=alert(1)>",
    "</summary></details>",
    "**passed**",
    "\\",
    "a\\",
    " a ",
    "\x1b[32mpassed\x1b[0m",
    "\u202edessap",
    "a\u2028b",
    "\udcff",
    "@everyone #1 [x](y)",
]


def forged(name: str) -> Report:
    return replace(
        REPORTS["failed"],
        rules=RulesInfo(name, 1, "0" * 64),
        positions=(Position(Place(name, 2), 2, "missing_source_record"),),
        unreadable=(Unreadable(Place(name), "OMR-604"),),
        classes={name: {"claim": 1, "unsupported_claim": 1, "fact": 0, "omission": 0}},
        left_out={name: 1},
        locators={name: {"tried": 1, "found": 0}},
    )


def hostile_names_of(name: str) -> Report:
    """A report in which every name that somebody else chose is ``name``."""
    return replace(
        forged(name),
        waivers=(WaiverLine("no_claims", DAY, name, name, "used", expires_soon=False, waived=1),),
        lines=(
            ReasonLine("citations", "missing_source_record", 1, 41, f"0, {name} 1", failed=True),
            ReasonLine("citations", "no_claims", 1, 41, "0", failed=False, waived=1),
        ),
        rule_lines={"missing_source_record": Place(name, 3)},
    )
