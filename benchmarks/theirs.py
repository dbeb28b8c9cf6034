"""One measured run of a peer in its own process: ``openmed`` 3.1.0 over ``json`` or ``orjson``, or a bare parser."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

way, file = sys.argv[1:]
lines = file.endswith(".jsonl")
counts = [0, 0, 0]
if way.startswith("openmed"):
    from openmed.clinical.summary_citations import compute_summary_citation_metrics
    from openmed.eval.summary_coverage import compute_summary_fact_coverage
if "orjson" in way:
    import orjson

    loads = orjson.loads
else:
    loads = json.loads


def texts() -> Iterator[bytes]:
    """The documents of the file, one after the other."""
    if not lines:
        yield Path(file).read_bytes()
        return
    with Path(file).open("rb") as source:
        yield from source


start, wall = time.process_time(), time.perf_counter()
for text in texts():
    document = loads(text)
    if way.startswith("openmed"):
        metrics = compute_summary_citation_metrics(document["claims"], document["evidence"])
        compute_summary_fact_coverage(document["evidence"], document["claims"])
        counts[0] += metrics.claim_count
        counts[1] += metrics.valid_citation_count
        counts[2] += metrics.citation_count
seconds, waited = time.process_time() - start, time.perf_counter() - wall
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"cpu": seconds, "wall": waited, "memory": memory, "counts": counts}))
