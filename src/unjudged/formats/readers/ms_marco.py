"""MS MARCO's runs: three columns without a header, `query document rank`."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import replace

import numpy as np

from unjudged.base.errors import AssumptionWarning, InputError, announce, quoted
from unjudged.formats.columns import MS_MARCO, RUN, Layout, descending, no_rows
from unjudged.formats.limits import BYTES_OF_TEXT
from unjudged.formats.matching import grouped
from unjudged.formats.reader import File, Reader, Start
from unjudged.formats.readers.trec import read_judgments
from unjudged.formats.scan import scanner
from unjudged.formats.streams import PathLike, display_name, opened
from unjudged.formats.tables import Table

REMEDY = "for scores use six columns, or a first line with the names of the columns: query_id doc_id score"


def read_run(file: PathLike, name: str) -> Table:
    """Return the rankings of a file, the rows of each query together; a warning says how it was read."""
    with opened(file, held=BYTES_OF_TEXT) as stream:
        table, _ = scanner.read_table(stream, MS_MARCO)
    if not len(table.lines):
        raise no_rows()
    table = grouped(table)
    _check_ranks(table)
    what = f"{name}: three columns without a header are read as query, document, rank (MS MARCO)"
    announce([AssumptionWarning(f"{what}; {REMEDY}")])
    return replace(table, numbers=descending("rank", table.numbers))


def _check_ranks(table: Table) -> None:
    """Refuse whole numbers that cannot be ranks: each query's start at 1, or 0, and none comes twice."""
    ranks, starts = table.numbers[:, 0], table.starts
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((ranks, query))
    again = (np.diff(ranks[order]) == 0) & (np.diff(query[order]) == 0)
    first = ranks[order][starts[:-1]]
    if again.any():
        row = int(order[1:][int(np.argmax(again))])
        problem = f"query {quoted(table.query_of(row))} has rank {ranks[row]:.0f} twice"
    elif not np.isin(first, (0, 1)).all():
        wrong = int(np.argmin(np.isin(first, (0, 1))))
        row = int(order[starts[wrong]])
        problem = f"the ranks of query {quoted(table.query_of(row))} start at {ranks[row]:.0f}, expected 1"
    else:
        return
    what = "three columns without a header are query, document, rank"
    raise InputError(f"{problem}: {what}; {REMEDY}", line=int(table.lines[row]))


def _recognises(start: Start) -> bool:
    text = start.data.removeprefix(BOM_UTF8).lstrip()
    rows = (line for line in text.split(b"\n") if line.split() and not line.lstrip().startswith(b"#"))
    return len(next(rows, b"").split()) == len(MS_MARCO.columns)


def _read_any(file: File, number: str) -> tuple[Table, Layout]:
    if number == "grade":
        return read_judgments(file.file)
    return read_run(file.file, display_name(file.path)), RUN


READER = Reader("text of three columns", _recognises, _read_any, has_names=False)
