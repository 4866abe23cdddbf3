/*
 * Assertions on Shoal's own invariants, never on what a caller passes (that gets a status).
 *
 * Two levels, chosen by SHOAL_DEBUG: at 1 SHOAL_ASSERT is on (cheap, one compare), at 2 SHOAL_ASSERT_SLOW as
 * well (may walk a structure). Without SHOAL_DEBUG both vanish. A failed one is a defect of the library, so it
 * stops the program through the C library's assert.
 */
#ifndef SHOAL_BASE_ASSERT_H
#define SHOAL_BASE_ASSERT_H

#ifndef SHOAL_DEBUG
#define SHOAL_DEBUG 0
#endif

#if SHOAL_DEBUG >= 1
#undef NDEBUG
#include <assert.h>
#define SHOAL_ASSERT(condition) assert(condition)
#else
#define SHOAL_ASSERT(condition) ((void)0)
#endif

#if SHOAL_DEBUG >= 2
#define SHOAL_ASSERT_SLOW(condition) assert(condition)
#else
#define SHOAL_ASSERT_SLOW(condition) ((void)0)
#endif

#endif
