# A C array that grows. Part of scan.pyx.

@cython.final
cdef class Vector:
    """A C array that grows."""

    cdef char *at
    cdef int64_t used, room   # bytes

    def __dealloc__(self):
        free(self.at)

    cdef inline bint reserve(self, int64_t more) noexcept nogil:
        """Room for so many bytes behind those in use; False where there is no memory."""
        cdef int64_t room = self.used + more
        cdef void *moved
        if room <= self.room:
            return True
        room += room // 2 + 64
        moved = realloc(self.at, room)
        if moved != NULL:
            self.at, self.room = <char *>moved, room
        return moved != NULL

    cdef inline bint push(self, const void *item, int64_t size) noexcept nogil:
        if not self.reserve(size):
            return False
        memcpy(self.at + self.used, item, size)
        self.used += size
        return True

    cdef inline bint push_integer(self, int64_t item) noexcept nogil:
        return self.push(&item, 8)

    cdef inline void drop(self, int64_t size) noexcept nogil:
        """Forget the first `size` bytes; the rest moves to the front."""
        self.used -= size
        memmove(self.at, self.at + size, self.used)

    cdef inline void subtract(self, int64_t amount) noexcept nogil:
        cdef int64_t i
        for i in range(self.used // 8):
            (<int64_t *>self.at)[i] -= amount

    cdef object array(self, dtype):
        return np.frombuffer(self.at[:self.used], dtype)
