"""Frames in memory: every library, every type of column, and Arrow buffers that were tampered with."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from fuzz.decisions import Decisions
from fuzz.doors import SCORES, judged, scores_of
from fuzz.kinds import Kind
from fuzz.kinds.columnar import valid
from fuzz.mutation import BINARY, INTEGERS, mutated
from fuzz.oracle import Difference, Outcome, agreed

TYPES = [
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()),
    *(pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int64(), pa.large_string()), pa.int64()),
    pa.uint8(),
    *(pa.float64(), pa.float32(), pa.float16(), pa.decimal128(12, 3), pa.bool_(), pa.null()),
    pa.list_(pa.string()),
    *(pa.timestamp("ns"), pa.date32(), pa.binary(1), pa.run_end_encoded(pa.int32(), pa.string())),
    pa.time32("s"),
    *(pa.struct([("x", pa.string())]), pa.dictionary(pa.int8(), pa.float64()), pa.duration("s"), pa.uint64()),
]
ROLES: dict[str, tuple[list[Any], list[pa.DataType]]] = {
    "qid": (["1", "1", "2", "10", "é", "", None], [pa.string(), pa.large_string(), pa.int64()]),
    "docno": (
        ["a", "b", "c", "d", "e", "document-0123456789", "", None],
        [pa.string(), pa.string_view(), TYPES[6]],
    ),
    "score": ([1, 2, 0, -1, 3, 2147483648, None], [pa.float64(), pa.int32(), pa.float32()]),
}
OBJECTS: list[Any] = [
    *("1", "a", 1, 2, 1.5, None, b"1", b"\xff", True, float("nan"), float("inf"), Decimal("1.5"), 10**30),
    *((), [], {}),
    *(pd.NA, pd.NaT, np.float32(1), np.datetime64("2020"), object(), "\ud800", -1, 2**63),
]
NAMES = [
    *("qid", "docno", "score", "query_id", "doc_id", "relevance", "stratum", "iprob", "x", "", "\0"),
    "score ",
]


def frame_of(decide: Decisions) -> tuple[Any, bool]:
    """A frame of one of the libraries, and whether its buffers are sound."""
    odd = 1 + decide.below(24)
    rows = decide.below(9)
    if decide.rarely(odd):
        return objects(decide, rows), True
    columns = [column(decide, role, rows, odd) for role in ROLES]
    names = [decide.choose(NAMES) if decide.rarely(odd) else name for name in ROLES]
    lengths = {len(c) for c in columns}
    columns = [c.slice(0, min(lengths)) for c in columns]
    try:
        table = pa.table(columns, names)
    except pa.ArrowException:  # so wrong that Arrow itself refuses
        return objects(decide, rows), True
    sound = valid(lambda: table.rename_columns(list(ROLES)))
    return container(decide, table, sound), sound


def column(decide: Decisions, role: str, rows: int, odd: int) -> pa.ChunkedArray:
    values, usual = ROLES[role]
    kind = decide.choose(TYPES) if decide.rarely(odd) else decide.choose(usual)
    options = values if decide.rarely(odd) else values[:5]
    chosen = [decide.choose(options) for _ in range(rows)]
    array = cast(pa.array(chosen), kind)
    if decide.rarely(odd):
        array = array.slice(decide.below(3), decide.below(9))
    if decide.rarely(2 + odd // 4):
        array = tampered(decide, array)
    cut = decide.below(9) if decide.rarely(3) else len(array)
    return pa.chunked_array([array.slice(0, cut), array.slice(cut)], array.type)


def cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """The array in another type where Arrow can, else as it is."""
    try:
        if pa.types.is_dictionary(kind):
            return array.cast(kind.value_type).dictionary_encode().cast(kind)
        return array.cast(kind, safe=False)
    except pa.ArrowException:
        return array


def tampered(decide: Decisions, array: pa.Array) -> pa.Array:
    """The array with a few numbers in its buffers changed, or with a null count that is wrong."""
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(tampered(decide, array.indices), array.dictionary, safe=False)
    if pa.types.is_nested(array.type) or pa.types.is_run_end_encoded(array.type):
        return array
    buffers = list(array.buffers())
    for _ in range(1 + decide.below(2)):
        which = decide.below(len(buffers))
        if buffers[which] is not None and buffers[which].size:
            buffers[which] = changed(decide, buffers[which])
    nulls = decide.choose((-1, -1, -1, array.null_count, 0, len(array)))
    try:
        return pa.Array.from_buffers(array.type, len(array), buffers, nulls, array.offset)
    except (pa.ArrowException, ValueError):  # pyarrow 18 cannot make views of text so
        return array


def changed(decide: Decisions, buffer: pa.Buffer) -> pa.Buffer:
    data = bytearray(buffer)
    size = decide.choose((4, 8, 1, 2))
    value = decide.choose(INTEGERS) * decide.choose((1, -1)) + decide.below(2)
    at = decide.below(256) % max(len(data) // size, 1) * size
    written = (value % 256**size).to_bytes(size, "little")[: len(data) - at]
    data[at : at + len(written)] = written
    return pa.py_buffer(bytes(data))


class Stream:
    """What knows nothing but Arrow's C stream."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


OURS: list[Callable[[pa.Table], Any]] = [
    lambda table: table,
    lambda table: table.to_reader(max_chunksize=3),
    Stream,
    narwhals.from_native,
]
OTHERS: list[Callable[[pa.Table], Any]] = [
    lambda table: table.to_pandas(),
    lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    pl.from_arrow,
    lambda table: pl.DataFrame(pl.from_arrow(table)).lazy(),
    lambda table: pl.DataFrame(pl.from_arrow(table)).cast({pl.String: pl.Categorical}),
]


def container(decide: Decisions, table: pa.Table, sound: bool) -> Any:
    """The table as it is or in another library; those that copy it would crash if it were not sound."""
    convert = decide.choose([*OURS, *OTHERS] if sound else OURS)
    try:
        return convert(without_views(table) if convert in OTHERS else table)
    except Exception:  # that library has no such type
        return table


def without_views(table: pa.Table) -> pa.Table:
    """Text that is not in views, which Polars 1.3 crashes on."""
    plain = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
    return table.cast(pa.schema([(field.name, plain.get(field.type, field.type)) for field in table.schema]))


def objects(decide: Decisions, rows: int) -> pd.DataFrame:
    """A pandas frame of mixed Python objects, under an index of any kind."""
    data = [[decide.choose(OBJECTS) for _ in range(3)] for _ in range(rows)]
    names: Any = [decide.choose(NAMES) for _ in range(3)] if decide.rarely(3) else list(ROLES)
    if decide.rarely(4):
        names = pd.MultiIndex.from_arrays([names, names])
    return pd.DataFrame(data, columns=names, dtype=object)


def check(data: bytes) -> Iterator[Outcome]:
    sound = True

    def source() -> Any:
        nonlocal sound
        frame, sound = frame_of(Decisions(data))
        return frame

    for door in (lambda: scores_of(judged(), source()), lambda: scores_of(source(), SCORES)):
        found = agreed(door, messages=False)
        if found[0] == "result" and not sound:
            raise Difference("invalid Arrow data was accepted")
        yield found


def seeds() -> list[bytes]:
    rng = random.Random(1)
    return [rng.randbytes(rng.choice((10, 40, 120))) for _ in range(60)]


def mutate(rng: random.Random, data: bytes) -> bytes:
    return mutated(rng, data, BINARY)[:1000]


KINDS = {"frames": Kind(seeds, mutate, check)}
