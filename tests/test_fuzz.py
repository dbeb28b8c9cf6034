"""What the fuzzer calls holds for where it starts, and for every input that once made it fail."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from corpus import CORPORA
from structure import changed_text
from targets import NAMES, SPLIT, TARGETS

EVERY = {"rules": 12, "paths": 7, "records": 9, "judging": 9}
"""One seed of so many is tried here; the fuzzer begins with all of them."""

CRASHES = [
    pytest.param("paths", b"a.b[?(@.ca.b[?(@.c == 1)] == 1)].c" + SPLIT + b'{"a"}}', id="a filter in a filter"),
    pytest.param("paths", b"$" + b"[*]" * 90 + SPLIT + b"[[[1]]]", id="many steps that open arrays"),
    pytest.param("paths", b"$" + b"..c" * 30 + SPLIT + b'{"c":' * 90 + b"1" + b"}" * 90, id="many steps at any depth"),
    pytest.param("judging", b"\x29NaN" + SPLIT + b'{"docs": [{"pmid": 11}]}', id="a case that is no number"),
    pytest.param(
        "judging",
        b'\x1c{"choices": {"message": {}}}' + SPLIT + b'{"allowed": [{"url": "https://x.test/a"}]}',
        id="an object in place of an array on the way",
    ),
]
"""A target, and an input that it once failed with, or took too long for."""


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_what_its_corpus_holds(name: str) -> None:
    for seed in islice(CORPORA[name](), 0, None, EVERY[name]):
        TARGETS[name](seed)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(
    "content", [b"", b"\0", b"\xff", b"\xff\0\0", b"{", b"\x00{}", b"\x05\x1f\x8b", b"\xff{}\0{}\0{}"]
)
def test_a_target_takes_next_to_nothing(name: str, content: bytes) -> None:
    TARGETS[name](content)


@pytest.mark.parametrize(("name", "content"), CRASHES)
def test_what_once_failed(name: str, content: bytes) -> None:
    TARGETS[name](content)


def test_a_corpus_names_every_kind_of_file_and_every_layout() -> None:
    kinds = {seed[0] for seed in CORPORA["records"]()}
    layouts = {seed[0] for seed in CORPORA["judging"]()}

    assert kinds == set(range(len(NAMES)))
    assert len(layouts) > 40


def test_a_text_is_changed_as_json_and_another_is_left() -> None:
    text = b'{"a": [1, 2]}\nnone'
    changes = {changed_text(text, Random(seed)) for seed in range(50)}

    assert text in changes
    assert len(changes) > 10
    assert all(change.endswith(b"\nnone") for change in changes)
