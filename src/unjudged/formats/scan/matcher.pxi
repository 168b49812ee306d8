# The index of the judgments, and the matching of rankings against it. Part of scan.pyx.

cdef struct Ranked:
    double score
    const char *document
    int64_t length
    int64_t row


cdef int in_rank_order(const void *left, const void *right) noexcept nogil:
    """THE tie rule: score descending, then document descending, bytes compared."""
    cdef const Ranked *a = <const Ranked *>left
    cdef const Ranked *b = <const Ranked *>right
    if a.score != b.score:
        return -1 if a.score > b.score else 1
    return compare(b.document, b.length, a.document, a.length)


cdef bint nearly_sorted(Ranked *ranked, int64_t n) noexcept nogil:
    """Sort by insertion, as suits a ranking that only has its ties in another order; False if that is no good."""
    cdef int64_t i, j, moves = 4 * n
    cdef Ranked moving
    for i in range(1, n):
        j = i
        moving = ranked[i]
        while j > 0 and in_rank_order(&ranked[j - 1], &moving) > 0:
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = moving
        moves -= i - j
        if moves < 0:
            return False
    return True


cdef inline int compare(const char *a, int64_t a_length, const char *b, int64_t b_length) noexcept nogil:
    cdef int order = memcmp(a, b, min(a_length, b_length))
    if order == 0:
        order = (a_length > b_length) - (a_length < b_length)
    return order


cdef inline int64_t table_size(int64_t items) noexcept nogil:
    cdef int64_t size = 2
    while size < 2 * items:
        size *= 2
    return size


cdef class Index:
    """The judged documents of every query, ready to be looked up by their bytes."""

    cdef object owned
    cdef const char *query_data
    cdef const char *document_data
    cdef const int64_t *query_ends
    cdef const int64_t *document_ends
    cdef int32_t *query_slots
    cdef int64_t query_mask
    cdef int32_t *slots
    cdef int64_t *slot_starts
    cdef uint32_t *tags

    def __init__(self, queries, offsets, documents):
        """`offsets` cuts the rows of `documents` into one group for each of `queries`."""
        cdef const int64_t[::1] starts = offsets
        cdef int64_t n = len(queries), q, i, size = 0, slot, mask, length
        cdef const char *text
        cdef int32_t other
        cdef uint64_t code
        slot_starts = np.zeros(n + 1, np.int64)
        cdef int64_t[::1] slot_view = slot_starts
        for q in range(n):
            size += table_size(starts[q + 1] - starts[q])
            slot_view[q + 1] = size
        query_slots = np.full(table_size(n), -1, np.int32)
        slots = np.full(max(size, 1), -1, np.int32)
        tags = np.empty(max(len(documents), 1), np.uint32)
        cdef int32_t[::1] query_slots_view = query_slots
        cdef int32_t[::1] slots_view = slots
        cdef uint32_t[::1] tags_view = tags
        self.owned = (queries, documents, query_slots, slots, slot_starts, tags)
        self.query_data, self.query_ends = data_of(queries), ends_of(queries)
        self.document_data, self.document_ends = data_of(documents), ends_of(documents)
        self.query_slots, self.query_mask = &query_slots_view[0], len(query_slots) - 1
        self.slots, self.slot_starts, self.tags = &slots_view[0], &slot_view[0], &tags_view[0]
        for q in range(n):
            code = keyed_hash(self.query_data + self.query_ends[q], self.query_ends[q + 1] - self.query_ends[q], KEY)
            slot = <int64_t>code & self.query_mask
            while self.query_slots[slot] >= 0:
                slot = (slot + 1) & self.query_mask
            self.query_slots[slot] = <int32_t>q
            mask = slot_view[q + 1] - slot_view[q] - 1
            for i in range(starts[q], starts[q + 1]):
                text, length = self.document_data + self.document_ends[i], self.document_ends[i + 1] - self.document_ends[i]
                code = keyed_hash(text, length, KEY)
                other = self.document(self.slots + slot_view[q], mask, text, length, code)
                if other >= 0:
                    raise DuplicateError(other, i)
                tags_view[i] = <uint32_t>(code >> 32)
                slot = <int64_t>code & mask
                while slots_view[slot_view[q] + slot] >= 0:
                    slot = (slot + 1) & mask
                slots_view[slot_view[q] + slot] = <int32_t>i

    cdef inline int32_t query(self, const char *text, int64_t length) noexcept nogil:
        cdef int64_t slot = <int64_t>keyed_hash(text, length, KEY) & self.query_mask
        cdef int32_t q = self.query_slots[slot]
        while q >= 0 and not (self.query_ends[q + 1] - self.query_ends[q] == length
                              and memcmp(self.query_data + self.query_ends[q], text, length) == 0):
            slot = (slot + 1) & self.query_mask
            q = self.query_slots[slot]
        return q

    cdef inline int32_t document(self, const int32_t *slots, int64_t mask, const char *text, int64_t length, uint64_t code) noexcept nogil:
        """The row of a document in its query's part of the table, else -1."""
        cdef int64_t slot = <int64_t>code & mask
        cdef int32_t row = slots[slot]
        while row >= 0 and not (self.tags[row] == <uint32_t>(code >> 32)
                                and self.document_ends[row + 1] - self.document_ends[row] == length
                                and memcmp(self.document_data + self.document_ends[row], text, length) == 0):
            slot = (slot + 1) & mask
            row = slots[slot]
        return row


cdef const char *data_of(ids) except? NULL:
    cdef const uint8_t[::1] view = ids.data
    return <const char *>&view[0] if view.shape[0] else NULL


cdef const int64_t *ends_of(ids) except? NULL:
    cdef const int64_t[::1] view = ids.offsets
    return &view[0]


cdef class Matcher:
    """Takes rankings one after another and keeps the judged documents of each, in rank order."""

    cdef Index index
    cdef Vector seen, ranked, judged   # working space: documents, sort keys, judged row of each
    cdef Vector queries, retrieved, ends, ranks, rows   # what comes out
    cdef int64_t first, second         # two rows of one ranking that name one document

    def __cinit__(self, Index index):
        self.index = index
        self.seen, self.ranked, self.judged = Vector(), Vector(), Vector()
        self.queries, self.retrieved, self.ends, self.ranks, self.rows = Vector(), Vector(), Vector(), Vector(), Vector()
        if not self.ends.push_integer(0):
            raise MemoryError

    cdef int match(self, int32_t query, const char *data, const int64_t *ends, const double *scores, int64_t n) noexcept nogil:
        """0: done, 1: a document twice, 2: out of memory."""
        cdef int64_t i, slot, mask, length, hits, judged_mask = 0
        cdef uint64_t code
        cdef int32_t row, rank, size = <int32_t>n
        cdef bint in_order = True
        cdef const char *text
        cdef uint64_t *seen   # a hash table; an entry is the upper half of the hash, then the row + 1
        cdef const int32_t *judged_slots = NULL
        cdef int32_t *judged
        if not self.make_room(n):
            return 2
        seen = <uint64_t *>self.seen.at
        mask = table_size(n) - 1
        judged = <int32_t *>self.judged.at
        if query >= 0:
            judged_slots = self.index.slots + self.index.slot_starts[query]
            judged_mask = self.index.slot_starts[query + 1] - self.index.slot_starts[query] - 1
        for i in range(n):
            text, length = data + ends[i], ends[i + 1] - ends[i]
            code = keyed_hash(text, length, KEY)
            slot = <int64_t>code & mask
            while seen[slot]:
                if (seen[slot] ^ code) >> 32 == 0 and same(data, ends, <int64_t><uint32_t>seen[slot] - 1, i):
                    self.first, self.second = <int64_t><uint32_t>seen[slot] - 1, i
                    return 1
                slot = (slot + 1) & mask
            seen[slot] = (code >> 32 << 32) | <uint64_t>(i + 1)
            judged[i] = self.index.document(judged_slots, judged_mask, text, length, code) if query >= 0 else -1
            if i and in_order and scores[i] >= scores[i - 1]:
                in_order = scores[i] == scores[i - 1] and compare(text, length, data + ends[i - 1], ends[i] - ends[i - 1]) < 0
        if not in_order and not self.sort(data, ends, scores, n):
            return 2
        for i in range(n):
            row = judged[i if in_order else (<Ranked *>self.ranked.at)[i].row]
            if row >= 0:
                rank = <int32_t>(i + 1)
                if not (self.ranks.push(&rank, 4) and self.rows.push(&row, 4)):
                    return 2
        hits = self.rows.used // 4
        return 0 if self.queries.push(&query, 4) and self.retrieved.push(&size, 4) and self.ends.push_integer(hits) else 2

    cdef inline bint make_room(self, int64_t n) noexcept nogil:
        cdef int64_t size = table_size(n) * sizeof(uint64_t)
        if not (self.seen.reserve(size) and self.judged.reserve(n * 4)):
            return False
        memset(self.seen.at, 0, size)
        return True

    cdef bint sort(self, const char *data, const int64_t *ends, const double *scores, int64_t n) noexcept nogil:
        cdef Ranked *ranked
        cdef int64_t i
        if not self.ranked.reserve(n * sizeof(Ranked)):
            return False
        ranked = <Ranked *>self.ranked.at
        for i in range(n):
            ranked[i].score, ranked[i].row = scores[i], i
            ranked[i].document, ranked[i].length = data + ends[i], ends[i + 1] - ends[i]
        if not nearly_sorted(ranked, n):
            qsort(ranked, n, sizeof(Ranked), in_rank_order)
        return True

    def matched(self):
        return Matched(
            query=self.queries.array(np.int32), retrieved=self.retrieved.array(np.int32),
            ends=self.ends.array(np.int64), rank=self.ranks.array(np.int32), row=self.rows.array(np.int32),
        )


cdef inline bint same(const char *data, const int64_t *ends, int64_t a, int64_t b) noexcept nogil:
    return compare(data + ends[a], ends[a + 1] - ends[a], data + ends[b], ends[b + 1] - ends[b]) == 0
