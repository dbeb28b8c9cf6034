"""The JSON Schema of a rule file, for editors: made of the same table by which a rule file is checked.

What only the check itself can tell (whether a path can be read, a pattern has its groups, a kind meets another) is
not in it. A file that extends others may lack what these say, so of it the keys and the values are checked only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from openmed_rules.authoring.key_words import described
from openmed_rules.ruleset.schema import FORMS, Rules

Json: TypeAlias = dict[str, Any]

_TYPES: Mapping[str, str | list[str]] = {
    "text": "string",
    "path": "string",
    "flag": "boolean",
    "whole": "integer",
    "number": "number",
    "literal": ["string", "number", "boolean"],
    "list": "array",
    "dict": "object",
}
_SECTIONS = ("claims", "citations", "evidence")
_MERGED = (*_SECTIONS, "inputs", "policy")
"""Keys under which a layer may say a part only, or null for what it takes away."""


def rule_file_schema() -> Json:
    """The schema (draft 7, which every editor reads), with a description and an example for every key."""
    keys = FORMS["rule file"][0]["schema"]
    whole = _object(keys)
    layer = _object(_partly(keys), sections=True)
    used = _used(keys)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A rule file of openmed-rules, version 1",
        "type": "object",
        "if": {"required": ["extends"]},
        "then": layer,
        "else": whole,
        "definitions": {
            **{_name(form): _any(map(_schema, FORMS[form])) for form in used},
            **{f"part-of-{form}": _any(_layer_form(form)) for form in _SECTIONS},
        },
    }


def _layer_form(form: str) -> Iterable[Json]:
    for rules in FORMS[form]:
        yield _object(_partly(rules["schema"])) if rules["type"] == "dict" else _schema(rules)


def _partly(keys: Mapping[str, Rules]) -> dict[str, Rules]:
    """The keys of a layer: none is needed, and each may be taken away."""
    return {
        key: {
            **{name: rule for name, rule in rules.items() if name not in {"required", "dependencies"}},
            "nullable": True,
        }
        | ({"schema": _partly(rules["schema"])} if key in _MERGED and rules.get("type") == "dict" else {})
        for key, rules in keys.items()
    }


def _used(rules: Any) -> list[str]:  # noqa: ANN401 - a part of the table
    """The forms that a rule file is made of, in the order in which they are met."""
    found: dict[str, None] = {}
    waiting = [rules]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, Mapping):
            form = part.get("form")
            if isinstance(form, str) and form not in found:
                found[form] = None
                waiting.append(FORMS[form])
            waiting += part.values()
        elif isinstance(part, (list, tuple)):
            waiting += part
    return list(found)


def _name(form: str) -> str:
    return form.replace(" ", "-")


def _any(schemas: Iterable[Json]) -> Json:
    one, *more = schemas
    return {"anyOf": [one, *more]} if more else one


def _schema(rules: Rules) -> Json:
    """One value, as its rules say."""
    if "form" in rules:
        schema: Json = {"$ref": f"#/definitions/{_name(rules['form'])}"}
        return {"anyOf": [schema, {"type": "null"}]} if rules.get("nullable") else schema
    if "variants" in rules:
        schema = _any(map(_object, rules["variants"]))
        return {"anyOf": [schema, {"type": "null"}]} if rules.get("nullable") else schema
    schema = {}
    if "type" in rules:
        kind = _TYPES[rules["type"]]
        schema["type"] = kind if not rules.get("nullable") else [*([kind] if isinstance(kind, str) else kind), "null"]
    if "allowed" in rules:
        schema["enum"] = [*rules["allowed"], *([None] if rules.get("nullable") else [])]
    if "regex" in rules:
        schema["pattern"] = f"^(?:{rules['regex'].removesuffix(chr(92) + 'Z')})$"
    if "min" in rules:
        schema["minimum"] = rules["min"]
    if rules.get("type") == "list":
        schema |= _array(rules)
    elif rules.get("type") == "dict":
        inner = _members(rules)
        schema |= {key: value for key, value in inner.items() if key != "type"}
    else:
        schema |= {f"{name[:3]}Length": rules[name] for name in ("minlength", "maxlength") if name in rules}
    return schema


def _array(rules: Rules) -> Json:
    if "items" in rules:
        count = len(rules["items"])
        return {"items": [_schema(item) for item in rules["items"]], "minItems": count, "maxItems": count}
    return {"items": _schema(rules["schema"]), **({"minItems": rules["minlength"]} if "minlength" in rules else {})}


def _members(rules: Rules) -> Json:
    least = {"minProperties": rules["minlength"]} if "minlength" in rules else {}
    if "schema" in rules:
        return {**_object(rules["schema"]), **least}
    return {
        "propertyNames": _schema(rules["keysrules"]),
        "additionalProperties": _schema(rules["valuesrules"]),
        **least,
    }


def _object(keys: Mapping[str, Rules], *, sections: bool = False) -> Json:
    """A mapping of known keys. ``sections``: the collections in it may be parts of them."""
    properties = {}
    for key, rules in keys.items():
        if sections and key in _SECTIONS:
            schema: Json = {"anyOf": [{"$ref": f"#/definitions/part-of-{key}"}, {"type": "null"}]}
        else:
            schema = _schema(rules)
        # Beside a reference an editor of draft 7 looks at nothing, so the reference goes inside.
        properties[key] = {**described(key, tuple(keys)), **({"allOf": [schema]} if "$ref" in schema else schema)}
    needed = [key for key, rules in keys.items() if rules.get("required")]
    rules_between = [rule for key, rules in keys.items() for rule in _between(key, rules)]
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": needed} if needed else {}),
        **({"allOf": rules_between} if rules_between else {}),
    }


def _between(key: str, rules: Rules) -> Iterable[Json]:
    """What one key asks of others beside it."""
    needs = rules.get("dependencies")
    if isinstance(needs, str):
        yield {"dependencies": {key: [needs]}}
    elif needs:
        wanted = {"properties": {other: {"const": value} for other, value in needs.items()}, "required": list(needs)}
        yield {"dependencies": {key: wanted}}
    others = rules.get("excludes", ())
    for other in [others] if isinstance(others, str) else others:
        yield {"not": {"required": [key, other]}}
