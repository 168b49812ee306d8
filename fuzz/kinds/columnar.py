"""Arrow and Parquet files."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from fuzz.doors import file_outcomes
from fuzz.kinds import Kind
from fuzz.mutation import BINARY, mutated
from fuzz.oracle import Difference, Outcome

ROWS = {
    "qid": ["1", "1", "1", "2", "2", "10"],
    "docno": ["a", "b", "x", "e", "document-0123456789", "b"],
    "score": [3, 2, 2, 1, -1, 5],
}
TEXTS = [
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())),
    pa.dictionary(pa.int32(), pa.large_string()),
]
NUMBERS = [pa.float64(), pa.int32(), pa.float32(), pa.decimal128(9, 2), pa.dictionary(pa.int8(), pa.int64())]


def tables() -> Iterator[pa.Table]:
    """The same rows in every type that identifiers and numbers may have; one table has its queries apart."""
    whole = pa.table(ROWS)
    yield whole.cast(pa.schema([("qid", pa.string()), ("docno", pa.string()), ("score", pa.float64())]))
    yield whole.take([0, 3, 1, 4, 5, 2])
    yield pa.table({**ROWS, "stratum": [1] * 6, "extra": [None, "x"] * 3})
    yield whole.set_column(0, "qid", pa.array([1, 1, 1, 2, 2, 10], pa.int16()))
    for text, number in itertools.zip_longest(TEXTS, NUMBERS, fillvalue=pa.float64()):
        yield pa.table(
            [pa.array(ROWS["qid"]).cast(text), pa.array(ROWS["docno"]).cast(text), _cast(number)], list(ROWS)
        )


def _cast(kind: pa.DataType) -> pa.Array:
    numbers = pa.array(ROWS["score"], pa.int64())
    if pa.types.is_dictionary(kind):
        return numbers.dictionary_encode().cast(kind)
    return (
        numbers.cast(pa.float64()).cast(kind)
        if not pa.types.is_decimal(kind)
        else numbers.cast(pa.string()).cast(kind)
    )


def arrow_seeds() -> list[bytes]:
    files = []
    for table in tables():
        for new in (pa.ipc.new_file, pa.ipc.new_stream):
            sink = io.BytesIO()
            with new(sink, table.schema) as writer:
                writer.write_table(table, max_chunksize=4)
            files.append(sink.getvalue())
    for compression in ("lz4", "zstd"):
        sink = io.BytesIO()
        pyarrow.feather.write_feather(pa.table(ROWS), sink, compression=compression)
        files.append(sink.getvalue())
    return files


def parquet_seeds() -> list[bytes]:
    options: list[dict[str, Any]] = [
        *({"compression": name} for name in ("none", "snappy", "gzip", "zstd", "lz4", "brotli")),
        {"compression": "none", "use_dictionary": False, "data_page_version": "2.0"},
        {
            "use_dictionary": False,
            "column_encoding": {"docno": "DELTA_BYTE_ARRAY", "qid": "DELTA_LENGTH_BYTE_ARRAY"},
        },
        {"use_dictionary": False, "column_encoding": {"score": "BYTE_STREAM_SPLIT"}, "store_schema": False},
        {"compression": "none", "store_schema": False, "row_group_size": 2, "write_page_index": True},
    ]
    first, *others = tables()
    pairs = [
        *((first, option) for option in options),
        *((table, {"compression": "none"}) for table in others),
    ]
    files = []
    for table, option in pairs:
        sink = io.BytesIO()
        pq.write_table(table, sink, **{"row_group_size": 4, **option})
        files.append(sink.getvalue())
    return files


def check(data: bytes, read: Any) -> Iterator[Outcome]:
    """Whatever pyarrow finds invalid on a full check must be refused."""
    sound = valid(lambda: read(data))
    for found in file_outcomes(data, messages=False):
        if found[0] == "result" and not sound:
            raise Difference("invalid Arrow data was accepted")
        yield found


def valid(read: Any) -> bool:
    """Whether the columns that count pass Arrow's full check; True where they cannot be read at all."""
    try:
        table = read()
        columns = [table[name] for name in table.column_names if name in ROWS]
    except (pa.ArrowException, OSError, MemoryError, KeyError, ValueError):
        return True
    return all(_sound(chunk) for column in columns for chunk in column.chunks)


def _sound(chunk: pa.Array) -> bool:
    try:
        chunk.validate(full=True)
    except pa.ArrowException as error:
        return "UTF8" in str(error)  # identifiers are bytes
    return True


def read_arrow(data: bytes) -> pa.Table:
    opened = pa.ipc.open_stream if data.startswith(b"\xff\xff\xff\xff") else pa.ipc.open_file
    return opened(pa.BufferReader(data)).read_all()


def read_parquet(data: bytes) -> pa.Table:
    return pq.read_table(pa.BufferReader(data), use_threads=False)


def mutate(rng: random.Random, data: bytes) -> bytes:
    return mutated(rng, data, BINARY)


KINDS = {
    "arrow": Kind(arrow_seeds, mutate, partial(check, read=read_arrow)),
    "parquet": Kind(parquet_seeds, mutate, partial(check, read=read_parquet)),
}
