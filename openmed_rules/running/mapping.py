"""Long documents as the system maps them: their bytes stay in the file until they are looked at."""

from __future__ import annotations

import mmap
import os
import stat
from typing import IO, Final

LONG: Final = 1 << 22
"""From how many bytes on a document is not held whole where its file can be mapped."""


def mapped(stream: IO[bytes], least: int, start: int = 0, end: int | None = None) -> memoryview | None:
    """The bytes of the file under ``stream`` from ``start`` to ``end`` (None: all that follow).

    None where they are less than ``least``, or it is no file that can be mapped: a pipe, or one that is packed.
    """
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # there is none
        return None
    end = found.st_size if end is None else end
    if not stat.S_ISREG(found.st_mode) or end - start < least:
        return None
    whole = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    return memoryview(whole)[start:end]
