# Rows in any order, kept by query: a record per row, in parts that the hash of the query decides.

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from unjudged.data.scan.compiled.index cimport Names, name_of
from unjudged.data.scan.compiled.numbered_names cimport NumberedNames, number_of_hashed, release_names, start_names
from unjudged.data.scan.compiled.text cimport fetch_soon, keyed_hash
from unjudged.data.scan.compiled.vector cimport (
    CHANGED, DONE, NO_MEMORY, Status, Vector, push_int64, raw_free, raw_realloc, release,
)

cdef extern from *:
    """
    /* Asks for large pages, which the system makes ready faster than many small ones. */
    #if defined(__linux__)
    #include <stdint.h>
    #include <sys/mman.h>
    #endif
    static inline void in_large_pages(char *p, size_t size) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        size_t before = (size_t)(-(uintptr_t)p & 4095);
        if (size > before) madvise(p + before, size - before, MADV_HUGEPAGE);
    #else
        (void)p; (void)size;
    #endif
    }
    """
    void in_large_pages(char *p, size_t size) noexcept nogil

cdef enum:
    TOGETHER = 32      # queries that are hashed before they are looked up, while memory is fetched
    PARTS = 256        # few enough to write to all of them at once, and enough for a part to fit a cache
    PART_SHIFT = 24    # which bits of the hash are the part
    CHUNK = 1 << 14
    SMALLEST_SLAB = 1 << 16
    LARGEST_SLAB = 1 << 23
    WORKING_SPACE = 5  # of the bytes of a part, at most: what matching it takes
    LONGEST_NAME = 0x7fffffff
    SHORT = 16         # bytes of a document that are copied at once


cdef struct Chunk:  # records follow it, end to end
    Chunk *next
    char *end     # of its records, unless it is the last one
    bint alone    # not a part of a slab


cdef struct Slab:  # chunks follow it, end to end
    Slab *next
    void *_       # so that chunks are aligned


cdef struct Part:
    Chunk *first
    Chunk *last
    char *at      # where the next record goes, and the end of the last chunk
    char *end
    int64_t size  # bytes of its records


cdef struct Record:  # the bytes of the document follow it
    double score
    uint32_t query, length


cdef struct Store:
    Part parts[PARTS]
    int first, stop        # the rows of the parts from `first` to just before `stop` are kept
    int64_t size, largest  # bytes of all records, and of those of the largest part
    int64_t most           # how many bytes may be in use while they are matched
    Slab *slabs
    char *room             # what is left of the last slab
    char *room_end
    int64_t slab           # bytes of the next slab
    Chunk *spare           # chunks of parts that were dropped
    NumberedNames names    # of queries
    Vector counts          # how many rows each has


cdef inline void release_store(Store *store) noexcept nogil:
    cdef int part
    cdef Slab *following
    for part in range(PARTS):
        release_part(store, part)
    while store.slabs != NULL:
        following = store.slabs.next
        raw_free(store.slabs)
        store.slabs = following
    release(&store.counts)
    release_names(&store.names)


cdef inline void release_part(Store *store, int part) noexcept nogil:
    cdef Chunk *chunk = store.parts[part].first
    cdef Chunk *following
    while chunk != NULL:
        following = chunk.next
        if chunk.alone:
            raw_free(chunk)
        else:
            chunk.next, store.spare = store.spare, chunk
        chunk = following
    store.size -= store.parts[part].size
    memset(&store.parts[part], 0, sizeof(Part))


cdef inline bint start_store(Store *store, const uint64_t *key, int first, int64_t most) noexcept nogil:
    store.first, store.stop, store.most = first, PARTS, most
    return start_names(&store.names, key)


cdef inline int part_of(uint64_t code) noexcept nogil:
    return <int>(code >> PART_SHIFT) & (PARTS - 1)


cdef inline Status keep_rows(
    Store *store, const Names *queries, const int64_t *starts, int64_t groups, const Names *documents,
    const double *scores, int64_t step
) noexcept nogil:
    """Keep the rows of each group. The score of row i is `scores[i * step]`."""
    cdef int64_t g = 0, k, number = 0
    cdef const char *texts[TOGETHER]
    cdef int64_t lengths[TOGETHER]
    cdef uint64_t codes[TOGETHER]
    cdef Status status = DONE
    while g < groups:
        for k in range(min(TOGETHER, groups - g)):
            texts[k] = name_of(queries, g + k, &lengths[k])
            codes[k] = keyed_hash(texts[k], lengths[k], store.names.key)
            fetch_soon(&store.names.slots[<int64_t>codes[k] & store.names.mask])
        for k in range(min(TOGETHER, groups - g)):
            status = number_of_hashed(&store.names, texts[k], lengths[k], codes[k], &number)
            if status == DONE and number == store.counts.used >> 3 and not push_int64(&store.counts, 0):
                status = NO_MEMORY
            if status == DONE:
                status = keep_group(
                    store, number, part_of(codes[k]), documents, scores, step, starts[g + k], starts[g + k + 1]
                )
            if status != DONE:
                return status
        g += TOGETHER
        if memory_of(store) > store.most:
            drop_parts(store)
    return DONE


cdef inline Status keep_group(
    Store *store, int64_t number, int place, const Names *documents, const double *scores, int64_t step,
    int64_t row, int64_t stop
) noexcept nogil:
    cdef Part *part = &store.parts[place]
    cdef Record record
    cdef int64_t start, end, size
    if not store.first <= place < store.stop:
        return DONE
    record.query = <uint32_t>number
    (<int64_t *>store.counts.at)[number] += stop - row
    while row < stop:
        start, end = documents.ends[row], documents.ends[row + 1]
        record.score = scores[row * step]
        if not (0 <= start <= end <= documents.size and record.score == record.score):
            return CHANGED
        if end - start > LONGEST_NAME:
            return NO_MEMORY
        record.length = <uint32_t>(end - start)
        size = sizeof(Record) + end - start
        if part.end - part.at < size + SHORT and not add_chunk(store, part, size + SHORT):
            return NO_MEMORY
        memcpy(part.at, &record, sizeof(Record))
        if record.length <= SHORT and start + SHORT <= documents.size:  # a copy whose size the compiler knows
            memcpy(part.at + sizeof(Record), documents.data + start, SHORT)
        else:
            memcpy(part.at + sizeof(Record), documents.data + start, record.length)
        part.at += size
        part.size += size
        store.size += size
        row += 1
    store.largest = max(store.largest, part.size)
    return DONE


cdef inline int64_t memory_of(const Store *store) noexcept nogil:
    return store.size + WORKING_SPACE * store.largest


cdef inline bint add_chunk(Store *store, Part *part, int64_t size) noexcept nogil:
    cdef int64_t room = max(size, CHUNK - <int64_t>sizeof(Chunk))
    cdef bint alone = size > CHUNK - <int64_t>sizeof(Chunk)
    cdef Chunk *chunk
    if alone:
        chunk = <Chunk *>raw_realloc(NULL, sizeof(Chunk) + <size_t>room)
    else:
        chunk = chunk_of_slab(store)
    if chunk == NULL:
        return False
    chunk.alone = alone
    if part.last == NULL:
        part.first = chunk
    else:
        part.last.next, part.last.end = chunk, part.at
    part.last, part.at = chunk, <char *>(chunk + 1)
    part.end = part.at + room
    chunk.next = NULL
    return True


cdef inline Chunk *chunk_of_slab(Store *store) noexcept nogil:
    """A chunk that was dropped, or the next one of a slab. NULL if there is no memory."""
    cdef Chunk *chunk = store.spare
    cdef Slab *slab
    if chunk != NULL:
        store.spare = chunk.next
        return chunk
    if store.room == store.room_end:
        store.slab = min(max(2 * store.slab, SMALLEST_SLAB), LARGEST_SLAB)
        slab = <Slab *>raw_realloc(NULL, sizeof(Slab) + <size_t>store.slab)
        if slab == NULL:
            return NULL
        if store.slab == LARGEST_SLAB:
            in_large_pages(<char *>slab, sizeof(Slab) + <size_t>store.slab)
        slab.next, store.slabs = store.slabs, slab
        store.room = <char *>(slab + 1)
        store.room_end = store.room + store.slab
    chunk = <Chunk *>store.room
    store.room += CHUNK
    return chunk


cdef inline void drop_parts(Store *store) noexcept nogil:
    """Drop the last half of the parts until the rest takes no more than allowed. The last one is dropped too."""
    cdef int part, stop
    while memory_of(store) > store.most and store.stop > store.first:
        stop = store.first + (store.stop - store.first) // 2
        while store.stop > stop:
            store.stop -= 1
            release_part(store, store.stop)
        store.largest = 0
        for part in range(store.first, stop):
            store.largest = max(store.largest, store.parts[part].size)
