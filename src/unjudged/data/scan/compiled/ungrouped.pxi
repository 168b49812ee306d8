# Rows in any order, kept by query and then matched, compiled. `plain/unordered_rows.py` is the same in plain Python.

import numpy as np

from unjudged.data.scan.checks import check_rows, checked_columns, checked_ids
from unjudged.data.tables import Ids

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t

from unjudged.data.scan.compiled.gathering cimport Gathered, Groups, Source, match_part, release_gathered
from unjudged.data.scan.compiled.index cimport Names
from unjudged.data.scan.compiled.kept_rows cimport PART_SHIFT, Store, keep_rows, release_store, start_store
from unjudged.data.scan.compiled.kept_rows cimport PARTS as MOST_PARTS
from unjudged.data.scan.compiled.numbered_names cimport name_count
from unjudged.data.scan.compiled.vector cimport CHANGED, DONE, REPEATED_DOCUMENT, Status, Vector, push, release

PARTS = MOST_PARTS


cdef class UnorderedRows:
    """Rows of a run in any order, kept in memory by query until all of them are read.

    Queries are in one of `PARTS` parts. If matching the rows takes more than `most` bytes, the last parts are
    dropped: the rows of the parts from `first` to just before `stop` are complete.
    """

    cdef Store store

    def __cinit__(self, int first, int64_t most):
        if not 0 <= first < MOST_PARTS:
            raise ValueError(first)
        if not start_store(&self.store, random_key(), first, most):
            raise MemoryError

    def __dealloc__(self):
        release_store(&self.store)

    @property
    def first(self):
        return self.store.first

    @property
    def stop(self):
        return self.store.stop

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

    `queries` has each query once, in the order in which they first come. `rows` is how many rows each part
    has; the parts from `first` to just before `stop` are complete.
    """

    cdef readonly object queries, rows
    cdef readonly int first, stop
    cdef Groups groups
    cdef Vector sources
    cdef object owned   # what `groups` points into
    cdef object order

    def __dealloc__(self):
        release(&self.sources)

    def __init__(self, pieces):
        cdef UnorderedRows piece
        known, codes, names, stores = [], [], [], list(pieces)
        for piece in stores:
            known.append(array_of(&piece.store.counts, np.int64))
            codes.append(array_of(&piece.store.names.codes, np.int64))
            names.append(ids_of(&piece.store.names))
        self.first, self.stop = max([piece.first for piece in stores]), min([piece.stop for piece in stores])
        joined = Ids.joined(names)
        number, came = number_names(joined)
        self.queries = joined.take(came)
        part = np.concatenate(codes)[came] >> PART_SHIFT & (PARTS - 1)
        kept = np.flatnonzero((self.first <= part) & (part < self.stop))
        order = kept[np.argsort(part[kept], kind="stable")].astype(np.int64)
        starts = np.searchsorted(part[order], np.arange(PARTS + 1)).astype(np.int64)
        counts = np.bincount(number, np.concatenate(known), len(came))[order].astype(np.int64)
        self.rows = np.diff(np.append(0, np.cumsum(counts))[starts])
        self.order = order
        self._point_to(stores, places_in(order, len(came)).take(number), order, starts, counts)

    cdef _point_to(
        self, list stores, int32_t[::1] places, int64_t[::1] order, int64_t[::1] starts, int64_t[::1] counts
    ):
        cdef UnorderedRows piece
        cdef Source source
        cdef int64_t before = 0
        for piece in stores:
            source.store, source.places = &piece.store, &places[0] + before
            before += name_count(&piece.store.names)
            if not push(&self.sources, &source, sizeof(source)):
                raise MemoryError
        checked = checked_ids(self.queries)
        self.groups.sources, self.groups.pieces = <const Source *>self.sources.at, len(stores)
        self.groups.queries = names_of(checked)
        self.groups.starts, self.groups.order = &starts[0], &order[0]
        self.groups.counts = &counts[0]
        self.owned = (stores, places, order, starts, counts, checked)

    def match(self, int first, int stop, Index index not None):
        """What the queries of some parts hold of the judged documents.

        It gives the numbers of these queries, what was matched, and for each part with a query that holds a
        document twice, the number of its first such query and that document.
        """
        cdef Matching matching = Matching()
        cdef Gathering gathering = Gathering()
        cdef int part = first
        cdef Status status = DONE
        if not self.first <= first <= stop <= self.stop:
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


cdef places_in(const int64_t[::1] order, int64_t queries):
    """Where each query is in the order."""
    places = np.zeros(queries, np.int32)
    cdef int32_t[::1] view = places
    cdef int64_t place
    for place in range(order.shape[0]):
        view[order[place]] = <int32_t>place
    return places


cdef named(const Gathered *rows):
    """The query and the document of the row at fault."""
    return rows.failed, PyBytes_FromStringAndSize(rows.repeated.document, rows.repeated.length)
