# Rows in any order, kept by query and then matched, compiled. `plain/matcher.py` is the same in plain Python.

import numpy as np

from unjudged.data.scan.checks import check_rows, checked_columns, checked_ids
from unjudged.data.tables import Ids

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t

from unjudged.data.scan.compiled.kept_rows cimport (
    PARTS as MOST_PARTS, PART_SHIFT, Gathered, Groups, Source, Store, keep_rows, match_part,
    release_gathered, release_store, start_store,
)
from unjudged.data.scan.compiled.index cimport Names, name_count
from unjudged.data.scan.compiled.vector cimport CHANGED, DONE, REPEATED_DOCUMENT, Status, Vector, push, release

PARTS = MOST_PARTS


cdef class UnorderedRows:
    """Rows of a run in any order, kept in memory by query until all of them are read.

    Queries are in one of `PARTS` parts. Rows are refused if matching them takes more than `most` bytes.
    """

    cdef Store store

    def __cinit__(self, int64_t most):
        if not start_store(&self.store, random_key(), most):
            raise MemoryError

    def __dealloc__(self):
        release_store(&self.store)

    def add(self, table):
        """Keep the rows of a table, whose first numbers are their scores."""
        columns = checked_columns(table)
        cdef const int64_t[::1] starts = columns.starts
        cdef const double[:, ::1] numbers = np.ascontiguousarray(columns.numbers)
        cdef Names queries = names_of(columns.queries), documents = names_of(columns.documents)
        cdef int64_t groups = starts.shape[0] - 1
        cdef Status status = DONE
        with nogil:
            status = keep_rows(
                &self.store, &queries, &starts[0], groups, &documents, &numbers[0, 0], numbers.shape[1]
            )
        if status == CHANGED:
            check_rows(columns)
        raise_for(status)


cdef class Gathering:
    """The memory that rows are brought together in."""

    cdef Gathered rows

    def __dealloc__(self):
        release_gathered(&self.rows)


cdef class GroupedRows:
    """The rows of several `UnorderedRows`, one after another, by query.

    `queries` has each query once, in the order in which they first come; `rows` is how many each part has.
    """

    cdef readonly object queries, rows
    cdef Groups groups
    cdef Vector sources
    cdef object owned   # what `groups` points into
    cdef object order

    def __dealloc__(self):
        release(&self.sources)

    def __init__(self, pieces):
        cdef UnorderedRows piece
        counts, texts, codes, names, stores = [], [], [], [], list(pieces)
        for piece in stores:
            counts.append(array_of(&piece.store.counts, INT64))
            texts.append(array_of(&piece.store.texts, INT64))
            codes.append(array_of(&piece.store.names.codes, INT64))
            names.append(ids_of(&piece.store.names))
        number, came = number_names(Ids.joined(names))
        self.queries = take_names(Ids.joined(names), came)
        part = np.concatenate(codes)[came] >> PART_SHIFT & (PARTS - 1)
        self.order = np.argsort(part, kind="stable").astype(np.int64)
        starts = np.searchsorted(part[self.order], np.arange(PARTS + 1)).astype(np.int64)
        rows = np.bincount(number, np.concatenate(counts), len(came))[self.order].astype(np.int64)
        bytes_ = np.bincount(number, np.concatenate(texts), len(came))[self.order].astype(np.int64)
        self.rows = np.diff(np.append(0, np.cumsum(rows))[starts])
        places = np.argsort(self.order).astype(np.int32)
        self._point_to(stores, places.take(number), starts, rows, bytes_)

    cdef _point_to(self, list stores, places, starts, rows, bytes_):
        cdef UnorderedRows piece
        cdef Source source
        cdef const int32_t[::1] places_view = places
        cdef const int64_t[::1] starts_view = starts, order_view = self.order, rows_view = rows, bytes_view = bytes_
        cdef int64_t before = 0
        checked = checked_ids(self.queries)
        self.owned = (stores, places, starts, rows, bytes_, checked)
        for piece in stores:
            source.store, source.places = &piece.store, &places_view[0] + before
            before += name_count(&piece.store.names)
            if not push(&self.sources, &source, sizeof(source)):
                raise MemoryError
        self.groups.sources, self.groups.pieces = <const Source *>self.sources.at, len(stores)
        self.groups.queries = names_of(checked)
        self.groups.starts, self.groups.order = &starts_view[0], &order_view[0]
        self.groups.counts, self.groups.texts = &rows_view[0], &bytes_view[0]

    def match(self, int first, int stop, Index index not None):
        """What the queries of some parts hold of the judged documents.

        It gives the numbers of these queries, what was matched, and for each part with a query that holds a
        document twice, the number of its first such query and that document.
        """
        cdef Matching matching = Matching()
        cdef Gathering gathering = Gathering()
        cdef int part = first
        cdef Status status = DONE
        if not 0 <= first <= stop <= MOST_PARTS:
            raise ValueError((first, stop))
        repeated = []
        while part < stop:
            with nogil:
                while part < stop and status == DONE:
                    status = match_part(&gathering.rows, &matching.out, &index.lookup, &self.groups, part)
                    part += 1
            raise_for(status)
            if status == REPEATED_DOCUMENT:
                repeated.append(named(&gathering.rows))
                status = DONE
        return self.order[self.groups.starts[first]:self.groups.starts[stop]], matching.matched(), repeated


cdef named(const Gathered *rows):
    """The query and the document of the row at fault."""
    cdef const int64_t *ends = <const int64_t *>rows.ends.at + rows.repeated
    return rows.failed, PyBytes_FromStringAndSize(rows.text.at + ends[0], ends[1] - ends[0])
