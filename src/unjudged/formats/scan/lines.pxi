# Lines of text into rows of columns. Part of scan.pyx.

cdef struct Trouble:  # why a line could not be read
    bint wrong_width
    int64_t line
    int64_t columns    # found on the line, or the one that holds no number
    const char *value
    int64_t length


cdef class Scanner:
    """Lines to rows: each line of `layout` becomes a document and its numbers, in the query's group."""

    cdef object layout
    cdef int kinds[MOST_COLUMNS]
    cdef int columns, number_columns
    cdef bint open_ended
    cdef Vector documents, document_ends, numbers, lines, queries, query_ends, starts
    cdef int64_t line, query_length     # of the last group's query
    cdef uint64_t query_word, query_mask  # its first eight bytes, and which of them are its own
    cdef Trouble trouble

    def __cinit__(self, layout):
        cdef int column
        self.documents, self.document_ends, self.numbers, self.lines = Vector(), Vector(), Vector(), Vector()
        self.queries, self.query_ends, self.starts = Vector(), Vector(), Vector()
        self.layout, self.open_ended = layout, layout.open_ended
        self.columns, self.number_columns = len(layout.columns), len(layout.numbers)
        if self.columns > MOST_COLUMNS:
            raise ValueError(layout)
        for column in range(self.columns):
            self.kinds[column] = layout.kinds[column]
        if not (self.document_ends.push_integer(0) and self.query_ends.push_integer(0)):
            raise MemoryError

    cdef inline int64_t rows(self) noexcept nogil:
        return self.lines.used // 8

    cdef inline int64_t groups(self) noexcept nogil:
        return self.starts.used // 8

    cdef int read(self, const char *p, const char *stop) noexcept nogil:
        """0: every line up to `stop` (just behind a newline) is read, 1: trouble, 2: out of memory."""
        if not self.make_room(stop - p):
            return 2
        cdef char *text = self.documents.at + self.documents.used
        cdef int64_t *text_end = <int64_t *>(self.document_ends.at + self.document_ends.used)
        cdef double *number = <double *>(self.numbers.at + self.numbers.used)
        cdef int64_t *line = <int64_t *>(self.lines.at + self.lines.used)
        cdef const char *line_start
        cdef const char *token
        cdef int64_t length
        cdef int column, status = 0
        cdef bint good = True
        while p < stop:
            self.line += 1
            if self.line == 1 and stop - p >= 3 and memcmp(p, BYTE_ORDER_MARK, 3) == 0:
                p += 3
            while is_blank(p[0]):
                p += 1
            line_start = p
            if p[0] == c'\n' or p[0] == c'#':
                p = <const char *>memchr(p, c'\n', stop - p) + 1
                continue
            length = self.repeated_query(p, stop)
            if length:   # as on most lines
                p += length
            else:
                token = p
                p = token_end(p)
                if not self.add_group(token, p - token, line - <int64_t *>self.lines.at):
                    status = 2
                    break
            for column in range(1, self.columns):
                while is_blank(p[0]):
                    p += 1
                token = p
                p = token_end(p)
                if p == token:
                    good = False
                elif self.kinds[column] == DOCUMENT:
                    copy_token(text, token, p - token)
                    text += p - token
                elif self.kinds[column] == DECIMAL:
                    good = parse_decimal(token, p, number)
                    number += 1
                elif self.kinds[column] == SINGLE:
                    good = parse_decimal(token, p, number)
                    number[0] = <float>number[0]
                    number += 1
                elif self.kinds[column] == WHOLE:
                    good = parse_whole(token, p, number)
                    number += 1
                elif self.kinds[column] == PROBABILITY:
                    good = parse_probability(token, p, number)
                    number += 1
                if not good:
                    break
            while is_blank(p[0]):
                p += 1
            if not good or (p[0] != c'\n' and not self.open_ended):
                status = self.fail(column, line_start, token)
                break
            if p[0] != c'\n':
                p = <const char *>memchr(p, c'\n', stop - p)
            p += 1
            text_end[0] = text - self.documents.at
            line[0] = self.line
            text_end += 1
            line += 1
        self.documents.used = text - self.documents.at
        self.document_ends.used = <char *>text_end - self.document_ends.at
        self.numbers.used = <char *>number - self.numbers.at
        self.lines.used = <char *>line - self.lines.at
        return status

    cdef bint make_room(self, int64_t size) noexcept nogil:
        """Room for all that so many bytes of text can hold: a column takes two bytes at least."""
        cdef int64_t rows = size // (2 * self.columns) + 1
        return (self.documents.reserve(size + PADDING) and self.document_ends.reserve(rows * 8)
                and self.numbers.reserve(rows * 8 * self.number_columns) and self.lines.reserve(rows * 8))

    cdef inline int64_t repeated_query(self, const char *p, const char *stop) noexcept nogil:
        """The length of the last group's query where it stands at `p` too, else 0."""
        if self.query_length == 0 or self.query_length >= stop - p or not is_space(p[self.query_length]):
            return 0
        if self.query_length <= 8:
            return self.query_length if (word8(p) ^ self.query_word) & self.query_mask == 0 else 0
        return self.query_length if memcmp(p, self.queries.at + self.queries.used - self.query_length, self.query_length) == 0 else 0

    cdef bint add_group(self, const char *query, int64_t length, int64_t row) noexcept nogil:
        self.query_length, self.query_word = length, 0
        memcpy(&self.query_word, query, min(length, 8))
        self.query_mask = 0
        memset(&self.query_mask, 0xff, min(length, 8))
        return (self.queries.push(query, length) and self.query_ends.push_integer(self.queries.used)
                and self.starts.push_integer(row))

    cdef int fail(self, int column, const char *line_start, const char *token) noexcept nogil:
        """A line of the wrong width is reported as that, whatever else is wrong with it."""
        cdef const char *p = line_start
        cdef int64_t found = 0
        while p[0] != c'\n':
            if not is_space(p[0]) and is_space(p[1]):
                found += 1
            p += 1
        self.trouble.line, self.trouble.value, self.trouble.length = self.line, token, token_end(token) - token
        self.trouble.wrong_width = found < self.columns or (found > self.columns and not self.open_ended)
        self.trouble.columns = found if self.trouble.wrong_width else column
        return 1

    def error(self):
        if self.trouble.wrong_width:
            return wrong_width(self.layout, self.trouble.line, self.trouble.columns)
        return wrong_number(self.layout, self.trouble.line, self.trouble.columns, self.trouble.value[:self.trouble.length])

    def repeated_document(self, Matcher matcher):
        """Says where the document that `matcher` met twice stands, both times."""
        table = self.table()
        group = np.searchsorted(table.starts, matcher.second, "right") - 1
        lines = table.lines[matcher.second], table.lines[matcher.first]
        return seen_before(*lines, table.queries.raw(group), table.documents.raw(matcher.second))

    def table(self):
        starts = np.append(self.starts.array(np.int64), self.rows())
        numbers = self.numbers.array(np.float64)[:self.rows() * self.number_columns]
        return Table(
            queries=Ids(self.queries.array(np.uint8), self.query_ends.array(np.int64)), starts=starts,
            documents=Ids(self.documents.array(np.uint8), self.document_ends.array(np.int64)),
            numbers=numbers.reshape(self.rows(), self.number_columns), lines=self.lines.array(np.int64),
        )

    cdef int match_groups(self, Matcher matcher, bint last) noexcept nogil:
        """Match the groups that are complete, all of them if `last`, and forget their rows."""
        cdef int64_t g, row, rows = self.rows(), done = self.groups() if last else self.groups() - 1
        cdef const int64_t *starts = <const int64_t *>self.starts.at
        cdef const int64_t *query_ends = <const int64_t *>self.query_ends.at
        cdef const int64_t *ends = <const int64_t *>self.document_ends.at
        cdef const double *scores = <const double *>self.numbers.at
        cdef int32_t query
        cdef int status
        for g in range(done):
            row = starts[g]
            query = matcher.index.query(self.queries.at + query_ends[g], query_ends[g + 1] - query_ends[g])
            status = matcher.match(query, self.documents.at, ends + row, scores + row, (starts[g + 1] if g + 1 < self.groups() else rows) - row)
            if status:
                matcher.first += row
                matcher.second += row
                return status
        if done > 0:
            self.forget(done, starts[done] if done < self.groups() else rows)
        return 0

    cdef void forget(self, int64_t groups, int64_t rows) noexcept nogil:
        """Drop the first `groups` with their first `rows`; what stays moves to the front."""
        cdef int64_t documents = (<int64_t *>self.document_ends.at)[rows], queries = (<int64_t *>self.query_ends.at)[groups]
        self.documents.drop(documents)
        self.document_ends.drop(rows * 8)
        self.lines.drop(rows * 8)
        self.queries.drop(queries)
        self.query_ends.drop(groups * 8)
        self.starts.drop(groups * 8)
        self.numbers.drop(rows * 8 * self.number_columns)
        self.document_ends.subtract(documents)
        self.query_ends.subtract(queries)
        self.starts.subtract(rows)
