/*
 * A world that is stepped, for tests of systems and the schedule. Its allocator is the checking one behind a lock,
 * since workers may record commands at the same time; its log is kept as text.
 *
 * steps_start() makes the world, steps_end() validates and destroys it and checks that nothing leaked. steps_note() is
 * a function for systems with `once` that writes down that they have run; steps_ran() compares and forgets. A system
 * gets the steps as its `user` unless it has another one.
 */
#ifndef SHOAL_TESTS_STEPS_H
#define SHOAL_TESTS_STEPS_H

#include "fake_allocator.h"
#include "test.h"
#include "text.h"

#include <pthread.h>

typedef struct steps {
    shoal_world *world;
    fake_allocator fake;
    pthread_mutex_t lock; /* of the three below, and of the allocator */
    text_buffer log;      /* every line, each with its newline */
    size_t warning_count;
    text_buffer order; /* names of systems that have run, a space behind each */
} steps;

/* Makes the world; NULL as schedule means alone. */
void steps_start(steps *s, const shoal_schedule_def *schedule);
/* The same with so many workers, 0 meaning alone; failures name the count. */
void steps_start_with(steps *s, uint32_t workers);
/* The same with a world's definition, whose allocator and log are replaced. */
void steps_start_world(steps *s, const shoal_world_def *world, const shoal_schedule_def *schedule);
void steps_end(steps *s);

/* Adds a system and checks that it was taken. */
shoal_system *steps_add(steps *s, const shoal_system_def *def);
#define STEPS_ADD(s, name_, ...) steps_add((s), &(shoal_system_def){.name = (name_), __VA_ARGS__})

/* Steps of 1,000,000 ns that must work, each followed by a validation. */
void steps_go(steps *s, size_t count);

/* Notes the name of the system. */
shoal_status steps_note(const shoal_run *run);

/* What ran since the last time, as "first second ". */
void steps_check_ran(steps *s, const char *expected, const char *file, int line);
#define assert_ran(s, expected) steps_check_ran((s), (expected), __FILE__, __LINE__)

/* True when the log has this text; steps_forget_log() empties it. */
bool steps_logged(const steps *s, const char *part);
void steps_forget_log(steps *s);

shoal_system_stats steps_stats(const shoal_system *system);
shoal_schedule_stats steps_schedule(const steps *s);
uint64_t steps_hash(shoal_world *world, shoal_hash_form form);

/* True where the library was built with what hashes need. */
bool steps_can_hash(shoal_world *world);

/* Makes `count` entities that have these values; handles go to `entities` unless it is NULL. */
void steps_spawn(shoal_world *world, size_t count, shoal_entity *entities, const shoal_value *values,
                 size_t value_count);

/* Adds 1 to every Health that it writes; checks that all of them, `count` rows, have one value. */
shoal_status steps_count_up(const shoal_run *run, shoal_view *view);
void steps_check_health(shoal_world *world, int32_t expected, uint64_t count);

/* clang-format off */
/* One reduction without functions of its own: REDUCE(SUM, Total). */
#define REDUCE(Kind, Type)                                                                                             \
    { .into = SHOAL_ID(Type), .kind = SHOAL_REDUCE_##Kind }
/* clang-format on */

/* A writer that appends to a text_buffer. */
size_t steps_write(void *user, const char *text, size_t size);

#endif
