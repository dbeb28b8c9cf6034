"""What a rule file says, once it is known to be right: frozen values that a compiler reads.

Every type here is immutable, hashable and picklable, and holds words of the rule file only.
The words are those of the rule language (``docs/rule-language.md``).
"""

from __future__ import annotations

from datetime import date
from typing import Literal, TypeAlias

from msgspec import Struct

Scalar: TypeAlias = str | int | float | bool | None
Input: TypeAlias = Literal["summary", "evidence"]
ReportName: TypeAlias = Literal["citations", "coverage"]


# --- paths ------------------------------------------------------------------------------------


class Key(Struct, frozen=True):
    """``name`` or ``'quoted name'``: the member of an object."""

    name: str


class Index(Struct, frozen=True):
    """``[n]``: one item of an array, counted from its end where ``n`` is negative."""

    number: int


class Items(Struct, frozen=True):
    """``[*]`` (``opens`` false) or ``.*`` (``opens`` true): the items of an array or the values of an object.

    The two differ only as the last step of ``records``: what ``.*`` finds is not opened again.
    """

    opens: bool


class Slice(Struct, frozen=True):
    """``[start:stop:step]``: some items of an array, as Python counts them."""

    start: int | None
    stop: int | None
    step: int | None


class Descend(Struct, frozen=True):
    """``..``: the value and everything below it, each tried with the step that follows."""


class Equals(Struct, frozen=True):
    """One ``@.a.b == literal`` of a filter; the literal is compared by JSON type."""

    keys: tuple[str, ...]
    literal: Scalar


class Filter(Struct, frozen=True):
    """``[?(@.a == 1 && @.b == 'x')]``: the items of an array for which every test holds."""

    tests: tuple[Equals, ...]


Step: TypeAlias = Key | Index | Items | Slice | Descend | Filter


class Path(Struct, frozen=True):
    """A parsed path.

    ``from_case``: it starts at ``$``, the case; otherwise at the record at hand.
    ``climb``: how many enclosing objects a leading ``^`` climbs first.
    ``steps``: empty for ``$``, ``@`` and ``^`` alone.
    """

    text: str
    from_case: bool
    climb: int
    steps: tuple[Step, ...]


# --- locators ---------------------------------------------------------------------------------


class Field(Struct, frozen=True):
    """The value at the first of ``paths`` that is there.

    ``absent``: values that mean "not there". ``capture``: a pattern that must match the whole value.
    ``default``: what stands in where it is not there; only on an offset, ``within`` or a part.
    """

    paths: tuple[Path, ...]
    absent: tuple[Scalar, ...] = ()
    capture: str | None = None
    default: str | int | None = None


class Place(Struct, frozen=True):
    """Where the record stands: its position, its key, or its JSON Pointer from the case.

    ``base``: what the first position is called. ``climb``: the position of the n-th enclosing object instead.
    ``among_records``: the position counts this collection's records, after ``where``.
    """

    what: Literal["position", "key", "pointer"]
    base: int = 0
    climb: int = 0
    among_records: bool = False


class Composite(Struct, frozen=True):
    """Several values that are one reference: equal only where every part is."""

    parts: tuple[Locator, ...]


Form: TypeAlias = Field | Place | Composite
Locator: TypeAlias = tuple[Form, ...]
"""Forms of which the first that is there gives the value."""


class SpanForm(Struct, frozen=True):
    """One way to read a span: ``start`` with ``end`` or ``length``, or ``pair``; of each part where ``each`` is given.

    Offsets are integers, half-open and counted from 0 once ``base`` and ``closed`` are taken off.
    ``absent`` holds for every offset and for ``within``. ``text_numbers``: offsets may be decimal strings.
    """

    start: Locator = ()
    end: Locator = ()
    length: Locator = ()
    pair: Locator = ()
    each: tuple[Path, ...] = ()
    within: Locator = ()
    closed: bool = False
    base: int = 0
    absent: tuple[Scalar, ...] = ()
    text_numbers: bool = False


Span: TypeAlias = tuple[SpanForm, ...]


class ClassRule(Struct, frozen=True):
    """The class of a record: the value at ``locator`` where it is one of ``labels``."""

    locator: Locator
    labels: tuple[str, ...]


# --- conditions -------------------------------------------------------------------------------


class Test(Struct, frozen=True):
    """``path: literal``, a list of them, or ``{not: ...}``; ``None`` among ``wanted`` means "not there"."""

    path: Path
    wanted: tuple[Scalar, ...]
    negated: bool = False


Where: TypeAlias = tuple[tuple[Test, ...], ...]
"""Alternatives, of which one must hold; each is tests that must all hold. Empty: no condition."""


# --- collections ------------------------------------------------------------------------------


class Split(Struct, frozen=True):
    """Pieces of a text between separators."""

    separator: str


class FindAll(Struct, frozen=True):
    """Every match of a pattern's one group; each split again where ``separator`` is given."""

    pattern: str
    separator: str | None = None


class Range(Struct, frozen=True):
    """The integers of a closed range between the values at two paths of the value."""

    first: Path
    last: Path


class Source(Struct, frozen=True):
    """Where records stand: a path, and what makes records of a value there (None: arrays are opened)."""

    path: Path
    form: Split | FindAll | Range | None = None


class Kind(Struct, frozen=True):
    """A named kind of citation or evidence with its own references; ``ignore`` leaves out what it names."""

    name: str
    where: Where = ()
    id: Locator = ()
    span: Span = ()
    ignore: bool = False


class Claims(Struct, frozen=True):
    """One collection of claims."""

    records: tuple[Source, ...]
    input: Input = "summary"
    where: Where = ()
    id: Locator = ()
    class_rule: ClassRule | None = None
    merge: bool = False


class Hop(Struct, frozen=True):
    """One hop between a citation and its evidence: from ``id`` to the values of ``to``."""

    records: tuple[Source, ...]
    id: Locator
    to: Locator


class Citations(Struct, frozen=True):
    """One collection of citations.

    ``records`` is empty where the record itself is the start (``siblings``). ``claim``: ids of the claims
    that a citation outside its claim belongs to. ``siblings``: citations follow the claim in its array.
    """

    records: tuple[Source, ...]
    input: Input = "summary"
    where: Where = ()
    id: Locator = ()
    span: Span = ()
    kinds: tuple[Kind, ...] = ()
    kind: str | None = None
    claim: Locator = ()
    siblings: bool = False
    follow: tuple[Hop, ...] = ()
    supports: bool = True


class Evidence(Struct, frozen=True):
    """One collection of evidence records."""

    records: tuple[Source, ...]
    input: Input = "summary"
    where: Where = ()
    id: Locator = ()
    span: Span = ()
    kinds: tuple[Kind, ...] = ()
    kind: str | None = None
    class_rule: ClassRule | None = None
    merge: bool = False


Collection: TypeAlias = Claims | Citations | Evidence


# --- inputs -----------------------------------------------------------------------------------


class InputRule(Struct, frozen=True):
    """How one input divides into cases: where they stand, by which id they meet, which fields hold JSON text."""

    cases: tuple[Path, ...] = ()
    join: Locator = ()
    embedded_json: tuple[Path, ...] = ()


# --- policy -----------------------------------------------------------------------------------


class Tolerance(Struct, frozen=True):
    """How much of one reason is tolerated: ``count``, or ``parts`` of ``whole`` (5% is 5 of 100), or any amount."""

    count: int = 0
    parts: int = 0
    whole: int = 0
    any: bool = False

    def holds(self, found: int, of: int) -> bool:
        """Whether ``found`` of ``of`` is tolerated; compared in integers."""
        if self.any or not found:
            return True
        if self.whole:
            return found * self.whole <= self.parts * of
        return found <= self.count


NOTHING = Tolerance()


class Tolerances(Struct, frozen=True):
    """What is tolerated of one reason: ``default``, and for ``classes`` with an entry of their own."""

    default: Tolerance = NOTHING
    classes: tuple[tuple[str, Tolerance], ...] = ()


class Waiver(Struct, frozen=True):
    """One reason that does not fail up to and with the day ``until`` (UTC): why, and who answers for it."""

    reason: str
    until: date
    because: str
    owner: str


class Policy(Struct, frozen=True):
    """How strict the gate is.

    ``tolerate`` holds the reasons that have an entry, in the order of the file; ``warn`` those of which an amount
    beyond what is tolerated is told, and does not fail.
    """

    malformed: Literal["invalid", "ignore"] = "invalid"
    unavailable: Literal["abstain", "count"] = "abstain"
    spans: Literal["exact", "inside"] = "exact"
    tolerate: tuple[tuple[str, Tolerances], ...] = ()
    per: Literal["case", "batch"] = "case"
    failed_cases: Tolerance = NOTHING
    warn: tuple[tuple[str, Tolerances], ...] = ()
    waivers: tuple[Waiver, ...] = ()


# --- the whole --------------------------------------------------------------------------------


class RuleSet(Struct, frozen=True):
    """A rule file after ``extends``.

    ``sha256`` is of its effective content; ``measure_sha256`` of what decides what is counted, so that it stays
    where only the policy gets stricter or looser.
    """

    version: int
    name: str
    claims: tuple[Claims, ...]
    citations: tuple[Citations, ...]
    evidence: tuple[Evidence, ...]
    description: str = ""
    summary_input: InputRule = InputRule()
    evidence_input: InputRule = InputRule()
    reports: tuple[ReportName, ...] = ("citations", "coverage")
    policy: Policy = Policy()
    reads_text: bool = False
    sha256: str = ""
    measure_sha256: str = ""

    @property
    def reads_evidence_input(self) -> bool:
        """Whether a collection reads the second input."""
        collections: tuple[Collection, ...] = (*self.claims, *self.citations, *self.evidence)
        return any(collection.input == "evidence" for collection in collections)
