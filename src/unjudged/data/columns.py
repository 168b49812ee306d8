"""Which column holds what, by its place in TREC text and by its name elsewhere; and errors about rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, RepeatedDocument, UsageError, quoted

LONGEST_LINE = 1 << 20
MARK = "unjudged-"
"""How comments begin that say how the judgments of a file were made."""
IS_IT_A_RUN = "is it a run? Judgments come before runs"
IS_IT_JUDGMENTS = "is it a file of judgments? Judgments come before runs"
ONCE = "each document may appear only once per query"
NONE: Mapping[str, str] = MappingProxyType({})
SMALLEST_WHOLE, LARGEST_WHOLE = -(2**31), 2**31 - 1
SMALLEST_PROBABILITY = 1e-50
"""Variances divide by the fourth power of a probability, which must stay finite."""

TEXT, QUERY, DOCUMENT, DECIMAL, WHOLE, PROBABILITY, SINGLE = range(7)
_KIND = {
    "query": QUERY,
    **dict.fromkeys(("document", "measure"), DOCUMENT),
    **dict.fromkeys(("score", "mean", "deviation"), DECIMAL),
    **dict.fromkeys(("grade", "rank", "stratum", "method"), WHOLE),
    "probability": PROBABILITY,
}
_EXPECTED = {
    DECIMAL: "a finite number",
    SINGLE: "a finite number",
    WHOLE: f"a whole number from {SMALLEST_WHOLE} to {LARGEST_WHOLE}",
    PROBABILITY: f"a number from {SMALLEST_PROBABILITY} to 1, or NA",
}


@dataclass(eq=False, repr=False)
class Layout:
    """Columns of one kind of file, in order; `open_ended` allows further columns.

    `single` rounds decimal numbers to single precision, as trec_eval 9 holds scores. `marks` are the comments
    of the file that say how its judgments were made. `fractions` allows them in grades.
    """

    columns: tuple[str, ...]
    open_ended: bool = False
    single: bool = False
    fractions: bool = False
    marks: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[int, ...]:
        """What each column holds: text, or which kind of number."""
        kinds = [self._kind(column) for column in self.columns]
        return tuple(SINGLE if self.single and kind == DECIMAL else kind for kind in kinds)

    def _kind(self, column: str) -> int:
        """Return the kind of a column; a rank beside a score is not read."""
        if column == "grade" and self.fractions:
            return DECIMAL
        return TEXT if column == "rank" and "score" in self.columns else _KIND.get(column, TEXT)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Columns that are parsed as numbers, in order."""
        return tuple(c for c in self.columns if self._kind(c) in _EXPECTED)

    def describe(self) -> str:
        """Say how many columns a line has, and what they hold."""
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


RUN = Layout(("query", "iteration", "document", "rank", "score", "tag"), open_ended=True)
QRELS = Layout(("query", "iteration", "document", "grade"))
STRATIFIED = Layout(("query", "iteration", "document", "stratum", "grade"))
ZSCORES = Layout(("query", "measure", "mean", "deviation"))
PRELS = Layout(("query", "document", "grade", "method", "probability"))


def layout_of_judgments(lines: Sequence[bytes]) -> Layout:
    """Return the layout of a file of judgments, by its first lines.

    Five columns hold either strata or inclusion probabilities. They are probabilities if the fifth column is
    not always a whole number, or if the second changes, because it then names documents.
    """
    comments = [line[2:].decode(errors="replace").rstrip() for line in lines if line.startswith(b"# ")]
    marks = tuple(comment for comment in comments if comment.startswith(MARK))
    rows = [fields for line in lines if (fields := line.split()) and not fields[0].startswith(b"#")]
    if not rows or len(rows[0]) != len(STRATIFIED.columns):
        return replace(QRELS, marks=marks)
    whole = all(len(row) < 5 or row[4].lstrip(b"+-").isdigit() for row in rows)
    alike = len({row[1] for row in rows if len(row) > 1}) == 1
    return replace(STRATIFIED if whole and alike else PRELS, marks=marks)


# The first name that a header has counts. PyTerrier's `query` is the query's text and its `docid` an internal
# number, so both come last. BEIR calls the grade of a judgment `score`; `pid` is MS MARCO's name.
NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "query": ("query_id", "qid", "query-id", "topic_id", "topic", "query"),
        "document": (
            *("doc_id", "docno", "corpus-id", "document_id", "corpus_id", "document", "pid", "docid", "doc"),
        ),
        "score": ("score", "sim"),
        "rank": ("rank",),
        "grade": ("relevance", "label", "grade", "rel", "score"),
        "stratum": ("stratum",),
        "method": ("method",),
        "probability": ("iprob", "probability"),
        "run": ("run", "run_id", "system"),
    }
)
QUERIES = (*NAMES["query"], "question", "user_input")
"""Names of columns with queries, where documents have none."""
NEEDED = MappingProxyType({"score": ("query", "document", "score"), "grade": ("query", "document", "grade")})
OPTIONAL = MappingProxyType({"score": ("rank",), "grade": ("stratum", "method", "probability")})


def columns_of(header: Sequence[str], number: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return the name of the column for each role: as `given`, else one of the known names.

    `number` is "score" for runs and "grade" for judgments, which may also have strata or probabilities. A run
    is ranked by its ranks if it has no scores, or if a column of ranks is given and none of scores.
    """
    needed, optional = NEEDED[number], OPTIONAL[number]
    chosen = _checked(header, (*needed, *optional), given)
    for role in (*needed, *optional):
        if role not in chosen:
            known = named(role, header)
            if known is not None:
                chosen[role] = known
            elif role in needed and not (role == "score" and ("rank" in given or named("rank", header))):
                remedy = f"expected {', '.join(NAMES[role])}, or {role}= with the column's name"
                if role == "score" and named("grade", header):
                    remedy += f"; {IS_IT_JUDGMENTS}"
                raise InputError(f"no column for the {role} among {listed(header)}; {remedy}")
    if "grade" not in given and chosen.get("grade") == "score" and named("rank", header):
        raise InputError(f"the columns {listed(header)} have ranks and scores, but no grade; {IS_IT_A_RUN}")
    if "rank" in chosen and "score" in chosen:
        chosen.pop("score" if "rank" in given and "score" not in given else "rank")
    if "probability" not in chosen:
        chosen.pop("method", None)
    repeated = next((name for name in chosen.values() if list(header).count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"two columns have the name {quoted(repeated)}, expected one")
    return {role: chosen[role] for role in NAMES if role in chosen}


def named(role: str, header: Iterable[str]) -> str | None:
    """Return the first of the names for this role that a header has."""
    return first_of(NAMES[role], header)


def first_of(names: Iterable[str], header: Iterable[str]) -> str | None:
    """Return the column that has the first of some names.

    `Query ID` counts as `query_id`, where no column has the very name.
    """
    alike = {folded(str(name)): name for name in [*header][::-1]} | {name: name for name in header}
    return next((alike[name] for name in names if name in alike), None)


def folded(name: str) -> str:
    """Return the name of a column in lower case, with `_` for spaces."""
    return name.strip().lower().replace(" ", "_")


def given_column(name: str, header: Sequence[str]) -> str:
    """Return the name of a column that users chose, which a header must have."""
    if name not in header:
        raise InputError(f"no column has the name {quoted(str(name))}, expected one of {listed(header)}")
    return name


def _checked(header: Sequence[str], roles: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that users gave to roles; refuse unknown roles and columns that the header lacks."""
    for role, name in given.items():
        if role not in roles:
            raise UsageError(f"unknown column {role!r}, expected one of {', '.join(roles)}")
        given_column(name, header)
    return dict(given)


def is_header(fields: Sequence[str], given: Mapping[str, str] = NONE) -> bool:
    """Whether these are names of columns, with one for the query and one for the document."""
    return all(given.get(role, named(role, fields)) in fields for role in ("query", "document"))


def descending(role: str, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers of which the highest is best: ranks are negated."""
    return -numbers if role == "rank" else numbers


def listed(header: Sequence[str]) -> str:
    """Return the names of columns as a message shows them."""
    shown = ", ".join(quoted(str(name)) for name in header[:12])
    return (shown or "none") + (", ..." if len(header) > 12 else "")


def expected(column: str, value: object = None, *, fractions: bool = False) -> str:
    """Return in words what a number of this column may be; with `fractions` a grade may be one.

    A `value` that only runs have is named as such.
    """
    allowed = _EXPECTED[_KIND[column]]
    if column != "grade":
        return allowed
    hint = f"; {IS_IT_A_RUN}" if isinstance(value, float) and value % 1 > 0 else ""
    return f"{allowed}, or a fraction above 0{hint}" if fractions else f"{allowed}{hint}"


def unfit(column: str, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which numbers are not valid in this column."""
    good: NDArray[np.bool_] = np.isfinite(numbers)
    if column == "grade":  # a fraction is a gain; a negative grade means unjudged, so it is whole
        good = (numbers >= SMALLEST_WHOLE) & (numbers <= LARGEST_WHOLE)
        good &= (numbers >= 0) | (numbers == np.floor(numbers))
    elif _KIND[column] == WHOLE:
        good = (numbers == np.floor(numbers)) & (numbers >= SMALLEST_WHOLE) & (numbers <= LARGEST_WHOLE)
    elif _KIND[column] == PROBABILITY:
        good = np.isnan(numbers) | ((numbers >= SMALLEST_PROBABILITY) & (numbers <= 1))
    return ~good


def wrong_width(layout: Layout, line: int, found: int) -> InputError:
    """Return the error of a line with another number of columns."""
    problem = f"expected {layout.describe()}, found {found}"
    return InputError(problem + (_hint(layout, found) if line == 1 else ""), line=int(line))


def _hint(layout: Layout, found: int) -> str:
    """What a file may be whose first line has another number of columns."""
    if found == 1 and layout.columns in (QRELS.columns, RUN.columns):
        names = ",".join(NAMES[role][0] for role in NEEDED["score" if "score" in layout.columns else "grade"])
        return f"; if it is CSV, its first line has to name the columns, as in {names}"
    if layout.columns == RUN.columns and found == 3:
        return "; for query, document and rank, name them on the first line, with tabs: query_id doc_id rank"
    if layout.columns == QRELS.columns and found == len(RUN.columns):
        return f"; {IS_IT_A_RUN}"
    if layout.columns == RUN.columns and found in (len(QRELS.columns), len(STRATIFIED.columns)):
        return f"; {IS_IT_JUDGMENTS}"
    return ""


def wrong_number(layout: Layout, line: int, column: int, value: bytes) -> InputError:
    """Return the error of a cell that is not the number that its column expects."""
    problem = f"the {layout.columns[column]} is {quoted(value)}, expected {_EXPECTED[layout.kinds[column]]}"
    return InputError(problem, line=int(line))


def endless_line(line: int) -> InputError:
    """Return the error of a line that is too long for text."""
    problem = f"longer than {LONGEST_LINE:,} bytes, expected lines of text; is it a binary file?"
    return InputError(problem, line=int(line))


def no_rows() -> InputError:
    """Return the error of a source without rows."""
    return InputError("no rows, expected at least one")


def seen_before(line: int, first_line: int, query: bytes, document: bytes) -> RepeatedDocument:
    """Return the error of a document that is listed on an earlier line."""
    what = f"document {quoted(document)} of query {quoted(query)} is already on line {first_line}"
    return RepeatedDocument(f"{what}; {ONCE}", document, line=int(line))


def seen_twice(query: bytes, document: bytes) -> RepeatedDocument:
    """Return the error of a document that is listed twice, of a source without lines."""
    what = f"document {quoted(document)} of query {quoted(query)} appears twice"
    return RepeatedDocument(f"{what}; {ONCE}", document)
