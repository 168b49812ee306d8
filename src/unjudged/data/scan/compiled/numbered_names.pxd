# Names, numbered in the order in which they first come.

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from unjudged.data.scan.compiled.index cimport Names, is_name, row_of, slot_of
from unjudged.data.scan.compiled.text cimport keyed_hash
from unjudged.data.scan.compiled.vector cimport (
    DONE, NO_MEMORY, TOO_MANY_ROWS, Status, Vector, push, push_int64, raw_free, raw_realloc, release, reserve,
)

cdef enum:
    FEWEST_SLOTS = 1 << 8
    MOST_NAMES = 0x7fffffff


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
