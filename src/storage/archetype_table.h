/*
 * The tables in which a world finds its archetypes:
 *
 *     by_set       open hash table by components and keys
 *     archetypes   by index, with gaps; an index is used again, so it fits into a record of the entity index
 *     by_age       the order of views, without gaps
 *
 * Room for one more is made first, so that linking it in cannot fail. Thread rule: world.
 */
#ifndef SHOAL_STORAGE_ARCHETYPE_TABLE_H
#define SHOAL_STORAGE_ARCHETYPE_TABLE_H

#include "archetype.h"

uint32_t archetype_set_hash(archetype_set set);

/* Room for one more archetype in every table. ARCHETYPE_LIMIT, OUT_OF_MEMORY, MEMORY_LIMIT. */
shoal_status archetype_tables_reserve(struct shoal_world *world);

/* Links a finished archetype into every table; room has been reserved. */
void archetype_tables_insert(struct shoal_world *world, shoal_archetype *added);

/* Takes an archetype out of the tables, but for by_age. */
void archetype_tables_remove(struct shoal_world *world, const shoal_archetype *removed);

#endif
