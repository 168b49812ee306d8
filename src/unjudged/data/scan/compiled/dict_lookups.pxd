# Rankings in dicts, matched without sorting them: one pass counts how many documents rank above each hit.
#
# Another thread may change a dict whenever Python code runs. So none is run: the first key or value that would
# need it (a string without UTF-8, a number of another type) is not plain, and the dict is read in another way.

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next, PyDict_Size
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from unjudged.data.scan.compiled.matches cimport (
    MOST_DOCUMENTS, Matches, Ranked, end_ranking, push_hit, rank_order, sort_ranked,
)
from unjudged.data.scan.compiled.vector cimport (
    CHANGED, DONE, NO_MEMORY, NOT_PLAIN, TOO_MANY_ROWS, Status, Vector, reserve,
)

cdef extern from "Python.h":
    PyObject *PyExc_OverflowError
    PyObject *PyExc_UnicodeEncodeError
    bint PyErr_ExceptionMatches(PyObject *kind)
    # Declared without `except`: their errors are looked at here, and an except clause allocates memory.
    double PyFloat_AsDouble(object number)
    double PyLong_AsDouble(object number)
    PyObject *PyList_GetItem(object items, Py_ssize_t i)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size)

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define unjudged_prefetch(address) __builtin_prefetch(address)
    #else
    #define unjudged_prefetch(address) ((void)0)
    #endif
    """
    void prefetch "unjudged_prefetch"(const void *address) noexcept nogil

cdef enum:
    AHEAD = 16   # how many objects are fetched from memory at once


cdef struct Entry:
    PyObject *key
    PyObject *value


cdef struct Judged:
    # A query, or -1, and its rows in the list of judged documents.
    int32_t query
    int64_t first, count


cdef struct Hits:
    # The judged documents of one ranking, best first, and how many others rank right above each. Then how many
    # have the score of each, none of which is counted at two; and how many of those rank right above it.
    Vector ranked, above
    int64_t count
    bint single   # round scores to single precision
    bint finite   # infinite scores are not plain


cdef inline Status match_dict(
    Matches *out, Hits *hits, Judged judged, object ranking, list documents
) except *:
    """Add the ranking of one query."""
    cdef int64_t i, k, rank = 1, first = 0, last = 0, size = PyDict_Size(ranking)
    cdef const Ranked *ranked
    cdef const int64_t *above
    cdef const int64_t *same
    cdef const int64_t *level
    cdef Status status
    if size > MOST_DOCUMENTS:
        return TOO_MANY_ROWS
    status = find_hits(hits, ranking, judged, documents)
    if status == DONE:
        status = count_above(hits, ranking, size)
    if status != DONE:
        return status
    ranked, above = <const Ranked *>hits.ranked.at, <const int64_t *>hits.above.at
    same, level = above + hits.count + 1, above + 2 * (hits.count + 1)
    for i in range(hits.count):
        rank += above[i]
        if rank > size or (i and above[i] == 0):
            return CHANGED
        if i == 0 or ranked[i].score != ranked[i - 1].score:
            first, last, k = rank - level[i], rank - level[i] - 1, i
            while k < hits.count and ranked[k].score == ranked[i].score:
                last += same[k]
                k += 1
        if not push_hit(out, rank, ranked[i].row, first, last):
            return NO_MEMORY
    return end_ranking(out, judged.query, size)


cdef inline Status find_hits(
    Hits *hits, object ranking, Judged judged, list documents
) except *:
    cdef int64_t row, ahead, n = judged.count, end = judged.first + judged.count
    cdef Ranked *hit
    cdef PyObject *value
    hits.count = 0
    if not (reserve(&hits.ranked, n * sizeof(Ranked)) and reserve(&hits.above, 3 * (n + 1) * sizeof(int64_t))):
        return NO_MEMORY
    for row in range(judged.first, end):
        if (row - judged.first) % AHEAD == 0:
            for ahead in range(row, min(row + AHEAD, end)):
                prefetch(PyList_GetItem(documents, ahead))
        document = <object>PyList_GetItem(documents, row)
        value = PyDict_GetItemWithError(ranking, document)
        if value == NULL:
            continue
        hit = <Ranked *>hits.ranked.at + hits.count
        if not (PyUnicode_Check(document) and read_score(hits, <object>value, &hit.score)):
            return NOT_PLAIN
        hit.document = utf8_of(document, &hit.length)
        if hit.document == NULL:
            return NOT_PLAIN
        hit.row = row
        hits.count += 1
    sort_ranked(<Ranked *>hits.ranked.at, hits.count)
    return DONE


cdef inline Status count_above(Hits *hits, object ranking, int64_t size) except *:
    """Count each document at the best hit that ranks below it."""
    cdef int64_t at = 0, seen = 0, length = 0
    cdef const Ranked *ranked = <const Ranked *>hits.ranked.at
    cdef int64_t *above = <int64_t *>hits.above.at
    cdef int64_t *same = above + hits.count + 1
    cdef int64_t *level = above + 2 * (hits.count + 1)
    cdef Entry entries[AHEAD]
    cdef int i, fetched = AHEAD
    cdef Py_ssize_t position = 0
    cdef double score
    memset(above, 0, <size_t>(3 * (hits.count + 1)) * sizeof(int64_t))
    while fetched == AHEAD:
        fetched = fetch_entries(entries, ranking, &position)
        for i in range(fetched):
            document = <object>entries[i].key
            if not (PyUnicode_CheckExact(document) and read_score(hits, <object>entries[i].value, &score)):
                return NOT_PLAIN
            if utf8_of(document, &length) == NULL:
                return NOT_PLAIN   # it has surrogates
            if hits.count:
                at = first_below(hits, at, score, document)
                if at < 0:
                    return NOT_PLAIN
                above[at] += 1
                if at < hits.count and ranked[at].score == score:
                    same[at] += 1
                    level[at] += 1
                elif at and ranked[at - 1].score == score:
                    same[at - 1] += 1
        seen += fetched
    return DONE if seen == size == PyDict_Size(ranking) else CHANGED


cdef inline int fetch_entries(Entry *entries, object ranking, Py_ssize_t *position) noexcept:
    """The next entries of a dict, at most `AHEAD`. Nothing may run that could change it before they are read."""
    cdef int fetched = 0
    while fetched < AHEAD and PyDict_Next(ranking, position, &entries[fetched].key, &entries[fetched].value):
        prefetch(entries[fetched].key)
        prefetch(entries[fetched].value)
        fetched += 1
    return fetched


cdef inline int64_t first_below(
    const Hits *hits, int64_t guess, double score, object document
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
            text = utf8_of(document, &length)
            if text == NULL:
                return -1
        hit = &ranked[middle]
        if rank_order(score, text, length, hit.score, hit.document, hit.length) < 0:
            high = middle
        else:
            low = middle + 1
    return low


cdef inline int read_score(const Hits *hits, object value, double *score) except -1:
    """Read a float or an integer. Returns 0 for anything else, for NaN, and for too large an integer."""
    if not read_number(value, score):
        return 0
    if hits.single:
        score[0] = <float>score[0]
    return score[0] - score[0] == 0 if hits.finite else score[0] == score[0]


cdef inline int read_number(object value, double *number) except -1:
    if PyFloat_Check(value):
        number[0] = PyFloat_AsDouble(value)
        return 1
    if not PyLong_Check(value):
        return 0
    number[0] = PyLong_AsDouble(value)
    if number[0] == -1.0 and PyErr_Occurred() != NULL:
        if not PyErr_ExceptionMatches(PyExc_OverflowError):
            return -1
        PyErr_Clear()
        return 0
    return 1


cdef inline const char *utf8_of(object document, int64_t *length) except? NULL:
    """The UTF-8 of a string, which keeps it alive; NULL if it has none, because of surrogates."""
    cdef Py_ssize_t size = 0
    cdef const char *text = PyUnicode_AsUTF8AndSize(document, &size)
    if text == NULL and PyErr_ExceptionMatches(PyExc_UnicodeEncodeError):
        PyErr_Clear()
    length[0] = size
    return text
