# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Columns of Python's strings as identifiers, compiled."""

import numpy as np

from unjudged.formats.tables import Ids

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer
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
    const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size) except NULL

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
    cdef const char *utf8
    cdef Py_ssize_t size
    cdef int64_t i, n = column_of_strings.objects.len // <int64_t>sizeof(PyObject *)
    offsets = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] ends = offsets
    for i in range(n):
        if i + SOON < n:
            FETCH_SOON(strings[i + SOON])
        string = strings[i]
        if string == NULL or not PyUnicode_CheckExact(string):
            return None
        try:
            utf8 = PyUnicode_AsUTF8AndSize(string, &size)
        except UnicodeEncodeError:
            return None
        if not push(text, utf8, size):
            raise MemoryError
        ends[i + 1] = text.used
    return Ids(array_of(text, np.uint8), offsets)
