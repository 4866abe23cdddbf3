/**
 * @file shoal.h
 * The umbrella: include this one. Each header below stands alone as well.
 *
 *   base.h       status codes, the last error, allocator, log, limits
 *   id.h         entity handles
 *   component.h  component types, fields, hooks, the registry
 *   layout.h     the pure function that places columns in a chunk
 *   world.h      worlds: create, destroy, trim, validate, memory
 *   entity.h     spawn, destroy, add, remove, set, get, has
 *   query.h      terms, queries, views
 *   command.h    structural changes recorded now and applied later
 *   system.h     systems: functions with what they read and write
 *   schedule.h   steps of the world, in which order and on which workers systems run
 *   pool.h       the workers
 *   print.h      entities, archetypes and queries as text and CSV
 *   hash.h       a hash of all that a world holds
 */
#ifndef SHOAL_SHOAL_H
#define SHOAL_SHOAL_H

#include <shoal/base.h>
#include <shoal/buffer.h>
#include <shoal/command.h>
#include <shoal/component.h>
#include <shoal/entity.h>
#include <shoal/hash.h>
#include <shoal/id.h>
#include <shoal/layout.h>
#include <shoal/pool.h>
#include <shoal/prefab.h>
#include <shoal/print.h>
#include <shoal/query.h>
#include <shoal/relation.h>
#include <shoal/schedule.h>
#include <shoal/system.h>
#include <shoal/unique.h>
#include <shoal/world.h>

#endif
