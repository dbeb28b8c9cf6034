"""Every key of a rule file in a sentence, with an example; what an editor shows beside it."""

from __future__ import annotations

from collections.abc import Collection
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from openmed_rules.formats.reasons import MEANINGS
from openmed_rules.ruleset.words import CITATION_METRICS, COVERAGE_METRICS


class Word(NamedTuple):
    """What a key says, and a value that may stand under it."""

    description: str
    example: Any


def described(key: str, beside: Collection[str]) -> dict[str, Any]:
    """The description and the example of ``key`` where the keys ``beside`` it may stand, as JSON Schema has them."""
    word = _word(key, beside)
    return {"description": word.description, "examples": [word.example]}


def _word(key: str, beside: Collection[str]) -> Word:
    if key in {"citations", "coverage"} and "passed" in beside:
        return Word(f"Numbers that the {key} report must give.", {_METRIC_OF[key]: 1})
    if key in _METRICS and "fail_closed" in beside:
        what = "A ratio from 0 to 1" if not key.endswith("_count") else "A count, summed over the cases"
        return Word(f"{what}: {key.removesuffix('_count').replace('_', ' ')}.", 1)
    if key in MEANINGS and "no_claims" in beside:
        return Word(f"How many {MEANINGS[key]} are let be.", "any" if key in {"no_claims", "no_citations"} else 0)
    for marker, word in _ELSEWHERE.get(key, ()):
        if marker in beside:
            return word
    return WORDS[key]


_METRICS: Final = frozenset({*CITATION_METRICS, *COVERAGE_METRICS})
_METRIC_OF: Final = MappingProxyType({"citations": "claim_count", "coverage": "source_fact_count"})

WORDS: Final = MappingProxyType(
    {
        "version": Word("The version of the rule language.", 1),
        "name": Word("What reports call this rule file.", "discharge-notes"),
        "description": Word("What the rule file is for, in a sentence.", "Summaries of team A against its facts."),
        "extends": Word(
            "What this file builds on: a built-in layout, a path relative to it, or a list.", "healthscribe"
        ),
        "reads_text": Word("True where `find_all` reads text; every report says so.", True),
        "inputs": Word("How each input divides into cases.", {"summary": {"cases": "$.notes"}}),
        "claims": Word("Where the claims of the summary stand.", {"records": "$.claims"}),
        "citations": Word(
            "Where a claim's citations stand, and what they point by.", {"records": "citations", "id": "fact"}
        ),
        "evidence": Word("Where the records stand that may be cited.", {"records": "$.facts", "id": "id"}),
        "reports": Word("Which reports are made; both without it.", ["citations"]),
        "policy": Word("How strict the gate is.", {"tolerate": {"unsupported_claim": "5%"}}),
        "tests": Word("Examples with what must come out; `openmed-rules test` runs them.", [{"name": "a known fact"}]),
        "summary": Word("How the summary input divides into cases.", {"cases": "$.notes"}),
        "cases": Word("Where the cases stand in a document.", "$.response.candidates"),
        "join": Word("The id by which a summary case meets its evidence case; on both inputs.", "note_id"),
        "embedded_json": Word("Fields that hold JSON as text.", ["tool_output"]),
        "malformed": Word(
            "Whether a field that cannot be used makes its record invalid, or counts as absent.", "invalid"
        ),
        "unavailable": Word("What counts where the evidence is not available.", "abstain"),
        "spans": Word("Whether a span must be that of a record, or may lie inside it.", "exact"),
        "tolerate": Word("How much of each reason is let be.", {"unsupported_claim": "5%"}),
        "warn": Word("How much of each reason is told only, beyond what is tolerated.", {"omitted_source_fact": 3}),
        "waivers": Word("Reasons that do not fail up to a day, with why and who.", [{"reason": "duplicate_citation"}]),
        "per": Word("Whether each case must hold, or the batch as a whole.", "case"),
        "failed_cases": Word("How many cases of a batch may fail.", "2%"),
        "reason": Word("The reason that is waived.", "duplicate_citation"),
        "until": Word("The last day (UTC) of the waiver.", "2027-01-31"),
        "because": Word("Why it is waived.", "the vendor mends it in January"),
        "owner": Word("Who answers for it.", "team A"),
        "parts": Word("Several locators that are one id, equal only where each is.", ["document", "chunk"]),
        "place": Word("Where the record stands: its position, its key, or its pointer.", "position"),
        "base": Word("From what offsets count.", 1),
        "of": Word("The position of an enclosing object: ^, or ^^ for one further out.", "^"),
        "among": Word("`records`: the position among this collection's records, after `where`.", "records"),
        "capture": Word("A pattern that must match the whole value; its groups are the id.", "([A-Z]+)/(.+)"),
        "path": Word("Where the value stands; of a list the first that is there.", "meta.id"),
        "absent": Word("Values that mean: not there.", [-1, ""]),
        "default": Word("What stands in where this part is left out.", 0),
        "pair": Word("An array of two offsets.", "range"),
        "closed": Word("True where the end is the last place inside.", True),
        "each": Word("Where the parts of a span stand that has several.", "selectors"),
        "within": Word("The document in which the offsets count; on both sides or on neither.", "note_id"),
        "numbers": Word("`text`: offsets may be decimal digits in a text.", "text"),
        "length": Word("How long the span is, instead of where it ends.", "length"),
        "start": Word("Where the offset of the beginning stands.", "start"),
        "end": Word("Where the offset of the end stands.", "end"),
        "labels": Word("The classes that are told apart.", ["allergy", "medication"]),
        "not": Word("A literal, or a list of them, that is left out; null is: not there.", None),
        "find_all": Word("A pattern with one group: every match in the text is a record.", r"\[([\d, -]+)\]"),
        "split": Word("What parts the pieces of a text.", ","),
        "range": Word("Paths to the first and the last of whole numbers that are the records.", ["first", "last"]),
        "in": Word("Which input this is read from; the summary without it.", "evidence"),
        "records": Word("Where the records stand; an array at the end is opened.", "$.summary.sections[*].claims"),
        "where": Word("Conditions that a record must meet; a list: any of them.", {"type": "statement"}),
        "id": Word("Where the id stands; of a list the first that is there.", "fact_id"),
        "class": Word("The class of a record, for tolerances by class.", {"path": "kind", "labels": ["allergy"]}),
        "merge": Word("True where records of one id are one.", True),
        "span": Word("Where exact offsets stand.", {"within": "note", "start": "start", "end": "end"}),
        "kinds": Word(
            "Kinds of records in one list, told apart by `where`.", {"page": {"where": {"type": "page"}, "id": "page"}}
        ),
        "kind": Word("The one kind of all records of this collection.", "page"),
        "claim": Word("The ids of the claims that a citation belongs to that stands outside of them.", "claim_id"),
        "siblings": Word("`following`: the citations are the items behind the claim, up to the next.", "following"),
        "follow": Word(
            "Hops over records between a citation and its evidence.", [{"records": "$.links", "id": "id", "to": "fact"}]
        ),
        "supports": Word("False where these citations are checked and support nothing.", False),
        "ignore": Word("True where records of this kind are left out.", True),
        "to": Word("The ids to which a hop leads.", "fact"),
        "expect": Word(
            "What must come out: at least one thing.", {"passed": False, "reasons": ["missing_source_record"]}
        ),
        "file": Word("A file beside the rule file that holds the input, or one for each input.", "sample.json"),
        "passed": Word("Whether the gate must let the case through.", False),
        "reasons": Word("Reasons that must be among those of the result.", ["missing_source_record"]),
        "failure_reasons": Word("All the reasons for which this report fails.", ["unsupported_claim"]),
        "source_evidence_available": Word("Whether there is evidence to judge by.", True),
        "fail_closed": Word("Whether the report fails because the evidence is not available.", False),
    }
)
"""Each key where it stands most."""

_ELSEWHERE: Final = MappingProxyType(
    {
        "name": (("expect", Word("What this test shows.", "an unknown fact is caught")),),
        "evidence": (
            ("embedded_json", Word("How the evidence input divides into cases.", {"cases": "$.notes"})),
            ("expect", Word("The evidence input of the test.", {"facts": [{"id": "f1"}]})),
            ("claims", Word("Where the records stand that may be cited.", {"records": "$.facts", "id": "id"})),
            ("summary", Word("The evidence side.", {"cases": "$.notes"})),
        ),
        "summary": (("expect", Word("The summary input of the test.", {"claims": [{"citations": [{"fact": "f1"}]}]})),),
        "cases": (("expect", Word("Several cases, judged as one batch.", [{"summary": {"claims": []}}])),),
        "base": (("place", Word("What the first position is called.", 1)),),
        "place": (("labels", Word("`key`: the class is the key under which the record stands.", "key")),),
    }
)
"""Keys that say something else beside certain others."""
