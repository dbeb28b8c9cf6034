"""``where``, compiled once: whether a record is one of a collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from openmed_rules.judging.nodes import ABSENT, MALFORMED, Node
from openmed_rules.judging.values import refuse_unusable, same_literal
from openmed_rules.judging.walking import compile_reader
from openmed_rules.ruleset import model

Condition: TypeAlias = Callable[[Node], "bool | None"]
"""Whether it holds; None where that cannot be judged."""


def compile_where(where: model.Where, *, scalars_lack_fields: bool) -> Condition:
    """``where`` as a function of a record: some alternative holds, all of whose tests hold.

    ``scalars_lack_fields``: a record that is no object or array lacks every field; otherwise a condition on a
    field of it cannot be judged.
    """
    alternatives = [[_compile_test(test, scalars_lack_fields) for test in tests] for tests in where]

    def condition(node: Node) -> bool | None:
        return _any([_all([test(node) for test in tests]) for tests in alternatives])

    return condition


def _all(results: Sequence[bool | None]) -> bool | None:
    if False in results:
        return False
    return None if None in results else True


def _any(results: Sequence[bool | None]) -> bool | None:
    if True in results:
        return True
    return None if None in results else False


def _compile_test(test: model.Test, scalars_lack_fields: bool) -> Condition:
    read = compile_reader(test.path, lenient=False)
    literals = [literal for literal in test.wanted if literal is not None]
    absent_counts, negated = None in test.wanted, test.negated

    def holds(node: Node) -> bool | None:
        if scalars_lack_fields and type(node.value) is not dict and type(node.value) is not list:
            value: object = ABSENT
        else:
            value = read(node)
        refuse_unusable(value)
        if value is MALFORMED:
            return None
        if value is ABSENT:
            return absent_counts is not negated
        return any(same_literal(value, literal) for literal in literals) is not negated

    return holds
