/*
 * Calls that a test expects to work, with the check that they did: entities and queries that a scene is made of, what
 * an entity has, buffers that are applied. A failure is reported for the line of the check, so the name of the running
 * test says where; test_set_context() says more.
 */
#ifndef SHOAL_TESTS_CALLS_H
#define SHOAL_TESTS_CALLS_H

#include <shoal/command.h>
#include <shoal/query.h>

shoal_entity spawn_one(shoal_world *world, const shoal_value *values, size_t count);

/* A query of terms, or of all that a definition can say. */
shoal_query *make_query(shoal_world *world, const shoal_term *terms, size_t count);
shoal_query *make_query_of(shoal_world *world, const shoal_query_def *def);

/* Goes through a query to its end; gives how many rows its views have. */
uint64_t pass_over(shoal_query *query);

/* Enables or disables. */
void turn(shoal_world *world, shoal_entity entity, shoal_component component, bool on);

/* Applies a buffer, which then is empty, and checks what became of its commands. */
void assert_applied(shoal_commands *commands, size_t applied, size_t dropped);

/* The value of the entity's Health; the number of its object of Owned. */
int32_t health_of(const shoal_world *world, shoal_entity entity);
uint64_t object_of(const shoal_world *world, shoal_entity entity);
void assert_health(const shoal_world *world, shoal_entity entity, int32_t expected);

shoal_memory_report report_of(const shoal_world *world);

#endif
