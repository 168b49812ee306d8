"""Columns of Python values as tables: what text, JSON, rows, dicts and datasets hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from numbers import Integral
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import kind_of
from unjudged.formats.columns import descending, expected, unfit
from unjudged.formats.tables import Ids, Table, encode

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NO_LINES = np.zeros(0, np.int64)
"""The lines of rows that do not come from a file of text."""
_TIMES = {np.datetime64, np.timedelta64}
_UNKNOWN = (None, "", "NA")
"""What stands for a probability that is not known."""


def table_of_values(columns: Mapping[str, Sequence[Any]], lines: NDArray[np.int64] = NO_LINES) -> Table:
    """Return columns by role as a table; `lines` of a file say in errors where a row is."""
    queries, documents = (names_of(columns[role], role, lines) for role in ("query", "document"))
    new = np.fromiter(map(ne, queries, islice(queries, 1, None)), bool)
    starts = np.concatenate([[0][: len(queries)], 1 + np.flatnonzero(new), [len(queries)]]).astype(np.int64)

    def of(row: int) -> str:
        if len(lines):
            return ""
        document, query = (quoted(str(names[row])) for names in (documents, queries))
        return f" of document {document} of query {query}"

    numbers = [
        numbers_of(values, role, of, lines)
        for role, values in columns.items()
        if role not in ("query", "document")
    ]
    return Table(
        ids_of_texts(
            [queries[i] for i in starts[:-1].tolist()], "query", lines[starts[:-1]] if len(lines) else lines
        ),
        starts,
        ids_of_texts(documents, "document", lines),
        np.stack(numbers, axis=1),
        lines,
    )


def names_of(values: Sequence[Any], role: str, lines: NDArray[np.int64] = NO_LINES) -> Sequence[str | bytes]:
    """Return names; a whole number is its decimal digits."""
    if not set(map(type, values)) <= {str, bytes}:
        values = list(map(identifier, values))
        wrong = (row for row, name in enumerate(values) if not isinstance(name, str | bytes))
        if (row := next(wrong, None)) is not None:
            found = "missing" if values[row] is None else f"{kind_of(values[row])} ({_shown(values[row])})"
            raise _wrong(row, f"the {role} is {found}, expected text or a whole number", lines)
    return values


def identifier(name: Any) -> Any:
    """A whole number as its decimal digits, anything else as it is."""
    return name if isinstance(name, str | bool) or not isinstance(name, Integral) else str(int(name))


def _wrong(row: int, problem: str, lines: NDArray[np.int64]) -> InputError:
    return InputError(problem, line=int(lines[row]) if len(lines) else None)


def ids_of_texts(texts: Sequence[str | bytes], role: str, lines: NDArray[np.int64] = NO_LINES) -> Ids:
    """Return names as identifiers, which in a file may not be empty."""
    try:
        ids = Ids.of(texts)
    except UnicodeEncodeError:
        wrong = next(text for text in texts if not _is_utf8(text))
        raise InputError(f"{role} {quoted(wrong)} cannot be written as UTF-8") from None
    if len(lines) and not np.diff(ids.offsets).all():
        raise _wrong(int(np.argmin(np.diff(ids.offsets))), f"the {role} is empty", lines)
    return ids


def _is_utf8(text: str | bytes) -> bool:
    try:
        encode(text if isinstance(text, str) else "")
    except UnicodeEncodeError:
        return False
    return True


def numbers_of(
    values: Sequence[Any], role: str, of: Callable[[int], str], lines: NDArray[np.int64] = NO_LINES
) -> NDArray[np.float64]:
    """Return the numbers of a column, the highest best; `of` says in errors whose number that of a row is."""
    plain, kinds = values, set(map(type, values))
    if str in kinds:
        match = NUMBER.fullmatch
        plain = [(float(v) if match(v) else np.nan) if type(v) is str else v for v in values]
    if kinds & _TIMES:  # NumPy would count days
        plain = [np.nan if type(v) in _TIMES else v for v in plain]
    try:
        numbers = np.array(plain, np.float64)
        bad = unfit(role, numbers) if numbers.ndim == 1 else np.array(list(map(_is_no_number, plain)))
        if role == "probability":
            known = [not isinstance(v, float | np.floating) and v not in _UNKNOWN for v in values]
            bad |= np.isnan(numbers) & known
        wrong = int(np.argmax(bad)) if bad.any() else None
    except (TypeError, ValueError, OverflowError):
        wrong = next((i for i, value in enumerate(plain) if _is_no_number(value)), 0)
    if wrong is None:
        return descending(role, numbers)
    allowed = expected(role, plain[wrong], fractions=True)
    found = "missing" if values[wrong] is None else _shown(values[wrong])
    raise _wrong(wrong, f"the {role}{of(wrong)} is {found}, expected {allowed}", lines)


def _is_no_number(value: Any) -> bool:
    try:
        number = np.float64(value)
    except (TypeError, ValueError, OverflowError):
        return True
    return np.ndim(number) > 0 or not np.isfinite(number)


def _shown(value: Any) -> str:
    try:
        return quoted(str(value))
    except ValueError:  # a whole number of thousands of digits
        return f"a number of {value.bit_length()} bits"
