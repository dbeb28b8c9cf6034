"""The ways through the data: how many values each step of a path met, of which types, and where they ended.

Only counts, types and words of the rule file leave: a key of a record is told where the rule file has that word, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec.structs import replace

from openmed_rules.judging.collecting import LeftOut, compile_records, compile_sorting
from openmed_rules.judging.nodes import MALFORMED, CaseRoots, Node
from openmed_rules.judging.references import counts_records, takes_keys
from openmed_rules.judging.values import UNUSABLE
from openmed_rules.judging.walking import Found, Walk, compile_walk, open_array
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model
from openmed_rules.ruleset.problems import nearest

_Entry = TypeVar("_Entry")

_TYPES: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "text",
    bool: "true or false",
    int: "whole number",
    float: "fraction",
    type(None): "null",
}


@dataclass(slots=True)
class StepCounts:
    """One step of a path: ``values`` by type after it, ``ended`` why others ended here, and near words.

    ``near``: words of the rule file that are keys of the objects in which this step found nothing.
    """

    text: str
    values: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    near: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class PathTrace:
    """One path of a rule file: its place there (``claims.records``), its text, and its steps with the start first."""

    name: str
    text: str
    steps: list[StepCounts]


class Tracer:
    """Follows every path of a rule set through case after case, and adds up what it met."""

    def __init__(self, rules: model.RuleSet, vocabulary: Collection[str]) -> None:
        """Trace ``rules``; ``vocabulary``: the words that may be told."""
        self.traces: dict[tuple[str, str], PathTrace] = {}
        self._rules = rules
        self._vocabulary = {word: word for word in vocabulary}

    def add_document(self, side: str, rule: model.InputRule, value: object) -> None:
        """Follow the paths to the cases of one document."""
        for name, path in _paths(f"inputs.{side}.cases", rule.cases):
            self._trace(name, path, [Node(value)])

    def add_case(self, roots: CaseRoots) -> None:
        """Follow the paths of every collection through one case."""
        rules = self._rules
        for side, rule, starts in (
            ("summary", rules.summary_input, roots.starts("summary")),
            ("evidence", rules.evidence_input, roots.starts("evidence")),
        ):
            self._locator(f"inputs.{side}.join", rule.join, starts)
        claims: list[Node] = []
        for name, claiming in _each("claims", rules.claims):
            claims += (node for node, _ in self._records(name, claiming, roots.starts(claiming.input)))
        for name, citing in _each("citations", rules.citations):
            starts = roots.starts(citing.input) if citing.claim else claims
            if citing.siblings:
                starts = list(_following(claims))
            records = list(self._records(name, citing, starts))
            self._locator(f"{name}.claim", citing.claim, [node for node, _ in records])
            for hop_name, hop in _each(f"{name}.follow", citing.follow):
                self._sources(hop_name, hop.records, roots.starts(citing.input))
        for name, cited in _each("evidence", rules.evidence):
            list(self._records(name, cited, roots.starts(cited.input)))

    # --- collections ---

    def _records(
        self, name: str, collection: model.Collection, starts: Sequence[Node]
    ) -> Iterator[tuple[Node, model.Kind | None]]:
        """The records of a collection, each with its kind; what locates them and reads them is traced on the way."""
        kinds = () if isinstance(collection, model.Claims) else collection.kinds
        found = self._sources(name, collection.records, starts, takes_keys=takes_keys(collection))
        if not collection.records:
            found = list(starts)
        self._where(f"{name}.where", collection.where, found)
        sort = compile_sorting(
            collection.where,
            kinds,
            Watch(),
            scalars_lack_fields=isinstance(collection, model.Evidence),
            numbered=counts_records(collection),
        )
        members = [(node, kind) for node, kind, malformed in sort(found, LeftOut()) if not malformed]
        for number, kind in enumerate(kinds):
            self._where(f"{name}.kinds.{kind.name}.where", kind.where, found)
            of_kind = [node for node, which in members if which == number]
            self._references(f"{name}.kinds.{kind.name}", kind.id, kind.span, of_kind)
        nodes = [node for node, _ in members]
        if not kinds:
            span = () if isinstance(collection, model.Claims) else collection.span
            self._references(name, collection.id, span, nodes)
        class_rule = None if isinstance(collection, model.Citations) else collection.class_rule
        if class_rule is not None:
            self._locator(f"{name}.class", class_rule.locator, nodes)
        yield from ((node, kinds[kind] if kinds else None) for node, kind in members)

    def _sources(
        self, name: str, sources: Sequence[model.Source], starts: Sequence[Node], *, takes_keys: bool = False
    ) -> list[Node]:
        for source_name, source in _each(f"{name}.records", sources):
            self._trace(source_name, source.path, starts)
        if not sources:
            return []
        records = compile_records(sources, Watch(), takes_keys=takes_keys, lenient=True)
        return [node for start in starts for node in records(start)]

    def _where(self, name: str, where: model.Where, nodes: Sequence[Node]) -> None:
        for test in (test for tests in where for test in tests):
            self._trace(f"{name}.{test.path.text}", test.path, nodes)

    def _references(self, name: str, locator: model.Locator, span: model.Span, nodes: Sequence[Node]) -> None:
        self._locator(f"{name}.id", locator, nodes)
        for form_name, form in _each(f"{name}.span", span):
            starts = nodes
            if form.each:
                for path_name, path in _paths(f"{form_name}.each", form.each):
                    self._trace(path_name, path, nodes)
                walks = [compile_walk(path, open_array, lenient=True) for path in form.each]
                starts = [place for node in nodes for place in _first_found(walks, node)]
            for key in ("start", "end", "length", "pair", "within"):
                self._locator(f"{form_name}.{key}", getattr(form, key), starts)

    def _locator(self, name: str, locator: model.Locator, nodes: Sequence[Node]) -> None:
        for form_name, form in _each(name, locator):
            if isinstance(form, model.Composite):
                for part_name, part in _each(f"{form_name}.parts", form.parts):
                    self._locator(part_name, part, nodes)
            elif isinstance(form, model.Field):
                for path_name, path in _paths(form_name, form.paths):
                    self._trace(path_name, path, nodes)

    # --- one path ---

    def _trace(self, name: str, path: model.Path, starts: Sequence[Node]) -> None:
        trace = self.traces.get((name, path.text))
        if trace is None:
            texts = ["start", *map(_spell, path.steps)]
            trace = PathTrace(name, path.text, [StepCounts(text) for text in texts])
            self.traces[name, path.text] = trace
        for number, counts in enumerate(trace.steps):
            here = _places(replace(path, steps=path.steps[:number]), starts)
            counts.values.update(_type(node.value) for node in here)
            if number < len(path.steps):
                self._end(trace.steps[number + 1], path.steps[number], here)

    def _end(self, counts: StepCounts, step: model.Step, nodes: Sequence[Node]) -> None:
        """Count why a step found nothing in some of ``nodes``."""
        for node in nodes:
            why = _why_ended(step, node.value)
            if why:
                counts.ended[why] += 1
            if why == "no such key" and isinstance(step, model.Key) and type(node.value) is dict:
                known = [self._vocabulary[key] for key in node.value if key in self._vocabulary]
                word = nearest(step.name, known)
                if word is not None:
                    counts.near[word] += 1


def _first_found(walks: Sequence[Walk], node: Node) -> list[Node]:
    for walk in walks:
        found = Found()
        walk(node, found)
        if found.places:
            return [place for place in found.places if place.value is not MALFORMED]
    return []


def _places(path: model.Path, starts: Sequence[Node]) -> list[Node]:
    """Where a path leads to from all of ``starts``, without the places at which it broke off."""
    walk = compile_walk(path, _keep, lenient=True)
    found = Found()
    for start in starts:
        walk(start, found)
    return [node for node in found.places if node.value is not MALFORMED]


def _keep(node: Node, found: Found) -> None:
    found.add(node)


def _following(claims: Sequence[Node]) -> Iterator[Node]:
    """The items behind each claim in its own array, up to the next claim."""
    places = {(id(node.parent), node.key) for node in claims}
    for node in claims:
        array = node.parent.value if node.parent is not None else None
        if type(array) is not list or type(node.key) is not int:
            continue
        for position in range(node.key + 1, len(array)):
            if (id(node.parent), position) in places:
                break
            yield Node(array[position], node.parent, position)


def _why_ended(step: model.Step, value: object) -> str:
    """Why ``step`` finds nothing in ``value``, in words; empty where it finds something."""
    if type(step) is model.Key:
        if type(value) is not dict:
            return f"{_named(value)} has no keys"
        if step.name not in value:
            return "no such key"
        return "null" if value[step.name] is None else ""
    if type(step) is model.Descend:
        return ""
    if type(value) is dict and isinstance(step, (model.Items, model.Filter)):
        return "" if value else "an empty object"
    if type(value) is not list:
        return f"{_named(value)} has no items"
    return "" if value else "an empty array"


def _type(value: object) -> str:
    if value is UNUSABLE:
        return "no JSON value"
    return _TYPES.get(type(value), "no JSON value")


def _named(value: object) -> str:
    word = _type(value)
    return word if value is None or word == "true or false" else f"a{'n' * (word[0] in 'ao')} {word}"


def _spell(step: model.Step) -> str:
    """A step as a rule file writes it."""
    if isinstance(step, model.Key):
        return f".{step.name}"
    if isinstance(step, model.Index):
        return f"[{step.number}]"
    if isinstance(step, model.Items):
        return ".*" if step.opens else "[*]"
    if isinstance(step, model.Slice):
        return "[a slice]"
    return ".." if isinstance(step, model.Descend) else "[a filter]"


def _each(name: str, entries: Sequence[_Entry]) -> Iterator[tuple[str, _Entry]]:
    """The entries of a list, each under its name; one alone bears that of the list."""
    if len(entries) == 1:
        yield name, entries[0]
    else:
        yield from ((f"{name}[{number}]", entry) for number, entry in enumerate(entries))


def _paths(name: str, paths: Sequence[model.Path]) -> Iterator[tuple[str, model.Path]]:
    yield from _each(f"{name}.path" if len(paths) > 1 and not name.startswith("inputs") else name, paths)
