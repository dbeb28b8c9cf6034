"""One target under the fuzzer, in a process of its own: ``python fuzz/one.py TARGET [libFuzzer options]``."""

from __future__ import annotations

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["openmed_rules"]):
    from targets import SPLIT, TARGETS

from structure import changed_text


def mutate(content: bytes, longest: int, seed: int) -> bytes:
    """Every other time a change of bytes, otherwise one of a JSON text in them, of at most ``longest`` bytes."""
    if seed % 2 or not content:
        return atheris.Mutate(content, longest)
    parts = content[1:].split(SPLIT)
    random = Random(seed)
    number = random.randrange(len(parts))
    parts[number] = changed_text(parts[number], random)
    mutated = content[:1] + SPLIT.join(parts)
    return mutated if len(mutated) <= longest and mutated != content else atheris.Mutate(content, longest)


if __name__ == "__main__":
    name = sys.argv.pop(1)
    structured = {"custom_mutator": mutate} if name == "judging" else {}
    atheris.Setup(sys.argv, TARGETS[name], **structured)
    atheris.Fuzz()
