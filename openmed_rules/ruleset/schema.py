"""The shape of a rule file as data: every key, what may stand under it, and which are needed.

The rules are Cerberus', and two of our own, so that only the alternative that was meant is reported. ``form``
names one of ``FORMS``, of which the type of the value chooses. ``variants`` are mappings, of which the first
is chosen whose first key is there.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from openmed_rules.ruleset.words import (
    BY_CLASS,
    CITATION_METRICS,
    COVERAGE_METRICS,
    FLAGS,
    ONLY_ANY,
    REASONS,
    TOLERABLE,
)

Rules: TypeAlias = dict[str, Any]

KNOWN_VERSIONS = (1,)
PERCENT = r"(?:100(?:\.0+)?|[0-9]{1,2}(?:\.[0-9]+)?)%"
PERCENT_PATTERN = re.compile(PERCENT, re.ASCII)


def _mapping(schema: Rules) -> Rules:
    return {"type": "dict", "schema": schema}


def _list(item: Rules) -> Rules:
    return {"type": "list", "minlength": 1, "schema": item}


def _variants(*mappings: Rules) -> Rules:
    return {"type": "dict", "variants": mappings}


def _form(name: str, **rules: object) -> Rules:
    return {"form": name, **rules}


def _one_of(*words: object) -> Rules:
    return {"type": "text", "allowed": list(words)}


def _needed(rules: Rules) -> Rules:
    return {**rules, "required": True}


TEXT: Rules = {"type": "text", "minlength": 1}
LINE: Rules = {"type": "text", "minlength": 1, "maxlength": 200, "check_with": "one_line"}
PATH: Rules = {"type": "path", "check_with": "path"}
_RECORDS_PATH: Rules = {"type": "path", "check_with": "records_path"}
_PATTERN: Rules = {"type": "text", "check_with": "pattern"}
_ONE_GROUP: Rules = {"type": "text", "check_with": "one_group"}
FLAG: Rules = {"type": "flag"}
WHOLE: Rules = {"type": "whole", "min": 0}
LITERAL: Rules = {"type": "literal", "nullable": True}
LITERALS: Rules = _list(LITERAL)
ANYTHING: Rules = {"nullable": True}
PATHS = _form("paths")
LOCATOR = _form("locator")
WHERE = _form("where")
SPAN = _form("span")

_OF_POSITION = {"dependencies": {"place": "position"}}
_PLACE = {
    "place": _needed(_one_of("position", "key", "pointer")),
    "base": {**WHOLE, **_OF_POSITION},
    "of": {"type": "text", "regex": r"\^+\Z", **_OF_POSITION},
    "among": {**_one_of("records"), **_OF_POSITION, "excludes": "of"},
}
_FIELD = {"path": _needed(PATHS), "absent": LITERALS}
_CAPTURE = {"capture": _needed(_PATTERN), "path": _needed(PATH), "absent": LITERALS}
_CAPTURE_ONE = {**_CAPTURE, "capture": _needed(_ONE_GROUP)}
_DEFAULT = {"default": _form("default")}
_PARTS = {"parts": _needed(_list(_form("part")))}
_LOCATOR = _variants(_PARTS, _PLACE, _CAPTURE, _FIELD)
_PART = _variants(_PLACE, {**_CAPTURE, **_DEFAULT}, {**_FIELD, **_DEFAULT})
_WITHIN = _variants(_PARTS, _PLACE, {**_CAPTURE, **_DEFAULT}, {**_FIELD, **_DEFAULT})
_OFFSET = _variants({**_CAPTURE_ONE, "default": WHOLE}, {**_FIELD, "default": WHOLE})
_LABELS = {"labels": _needed(_list(TEXT))}

_CONDITIONS: Rules = {
    "type": "dict",
    "minlength": 1,
    "keysrules": PATH,
    "valuesrules": _form("condition", nullable=True),
}
_KIND = {"where": WHERE, "id": LOCATOR, "span": SPAN, "ignore": {**FLAG, "dependencies": "where"}}
_KINDS = {
    "type": "dict",
    "minlength": 1,
    "keysrules": LINE,
    "valuesrules": _mapping(_KIND),
    "excludes": ["id", "span", "kind"],
}
_RECORDS = _form("records")
_MADE_RECORDS = _variants(
    {"find_all": _needed(_ONE_GROUP), "path": _needed(_RECORDS_PATH), "split": TEXT},
    {"range": _needed({"type": "list", "items": [PATH, PATH]}), "path": _needed(_RECORDS_PATH)},
    {"split": _needed(TEXT), "path": _needed(_RECORDS_PATH)},
)
_INPUT_NAME = _one_of("summary", "evidence")

_CLAIMS = {
    "in": _INPUT_NAME,
    "records": _needed(_RECORDS),
    "where": WHERE,
    "id": LOCATOR,
    "class": _form("class"),
    "merge": FLAG,
}
_CITATIONS = {
    "in": {**_INPUT_NAME, "dependencies": "claim"},
    "records": _RECORDS,
    "where": WHERE,
    "id": LOCATOR,
    "span": SPAN,
    "kinds": _KINDS,
    "kind": LINE,
    "claim": LOCATOR,
    "siblings": {**_one_of("following"), "excludes": "claim"},
    "follow": _list(_mapping({"records": _needed(_RECORDS), "id": _needed(LOCATOR), "to": _needed(LOCATOR)})),
    "supports": FLAG,
}
_EVIDENCE = {
    "in": _INPUT_NAME,
    "records": _needed(_RECORDS),
    "where": WHERE,
    "id": LOCATOR,
    "span": SPAN,
    "kinds": _KINDS,
    "kind": LINE,
    "class": _form("class"),
    "merge": FLAG,
}
_AROUND = {
    "each": PATHS,
    "within": _form("within"),
    "base": WHOLE,
    "absent": LITERALS,
    "numbers": _one_of("text"),
}
_START = {"start": _needed(_form("offset"))}
_SPAN = _variants(
    {"pair": _needed(PATHS), "closed": FLAG, **_AROUND},
    {"length": _needed(_form("offset")), **_START, **_AROUND},
    {"end": _needed(_form("offset")), **_START, "closed": FLAG, **_AROUND},
)
_INPUT = _mapping({"cases": PATHS, "join": LOCATOR, "embedded_json": PATHS})

_TOLERATE = {
    **{reason: _form("tolerance") for reason in TOLERABLE},
    **{reason: _form("tolerance by class") for reason in BY_CLASS},
    **{reason: _one_of("any") for reason in ONLY_ANY},
}
_WAIVER = {
    "reason": _needed(_one_of(*TOLERABLE)),
    "until": _needed({"type": "text", "check_with": "date"}),
    "because": _needed(LINE),
    "owner": _needed(LINE),
}
_POLICY = {
    "malformed": _one_of("invalid", "ignore"),
    "unavailable": _one_of("abstain", "count"),
    "spans": _one_of("exact", "inside"),
    "tolerate": _mapping(_TOLERATE),
    "warn": _mapping(_TOLERATE),
    "waivers": _list(_mapping(_WAIVER)),
    "per": _one_of("case", "batch"),
    "failed_cases": _form("share"),
}

_NUMBER: Rules = {"type": "number", "min": 0}
_EXPECTED_OF_BOTH = {**dict.fromkeys(FLAGS, FLAG), "failure_reasons": {"type": "list", "schema": _one_of(*REASONS)}}
_EXPECTED = {
    "passed": FLAG,
    "reasons": _list(_one_of(*REASONS)),
    "citations": {
        **_mapping({**dict.fromkeys(CITATION_METRICS, _NUMBER), **_EXPECTED_OF_BOTH}),
        "minlength": 1,
    },
    "coverage": {
        **_mapping({**dict.fromkeys(COVERAGE_METRICS, _NUMBER), **_EXPECTED_OF_BOTH}),
        "minlength": 1,
    },
}
_TEST = {"name": _needed(LINE), "expect": _needed({**_mapping(_EXPECTED), "minlength": 1})}
_CASE = {"summary": _needed(ANYTHING), "evidence": ANYTHING}

_RULE_FILE = {
    "version": _needed({"type": "whole", "allowed": list(KNOWN_VERSIONS)}),
    "name": _needed(LINE),
    "description": TEXT,
    "extends": _form("extends"),
    "reads_text": FLAG,
    "inputs": _mapping({"summary": _INPUT, "evidence": _INPUT}),
    "claims": _needed(_form("claims")),
    "citations": _needed(_form("citations")),
    "evidence": _needed(_form("evidence")),
    "reports": _list(_one_of("citations", "coverage")),
    "policy": _mapping(_POLICY),
    "tests": _list(_form("test")),
}

_GATE = {
    "name": _needed(LINE),
    "rules": _needed(TEXT),
    "summary": _needed(_form("files")),
    "evidence": _form("files"),
    "policy": _mapping(_POLICY),
    "formats": _form("gate formats"),
    "baseline": TEXT,
    "min_cell": {"type": "whole", "min": 1},
}
_PROJECT_FILE = {
    "version": {"type": "whole", "allowed": list(KNOWN_VERSIONS)},
    "gates": _needed(_list(_mapping(_GATE))),
    "waivers": _mapping({"max_days": _needed(WHOLE)}),
}

_COUNT = _needed(WHOLE)
_SHARE = _needed({"type": "text", "regex": rf"{PERCENT}\Z"})
_BASELINE_FILE = {
    "schema_version": _COUNT,
    "rules": _needed(_mapping({"name": _needed(LINE), "sha256": _needed(TEXT)})),
    "tolerance": _SHARE,
    "floor": _COUNT,
    "drift_tolerance": _SHARE,
    "ratios": _needed({"type": "dict", "keysrules": TEXT, "valuesrules": _mapping({"part": _COUNT, "whole": _COUNT})}),
    "locators": _needed(
        {
            "type": "dict",
            "keysrules": TEXT,
            "valuesrules": _mapping(
                {"tried": _COUNT, "found": _COUNT, "met": WHOLE, "numbers": WHOLE, "malformed": WHOLE}
            ),
        }
    ),
    "history": _needed(
        {
            "type": "list",
            "schema": _mapping(
                {
                    "date": _needed({"type": "text", "check_with": "date"}),
                    "because": _needed(LINE),
                    "loosened": _needed({"type": "list", "schema": TEXT}),
                }
            ),
        }
    ),
}

FORMS: dict[str, tuple[Rules, ...]] = {
    "baseline file": (_mapping(_BASELINE_FILE),),
    "project file": (_mapping(_PROJECT_FILE),),
    "files": (TEXT, _list(TEXT)),
    "gate formats": (_list(LINE), {"type": "dict", "minlength": 1, "keysrules": LINE, "valuesrules": TEXT}),
    "rule file": (_mapping(_RULE_FILE),),
    "paths": (PATH, _list(PATH)),
    "locator": (PATH, _list(_form("locator item")), _LOCATOR),
    "locator item": (PATH, _LOCATOR),
    "part": (PATH, _list(_form("part item")), _PART),
    "part item": (PATH, _PART),
    "within": (PATH, _list(_form("within item")), _WITHIN),
    "within item": (PATH, _WITHIN),
    "default": (TEXT, WHOLE),
    "offset": (PATH, _list(_form("offset item")), _OFFSET),
    "offset item": (PATH, _OFFSET),
    "span": (_SPAN, _list(_SPAN)),
    "class": (
        _variants(
            {"place": _needed(_one_of("key")), **_LABELS},
            {**_CAPTURE_ONE, **_LABELS},
            {**_FIELD, **_LABELS},
        ),
    ),
    "where": (_CONDITIONS, _list(_CONDITIONS)),
    "condition": (LITERAL, LITERALS, _mapping({"not": _needed(_form("unwanted", nullable=True))})),
    "unwanted": (LITERAL, LITERALS),
    "records": (_RECORDS_PATH, _list(_form("records item")), _MADE_RECORDS),
    "records item": (_RECORDS_PATH, _MADE_RECORDS),
    "claims": (_mapping(_CLAIMS), _list(_mapping(_CLAIMS))),
    "citations": (_mapping(_CITATIONS), _list(_mapping(_CITATIONS))),
    "evidence": (_mapping(_EVIDENCE), _list(_mapping(_EVIDENCE))),
    "tolerance": (WHOLE, {"type": "text", "regex": rf"(?:any|{PERCENT})\Z"}),
    "tolerance by class": (
        WHOLE,
        {"type": "text", "regex": rf"(?:any|{PERCENT})\Z"},
        {"type": "dict", "minlength": 1, "keysrules": LINE, "valuesrules": _form("tolerance")},
    ),
    "share": (WHOLE, {"type": "text", "regex": rf"{PERCENT}\Z"}),
    "extends": (TEXT, _list(TEXT)),
    "test": (
        _variants(
            {"cases": _needed(_list(_mapping(_CASE))), **_TEST},
            {"file": _needed(_form("file")), **_TEST},
            {**_CASE, **_TEST},
        ),
    ),
    "file": (TEXT, _mapping({"summary": _needed(TEXT), "evidence": TEXT})),
}
