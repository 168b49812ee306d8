# Dicts of rankings: matched where they are, and made of rows. Part of scan.pyx.

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next, PyDict_Size
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_AsDouble, PyLong_Check
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_Check, PyUnicode_DecodeUTF8

from unjudged.formats.tables import encode
from unjudged.formats.scan.plain_mappings import finite_scores

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL


cdef class DictMatcher:
    """Finds the rank of a ranking's judged documents without sorting the others."""

    cdef Matcher out
    cdef Vector hits, above   # the judged documents of one ranking; how many stand between each and the next
    cdef bint single
    cdef list kept            # bytes that hits point into

    def __cinit__(self, bint single):
        self.out, self.hits, self.above, self.single = Matcher(None), Vector(), Vector(), single

    cdef const char *text(self, document, int64_t *length) except NULL:
        cdef Py_ssize_t size = 0
        cdef const char *at
        try:
            at = PyUnicode_AsUTF8AndSize(document, &size)
        except UnicodeEncodeError:
            data = encode(document)
            self.kept.append(data)
            at, size = PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)
        length[0] = size
        return at

    cdef int match(self, int32_t query, dict ranking, list judged, int64_t first_row) except -1:
        """1: done, 0: a score is no plain number."""
        cdef int64_t i, n = PyDict_Size(ranking), found = 0, at = 0
        cdef int32_t rank, row, size = <int32_t>n
        cdef Ranked *hits
        cdef int64_t *above
        cdef PyObject *value
        cdef PyObject *key
        cdef Py_ssize_t position = 0
        cdef double score
        self.kept = []
        if not self.hits.reserve(PyList_GET_SIZE(judged) * sizeof(Ranked)):
            raise MemoryError
        hits = <Ranked *>self.hits.at
        for i in range(PyList_GET_SIZE(judged)):
            document = <object>PyList_GET_ITEM(judged, i)
            value = PyDict_GetItemWithError(ranking, document)
            if value != NULL:
                if not self.number(<object>value, &hits[found].score):
                    return 0
                hits[found].document = self.text(document, &hits[found].length)
                hits[found].row = first_row + i
                found += 1
        qsort(hits, found, sizeof(Ranked), in_rank_order)
        if not self.above.reserve((found + 1) * 8):
            raise MemoryError
        above = <int64_t *>self.above.at
        memset(above, 0, (found + 1) * 8)
        while PyDict_Next(ranking, &position, &key, &value):
            if not PyUnicode_Check(<object>key) or not self.number(<object>value, &score) or score != score:
                return 0
            if found:
                at = self.first_below(hits, found, at, score, <object>key)
                above[at] += 1
        rank = 1
        for i in range(found):
            rank += <int32_t>above[i]
            row = <int32_t>hits[i].row
            if not (self.out.ranks.push(&rank, 4) and self.out.rows.push(&row, 4)):
                raise MemoryError
        if not (self.out.queries.push(&query, 4) and self.out.retrieved.push(&size, 4)
                and self.out.ends.push_integer(self.out.rows.used // 4)):
            raise MemoryError
        return 1

    cdef inline int number(self, value, double *score) except -1:
        """1: it is a number, 0: it is none, or one that has to be asked for its value."""
        if PyFloat_Check(value):
            score[0] = PyFloat_AS_DOUBLE(value)
        elif PyLong_Check(value):
            score[0] = PyLong_AsDouble(value)
        else:
            return 0
        if self.single:
            score[0] = <float>score[0]
        return 1

    cdef inline int64_t first_below(self, const Ranked *hits, int64_t found, int64_t guess, double score, document) except -1:
        """The first of the hits, best first, that stands below a document; `guess` is tried before all are."""
        cdef int64_t low = 0, high = found, middle
        if (guess == 0 or hits[guess - 1].score > score) and (guess == found or hits[guess].score < score):
            return guess
        while low < high:
            middle = (low + high) // 2
            if self.stands_below(&hits[middle], score, document):
                high = middle
            else:
                low = middle + 1
        return low

    cdef inline int stands_below(self, const Ranked *hit, double score, document) except -1:
        cdef int64_t length = 0
        cdef const char *text
        if hit.score != score:
            return hit.score < score
        text = self.text(document, &length)
        return compare(hit.document, hit.length, text, length) < 0


def match_mapping(run, queries, documents, starts, single):
    """The judged documents of each ranking of `run`, `{query: {document: score}}`, whose query is judged.

    `queries` numbers the judged queries; `documents[q]` are the documents of one, its rows from `starts[q]` on.
    """
    cdef DictMatcher matcher = DictMatcher(single)
    cdef const int64_t[::1] rows = starts
    cdef int32_t number
    for query, ranking in run.items():
        known = queries.get(query)
        if known is None:
            continue
        number = known
        if not isinstance(ranking, dict) or not matcher.match(number, ranking, documents[number], rows[number]):
            if not matcher.match(number, finite_scores(query, ranking), documents[number], rows[number]):
                raise AssertionError(query)
    return matcher.out.matched()


def nested_rows(table, bint whole):
    """The first numbers of a table as `{query: {document: number}}`; of a document twice the last counts."""
    cdef const int64_t[::1] starts = table.starts
    cdef const double[:] numbers = table.numbers[:, 0]
    cdef const int64_t *ends = ends_of(table.documents)
    cdef const char *documents = data_of(table.documents)
    cdef int64_t g = 0, row
    cdef dict inner
    found = {}
    for query in table.queries:
        inner = found[query] = {}
        for row in range(starts[g], starts[g + 1]):
            document = PyUnicode_DecodeUTF8(documents + ends[row], ends[row + 1] - ends[row], "surrogateescape")
            if whole:
                inner[document] = <int64_t>numbers[row]
            else:
                inner[document] = numbers[row]
        g += 1
    return found
