# The order of a ranking: the tie rule, and the sort that follows it.

from libc.stdint cimport int64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp


cdef struct Ranked:
    double score
    const char *document
    int64_t length
    int64_t row


cdef inline int compare_bytes(
    const char *a, int64_t a_length, const char *b, int64_t b_length
) noexcept nogil:
    cdef int order = memcmp(a, b, <size_t>min(a_length, b_length))
    return order if order else (a_length > b_length) - (a_length < b_length)


cdef inline int rank_order(
    double a_score, const char *a, int64_t a_length, double b_score, const char *b, int64_t b_length
) noexcept nogil:
    """The tie rule: score descending, then document descending by bytes. Negative if `a` ranks above `b`.

    Scores must not be NaN.
    """
    if a_score != b_score:
        return -1 if a_score > b_score else 1
    return compare_bytes(b, b_length, a, a_length)


cdef inline int compare_ranked(const void *left, const void *right) noexcept nogil:
    cdef const Ranked *a = <const Ranked *>left
    cdef const Ranked *b = <const Ranked *>right
    return rank_order(a.score, a.document, a.length, b.score, b.document, b.length)


cdef inline void sort_ranked(Ranked *ranked, int64_t n) noexcept nogil:
    if n > 1 and not sort_nearly_sorted(ranked, n):
        qsort(ranked, <size_t>n, sizeof(Ranked), compare_ranked)


cdef inline bint sort_nearly_sorted(Ranked *ranked, int64_t n) noexcept nogil:
    """Insertion sort, for rankings in which only ties are out of order. Gives up after 4 n moves."""
    cdef int64_t i, j, moves = 4 * n
    cdef Ranked moving
    for i in range(1, n):
        j = i
        moving = ranked[i]
        while j > 0 and compare_ranked(&ranked[j - 1], &moving) > 0:
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = moving
        moves -= i - j
        if moves < 0:
            return False
    return True
