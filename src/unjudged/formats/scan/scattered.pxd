# Rows in no order: brought to their queries, and matched there without sorting them.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

from unjudged.formats.scan.index cimport Lookup, Names, hash_table_size, name_of
from unjudged.formats.scan.matches cimport Matches, end_ranking
from unjudged.formats.scan.ranking cimport Ranked, rank_order, sort_ranked
from unjudged.formats.scan.text cimport keyed_hash
from unjudged.formats.scan.vector cimport (
    CHANGED, DONE, NO_MEMORY, REPEATED_DOCUMENT, Status, Vector, push_int32, release, reserve,
)


cdef struct Placed:
    # What matching needs of a row. Its document is read again only if the tag is that of a judged one.
    double score
    uint32_t tag   # the upper half of the document's hash
    int32_t row


cdef struct Scratch:
    # Working space for one query: a hash table of its rows, the judged rows found and their scores, and how
    # many rows rank between two of them.
    Vector seen, hits, scores, between


cdef inline void release_scratch(Scratch *scratch) noexcept nogil:
    release(&scratch.seen)
    release(&scratch.hits)
    release(&scratch.scores)
    release(&scratch.between)


cdef inline bint document_of(
    const Names *documents, int64_t row, const char **text, int64_t *length
) noexcept nogil:
    """Find the document of a row again. False if it is no longer in the data."""
    cdef int64_t start = documents.ends[row], end = documents.ends[row + 1]
    text[0], length[0] = documents.data + start, end - start
    return 0 <= start <= end <= documents.size


cdef inline Status count_rows(
    const int32_t *number, int64_t first, int64_t last, int64_t *counts, int64_t queries
) noexcept nogil:
    cdef int64_t i
    for i in range(first, last):
        if not 0 <= number[i] < queries:
            return CHANGED
        counts[number[i]] += 1
    return DONE


cdef inline Status place_rows(
    const Names *documents, const double *scores, const int32_t *number, int64_t first, int64_t last,
    int64_t *places, int64_t *ends, int64_t queries, const uint64_t *key, Placed *placed
) noexcept nogil:
    """Put each row where its query's next row goes: from `places` up to `ends`."""
    cdef int64_t i, place, start, end = documents.ends[first]
    if end < 0:
        return CHANGED
    for i in range(first, last):
        start, end = end, documents.ends[i + 1]
        if not (start <= end <= documents.size and scores[i] == scores[i] and 0 <= number[i] < queries):
            return CHANGED
        place = places[number[i]]
        if place >= ends[number[i]]:
            return CHANGED
        places[number[i]] = place + 1
        placed[place].score, placed[place].row = scores[i], <int32_t>i
        placed[place].tag = <uint32_t>(keyed_hash(documents.data + start, end - start, key) >> 32)
    return DONE


cdef inline Status match_placed(
    Matches *out, Scratch *scratch, const Lookup *index, int32_t query, const Names *documents,
    const Placed *placed, int64_t n
) noexcept nogil:
    """Add the rows of one query, which is -1 if it is not judged, to what was matched."""
    cdef int64_t hits = 0, hit, rank = 0
    cdef const int64_t *between
    cdef Status status = refuse_repeated(out, scratch, documents, placed, n)
    if status == DONE and query >= 0:
        status = find_hits(scratch, index, query, documents, placed, n, &hits)
    if status == DONE and hits:
        status = count_between(scratch, documents, placed, n, hits)
    if status != DONE:
        return status
    between = <const int64_t *>scratch.between.at
    for hit in range(hits):
        rank += between[hit]
        if not (push_int32(&out.ranks, rank)
                and push_int32(&out.rows, (<const Ranked *>scratch.hits.at)[hit].row)):
            return NO_MEMORY
    return end_ranking(out, query, n)


cdef inline Status refuse_repeated(
    Matches *out, Scratch *scratch, const Names *documents, const Placed *placed, int64_t n
) noexcept nogil:
    """Make the hash table of the rows by their tags. Only rows of the same tag are compared."""
    cdef int64_t i, other, slot, length = 0, other_length = 0, mask = hash_table_size(n) - 1
    cdef const char *text = NULL
    cdef const char *other_text = NULL
    cdef uint64_t *seen   # an entry is the tag, then the place + 1
    if not reserve(&scratch.seen, (mask + 1) * sizeof(uint64_t)):
        return NO_MEMORY
    seen = <uint64_t *>scratch.seen.at
    memset(seen, 0, <size_t>(mask + 1) * sizeof(uint64_t))
    for i in range(n):
        slot = <int64_t>placed[i].tag & mask
        while seen[slot]:
            if seen[slot] >> 32 == placed[i].tag:
                other = <int64_t><uint32_t>seen[slot] - 1
                if not (document_of(documents, placed[i].row, &text, &length)
                        and document_of(documents, placed[other].row, &other_text, &other_length)):
                    return CHANGED
                if length == other_length and memcmp(text, other_text, <size_t>length) == 0:
                    out.first, out.second = placed[other].row, placed[i].row
                    return REPEATED_DOCUMENT
            slot = (slot + 1) & mask
        seen[slot] = <uint64_t>placed[i].tag << 32 | <uint64_t>(i + 1)
    return DONE


cdef inline Status find_hits(
    Scratch *scratch, const Lookup *index, int32_t query, const Names *documents, const Placed *placed,
    int64_t n, int64_t *found
) noexcept nogil:
    """Look up each judged document among the rows; those found are sorted, best first."""
    cdef int64_t row, place, slot, length = 0, own_length = 0, hits = 0, mask = hash_table_size(n) - 1
    cdef int64_t judged = index.starts[query + 1] - index.starts[query]
    cdef const uint64_t *seen = <const uint64_t *>scratch.seen.at
    cdef const char *text
    cdef const char *own = NULL
    cdef Ranked *ranked
    if not reserve(&scratch.hits, judged * sizeof(Ranked)):
        return NO_MEMORY
    ranked = <Ranked *>scratch.hits.at
    for row in range(index.starts[query], index.starts[query + 1]):
        slot = <int64_t>index.tags[row] & mask
        while seen[slot]:
            if seen[slot] >> 32 == index.tags[row]:
                place = <int64_t><uint32_t>seen[slot] - 1
                text = name_of(&index.documents, row, &length)
                if not document_of(documents, placed[place].row, &own, &own_length):
                    return CHANGED
                if length == own_length and memcmp(text, own, <size_t>length) == 0:
                    ranked[hits].score, ranked[hits].row = placed[place].score, row
                    ranked[hits].document, ranked[hits].length = text, length
                    hits += 1
                    break
            slot = (slot + 1) & mask
    sort_ranked(ranked, hits)
    found[0] = hits
    return DONE


cdef inline Status count_between(
    Scratch *scratch, const Names *documents, const Placed *placed, int64_t n, int64_t hits
) noexcept nogil:
    """How many rows rank above the first judged one or equal it, then between it and the next, and so on."""
    cdef const Ranked *ranked = <const Ranked *>scratch.hits.at
    cdef double score
    cdef double *scores
    cdef int64_t i, above, half, left
    cdef int64_t *between
    if not (reserve(&scratch.scores, hits * sizeof(double))
            and reserve(&scratch.between, (hits + 1) * sizeof(int64_t))):
        return NO_MEMORY
    scores, between = <double *>scratch.scores.at, <int64_t *>scratch.between.at
    memset(between, 0, <size_t>(hits + 1) * sizeof(int64_t))
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
            above = above_in_ties(ranked, above, hits, documents, &placed[i])
            if above < 0:
                return CHANGED
        between[above] += 1
    return DONE


cdef inline int64_t above_in_ties(
    const Ranked *ranked, int64_t above, int64_t hits, const Names *documents, const Placed *placed
) noexcept nogil:
    """How many of the judged rows rank above this one; those of higher scores are `above`. -1 if it changed."""
    cdef int64_t middle, length = 0
    cdef const char *text = NULL
    if not document_of(documents, placed.row, &text, &length):
        return -1
    while above < hits:
        middle = (above + hits) >> 1
        if rank_order(ranked[middle].score, ranked[middle].document, ranked[middle].length,
                      placed.score, text, length) < 0:
            above = middle + 1
        else:
            hits = middle
    return above
