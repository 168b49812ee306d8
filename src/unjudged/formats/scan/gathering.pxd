# The records of one part brought together by query, and matched.

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from unjudged.formats.scan.index cimport Lookup, Names, find_query, name_of
from unjudged.formats.scan.matches cimport Matches, match_ranking
from unjudged.formats.scan.text cimport copy_exactly
from unjudged.formats.scan.kept_rows cimport Chunk, Part, Record, Store
from unjudged.formats.scan.vector cimport DONE, NO_MEMORY, Status, Vector, release, reserve


cdef struct Cursor:  # where the next row of a query goes, and its document
    int64_t row, byte


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
    const int64_t *counts   # of each place in the order: how many rows, and how many bytes of documents
    const int64_t *sizes


cdef struct Gathered:
    # The rows of a part by query, and those of a query as they came.
    Vector documents, ends, scores, cursors
    int64_t failed, failed_row   # the query that could not be matched, and which of the rows is at fault


cdef inline void release_gathered(Gathered *rows) noexcept nogil:
    release(&rows.documents)
    release(&rows.ends)
    release(&rows.scores)
    release(&rows.cursors)


cdef inline Status match_part(
    Gathered *rows, Matches *out, const Lookup *index, const Groups *groups, int part
) noexcept nogil:
    """Match the queries of a part, up to the first that fails, which `rows.failed` then names."""
    cdef int64_t first = groups.starts[part], k, start = 0, stop
    cdef const char *text
    cdef int64_t length = 0
    cdef Names documents
    cdef Status status = start_gathering(rows, groups, first, groups.starts[part + 1])
    if status != DONE:
        return status
    for k in range(groups.pieces):
        gather(rows, &groups.sources[k].store.parts[part], groups.sources[k].places, first)
    documents.data = rows.documents.at
    for k in range(first, groups.starts[part + 1]):
        stop = (<const Cursor *>rows.cursors.at)[k - first].row
        documents.ends = <const int64_t *>rows.ends.at + start
        documents.size = (<const Cursor *>rows.cursors.at)[k - first].byte
        text = name_of(&groups.queries, groups.order[k], &length)
        status = match_ranking(
            out, index, find_query(index, text, length),
            &documents, <const double *>rows.scores.at + start, stop - start,
        )
        if status != DONE:
            rows.failed, rows.failed_row = groups.order[k], start + out.second
            return status
        start = stop
    return DONE


cdef inline Status start_gathering(Gathered *rows, const Groups *groups, int64_t first, int64_t stop) noexcept nogil:
    """Make room for the rows of the queries from `first` to just before `stop`."""
    cdef int64_t k
    cdef Cursor *cursors
    cdef Cursor at
    at.row = at.byte = 0
    if not reserve(&rows.cursors, (stop - first) * sizeof(Cursor)):
        return NO_MEMORY
    cursors = <Cursor *>rows.cursors.at
    for k in range(first, stop):
        cursors[k - first] = at
        at.row += groups.counts[k]
        at.byte += groups.sizes[k]
    if not (reserve(&rows.documents, at.byte + 1) and reserve(&rows.scores, (at.row + 1) * sizeof(double))
            and reserve(&rows.ends, (at.row + 1) * sizeof(int64_t))):
        return NO_MEMORY
    (<int64_t *>rows.ends.at)[0] = 0
    return DONE


cdef inline void gather(Gathered *rows, const Part *part, const int32_t *places, int64_t first) noexcept nogil:
    """Put the records of a part where their queries go. The cursors end where the rows of each query end."""
    cdef const Chunk *chunk = part.first
    cdef const char *p
    cdef const char *stop
    cdef int64_t *ends = <int64_t *>rows.ends.at
    cdef double *scores = <double *>rows.scores.at
    cdef Cursor *cursor
    cdef Record record
    while chunk != NULL:
        p = <const char *>(chunk + 1)
        stop = p + chunk.used
        while p < stop:
            memcpy(&record, p, sizeof(Record))
            p += sizeof(Record)
            cursor = <Cursor *>rows.cursors.at + (places[record.query] - first)
            copy_exactly(rows.documents.at + cursor.byte, p, record.length)
            p += record.length
            cursor.byte += record.length
            scores[cursor.row] = record.score
            cursor.row += 1
            ends[cursor.row] = cursor.byte
        chunk = chunk.next
