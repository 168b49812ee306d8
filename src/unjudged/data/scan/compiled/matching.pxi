# Rankings matched against the judged documents, compiled.

import os

import numpy as np

from unjudged.base.errors import DuplicateError
from unjudged.data.scan.checks import (
    MOST_ROWS, TooMuchMemory, changed_while_read, check_rows, checked_columns, checked_groups, checked_ids, too_many_rows,
)
from unjudged.data.tables import Ids, Matched
from unjudged.data.tables import Ties

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t

from unjudged.data.scan.compiled.dict_lookups cimport Hits
from unjudged.data.scan.compiled.index cimport (
    Lookup, Names, NumberedNames, add_documents, add_query, find_query, hash_table_size, name_of,
    number_of, release_names, start_names,
)
from unjudged.data.scan.compiled.matches cimport (
    Matches, Ranked, match_ranking, release_matches, sort_rows, start_matches,
)
from unjudged.data.scan.compiled.text cimport fetch_soon
from unjudged.data.scan.compiled.vector cimport (
    CHANGED, DONE, NO_MEMORY, REPEATED_DOCUMENT, TOO_MANY_ROWS, TOO_MUCH, Status, Vector, push, push_int64, release,
)

cdef object frombuffer = np.frombuffer, INT32 = np.dtype(np.int32), INT64 = np.dtype(np.int64)

cdef enum:
    SOON = 16   # how many names ahead memory is asked for

cdef uint64_t KEY[3]
KEY[0], KEY[1], KEY[2] = (int.from_bytes(os.urandom(8), "little") | 1 for _ in range(3))


cdef const uint64_t *random_key() noexcept nogil:
    """What makes hashes differ from process to process."""
    return KEY


cdef class Index:
    """The judged documents of every query, found by their bytes."""

    cdef Lookup lookup
    cdef object owned   # the arrays that `lookup` points into

    def __cinit__(self, queries, offsets, documents):
        """`offsets` cuts the rows of `documents` into one group per query."""
        groups = checked_groups(queries, offsets, documents)
        cdef const int64_t[::1] starts_view = groups.starts
        cdef int64_t n = starts_view.shape[0] - 1, q, first = 0, second = 0
        query_slots, tags = np.full(hash_table_size(n), -1, np.int32), np.empty(len(documents) + 1, np.uint32)
        cdef int32_t[::1] query_slots_view = query_slots
        cdef uint32_t[::1] tags_view = tags
        cdef Status status = DONE
        cdef Matching working = Matching()   # only for its memory
        self.owned = (groups, query_slots, tags)
        self.lookup.queries, self.lookup.documents = names_of(groups.queries), names_of(groups.documents)
        self.lookup.starts, self.lookup.query_count = &starts_view[0], n
        self.lookup.query_slots, self.lookup.query_mask = &query_slots_view[0], len(query_slots) - 1
        self.lookup.tags, self.lookup.key = &tags_view[0], KEY
        with nogil:
            for q in range(n):
                add_query(&self.lookup, q)
                status = add_documents(&self.lookup, q, &working.out.seen, &first, &second)
                if status != DONE:
                    break
        if status == REPEATED_DOCUMENT:
            raise DuplicateError(first, second)
        raise_for(status)


cdef class Matching:
    """What was matched so far, and the memory that matching works in."""

    cdef Matches out
    cdef Hits hits

    def __cinit__(self):
        if not start_matches(&self.out):
            raise MemoryError

    def __dealloc__(self):
        release_matches(&self.out)
        release(&self.hits.ranked)
        release(&self.hits.above)

    cdef matched(self, unjudged=None):
        return Matched(
            array_of(&self.out.queries, INT32), array_of(&self.out.retrieved, INT32),
            array_of(&self.out.ends, INT64), array_of(&self.out.ranks, INT32), array_of(&self.out.rows, INT32),
            unjudged,
            Ties.of(array_of(&self.out.firsts, INT32), array_of(&self.out.lasts, INT32)) if self.out.tied else None,
        )


cdef Names names_of(checked) except *:
    """Pointers into checked identifiers, which the caller keeps alive."""
    cdef const uint8_t[::1] data = checked.data
    cdef const int64_t[::1] ends = checked.ends
    cdef Names names
    names.data, names.ends, names.size = "", &ends[0], data.shape[0]
    if data.shape[0]:
        names.data = <const char *>&data[0]
    return names


cdef int raise_for(Status status) except -1:
    if status == NO_MEMORY:
        raise MemoryError
    if status == TOO_MANY_ROWS:
        raise too_many_rows()
    if status == TOO_MUCH:
        raise TooMuchMemory
    if status == CHANGED:
        raise changed_while_read("the data")
    return 0


cdef array_of(const Vector *vector, dtype):
    return frombuffer(PyBytes_FromStringAndSize(vector.at, vector.used), dtype)


def match_table(table, Index index not None):
    """The judged documents of every group of `table`, whose first numbers are its scores."""
    cdef Matching matching = Matching()
    columns = checked_columns(table)
    cdef const int64_t[::1] starts = columns.starts
    cdef const double[::1] scores = np.ascontiguousarray(columns.numbers[:, 0])
    cdef Names queries = names_of(columns.queries), documents = names_of(columns.documents)
    cdef const int64_t *ends = documents.ends
    cdef const char *text
    cdef int64_t g = 0, groups = starts.shape[0] - 1, row = 0, length = 0
    cdef Status status = DONE
    with nogil:
        while g < groups and status == DONE:
            row = starts[g]
            documents.ends = ends + row
            text = name_of(&queries, g, &length)
            status = match_ranking(
                &matching.out, &index.lookup, find_query(&index.lookup, text, length),
                &documents, &scores[0] + row, starts[g + 1] - row,
            )
            g += 1
    if status != DONE or starts[0] == starts[groups]:
        check_rows(columns)
    if status == REPEATED_DOCUMENT:
        raise DuplicateError(row + matching.out.first, row + matching.out.second)
    raise_for(status)
    return matching.matched()


def best_first(table):
    """The rows of `table`, group by group, best first."""
    cdef Matching matching = Matching()
    columns = checked_columns(table)
    cdef const int64_t[::1] starts = columns.starts
    cdef const double[::1] scores = np.ascontiguousarray(columns.numbers[:, 0])
    cdef Names documents = names_of(columns.documents)
    cdef const int64_t *ends = documents.ends
    cdef int64_t g = 0, i, row, groups = starts.shape[0] - 1
    cdef Status status = DONE
    order = np.empty(starts[groups] - starts[0], np.int64)
    cdef int64_t[::1] target = order
    with nogil:
        while g < groups and status == DONE:
            row = starts[g]
            documents.ends = ends + row
            status = sort_rows(&matching.out, &documents, &scores[0] + row, starts[g + 1] - row)
            if status == DONE:
                for i in range(starts[g + 1] - row):
                    target[row - starts[0] + i] = row + (<const Ranked *>matching.out.ranked.at)[i].row
            g += 1
    if status == CHANGED or not len(order):
        check_rows(columns)
    raise_for(status)
    return order


cdef class KnownNames:
    """Names that are numbered as they come."""

    cdef NumberedNames numbered
    cdef Vector firsts   # the row where each of them first comes

    def __cinit__(self):
        if not start_names(&self.numbered, KEY):
            raise MemoryError

    def __dealloc__(self):
        release_names(&self.numbered)
        release(&self.firsts)


cdef ids_of(const NumberedNames *known):
    return Ids(array_of(&known.names, np.uint8), array_of(&known.ends, np.int64))


def number_names(ids):
    """The number of each name, counted in the order in which they first come; and those first rows."""
    checked = checked_ids(ids)
    cdef KnownNames known = KnownNames()
    cdef Names names = names_of(checked)
    cdef int64_t n = len(checked.ends) - 1, row = 0, own = 0, length = 0
    cdef const char *text
    cdef Status status = DONE
    if n > MOST_ROWS:
        raise too_many_rows()
    number, first = np.empty(n, np.int32), []
    cdef int32_t[::1] number_view = number
    with nogil:
        while row < n and status == DONE:
            text = name_of(&names, row, &length)
            status = number_of(&known.numbered, text, length, &own)
            number_view[row] = <int32_t>own
            if status == DONE and own == known.firsts.used >> 3 and not push_int64(&known.firsts, row):
                status = NO_MEMORY
            row += 1
    raise_for(status)
    return number, array_of(&known.firsts, np.int64)


def take_names(ids, rows):
    """The names of these rows."""
    checked = checked_ids(ids)
    cdef Names names = names_of(checked)
    cdef const int64_t[::1] wanted = np.ascontiguousarray(rows, np.int64)
    cdef int64_t n = wanted.shape[0], count = len(checked.ends) - 1, i = 0, length = 0
    cdef const char *text
    cdef KnownNames taken = KnownNames()   # only for its memory
    cdef Status status = DONE
    with nogil:
        while i < n and status == DONE:
            if i + 2 * SOON < n and 0 <= wanted[i + 2 * SOON] < count:
                fetch_soon(names.ends + wanted[i + 2 * SOON])
            if i + SOON < n and 0 <= wanted[i + SOON] < count:
                fetch_soon(names.data + names.ends[wanted[i + SOON]])
            if not 0 <= wanted[i] < count:
                status = CHANGED
            else:
                text = name_of(&names, wanted[i], &length)
                if not (push(&taken.numbered.names, text, length)
                        and push_int64(&taken.numbered.ends, taken.numbered.names.used)):
                    status = NO_MEMORY
            i += 1
    raise_for(status)
    return ids_of(&taken.numbered)


def ids_of_numbers(numbers):
    """Whole numbers from 0 upwards as identifiers: their decimal digits."""
    cdef const int64_t[::1] values = np.ascontiguousarray(numbers, np.int64)
    cdef KnownNames written = KnownNames()   # only for its memory
    cdef int64_t n = values.shape[0], i = 0, at = 0
    cdef uint64_t left = 0
    cdef char digits[20]
    cdef Status status = DONE
    with nogil:
        while i < n and status == DONE:
            at, left = 20, <uint64_t>values[i]
            while at == 20 or left:
                at -= 1
                digits[at] = <char>(48 + left % 10)
                left //= 10
            if not (push(&written.numbered.names, digits + at, 20 - at)
                    and push_int64(&written.numbered.ends, written.numbered.names.used)):
                status = NO_MEMORY
            i += 1
    raise_for(status)
    return ids_of(&written.numbered)
