/**
 * @file print.h
 * Entities, archetypes and memory as text, rows as CSV. All of it goes through a writer callback; numbers are
 * written so that reading them back gives the same bits, with a point as decimal mark in every locale.
 */
#ifndef SHOAL_PRINT_H
#define SHOAL_PRINT_H

#include <shoal/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Takes `size` bytes of text (not terminated) and returns how many it took; fewer ends the output. */
typedef size_t (*shoal_write_fn)(void *user, const char *text, size_t size);

/** A writer for a stdio stream: pass the FILE * as `user`. Thread: any. */
SHOAL_API size_t shoal_write_file(void *user, const char *text, size_t size);

/**
 * Prints an entity, a line for its handle and one for each field of each component:
 *
 *     entity 4:0@1
 *       Position.x = 1.5
 *       Frozen
 *
 * A component without a field table is shown as bytes in hexadecimal. ENTITY_* for a bad handle, WRITE_FAILED.
 * Thread: read.
 */
SHOAL_API shoal_status shoal_print_entity(const shoal_world *world, shoal_entity entity, shoal_write_fn write,
                                          void *user);

/**
 * Writes the rows of a query as CSV (RFC 4180: CRLF, fields with comma, quote or line break in quotes, quotes
 * doubled). The header is `entity`, then a column for each field of each component of the query's data terms in
 * the order of the terms (Position.x, Path.points[2].y); an optional component that is not there leaves its
 * fields empty; tags among WITH and ANY terms are written as 1 or 0. A component without a field table is one
 * column of hexadecimal bytes. Locks the world meanwhile. WRITE_FAILED. Thread: world.
 */
SHOAL_API shoal_status shoal_csv_query(shoal_query *query, shoal_write_fn write, void *user);

/**
 * The same for one archetype, named by its exact set of components: `component_count` components in the order in
 * which their columns are wanted. Writes the header only if no such archetype exists. Thread: world.
 */
SHOAL_API shoal_status shoal_csv_archetype(shoal_world *world, const shoal_component *components,
                                           size_t component_count, shoal_write_fn write, void *user);

/**
 * The memory report as text: bytes by purpose, then a table of the archetypes with chunks, rows, capacity, used
 * and unused bytes, the worst used first. At most `max_archetypes` rows (0: all). WRITE_FAILED, OUT_OF_MEMORY.
 * Thread: world.
 */
SHOAL_API shoal_status shoal_print_memory(shoal_world *world, size_t max_archetypes, shoal_write_fn write, void *user);

#ifdef __cplusplus
}
#endif

#endif
