# Documents of several runs, numbered as they are met, compiled.

import numpy as np

from unjudged.base.errors import DuplicateError
from unjudged.data.scan.checks import changed_while_read, checked_ids

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from unjudged.data.scan.compiled.index cimport FEWEST_SLOTS, MOST_NAMES, Names, name_of, row_of, slot_of
from unjudged.data.scan.compiled.text cimport fetch_soon, keyed_hash
from unjudged.data.scan.compiled.vector cimport (
    CHANGED, DONE, NO_MEMORY, REPEATED_DOCUMENT, TOO_MANY_ROWS,
    Status, Vector, push, raw_free, raw_realloc, release, reserve,
)

cdef enum:
    TOGETHER = 32   # rows that are hashed before they are looked up, while memory is fetched


cdef struct Met:   # a document of a query
    uint64_t code
    int64_t row    # where it was met last: in its table, after all rows of the tables before


cdef class DocumentNumbers:
    """Documents of queries, numbered in the order in which they are first met.

    They are compared by 64-bit hashes with a secret key, so no file can be written whose documents collide,
    and two of a million documents collide by chance with a probability of about 10^-7.
    """

    cdef Vector met
    cdef uint64_t *slots   # a hash table: the upper half of the code, then the document's number + 1
    cdef int64_t mask, rows_before

    def __cinit__(self):
        if not self.make_slots(FEWEST_SLOTS):
            raise MemoryError

    def __dealloc__(self):
        release(&self.met)
        raw_free(self.slots)

    def add(self, documents, queries, rows):
        """The numbers of the documents in these rows, each of a query, and the places of those that are new."""
        checked = checked_ids(documents)
        cdef Names names = names_of(checked)
        cdef const int64_t[::1] query = np.ascontiguousarray(queries, np.int64)
        cdef const int64_t[::1] wanted = np.ascontiguousarray(rows, np.int64)
        cdef int64_t n = wanted.shape[0], count = len(checked.ends) - 1, known = self.count()
        cdef int64_t first = 0, second = 0
        cdef Status status = CHANGED
        number = np.empty(n, np.int32)
        cdef int32_t[::1] numbers = number
        with nogil:
            if query.shape[0] == n:
                status = self.number_all(&names, count, &query[0], &wanted[0], n, &numbers[0], &first, &second)
        if status == REPEATED_DOCUMENT:
            raise DuplicateError(first, second)
        raise_for(status)
        self.rows_before += count
        return number, (number >= known).nonzero()[0]

    cdef int64_t count(self) noexcept nogil:
        return self.met.used // <int64_t>sizeof(Met)

    cdef Status number_all(
        self, const Names *names, int64_t count, const int64_t *query, const int64_t *wanted, int64_t n,
        int32_t *numbers, int64_t *first, int64_t *second
    ) noexcept nogil:
        cdef int64_t i, k, done = 0, length = 0, last = -1
        cdef Met *met
        cdef const char *text
        cdef uint64_t codes[TOGETHER]
        cdef uint64_t key[3]   # the first one is the query's
        key[0], key[1], key[2] = KEY[0], KEY[1], KEY[2]
        while done < n:
            if 2 * (self.count() + TOGETHER) > self.mask and not self.make_slots(4 * (self.mask + 1)):
                return NO_MEMORY
            if not reserve(&self.met, TOGETHER * sizeof(Met)):
                return NO_MEMORY
            for k in range(min(TOGETHER, n - done)):
                i = done + k
                if not 0 <= wanted[i] < count:
                    return CHANGED
                if query[i] != last:
                    last = query[i]
                    key[0] = keyed_hash(<const char *>&last, sizeof(last), KEY)
                text = name_of(names, wanted[i], &length)
                codes[k] = keyed_hash(text, length, key)
                fetch_soon(&self.slots[<int64_t>codes[k] & self.mask])
            for k in range(min(TOGETHER, n - done)):
                i = done + k
                numbers[i] = <int32_t>self.number_of(codes[k])
                if numbers[i] == MOST_NAMES:
                    return TOO_MANY_ROWS
                met = <Met *>self.met.at + numbers[i]
                if met.row >= self.rows_before:
                    first[0], second[0] = met.row - self.rows_before, wanted[i]
                    return REPEATED_DOCUMENT
                met.row = self.rows_before + wanted[i]
            done += TOGETHER
        return DONE

    cdef int64_t number_of(self, uint64_t code) noexcept nogil:
        """The number of a document, which is added if it is new and there is room for it."""
        cdef int64_t number, slot = <int64_t>code & self.mask
        cdef Met met
        while self.slots[slot]:
            number = row_of(self.slots[slot])
            if (self.slots[slot] ^ code) >> 32 == 0 and (<const Met *>self.met.at)[number].code == code:
                return number
            slot = (slot + 1) & self.mask
        number = self.count()
        if number < MOST_NAMES:
            met.code, met.row = code, -1
            push(&self.met, &met, sizeof(Met))
            self.slots[slot] = slot_of(code, number)
        return number

    cdef bint make_slots(self, int64_t size) noexcept nogil:
        """Make a new hash table of the documents so far."""
        cdef int64_t number, slot
        cdef const Met *met = <const Met *>self.met.at
        cdef uint64_t *slots = <uint64_t *>raw_realloc(NULL, <size_t>size * sizeof(uint64_t))
        if slots == NULL:
            return False
        memset(slots, 0, <size_t>size * sizeof(uint64_t))
        for number in range(self.count()):
            slot = <int64_t>met[number].code & (size - 1)
            while slots[slot]:
                slot = (slot + 1) & (size - 1)
            slots[slot] = slot_of(met[number].code, number)
        raw_free(self.slots)
        self.slots, self.mask = slots, size - 1
        return True
