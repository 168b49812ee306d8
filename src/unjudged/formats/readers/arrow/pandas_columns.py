"""Frames of pandas as Arrow tables, with columns of Python objects as plain values.

Arrow infers one type for such a column. It crashes on some mixtures of NumPy's scalars, and it cuts off the
fractions of others, so it is given none of them. Columns of strings are converted by the scanner, faster.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of
from unjudged.formats.readers.arrow.buffers import arrow_of_ids
from unjudged.formats.readers.arrow.deferred import Strings
from unjudged.formats.scan import scanner

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa

UNIFORM = ("string", "bytes", "integer", "empty")


class PandasColumns:
    """Columns of a frame, each of which has a name of its own. They are converted when they are needed."""

    def __init__(self, frame: pandas.DataFrame, names: Iterable[str]) -> None:
        self.columns = {name: frame[name] for name in names}

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        import pandas
        import pyarrow as pa

        column = self.columns[name]
        ids = scanner.ids_of_strings(column.to_numpy()) if column.dtype == object else None
        if ids is not None:
            return pa.chunked_array([arrow_of_ids(ids).view(pa.large_string())])
        frame = _with_plain_objects(pandas.DataFrame({name: column}, copy=False))
        return pa.Table.from_pandas(frame, preserve_index=False)[name]

    def strings(self, name: str) -> pa.ChunkedArray | Strings:
        """Return the same, but if the column holds Python objects, they are not converted yet."""
        column = self.columns[name]
        return Strings(column.to_numpy()) if column.dtype == object else self[name]


def _with_plain_objects(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Return the frame with Python's own numbers and texts where a column holds objects of several types."""
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
    raise InputError(f"column {quoted(column)} of the frame holds {kind_of(value)}, expected text or numbers")
