# Rows in any order, kept by query: a record per row, in parts that the hash of the query decides.
#
# The records of a part are brought to their queries, each of which is then matched as any ranking is.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from unjudged.data.scan.compiled.index cimport (
    Lookup, Names, NumberedNames, find_query, name_of, number_of_hashed, release_names, start_names,
)
from unjudged.data.scan.compiled.matches cimport Matches, match_ranking
from unjudged.data.scan.compiled.text cimport copy_exactly, fetch_soon, keyed_hash
from unjudged.data.scan.compiled.vector cimport (
    CHANGED, DONE, NO_MEMORY, TOO_MUCH, Status, Vector, push_int64, raw_free, raw_realloc, release,
    reserve,
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
    int64_t size, largest  # bytes of all records, and of those of the largest part
    int64_t most           # how many bytes may be in use while they are matched
    Slab *slabs
    char *room             # what is left of the last slab
    char *room_end
    int64_t slab           # bytes of the next slab
    NumberedNames names    # of queries
    Vector counts, texts   # how many rows each has, and bytes of documents


cdef inline void release_store(Store *store) noexcept nogil:
    cdef Slab *following
    while store.slabs != NULL:
        following = store.slabs.next
        raw_free(store.slabs)
        store.slabs = following
    release(&store.counts)
    release(&store.texts)
    release_names(&store.names)


cdef inline bint start_store(Store *store, const uint64_t *key, int64_t most) noexcept nogil:
    store.most = most
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
            if status == DONE and number == store.counts.used >> 3:
                if not (push_int64(&store.counts, 0) and push_int64(&store.texts, 0)):
                    status = NO_MEMORY
            if status == DONE:
                status = keep_group(
                    store, number, part_of(codes[k]), documents, scores, step, starts[g + k], starts[g + k + 1]
                )
            if status != DONE:
                return status
        g += TOGETHER
        if store.size + WORKING_SPACE * store.largest > store.most:
            return TOO_MUCH
    return DONE


cdef inline Status keep_group(
    Store *store, int64_t number, int place, const Names *documents, const double *scores, int64_t step,
    int64_t row, int64_t stop
) noexcept nogil:
    cdef Part *part = &store.parts[place]
    cdef Record record
    cdef int64_t start, end, size
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
        (<int64_t *>store.texts.at)[number] += end - start
        row += 1
    store.largest = max(store.largest, part.size)
    return DONE


cdef inline bint add_chunk(Store *store, Part *part, int64_t size) noexcept nogil:
    """Begin a chunk, with room for `size` bytes at least."""
    cdef int64_t room = max(CHUNK, (size + <int64_t>sizeof(Chunk) + 7) & ~7)
    cdef Chunk *chunk
    if store.room_end - store.room < room and not add_slab(store, room):
        return False
    chunk = <Chunk *>store.room
    store.room += room
    if part.last == NULL:
        part.first = chunk
    else:
        part.last.next, part.last.end = chunk, part.at
    part.last, part.at, part.end = chunk, <char *>(chunk + 1), store.room
    chunk.next = NULL
    return True


cdef inline bint add_slab(Store *store, int64_t size) noexcept nogil:
    cdef Slab *slab
    store.slab = min(max(2 * store.slab, SMALLEST_SLAB), LARGEST_SLAB)
    size = max(size, store.slab)
    slab = <Slab *>raw_realloc(NULL, sizeof(Slab) + <size_t>size)
    if slab == NULL:
        return False
    if size >= LARGEST_SLAB:
        in_large_pages(<char *>slab, sizeof(Slab) + <size_t>size)
    slab.next, store.slabs = store.slabs, slab
    store.room = <char *>(slab + 1)
    store.room_end = store.room + size
    return True


cdef struct Source:
    const Store *store
    const int32_t *places   # where each of its queries is in the order of all


cdef struct Groups:
    # The queries of some stores, which the owner of the struct keeps alive.
    const Source *sources
    int64_t pieces
    Names queries
    const int64_t *starts   # part p has the queries order[starts[p]] to order[starts[p + 1]]
    const int64_t *order
    const int64_t *counts   # of each place in the order: how many rows
    const int64_t *texts    # and how many bytes of documents


cdef struct Gathered:
    # The rows of a part by query: documents end to end, where each starts, scores.
    Vector text, ends, scores
    Vector rows, places     # where the next row of each query goes, and the next document
    int64_t failed          # the query that could not be matched
    int64_t repeated        # the row that repeats a document


cdef inline void release_gathered(Gathered *rows) noexcept nogil:
    release(&rows.text)
    release(&rows.ends)
    release(&rows.scores)
    release(&rows.rows)
    release(&rows.places)


cdef inline Status match_part(
    Gathered *rows, Matches *out, const Lookup *index, const Groups *groups, int part
) noexcept nogil:
    """Match the queries of a part, up to the first that fails, which `rows.failed` then names."""
    cdef int64_t first = groups.starts[part], k, row = 0, length = 0
    cdef const char *text
    cdef Names documents
    cdef Status status = start_gathering(rows, groups, first, groups.starts[part + 1], &documents.size)
    if status != DONE:
        return status
    for k in range(groups.pieces):
        gather(rows, &groups.sources[k].store.parts[part], groups.sources[k].places, first)
    documents.data = rows.text.at
    for k in range(first, groups.starts[part + 1]):
        documents.ends = <const int64_t *>rows.ends.at + row
        text = name_of(&groups.queries, groups.order[k], &length)
        status = match_ranking(
            out, index, find_query(index, text, length), &documents, <const double *>rows.scores.at + row,
            groups.counts[k],
        )
        if status != DONE:
            rows.failed, rows.repeated = groups.order[k], row + out.second
            return status
        row += groups.counts[k]
    return DONE


cdef inline Status start_gathering(
    Gathered *rows, const Groups *groups, int64_t first, int64_t stop, int64_t *size
) noexcept nogil:
    """Make room for the rows of the queries from `first` to just before `stop`, and `size` bytes of text."""
    cdef int64_t k, row = 0, at = 0, queries = (stop - first) * <int64_t>sizeof(int64_t)
    if not (reserve(&rows.rows, queries) and reserve(&rows.places, queries)):
        return NO_MEMORY
    for k in range(first, stop):
        (<int64_t *>rows.rows.at)[k - first], (<int64_t *>rows.places.at)[k - first] = row, at
        row += groups.counts[k]
        at += groups.texts[k]
    size[0] = at
    if not (reserve(&rows.text, at + 1) and reserve(&rows.ends, (row + 1) * sizeof(int64_t))
            and reserve(&rows.scores, (row + 1) * sizeof(double))):
        return NO_MEMORY
    (<int64_t *>rows.ends.at)[row] = at
    return DONE


cdef inline void gather(Gathered *rows, const Part *part, const int32_t *places, int64_t first) noexcept nogil:
    """Put the records of a part where their queries go."""
    cdef const Chunk *chunk = part.first
    cdef const char *p
    cdef const char *stop
    cdef int64_t *next_row = <int64_t *>rows.rows.at
    cdef int64_t *next_place = <int64_t *>rows.places.at
    cdef int64_t *ends = <int64_t *>rows.ends.at
    cdef double *scores = <double *>rows.scores.at
    cdef int64_t query, row
    cdef Record record
    while chunk != NULL:
        p = <const char *>(chunk + 1)
        stop = part.at if chunk == part.last else chunk.end
        while p < stop:
            memcpy(&record, p, sizeof(Record))
            p += sizeof(Record)
            query = places[record.query] - first
            row = next_row[query]
            next_row[query] += 1
            scores[row], ends[row] = record.score, next_place[query]
            copy_exactly(rows.text.at + next_place[query], p, record.length)
            next_place[query] += record.length
            p += record.length
        chunk = chunk.next
