# Identifiers as compiled code sees them, and the judged ones by their hashes.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from unjudged.data.scan.compiled.text cimport keyed_hash, same_bytes
from unjudged.data.scan.compiled.vector cimport DONE, NO_MEMORY, REPEATED_DOCUMENT, Status, Vector, reserve


cdef struct Names:
    # Identifier i is the bytes from ends[i] to ends[i + 1] of `data`, which has `size` and is never NULL.
    const char *data
    const int64_t *ends
    int64_t size


cdef struct Lookup:
    # Arrays that the owner of the struct keeps alive.
    Names queries, documents
    int64_t query_count
    const int64_t *starts     # the rows of query q are starts[q] to starts[q + 1]
    int32_t *query_slots      # a hash table of queries; -1 is an empty slot
    int64_t query_mask
    uint32_t *tags            # the upper half of each document's hash
    const uint64_t *key


cdef inline int64_t hash_table_size(int64_t items) noexcept nogil:
    cdef int64_t size = 2
    while size < 2 * items:
        size *= 2
    return size


cdef inline const char *name_of(const Names *names, int64_t i, int64_t *length) noexcept nogil:
    length[0] = names.ends[i + 1] - names.ends[i]
    return names.data + names.ends[i]


cdef inline bint is_name(const Names *names, int64_t i, const char *text, int64_t length) noexcept nogil:
    return (names.ends[i + 1] - names.ends[i] == length
            and same_bytes(names.data + names.ends[i], text, length))


cdef inline int32_t find_query(const Lookup *index, const char *text, int64_t length) noexcept nogil:
    """The number of a judged query, or -1."""
    cdef int64_t slot = <int64_t>keyed_hash(text, length, index.key) & index.query_mask
    cdef int32_t query = index.query_slots[slot]
    while query >= 0 and not is_name(&index.queries, query, text, length):
        slot = (slot + 1) & index.query_mask
        query = index.query_slots[slot]
    return query


cdef inline uint64_t slot_of(uint64_t code, int64_t row) noexcept nogil:
    """The entry of a hash table for a row: the upper half of a hash, and what is never zero."""
    return (code >> 32 << 32) | <uint64_t>(row + 1)


cdef inline int64_t row_of(uint64_t entry) noexcept nogil:
    return <int64_t><uint32_t>entry - 1


cdef inline void add_query(Lookup *index, int64_t query) noexcept nogil:
    cdef int64_t length, slot
    cdef const char *text = name_of(&index.queries, query, &length)
    slot = <int64_t>keyed_hash(text, length, index.key) & index.query_mask
    while index.query_slots[slot] >= 0:
        slot = (slot + 1) & index.query_mask
    index.query_slots[slot] = <int32_t>query


cdef inline Status add_documents(
    Lookup *index, int64_t query, Vector *seen, int64_t *first, int64_t *second
) noexcept nogil:
    """Add the documents of a query. `first` and `second` are two rows that name the same document."""
    cdef int64_t row, length = 0, slot, mask = hash_table_size(index.starts[query + 1] - index.starts[query]) - 1
    cdef uint64_t *slots
    cdef const char *text
    cdef uint64_t code
    seen.used = 0
    if not reserve(seen, (mask + 1) * sizeof(uint64_t)):
        return NO_MEMORY
    slots = <uint64_t *>seen.at
    memset(slots, 0, <size_t>(mask + 1) * sizeof(uint64_t))
    for row in range(index.starts[query], index.starts[query + 1]):
        text = name_of(&index.documents, row, &length)
        code = keyed_hash(text, length, index.key)
        index.tags[row] = <uint32_t>(code >> 32)
        slot = <int64_t>index.tags[row] & mask
        while slots[slot]:
            first[0] = row_of(slots[slot])
            if (slots[slot] ^ code) >> 32 == 0 and is_name(&index.documents, first[0], text, length):
                second[0] = row
                return REPEATED_DOCUMENT
            slot = (slot + 1) & mask
        slots[slot] = slot_of(code, row)
    return DONE
