/* Included before everything else in the builds of the scanner that are fuzzed: the C library's allocations can be
   made to fail. `fuzz_fail_at` is the number of the call that fails, counted from 1; 0 is none. */
#include <stdlib.h>

__attribute__((visibility("default"))) long fuzz_fail_at = 0;
__attribute__((visibility("default"))) long fuzz_calls = 0;

static int fuzz_fails(void) { return __atomic_add_fetch(&fuzz_calls, 1, __ATOMIC_RELAXED) == fuzz_fail_at; }
__attribute__((unused)) static void *fuzz_malloc(size_t n) { return fuzz_fails() ? NULL : malloc(n); }
__attribute__((unused)) static void *fuzz_calloc(size_t n, size_t size) { return fuzz_fails() ? NULL : calloc(n, size); }
__attribute__((unused)) static void *fuzz_realloc(void *p, size_t n) { return fuzz_fails() ? NULL : realloc(p, n); }

#define malloc fuzz_malloc
#define calloc fuzz_calloc
#define realloc fuzz_realloc
