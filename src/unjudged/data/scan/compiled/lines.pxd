# Lines of text read into rows of columns.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy, memset

from unjudged.data.scan.compiled.index cimport Lookup, Names, NumberedNames, find_query, name_count, number_of
from unjudged.data.scan.compiled.matches cimport Matches, drop_ranking, match_ranking
from unjudged.data.scan.compiled.text cimport (
    copy_token, is_blank, is_space, parse_decimal, parse_probability, parse_whole, token_end, word8,
)
from unjudged.data.scan.compiled.vector cimport (
    BAD_LINE, DONE, NO_MEMORY, QUERY_RETURNS, Status, Vector, drop, push, push_int64, release, reserve, subtract,
)

cdef enum:
    MOST_COLUMNS = 8
    PADDING = 32   # text is read and written a few words at a time, beyond its end


cdef enum Kind:  # of column
    IGNORED
    DOCUMENT
    DECIMAL
    SINGLE
    WHOLE
    PROBABILITY


cdef struct Fault:  # why a line could not be read
    bint wrong_width
    int64_t column     # how many columns the line has, or which of them is not a number
    const char *value
    int64_t length


cdef struct Lines:
    Kind kinds[MOST_COLUMNS]
    int columns, number_columns
    bint open_ended
    Vector documents, document_ends, numbers, lines, queries, query_ends, starts
    int64_t line, query_length            # query_length: of the last group's query
    uint64_t query_word, query_mask       # its first eight bytes, and a mask for those it has
    Fault fault


cdef inline bint start_lines(Lines *rows) noexcept nogil:
    return push_int64(&rows.document_ends, 0) and push_int64(&rows.query_ends, 0)


cdef inline void release_lines(Lines *rows) noexcept nogil:
    release(&rows.documents)
    release(&rows.document_ends)
    release(&rows.numbers)
    release(&rows.lines)
    release(&rows.queries)
    release(&rows.query_ends)
    release(&rows.starts)


cdef inline int64_t row_count(const Lines *rows) noexcept nogil:
    return rows.lines.used >> 3


cdef inline int64_t group_count(const Lines *rows) noexcept nogil:
    return rows.starts.used >> 3


@cython.cdivision(True)
cdef inline bint make_room(Lines *rows, int64_t size) noexcept nogil:
    """Make room for everything that `size` bytes of text can hold. A column takes at least two bytes."""
    cdef int64_t more = size // (2 * rows.columns) + 1
    return (reserve(&rows.documents, size + PADDING) and reserve(&rows.document_ends, more * 8)
            and reserve(&rows.numbers, more * 8 * rows.number_columns) and reserve(&rows.lines, more * 8))


cdef inline Status read_lines(Lines *rows, const char *p, const char *stop) noexcept nogil:
    """Read every line from `p` to `stop`, which comes right after a newline."""
    if not make_room(rows, stop - p):
        return NO_MEMORY
    cdef char *text = rows.documents.at + rows.documents.used
    cdef int64_t *text_end = <int64_t *>(rows.document_ends.at + rows.document_ends.used)
    cdef double *number = <double *>(rows.numbers.at + rows.numbers.used)
    cdef int64_t *line = <int64_t *>(rows.lines.at + rows.lines.used)
    cdef const char *line_start
    cdef const char *token
    cdef int64_t length
    cdef int column
    cdef Status status = DONE
    if rows.line == 0 and stop - p >= 3 and memcmp(p, "\xef\xbb\xbf", 3) == 0:  # a byte order mark
        p += 3
    while p < stop:
        rows.line += 1
        while is_blank(p[0]):
            p += 1
        line_start = p
        if p[0] == c'\n' or p[0] == c'#':
            p = <const char *>memchr(p, c'\n', <size_t>(stop - p)) + 1
            continue
        length = same_query(rows, p, stop)
        if length:   # as on most lines
            p += length
        else:
            token = p
            p = token_end(p)
            if not add_group(rows, token, p - token, line - <int64_t *>rows.lines.at):
                status = NO_MEMORY
                break
        for column in range(1, rows.columns):
            while is_blank(p[0]):
                p += 1
            token = p
            p = token_end(p)
            if p == token:
                status = BAD_LINE
            elif rows.kinds[column] == DOCUMENT:
                copy_token(text, token, p - token)
                text += p - token
            elif rows.kinds[column] != IGNORED:
                status = parse(rows.kinds[column], token, p, number)
                number += 1
            if status != DONE:
                break
        while is_blank(p[0]):
            p += 1
        if status == NO_MEMORY:
            break
        if status != DONE or (p[0] != c'\n' and not rows.open_ended):
            set_fault(rows, column, line_start, token)
            status = BAD_LINE
            break
        if p[0] != c'\n':
            p = <const char *>memchr(p, c'\n', <size_t>(stop - p))
        p += 1
        text_end[0] = text - rows.documents.at
        line[0] = rows.line
        text_end += 1
        line += 1
    rows.documents.used = text - rows.documents.at
    rows.document_ends.used = <char *>text_end - rows.document_ends.at
    rows.numbers.used = <char *>number - rows.numbers.at
    rows.lines.used = <char *>line - rows.lines.at
    return status


cdef inline Status parse(Kind kind, const char *start, const char *stop, double *value) noexcept nogil:
    cdef Status status
    if kind == WHOLE:
        return parse_whole(start, stop, value)
    if kind == PROBABILITY:
        return parse_probability(start, stop, value)
    status = parse_decimal(start, stop, value)
    if kind == SINGLE and status == DONE:
        value[0] = <float>value[0]
    return status


cdef inline int64_t same_query(const Lines *rows, const char *p, const char *stop) noexcept nogil:
    """The length of the last group's query if the line at `p` has the same query, else 0."""
    cdef int64_t length = rows.query_length
    if length == 0 or length >= stop - p or not is_space(p[length]):
        return 0
    if length <= 8:
        return length if (word8(p) ^ rows.query_word) & rows.query_mask == 0 else 0
    return length if memcmp(p, rows.queries.at + rows.queries.used - length, <size_t>length) == 0 else 0


cdef inline bint add_group(Lines *rows, const char *query, int64_t length, int64_t row) noexcept nogil:
    rows.query_length = length
    rows.query_word = rows.query_mask = 0
    memcpy(&rows.query_word, query, <size_t>min(length, 8))
    memset(&rows.query_mask, 0xff, <size_t>min(length, 8))
    return (push(&rows.queries, query, length) and push_int64(&rows.query_ends, rows.queries.used)
            and push_int64(&rows.starts, row))


cdef inline void set_fault(Lines *rows, int column, const char *line_start, const char *token) noexcept nogil:
    """Report a line of the wrong width as that, whatever else is wrong with it."""
    cdef const char *p = line_start
    cdef int64_t found = 0
    while p[0] != c'\n':
        if not is_space(p[0]) and is_space(p[1]):
            found += 1
        p += 1
    rows.fault.value, rows.fault.length = token, token_end(token) - token
    rows.fault.wrong_width = found < rows.columns or (found > rows.columns and not rows.open_ended)
    rows.fault.column = found if rows.fault.wrong_width else column


cdef inline Status match_groups(
    Lines *rows, Matches *out, const Lookup *index, char *met, NumberedNames *unjudged, bint last
) noexcept nogil:
    """Match the groups that are complete, all of them if `last`, and forget their rows.

    `met` has a byte for each judged query: whether it had a group already. `unjudged` has the other queries;
    if one of them comes back, it has no ranking of its own.
    """
    cdef int64_t g, row, stop, number = 0, groups = group_count(rows), done = groups if last else groups - 1
    cdef const int64_t *starts = <const int64_t *>rows.starts.at
    cdef const int64_t *query_ends = <const int64_t *>rows.query_ends.at
    cdef const double *scores = <const double *>rows.numbers.at
    cdef int64_t unjudged_count = name_count(unjudged)
    cdef Names documents
    cdef int32_t query
    cdef Status status
    documents.data, documents.size = rows.documents.at, rows.documents.used
    for g in range(done):
        row, stop = starts[g], starts[g + 1] if g + 1 < groups else row_count(rows)
        documents.ends = <const int64_t *>rows.document_ends.at + row
        query = find_query(index, rows.queries.at + query_ends[g], query_ends[g + 1] - query_ends[g])
        if query >= 0:
            if met[query]:
                return QUERY_RETURNS
            met[query] = 1
        status = match_ranking(out, index, query, &documents, scores + row, stop - row)
        if status == DONE and query < 0:
            status = number_of(unjudged, rows.queries.at + query_ends[g], query_ends[g + 1] - query_ends[g], &number)
            if status == DONE and number < unjudged_count:
                drop_ranking(out)
            unjudged_count = name_count(unjudged)
        if status != DONE:
            out.first += row
            out.second += row
            return status
    if done > 0:
        forget(rows, done, starts[done] if done < groups else row_count(rows))
    return DONE


cdef inline void forget(Lines *rows, int64_t groups, int64_t count) noexcept nogil:
    """Drop the first `groups` with their first `count` rows, and move what is left to the front."""
    cdef int64_t documents = (<int64_t *>rows.document_ends.at)[count]
    cdef int64_t queries = (<int64_t *>rows.query_ends.at)[groups]
    drop(&rows.documents, documents)
    drop(&rows.document_ends, count * 8)
    drop(&rows.lines, count * 8)
    drop(&rows.queries, queries)
    drop(&rows.query_ends, groups * 8)
    drop(&rows.starts, groups * 8)
    drop(&rows.numbers, count * 8 * rows.number_columns)
    subtract(&rows.document_ends, documents)
    subtract(&rows.query_ends, queries)
    subtract(&rows.starts, count)


cdef inline void forget_all(Lines *rows) noexcept nogil:
    rows.documents.used = rows.numbers.used = rows.lines.used = rows.queries.used = rows.starts.used = 0
    rows.document_ends.used = rows.query_ends.used = sizeof(int64_t)
    rows.query_length = 0
