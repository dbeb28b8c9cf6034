"""Compressed files as streams, in which a file that was cut short is an error for every way to compress."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_PIECE = 1 << 12
"""How many packed bytes are unpacked at once: few, since one of them may stand for thousands."""


class DamagedFileError(Exception):
    """A file that is not compressed as its name says, or was cut short."""


class _Part(Protocol):
    """What unpacks one of the parts that stand one after the other in a compressed file."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def _gzip_part() -> _Part:
    return zlib.decompressobj(wbits=31)


def _zstandard_part() -> _Part:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


_PARTS: Final = MappingProxyType[str, Callable[[], _Part]]({"gz": _gzip_part, "zst": _zstandard_part})


def unpacked(packed: IO[bytes], packing: str) -> IO[bytes]:
    """The unpacked bytes of ``packed``, which it closes. ``packing``: ``gz`` or ``zst``.

    Raises:
        OSError: on reading, where the file cannot be read.
        DamagedFileError: on reading.
    """
    return io.BufferedReader(_Unpacked(packed, _PARTS[packing]))


class _Unpacked(io.RawIOBase):
    """All parts of a file, one after the other."""

    def __init__(self, packed: IO[bytes], new_part: Callable[[], _Part]) -> None:
        self._packed = packed
        self._new_part = new_part
        self._part: _Part | None = None
        self._rest = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._ready:
            piece = self._rest or self._packed.read(_PIECE)
            if not piece and self._part:
                raise DamagedFileError
            if not piece:
                return 0
            self._unpack(piece)
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._ready))
        target[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def close(self) -> None:
        self._packed.close()
        super().close()

    def _unpack(self, piece: bytes) -> None:
        if not self._part:
            piece = piece.lstrip(b"\0")  # what stands between parts, and after the last, where a file is filled up
            self._part = self._new_part() if piece else None
        self._rest = b""
        if not self._part:
            return
        try:
            self._ready = memoryview(self._part.decompress(piece))
        except Exception:  # noqa: BLE001 - each way to compress has an error of its own
            raise DamagedFileError from None
        if self._part.eof:
            self._rest = self._part.unused_data
            self._part = None
