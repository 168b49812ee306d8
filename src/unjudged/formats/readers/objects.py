"""Frames of pandas as Arrow tables, with columns of Python objects as plain values.

Arrow infers one type for such a column. It crashes on some mixtures of NumPy's scalars, and it cuts off the
fractions of others, so it is given none of them. Columns of strings are converted by the scanner, faster.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.errors import InputError, quoted
from unjudged.formats.readers.buffers import arrow_of_ids
from unjudged.formats.scan import scanner

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa

UNIFORM = ("string", "bytes", "integer", "empty")


def arrow_of_pandas(frame: pandas.DataFrame, names: Iterable[str]) -> pa.Table:
    """These columns of a frame, each of which has a name of its own."""
    import pandas
    import pyarrow as pa

    columns, others = {}, []
    for name in names:
        ids = scanner.ids_of_strings(frame[name].to_numpy()) if frame[name].dtype == object else None
        if ids is None:
            others.append(name)
        else:
            columns[name] = arrow_of_ids(ids).view(pa.large_string())
    if others:
        rest = pandas.DataFrame({name: frame[name] for name in others}, copy=False)
        converted = pa.Table.from_pandas(_with_plain_objects(rest), preserve_index=False)
        columns |= {name: converted[name] for name in others}
    return pa.table(columns)


def _with_plain_objects(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The frame with Python's own numbers and texts where a column holds objects of several types."""
    import pandas

    changed = {}
    for name, column in frame.items():
        category = isinstance(column.dtype, pandas.CategoricalDtype)
        values = column.cat.categories if category else column
        if values.dtype == object and pandas.api.types.infer_dtype(values) not in UNIFORM:
            plain = [_plain(value, str(name)) for value in column.astype(object)]
            changed[name] = pandas.Series(plain, frame.index, dtype=object)
    return frame.assign(**changed) if changed else frame


def _plain(value: Any, column: str) -> Any:
    import pandas

    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, np.integer | np.bool_ | np.str_ | np.bytes_):
        return value.item()
    if value is None or value is pandas.NA or isinstance(value, str | bytes | int | float | Decimal):
        return value
    kind = type(value).__name__
    raise InputError(f"column {quoted(column)} of the frame holds a {kind}, expected text or numbers")
