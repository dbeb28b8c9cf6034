"""A job in shares of about one size, which can be judged apart and added up."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from openmed_rules.judging.batch import Judging
from openmed_rules.ruleset.model import RuleSet
from openmed_rules.running.files import STDIN, InputFile, Stretch
from openmed_rules.running.mapping import LONG

OPENING = 1 << 14
"""What it costs to open a file, in bytes that are read meanwhile."""
_UNKNOWN = 1 << 24
"""How long a pipe is taken to be, which nobody knows."""
_PIECE = 1 << 18
_MANY_LINES = 4 * LONG
"""From how many bytes on a file of lines may have a long one: they seldom have, and a process costs as much as 5 MB."""


class Job(Struct, frozen=True):
    """The inputs of one run, and how they are judged; it can be handed to another process.

    ``rules``: with those waivers only that are in force. ``positions``: how many are kept. ``locators``: whether they
    are counted. ``maps``: as ``Reading`` says.
    """

    rules: RuleSet
    summary: tuple[InputFile, ...]
    evidence: tuple[InputFile, ...] | None = None
    strict_json: bool = False
    positions: int = 20
    locators: bool = False
    maps: bool = False

    def judging(self) -> Judging:
        """The rules, ready to judge; raises what ``Judging`` does."""
        return Judging(self.rules, self.evidence is not None, strict_json=self.strict_json, locators=self.locators)

    @property
    def goes_on(self) -> bool:
        """Whether it begins in the middle of a file."""
        stretch = self.summary[0].stretch if self.summary else None
        return stretch is not None and stretch.start > 0


def weight_of(job: Job) -> int:
    """How much there is to read, in bytes, what is opened and what is unknown included."""
    return sum(_length(file) + OPENING for file in (*job.summary, *(job.evidence or ())))


def is_long(job: Job) -> bool:
    """Whether some of it is better left in its file while it is judged: a document, a line, or what is kept."""
    least = {file: LONG if file.format != "jsonl" else _MANY_LINES for file in job.summary}
    least |= dict.fromkeys(job.evidence or (), LONG)
    return any(
        file.packing is None and file.format != "parquet" and not _is_stream(file) and _length(file) >= size
        for file, size in least.items()
    )


def bytes_of(job: Job) -> int | None:
    """How many bytes are read of the summary; None where nobody knows."""
    if any(_is_stream(file) for file in job.summary):
        return None
    return sum(map(_length, job.summary))


def divided(job: Job, size: int) -> list[Job]:
    """``job`` in shares of about ``size`` bytes, in order: files, and stretches of files that are one document a line.

    It stays whole where a case may need another share: with evidence, unless it is one document for all cases. Also
    with a pipe, which only this process may be able to open, and where a file is named twice, whose cases count on.
    """
    names = {file.name for file in job.summary}
    is_apart = _serves_all(job) and len(names) == len(job.summary) and not any(map(_is_stream, job.summary))
    if not is_apart:
        return [job]
    return [replace(job, summary=files) for files in _shares(job.summary, size)] or [job]


def _serves_all(job: Job) -> bool:
    """Whether every case meets the same evidence, which each process can read by itself."""
    if job.evidence is None:
        return True
    (first, *others), rule = job.evidence, job.rules.evidence_input
    return not (others or rule.cases or rule.join) and first.format == "json" and not _is_stream(first)


def _shares(files: tuple[InputFile, ...], size: int) -> Iterator[tuple[InputFile, ...]]:
    together: list[InputFile] = []
    weight = 0
    for file in files:
        length = _length(file)
        stretches = list(_stretches(file, length, size)) if length >= 2 * size else [file]
        if together and (len(stretches) > 1 or weight + length > size):
            yield tuple(together)
            together, weight = [], 0
        if len(stretches) > 1:
            yield from ((stretch,) for stretch in stretches)
        else:
            together.append(file)
            weight += length + OPENING
    if together:
        yield tuple(together)


def _stretches(file: InputFile, length: int, size: int) -> Iterator[InputFile]:
    """``file`` cut at line ends; one that cannot be, or that begins with nothing but white space, stays whole."""
    cuts = [0]
    identity = None
    if file.format == "jsonl" and file.packing is None:
        try:
            with open(file.name, "rb", buffering=0) as stream:  # noqa: PTH123 - as it is opened to be read
                found = os.fstat(stream.fileno())
                identity = (found.st_dev, found.st_ino)
                if stream.read(min(size, _PIECE)).strip(b"\xef\xbb\xbf \t\r\n\v\f"):
                    for wanted in range(size, length - size // 2, size):
                        cut = _after_line(stream, max(wanted, cuts[-1]))
                        if cuts[-1] < cut < length:
                            cuts.append(cut)
        except OSError:  # whoever reads it tells
            cuts = [0]
    if identity is None or len(cuts) == 1:
        yield file
        return
    for start, end in zip(cuts, [*cuts[1:], None], strict=True):
        yield replace(file, stretch=Stretch(start, end, identity))


def _after_line(stream: io.FileIO, place: int) -> int:
    """Where the line ends in which the byte before ``place`` stands."""
    stream.seek(place - 1)
    while piece := stream.read(_PIECE):
        end = piece.find(b"\n")
        if end >= 0:
            return stream.tell() - len(piece) + end + 1
    return stream.tell()


def _length(file: InputFile) -> int:
    try:
        found = os.stat(file.name)  # noqa: PTH116 - a name as it was given
    except (OSError, ValueError):
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else _UNKNOWN


def _is_stream(file: InputFile) -> bool:
    """Whether it is a pipe, a device, or standard input."""
    if file.name == STDIN:
        return True
    try:
        return not stat.S_ISREG(os.stat(file.name).st_mode)  # noqa: PTH116 - as above
    except (OSError, ValueError):
        return False
