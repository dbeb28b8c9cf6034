"""Results to their place: a file is whole or it is the old one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from openmed_rules.errors import OutputError


def write_output(name: str, text: str) -> None:
    """Writes ``text`` to the file ``name``, in UTF-8.

    It is written beside its place, and moved there once it is on the disk: a failure leaves the old file.
    What is no regular file (a device, a pipe) is written to as it stands.

    Raises:
        OutputError: the file cannot be written.
    """
    content = text.encode("utf-8", "backslashreplace")
    try:
        target = Path(os.path.realpath(name))
        named = Path(name)  # what is no regular file may have a name and no path, such as a pipe in /dev/fd
        mode = named.stat().st_mode if named.exists() else None
        if mode is None or stat.S_ISREG(mode):
            _replace(target, content, mode)
        else:
            named.write_bytes(content)
    except OSError as error:
        problem = OutputError("OMR-701", f"{name}: cannot be written: {error.strerror}")
    else:
        return
    raise problem


def _replace(target: Path, content: bytes, mode: int | None) -> None:
    draft = target.with_name(f".openmed-rules-{os.urandom(8).hex()}.tmp")  # a target's name may have any length
    try:
        with draft.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            draft.chmod(stat.S_IMODE(mode))
        draft.replace(target)
    except BaseException:
        # Also where the run is interrupted: nothing half-written stays behind.
        draft.unlink(missing_ok=True)
        raise
