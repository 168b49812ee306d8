# The records of one part brought to their queries, and matched there without sorting them.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from unjudged.data.scan.compiled.index cimport Lookup, Names, find_query, hash_table_size, name_of
from unjudged.data.scan.compiled.kept_rows cimport Chunk, Part, Record, Store
from unjudged.data.scan.compiled.matches cimport Matches, end_ranking, push_hit
from unjudged.data.scan.compiled.ranking cimport Ranked, rank_order, sort_ranked
from unjudged.data.scan.compiled.text cimport keyed_hash, same_bytes
from unjudged.data.scan.compiled.vector cimport (
    DONE, NO_MEMORY, REPEATED_DOCUMENT, TOO_MANY_ROWS, Status, Vector, release, reserve,
)

cdef enum:
    MOST_ROWS = 0x7fffffff   # of one query: ranks have 32 bits


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


cdef struct Placed:
    double score
    const char *document   # read again only if the tag is that of a judged one, or the score is
    uint32_t tag, length   # the tag is the upper half of the document's hash


cdef struct Gathered:
    # The rows of a part by query, and those of a query as they came.
    Vector placed, cursors
    # Working space for one query: a hash table of its rows, the judged rows found and their scores, and how
    # many rows rank between two of them.
    Vector seen, hits, scores, between
    int64_t failed                # the query that could not be matched
    const Placed *repeated        # the row that repeats a document


cdef inline void release_gathered(Gathered *rows) noexcept nogil:
    release(&rows.placed)
    release(&rows.cursors)
    release(&rows.seen)
    release(&rows.hits)
    release(&rows.scores)
    release(&rows.between)


cdef inline Status match_part(
    Gathered *rows, Matches *out, const Lookup *index, const Groups *groups, int part
) noexcept nogil:
    """Match the queries of a part, up to the first that fails, which `rows.failed` then names."""
    cdef int64_t first = groups.starts[part], k, start = 0, stop, length = 0
    cdef const char *text
    cdef Status status = start_gathering(rows, groups, first, groups.starts[part + 1])
    if status != DONE:
        return status
    for k in range(groups.pieces):
        gather(rows, &groups.sources[k].store.parts[part], groups.sources[k].places, first, index.key)
    for k in range(first, groups.starts[part + 1]):
        stop = (<const int64_t *>rows.cursors.at)[k - first]
        text = name_of(&groups.queries, groups.order[k], &length)
        status = match_placed(
            out, rows, index, find_query(index, text, length), <const Placed *>rows.placed.at + start, stop - start
        )
        if status != DONE:
            rows.failed = groups.order[k]
            return status
        start = stop
    return DONE


cdef inline Status start_gathering(Gathered *rows, const Groups *groups, int64_t first, int64_t stop) noexcept nogil:
    """Make room for the rows of the queries from `first` to just before `stop`."""
    cdef int64_t k, row = 0
    cdef int64_t *cursors
    if not reserve(&rows.cursors, (stop - first) * sizeof(int64_t)):
        return NO_MEMORY
    cursors = <int64_t *>rows.cursors.at
    for k in range(first, stop):
        cursors[k - first] = row
        row += groups.counts[k]
    return DONE if reserve(&rows.placed, row * sizeof(Placed)) else NO_MEMORY


cdef inline void gather(
    Gathered *rows, const Part *part, const int32_t *places, int64_t first, const uint64_t *key
) noexcept nogil:
    """Put the records of a part where their queries go. The cursors end where the rows of each query end."""
    cdef const Chunk *chunk = part.first
    cdef const char *p
    cdef const char *stop
    cdef int64_t *cursors = <int64_t *>rows.cursors.at
    cdef int64_t *cursor
    cdef Placed *placed = <Placed *>rows.placed.at
    cdef Placed *row
    cdef Record record
    cdef uint64_t own_key[3]   # a copy that stays in registers
    memcpy(own_key, key, sizeof(own_key))
    while chunk != NULL:
        p = <const char *>(chunk + 1)
        stop = part.at if chunk == part.last else chunk.end
        while p < stop:
            memcpy(&record, p, sizeof(Record))
            p += sizeof(Record)
            cursor = cursors + (places[record.query] - first)
            row = placed + cursor[0]
            cursor[0] += 1
            row.score, row.document, row.length = record.score, p, record.length
            row.tag = <uint32_t>(keyed_hash(p, record.length, own_key) >> 32)
            p += record.length
        chunk = chunk.next


cdef inline Status match_placed(
    Matches *out, Gathered *rows, const Lookup *index, int32_t query, const Placed *placed, int64_t n
) noexcept nogil:
    """Add the rows of one query, which is -1 if it is not judged, to what was matched."""
    cdef int64_t hits = 0, hit, rank = 0, group = 0, first = 0
    cdef const int64_t *between
    cdef const int64_t *same
    cdef const int64_t *level
    cdef const Ranked *ranked
    cdef Status status = refuse_repeated(rows, placed, n)
    if status == DONE and query >= 0:
        status = find_hits(rows, index, query, placed, n, &hits)
    if status == DONE and hits:
        status = count_between(rows, placed, n, hits)
    if status != DONE:
        return status
    between, ranked = <const int64_t *>rows.between.at, <const Ranked *>rows.hits.at
    same, level = between + hits + 1, between + 2 * (hits + 1)
    for hit in range(hits):
        rank += between[hit]
        if hit == 0 or ranked[hit].score != ranked[hit - 1].score:
            group, first = hit, rank - level[hit] + 1
        if not push_hit(out, rank, ranked[hit].row, first, first + same[group] - 1):
            return NO_MEMORY
    return end_ranking(out, query, n)


cdef inline bint is_document(const Placed *row, const char *text, int64_t length) noexcept nogil:
    return <int64_t>row.length == length and same_bytes(row.document, text, length)


cdef inline Status refuse_repeated(Gathered *rows, const Placed *placed, int64_t n) noexcept nogil:
    """Make the hash table of the rows by their tags. Only rows of the same tag are compared."""
    cdef int64_t i, slot, mask = hash_table_size(n) - 1
    cdef uint64_t *seen   # an entry is the tag, then the place + 1
    if n > MOST_ROWS:
        return TOO_MANY_ROWS
    if not reserve(&rows.seen, (mask + 1) * sizeof(uint64_t)):
        return NO_MEMORY
    seen = <uint64_t *>rows.seen.at
    memset(seen, 0, <size_t>(mask + 1) * sizeof(uint64_t))
    for i in range(n):
        slot = <int64_t>placed[i].tag & mask
        while seen[slot]:
            if seen[slot] >> 32 == placed[i].tag and is_document(
                &placed[<uint32_t>seen[slot] - 1], placed[i].document, placed[i].length
            ):
                rows.repeated = &placed[i]
                return REPEATED_DOCUMENT
            slot = (slot + 1) & mask
        seen[slot] = <uint64_t>placed[i].tag << 32 | <uint64_t>(i + 1)
    return DONE


cdef inline Status find_hits(
    Gathered *rows, const Lookup *index, int32_t query, const Placed *placed, int64_t n, int64_t *found
) noexcept nogil:
    """Look up each judged document among the rows; those found are sorted, best first."""
    cdef int64_t row, slot, length = 0, hits = 0, mask = hash_table_size(n) - 1
    cdef int64_t judged = index.starts[query + 1] - index.starts[query]
    cdef const uint64_t *seen = <const uint64_t *>rows.seen.at
    cdef const Placed *own
    cdef const char *text
    cdef Ranked *ranked
    if not reserve(&rows.hits, judged * sizeof(Ranked)):
        return NO_MEMORY
    ranked = <Ranked *>rows.hits.at
    for row in range(index.starts[query], index.starts[query + 1]):
        slot = <int64_t>index.tags[row] & mask
        while seen[slot]:
            if seen[slot] >> 32 == index.tags[row]:
                own = &placed[<uint32_t>seen[slot] - 1]
                text = name_of(&index.documents, row, &length)
                if is_document(own, text, length):
                    ranked[hits].score, ranked[hits].row = own.score, row
                    ranked[hits].document, ranked[hits].length = text, length
                    hits += 1
                    break
            slot = (slot + 1) & mask
    sort_ranked(ranked, hits)
    found[0] = hits
    return DONE


cdef inline Status count_between(Gathered *rows, const Placed *placed, int64_t n, int64_t hits) noexcept nogil:
    """How many rows rank above the first judged one or equal it, then between it and the next, and so on.

    Then how many have the score of a judged one, at the best of those with this score; and how many of those
    are counted for each.
    """
    cdef const Ranked *ranked = <const Ranked *>rows.hits.at
    cdef double score
    cdef double *scores
    cdef int64_t i, above, half, left
    cdef int64_t *between
    cdef int64_t *same
    cdef int64_t *level
    if not (reserve(&rows.scores, hits * sizeof(double))
            and reserve(&rows.between, 3 * (hits + 1) * sizeof(int64_t))):
        return NO_MEMORY
    scores, between = <double *>rows.scores.at, <int64_t *>rows.between.at
    same, level = between + hits + 1, between + 2 * (hits + 1)
    memset(between, 0, <size_t>(3 * (hits + 1)) * sizeof(int64_t))
    for i in range(hits):
        scores[i] = ranked[i].score
    for i in range(n):
        score, above, left = placed[i].score, 0, hits
        while left > 1:   # without a branch that depends on the scores
            half = left >> 1
            above += half if scores[above + half - 1] > score else 0
            left -= half
        above += scores[above] > score
        if above < hits and scores[above] == score:
            same[above] += 1
            above = above_in_ties(ranked, above, hits, &placed[i])
            level[above] += above < hits and scores[above] == score
        between[above] += 1
    return DONE


cdef inline int64_t above_in_ties(
    const Ranked *ranked, int64_t above, int64_t hits, const Placed *row
) noexcept nogil:
    """How many of the judged rows rank above this one; those of higher scores are `above`."""
    cdef int64_t middle
    while above < hits:
        middle = (above + hits) >> 1
        if rank_order(ranked[middle].score, ranked[middle].document, ranked[middle].length,
                      row.score, row.document, row.length) < 0:
            above = middle + 1
        else:
            hits = middle
    return above
