"""Tables as documents, one a row: JSON text as it stands in a column, anything else as plain values."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator
from itertools import count, islice
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet, types

from openmed_rules.judging.documents import Document, JsonText, PlainValue
from openmed_rules.judging.values import UNUSABLE
from openmed_rules.results.places import Place, Unreadable

NO_COLUMN = "OMR-607"
NO_TABLE = "OMR-608"

_ROWS = 128
"""How many rows are decoded at once: few, since a row may be a whole document."""
_READ_AHEAD = 1 << 16

_TEXTS = (pa.string(), pa.large_string(), pa.string_view())
_JSON = (*_TEXTS, pa.binary(), pa.large_binary(), pa.binary_view())
"""What a column of cases is JSON text in."""


def read_table(stream: IO[bytes], name: str, column: str | None) -> Iterator[Document]:
    """The documents of the Parquet file in ``stream``, a batch of rows at a time.

    ``name``: what to call the file. ``column``: the one that holds the case; None as in ``case_column``. A file that
    is no table, is damaged or lacks the column ends in an ``Unreadable``.

    Raises:
        OSError: the stream cannot be read from any place of it.
    """
    if not stream.seekable():
        raise io.UnsupportedOperation
    places = (Place(name, row) for row in count(1))
    problem = None
    try:
        table = parquet.ParquetFile(stream, buffer_size=_READ_AHEAD, pre_buffer=False)
        chosen = case_column(table.schema_arrow, column)
        if chosen is None or chosen in table.schema_arrow.names:
            for batch in table.iter_batches(_ROWS, columns=None if chosen is None else [chosen], use_threads=False):
                yield from documents_of(cases_of(batch, chosen), places)
        else:
            problem = NO_COLUMN
    except Exception:  # noqa: BLE001 - a damaged file is told in many ways, and what they say may hold a record
        problem = NO_TABLE
    if problem:
        yield Unreadable(Place(name), problem)


def case_column(schema: pa.Schema, named: str | None) -> str | None:
    """The column that holds the case: the one that is named, or the only one there is where it holds text.

    None: the row itself is the case, with its columns as fields.
    """
    if named is None and len(schema) == 1 and _stored_type(schema.field(0).type) in _JSON:
        return str(schema.field(0).name)
    return named


def cases_of(batch: pa.RecordBatch, column: str | None) -> pa.Array:
    """The cases of a batch of rows: a column of it, or its rows as they are."""
    return batch.to_struct_array() if column is None else batch.column(column)


def documents_of(cases: pa.Array, places: Iterable[Place]) -> Iterator[Document]:
    """Each of ``cases`` as a document: text is JSON, and anything else the value of one.

    ``places``: one for each; no more are taken from it than there are cases.
    """
    stored = _stored(cases)
    if stored.type in _JSON:
        for text, place in zip(stored.cast(pa.large_binary()).to_pylist(), places, strict=False):
            yield PlainValue(place, None) if text is None else JsonText(place, text)
    else:
        for value, place in zip(_plain(stored), places, strict=False):
            yield PlainValue(place, value)


# --- columns in plain values --------------------------------------------------------------------------


def _plain(array: pa.Array) -> list[object]:
    """The values of a column in dicts, lists and scalars; what JSON has no value for (a date) is ``{}``."""
    array = _stored(array)
    kind = array.type
    if types.is_struct(kind):
        return _objects(array)
    if types.is_map(kind):
        return _maps(array)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _lists(array)
    if kind in _TEXTS:
        return _texts(array)
    if types.is_floating(kind):
        return [UNUSABLE if value is not None and not math.isfinite(value) else value for value in array.to_pylist()]
    if types.is_integer(kind) or types.is_boolean(kind) or types.is_null(kind):
        return list(array.to_pylist())
    return [{} if there else None for there in array.is_valid().to_pylist()]


def _objects(array: pa.StructArray) -> list[object]:
    names = [field.name for field in array.type]
    columns = [_plain(column) for column in array.flatten()]
    there = array.is_valid().to_pylist()
    rows = zip(*columns, strict=True) if columns else [()] * len(there)
    return [dict(zip(names, row, strict=True)) if valid else None for row, valid in zip(rows, there, strict=True)]


def _lists(array: pa.Array) -> list[object]:
    items = iter(_plain(array.flatten()))
    lengths = pc.list_value_length(array).to_pylist()
    return [None if length is None else list(islice(items, length)) for length in lengths]


def _maps(array: pa.MapArray) -> list[object]:
    lists = array.cast(pa.list_(pa.struct([("key", pa.string()), ("value", array.type.item_type)])))
    keys, values = lists.flatten().flatten()
    members = iter(zip(_texts(keys), _plain(values), strict=True))
    lengths = pc.list_value_length(lists).to_pylist()
    return [None if length is None else dict(islice(members, length)) for length in lengths]


def _texts(array: pa.Array) -> list[object]:
    try:
        return list(array.to_pylist())
    except UnicodeDecodeError:
        # Half a character becomes half a surrogate pair, which makes the case unreadable where the field is read.
        texts = array.cast(pa.large_binary()).to_pylist()
    return [None if text is None else text.decode(errors="surrogateescape") for text in texts]


def _stored(array: pa.Array) -> pa.Array:
    """A column as it is stored: without the names that an extension gives to a type, and without a dictionary."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array.dictionary_decode() if types.is_dictionary(array.type) else array


def _stored_type(kind: pa.DataType) -> pa.DataType:
    kind = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    return kind.value_type if types.is_dictionary(kind) else kind
