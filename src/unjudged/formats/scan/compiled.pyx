# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""One pass over TREC text, compiled. `scan_reference` is the same module in plain Python."""

import os

import numpy as np

from unjudged.errors import DuplicateError
from unjudged.formats.tables import Ids, Matched, Table
from unjudged.formats.roles import LONGEST_LINE, endless_line, seen_before, wrong_number, wrong_width

cimport cython
from cpython.buffer cimport PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from unjudged.formats.scan.text cimport copy_token, is_blank, is_space, keyed_hash, parse_decimal, parse_probability, parse_whole, token_end, word8

KIND_OF_SCANNER = "compiled"

cdef enum:
    DOCUMENT = 2
    DECIMAL = 3
    WHOLE = 4
    PROBABILITY = 5
    SINGLE = 6
    MOST_COLUMNS = 8
    BLOCK = 1 << 19
    PADDING = 32   # a newline at the end, and what is read and written a few words at a time behind it

cdef int64_t LONGEST = LONGEST_LINE
cdef const char *BYTE_ORDER_MARK = "\xef\xbb\xbf"

cdef uint64_t KEY[3]
KEY[0], KEY[1], KEY[2] = (int.from_bytes(os.urandom(8), "little") | 1 for _ in range(3))


include "vector.pxi"
include "matcher.pxi"
include "lines.pxi"
include "mappings.pxi"


cdef int feed(Scanner scanner, Matcher matcher, source) except -1:
    """Read all of `source` (anything with `readinto`) a block at a time, matching as it goes if there is a matcher."""
    cdef Vector block = Vector()
    cdef int64_t whole
    cdef int read = 0, matched = 0
    cdef bint last = False, endless = False
    while not last:
        if not block.reserve(BLOCK + PADDING):
            raise MemoryError
        whole = source.readinto(PyMemoryView_FromMemory(block.at + block.used, BLOCK, PyBUF_WRITE))
        last = whole == 0
        block.used += whole
        if last and block.used:
            block.at[block.used] = c'\n'
            block.used += 1
        with nogil:
            endless = first_line(block) > LONGEST
            whole = 0 if endless else whole_lines(block)
            read = scanner.read(block.at, block.at + whole)
            if matcher is not None:
                matched = scanner.match_groups(matcher, last or endless or read)
        if read == 2 or matched == 2:
            raise MemoryError
        if matched:
            raise scanner.repeated_document(matcher)
        if read:
            raise scanner.error()
        if endless:
            raise endless_line(scanner.line + 1)
        block.drop(whole)


cdef inline int64_t first_line(Vector block) noexcept nogil:
    """The length of the first line, as far as it is there."""
    cdef const char *newline = <const char *>memchr(block.at, c'\n', block.used) if block.used else NULL
    return newline - block.at if newline != NULL else block.used


cdef inline int64_t whole_lines(Vector block) noexcept nogil:
    cdef int64_t size = block.used
    while size and block.at[size - 1] != c'\n':
        size -= 1
    return size


def read_table(source, layout):
    """All lines of `source` as a Table."""
    cdef Scanner scanner = Scanner(layout)
    feed(scanner, None, source)
    return scanner.table(), scanner.line


def scan_run(source, Index index, layout):
    """The judged documents of every ranking in `source`, without keeping the others; and the number of lines."""
    cdef Scanner scanner = Scanner(layout)
    cdef Matcher matcher = Matcher(index)
    feed(scanner, matcher, source)
    return matcher.matched(), scanner.line


cdef const double *scores_of(table) except? NULL:
    cdef const double[::1] view = table.numbers[:, 0]
    return &view[0] if view.shape[0] else NULL


def match_table(table, Index index):
    """The judged documents of every group of `table`, whose first numbers are its scores."""
    cdef Matcher matcher = Matcher(index)
    cdef const int64_t[::1] starts = table.starts
    cdef const double *scores = scores_of(table)
    cdef const int64_t *query_ends = ends_of(table.queries)
    cdef const int64_t *ends = ends_of(table.documents)
    cdef const char *queries = data_of(table.queries)
    cdef const char *documents = data_of(table.documents)
    cdef int64_t g = 0, groups = len(table.queries), row = 0
    cdef int32_t query
    cdef int status = 0
    with nogil:
        while g < groups and status == 0:
            row = starts[g]
            query = index.query(queries + query_ends[g], query_ends[g + 1] - query_ends[g])
            status = matcher.match(query, documents, ends + row, scores + row, starts[g + 1] - row)
            g += 1
    if status == 1:
        raise DuplicateError(row + matcher.first, row + matcher.second)
    if status == 2:
        raise MemoryError
    return matcher.matched()


def best_first(table):
    """The rows of `table`, group by group, best first."""
    cdef Matcher matcher = Matcher(None)
    cdef const int64_t[::1] starts = table.starts
    cdef const double *scores = scores_of(table)
    cdef const int64_t *ends = ends_of(table.documents)
    cdef const char *documents = data_of(table.documents)
    cdef int64_t g, i, row
    order = np.empty(len(table.documents), np.int64)
    cdef int64_t[::1] target = order
    for g in range(len(table.queries)):
        row = starts[g]
        if not matcher.sort(documents, ends + row, scores + row, starts[g + 1] - row):
            raise MemoryError
        for i in range(starts[g + 1] - row):
            target[row + i] = row + (<Ranked *>matcher.ranked.at)[i].row
    return order
