/*
 * What the fuzz targets share: a reader that takes numbers out of the input, and a check that ends the process with
 * a line, which libFuzzer takes for a find.
 *
 * A target must not depend on anything but its input; the component registry is the only state that outlives a run.
 */
#ifndef SHOAL_FUZZ_FUZZ_H
#define SHOAL_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Called by libFuzzer once for each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_input {
    const uint8_t *data;
    size_t size; /* bytes left */
} fuzz_input;

/* The next byte; 0 at the end, so that a cut input means something too. */
static inline uint8_t fuzz_byte(fuzz_input *input) {
    if (input->size == 0) {
        return 0;
    }
    input->size--;
    return *input->data++;
}

static inline uint32_t fuzz_below(fuzz_input *input, uint32_t limit) {
    return fuzz_byte(input) % limit;
}

/* The next eight bytes as one number, the lowest first. */
static inline uint64_t fuzz_number(fuzz_input *input) {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        number |= (uint64_t)fuzz_byte(input) << shift;
    }
    return number;
}

static inline void fuzz_fail(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
    abort();
}

#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

#endif
