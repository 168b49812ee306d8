# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows in no order matched against the judged documents, compiled."""

import numpy as np

from unjudged.base.errors import DuplicateError
from unjudged.formats.scan.checks import changed_while_read, check_rows, checked_columns, checked_ids
from unjudged.formats.tables import Matched

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from unjudged.formats.scan.compiled_matching cimport Index, Matching, names_of, raise_for
from unjudged.formats.scan.index cimport Names, find_query, name_of
from unjudged.formats.scan.scattered cimport (
    Placed, Scratch, count_rows, match_placed, place_rows, release_scratch,
)
from unjudged.formats.scan.vector cimport CHANGED, DONE, REPEATED_DOCUMENT, Status


cdef class Rows:
    """The rows of a scattered table, and where each of them is placed, query by query."""

    cdef Index index
    cdef object owned, columns   # the arrays that are pointed into
    cdef Names queries, documents
    cdef const double[::1] scores
    cdef const int32_t[::1] number
    cdef int64_t count
    cdef Placed *placed

    def __cinit__(self, rows, Index index not None):
        self.index = index
        self.columns = checked_columns(rows.as_one_group())
        queries = checked_ids(rows.queries)
        self.queries, self.documents = names_of(queries), names_of(self.columns.documents)
        self.scores = np.ascontiguousarray(self.columns.numbers[:, 0])
        self.number = np.ascontiguousarray(rows.number, np.int32)
        self.count = len(queries.ends) - 1
        if self.number.shape[0] != self.scores.shape[0]:
            raise changed_while_read("the data")
        placed = np.empty(2 * len(self.scores) + 2, np.uint64)
        cdef uint64_t[::1] room = placed
        self.placed = <Placed *>&room[0]
        self.owned = queries, placed

    def counts(self, span):
        """How many rows each query has from one row to another."""
        cdef int64_t first = span[0], last = span[1]
        counts = np.zeros(self.count + 1, np.int64)
        cdef int64_t[::1] view = counts
        cdef Status status = DONE
        if last > first:
            with nogil:
                status = count_rows(&self.number[0], first, last, &view[0], self.count)
        self.check(status)
        return counts

    def place(self, span, places, ends):
        """Put the rows from one to another in the places of their queries."""
        cdef int64_t first = span[0], last = span[1]
        cdef int64_t[::1] own_places = places
        cdef int64_t[::1] own_ends = ends
        cdef Status status = DONE
        if last > first:
            with nogil:
                status = place_rows(
                    &self.documents, &self.scores[0], &self.number[0], first, last, &own_places[0],
                    &own_ends[0], self.count, self.index.lookup.key, self.placed,
                )
        self.check(status)

    def match(self, span, starts):
        """The judged documents of the queries from one to another."""
        cdef Matching matching = Matching()
        cdef const int64_t[::1] own = starts
        cdef int64_t query = span[0], last = span[1], length = 0
        cdef const char *text
        cdef Scratch scratch
        cdef Status status = DONE
        memset(&scratch, 0, sizeof(scratch))
        with nogil:
            while query < last and status == DONE:
                text = name_of(&self.queries, query, &length)
                status = match_placed(
                    &matching.out, &scratch, &self.index.lookup, find_query(&self.index.lookup, text, length),
                    &self.documents, self.placed + own[query], own[query + 1] - own[query],
                )
                query += 1
            release_scratch(&scratch)
        if status == REPEATED_DOCUMENT:
            raise DuplicateError(matching.out.first, matching.out.second)
        raise_for(status)
        return matching.matched()

    cdef int check(self, Status status) except -1:
        if status == CHANGED:
            check_rows(self.columns)
        return raise_for(status)


def match_scattered(table, index, spans, on_cores):
    """The judged documents of each query of a scattered table, in the order of its queries.

    `spans` cuts the rows into parts; `on_cores` maps a function over parts, on several cores.
    """
    rows = Rows(table, index)
    counts = list(on_cores(rows.counts, spans))
    ends = np.cumsum(sum(counts))
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    places = starts + np.cumsum([np.zeros_like(starts), *counts], axis=0)
    parts = list(zip(spans, places[:-1].copy(), places[1:], strict=True))
    list(on_cores(lambda part: rows.place(*part), parts))
    cuts = np.searchsorted(starts, [first for first, _ in spans]).tolist()
    queries = zip(cuts, [*cuts[1:], len(starts) - 1])
    return Matched.joined(list(on_cores(lambda span: rows.match(span, starts), queries)))
