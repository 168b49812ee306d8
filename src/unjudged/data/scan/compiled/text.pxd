# One token of text: where it ends, its hash, its number.

from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.object cimport PyObject
from libc.math cimport NAN, isfinite
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport strtod

from unjudged.data.scan.compiled.vector cimport BAD_LINE, DONE, NO_MEMORY, Status

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, PyObject *overflow)

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__)
    #define fetch_soon(p) __builtin_prefetch(p)
    #else
    #define fetch_soon(p) ((void)0)
    #endif

    static inline int is_blank(char c) { return c == ' ' || (c >= '\\t' && c <= '\\r' && c != '\\n'); }
    static inline int is_space(char c) { return c == ' ' || (c >= '\\t' && c <= '\\r'); }

    static inline uint64_t word8(const char *p) { uint64_t w; memcpy(&w, p, 8); return w; }
    static inline uint64_t word4(const char *p) { uint32_t w; memcpy(&w, p, 4); return w; }

    /* Where the token at p ends. Eight bytes at a time: the first byte below '!' raises its top bit.
       It may read up to seven bytes after the white space that ends the token. */
    static inline const char *token_end(const char *p) {
    #if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        for (;;) {
            uint64_t w = word8(p);
            uint64_t below = (w - 0x2121212121212121u) & ~w & 0x8080808080808080u;
            if (!below) { p += 8; continue; }
            p += __builtin_ctzll(below) >> 3;
            if (is_space(*p)) return p;
            p++;  /* a control byte, part of the token */
        }
    #else
        while (!is_space(*p)) p++;
        return p;
    #endif
    }

    /* Copies a token. Short tokens are copied as sixteen bytes, so both sides need that much room. */
    static inline void copy_token(char *to, const char *from, int64_t n) {
        if (n <= 16) { memcpy(to, from, 16); } else { memcpy(to, from, (size_t)n); }
    }

    /* Copies n bytes and touches no others. Short tokens are copied as two words that may overlap. */
    static inline void copy_exactly(char *to, const char *from, int64_t n) {
        if (n > 16) { memcpy(to, from, (size_t)n); }
        else if (n >= 8) {
            uint64_t a = word8(from), b = word8(from + n - 8);
            memcpy(to, &a, 8); memcpy(to + n - 8, &b, 8);
        }
        else if (n >= 4) {
            uint32_t a = (uint32_t)word4(from), b = (uint32_t)word4(from + n - 4);
            memcpy(to, &a, 4); memcpy(to + n - 4, &b, 4);
        }
        else { for (; n > 0; n--) *to++ = *from++; }
    }

    /* Whether n bytes are the same. Short tokens are compared as two words that may overlap. */
    static inline int same_bytes(const char *a, const char *b, int64_t n) {
        if (n > 16) return memcmp(a, b, (size_t)n) == 0;
        if (n >= 8) return word8(a) == word8(b) && word8(a + n - 8) == word8(b + n - 8);
        if (n >= 4) return word4(a) == word4(b) && word4(a + n - 4) == word4(b + n - 4);
        for (; n > 0; n--) if (*a++ != *b++) return 0;
        return 1;
    }

    /* The exclusive or of both halves of the 128-bit product. */
    static inline uint64_t fold(uint64_t a, uint64_t b) {
    #ifdef __SIZEOF_INT128__
        __uint128_t product = (__uint128_t)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    #else
        uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
        uint64_t low = al * bl, middle = ah * bl + (low >> 32), cross = al * bh + (uint32_t)middle;
        uint64_t high = ah * bh + (middle >> 32) + (cross >> 32);
        return ((cross << 32) | (uint32_t)low) ^ high;
    #endif
    }

    /* A keyed multiply-fold hash, of the same family as wyhash. Without the key nobody can write a file
       whose documents all collide. It never reads outside the token. */
    static inline uint64_t keyed_hash(const char *p, int64_t n, const uint64_t *key) {
        uint64_t a = 0, b = 0, state = key[0];
        int64_t left = n;
        for (; left > 16; left -= 16, p += 16) state = fold(word8(p) ^ key[1], word8(p + 8) ^ state);
        if (left >= 8) { a = word8(p); b = word8(p + left - 8); }
        else if (left >= 4) { a = word4(p) << 32 | word4(p + left - 4); }
        else if (left > 0) {
            const uint8_t *b3 = (const uint8_t *)p;
            a = (uint64_t)b3[0] << 16 | (uint64_t)b3[left >> 1] << 8 | b3[left - 1];
        }
        return fold(key[2] ^ (uint64_t)n, fold(a ^ key[1], b ^ state));
    }

    static const double POWERS_OF_TEN[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    """
    void fetch_soon(const void *p) noexcept nogil
    bint is_blank(char c) noexcept nogil
    bint is_space(char c) noexcept nogil
    uint64_t word8(const char *p) noexcept nogil
    void copy_token(char *to, const char *source, int64_t n) noexcept nogil
    void copy_exactly(char *to, const char *source, int64_t n) noexcept nogil
    bint same_bytes(const char *a, const char *b, int64_t n) noexcept nogil
    const char *token_end(const char *p) noexcept nogil
    uint64_t keyed_hash(const char *p, int64_t n, const uint64_t *key) noexcept nogil
    const double *POWERS_OF_TEN


cdef inline Status parse_decimal(const char *start, const char *stop, double *value) noexcept nogil:
    """[+-] digits [. digits] [e [+-] digits], finite. The byte at `stop` must be one that ends any number."""
    cdef const char *p = start
    cdef uint64_t mantissa = 0
    cdef int64_t exponent = 0, shift = 0, digits = 0
    cdef bint negative = False, shrinking = False
    cdef char *end
    if p < stop and (p[0] == c'-' or p[0] == c'+'):
        negative = p[0] == c'-'
        p += 1
    while p < stop and c'0' <= p[0] <= c'9':
        digits += 1
        mantissa = mantissa * 10 + <uint64_t>(p[0] - c'0')
        p += 1
    if p < stop and p[0] == c'.':
        p += 1
        while p < stop and c'0' <= p[0] <= c'9':
            digits += 1
            shift -= 1
            mantissa = mantissa * 10 + <uint64_t>(p[0] - c'0')
            p += 1
    if digits == 0:
        return BAD_LINE
    if p < stop and (p[0] == c'e' or p[0] == c'E'):
        p += 1
        if p < stop and (p[0] == c'-' or p[0] == c'+'):
            shrinking = p[0] == c'-'
            p += 1
        if p == stop:
            return BAD_LINE
        while p < stop and c'0' <= p[0] <= c'9':
            if exponent < 1000000:
                exponent = exponent * 10 + (p[0] - c'0')
            p += 1
    if p != stop:
        return BAD_LINE
    shift += -exponent if shrinking else exponent
    # An integer below 2^53 and a power of ten up to 10^22 are exact, so one operation rounds correctly.
    if digits <= 19 and mantissa <= (<uint64_t>1 << 53) and -22 <= shift <= 22:
        value[0] = <double>mantissa
        if shift < 0:
            value[0] /= POWERS_OF_TEN[-shift]
        else:
            value[0] *= POWERS_OF_TEN[shift]
        if negative:
            value[0] = -value[0]
        return DONE
    value[0] = strtod(start, &end)
    if end != stop:  # the decimal sign of the locale is not the point
        with gil:
            value[0] = PyOS_string_to_double(start, &end, NULL)
            if PyErr_Occurred() != NULL:
                PyErr_Clear()
                return NO_MEMORY
    return DONE if isfinite(value[0]) else BAD_LINE


cdef inline Status parse_whole(const char *start, const char *stop, double *value) noexcept nogil:
    """[+-] digits, within 32 bits."""
    cdef const char *p = start
    cdef int64_t whole = 0
    cdef bint negative = False
    if p < stop and (p[0] == c'-' or p[0] == c'+'):
        negative = p[0] == c'-'
        p += 1
    if p == stop:
        return BAD_LINE
    while p < stop and c'0' <= p[0] <= c'9':
        if whole < (<int64_t>1 << 32):
            whole = whole * 10 + (p[0] - c'0')
        p += 1
    if negative:
        whole = -whole
    value[0] = <double>whole
    return DONE if p == stop and -2147483648 <= whole <= 2147483647 else BAD_LINE


cdef inline Status parse_probability(const char *start, const char *stop, double *value) noexcept nogil:
    """A number above 0 and up to 1, or NA."""
    if stop - start == 2 and start[0] == c'N' and start[1] == c'A':
        value[0] = NAN
        return DONE
    cdef Status status = parse_decimal(start, stop, value)
    return BAD_LINE if status == DONE and not 0 < value[0] <= 1 else status
