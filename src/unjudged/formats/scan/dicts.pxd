# Rankings in dicts, matched without sorting them: one pass counts how many documents rank above each hit.
#
# Another thread may change a dict whenever Python code runs. So the first attempt runs none: at the first key
# or value that would need it (a string without UTF-8, a number of another type) it returns NOT_PLAIN. The
# caller then tries again with a copy that nobody else can reach.

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next, PyDict_Size
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsEncodedString, PyUnicode_Check, PyUnicode_CheckExact
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from unjudged.formats.scan.matches cimport MOST_DOCUMENTS, Matches, end_ranking
from unjudged.formats.scan.ranking cimport Ranked, rank_order, sort_ranked
from unjudged.formats.scan.vector cimport (
    CHANGED, DONE, NO_MEMORY, NOT_PLAIN, TOO_MANY_ROWS, Status, Vector, push_int32, reserve,
)

cdef extern from "Python.h":
    PyObject *PyExc_OverflowError
    PyObject *PyExc_UnicodeEncodeError
    bint PyErr_ExceptionMatches(PyObject *kind)
    bint PyUnicode_IS_ASCII(object text)
    # Declared without `except`: their errors are looked at here, and an except clause allocates memory.
    double PyLong_AsDouble(object number)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size)


cdef struct Hits:
    # The judged documents of one ranking, best first, and how many others rank right above each.
    Vector ranked, above
    int64_t count
    bint single   # round scores to single precision


cdef inline Status match_dict(
    Matches *out, Hits *hits, int32_t query, object ranking, list judged, int64_t first_row, list copies
) except *:
    """Add the ranking of one query.

    `copies` keeps the documents alive that had to be encoded. If it is None, no Python code is run.
    """
    cdef int64_t i, rank = 1, size = PyDict_Size(ranking)
    cdef const Ranked *ranked
    cdef const int64_t *above
    cdef Status status
    if size > MOST_DOCUMENTS:
        return TOO_MANY_ROWS
    status = find_hits(hits, ranking, judged, first_row, copies)
    if status == DONE:
        status = count_above(hits, ranking, size, copies)
    if status != DONE:
        return status
    ranked, above = <const Ranked *>hits.ranked.at, <const int64_t *>hits.above.at
    for i in range(hits.count):
        rank += above[i]
        if rank > size or (i and above[i] == 0):
            return CHANGED
        if not (push_int32(&out.ranks, rank) and push_int32(&out.rows, ranked[i].row)):
            return NO_MEMORY
    return end_ranking(out, query, size)


cdef inline Status find_hits(
    Hits *hits, object ranking, list judged, int64_t first_row, list copies
) except *:
    cdef int64_t i, n = PyList_GET_SIZE(judged)
    cdef Ranked *hit
    cdef PyObject *value
    hits.count = 0
    if not (reserve(&hits.ranked, n * sizeof(Ranked)) and reserve(&hits.above, (n + 1) * sizeof(int64_t))):
        return NO_MEMORY
    for i in range(n):
        document = <object>PyList_GET_ITEM(judged, i)
        value = PyDict_GetItemWithError(ranking, document)
        if value == NULL:
            continue
        hit = <Ranked *>hits.ranked.at + hits.count
        if not (PyUnicode_Check(document) and read_score(<object>value, hits.single, &hit.score)):
            return NOT_PLAIN
        hit.document = utf8_of(document, &hit.length, copies)
        if hit.document == NULL:
            return NOT_PLAIN
        hit.row = first_row + i
        hits.count += 1
    sort_ranked(<Ranked *>hits.ranked.at, hits.count)
    return DONE


cdef inline Status count_above(Hits *hits, object ranking, int64_t size, list copies) except *:
    """Count each document at the best hit that ranks below it."""
    cdef int64_t at = 0, seen = 0, length = 0
    cdef int64_t *above = <int64_t *>hits.above.at
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t position = 0
    cdef double score
    memset(above, 0, <size_t>(hits.count + 1) * sizeof(int64_t))
    while PyDict_Next(ranking, &position, &key, &value):
        document = <object>key
        if not (PyUnicode_CheckExact(document) and read_score(<object>value, hits.single, &score)):
            return NOT_PLAIN
        if not PyUnicode_IS_ASCII(document) and utf8_of(document, &length, copies) == NULL:
            return NOT_PLAIN
        if hits.count:
            at = first_below(hits, at, score, document, copies)
            if at < 0:
                return NOT_PLAIN
            above[at] += 1
        seen += 1
    return DONE if seen == size == PyDict_Size(ranking) else CHANGED


cdef inline int64_t first_below(
    const Hits *hits, int64_t guess, double score, object document, list copies
) except -2:
    """The first hit that ranks below a document; -1 if the document is not plain. `guess` is tried first."""
    cdef const Ranked *ranked = <const Ranked *>hits.ranked.at
    cdef const Ranked *hit
    cdef const char *text = ""
    cdef int64_t low = 0, high = hits.count, middle, length = -1
    if (guess == 0 or ranked[guess - 1].score > score) and (guess == high or ranked[guess].score < score):
        return guess
    while low < high:
        middle = (low + high) >> 1
        if length < 0 and ranked[middle].score == score:
            text = utf8_of(document, &length, copies)
            if text == NULL:
                return -1
        hit = &ranked[middle]
        if rank_order(score, text, length, hit.score, hit.document, hit.length) < 0:
            high = middle
        else:
            low = middle + 1
    return low


cdef inline int read_score(object value, bint single, double *score) except -1:
    """Read a float or an integer. Returns 0 for anything else, for NaN, and for too large an integer."""
    if PyFloat_Check(value):
        score[0] = PyFloat_AS_DOUBLE(value)
    elif PyLong_Check(value):
        score[0] = PyLong_AsDouble(value)
        if score[0] == -1.0 and PyErr_Occurred() != NULL:
            if not PyErr_ExceptionMatches(PyExc_OverflowError):
                return -1
            PyErr_Clear()
            return 0
    else:
        return 0
    if single:
        score[0] = <float>score[0]
    return score[0] == score[0]


cdef inline const char *utf8_of(object document, int64_t *length, list copies) except? NULL:
    """The UTF-8 of a string, which keeps it alive.

    A string with surrogates has none, and is encoded into `copies`. NULL if that is None.
    """
    cdef Py_ssize_t size = 0
    cdef const char *text = PyUnicode_AsUTF8AndSize(document, &size)
    if text == NULL:
        if not PyErr_ExceptionMatches(PyExc_UnicodeEncodeError):
            return NULL
        PyErr_Clear()
        if copies is None:
            return NULL
        data = PyUnicode_AsEncodedString(document, "utf-8", "surrogateescape")
        copies.append(data)
        text, size = PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)
    length[0] = size
    return text
