from unjudged.formats.scan.kept_rows cimport Store


cdef class UnorderedRows:
    cdef Store store
