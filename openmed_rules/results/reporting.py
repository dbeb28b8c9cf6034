"""A tally to the report of its run: ratios, verdict and reasons, made once and at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from openmed_rules.results.counts import ClassCounts
from openmed_rules.results.gate import LetBy
from openmed_rules.results.report import CaseTotals, Metrics, ReasonLine, Report, RulesInfo, VerdictWord
from openmed_rules.results.tally import Tally
from openmed_rules.results.waivers import PARENTS, waiver_lines
from openmed_rules.ruleset.model import ReportName, Tolerance, Waiver

TOLERATED_AS = {
    "duplicate_source_fact": "duplicate_source_evidence",
    "missing_summary_citation": "missing_citation",
    "unknown_citation": "invalid_citation",
    "unsupported_summary_fact": "unsupported_claim",
}
"""The coverage report's names by the reason whose tolerance they take."""


def make_report(
    tally: Tally,
    locators: Mapping[str, Mapping[str, int]] | None = None,
    waivers: Sequence[Waiver] = (),
    today: date | None = None,
) -> Report:
    """The report of a run whose cases have all been added.

    ``locators``: by path in the rule file, how often a locator was tried, how much it found, and what.
    ``waivers``: those of the rule file, also where they are no longer in force ``today``.
    """
    tally.close()
    rules = tally.rules
    run_reasons = _run_reasons(tally)
    verdict = _verdict(tally, run_reasons)
    waived = _let_be(tally, "waivers")
    positions, positions_left = tally.positions()
    reports = {name: _failing(tally, name, run_reasons) for name in rules.reports}
    return Report(
        rules=RulesInfo(rules.name, rules.version, rules.sha256, rules.measure_sha256),
        reads_text=rules.reads_text,
        verdict=verdict,
        reasons=_all_reasons(reports, tally) if verdict == "failed" else (),
        cases=CaseTotals(
            total=tally.total,
            passed=tally.judged - tally.failed,
            failed=tally.failed,
            unreadable=tally.unreadable_count,
        ),
        citations=_citations(tally, reports["citations"]) if "citations" in reports else None,
        coverage=_coverage(tally, reports["coverage"]) if "coverage" in reports else None,
        tolerated=_let_be(tally, "tolerate"),
        warnings=_let_be(tally, "warn"),
        waived=waived,
        waivers=waiver_lines(waivers, today, waived) if today is not None else (),
        joined={"evidence": tally.counts.joined_evidence, "claims": tally.counts.joined_claims},
        orphan_citations=tally.counts.orphan_citation,
        lines=_lines(tally, run_reasons),
        positions=tuple(positions),
        positions_left=positions_left,
        unreadable=tuple(tally.unreadable),
        classes={label: _of_class(of_class) for label, of_class in sorted(tally.counts.classes.items())},
        unclassed=_unclassed(tally),
        distribution=tally.spread.tenths(),
        left_out={
            "claims": tally.counts.left_out_claims,
            "citations": tally.counts.left_out_citations,
            "evidence": tally.counts.left_out_evidence,
        },
        locators=None if locators is None else {path: dict(counts) for path, counts in sorted(locators.items())},
        policy=rules.policy,
    )


def case_verdict(tally: Tally) -> tuple[VerdictWord, tuple[str, ...]]:
    """How the cases of ``tally`` end by themselves, and why: what only a run fails for, or lets be, is left aside."""
    tally.close()
    reasons = _all_reasons({report: _failing(tally, report, ()) for report in tally.rules.reports}, tally)
    if not tally.judged:
        return "not_evaluated", reasons
    return ("failed" if reasons else "passed"), reasons


def _run_reasons(tally: Tally) -> tuple[str, ...]:
    """What fails the run and no case of it: claims, and not one citation for any of them."""
    return ("no_citations",) if _lacks_citations(tally) and not tally.limits.own("no_citations") else ()


def _lacks_citations(tally: Tally) -> bool:
    counts = tally.counts
    return counts.claim > 0 and not counts.citation and not counts.orphan_citation


def _verdict(tally: Tally, run_reasons: tuple[str, ...]) -> VerdictWord:
    if not tally.judged:
        return "not_evaluated"
    if tally.unreadable_count or run_reasons or not _cases_hold(tally):
        return "failed"
    return "passed"


def _cases_hold(tally: Tally) -> bool:
    """Whether no more cases failed than may; where the sums decide, none may."""
    if tally.limits.per_batch:
        return not tally.failed_reports
    return tally.limits.failed_cases.holds(tally.failed, tally.total)


def _failing(tally: Tally, report: ReportName, run_reasons: tuple[str, ...]) -> list[str]:
    failing = [reason for (name, reason), outcome in tally.outcomes.items() if name == report and outcome.failed]
    return sorted((*failing, *run_reasons))


def _all_reasons(reports: dict[ReportName, list[str]], tally: Tally) -> tuple[str, ...]:
    reasons = {reason for failing in reports.values() for reason in failing}
    return tuple(sorted(reasons | ({"unreadable_case"} if tally.unreadable_count else set())))


def _end(tally: Tally, report: ReportName, failing: list[str]) -> Metrics:
    """How a report ends: it passes where it fails no case, or where no more cases fail, by any report, than may."""
    held = report not in tally.failed_reports or _cases_hold(tally)
    passed = held and tally.judged > 0 and not tally.unreadable_count and not _run_reasons(tally)
    return {"passed": passed, "failure_reasons": [] if passed else failing}


def _ratio(part: int, whole: int, available: bool) -> float:
    return part / whole if whole and available else 0.0


def _citations(tally: Tally, failing: list[str]) -> Metrics:
    counts, available = tally.counts, _available(tally)
    vacuous = not counts.claim and tally.limits.letting("no_claims") == "tolerate" and tally.judged > 0
    coverage = _ratio(counts.supported_claim, counts.claim, available)
    return {
        "coverage": float(available) if vacuous else coverage,
        "abstention_rate": counts.unsupported_claim / counts.claim if counts.claim else float(not vacuous),
        "evidence_coverage": _ratio(counts.referenced_evidence, counts.valid_evidence_record, available),
        "claim_count": counts.claim,
        "supported_claim_count": counts.supported_claim,
        "unsupported_claim_count": counts.unsupported_claim,
        "abstention_count": counts.unsupported_claim,
        "citation_count": counts.citation,
        "valid_citation_count": counts.valid_citation,
        "invalid_citation_count": counts.invalid_citation,
        "duplicate_citation_count": counts.duplicate_citation,
        "missing_citation_count": counts.missing_citation,
        "missing_source_record_count": counts.missing_source_record,
        "unavailable_span_count": counts.unavailable_span,
        "evidence_record_count": counts.evidence_record,
        "valid_evidence_record_count": counts.valid_evidence_record,
        "invalid_evidence_record_count": counts.invalid_evidence_record,
        "duplicate_evidence_record_count": counts.duplicate_evidence_record,
        "referenced_evidence_count": counts.referenced_evidence,
        "source_evidence_available": available,
        "fail_closed": not available,
        **_end(tally, "citations", failing),
    }


def _coverage(tally: Tally, failing: list[str]) -> Metrics:
    counts, available = tally.counts, _available(tally)
    return {
        "recall": _ratio(counts.referenced_evidence, counts.valid_evidence_record, available),
        "source_fact_count": counts.valid_evidence_record,
        "summary_fact_count": counts.claim,
        "cited_fact_count": counts.referenced_evidence,
        "omission_count": counts.omission,
        "unsupported_fact_count": counts.unsupported_claim,
        "invalid_citation_count": counts.unknown_reference,
        "missing_citation_count": counts.claim_without_reference,
        "invalid_source_fact_count": counts.invalid_evidence_record,
        "duplicate_source_fact_count": counts.duplicate_evidence_record,
        "source_evidence_count": counts.evidence_record,
        "source_evidence_available": available,
        "fail_closed": not available,
        **_end(tally, "coverage", failing),
    }


def _available(tally: Tally) -> bool:
    """A batch is available where every case of it is."""
    return tally.judged > 0 and not tally.lacks_evidence


def _let_be(tally: Tally, let_by: LetBy) -> dict[str, int]:
    """What a part of the policy let be, by the reason that it names; the larger of the two reports' counts."""
    let_be: dict[str, int] = {}
    for (_, reason), outcome in tally.outcomes.items():
        if amount := outcome.let_be[let_by]:
            name = TOLERATED_AS.get(reason, reason)
            let_be[name] = max(amount, let_be.get(name, 0))
    if let_by != "tolerate" and _lacks_citations(tally) and tally.limits.letting("no_citations") == let_by:
        let_be["no_citations"] = tally.counts.claim
    return dict(sorted(let_be.items()))


def _unclassed(tally: Tally) -> dict[str, int]:
    """The counts of what could have a class and has none; nothing where the rules tell no class."""
    counts, rules = tally.counts.by_class()[None], tally.rules
    if all(claims.class_rule is None for claims in rules.claims):
        counts = counts._replace(claim=0, unsupported_claim=0)
    if all(evidence.class_rule is None for evidence in rules.evidence):
        counts = counts._replace(fact=0, omission=0)
    return _of_class(counts)


def _of_class(counts: ClassCounts) -> dict[str, int]:
    return {
        "claim": counts.claim,
        "unsupported_claim": counts.unsupported_claim,
        "fact": counts.fact,
        "omission": counts.omission,
    }


def _lines(tally: Tally, run_reasons: tuple[str, ...]) -> tuple[ReasonLine, ...]:
    lines = [
        ReasonLine(
            report,
            reason,
            outcome.found,
            _of(tally, reason),
            _limit(tally, reason),
            failed=outcome.failed,
            warned=outcome.let_be["warn"],
            waived=outcome.let_be["waivers"],
        )
        for (report, reason), outcome in sorted(tally.outcomes.items())
    ]
    lines += (ReasonLine("run", reason, tally.counts.claim, None, "0", failed=True) for reason in run_reasons)
    if _lacks_citations(tally) and (let_by := tally.limits.letting("no_citations")) in {"warn", "waivers"}:
        claims = tally.counts.claim
        warned, waived = (claims, 0) if let_by == "warn" else (0, claims)
        lines.append(ReasonLine("run", "no_citations", claims, None, "0", failed=False, warned=warned, waived=waived))
    if tally.unreadable_count:
        lines.append(ReasonLine("run", "unreadable_case", tally.unreadable_count, tally.total, "0", True))
    return tuple(lines)


def _of(tally: Tally, reason: str) -> int:
    """Of how many something was found: what a percentage of ``reason`` is of, over all cases."""
    counts = tally.counts
    name = TOLERATED_AS.get(reason, reason)
    if name in {"unsupported_claim", "missing_citation"}:
        return counts.claim
    if reason == "unknown_citation":
        return counts.reference
    if name in {"invalid_source_evidence", "duplicate_source_evidence"}:
        return counts.evidence_record
    if name == "omitted_source_fact":
        return counts.valid_evidence_record
    if name in {"missing_source_evidence", "no_claims"}:
        return tally.judged
    return counts.citation + (counts.orphan_citation if name == "orphan_citation" else 0)


def _limit(tally: Tally, reason: str) -> str:
    """What is tolerated of ``reason``, as the rule file writes it."""
    name = TOLERATED_AS.get(reason, reason)
    tolerate = dict(tally.rules.policy.tolerate)
    entry = tolerate.get(name) or tolerate.get(PARENTS.get(name, ""))
    if entry is None:
        return "0"
    words = [
        tolerance_words(entry.default),
        *(f"{label} {tolerance_words(tolerance)}" for label, tolerance in entry.classes),
    ]
    return ", ".join(words)


def tolerance_words(tolerance: Tolerance) -> str:
    """A tolerance as the rule file writes it: ``0``, ``5%``, ``any``."""
    if tolerance.any:
        return "any"
    if tolerance.whole:
        return f"{(Decimal(tolerance.parts) * 100 / tolerance.whole).normalize():f}%"
    return str(tolerance.count)
