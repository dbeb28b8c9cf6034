"""The page about the built-in layouts, made of their rule files (``docs/layouts.md``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmed_rules.ruleset.files import builtin_names
from openmed_rules.ruleset.loader import RuleFile, load_rule_file

HEAD = """\
# The built-in layouts

This page is made of the rule files in `rules/`; a test keeps it so. Use one by its name
(`openmed-rules check -r healthscribe summary.json --evidence transcript.json`), read it with
`openmed-rules show healthscribe`, or build on it with `extends: healthscribe`.

| name | what it is for | judged |
|---|---|---|
"""

WORDS = (
    "absent", "among", "base", "capture", "cases", "claim", "class", "closed", "default", "each", "embedded_json",
    "find_all", "follow", "ignore", "join", "kind", "kinds", "length", "merge", "numbers", "of", "pair", "parts",
    "place", "range", "siblings", "split", "supports", "where", "within",
)  # fmt: skip


def render_layouts() -> str:
    """The whole page."""
    files = [load_rule_file(name) for name in builtin_names()]
    rows = "".join(f"| [{file.rules.name}](#{file.rules.name}) | {_cell(file)} | {_judged(file)} |\n" for file in files)
    return HEAD + rows + "".join(f"\n{_section(file)}" for file in files)


def _cell(file: RuleFile) -> str:
    return file.rules.description.replace("|", "\\|")


def _judged(file: RuleFile) -> str:
    return " and ".join(file.rules.reports)


def _section(file: RuleFile) -> str:
    data = file.data
    needs = "a summary and an evidence input" if file.rules.reads_evidence_input else "a summary"
    lines = [
        f"## {file.rules.name}\n",
        f"\n{file.rules.description}\n",
        f"\nNeeds {needs}; judges {_judged(file)}.\n\n",
    ]
    lines += (f"* {line}\n" for line in _lines(data))
    tolerated = (data.get("policy") or {}).get("tolerate")
    if tolerated:
        said = ", ".join(f"`{reason}: {amount}`" for reason, amount in tolerated.items())
        lines.append(f"* tolerates {said}\n")
    words = [word for word in WORDS if word in set(_keys({key: data.get(key) for key in SECTIONS}))]
    if words:
        lines.append(f"* words: {', '.join(f'`{word}`' for word in words)}\n")
    return "".join(lines)


SECTIONS = ("inputs", "claims", "citations", "evidence")


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    for side, rule in (data.get("inputs") or {}).items():
        if "cases" in rule:
            yield f"cases of the {side}: {_paths(rule['cases'])}"
    for section in ("claims", "citations", "evidence"):
        said = data[section]
        for collection in said if isinstance(said, list) else [said]:
            yield f"{section}: {_place(collection)}{_references(collection)}"


def _place(collection: Mapping[str, Any]) -> str:
    where = "in the evidence input, " if collection.get("in") == "evidence" else ""
    if "records" not in collection:
        return f"{where}the items after the claim"
    return f"{where}at {_paths(collection['records'])}"


def _references(collection: Mapping[str, Any]) -> str:
    if "kinds" in collection:
        kinds = (f"{name}{_references(kind)}" for name, kind in collection["kinds"].items() if not kind.get("ignore"))
        return f"; kinds: {'; '.join(kinds)}"
    said = [f"id {_paths(collection['id'])}"] if "id" in collection else []
    if "span" in collection:
        said += (_span(form) for form in _list(collection["span"]))
    if not collection.get("supports", True):
        said.append("supports nothing")
    return "".join(f", {part}" for part in said)


def _span(form: Mapping[str, Any]) -> str:
    ends = [f"{key} {_paths(form[key])}" for key in ("each", "start", "end", "length", "pair", "within") if key in form]
    how = "inclusive" if form.get("closed") else "half-open"
    return f"span ({', '.join(ends)}; {how}, from {form.get('base', 0)})"


def _paths(said: object) -> str:
    """Paths as they are written, whatever form they stand in."""
    if isinstance(said, list):
        return " or ".join(_paths(item) for item in said)
    if isinstance(said, dict):
        if "parts" in said:
            return f"the parts {' with '.join(_paths(part) for part in said['parts'])}"
        if "place" in said:
            return f"its {said['place']}" + (f" from {said['base']}" if said.get("base") else "")
        form = "".join(f", {key} `{said[key]}`" for key in ("capture", "find_all", "split", "range") if key in said)
        return f"{_paths(said['path'])}{form}"
    return f"`{said}`"


def _list(said: object) -> list[Any]:
    return said if isinstance(said, list) else [said]


def _keys(said: object) -> Iterator[str]:
    if isinstance(said, dict):
        for key, value in said.items():
            yield key
            yield from _keys(value)
    elif isinstance(said, list):
        for item in said:
            yield from _keys(item)
