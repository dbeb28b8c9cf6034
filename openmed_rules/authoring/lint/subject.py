"""What the checks look at: a rule file section by section, how its tests ended, and the values in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, TypeAlias

from openmed_rules.authoring.rule_tests import RuleTestRun, run_rule_tests
from openmed_rules.ruleset.loader import RuleFile, RuleTest
from openmed_rules.ruleset.model import Citations, Evidence, Locator, Source, Span, Where
from openmed_rules.ruleset.problems import Fault, KeyPath
from openmed_rules.ruleset.sections import AnyPart, Part, Sections

Check: TypeAlias = "Callable[[Subject], Iterable[Fault]]"


class Subject:
    """One rule file under its checks."""

    def __init__(self, file: RuleFile) -> None:
        """Look at ``file``."""
        self.file = file
        self.sections = Sections(file.data)

    @cached_property
    def run(self) -> RuleTestRun:
        """How the file's own tests ended."""
        return run_rule_tests(self.file)

    @property
    def referring(self) -> list[Part[Citations] | Part[Evidence]]:
        """The collections whose records carry references."""
        return [*self.sections.citations, *self.sections.evidence]

    @property
    def tests(self) -> tuple[RuleTest, ...]:
        """The file's own tests."""
        return self.file.tests

    @property
    def tests_in_files(self) -> bool:
        """Whether the values of a test stand in other files, where nothing looks for them."""
        return any(test.files for test in self.tests)

    @cached_property
    def test_values(self) -> frozenset[tuple[type, object]]:
        """Every single value in the tests, with its type: 1 is not true."""
        cases = (case for test in self.tests for case in test.cases)
        return frozenset((type(value), value) for case in cases for side in case for value in leaves(side))


def leaves(value: Any) -> Iterator[object]:  # noqa: ANN401 - plain data
    """Every single value in plain data, without keys."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is None:
        yield value
    else:
        for item in inner:
            yield from leaves(item)


def sources_of(part: AnyPart) -> Iterator[tuple[KeyPath, Source]]:
    """The places from which a collection takes its records, each with where the file says so."""
    said = part.said.get("records")
    for number, source in enumerate(part.rule.records):
        place = (*part.place, "records", number) if isinstance(said, list) else (*part.place, "records")
        yield place, source


def wheres_of(part: AnyPart) -> Iterator[tuple[KeyPath, Where]]:
    """The conditions of a collection and of its kinds."""
    yield (*part.place, "where"), part.rule.where
    for kind in getattr(part.rule, "kinds", ()):
        yield (*part.place, "kinds", kind.name, "where"), kind.where


def references_of(part: Part[Citations] | Part[Evidence]) -> Iterator[tuple[KeyPath, Locator, Span]]:
    """The id and the span of a collection, or of each of its kinds that is not ignored."""
    if not part.rule.kinds:
        yield part.place, part.rule.id, part.rule.span
    for kind in part.rule.kinds:
        if not kind.ignore:
            yield (*part.place, "kinds", kind.name), kind.id, kind.span
