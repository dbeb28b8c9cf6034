"""One measured run of this project on Spark with two local workers, start-up aside: wall and CPU seconds, counts."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

from openmed_rules import load_rules
from openmed_rules.spark import check

file = sys.argv[1]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
session = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")  # as docs/spark.md says
    .getOrCreate()
)
rules = load_rules(Path(__file__).with_name("rules.yaml"))
lines = session.read.text(file)
check(lines.limit(100), rules)
start, wall = time.process_time(), time.perf_counter()
report = check(lines, rules).report
seconds, waited = time.process_time() - start, time.perf_counter() - wall
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
counts = [report.citations["claim_count"], report.citations["valid_citation_count"], report.citations["citation_count"]]
print(json.dumps({"cpu": seconds, "wall": waited, "memory": memory, "counts": counts}))
