"""Columns of Python's values as identifiers and numbers: what text, JSON, rows, dicts and datasets hold.

Each function takes `wrong`, which makes the error about a row out of the row and the problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from math import isnan
from numbers import Integral
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.base.segments import Integers
from unjudged.base.wording import kind_of
from unjudged.data.columns import descending, expected, unfit
from unjudged.data.scan import scanner
from unjudged.data.tables import Ids, encode

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
Wrong = Callable[[int, str], InputError]
_TIMES = {np.datetime64, np.timedelta64}
_NULLS = ("nan", "<NA>", "NaT")
"""How objects of other libraries print that stand for no value."""
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "<NA>"})
"""Texts that stand for a missing name or value."""
NO_VALUE = frozenset({"-", "--", "na", "n/a", "#n/a", "nan", "null", "none"})
"""Further texts for a missing number, in upper or lower case; a system or query may have such a name."""
_UNKNOWN = (None, "", "NA")
"""What stands for a probability that is not known."""


def unplaced(_: int, problem: str) -> InputError:
    """Return an error about a value whose place has no number."""
    return InputError(problem)


def groups_of(values: Sequence[Any], role: str, wrong: Wrong) -> tuple[Ids, Integers]:
    """Return the name of each stretch of rows that have the same one, and where the stretches start."""
    found = scanner.stretches_of_strings(_objects(values))
    if found is not None:
        return found[0], np.append(found[1], len(values))
    names = names_of(values, role, wrong)
    new = np.fromiter(map(ne, names, islice(names, 1, None)), bool)
    starts = np.concatenate([[0][: len(names)], 1 + np.flatnonzero(new), [len(names)]]).astype(np.int64)
    return ids_of_texts([names[row] for row in starts[:-1].tolist()], role), starts


def ids_of(values: Any, role: str, wrong: Wrong) -> Ids:
    """Return names as identifiers."""
    ids = scanner.ids_of_strings(_objects(values))
    return ids_of_texts(names_of(values, role, wrong), role) if ids is None else ids


def _objects(values: Any) -> NDArray[np.object_]:
    """Return a column as an array, whose values may be sequences themselves."""
    return values if isinstance(values, np.ndarray) else np.fromiter(values, object, len(values))


def names_of(values: Sequence[Any], role: str, wrong: Wrong = unplaced) -> Sequence[str | bytes]:
    """Return names; a whole number is its decimal digits."""
    if not set(map(type, values)) <= {str, bytes}:
        values = list(map(identifier, values))
        others = (row for row, name in enumerate(values) if not isinstance(name, str | bytes))
        if (row := next(others, None)) is not None:
            ids_of_texts(values[:row], role)  # what cannot be written as UTF-8 is named if it comes first
            if values[row] is None or str(values[row]) in _NULLS:
                raise wrong(row, f"the {role} is null, expected a value in every row")
            found = f"{kind_of(values[row])} ({_shown(values[row])})"
            raise wrong(row, f"the {role} is {found}, expected text or a whole number")
    return values


def identifier(name: Any) -> Any:
    """A whole number as its decimal digits, anything else as it is."""
    return name if isinstance(name, str | bool) or not isinstance(name, Integral) else str(int(name))


def ids_of_texts(texts: Sequence[str | bytes], role: str) -> Ids:
    """Return texts as identifiers, which can be written as UTF-8."""
    try:
        return Ids.of(texts)
    except UnicodeEncodeError:
        wrong = next(text for text in texts if not _is_utf8(text))
        raise InputError(f"{role} {quoted(wrong)} cannot be written as UTF-8") from None


def _is_utf8(text: str | bytes) -> bool:
    try:
        encode(text if isinstance(text, str) else "")
    except UnicodeEncodeError:
        return False
    return True


def numbers_of(values: Sequence[Any], role: str, wrong: Wrong) -> NDArray[np.float64]:
    """Return the numbers of a column, the highest best."""
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
        row = int(np.argmax(bad)) if bad.any() else None
    except (TypeError, ValueError, OverflowError):
        row = next((i for i, value in enumerate(plain) if _is_no_number(value)), 0)
    if row is None:
        return descending(role, numbers)
    allowed = expected(role, plain[row], fractions=True)
    found = "missing" if values[row] is None else _shown(values[row])
    raise wrong(row, f"the {role} is {found}, expected {allowed}")


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


def text_of_name(value: Any) -> str:
    """Return a name as a text; frames hold whole numbers as floating-point ones where one is missing."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def is_number(value: Any) -> bool:
    """Whether this is a finite number, or a text that is one."""
    if isinstance(value, str):
        value = value.strip()
        if not value or value[-1] not in "0123456789." or "_" in value:
            return False
    try:
        return abs(float(value)) < float("inf")
    except (TypeError, ValueError, OverflowError):
        return False


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: no value, not a number, or what says so as a text, such as pandas' NA."""
    if isinstance(value, float):
        return isnan(value)
    return value is None or str(value).strip() in MISSING


def has_no_value(value: Any) -> bool:
    """Whether a cell of numbers has none."""
    return is_missing(value) or (isinstance(value, str) and value.strip().lower() in NO_VALUE)
