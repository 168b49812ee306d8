# Rows in any order, kept by query: a record per row, in parts that the hash of the query decides.

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from unjudged.formats.scan.index cimport Names, name_of
from unjudged.formats.scan.numbered_names cimport NumberedNames, number_of, release_names, start_names
from unjudged.formats.scan.text cimport copy_exactly
from unjudged.formats.scan.vector cimport (
    CHANGED, DONE, NO_MEMORY, Status, Vector, push, raw_free, raw_realloc, release,
)

cdef enum:
    PARTS = 256        # few enough to write to all of them at once, and enough for a part to fit a cache
    PART_SHIFT = 24    # which bits of the hash are the part
    CHUNK = 1 << 14
    WORKING_SPACE = 5  # of the bytes of a part, at most: what matching it takes
    LONGEST_NAME = 0x7fffffff


cdef struct Chunk:  # records follow it, end to end
    Chunk *next
    int64_t used, room


cdef struct Part:
    Chunk *first
    Chunk *last
    int64_t size   # bytes of its records


cdef struct Record:  # the bytes of the document follow it
    double score
    uint32_t query, length


cdef struct Query:
    int64_t rows, bytes   # how many rows it has, and how long their documents are together


cdef struct Store:
    Part parts[PARTS]
    int first, stop        # the rows of the parts from `first` to just before `stop` are kept
    int64_t size, largest  # bytes of all records, and of those of the largest part
    int64_t most           # how many bytes may be in use while they are matched
    NumberedNames names    # of queries
    Vector queries         # a Query for each


cdef inline void release_store(Store *store) noexcept nogil:
    cdef int part
    for part in range(PARTS):
        release_part(store, part)
    release(&store.queries)
    release_names(&store.names)


cdef inline void release_part(Store *store, int part) noexcept nogil:
    cdef Chunk *chunk = store.parts[part].first
    cdef Chunk *following
    while chunk != NULL:
        following = chunk.next
        raw_free(chunk)
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
    cdef int64_t g, number = 0, length = 0
    cdef const char *text
    cdef Status status = DONE
    for g in range(groups):
        text = name_of(queries, g, &length)
        status = number_of(&store.names, text, length, &number)
        if status == DONE and not has_room(store, number):
            status = NO_MEMORY
        if status == DONE:
            status = keep_group(store, number, documents, scores, step, starts[g], starts[g + 1])
        if status != DONE:
            return status
        if memory_of(store) > store.most:
            drop_parts(store)
    return DONE


cdef inline bint has_room(Store *store, int64_t number) noexcept nogil:
    """Make room for what is counted of a query, if it is new."""
    cdef Query none
    none.rows = none.bytes = 0
    return number * <int64_t>sizeof(Query) < store.queries.used or push(&store.queries, &none, sizeof(Query))


cdef inline Status keep_group(
    Store *store, int64_t number, const Names *documents, const double *scores, int64_t step,
    int64_t row, int64_t stop
) noexcept nogil:
    cdef Query *query = <Query *>store.queries.at + number
    cdef int place = part_of((<const uint64_t *>store.names.codes.at)[number])
    cdef Part *part = &store.parts[place]
    cdef Chunk *chunk
    cdef char *at
    cdef Record record
    cdef int64_t start, end, size
    if not store.first <= place < store.stop:
        return DONE
    record.query = <uint32_t>number
    while row < stop:
        start, end = documents.ends[row], documents.ends[row + 1]
        record.score = scores[row * step]
        if not (0 <= start <= end <= documents.size and record.score == record.score):
            return CHANGED
        if end - start > LONGEST_NAME:
            return NO_MEMORY
        record.length = <uint32_t>(end - start)
        size = sizeof(Record) + end - start
        chunk = part.last
        if chunk == NULL or chunk.room - chunk.used < size:
            chunk = add_chunk(part, size)
            if chunk == NULL:
                return NO_MEMORY
        at = <char *>(chunk + 1) + chunk.used
        memcpy(at, &record, sizeof(Record))
        copy_exactly(at + sizeof(Record), documents.data + start, end - start)
        chunk.used += size
        part.size += size
        store.size += size
        query.rows += 1
        query.bytes += end - start
        row += 1
    store.largest = max(store.largest, part.size)
    return DONE


cdef inline int64_t memory_of(const Store *store) noexcept nogil:
    return store.size + WORKING_SPACE * store.largest


cdef inline Chunk *add_chunk(Part *part, int64_t size) noexcept nogil:
    cdef int64_t room = max(size, CHUNK - <int64_t>sizeof(Chunk))
    cdef Chunk *chunk = <Chunk *>raw_realloc(NULL, sizeof(Chunk) + <size_t>room)
    if chunk == NULL:
        return NULL
    chunk.next, chunk.used, chunk.room = NULL, 0, room
    if part.last == NULL:
        part.first = chunk
    else:
        part.last.next = chunk
    part.last = chunk
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
