/**
 * @file print.h
 * Entities, trees, uniques and memory as text, rows as CSV. All of it goes through a writer callback; numbers are
 * written so that reading them back gives the same bits, with a point as decimal mark in every locale. The writer must
 * not change the world, also not values, enable bits or buffers.
 */
#ifndef SHOAL_PRINT_H
#define SHOAL_PRINT_H

#include <shoal/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A writer for a stdio stream: pass the FILE * as `user`. Thread: any. */
SHOAL_API size_t shoal_write_file(void *user, const char *text, size_t size);

/**
 * Prints an entity, a line for its handle (with its name in quotes, and "(dying)" after it was destroyed) and one for
 * each field of each component, in the order of shoal_next_component():
 *
 *     entity 4:0@1 "gun"
 *       Position.x = 1.5
 *       Path = 1 element                 a buffer: how many, then each element's fields
 *       Path[0].x = 8
 *       Frozen
 *       Shield.power = 3 (disabled)
 *       ChildOf -> 2:0@1 "ship/turret"   a relation: each target, with its path when it has a name
 *       Holds -> 7:0@1 "iron"
 *         Holds.count = 12               the data of this relation
 *
 * Shared and chunk values are shown like the entity's own. A component without a field table is shown as bytes in
 * hexadecimal. A path of 1,024 bytes or more is cut to its last part behind ".../". ENTITY_* for a bad handle,
 * WRITE_FAILED. Thread: read.
 */
SHOAL_API shoal_status shoal_print_entity(const shoal_world *world, shoal_entity entity, shoal_write_fn write,
                                          void *user);

/**
 * Prints the tree below `root` by an acyclic relation, or with a null root all trees (of entities that have sources and
 * no target, by index). A line for each entity, two spaces more at each level: its name or handle, then the names of
 * its components but for the relation itself.
 *
 *     ship: Position + Hull
 *       turret: Position + Shield (disabled)
 *         3:0@1: Position
 *
 * COMPONENT_INVALID, COMPONENT_KIND for another relation, ENTITY_* for a bad root, WRITE_FAILED. Thread: read.
 */
SHOAL_API shoal_status shoal_print_tree(const shoal_world *world, shoal_component relation, shoal_entity root,
                                        shoal_write_fn write, void *user);

/** Prints all uniques by component id, below a line with the world's name, as shoal_print_entity() prints components.
    WRITE_FAILED. Thread: read. */
SHOAL_API shoal_status shoal_print_uniques(const shoal_world *world, shoal_write_fn write, void *user);

/**
 * Writes the rows of a query, those that match, in its order, as CSV (RFC 4180: CRLF, fields with comma, quote or line
 * break in quotes, quotes doubled). The header is `entity`, then the columns of each term in the order of the terms:
 *
 *     Position.x, Path.points[2].y   a data term: each field, whatever the kind of the component
 *     Blob                           one without a field table: hexadecimal bytes
 *     Frozen                         a tag among WITH and ANY terms: 1 or 0
 *     Path.count, Path.items         a buffer: the number of elements, and all of them as [1;2|3;4]
 *     ChildOf                        a relation, also among WITH terms: its targets, as 4:0@1|7:0@1
 *     Holds, Holds.count             the same with the data, where it can have one target only
 *     Holds(7:0@1), Holds(7:0@1).count   a term that names a target: that one alone
 *     ChildOf(up) Transform.x        a term that looks along a relation
 *     Shield.enabled                 behind the others: the enable bit, 1 or 0, where the term allows both (state
 *                                    EITHER, optional, ANY)
 *
 * In the elements of a buffer `|` stands between elements, `;` between fields, and texts are C string literals. What an
 * entity does not have leaves its fields empty; a buffer without elements is 0 and []. Locks the world meanwhile.
 * WRITE_FAILED; OUT_OF_MEMORY and MEMORY_LIMIT for a query whose view may need memory to begin; WORLD_LOCKED while
 * systems run. Thread: world.
 */
SHOAL_API shoal_status shoal_csv_query(shoal_query *query, shoal_write_fn write, void *user);

/**
 * The same for one archetype, named by its exact set of components: `component_count` components in the order in
 * which their columns are wanted. Components of the trait toggle have their enable bit. With shared components the
 * archetypes of all values, by age. Writes the header only if no such archetype exists. COMPONENT_INVALID,
 * COMPONENT_DUPLICATE, COMPONENT_KIND for one that is not part of archetypes: sparse, relation, unique. WORLD_LOCKED
 * while systems run. Thread: world.
 */
SHOAL_API shoal_status shoal_csv_archetype(shoal_world *world, const shoal_component *components,
                                           size_t component_count, shoal_write_fn write, void *user);

/**
 * The memory report as text: bytes by purpose, then a table of what lies outside of rows (sparse values, relations,
 * shared and unique values by component with their count and the bytes of the values alone, the buffers on the heap
 * together), then a table of the archetypes with chunks, rows, capacity, used and unused bytes, the worst used first.
 * At most `max_archetypes` rows of it (0: all). WRITE_FAILED, OUT_OF_MEMORY, WORLD_LOCKED while systems run.
 * Thread: world.
 */
SHOAL_API shoal_status shoal_print_memory(shoal_world *world, size_t max_archetypes, shoal_write_fn write, void *user);

#ifdef __cplusplus
}
#endif

#endif
