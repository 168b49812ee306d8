"""Columns as identifiers and numbers: of Arrow, or of Python's values, as text, JSON, rows and datasets hold.

Arrow converts its own at once. What it cannot convert is converted as Python's values are, so that each
mistake has one message. `wrong` makes the error about a row out of the row and the problem.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isnan
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import shown
from unjudged.base.errors import InputError, missing_package, quoted, reason_of
from unjudged.base.segments import Integers
from unjudged.base.wording import kind_of
from unjudged.data.columns import LARGEST_WHOLE, SMALLEST_WHOLE, descending, expected, unfit
from unjudged.data.scan import scanner
from unjudged.data.tables import Ids, encode

if TYPE_CHECKING:
    import pyarrow as pa

LOOK_AHEAD = 1 << 10
HIGHEST = sys.float_info.max
TEXTS = {"string", "large_string", "string_view", "binary", "large_binary", "binary_view"}
"""Arrow's types of text and bytes."""
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
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


def ids_of(column: Any, role: str, wrong: Wrong) -> Ids:
    """Return names as identifiers; whole numbers become their decimal digits."""
    ids = _ids_of_arrow(column) if in_arrow(column) else scanner.ids_of_strings(_objects(column))
    return ids_of_texts(names_of(python_values(column), role, wrong), role) if ids is None else ids


def groups_of(column: Any, role: str, wrong: Wrong) -> tuple[Ids, Integers]:
    """Return the name of each stretch of equal values, and where they start, and then the number of rows.

    Where most stretches are of one row, each row is one: looking for the others would take longer.
    """
    _, starts = _stretches(column[:LOOK_AHEAD])
    if 2 * len(starts) - 2 > starts[-1] > 1:
        return ids_of(column, role, wrong), np.arange(len(column) + 1)
    own, starts = _stretches(column)
    return ids_of(own, role, lambda row, problem: wrong(int(starts[row]), problem)), starts


def _stretches(column: Any) -> tuple[Any, Integers]:
    """Return the value of each stretch, and where they start, and then the number of rows."""
    if in_arrow(column):
        return _stretches_of_arrow(column)
    objects = _objects(column)
    starts = scanner.stretches_of_strings(objects)
    starts = np.arange(len(objects) + 1) if starts is None else starts
    return objects[starts[:-1]], starts


def in_arrow(column: Any) -> bool:
    """Whether a column is one of Arrow, not a sequence of Python's values."""
    return hasattr(column, "num_chunks")


def python_values(column: Any) -> Sequence[Any]:
    """Return the values of a column as Python has them, also if Arrow holds them."""
    values: Sequence[Any] = column.to_pylist() if in_arrow(column) else column
    return values


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


def numbers_of(column: Any, role: str, wrong: Wrong) -> NDArray[np.float64]:
    """Return the numbers of a column, the highest best; NaN where a probability is missing."""
    known = _numbers_of_arrow(column, role) if in_arrow(column) else None
    if known is not None:
        return descending(role, known)
    plain = values = python_values(column)
    kinds = set(map(type, values))
    if str in kinds:
        match = re.compile(NUMBER).fullmatch
        plain = [(float(v) if match(v) else np.nan) if type(v) is str else v for v in values]
    if kinds & _TIMES:  # NumPy would count days
        plain = [np.nan if type(v) in _TIMES else v for v in plain]
    try:
        numbers = np.array(plain, np.float64)
        bad = unfit(role, numbers) if numbers.ndim == 1 else np.array(list(map(_is_no_number, plain)))
        if role == "probability":
            stated = [not isinstance(v, float | np.floating) and v not in _UNKNOWN for v in values]
            bad |= np.isnan(numbers) & stated
        row = int(np.argmax(bad)) if bad.any() else None
    except (TypeError, ValueError, OverflowError):
        row = next((i for i, value in enumerate(plain) if _is_no_number(value)), 0)
    if row is None:
        return descending(role, numbers)
    allowed = expected(role, plain[row], fractions=True)
    found = "missing" if values[row] is None else _shown(values[row])
    raise wrong(row, f"the {role} is {found}, expected {allowed}")


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


def number_in_file(
    what: str, value: Any, least: float = -HIGHEST, most: float = HIGHEST, *, text: bool = False
) -> float:
    """Return a number of a file, which must be finite and from `least` to `most`; `text` is converted."""
    try:
        number = float(value) if text and isinstance(value, str | bytes) else value
    except ValueError:
        number = None
    if isinstance(number, int | float) and not isinstance(number, bool) and least <= number <= most:
        return float(number)
    raise _wrong_number(what, value, "number", least, most)


def whole_in_file(
    what: str, value: Any, least: int = SMALLEST_WHOLE, most: int = LARGEST_WHOLE, *, text: bool = False
) -> int:
    """Return a whole number of a file, which must be from `least` to `most`; `text` is converted."""
    try:
        number = int(value) if text and isinstance(value, str | bytes) else value
    except ValueError:
        number = None
    if isinstance(number, int) and not isinstance(number, bool) and least <= number <= most:
        return number
    raise _wrong_number(what, value, "whole number", least, most)


def _wrong_number(what: str, value: Any, kind: str, least: float, most: float) -> InputError:
    if most < HIGHEST:
        wanted = f"a {kind} from {least} to {most}"
    else:
        wanted = f"a finite {kind}" + (f" of at least {least}" if least > -HIGHEST else "")
    given = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    return InputError(f"{what} is {shown(given)}, expected {wanted}")


def _stretches_of_arrow(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Integers]:
    """Return the value of each stretch of a column of Arrow, and where they start."""
    import pyarrow as pa
    from pyarrow import compute

    category = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if category else column.type
    if not (str(kind) in TEXTS or pa.types.is_integer(kind)) or not len(column):
        return column, np.arange(len(column) + 1)
    if str(kind).endswith("_view"):
        column, category = column.cast(pa.large_binary()), False
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    encoded = compute.run_end_encode(whole.indices if category else whole, run_end_type=pa.int64())
    names = whole.dictionary.take(encoded.values) if category else encoded.values
    return pa.chunked_array([names]), np.append(0, encoded.run_ends.to_numpy())


def _ids_of_arrow(column: pa.ChunkedArray) -> Ids | None:
    """Return text, bytes or whole numbers as identifiers; None if there are others, or a null."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        column = column.cast(pa.large_string())
    if column.null_count or str(column.type) not in TEXTS:
        return None
    narrow = column.type in (pa.string(), pa.binary())
    if not narrow and column.type not in (pa.large_string(), pa.large_binary()):
        column = column.cast(pa.large_binary())
    kind = np.int32 if narrow else np.int64
    parts = [_bytes(chunk, kind) for chunk in column.chunks if len(chunk)]
    if len(parts) == 1:
        return Ids(parts[0].data, parts[0].offsets.astype(np.int64, copy=False))
    return Ids.joined(parts) if parts else Ids.of([])


def _bytes(array: pa.Array, kind: type[np.integer]) -> Ids:
    """An array of bytes, with offsets of a kind, as identifiers."""
    _, ends, data = array.buffers()
    offsets = np.frombuffer(ends, kind, array.offset + len(array) + 1)[array.offset :]
    own = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return Ids(own, offsets)


def _numbers_of_arrow(column: pa.ChunkedArray, role: str) -> NDArray[np.float64] | None:
    """Return numbers, NaN where a probability is missing; None if some are not valid."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.string())  # and from there to the nearest double, as text is read
    if column.null_count and role != "probability":
        return None
    try:
        numbers: NDArray[np.float64] = column.cast(pa.float64(), safe=False).to_numpy()
    except pa.ArrowException:
        return None
    return None if unfit(role, numbers).any() else numbers


def pyarrow_module(purpose: str) -> Any:
    """Return pyarrow; an error that says what it is needed for, if it is not installed."""
    try:
        import pyarrow.compute
    except ModuleNotFoundError:
        raise missing_package("pyarrow", purpose) from None
    return pyarrow


@contextmanager
def arrow_errors(problem: str) -> Iterator[None]:
    """Whatever Arrow cannot do with an input is an error of the input."""
    arrow = pyarrow_module("Arrow data")
    try:
        yield
    except (arrow.ArrowException, UnicodeError) as error:
        raise InputError(f"{problem}: {reason_of(error)}") from None


def validate(column: pa.ChunkedArray) -> None:
    """Refuse wrong offsets and codes, which Arrow's readers do not check and which lead out of our memory.

    Identifiers are bytes, so text need not be UTF-8.
    """
    import pyarrow as pa

    as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(column.type)
    with arrow_errors("damaged Arrow data"):
        for chunk in column.chunks:
            (chunk.view(as_bytes) if as_bytes else chunk).validate(full=True)
