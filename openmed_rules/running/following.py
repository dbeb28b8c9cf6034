"""How far a file has been read: for whoever waits, and for whoever goes on where a stretch of it ends."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Tell: TypeAlias = Callable[[int, int], None]
"""Hears how many bytes were read, and how many cases judged, since it was told last."""


class Reading:
    """Where the reading is: ``lines`` is how many the last file has that is one document a line."""

    def __init__(self, tell: Callable[[int], None] | None = None, *, maps: bool = False, keeps: bool = False) -> None:
        """``tell``: hears of every piece that is read how many bytes it has; those of standard input and tables not.

        ``maps``: long documents stay in their files; the system ends the process where one is cut short meanwhile.
        ``keeps``: the documents are kept for later, so that the lines of a long file stay in it, too.
        """
        self.lines = 0
        self.tell = tell
        self.maps = maps
        self.keeps = keeps


class Followed(io.RawIOBase):
    """A stream, or so many bytes of it, of which it is told how far it has been read; closed, it closes the stream."""

    def __init__(self, stream: IO[bytes], reading: Reading, length: int | None = None) -> None:
        """``length``: how many bytes are left to be read; None for all there are."""
        self._stream = stream
        self._tell = reading.tell
        self._left = length

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def fileno(self) -> int:
        """The number of the stream, for whoever wants its file."""
        return self._stream.fileno()

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read a piece."""
        target = memoryview(buffer).cast("B")[: self._left]
        read: int = self._stream.readinto(target)  # type: ignore[attr-defined]
        if self._left is not None:
            self._left -= read
        if self._tell is not None:
            self._tell(read)
        return read

    def readall(self) -> bytes:
        """Read what is left of a stream that is read whole; the base class would do it in small pieces."""
        if self._left is not None:
            return super().readall()
        content = self._stream.read()
        if self._tell is not None:
            self._tell(len(content))
        return content

    def close(self) -> None:
        """Close the stream, too."""
        self._stream.close()
        super().close()
