from libc.stdint cimport uint64_t

from unjudged.formats.scan.dicts cimport Hits
from unjudged.formats.scan.index cimport Lookup, Names
from unjudged.formats.scan.matches cimport Matches
from unjudged.formats.scan.vector cimport Status, Vector


cdef class Index:
    cdef Lookup lookup
    cdef object owned   # the arrays that `lookup` points into


cdef class Matching:
    cdef Matches out
    cdef Hits hits

    cdef matched(self)


cdef const uint64_t *random_key() noexcept nogil
cdef Names names_of(checked) except *
cdef array_of(const Vector *vector, dtype)
cdef int raise_for(Status status) except -1
