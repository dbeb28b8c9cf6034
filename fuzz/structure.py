"""JSON text changed as JSON: what the bytes of a fuzzer seldom hit upon."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

LEAVES: Final = (
    *(None, True, 0, 1, -1, 7, 2.5, float("nan"), 10**30, 10**5000, "", " ", "1", "e1", "é", "\ud800"),
    *([], {}, [None], {"id": "e1"}),
)
"""What may stand in the place of a value."""


def changed(value: Any, random: Random) -> Any:
    """A copy of ``value`` with one to three places of it deleted, doubled, moved, or filled with something else."""
    whole = [copy.deepcopy(value)]
    for _ in range(random.randint(1, 3)):
        _change(whole, random)
    return whole[0]


def changed_text(text: bytes, random: Random) -> bytes:
    """``text`` with one of its lines changed; as it is where that is no JSON."""
    lines = text.split(b"\n")
    number = random.randrange(len(lines))
    try:
        lines[number] = json.dumps(changed(json.loads(lines[number]), random)).encode()
    except (ValueError, RecursionError):
        return text
    return b"\n".join(lines)


def _change(whole: list[Any], random: Random) -> None:
    places = list(_places(whole))
    container, key = random.choice(places)
    other, there = random.choice(places)
    way = random.choice(["delete", "double", "fill", "take", "swap"])
    if way == "delete" and container is not whole:
        del container[key]
    elif way == "double" and isinstance(container, list) and container is not whole:
        container.insert(key, copy.deepcopy(container[key]))
    elif way == "take":
        container[key] = copy.deepcopy(other[there])
    elif way == "swap":
        kept = copy.deepcopy(container[key])
        container[key] = copy.deepcopy(other[there])
        if other is not whole:
            other[there] = kept
    else:
        container[key] = copy.deepcopy(random.choice(LEAVES))


def _places(container: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in ``container``: what it is in, and its key or number there."""
    pairs = list(container.items() if isinstance(container, dict) else enumerate(container))
    for key, value in pairs:
        yield container, key
        if isinstance(value, (dict, list)):
            yield from _places(value)
