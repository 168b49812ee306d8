# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled scanner: one pass over TREC text here, the rest in the files that are included."""

include "matching.pxi"
include "ungrouped.pxi"
include "ranking_sums.pxi"
include "dicts.pxi"
include "objects.pxi"
include "document_numbers.pxi"

import numpy as np

from unjudged.data import columns as column_kinds
from unjudged.data.columns import LONGEST_LINE, endless_line, seen_before, wrong_number, wrong_width
from unjudged.data.scan.checks import checked_table
from unjudged.data.tables import Ids, Table

from cpython.buffer cimport PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t
from libc.string cimport memchr, memset

from unjudged.data.scan.compiled cimport lines as kind
from unjudged.data.scan.compiled.index cimport Names, name_of
from unjudged.data.scan.compiled.lines cimport (
    MOST_COLUMNS, PADDING, Lines, forget_all, group_count, match_groups, read_lines, release_lines, row_count,
    start_lines,
)
from unjudged.data.scan.compiled.kept_rows cimport Store, keep_rows
from unjudged.data.scan.compiled.vector cimport (
    BAD_LINE, DONE, NO_MEMORY, QUERY_RETURNS, REPEATED_DOCUMENT, Status, Vector, drop, push_int64, release, reserve,
)

KIND_OF_SCANNER = "compiled"

cdef enum:
    BLOCK = 1 << 19

cdef int64_t LONGEST = LONGEST_LINE

cdef dict KINDS = {
    column_kinds.DOCUMENT: kind.DOCUMENT, column_kinds.DECIMAL: kind.DECIMAL, column_kinds.SINGLE: kind.SINGLE,
    column_kinds.WHOLE: kind.WHOLE, column_kinds.PROBABILITY: kind.PROBABILITY,
}


cdef class Reading:
    """The lines that were read, and the text that has not been read yet."""

    cdef Lines lines
    cdef Vector block, met
    cdef Matching matching
    cdef KnownNames unjudged   # queries that were met and are not judged

    def __cinit__(self):
        self.matching, self.unjudged = Matching(), KnownNames()
        if not start_lines(&self.lines):
            raise MemoryError

    def __dealloc__(self):
        release_lines(&self.lines)
        release(&self.block)
        release(&self.met)


def read_table(source, layout):
    """All lines of `source` as a Table, and how many lines there are."""
    cdef Reading reading = Reading()
    feed(reading, None, None, source, layout)
    return table_of(&reading.lines), reading.lines.line


def scan_run(source, Index index not None, layout):
    """The judged documents of every ranking in `source`. Nothing else is kept in memory but names of queries.

    None as soon as a judged query comes back after another query.
    """
    cdef Reading reading = Reading()
    if not reserve(&reading.met, index.lookup.query_count + 1):
        raise MemoryError
    memset(reading.met.at, 0, <size_t>reading.met.room)
    together = feed(reading, index, None, source, layout)
    return reading.matching.matched(ids_of(&reading.unjudged.numbered)) if together else None


def scan_unordered(source, UnorderedRows rows not None, layout):
    """Add all lines of `source` to `rows`."""
    feed(Reading(), None, rows, source, layout)


cdef bint feed(Reading reading, Index index, UnorderedRows rows, source, layout) except -1:
    """Read `source`, anything with `readinto`, block by block; match or keep its rows as it goes.

    False if it stopped where a judged query comes back.
    """
    cdef Lines *lines = &reading.lines
    cdef Vector *block = &reading.block
    cdef int64_t whole
    cdef Status read = DONE, status = DONE
    cdef bint last = False, endless = False, last_group = False
    set_layout(lines, layout)
    while not last:
        if not reserve(block, BLOCK + PADDING):
            raise MemoryError
        whole = source.readinto(PyMemoryView_FromMemory(block.at + block.used, BLOCK, PyBUF_WRITE))
        if not 0 <= whole <= BLOCK:
            raise ValueError(f"readinto returned {whole}, expected 0 to {BLOCK}")
        last = whole == 0
        block.used += whole
        if last and block.used:
            block.at[block.used] = c'\n'
            block.used += 1
        with nogil:
            endless = first_line(block) > LONGEST
            whole = 0 if endless else whole_lines(block)
            read = read_lines(lines, block.at, block.at + whole)
            if index is not None and read != NO_MEMORY:
                last_group = last or endless or read != DONE
                status = match_groups(
                    lines, &reading.matching.out, &index.lookup, reading.met.at, &reading.unjudged.numbered,
                    last_group,
                )
            elif rows is not None and read == DONE:
                status = keep_lines(lines, &rows.store)
        raise_for(read)
        raise_for(status)
        if status == QUERY_RETURNS:
            return False
        if status == REPEATED_DOCUMENT:
            raise repeated_document(reading)
        if read == BAD_LINE:
            raise bad_line(lines, layout)
        if endless:
            raise endless_line(lines.line + 1)
        drop(block, whole)
    return True


cdef int64_t first_line(const Vector *block) noexcept nogil:
    """The length of the first line, as far as it has been read."""
    cdef const char *newline = NULL
    if block.used:
        newline = <const char *>memchr(block.at, c'\n', <size_t>block.used)
    return newline - block.at if newline != NULL else block.used


cdef int64_t whole_lines(const Vector *block) noexcept nogil:
    cdef int64_t size = block.used
    while size and block.at[size - 1] != c'\n':
        size -= 1
    return size


cdef Status keep_lines(Lines *lines, Store *store) noexcept nogil:
    """Move all rows to the store."""
    cdef Names queries, documents
    cdef Status status
    if not push_int64(&lines.starts, row_count(lines)):
        return NO_MEMORY
    queries.data, queries.ends, queries.size = lines.queries.at, <const int64_t *>lines.query_ends.at, 0
    documents.data, documents.ends = lines.documents.at, <const int64_t *>lines.document_ends.at
    documents.size = lines.documents.used
    status = keep_rows(
        store, &queries, <const int64_t *>lines.starts.at, group_count(lines) - 1,
        &documents, <const double *>lines.numbers.at, lines.number_columns,
    )
    forget_all(lines)
    return status


cdef int set_layout(Lines *lines, layout) except -1:
    cdef int column
    kinds = layout.kinds
    if not 0 < len(kinds) <= MOST_COLUMNS:
        raise ValueError(layout)
    lines.columns, lines.number_columns = len(kinds), len(layout.numbers)
    lines.open_ended = layout.open_ended
    for column in range(lines.columns):
        lines.kinds[column] = KINDS.get(kinds[column], kind.IGNORED)
    return 0


cdef bad_line(const Lines *lines, layout):
    if lines.fault.wrong_width:
        return wrong_width(layout, lines.line, lines.fault.column)
    return wrong_number(layout, lines.line, lines.fault.column, lines.fault.value[:lines.fault.length])


cdef repeated_document(Reading reading):
    """The error that names both lines of a document that a ranking holds twice."""
    table, first, second = table_of(&reading.lines), reading.matching.out.first, reading.matching.out.second
    query, document = table.query_of(second), table.documents.raw(second)
    return seen_before(table.lines[second], table.lines[first], query, document)


cdef table_of(const Lines *lines):
    cdef int64_t rows = row_count(lines), columns = lines.number_columns
    return Table(
        queries=Ids(array_of(&lines.queries, np.uint8), array_of(&lines.query_ends, np.int64)),
        starts=np.append(array_of(&lines.starts, np.int64), rows),
        documents=Ids(array_of(&lines.documents, np.uint8), array_of(&lines.document_ends, np.int64)),
        numbers=array_of(&lines.numbers, np.float64)[:rows * columns].reshape(rows, columns),
        lines=array_of(&lines.lines, np.int64),
    )


def nested_rows(table, bint whole):
    """The first numbers of a table as `{query: {document: number}}`.

    If a document is repeated, its last number counts.
    """
    columns = checked_table(table)
    cdef const int64_t[::1] starts = columns.starts
    cdef const double[:] numbers = columns.numbers[:, 0]
    cdef Names documents = names_of(columns.documents)
    cdef const char *text
    cdef int64_t g = 0, row, length = 0
    cdef dict inner
    found = {}
    for query in table.queries:
        inner = found[query] = {}
        for row in range(starts[g], starts[g + 1]):
            text = name_of(&documents, row, &length)
            document = PyUnicode_DecodeUTF8(text, length, "surrogateescape")
            if whole:
                inner[document] = <int64_t>numbers[row]
            else:
                inner[document] = numbers[row]
        g += 1
    return found
