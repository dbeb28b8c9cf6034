"""One measured run of this project in its own process: which way, which file; CPU seconds, memory and counts."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from openmed_rules.judging import batch
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.running.files import find_files
from openmed_rules.running.reading import read_documents

way, file = sys.argv[1:]
rules = load_rule_file(Path(__file__).with_name("rules.yaml")).rules
if way == "general":
    batch._plan_of = lambda _rules: None  # noqa: SLF001 - the one switch that no user needs
start, wall = time.process_time(), time.perf_counter()
report = batch.judge_batch(rules, read_documents(find_files([file])))
seconds, waited = time.process_time() - start, time.perf_counter() - wall
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
counts = [report.citations["claim_count"], report.citations["valid_citation_count"], report.citations["citation_count"]]
print(json.dumps({"cpu": seconds, "wall": waited, "memory": memory, "counts": counts}))
