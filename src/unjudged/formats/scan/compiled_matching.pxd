from libc.stdint cimport uint64_t

from unjudged.formats.scan.dicts cimport Hits
from unjudged.formats.scan.index cimport Lookup, Names
from unjudged.formats.scan.matches cimport Matches
from unjudged.formats.scan.numbered_names cimport NumberedNames
from unjudged.formats.scan.vector cimport Status, Vector


cdef class Index:
    cdef Lookup lookup
    cdef object owned   # the arrays that `lookup` points into


cdef class Matching:
    cdef Matches out
    cdef Hits hits

    cdef matched(self, unjudged=*)


cdef class KnownNames:
    cdef NumberedNames numbered
    cdef Vector firsts   # the row where each of them first comes


cdef const uint64_t *random_key() noexcept nogil
cdef Names names_of(checked) except *
cdef ids_of(const NumberedNames *known)
cdef array_of(const Vector *vector, dtype)
cdef int raise_for(Status status) except -1
