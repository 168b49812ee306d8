# Identifiers as compiled code sees them, the judged ones by their hashes, and new ones numbered as they come.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from unjudged.data.scan.compiled.text cimport keyed_hash, same_bytes
from unjudged.data.scan.compiled.vector cimport (
    DONE, NO_MEMORY, REPEATED_DOCUMENT, TOO_MANY_ROWS,
    Status, Vector, push, push_int64, raw_free, raw_realloc, release, reserve,
)

cdef enum:
    FEWEST_SLOTS = 1 << 8
    MOST_NAMES = 0x7fffffff


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


cdef struct NumberedNames:
    Vector names, ends     # in the order in which they first come
    Vector codes           # their hashes
    uint64_t *slots        # a hash table: the upper half of the code, then the name's number + 1
    int64_t mask
    uint64_t key[3]


cdef inline bint start_names(NumberedNames *known, const uint64_t *key) noexcept nogil:
    memcpy(known.key, key, sizeof(known.key))
    return push_int64(&known.ends, 0) and make_slots(known, FEWEST_SLOTS)


cdef inline void release_names(NumberedNames *known) noexcept nogil:
    release(&known.names)
    release(&known.ends)
    release(&known.codes)
    raw_free(known.slots)
    known.slots = NULL


cdef inline int64_t name_count(const NumberedNames *known) noexcept nogil:
    return known.codes.used >> 3


cdef inline bint make_slots(NumberedNames *known, int64_t size) noexcept nogil:
    """A new hash table of the names so far."""
    cdef int64_t number, slot
    cdef const uint64_t *codes = <const uint64_t *>known.codes.at
    cdef uint64_t *slots = <uint64_t *>raw_realloc(NULL, <size_t>size * sizeof(uint64_t))
    if slots == NULL:
        return False
    memset(slots, 0, <size_t>size * sizeof(uint64_t))
    for number in range(name_count(known)):
        slot = <int64_t>codes[number] & (size - 1)
        while slots[slot]:
            slot = (slot + 1) & (size - 1)
        slots[slot] = slot_of(codes[number], number)
    raw_free(known.slots)
    known.slots, known.mask = slots, size - 1
    return True


cdef inline Status number_of(
    NumberedNames *known, const char *text, int64_t length, int64_t *number
) noexcept nogil:
    """The number of a name, which is added if it is new."""
    return number_of_hashed(known, text, length, keyed_hash(text, length, known.key), number)


cdef inline Status number_of_hashed(
    NumberedNames *known, const char *text, int64_t length, uint64_t code, int64_t *number
) noexcept nogil:
    """The same for a name whose hash is known."""
    cdef uint64_t entry
    cdef int64_t slot = <int64_t>code & known.mask
    cdef Names names
    names.data, names.ends, names.size = "", <const int64_t *>known.ends.at, known.names.used
    if names.size:
        names.data = known.names.at
    while known.slots[slot]:
        entry = known.slots[slot]
        number[0] = row_of(entry)
        if (entry ^ code) >> 32 == 0 and is_name(&names, number[0], text, length):
            return DONE
        slot = (slot + 1) & known.mask
    number[0] = name_count(known)
    if number[0] == MOST_NAMES:
        return TOO_MANY_ROWS
    if not (reserve(&known.codes, sizeof(uint64_t)) and reserve(&known.ends, sizeof(int64_t))
            and push(&known.names, text, length)):
        return NO_MEMORY
    push(&known.codes, &code, sizeof(code))
    push_int64(&known.ends, known.names.used)
    known.slots[slot] = slot_of(code, number[0])
    if 2 * number[0] > known.mask and not make_slots(known, 4 * (known.mask + 1)):
        return NO_MEMORY
    return DONE
