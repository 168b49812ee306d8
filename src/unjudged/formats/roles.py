"""Which column of a text file holds what, and what is said of a line that does not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import InputError, LineError, RepeatedDocument, quoted

LONGEST_LINE = 1 << 20
NONE: Mapping[str, str] = MappingProxyType({})
SMALLEST_WHOLE, LARGEST_WHOLE = -(2**31), 2**31 - 1

TEXT, QUERY, DOCUMENT, DECIMAL, WHOLE, PROBABILITY, SINGLE = range(7)
_KIND = {
    "query": QUERY,
    "document": DOCUMENT,
    "measure": DOCUMENT,
    "score": DECIMAL,
    "grade": WHOLE,
    "stratum": WHOLE,
    "method": WHOLE,
    "probability": PROBABILITY,
    "mean": DECIMAL,
    "deviation": DECIMAL,
}
_EXPECTED = {
    DECIMAL: "a finite number",
    SINGLE: "a finite number",
    WHOLE: f"a whole number from {SMALLEST_WHOLE} to {LARGEST_WHOLE}",
    PROBABILITY: "a number above 0 and up to 1, or NA",
}


@dataclass(frozen=True)
class Layout:
    """The columns of one kind of file, by name; `open_ended` allows more of them on a line.

    `single` rounds decimal numbers to single precision, as trec_eval 9 holds scores.
    """

    columns: tuple[str, ...]
    open_ended: bool = False
    single: bool = False

    @property
    def kinds(self) -> tuple[int, ...]:
        kinds = [_KIND.get(column, TEXT) for column in self.columns]
        return tuple(SINGLE if self.single and kind == DECIMAL else kind for kind in kinds)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that are parsed as numbers, in their order."""
        return tuple(c for c in self.columns if _KIND.get(c, TEXT) in _EXPECTED)

    def describe(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


RUN = Layout(("query", "iteration", "document", "rank", "score", "tag"), open_ended=True)
QRELS = Layout(("query", "iteration", "document", "grade"))
STRATIFIED = Layout(("query", "iteration", "document", "stratum", "grade"))
ZSCORES = Layout(("query", "measure", "mean", "deviation"))
PRELS = Layout(("query", "document", "grade", "method", "probability"))


def layout_of_judgments(lines: Sequence[bytes]) -> Layout:
    """The layout that the first lines of a file of judgments have.

    Five columns are strata or inclusion probabilities: with probabilities the fifth is not whole
    somewhere, or the second, which then names documents, changes.
    """
    rows = [fields for line in lines if (fields := line.split()) and not fields[0].startswith(b"#")]
    if not rows or len(rows[0]) != len(STRATIFIED.columns):
        return QRELS
    whole = all(len(row) < 5 or row[4].lstrip(b"+-").isdigit() for row in rows)
    return STRATIFIED if whole and len({row[1] for row in rows if len(row) > 1}) == 1 else PRELS


def expected(column: str) -> str:
    """What a number of the column may be, in words."""
    return _EXPECTED[_KIND[column]]


def unfit(column: str, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of the numbers the column cannot hold."""
    good: NDArray[np.bool_] = np.isfinite(numbers)
    if _KIND[column] == WHOLE:
        good = (numbers == np.floor(numbers)) & (numbers >= SMALLEST_WHOLE) & (numbers <= LARGEST_WHOLE)
    elif _KIND[column] == PROBABILITY:
        good = np.isnan(numbers) | ((numbers > 0) & (numbers <= 1))
    return ~good


def wrong_width(layout: Layout, line: int, found: int) -> LineError:
    return LineError(line, f"expected {layout.describe()}, found {found}")


def wrong_number(layout: Layout, line: int, column: int, value: bytes) -> LineError:
    name = layout.columns[column]
    return LineError(line, f"the {name} is {quoted(value)}, expected {_EXPECTED[layout.kinds[column]]}")


def endless_line(line: int) -> LineError:
    problem = f"longer than {LONGEST_LINE:,} bytes, expected lines of text; is it a binary file?"
    return LineError(line, problem)


def no_rows() -> InputError:
    return InputError("no rows in it, expected at least one")


def seen_before(line: int, first_line: int, query: bytes, document: bytes) -> LineError:
    what = f"document {quoted(document)} of query {quoted(query)}"
    problem = f"{what} is already on line {first_line}, expected each document once a query"
    return RepeatedDocument(line, problem, document)


def seen_twice(query: bytes, document: bytes) -> InputError:
    what = f"document {quoted(document)} of query {quoted(query)}"
    return InputError(f"{what} is there twice, expected each document once a query")
