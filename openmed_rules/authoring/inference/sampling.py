"""A bounded sample of the documents, spread over all of them, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from openmed_rules.judging.documents import Document, JsonText, PlainValue
from openmed_rules.judging.parsing import Parsed, parse_document
from openmed_rules.results.places import Unreadable

MOST_DOCUMENTS: Final = 400
MOST_BYTES: Final = 2 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents that could be read, in their order, with their values, and the others.

    ``seen``: how many there were in all.
    """

    documents: tuple[Document, ...] = field(repr=False)
    values: tuple[object, ...] = field(repr=False)
    seen: int
    unreadable: tuple[Unreadable, ...]


def take_sample(documents: Iterable[Document], told: Callable[[int], None], *, every: bool = False) -> Sample:
    """A sample of ``documents``: each n-th, where n doubles as often as there are too many.

    ``told`` is called with the size in bytes of each document that was met. ``every``: all of them are taken.
    """
    kept: list[tuple[int, Document]] = []
    stride, size, seen = 1, 0, 0
    for number, document in enumerate(documents):
        seen += 1
        told(_size(document))
        if number % stride:
            continue
        kept.append((number, document))
        size += _size(document)
        while not every and len(kept) > 1 and (len(kept) > MOST_DOCUMENTS or size > MOST_BYTES):
            stride *= 2
            kept = [(n, one) for n, one in kept if n % stride == 0]
            size = sum(_size(one) for _, one in kept)
    parsed = [(document, parse_document(document)) for _, document in kept]
    good = [(document, value.value) for document, value in parsed if isinstance(value, Parsed)]
    return Sample(
        tuple(PlainValue(document.place, value) for document, value in good),
        tuple(value for _, value in good),
        seen,
        tuple(value for _, value in parsed if isinstance(value, Unreadable)),
    )


def _size(document: Document) -> int:
    return len(document.content) if isinstance(document, JsonText) else 1
