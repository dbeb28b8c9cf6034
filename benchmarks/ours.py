"""One measured run of this project in its own process: which way, file and rules; CPU seconds, memory and counts.

Memory is what the process holds beside the pages of files that are mapped: the most that was seen of ``RssAnon``,
looked at every few milliseconds; all that was ever resident (``ru_maxrss``) where the system does not tell.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from pathlib import Path

from openmed_rules.judging import batch
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.running.dividing import Job
from openmed_rules.running.files import find_files
from openmed_rules.running.jobs import judge, judge_job

held = [0]


def watch_memory() -> None:
    """Keep the most that is held of memory, in kB."""
    status = Path("/proc/self/status")
    while status.exists():
        held[0] = max(held[0], *(int(line.split()[1]) for line in status.open() if line.startswith("RssAnon")))
        time.sleep(0.005)


way, file, *named = sys.argv[1:]
threading.Thread(target=watch_memory, daemon=True).start()
rules = load_rule_file(Path(__file__).with_name(f"{(named or ['rules'])[0]}.yaml")).rules
if way == "general":
    batch._plan_of = lambda _rules: None  # noqa: SLF001 - the one switch that no user needs
start, wall = time.process_time(), time.perf_counter()
job = Job(rules, find_files([file]), maps=True)
part = judge_job(job, 2) if way == "jobs-2" else judge(job).part
report = part.report((), None)
seconds, waited = time.process_time() - start, time.perf_counter() - wall
memory = held[0] or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
counts = [report.citations["claim_count"], report.citations["valid_citation_count"], report.citations["citation_count"]]
print(json.dumps({"cpu": seconds, "wall": waited, "memory": memory, "counts": counts}))
