"""Codes of what is wrong in a rule file, OMR-1 to OMR-5."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from openmed_rules.authoring.diagnoses.diagnosis import Diagnosis

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
        "OMR-116": Diagnosis(
            "$ openmed-rules validate generated.yaml  # 60,000 literals under where",
            "Put the inputs of tests into files of their own; a file holds up to 50,000 values and keys.",
        ),
        "OMR-117": Diagnosis(
            "$ openmed-rules validate notes.yaml  # a whole note as one text in a test",
            "Put the input of the test into a file, `file: note.json`; a key or value has up to 20,000 characters.",
        ),
        "OMR-118": Diagnosis(
            "$ openmed-rules validate generated.yaml  # 101 keys that are none of the language",
            "Mend those that are told, and look again; it is often one mistake in many places.",
        ),
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
        "OMR-304": Diagnosis(
            f"citations: {{records: citations, id: {{path: fact, capture: '({'a' * 1000})'}}}}",
            "Write a shorter pattern, of up to 1,000 characters, or several in a list.",
        ),
        "OMR-305": Diagnosis(
            "$ openmed-rules validate generated.yaml  # a list of 2,001 paths",
            "Remove paths that find nothing, which `openmed-rules explain` tells; a file holds up to 2,000.",
        ),
        "OMR-306": Diagnosis(
            "$ openmed-rules validate generated.yaml  # a list of 101 captures",
            "Join patterns with |, or read a field that needs none; a file holds up to 100.",
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
        "OMR-508": Diagnosis(
            "$ openmed-rules validate rules.yaml  # extends: two files of 600 kB each",
            "Extend smaller files: 1,000,000 bytes and 50,000 values in all.",
        ),
        "OMR-509": Diagnosis(
            "tests: [{name: known, file: ../../case.json, expect: {passed: true}}]",
            "Move the file inside, or say --root.",
        ),
        "OMR-510": Diagnosis(
            "$ openmed-rules check -r notes.jsonl rules.yaml",
            "Name the rule file behind -r, and the inputs without it.",
        ),
    }
)
