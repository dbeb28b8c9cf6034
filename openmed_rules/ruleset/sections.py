"""The sections of a rule file of the right shape, each collection with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from openmed_rules.ruleset.build import build_citations, build_claims, build_evidence
from openmed_rules.ruleset.model import Citations, Claims, Evidence
from openmed_rules.ruleset.problems import KeyPath

COLLECTIONS = ("claims", "citations", "evidence")

_Rule = TypeVar("_Rule", Claims, Citations, Evidence)


class Part(Struct, Generic[_Rule], frozen=True):
    """One collection: where it stands, what it says, and the rule that this builds."""

    place: KeyPath
    said: Mapping[str, Any]
    rule: _Rule


AnyPart: TypeAlias = Part[Claims] | Part[Citations] | Part[Evidence]


class Sections:
    """What a rule file says, section by section; one that is not asked for may have any shape."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data

    def section(self, name: str) -> Mapping[str, Any]:
        """A section that is a mapping and may be absent."""
        section: Mapping[str, Any] = self.data.get(name, {})
        return section

    @cached_property
    def claims(self) -> list[Part[Claims]]:
        """The collections of claims."""
        return self._parts("claims", build_claims)

    @cached_property
    def citations(self) -> list[Part[Citations]]:
        """The collections of citations."""
        return self._parts("citations", build_citations)

    @cached_property
    def evidence(self) -> list[Part[Evidence]]:
        """The collections of evidence."""
        return self._parts("evidence", build_evidence)

    @property
    def collections(self) -> list[AnyPart]:
        """Every collection of the file."""
        return [*self.claims, *self.citations, *self.evidence]

    @property
    def reads_evidence_input(self) -> bool:
        """Whether a collection reads the second input."""
        return any(part.rule.input == "evidence" for part in self.collections)

    def _parts(self, name: str, build: Callable[[Mapping[str, Any]], _Rule]) -> list[Part[_Rule]]:
        said = self.data[name]
        if isinstance(said, list):
            return [Part((name, number), item, build(item)) for number, item in enumerate(said)]
        return [Part((name,), said, build(said))]
