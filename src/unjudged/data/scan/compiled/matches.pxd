# Rankings matched against the judged documents; the tie rule, and the sort that follows it.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, memset

from unjudged.data.scan.compiled.index cimport Lookup, Names, hash_table_size, is_name, name_of, row_of, slot_of
from unjudged.data.scan.compiled.text cimport keyed_hash
from unjudged.data.scan.compiled.vector cimport (
    CHANGED, DONE, NO_MEMORY, REPEATED_DOCUMENT, TOO_MANY_ROWS,
    Status, Vector, push_int32, push_int64, release, reserve,
)

cdef enum:
    MOST_DOCUMENTS = 0x7fffffff   # of one ranking: ranks have 32 bits
    FEW_STEPS = 4


cdef struct Matches:
    # The judged documents of each ranking, in rank order; the columns of `Matched`.
    Vector queries, retrieved, ends, ranks, rows
    # The first and the last rank that have the score of each; they differ if any document is tied.
    Vector firsts, lasts
    bint tied
    # Working space for one ranking: a hash table of its documents, their sort keys, the judged row of each.
    Vector seen, ranked, judged, above
    int64_t first, second   # two rows that name the same document


cdef struct Ranked:
    double score
    const char *document
    int64_t length
    int64_t row


cdef inline int compare_bytes(
    const char *a, int64_t a_length, const char *b, int64_t b_length
) noexcept nogil:
    cdef int order = memcmp(a, b, <size_t>min(a_length, b_length))
    return order if order else (a_length > b_length) - (a_length < b_length)


cdef inline int rank_order(
    double a_score, const char *a, int64_t a_length, double b_score, const char *b, int64_t b_length
) noexcept nogil:
    """The tie rule: score descending, then document descending by bytes. Negative if `a` ranks above `b`.

    Scores must not be NaN.
    """
    if a_score != b_score:
        return -1 if a_score > b_score else 1
    return compare_bytes(b, b_length, a, a_length)


cdef inline int compare_ranked(const void *left, const void *right) noexcept nogil:
    cdef const Ranked *a = <const Ranked *>left
    cdef const Ranked *b = <const Ranked *>right
    return rank_order(a.score, a.document, a.length, b.score, b.document, b.length)


cdef inline void sort_ranked(Ranked *ranked, int64_t n) noexcept nogil:
    if n > 1 and not sort_nearly_sorted(ranked, n):
        qsort(ranked, <size_t>n, sizeof(Ranked), compare_ranked)


cdef inline bint sort_nearly_sorted(Ranked *ranked, int64_t n) noexcept nogil:
    """Insertion sort, for rankings in which only ties are out of order. Gives up after 4 n moves."""
    cdef int64_t i, j, moves = 4 * n
    cdef Ranked moving
    for i in range(1, n):
        j = i
        moving = ranked[i]
        while j > 0 and compare_ranked(&ranked[j - 1], &moving) > 0:
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = moving
        moves -= i - j
        if moves < 0:
            return False
    return True


cdef inline bint start_matches(Matches *out) noexcept nogil:
    return push_int64(&out.ends, 0)


cdef inline void release_matches(Matches *out) noexcept nogil:
    release(&out.queries)
    release(&out.retrieved)
    release(&out.ends)
    release(&out.ranks)
    release(&out.rows)
    release(&out.firsts)
    release(&out.lasts)
    release(&out.seen)
    release(&out.ranked)
    release(&out.judged)
    release(&out.above)


cdef inline Status match_ranking(
    Matches *out, const Lookup *index, int32_t query, const Names *documents, const double *scores, int64_t n
) noexcept nogil:
    """Add one ranking, of a query that is -1 if it is not judged, to what was matched."""
    cdef bint in_order = False
    cdef int64_t i, first = 0, end = 0
    cdef const int32_t *judged
    cdef Status status = look_up(out, index, query, documents, scores, n, &in_order)
    if status == DONE and not in_order:
        status = count_above(out, documents, scores, n)
    if status != DONE:
        return status
    judged = <const int32_t *>out.judged.at
    if in_order:
        for i in range(n):
            if judged[i] < 0:
                continue
            if i >= end:
                first, end = i, i + 1
                while first and scores[first - 1] == scores[i]:
                    first -= 1
                while end < n and scores[end] == scores[i]:
                    end += 1
            if not push_hit(out, i + 1, judged[i], first + 1, end):
                return NO_MEMORY
    return end_ranking(out, query, n)


cdef inline bint push_hit(Matches *out, int64_t rank, int64_t row, int64_t first, int64_t last) noexcept nogil:
    """Add a judged document, whose score all documents from rank `first` to `last` have."""
    out.tied |= first < last
    return (push_int32(&out.ranks, rank) and push_int32(&out.rows, row)
            and push_int32(&out.firsts, first) and push_int32(&out.lasts, last))


cdef inline Status end_ranking(Matches *out, int32_t query, int64_t n) noexcept nogil:
    if (push_int32(&out.queries, query) and push_int32(&out.retrieved, n)
            and push_int64(&out.ends, out.rows.used >> 2)):
        return DONE
    return NO_MEMORY


cdef inline void drop_ranking(Matches *out) noexcept nogil:
    """Forget the last ranking, which has no judged documents."""
    out.queries.used -= sizeof(int32_t)
    out.retrieved.used -= sizeof(int32_t)
    out.ends.used -= sizeof(int64_t)


cdef inline Status look_up(
    Matches *out, const Lookup *index, int32_t query, const Names *documents, const double *scores, int64_t n,
    bint *in_order
) noexcept nogil:
    """Find the judged row of each document, and whether the ranking is in order already.

    The judged documents are looked up among the rows: most rankings have fewer of them. A row whose document
    is not in the data, or whose score is NaN, is met here first.
    """
    cdef int64_t i, row, start, end = documents.ends[0], mask = hash_table_size(n) - 1
    cdef int64_t slot, length = 0, before_length = 0
    cdef bint ordered = True
    cdef uint64_t code
    cdef const char *text
    cdef const char *before = NULL
    cdef uint64_t *seen   # an entry is the upper half of the hash, which is the tag, then the row + 1
    cdef int32_t *judged
    cdef uint64_t key[3]   # a copy that stays in registers
    memcpy(key, index.key, sizeof(key))
    if n > MOST_DOCUMENTS:
        return TOO_MANY_ROWS
    if end < 0:
        return CHANGED
    if not (reserve(&out.seen, (mask + 1) * sizeof(uint64_t)) and reserve(&out.judged, n * sizeof(int32_t))):
        return NO_MEMORY
    seen = <uint64_t *>out.seen.at
    judged = <int32_t *>out.judged.at
    memset(seen, 0, <size_t>(mask + 1) * sizeof(uint64_t))
    for i in range(n):
        start, end = end, documents.ends[i + 1]
        if not (start <= end <= documents.size and scores[i] == scores[i]):
            return CHANGED
        text, length = documents.data + start, end - start
        code = keyed_hash(text, length, key)
        slot = <int64_t>(code >> 32) & mask
        while seen[slot]:
            if (seen[slot] ^ code) >> 32 == 0 and is_name(documents, row_of(seen[slot]), text, length):
                out.first, out.second = row_of(seen[slot]), i
                return REPEATED_DOCUMENT
            slot = (slot + 1) & mask
        seen[slot] = slot_of(code, i)
        judged[i] = -1
        if i and ordered:
            ordered = rank_order(scores[i - 1], before, before_length, scores[i], text, length) < 0
        before, before_length = text, length
    in_order[0] = ordered
    if query >= 0:
        for row in range(index.starts[query], index.starts[query + 1]):
            slot = <int64_t>index.tags[row] & mask
            while seen[slot]:
                if seen[slot] >> 32 == index.tags[row]:
                    text = name_of(&index.documents, row, &length)
                    if is_name(documents, row_of(seen[slot]), text, length):
                        judged[row_of(seen[slot])] = <int32_t>row
                        break
                slot = (slot + 1) & mask
    return DONE


cdef inline Status count_above(
    Matches *out, const Names *documents, const double *scores, int64_t n
) noexcept nogil:
    """Add the judged documents of a ranking that is out of order.

    Only they are sorted. Each row is then counted for the best of them that is not above it: the rank of a
    judged document is the number of rows that are counted for it or for a better one. `same` counts the rows
    that have the score of a judged document, at the best of those with this score; `level` those that are
    counted for it.
    """
    cdef const int32_t *judged = <const int32_t *>out.judged.at
    cdef int64_t i, k, near = 0, rank = 0, hits = 0, group = 0, first = 0
    cdef Ranked *ranked
    cdef int64_t *above
    cdef int64_t *same
    cdef int64_t *level
    for i in range(n):
        hits += judged[i] >= 0
    if not (reserve(&out.ranked, hits * sizeof(Ranked)) and reserve(&out.above, 3 * (hits + 1) * sizeof(int64_t))):
        return NO_MEMORY
    ranked, above = <Ranked *>out.ranked.at, <int64_t *>out.above.at
    same, level = above + hits + 1, above + 2 * (hits + 1)
    memset(above, 0, <size_t>(3 * (hits + 1)) * sizeof(int64_t))
    for i in range(n):
        if judged[i] >= 0:
            if not set_ranked(&ranked[rank], documents, scores, i):
                return CHANGED
            rank += 1
    sort_ranked(ranked, hits)
    for i in range(n):
        near = hits_of_higher_scores(ranked, hits, scores[i], near)
        k = near
        if k < hits and ranked[k].score == scores[i]:
            same[near] += 1
            k = hits_above_in_ties(ranked, hits, documents, scores, i, k)
            if k < 0:
                return CHANGED
            level[k] += k < hits and ranked[k].score == scores[i]
        above[k] += 1
    rank = 0
    for k in range(hits):
        rank += above[k]
        if k == 0 or ranked[k].score != ranked[k - 1].score:
            group, first = k, rank - level[k] + 1
        if not push_hit(out, rank, judged[ranked[k].row], first, first + same[group] - 1):
            return NO_MEMORY
    return DONE


cdef inline int64_t hits_of_higher_scores(
    const Ranked *ranked, int64_t hits, double score, int64_t near
) noexcept nogil:
    """How many of the judged documents have higher scores. `near` is what the row before has: most come in order."""
    cdef int64_t low = 0, left = hits, half
    if near == 0 or ranked[near - 1].score > score:
        if near == hits or ranked[near].score <= score:
            return near
        if near + 1 == hits or ranked[near + 1].score <= score:
            return near + 1
    while left > 1:   # without a branch that depends on the scores
        half = left >> 1
        low += half if ranked[low + half - 1].score > score else 0
        left -= half
    return low + (ranked[low].score > score)


cdef inline int64_t hits_above_in_ties(
    const Ranked *ranked, int64_t hits, const Names *documents, const double *scores, int64_t i, int64_t low
) noexcept nogil:
    """How many of the judged documents are above row `i`, if `low` have higher scores and others have its score.

    -1 if the row is one that `look_up` refuses.
    """
    cdef int64_t steps = 0, left, half
    cdef Ranked row
    if not set_ranked(&row, documents, scores, i):
        return -1
    while steps < FEW_STEPS and low < hits and compare_ranked(&ranked[low], &row) < 0:
        steps += 1
        low += 1
    left = hits - low if steps == FEW_STEPS else 0
    while left > 0:
        half = left >> 1
        if compare_ranked(&ranked[low + half], &row) < 0:
            low += half + 1
            left -= half + 1
        else:
            left = half
    return low


cdef inline bint set_ranked(Ranked *ranked, const Names *documents, const double *scores, int64_t i) noexcept nogil:
    """The sort key of row `i`. The same rows are refused as by `look_up`."""
    cdef int64_t start = documents.ends[i], end = documents.ends[i + 1]
    ranked.score, ranked.row = scores[i], i
    if not (0 <= start <= end <= documents.size and ranked.score == ranked.score):
        return False
    ranked.document, ranked.length = documents.data + start, end - start
    return True


cdef inline Status sort_rows(
    Matches *out, const Names *documents, const double *scores, int64_t n
) noexcept nogil:
    """Sort the rows of a ranking, best first, into `ranked`. The same rows are refused as by `look_up`."""
    cdef Ranked *ranked
    cdef int64_t i
    if not reserve(&out.ranked, n * sizeof(Ranked)):
        return NO_MEMORY
    ranked = <Ranked *>out.ranked.at
    for i in range(n):
        if not set_ranked(&ranked[i], documents, scores, i):
            return CHANGED
    sort_ranked(ranked, n)
    return DONE
