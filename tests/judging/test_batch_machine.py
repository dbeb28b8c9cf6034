"""A batch that grows step by step, held against a count kept beside it: as documents, and as files by a run."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from datetime import date
from pathlib import Path
from shutil import rmtree

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from judged import TODAY, rule_set
from openmed_rules.gates.runs import Run
from openmed_rules.judging.batch import judge_batch
from openmed_rules.results.report import Report
from openmed_rules.running.files import find_files
from openmed_rules.running.reading import read_documents
from samples import RULES, case

STEPS = int(os.environ.get("OPENMED_RULES_EXAMPLES", "15"))
POSITIONS = 3
"""Few, so that the rest of a batch is added up many at once."""

GOOD, UNKNOWN, TWICE = case("f1"), case("f1", "f404"), case("f1", "f1")
ROTTEN = [b"{", b"[1, 2", b'{"claims": "\xff"}', b"nothing", b'{"claims": NaN}', b"[" * 5000]
POLICIES = {"": (1, 1), "policy: {tolerate: {duplicate_citation: any}}": (1, 0), "policy: {failed_cases: 100%}": (0, 0)}
"""Policies, and the codes that an unknown and a repeated citation end with."""


class Batch(RuleBasedStateMachine):
    """Cases, lines that are none, and files that hold nothing, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.files: list[list[bytes]] = [[]]
        self.good = self.unknown = self.twice = self.rotten = 0
        self.got_worse = self.was_whole = self.passed_before = False

    def teardown(self) -> None:
        rmtree(self.place)

    @initialize(policy=st.sampled_from(list(POLICIES)))
    def begin(self, policy: str) -> None:
        self.rules = rule_set(f"{RULES}{policy}")
        self.code_of_unknown, self.code_of_twice = POLICIES[policy]

    def _add(self, line: bytes, times: int = 1) -> None:
        self.got_worse, self.was_whole = False, not self._empty
        self.files[-1] += [line] * times

    @rule(times=st.sampled_from([1, 2, 20]))
    def add_good_cases(self, times: int) -> None:
        self._add(json.dumps(GOOD).encode(), times)
        self.good += times

    @rule(times=st.sampled_from([1, 2, 20]))
    def add_cases_with_an_unknown_citation(self, times: int) -> None:
        self._add(json.dumps(UNKNOWN).encode(), times)
        self.unknown += times
        self.got_worse = True

    @rule()
    def add_a_case_with_a_repeated_citation(self) -> None:
        self._add(json.dumps(TWICE).encode())
        self.twice += 1
        self.got_worse = True

    @rule(line=st.sampled_from(ROTTEN))
    def add_a_line_that_cannot_be_read(self, line: bytes) -> None:
        self._add(line)
        self.rotten += 1
        self.got_worse = True

    @rule(line=st.sampled_from([b"", b"  ", b"\t\r"]))
    def add_a_blank_line(self, line: bytes) -> None:
        self._add(line)

    @rule()
    def begin_another_file(self) -> None:
        self.files.append([])

    def _code(self) -> int:
        """What the count says that the run ends with."""
        if self.rotten or self._empty or not (self.good or self.unknown or self.twice):
            return 3
        return max(bool(self.unknown) * self.code_of_unknown, bool(self.twice) * self.code_of_twice)

    @property
    def _empty(self) -> int:
        return sum(not b"".join(lines).strip() for lines in self.files)

    @invariant()
    def the_report_says_what_was_counted(self) -> None:
        names = []
        for number, lines in enumerate(self.files):
            content = b"\n".join([*lines, b""])
            path = self.place / (f"{number:02}.jsonl.gz" if number % 3 == 2 else f"{number:02}.jsonl")
            path.write_bytes(gzip.compress(content, 0) if path.suffix == ".gz" else content)
            names.append(str(path))
        files = find_files(names)
        of_run = Run(rules=self.rules, summary=files, evidence=None, today=TODAY, positions=POSITIONS).report()
        of_documents = judge_batch(self.rules, read_documents(files), positions=POSITIONS, today=TODAY)
        self.hold(of_run)
        assert of_documents.to_dict() == of_run.to_dict()
        backwards = judge_batch(self.rules, read_documents(files[::-1]), positions=0, today=date.max)
        assert (backwards.citations, backwards.reasons) == (of_run.citations, of_run.reasons)

    def hold(self, report: Report) -> None:
        judged = self.good + self.unknown + self.twice
        failed = self.unknown + self.twice * (self.code_of_unknown == 1 and self.code_of_twice == 1)
        failed += self.twice * (self.code_of_unknown == 0)  # where cases may fail, they still do
        citations = report.citations or {}

        assert (report.cases.total, report.cases.unreadable) == (
            judged + self.rotten + self._empty,
            self.rotten + self._empty,
        )
        assert (report.cases.passed, report.cases.failed) == (judged - failed, failed)
        assert citations["claim_count"] == judged
        assert citations["citation_count"] == self.good + 2 * (self.unknown + self.twice)
        assert citations["valid_citation_count"] == judged + self.twice
        assert (citations["missing_source_record_count"], citations["duplicate_citation_count"]) == (
            self.unknown,
            self.twice,
        )
        assert report.exit_code == self._code()
        assert self.passed_before or not (self.got_worse and self.was_whole and report.passed)
        self.passed_before = report.passed
        assert len(report.positions) <= POSITIONS
        assert len(report.unreadable) <= POSITIONS


Batch.TestCase.settings = settings(deadline=None, max_examples=STEPS, stateful_step_count=10)
TestBatch = Batch.TestCase
