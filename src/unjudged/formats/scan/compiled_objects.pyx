# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Columns of Python's strings as identifiers, compiled."""

import numpy as np

from unjudged.formats.tables import Ids

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from unjudged.formats.scan.compiled_matching cimport array_of
from unjudged.formats.scan.vector cimport Vector, push, release

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define FETCH_SOON(p) __builtin_prefetch(p)
    #else
    #define FETCH_SOON(p) ((void)0)
    #endif
    """
    void FETCH_SOON(const void *p)

cdef extern from "Python.h":
    bint PyUnicode_CheckExact(PyObject *text)
    bint PyUnicode_IS_COMPACT_ASCII(PyObject *text)
    const char *PyUnicode_1BYTE_DATA(PyObject *text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject *text)

cdef enum:
    SOON = 16   # how many strings ahead memory is asked for


cdef class Text:
    """The bytes of the strings so far."""

    cdef Vector data

    def __dealloc__(self):
        release(&self.data)


def ids_of_strings(column):
    """A column of Python objects as identifiers, in UTF-8; None if they are not all strings that have it."""
    cdef Text text = Text()
    objects = np.ascontiguousarray(column, object)
    offsets = np.zeros(len(objects) + 1, np.int64)
    cdef int64_t[::1] ends = offsets
    cdef int64_t i, n = len(objects)
    cdef size_t address = objects.__array_interface__["data"][0]
    cdef PyObject **strings = <PyObject **>address
    cdef PyObject *string
    for i in range(n):
        if i + SOON < n:
            FETCH_SOON(strings[i + SOON])
        string = strings[i]
        if string == NULL or not PyUnicode_CheckExact(string):
            return None
        if PyUnicode_IS_COMPACT_ASCII(string):
            if not push(&text.data, PyUnicode_1BYTE_DATA(string), PyUnicode_GET_LENGTH(string)):
                raise MemoryError
        elif not add_encoded(&text.data, <str>string):
            return None
        ends[i + 1] = text.data.used
    return Ids(array_of(&text.data, np.uint8), offsets)


cdef bint add_encoded(Vector *data, str string) except -1:
    """Add a string that is not ASCII; False if it has no UTF-8."""
    try:
        encoded = string.encode()
    except UnicodeEncodeError:
        return False
    if not push(data, PyBytes_AS_STRING(encoded), PyBytes_GET_SIZE(encoded)):
        raise MemoryError
    return True
