# Columns of Python's strings as identifiers, compiled.

import numpy as np

from unjudged.data.tables import Ids

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.exc cimport PyErr_Clear, PyErr_ExceptionMatches
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memcmp

from unjudged.data.scan.compiled.text cimport copy_exactly
from unjudged.data.scan.compiled.vector cimport Vector, push_int64, release, reserve

cdef extern from "Python.h":
    bint is_string "PyUnicode_CheckExact"(PyObject *text)
    const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size)


cdef class Bytes:
    """Bytes that arrays of NumPy share, so that they are not copied once more."""

    cdef Vector text

    def __dealloc__(self):
        release(&self.text)

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.text.at, self.text.used, True, flags)


cdef class Objects:
    """The objects of a column."""

    cdef Py_buffer view
    cdef int64_t count

    def __cinit__(self, column):
        objects = np.ascontiguousarray(column, object)
        PyObject_GetBuffer(objects, &self.view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)
        self.count = self.view.len // <int64_t>sizeof(PyObject *)

    def __dealloc__(self):
        PyBuffer_Release(&self.view)


def ids_of_strings(column):
    """A column of Python objects as identifiers, in UTF-8; None if they are not all strings that have it."""
    cdef Objects objects = Objects(column)
    cdef Bytes found = Bytes()
    offsets = np.empty(objects.count + 1, np.int64)
    cdef int64_t[::1] ends = offsets
    if not copy_strings(<PyObject **>objects.view.buf, objects.count, &found.text, &ends[0]):
        return None
    return Ids(np.frombuffer(found, np.uint8), offsets)


def stretches_of_strings(column):
    """The rows of a column whose string is not that of the row before, and then the number of rows.

    None if the objects of the column are not all strings that have UTF-8.
    """
    cdef Objects objects = Objects(column)
    cdef Bytes starts = Bytes()
    if not find_stretches(<PyObject **>objects.view.buf, objects.count, &starts.text):
        return None
    return np.frombuffer(starts, np.int64)


cdef bint copy_strings(PyObject **strings, int64_t n, Vector *text, int64_t *ends) except -1:
    """Copy the bytes of strings end to end. False if one of the objects is none."""
    cdef int64_t i
    cdef const char *utf8
    cdef Py_ssize_t size = 0
    ends[0] = 0
    if not reserve(text, n + 1):
        raise MemoryError
    for i in range(n):
        utf8 = bytes_of_string(strings, i, n, &size)
        if utf8 == NULL:
            return False
        if not reserve(text, size):
            raise MemoryError
        copy_exactly(text.at + text.used, utf8, size)
        text.used += size
        ends[i + 1] = text.used
    return True


cdef bint find_stretches(PyObject **strings, int64_t n, Vector *starts) except -1:
    """Find where strings change. False if one of the objects is none."""
    cdef int64_t i
    cdef const char *utf8
    cdef const char *last = NULL
    cdef Py_ssize_t size = 0, last_size = 0
    for i in range(n):
        if i and strings[i] == strings[i - 1]:
            continue
        utf8 = bytes_of_string(strings, i, n, &size)
        if utf8 == NULL:
            return False
        if last == NULL or size != last_size or memcmp(utf8, last, <size_t>size):
            if not push_int64(starts, i):
                raise MemoryError
        last, last_size = utf8, size
    if not push_int64(starts, n):
        raise MemoryError
    return True


cdef inline const char *bytes_of_string(PyObject **strings, int64_t i, int64_t n, Py_ssize_t *size) except? NULL:
    """The bytes of a string; NULL if the object is none, or a string that has no UTF-8."""
    cdef PyObject *string = strings[i]
    cdef const char *utf8
    if i + SOON < n:
        fetch_soon(strings[i + SOON])
    if string == NULL or not is_string(string):
        return NULL
    utf8 = PyUnicode_AsUTF8AndSize(string, size)
    if utf8 == NULL and PyErr_ExceptionMatches(UnicodeEncodeError):
        PyErr_Clear()
    return utf8
