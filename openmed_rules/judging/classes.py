"""The class of a claim or an evidence record, compiled once: one of the labels that the rule file lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from openmed_rules.judging.locators import compile_id
from openmed_rules.judging.nodes import Node
from openmed_rules.judging.watching import Watch
from openmed_rules.ruleset import model

ClassReader: TypeAlias = "Callable[[Node], str | None]"


def compile_class(rule: model.ClassRule | None, watch: Watch) -> ClassReader | None:
    """``rule`` as a function that gives a record's label, or None for what has another; None: no rule."""
    if rule is None:
        return None
    read = compile_id(rule.locator, watch.at("class"))
    labels = {label: label for label in rule.labels}

    def label_of(node: Node) -> str | None:
        # The rule file's own word is given back, never the record's.
        value = read(node)
        return labels.get(value) if isinstance(value, str) else None

    return label_of
