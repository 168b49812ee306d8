# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Columns of Python's strings as identifiers, compiled."""

import numpy as np

from unjudged.formats.tables import Ids

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer
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


cdef class Strings:
    """The objects of a column, and the bytes of the strings so far."""

    cdef Py_buffer objects
    cdef Vector text

    def __cinit__(self, column):
        objects = np.ascontiguousarray(column, object)
        PyObject_GetBuffer(objects, &self.objects, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)

    def __dealloc__(self):
        PyBuffer_Release(&self.objects)
        release(&self.text)


def ids_of_strings(column):
    """A column of Python objects as identifiers, in UTF-8; None if they are not all strings that have it."""
    cdef Strings column_of_strings = Strings(column)
    cdef Vector *text = &column_of_strings.text
    cdef PyObject **strings = <PyObject **>column_of_strings.objects.buf
    cdef PyObject *string
    cdef int64_t i, n = column_of_strings.objects.len // <int64_t>sizeof(PyObject *)
    offsets = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] ends = offsets
    for i in range(n):
        if i + SOON < n:
            FETCH_SOON(strings[i + SOON])
        string = strings[i]
        if string == NULL or not PyUnicode_CheckExact(string):
            return None
        if PyUnicode_IS_COMPACT_ASCII(string):
            if not push(text, PyUnicode_1BYTE_DATA(string), PyUnicode_GET_LENGTH(string)):
                raise MemoryError
        elif not add_encoded(text, <str>string):
            return None
        ends[i + 1] = text.used
    return Ids(array_of(text, np.uint8), offsets)


cdef bint add_encoded(Vector *data, str string) except -1:
    """Add a string that is not ASCII; False if it has no UTF-8."""
    try:
        encoded = string.encode()
    except UnicodeEncodeError:
        return False
    if not push(data, PyBytes_AS_STRING(encoded), PyBytes_GET_SIZE(encoded)):
        raise MemoryError
    return True
