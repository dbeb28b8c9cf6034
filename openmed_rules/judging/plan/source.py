"""The functions of a plan, as source text made for one layout.

What is plain is judged in the loop. A citation that does not lead straight to its record is weighed as the general
way weighs it, and so are all where some of the evidence is not valid. A case that the loop cannot take gives None and
goes the general way whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import GenericAlias
from typing import Any

from msgspec import Struct

from openmed_rules.judging.plan.arrays import array_at, indented, opened
from openmed_rules.judging.plan.citing import Citing
from openmed_rules.judging.plan.knowing import Knowledge
from openmed_rules.judging.plan.layout import Layout, Way
from openmed_rules.judging.plan.shape import Shape
from openmed_rules.ruleset import model

INPUTS: tuple[model.Input, ...] = ("summary", "evidence")


class Source(Struct, frozen=True):
    """The text of a plan: ``judge`` of a case, and ``summary_cases`` and ``evidence_cases`` of a document.

    In slices ``judge`` takes those of the claims and those of the evidence, both by collection, and gives beside the
    counts the records that claims refer to, all records by collection, and a function that gives the tables of these.
    ``documents``: by input, the type of its documents.
    """

    text: str
    documents: dict[model.Input, Any]


def source_of(layout: Layout, *, in_slices: bool) -> Source:
    """The functions for ``layout``. ``in_slices``: a case comes as slices of it.

    Raises:
        NotPlanned: one member is read in two ways.
    """
    inputs = {name: _Input(layout.cases[name]) for name in INPUTS}
    shapes = {name: of.case for name, of in inputs.items()}
    knowledge = Knowledge(layout, in_slices=in_slices)
    evidence = list(knowledge.lines(layout, shapes))
    citing = Citing(layout, knowledge, in_slices=in_slices)
    claims = list(citing.lines(shapes))
    counts = list(_counts(can_weed=knowledge.can_weed))
    if in_slices:
        last = f"return counts, referenced, gathered, {knowledge.all_tables()}"
        judge = ["def judge(claim_slices, evidence_slices):", *indented((*evidence, *claims, *counts, last))]
    else:
        judge = ["def judge(summary, evidence):", *indented((*evidence, *claims, *counts, "return counts"))]
    lines = [*knowledge.functions(), *judge]
    for name, of in inputs.items():
        lines += [f"def {name}_cases(document):", *indented(of.lines)]
    return Source("\n".join(lines) + "\n", {name: of.document() for name, of in inputs.items()})


class _Input:
    """One input: the shape of its cases, and how they stand in a document."""

    def __init__(self, way: Way | None) -> None:
        self._root = Shape()
        self._is_array = way == ()
        if way:
            place, self.case = array_at([way], "document", self._root)
            self.lines = [*opened("cases", place), "return cases or None"]
        else:
            self.case = self._root
            self.lines = [*opened("cases", "document"), "return cases or None"]

    def document(self) -> Any:
        root = self._root.struct()
        return GenericAlias(list, (root,)) | root if self._is_array else root


def _counts(*, can_weed: bool) -> Iterator[str]:
    """The counts, in the order of ``Counts``."""
    yield "if weigher is None:"
    yield "    weigher = NOTHING_WEIGHED"
    yield "counts = counted(("
    yield "    claim_count, supported, uncited, without_reference, cited, cited - weigher.invalid,"
    yield "    repeated + weigher.repeated,"
    yield "    weigher.no_record, weigher.no_span, weigher.no_way,"
    yield "    weigher.only_record, weigher.only_span, weigher.only_both,"
    yield "    cited - odd + doubly + weigher.reference, weigher.no_record, weigher.no_span,"
    yield f"    count, {'count - invalid - doubled, invalid, doubled' if can_weed else 'count, 0, 0'}, len(referenced),"
    yield "    0, 0, 0, 0, 0, joined, left_claims, left_citations, left_evidence,"
    yield "    NO_CLASSES,"
    yield "))"
    if can_weed:
        yield "if invalid or doubled:"
        yield "    counts = settled(counts)"
