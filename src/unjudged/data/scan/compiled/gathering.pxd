# The records of one part brought to their queries, each of which is then matched as any ranking is.

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from unjudged.data.scan.compiled.index cimport Lookup, Names, find_query, name_of
from unjudged.data.scan.compiled.kept_rows cimport Chunk, Part, Record, Store
from unjudged.data.scan.compiled.matches cimport Matches, match_ranking
from unjudged.data.scan.compiled.text cimport copy_exactly
from unjudged.data.scan.compiled.vector cimport DONE, NO_MEMORY, Status, Vector, release, reserve


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
