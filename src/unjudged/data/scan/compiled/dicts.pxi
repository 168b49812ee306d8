# Judgments and rankings in dicts, compiled.

from os import fsdecode

import numpy as np

from unjudged.data.scan.checks import changed_while_read, too_many_rows
from unjudged.data.tables import Ids, Keys, Table, Texts

from cpython.dict cimport PyDict_Copy, PyDict_Next
from cpython.list cimport PyList_Append
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport INT32_MAX, INT32_MIN, int32_t, int64_t
from libc.stdlib cimport getenv

from unjudged.data.scan.compiled.dict_lookups cimport Judged, match_dict, read_number, utf8_of
from unjudged.data.scan.compiled.matches cimport MOST_DOCUMENTS
from unjudged.data.scan.compiled.vector cimport (
    CHANGED, DONE, NO_MEMORY, NOT_PLAIN, Status, Vector, push, push_int64, release,
)

cdef object FLOAT64 = np.dtype(np.float64)
cdef object NO_LINES = np.frombuffer(b"", np.int64)
cdef tuple PLAIN = (dict, __import__("collections").defaultdict)
"""Types of dict that hold what they show. The order of others is not that of their entries."""


def match_dicts(run, queries, list documents not None, starts, int64_t most, bint single=False):
    """The judged documents of each ranking of `run`, `{query: {document: score}}`, whose query is judged or not.

    `queries` numbers the judged queries; query q has the rows `starts[q]` to `starts[q + 1]` of `documents`.
    `single` rounds scores to single precision, in which they may be infinite. None for dicts, names or numbers
    that are not plain, if there are no entries, and if there are more than `most`.
    """
    cdef Matching matching = Matching()
    cdef Arrays arrays = Arrays()
    cdef int64_t count = 0, length = 0, entries = 0
    cdef const int64_t *rows = checked_rows(arrays, starts, documents, &count)
    cdef Status status
    matching.hits.single, matching.hits.finite = single, not single
    if type(run) not in PLAIN:
        return None
    for query, ranking in PyDict_Copy(run).items():
        if type(query) is not str or utf8_of(query, &length) == NULL or type(ranking) not in PLAIN:
            return None
        judged = judged_rows(rows, count, queries.get(query))
        status = match_dict(&matching.out, &matching.hits, judged, ranking, documents)
        if status == NOT_PLAIN or status == CHANGED:
            return None
        raise_for(status)
        entries += len(ranking)
    return matching.matched() if 0 < entries <= most else None


def environment_variable(str name not None):
    """Its value, "" if it is not set. `os.environ` takes longer than to read a few documents."""
    cdef const char *value = getenv(name.encode())
    return "" if value == NULL else fsdecode(<bytes>value)


cdef const int64_t *checked_rows(Arrays arrays, starts, list documents, int64_t *count) except NULL:
    """Where the rows of each query start, and where the last ones end; how many queries there are."""
    cdef const int64_t *rows = arrays.int64s(starts, count)
    cdef int64_t q, n = count[0] - 1
    if n < 0 or rows[0] != 0 or rows[n] != len(documents):
        raise changed_while_read("the judged documents")
    for q in range(n):
        if rows[q] > rows[q + 1]:
            raise changed_while_read("the judged documents")
    if rows[n] > MOST_DOCUMENTS:
        raise too_many_rows()
    count[0] = n
    return rows


cdef Judged judged_rows(const int64_t *rows, int64_t count, number) except *:
    """The rows of a query; none if its number is None."""
    cdef Judged judged
    judged.query, judged.first, judged.count = -1, 0, 0
    if number is not None:
        judged.query = number
        if not 0 <= judged.query < count:
            raise changed_while_read("the judged documents")
        judged.first = rows[judged.query]
        judged.count = rows[judged.query + 1] - judged.first
    return judged


cdef struct Columns:
    # A table of dicts: where each query starts, and a number per document.
    Vector starts, numbers
    double lowest, highest
    bint fractions   # or numbers of more than 32 bits


cdef class DictReading:
    """The columns of a table under way."""

    cdef Columns columns

    def __dealloc__(self):
        release(&self.columns.starts)
        release(&self.columns.numbers)


def table_of_dicts(data):
    """`{query: {document: number}}` as a table, if all dicts, names and numbers are plain; else None."""
    cdef DictReading reading = DictReading()
    cdef Columns *columns = &reading.columns
    cdef Status status
    cdef int64_t length
    cdef list documents = []
    cdef dict queries = {}
    columns.lowest, columns.highest = INT32_MAX, INT32_MIN
    if type(data) not in PLAIN:
        return None
    if not push_int64(&columns.starts, 0):
        raise MemoryError
    for query, inner in PyDict_Copy(data).items():
        if type(query) is not str or utf8_of(query, &length) == NULL or type(inner) not in PLAIN:
            return None
        status = add_dict(columns, inner, documents)
        if status == NOT_PLAIN or status == CHANGED:
            return None
        raise_for(status)
        queries[query] = len(queries)
    return Table(
        Texts(list(queries)),
        array_of(&columns.starts, INT64),
        Texts(documents),
        array_of(&columns.numbers, FLOAT64)[:, None],
        NO_LINES,
        Keys(queries, documents),
        None if columns.fractions else (<int64_t>columns.lowest, <int64_t>columns.highest),
    )


cdef Status add_dict(Columns *columns, object numbers, list documents) except *:
    """Add the documents of a query, also to `documents`, and their numbers. No Python code is run."""
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t position = 0
    cdef double number
    cdef int64_t length
    while PyDict_Next(numbers, &position, &key, &value):
        if not (PyUnicode_CheckExact(<object>key) and read_number(<object>value, &number)):
            return NOT_PLAIN
        if utf8_of(<object>key, &length) == NULL:
            return NOT_PLAIN
        if not push(&columns.numbers, &number, sizeof(number)):
            return NO_MEMORY
        if not (INT32_MIN <= number <= INT32_MAX and number == <int32_t>number):
            columns.fractions = True
        columns.lowest, columns.highest = min(columns.lowest, number), max(columns.highest, number)
        PyList_Append(documents, <object>key)
    return DONE if push_int64(&columns.starts, columns.numbers.used >> 3) else NO_MEMORY
