# C arrays that grow, and what a function that runs without the interpreter returns.
#
# Memory comes from Python's raw allocator. It does not need the interpreter lock, tracemalloc counts it, and
# a test can make it fail.

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memmove

cdef extern from *:
    """
    #if defined(Py_LIMITED_API) && defined(_WIN32)
    #include <stdlib.h>
    #define unjudged_realloc realloc
    #define unjudged_free free
    #else
    #if defined(Py_LIMITED_API)
    /* Every CPython exports them. They are part of the stable ABI, and of its headers, from 3.13 on. */
    PyAPI_FUNC(void *) PyMem_RawRealloc(void *, size_t);
    PyAPI_FUNC(void) PyMem_RawFree(void *);
    #endif
    #define unjudged_realloc PyMem_RawRealloc
    #define unjudged_free PyMem_RawFree
    #endif
    """
    void *raw_realloc "unjudged_realloc"(void *memory, size_t size) noexcept nogil
    void raw_free "unjudged_free"(void *memory) noexcept nogil


cdef enum Status:
    DONE
    BAD_LINE            # a line has too few or too many columns, or no number where there should be one
    REPEATED_DOCUMENT   # a ranking names the same document twice
    QUERY_RETURNS       # the rows of a judged query are not together
    TOO_MANY_ROWS       # more rows than their numbers have bits
    NOT_PLAIN           # a dict whose keys or values need Python code to be read
    CHANGED             # data that changed while it was read, or that was damaged before
    TOO_MUCH            # more memory than is allowed
    NO_MEMORY


cdef struct Vector:
    char *at
    int64_t used, room   # bytes


cdef inline void release(Vector *vector) noexcept nogil:
    raw_free(vector.at)
    vector.at = NULL
    vector.used = vector.room = 0


cdef inline bint reserve(Vector *vector, int64_t more) noexcept nogil:
    """Make room for `more` bytes after those in use. Returns False when there is no memory."""
    cdef int64_t room = vector.used + more
    cdef void *moved
    if room <= vector.room:
        return True
    room += (room >> 1) + 64
    moved = raw_realloc(vector.at, <size_t>room)
    if moved == NULL:
        return False
    vector.at = <char *>moved
    vector.room = room
    return True


cdef inline bint push(Vector *vector, const void *item, int64_t size) noexcept nogil:
    if not reserve(vector, size):
        return False
    if size:  # nothing may be pushed before there is memory
        memcpy(vector.at + vector.used, item, <size_t>size)
        vector.used += size
    return True


cdef inline bint push_int32(Vector *vector, int64_t item) noexcept nogil:
    cdef int narrow = <int>item
    return push(vector, &narrow, sizeof(narrow))


cdef inline bint push_int64(Vector *vector, int64_t item) noexcept nogil:
    return push(vector, &item, sizeof(item))


cdef inline void drop(Vector *vector, int64_t size) noexcept nogil:
    """Forget the first `size` bytes and move the rest to the front."""
    vector.used -= size
    if vector.used:
        memmove(vector.at, vector.at + size, <size_t>vector.used)


cdef inline void subtract(Vector *vector, int64_t amount) noexcept nogil:
    """Subtract `amount` from every integer of a vector of 64-bit integers."""
    cdef int64_t i
    cdef int64_t *items = <int64_t *>vector.at
    for i in range(vector.used >> 3):
        items[i] -= amount
