# Sums over the documents of each ranking or query, all end to end, compiled: one pass, and no array on the way.

import numpy as np

from unjudged.data.scan.checks import changed_while_read

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport qsort

from unjudged.data.scan.compiled.vector cimport Vector, push, release

cdef object empty = np.empty

cdef enum:
    MOST_ARRAYS = 8


cdef class Arrays:
    """The memory of arrays in use. Typed memoryviews of a short ranking take longer than to add it up."""

    cdef Py_buffer buffers[MOST_ARRAYS]
    cdef int count
    cdef Vector gains   # of one query's documents
    cdef object sums    # of each segment; `total` points into it
    cdef void *total

    def __dealloc__(self):
        cdef int i
        for i in range(self.count):
            PyBuffer_Release(&self.buffers[i])
        release(&self.gains)

    cdef void *add(self, array, char kind, Py_ssize_t size, int64_t *count, int flags) except? NULL:
        """Where the items of an array are, and how many."""
        cdef Py_buffer *own = &self.buffers[self.count]
        PyObject_GetBuffer(array, own, PyBUF_ND | PyBUF_FORMAT | flags)
        self.count += 1
        if own.ndim != 1 or own.itemsize != size or own.format[1] or (
            own.format[0] != kind and not (kind == c'l' and own.format[0] == c'q')
        ):
            raise TypeError(f"expected an array of {chr(kind)!r} with {size} bytes each")
        count[0] = own.len // size
        return own.buf

    cdef const int32_t *int32s(self, array, int64_t *count) except? NULL:
        return <const int32_t *>self.add(array, c'i', sizeof(int32_t), count, 0)

    cdef const int64_t *int64s(self, array, int64_t *count) except? NULL:
        return <const int64_t *>self.add(array, c'l', sizeof(int64_t), count, 0)

    cdef const double *doubles(self, array, int64_t *count) except? NULL:
        return <const double *>self.add(array, c'd', sizeof(double), count, 0)

    cdef const int64_t *segments(self, offsets, dtype, int64_t *count) except? NULL:
        """Where segments start, and how many there are; makes an array for their sums."""
        cdef const int64_t *starts = self.int64s(offsets, count)
        cdef int64_t sums = 0
        count[0] -= 1
        self.sums = empty(count[0], dtype)
        self.total = self.add(self.sums, c'd' if dtype is FLOAT64 else c'l', 8, &sums, PyBUF_WRITABLE)
        return starts


def sum_precisions(label, rank, offsets, double least, double cutoff):
    """For each ranking, the precisions at its documents with a label of `least` or more, added up."""
    cdef Arrays arrays = Arrays()
    cdef int64_t n = 0, labels = 0, ranks = 0, s = 0, i, place
    cdef const int32_t *labels_at = arrays.int32s(label, &labels)
    cdef const int32_t *ranks_at = arrays.int32s(rank, &ranks)
    cdef const int64_t *starts = arrays.segments(offsets, FLOAT64, &n)
    cdef double *total = <double *>arrays.total
    cdef bint inside = labels == ranks
    with nogil:
        while inside and s < n:
            inside = 0 <= starts[s] <= starts[s + 1] <= ranks
            total[s], place, i = 0, 0, starts[s]
            while inside and i < starts[s + 1] and ranks_at[i] <= cutoff:
                if labels_at[i] >= least:
                    place += 1
                    total[s] += <double>place / <double>ranks_at[i]
                i += 1
            s += 1
    if not inside:
        raise changed_while_read("the rankings")
    return arrays.sums


def ends_of_precision(label, rank, offsets, retrieved, relevant, unseen, double least, double cutoff):
    """For each ranking, the lowest and the highest average precision that its unjudged documents leave open."""
    cdef Arrays arrays = Arrays()
    cdef int64_t n = 0, size = 0, labels = 0, ranks = 0, sizes = 0, knowns = 0, unseens = 0, s = 0
    cdef const int32_t *labels_at = arrays.int32s(label, &labels)
    cdef const int32_t *ranks_at = arrays.int32s(rank, &ranks)
    cdef const int64_t *starts = arrays.int64s(offsets, &n)
    cdef const int32_t *retrieved_at = arrays.int32s(retrieved, &sizes)
    cdef const int64_t *relevant_at = arrays.int64s(relevant, &knowns)
    cdef const int64_t *unseen_at = arrays.int64s(unseen, &unseens)
    found = empty(2 * sizes)
    cdef double *low = <double *>arrays.add(found, c'd', sizeof(double), &size, PyBUF_WRITABLE)
    cdef bint inside = labels == ranks and n - 1 == sizes == knowns == unseens
    with nogil:
        while inside and s < sizes:
            inside = 0 <= starts[s] <= starts[s + 1] <= ranks
            if inside:
                find_ends(
                    labels_at + starts[s], ranks_at + starts[s], starts[s + 1] - starts[s], retrieved_at[s],
                    relevant_at[s], unseen_at[s], least, cutoff, &low[s], &low[sizes + s],
                )
            s += 1
    if not inside:
        raise changed_while_read("the rankings")
    return found[:sizes], found[sizes:]


cdef void find_ends(
    const int32_t *label, const int32_t *rank, int64_t n, int32_t retrieved, int64_t relevant, int64_t unseen,
    double least, double cutoff, double *low, double *high
) noexcept nogil:
    """Let unjudged documents turn relevant one after another: from the top, and then from the bottom."""
    cdef double start = 0, below = 0, turned = 0, total
    cdef int64_t i, k, above = 0, most = relevant + unseen, count = 0
    for i in range(n):
        if label[i] >= least and rank[i] <= cutoff:
            above += 1
            start += <double>above / rank[i]
            below += 1.0 / rank[i]
    high[0] = start / <double>relevant if relevant else 0
    low[0] = start / <double>most if most else 0
    total, above, i = start, 0, 0
    for k in range(1, retrieved + 1):
        if i < n and rank[i] == k:
            i += 1
            if label[i - 1] >= 0:
                if label[i - 1] >= least and k <= cutoff:
                    above += 1
                    below -= 1.0 / k
                continue
        count += 1
        if k <= cutoff:
            total += <double>(above + count) / k + below
        high[0] = max(high[0], total / <double>(relevant + count))
    total, below, i, count = start, 0, n, most
    for k in range(retrieved, 0, -1):
        if i and rank[i - 1] == k:
            i -= 1
            if label[i] >= 0:
                if label[i] >= least and k <= cutoff:
                    above -= 1
                    below += 1.0 / k
                continue
        count += 1
        if k <= cutoff:
            total += <double>(above + 1) / k + below + turned
            turned += 1.0 / k
        low[0] = min(low[0], total / <double>count)


def sum_gains(gain, row, rank, offsets, discount):
    """For each ranking, the gain of each document divided by the discount of its rank, added up.

    The gains are by row of the judgments. Documents at ranks that have no discount add nothing.
    """
    cdef Arrays arrays = Arrays()
    cdef int64_t n = 0, gains = 0, rows = 0, ranks = 0, depth = 0, s = 0, i
    cdef const double *gains_at = arrays.doubles(gain, &gains)
    cdef const int32_t *rows_at = arrays.int32s(row, &rows)
    cdef const int32_t *ranks_at = arrays.int32s(rank, &ranks)
    cdef const int64_t *starts = arrays.segments(offsets, FLOAT64, &n)
    cdef const double *discounts = arrays.doubles(discount, &depth)
    cdef double *total = <double *>arrays.total
    cdef bint inside = rows == ranks
    with nogil:
        while inside and s < n:
            inside = 0 <= starts[s] <= starts[s + 1] <= ranks
            total[s], i = 0, starts[s]
            while inside and i < starts[s + 1] and ranks_at[i] < depth:
                inside = 0 <= rows_at[i] < gains and ranks_at[i] >= 0
                if inside:
                    total[s] += gains_at[rows_at[i]] / discounts[ranks_at[i]]
                i += 1
            s += 1
    if not inside:
        raise changed_while_read("the rankings")
    return arrays.sums


def sum_best_gains(gain, offsets, discount):
    """For each query, the same for its documents in the best order: the highest gain first."""
    cdef Arrays arrays = Arrays()
    cdef int64_t n = 0, gains = 0, depth = 0, q = 0, i
    cdef const double *gains_at = arrays.doubles(gain, &gains)
    cdef const int64_t *starts = arrays.segments(offsets, FLOAT64, &n)
    cdef const double *discounts = arrays.doubles(discount, &depth)
    cdef double *total = <double *>arrays.total
    cdef Vector *best = &arrays.gains
    cdef bint inside = True, memory = True
    with nogil:
        while inside and memory and q < n:
            inside = 0 <= starts[q] <= starts[q + 1] <= gains
            total[q], best.used, i = 0, 0, starts[q]
            while inside and memory and i < starts[q + 1]:
                if gains_at[i] > 0:
                    memory = push(best, &gains_at[i], sizeof(double))
                i += 1
            if best.used:
                qsort(best.at, <size_t>best.used >> 3, sizeof(double), falling)
            for i in range(min(best.used >> 3, depth - 1)):
                total[q] += (<const double *>best.at)[i] / discounts[i + 1]
            q += 1
    if not memory:
        raise MemoryError
    if not inside:
        raise changed_while_read("the judgments")
    return arrays.sums


cdef int falling(const void *one, const void *other) noexcept nogil:
    cdef double first = (<const double *>one)[0], second = (<const double *>other)[0]
    return (first < second) - (first > second)


def count_grades(grade, offsets, double low, double high):
    """For each query, how many documents have a grade from `low` to just below `high`."""
    cdef Arrays arrays = Arrays()
    cdef int64_t n = 0, grades = 0, q = 0, i
    cdef const int32_t *grades_at = arrays.int32s(grade, &grades)
    cdef const int64_t *starts = arrays.segments(offsets, INT64, &n)
    cdef int64_t *count = <int64_t *>arrays.total
    cdef bint inside = True
    with nogil:
        while inside and q < n:
            inside = 0 <= starts[q] <= starts[q + 1] <= grades
            count[q], i = 0, starts[q]
            while inside and i < starts[q + 1]:
                count[q] += low <= grades_at[i] < high
                i += 1
            q += 1
    if not inside:
        raise changed_while_read("the judgments")
    return arrays.sums
