"""Codes of inputs, calls, outputs and gates, OMR-6 to OMR-82, and of our own faults, OMR-9."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from openmed_rules.authoring.diagnoses.diagnosis import Diagnosis

_CHECK: Final = "$ openmed-rules check -r rules.yaml"

DIAGNOSES: Final = MappingProxyType(
    {
        "OMR-601": Diagnosis(f"{_CHECK} missing.json", "Look at the name and at the directory you stand in."),
        "OMR-602": Diagnosis(
            f"{_CHECK} 'notes/*.jsn'", "Look at what the name matches; a directory is read without its sub-directories."
        ),
        "OMR-603": Diagnosis(f"{_CHECK} secret.json", "Look at the rights of the file."),
        "OMR-604": Diagnosis(f"{_CHECK} cut.jsonl.gz", "Fetch or write the file again."),
        "OMR-605": Diagnosis(f"{_CHECK} notes.jsonl.zst", "pip install 'openmed-rules[zstd]', or unpack the file."),
        "OMR-606": Diagnosis(f"{_CHECK} notes.parquet", "pip install 'openmed-rules[parquet]'."),
        "OMR-607": Diagnosis(f"{_CHECK} notes.parquet --column sumary", "Write the name as the table has it."),
        "OMR-608": Diagnosis(f"{_CHECK} cut.parquet", "Fetch or write the file again."),
        "OMR-611": Diagnosis(f"{_CHECK} latin-1.json", "Write the input as UTF-8."),
        "OMR-612": Diagnosis(f"{_CHECK} cut.json", "Write whole JSON: one document a file, or one a line in .jsonl."),
        "OMR-613": Diagnosis(f"{_CHECK} deep.json", "Write values less deep."),
        "OMR-614": Diagnosis(
            f"{_CHECK} --strict-json twice.json", "Write each member once; without --strict-json the last one counts."
        ),
        "OMR-615": Diagnosis(f"{_CHECK} nan.json", "Write null or a text where there is no number."),
        "OMR-616": Diagnosis(
            f"{_CHECK} summaries.jsonl --evidence facts.jsonl",
            "Mend the case that it is paired with; its own problem is told beside it.",
        ),
        "OMR-617": Diagnosis(
            "$ python -c 'openmed_rules.check(rules, record)'", "Give plain values, or a record whose to_dict() works."
        ),
        "OMR-618": Diagnosis(
            f"{_CHECK} --strict-json nan.json",
            "Write null where there is no number; without --strict-json it matters in a field that is read only.",
        ),
        "OMR-621": Diagnosis(
            "$ openmed-rules check -r healthscribe summary.json", "Give the evidence input: --evidence transcript.json."
        ),
        "OMR-622": Diagnosis(
            f"{_CHECK} summary.json --evidence facts.json",
            "Write in: evidence on the collection that stands there, or leave the input out.",
        ),
        "OMR-623": Diagnosis(f"{_CHECK} three.jsonl --evidence two.jsonl", "Write join on both inputs."),
        "OMR-624": Diagnosis(f"{_CHECK} - --evidence -", "Write one of the inputs to a file."),
        "OMR-625": Diagnosis(
            "$ python -c 'openmed_rules.check_many(rules, record)'", "Give a list of records, or call check."
        ),
        "OMR-626": Diagnosis("$ openmed-rules explain-code OMR-26", "Write the code as it was printed."),
        "OMR-627": Diagnosis(f"{_CHECK} notes.json --format jsn", "Write one of the formats that are named."),
        "OMR-628": Diagnosis(f"{_CHECK} notes.json -f json=out -f text=out", "Give each result a place of its own."),
        "OMR-629": Diagnosis(
            f"{_CHECK} notes.jsonl --column summary", "Leave --column out, or say --input-format parquet."
        ),
        "OMR-631": Diagnosis("$ openmed-rules init cut.json", "Give a sample that can be read."),
        "OMR-632": Diagnosis(
            "$ openmed-rules init three.jsonl --evidence two.jsonl",
            "Give one evidence document for each summary, or one for all.",
        ),
        "OMR-633": Diagnosis(
            "$ openmed-rules init sample.json --output rules.yaml", "Remove the file, or name another."
        ),
        "OMR-634": Diagnosis(
            "$ openmed-rules init uncited.json", "Give a sample in which citations name records that are in it."
        ),
        "OMR-641": Diagnosis(
            f"{_CHECK} --engine spark notes.jsonl --evidence facts.jsonl",
            "Leave out what the message names, or check without Spark.",
        ),
        "OMR-642": Diagnosis(f"{_CHECK} --engine spark notes.jsonl", "pip install 'openmed-rules[spark]'."),
        "OMR-701": Diagnosis(
            f"{_CHECK} notes.json --output /full/disk/result.json", "Look at the rights and the room of the place."
        ),
        "OMR-801": Diagnosis("$ openmed-rules gate nots", "Write the name as it stands in openmed-rules.yaml."),
        "OMR-802": Diagnosis(
            "$ openmed-rules gate notes", "Write openmed-rules.yaml, or go to the directory where it stands."
        ),
        "OMR-803": Diagnosis("$ openmed-rules gate notes", "Record the baseline again: openmed-rules baseline update."),
        "OMR-804": Diagnosis(
            "$ openmed-rules gate notes", "Record the baseline again once the rules are as they should be."
        ),
        "OMR-805": Diagnosis(
            "$ openmed-rules baseline update --gate notes", "Mend the cases that cannot be read first."
        ),
        "OMR-806": Diagnosis("$ openmed-rules baseline update --gate notes", "Say --because, or mend what got worse."),
        "OMR-807": Diagnosis(
            "$ openmed-rules baseline update", "Say --rules, INPUT and --baseline, or --gate; give --because one line."
        ),
        "OMR-811": Diagnosis(
            "$ openmed-rules gate notes",
            "Choose a day that is nearer, or raise max_days in openmed-rules.yaml.",
        ),
        "OMR-812": Diagnosis("$ openmed-rules gate notes", "Give each gate of openmed-rules.yaml a name of its own."),
        "OMR-813": Diagnosis("$ openmed-rules gate notes", "Write one of the formats that are named."),
        "OMR-901": Diagnosis(
            f"{_CHECK} notes.json --debug", "Report it, with what --debug tells; that holds nothing of a record."
        ),
        "OMR-902": Diagnosis(
            f"{_CHECK} notes.jsonl --jobs 8",
            "Look whether the system ended it for want of memory: fewer --jobs need less. "
            "A long document stays in its file while it is judged: it must not be cut short meanwhile.",
        ),
        "OMR-903": Diagnosis(
            f"{_CHECK} --engine spark notes.jsonl",
            "Read what Spark logged; every worker needs this package, and PYSPARK_PYTHON to find it (docs/spark.md).",
        ),
    }
)
