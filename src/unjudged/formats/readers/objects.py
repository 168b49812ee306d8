"""Columns of Python objects in pandas frames, as plain values.

Arrow infers one type for such a column. It crashes on some mixtures of NumPy's scalars, and it cuts off the
fractions of others, so it is given none of them.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.errors import InputError, quoted

if TYPE_CHECKING:
    import pandas

UNIFORM = ("string", "bytes", "integer", "empty")


def with_plain_objects(frame: pandas.DataFrame) -> pandas.DataFrame:
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
