"""The catalogue of diagnostics: of every code what causes it, an example, and what to do.

An example is a piece of a rule file (what it leaves out stands in ``BASE``), or a command, which begins with ``$``.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final, NamedTuple

from openmed_rules.errors import CODES


class Diagnosis(NamedTuple):
    """An example of a problem, and what mends it."""

    example: str
    remedy: str


BASE: Final = """\
version: 1
name: notes
claims: {records: $.claims, id: id}
citations: {records: citations, id: fact}
evidence: {records: $.facts, id: id}
"""
"""The rule file around an example."""

_TOP_KEY: Final = re.compile(r"^([a-z]+):", re.MULTILINE)
_GROUPS: Final = (
    ("OMR-1", "The text of a rule file"),
    ("OMR-2", "The shape of a rule file"),
    ("OMR-3", "Paths and patterns"),
    ("OMR-4", "What a rule file says"),
    ("OMR-5", "Rule files on disk"),
    ("OMR-6", "Inputs and calls"),
    ("OMR-7", "Outputs"),
    ("OMR-80", "Gates and baselines"),
    ("OMR-81", "Project files and waivers"),
    ("OMR-83", "Warnings: what is read"),
    ("OMR-84", "Warnings: how strict the gate is"),
    ("OMR-85", "Warnings: what tests leave open"),
    ("OMR-9", "Faults of our own"),
)


def whole_file(example: str) -> str:
    """A rule file with an example in it: the lines of ``BASE`` whose keys it does not have, and the example."""
    said = set(_TOP_KEY.findall(example))
    lines = [line for line in BASE.splitlines(keepends=True) if line.partition(":")[0] not in said]
    return "".join((*lines, example, "" if example.endswith("\n") else "\n"))


def explained(code: str) -> str:
    """What ``explain-code`` prints."""
    found = DIAGNOSES[code]
    example = "".join(f"    {line}\n" for line in found.example.splitlines())
    return f"{code}: {CODES[code]}\n\nFor example:\n\n{example}\n{found.remedy}\n"


def page() -> str:
    """The page about every code, in Markdown."""
    lines = [
        "# Diagnostics",
        "",
        "Every problem has a code that never changes its meaning. `openmed-rules explain-code OMR-nnn` tells the same",
        "without a network. Around each example of a rule file stands this one:",
        "",
        "```yaml",
        *BASE.splitlines(),
        "```",
    ]
    for start, title in _GROUPS:
        lines += ("", f"## {title}")
        for code in sorted(code for code in CODES if _group(code) == start):
            found = DIAGNOSES[code]
            fence = "```console" if found.example.startswith("$") else "```yaml"
            head = CODES[code]
            lines += ("", f"### {code}", "", f"{head[:1].upper()}{head[1:]}.", "")
            lines += (fence, *found.example.splitlines(), "```", "", found.remedy)
    return "\n".join(lines) + "\n"


def _group(code: str) -> str:
    return next(start for start, _ in reversed(_GROUPS) if code.startswith(start))


_TESTS: Final = """\
tests:
  - name: known
    summary: {claims: [{id: c, citations: [{fact: a}]}], facts: [{id: a}]}
    expect: {passed: true}
  - name: unknown
    summary: {claims: [{id: c, citations: [{fact: b}]}], facts: [{id: a}]}
    expect: {passed: false}
"""
_CHECK: Final = "$ openmed-rules check -r rules.yaml"

DIAGNOSES: Final = MappingProxyType(
    {
        "OMR-101": Diagnosis(
            "claims: {records: $.claims[*].parts}",
            "Put a path in quotes that has [ ] inside of { }, or that begins with [, @, * or %; validate --fix does.",
        ),
        "OMR-102": Diagnosis("$ openmed-rules validate latin-1.yaml", "Save the rule file as UTF-8."),
        "OMR-103": Diagnosis(
            "$ openmed-rules validate two-megabytes.yaml", "Keep test data in files of its own (file: under tests)."
        ),
        "OMR-104": Diagnosis(
            'description: "a bell: \\uD800"', "Remove the character; write it as an escape where it belongs to a test."
        ),
        "OMR-105": Diagnosis(
            "$ openmed-rules validate empty.yaml", "Write a rule file; openmed-rules show openmed is one."
        ),
        "OMR-106": Diagnosis(
            "reports: [citations]\n---\nname: another", "Remove the line ---, or make two files of it."
        ),
        "OMR-107": Diagnosis("claims: " + "[" * 70 + "]" * 70, "Write values less deep; do not stack aliases."),
        "OMR-108": Diagnosis(
            "policy: {tolerate: {duplicate_citation: !count 5}}",
            "Remove the tag, or put a text that begins with ! in quotes.",
        ),
        "OMR-109": Diagnosis(
            "claims: {records: &here $.claims}\nevidence: {records: &here $.facts}",
            "Give each anchor a name of its own.",
        ),
        "OMR-110": Diagnosis(
            "claims: {records: $.claims, id: *claim}",
            "Put a text that begins with * or & in quotes; write an anchor above its alias.",
        ),
        "OMR-111": Diagnosis("policy:\n  <<: {per: case}", "Write the keys out, or use extends."),
        "OMR-112": Diagnosis("claims: {records: $.claims, where: {7: x}}", "Put the key in quotes."),
        "OMR-113": Diagnosis("claims: {records: $.claims, records: $.parts}", "Remove one of the two."),
        "OMR-114": Diagnosis(
            "claims: {records: $.claims, where: {active: yes, code: 07}}",
            "Put the value in quotes, or write true or false; validate --fix does.",
        ),
        "OMR-115": Diagnosis("claims:\n  records: $.claims #kept", "Put the value in quotes, or a space behind the #."),
        "OMR-201": Diagnosis(
            "clams: {records: $.claims}", "Write the key as the hint says; docs/rule-language.md has all of them."
        ),
        "OMR-202": Diagnosis("claims: {id: id}", "Write the key that is named."),
        "OMR-203": Diagnosis("claims: [$.claims, $.parts]", "Write a value of the type that is expected."),
        "OMR-204": Diagnosis("name: ''", "Write a value that fits the limits that are named."),
        "OMR-205": Diagnosis("policy: {per: batches}", "Write one of the words that are named."),
        "OMR-206": Diagnosis(
            "policy: {tolerate: {duplicate_citation: 0.05}}", "Write a count, a percentage such as 5%, or any."
        ),
        "OMR-207": Diagnosis(
            "citations: {records: citations, id: {path: fact, place: key}}",
            "Remove one of the keys, or write the one that is missing beside them.",
        ),
        "OMR-208": Diagnosis("version: 2", "Write version: 1, or install a newer version of openmed-rules."),
        "OMR-209": Diagnosis(
            "policy: {tolerate: {missing_source_evidence: 1}}",
            "Remove it: where there is no evidence nothing can be judged.",
        ),
        "OMR-210": Diagnosis("policy: {tolerate: {unsuported_claim: 1}}", "Write the reason as the hint says."),
        "OMR-211": Diagnosis(
            "policy: {tolerate: {invalid_citation: {allergy: 1}}}",
            "Write one amount; only unsupported_claim and omitted_source_fact go by class.",
        ),
        "OMR-212": Diagnosis(
            "policy: {waivers: [{reason: duplicate_citation, until: '2027-02-30', because: x, owner: y}]}",
            "Write a day of the calendar: 2027-02-28.",
        ),
        "OMR-301": Diagnosis(
            "claims: {records: $.claims | $.parts}",
            "Write the path as the hint says; a list of paths gives the first that is there.",
        ),
        "OMR-302": Diagnosis(
            "citations: {records: citations, id: {path: fact, capture: '(?=a)(b)'}}",
            "Write a pattern without look-ahead, look-behind and back-references.",
        ),
        "OMR-303": Diagnosis(
            "citations: {records: citations, id: {path: fact, capture: '[A-Z]+'}}",
            "Put ( ) around what is to be captured, and (?: ) around the rest.",
        ),
        "OMR-401": Diagnosis("claims: {records: $.claims, merge: true}", "Write id beside merge."),
        "OMR-402": Diagnosis(
            "claims: {records: $.claims}\ncitations: {records: $.links, claim: claim, id: fact}",
            "Write id under claims.",
        ),
        "OMR-403": Diagnosis(
            "citations: {records: citations, id: {place: position}}",
            "Write the path of the field by which the citation points at its record.",
        ),
        "OMR-404": Diagnosis(
            "citations: {records: citations, kinds: {page: {where: {type: page}}}}",
            "Write id or span in the kind, or ignore: true.",
        ),
        "OMR-405": Diagnosis(
            "citations: {records: citations, kinds: {any: {id: a}, page: {where: {type: page}, id: b}}}",
            "Put the kind without where last.",
        ),
        "OMR-406": Diagnosis(
            "claims: {records: $.claims, class: {path: kind, labels: [default]}}", "Give the class another label."
        ),
        "OMR-407": Diagnosis(
            "citations: {records: {path: text, find_all: '\\[(\\d+)'}}",
            "Write reads_text: true at the top, once you mean it.",
        ),
        "OMR-411": Diagnosis(
            "inputs: {evidence: {cases: $.notes}}", "Write in: evidence on the collection that stands there."
        ),
        "OMR-412": Diagnosis("inputs: {summary: {join: note_id}}", "Write join on both inputs, or on neither."),
        "OMR-413": Diagnosis("policy: {per: batch, failed_cases: 2}", "Remove one of the two."),
        "OMR-414": Diagnosis(
            "policy: {tolerate: {omitted_source_fact: {allergy: 1}}}",
            "Write class with its labels on the collection, or remove the entry.",
        ),
        "OMR-415": Diagnosis(
            "tests:\n  - &one {name: one, summary: {}, expect: {passed: false}}\n  - *one",
            "Give each test a name of its own.",
        ),
        "OMR-416": Diagnosis(
            "reports: [citations]\ntests:\n  - {name: one, summary: {}, expect: {coverage: {recall: 1}}}",
            "Ask for the report, or remove what is expected of it.",
        ),
        "OMR-417": Diagnosis("reports: [citations, citations]", "Remove one of the two."),
        "OMR-421": Diagnosis(
            "citations: {records: citations, kind: page, id: fact}\n"
            "evidence:\n  - {records: $.facts, kind: page, id: id}\n"
            "  - {records: $.more, id: id}",
            "Write kind on every collection of evidence, or on none.",
        ),
        "OMR-422": Diagnosis(
            "citations: {records: citations, kind: pages, id: fact}\nevidence: {records: $.facts, kind: page, id: id}",
            "Write the same name on both sides.",
        ),
        "OMR-423": Diagnosis(
            "citations: {records: citations, span: {within: note, start: s, end: e}}\n"
            "evidence: {records: $.facts, span: {start: s, end: e}}",
            "Write within on both sides, or on neither.",
        ),
        "OMR-424": Diagnosis(
            "evidence: {records: '$.claims[*].citations', id: fact}",
            "Read the evidence from the source, and not from what is to be checked.",
        ),
        "OMR-501": Diagnosis(
            "extends: healthscrib", "openmed-rules list names the layouts; the name of a file ends in .yaml."
        ),
        "OMR-502": Diagnosis("extends: ./policy.yaml", "Write the path relative to the file that says it."),
        "OMR-503": Diagnosis(
            "extends: https://example.test/policy.yaml", "Keep the file on disk, where it can be read."
        ),
        "OMR-504": Diagnosis("extends: ../../policy.yaml", "Move the file inside, or say --root."),
        "OMR-505": Diagnosis("extends: ./rules.yaml", "Remove one of the extends of the circle that is named."),
        "OMR-506": Diagnosis(
            "extends: ./one-of-twenty.yaml", "Lay fewer files over each other: 16 in a row, 100 in all."
        ),
        "OMR-507": Diagnosis("extends: ./list.yaml", "Make the file that is named a mapping of keys."),
        "OMR-601": Diagnosis(f"{_CHECK} missing.json", "Look at the name and at the directory you stand in."),
        "OMR-602": Diagnosis(
            f"{_CHECK} 'notes/*.jsn'", "Look at what the name matches; a directory is read without its sub-directories."
        ),
        "OMR-603": Diagnosis(f"{_CHECK} secret.json", "Look at the rights of the file."),
        "OMR-604": Diagnosis(f"{_CHECK} cut.jsonl.gz", "Fetch or write the file again."),
        "OMR-605": Diagnosis(f"{_CHECK} notes.jsonl.zst", "pip install 'openmed-rules[zstd]', or unpack the file."),
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
        "OMR-831": Diagnosis(
            "claims: {records: $.claims, where: {citations: {not: null}}}\n" + _TESTS,
            "Remove the filter. Where what cites nothing is no claim, add a test that leaves one out, and expects"
            " claim_count.",
        ),
        "OMR-832": Diagnosis(
            "evidence: {records: '$.notes[*].facts', id: {place: position}}",
            "Write parts with what tells the arrays apart on both sides, or among: records.",
        ),
        "OMR-833": Diagnosis(
            "evidence: {records: '$.notes[*].facts', id: id}",
            "Write parts on both sides. Where ids are unique, add a test of one that repeats, which expects"
            " duplicate_source_evidence.",
        ),
        "OMR-834": Diagnosis(
            "citations: {records: citations, id: [fact, fact.id]}",
            "Put the longer path first, or remove the one that never counts.",
        ),
        "OMR-835": Diagnosis(
            "citations: {records: citations, kinds: {other: {where: {type: {not: fact}}, ignore: true},"
            " fact: {id: fact}}}",
            "Name what is ignored, so that a new kind is counted.",
        ),
        "OMR-836": Diagnosis(
            "reads_text: true\ncitations: {records: {path: text, find_all: '\\[(\\d+)\\]'}}",
            "Write '\\[([\\d, -]+)\\]' with split: ',', or add a test that shows what becomes of [1, 2] and [1-3].",
        ),
        "OMR-837": Diagnosis(
            "citations: {records: citations, id: {path: fact, capture: '([A-Z]*)'}}", "Write + instead of *."
        ),
        "OMR-838": Diagnosis("evidence: {records: '$.facts[*]', id: id}", "Remove it; validate --fix does."),
        "OMR-841": Diagnosis(
            "policy: {tolerate: {invalid_citation: any, unsupported_claim: any, no_citations: any}}",
            "Give invalid_citation or unsupported_claim a count or a percentage.",
        ),
        "OMR-842": Diagnosis(
            "policy: {tolerate: {missing_citation: any, no_citations: any}}",
            "Remove no_citations: it fails only a run in which nothing at all is cited.",
        ),
        "OMR-851": Diagnosis(
            "description: without tests", "Write one test that passes the gate, and one that fails it."
        ),
        "OMR-852": Diagnosis(
            _TESTS.replace("false", "true"), "Write a test with expect: {passed: false, reasons: [...]}."
        ),
        "OMR-853": Diagnosis(
            "claims: {records: $.claims, where: {type: {not: heading}}}\n" + _TESTS,
            "Write a test with a record that this leaves out.",
        ),
        "OMR-854": Diagnosis(
            "citations: {records: citations, id: fact}\nevidence: {records: $.facts, id: {place: position}}\ntests:\n"
            "  - name: known\n    summary: {claims: [{citations: [{fact: 1}]}], facts: [{}, {}]}\n"
            "    expect: {citations: {valid_citation_count: 1}}\n"
            "  - {name: none, summary: {claims: []}, expect: {passed: false}}\n",
            "Write a test that cites the first and the last record.",
        ),
        "OMR-901": Diagnosis(
            f"{_CHECK} notes.json --debug", "Report it, with what --debug tells; that holds nothing of a record."
        ),
    }
)
"""Every code with an example and a remedy."""
