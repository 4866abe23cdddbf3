/*
 * Worlds: definitions and their checks, several worlds at once, the iteration lock, what bad arguments give, the
 * last error, the log. Statuses and limits as tables.
 */
#include "support/components.h"
#include "support/fixture.h"
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const shoal_value no_values[1];

static void assert_not_made(const shoal_world_def *def, shoal_status expected) {
    assert_null(shoal_world_create(def));
    assert_last_error(NULL, expected);
}

/* ---- tables ---- */

static void conf_P5_statuses_have_names_and_sentences(void **state) {
    (void)state;
    for (int status = 0; status < SHOAL_STATUS_COUNT; status++) {
        const char *name = shoal_status_name((shoal_status)status);
        const char *sentence = shoal_status_sentence((shoal_status)status);
        assert_true(strlen(name) > 1);
        assert_true(sentence[strlen(sentence) - 1] == '.');
        for (int other = 0; other < status; other++) {
            assert_string_not_equal(name, shoal_status_name((shoal_status)other));
        }
    }
    assert_string_equal(shoal_status_name(SHOAL_ENTITY_DEAD), "dead entity");
    assert_string_equal(shoal_status_sentence(SHOAL_ENTITY_DEAD), "The entity has been destroyed.");
    assert_non_null(shoal_status_name((shoal_status)9999));
    assert_non_null(shoal_status_sentence((shoal_status)9999));
    assert_non_null(shoal_purpose_name((shoal_purpose)9999));
    assert_string_equal(shoal_purpose_name(SHOAL_PURPOSE_INDEX), "entity index");
}

static void conf_P5_limits_and_version(void **state) {
    (void)state;
    shoal_limits limits = shoal_limits_get();
    assert_count(limits.component_types, 65535);
    assert_count(limits.component_alignment, 4096);
    assert_count(limits.component_bytes, (size_t)1 << 30);
    assert_count(limits.entities, (uint64_t)1 << 32);
    assert_count(limits.generations, 65536);
    assert_count(limits.worlds, 32767);
    assert_count(limits.archetypes, (uint32_t)1 << 28);
    assert_count(limits.query_terms, 1024);
    assert_count(limits.chunk_bytes_min, 1024);
    assert_count(limits.chunk_bytes_max, (size_t)1 << 20);
    assert_string_equal(shoal_version(), SHOAL_VERSION);
}

/* ---- definitions ---- */

static void test_refused_definitions(void **state) {
    (void)state;
    assert_not_made(&(shoal_world_def){.first_chunk_bytes = 1000}, SHOAL_CHUNK_SIZE);
    assert_not_made(&(shoal_world_def){.first_chunk_bytes = 512}, SHOAL_CHUNK_SIZE);
    assert_not_made(&(shoal_world_def){.largest_chunk_bytes = (size_t)1 << 21}, SHOAL_CHUNK_SIZE);
    assert_not_made(&(shoal_world_def){.largest_chunk_bytes = 3072}, SHOAL_CHUNK_SIZE);
    assert_not_made(&(shoal_world_def){.pinned_chunk_bytes = 4095}, SHOAL_CHUNK_SIZE);
    assert_not_made(&(shoal_world_def){.pinned_chunk_bytes = 64}, SHOAL_CHUNK_SIZE);
    assert_not_made(&(shoal_world_def){.entity_limit = ((uint64_t)1 << 32) + 1}, SHOAL_INVALID_ARGUMENT);
    fake_allocator fake = {0};
    shoal_allocator half = fake_allocator_table(&fake);
    half.release = NULL;
    assert_not_made(&(shoal_world_def){.allocator = half}, SHOAL_INVALID_ARGUMENT);
    half = fake_allocator_table(&fake);
    half.allocate = NULL;
    assert_not_made(&(shoal_world_def){.allocator = half}, SHOAL_INVALID_ARGUMENT);
    assert_nothing_leaked(&fake);
}

static void test_accepted_definitions(void **state) {
    (void)state;
    const shoal_world_def defs[] = {
        {.first_chunk_bytes = 1024, .largest_chunk_bytes = 1024},
        {.first_chunk_bytes = (size_t)1 << 20, .largest_chunk_bytes = (size_t)1 << 20},
        {.pinned_chunk_bytes = 1024},
        {.pinned_chunk_bytes = (size_t)1 << 20},
        {.entity_limit = 1},
        {.entity_limit = (uint64_t)1 << 32},
    };
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; i++) {
        fixture f;
        fixture_start(&f, &defs[i]);
        assert_false(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Position)))));
        fixture_end(&f);
    }
}

static void test_name(void **state) {
    (void)state;
    shoal_world *unnamed = shoal_world_create(NULL);
    assert_string_equal(shoal_world_name(unnamed), "world");
    assert_ok(shoal_world_destroy(unnamed));
    char name[64] = "battle of the forty-two thousand islands";
    shoal_world *named = shoal_world_create(&(shoal_world_def){.name = name});
    char cut[32];
    memcpy(cut, name, 31);
    cut[31] = '\0';
    memset(name, '#', 8);
    assert_string_equal(shoal_world_name(named), cut);
    assert_ok(shoal_world_destroy(named));
    assert_ok(shoal_world_destroy(NULL));
}

/* Chunks grow with their archetype: small first, doubling, none above the largest. The bytes without a live row,
   headers and gaps among them, stay under a quarter of the used ones and, while these are few, one small chunk. */
static void test_chunks_grow(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.largest_chunk_bytes = 16384});
    const shoal_value values[] = {SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)};
    shoal_memory_report report = {0};
    for (size_t rows = 1; rows <= 5000; rows++) {
        test_set_context("%zu rows", rows);
        assert_false(shoal_entity_is_null(shoal_spawn(f.world, values, 2)));
        assert_ok(shoal_world_memory(f.world, &report));
        assert_count(rows == 1 ? report.chunk_bytes : 1024, 1024);
        assert_at_most(report.chunk_bytes, report.chunk_count * 16384);
        size_t small = report.chunk_used_bytes < 16384 ? 1024 : 0;
        assert_at_most(report.chunk_unused_bytes, report.chunk_used_bytes / 4 + small);
    }
    test_set_context("%s", "");
    assert_at_most(report.chunk_count, 5000 * 32 / 16384 + 10);
    fixture_end(&f);
}

/* ---- several worlds ---- */

static void test_worlds_are_independent(void **state) {
    (void)state;
    fixture a;
    fixture b;
    fixture_start(&a, &(shoal_world_def){.name = "first"});
    fixture_start(&b, &(shoal_world_def){.name = "second"});
    shoal_entity in_a = shoal_spawn(a.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    assert_count(shoal_world_entity_count(b.world), 0);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, a.everything));
    shoal_entity in_b = shoal_spawn(b.world, SHOAL_VALUES(SHOAL_VALUE(Health, 2)));
    assert_false(shoal_entity_is_null(in_b));
    assert_status(shoal_destroy(a.world, in_a), SHOAL_WORLD_LOCKED);
    shoal_view_end(&view);
    assert_status(shoal_destroy(a.world, in_b), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_destroy(b.world, (shoal_entity){0}), SHOAL_ENTITY_NULL);
    assert_last_error(a.world, SHOAL_ENTITY_FOREIGN);
    assert_last_error(b.world, SHOAL_ENTITY_NULL);
    fixture_end(&a);
    assert_int_equal(SHOAL_GET(b.world, in_b, Health)->value, 2);
    fixture_end(&b);
}

static void test_a_thousand_worlds_one_after_the_other(void **state) {
    (void)state;
    shoal_entity last = {0};
    for (int i = 0; i < 1000; i++) {
        fixture f;
        fixture_start(&f, NULL);
        shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i), SHOAL_DEFAULT(Owned)));
        assert_false(shoal_entity_equal(entity, last));
        assert_false(shoal_is_alive(f.world, last));
        assert_int_equal(SHOAL_GET(f.world, entity, Health)->value, i);
        last = entity;
        fixture_end(&f);
    }
}

static void test_many_worlds_at_once(void **state) {
    (void)state;
    enum { COUNT = 300 };
    static shoal_world *worlds[COUNT];
    static bool taken[32768];
    for (size_t i = 0; i < COUNT; i++) {
        worlds[i] = shoal_world_create(NULL);
        assert_non_null(worlds[i]);
        uint32_t tag = shoal_world_tag(worlds[i]);
        assert_in_range(tag, 1, 32767);
        assert_false(taken[tag]);
        taken[tag] = true;
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_ok(shoal_world_destroy(worlds[i]));
    }
}

static void test_one_world_more_than_the_limit(void **state) {
    (void)state;
    uint32_t limit = shoal_limits_get().worlds;
    shoal_world **worlds = calloc(limit, sizeof(shoal_world *));
    assert_non_null(worlds);
    for (uint32_t i = 0; i < limit; i++) {
        worlds[i] = shoal_world_create(NULL);
        if (worlds[i] == NULL) {
            assert_count(i, limit);
        }
    }
    assert_not_made(NULL, SHOAL_WORLD_LIMIT);
    uint32_t tag = shoal_world_tag(worlds[12345]);
    assert_ok(shoal_world_destroy(worlds[12345]));
    worlds[12345] = shoal_world_create(NULL);
    assert_non_null(worlds[12345]);
    assert_count(shoal_world_tag(worlds[12345]), tag);
    for (uint32_t i = 0; i < limit; i++) {
        assert_ok(shoal_world_destroy(worlds[i]));
    }
    free(worlds);
}

typedef struct thread_job {
    uint32_t number;
    uint32_t faults;
} thread_job;

/* Makes worlds, types of its own and types that all threads register, and counts what is not as it must be. */
static void *run_worlds(void *argument) {
    thread_job *job = argument;
    for (uint32_t round = 0; round < 40; round++) {
        shoal_world *world = shoal_world_create(NULL);
        const int32_t numbers[2] = {(int32_t)round, (int32_t)job->number};
        const shoal_value values[] = {{numbered_component(5000 + round), &numbers[0]},
                                      {numbered_component(6000 + 100 * job->number + round), &numbers[1]}};
        for (uint32_t i = 0; i < 100; i++) {
            shoal_entity entity = shoal_spawn(world, values, 2);
            const int32_t *first = shoal_get(world, entity, values[0].component);
            const int32_t *second = shoal_get(world, entity, values[1].component);
            job->faults += first == NULL || second == NULL || *first != numbers[0] || *second != numbers[1];
        }
        job->faults += shoal_world_validate(world) != SHOAL_OK;
        job->faults += shoal_world_destroy(world) != SHOAL_OK;
        job->faults += shoal_world_create(&(shoal_world_def){.pinned_chunk_bytes = 1 + job->number}) != NULL;
        job->faults += shoal_last_error(NULL).status != SHOAL_CHUNK_SIZE;
    }
    return NULL;
}

static void test_worlds_on_several_threads(void **state) {
    (void)state;
    enum { COUNT = 4 };
    pthread_t threads[COUNT];
    thread_job jobs[COUNT] = {{0}};
    for (uint32_t i = 0; i < COUNT; i++) {
        jobs[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, run_worlds, &jobs[i]), 0);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_count(jobs[i].faults, 0);
    }
}

/* Everything that a world holds ends with it: entities with hooks, queries, recorded commands. */
static void test_destroy_ends_everything(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int i = 0; i < 100; i++) {
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Owned), SHOAL_DEFAULT(Wide)));
    }
    Owned own;
    owned_make(&owned_tracker, &own, 1);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    assert_ok(shoal_commands_add(commands, shoal_entity_make(f.world, 0, 0), SHOAL_ID(Owned), &own));
    owned_end(&owned_tracker, &own);
    assert_count(owned_tracker.live, 101);
    fixture_end(&f);
}

static void test_destroy_while_a_view_is_open(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 4)));
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    assert_status(shoal_world_destroy(f.world), SHOAL_WORLD_LOCKED);
    assert_last_error(f.world, SHOAL_WORLD_LOCKED);
    assert_message_has(f.world, "everything");
    assert_int_equal(SHOAL_GET(f.world, entity, Health)->value, 4);
    shoal_view_end(&view);
    fixture_end(&f);
}

/* ---- arguments ---- */

static void test_null_arguments_of_entities(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *world = f.world;
    shoal_entity entity = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    const shoal_component health = SHOAL_ID(Health);
    const void *data = NULL;
    assert_true(shoal_entity_is_null(shoal_spawn(world, NULL, 1)));
    assert_last_error(world, SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_spawn_at(world, shoal_entity_make(world, 8, 0), NULL, 2), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_spawn_many(world, NULL), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_spawn_many(world, &(shoal_spawn_many_def){.count = 1, .value_count = 1}),
                  SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_spawn_many(world, &(shoal_spawn_many_def){.count = 1, .column_count = 1}),
                  SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_destroy_many(world, NULL, 1), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_set(world, entity, health, NULL), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_change_entity(world, entity, NULL), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_change_entity(world, entity, &(shoal_change){.add_count = 1}), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_change_entity(world, entity, &(shoal_change){.remove_count = 1}), SHOAL_INVALID_ARGUMENT);
    assert_count(shoal_get_many(world, NULL, 1, health, &data), 0);
    assert_last_error(world, SHOAL_INVALID_ARGUMENT);
    assert_count(shoal_get_many(world, &entity, 1, health, NULL), 0);
    assert_last_error(world, SHOAL_INVALID_ARGUMENT);
    assert_count(shoal_get_many(world, &entity, 1, (shoal_component){0}, &data), 0);
    assert_last_error(world, SHOAL_COMPONENT_INVALID);
    assert_false(shoal_next_entity(world, NULL));
    assert_count(shoal_world_entity_count(world), 1);
    assert_int_equal(SHOAL_GET(world, entity, Health)->value, 1);
    fixture_end(&f);
}

/* Leaves another error with the thread, so that none that is found was there before. */
static void leave_other_error(void) {
    assert_count(shoal_component_register(&(shoal_component_def){.name = ""}).id, 0);
    assert_last_error(NULL, SHOAL_COMPONENT_NAME);
}

static void check_thread_error(const char *call) {
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
    assert_message_has(NULL, call);
    leave_other_error();
}

/* The two kinds of call: by status, or by what is null or zero on failure. */
#define assert_null_refused(call, ...)                                                                                 \
    do {                                                                                                               \
        assert_status(call(__VA_ARGS__), SHOAL_INVALID_ARGUMENT);                                                      \
        check_thread_error(#call);                                                                                     \
    } while (0)
#define assert_null_gives(nothing, call, ...)                                                                          \
    do {                                                                                                               \
        assert_true(nothing(call(__VA_ARGS__)));                                                                       \
        check_thread_error(#call);                                                                                     \
    } while (0)

static bool is_null(const void *pointer) {
    return pointer == NULL;
}

/* A null world is an argument error too, never a crash; the message is the thread's. */
static void test_null_worlds(void **state) {
    (void)state;
    const shoal_entity entity = {UINT64_MAX};
    const shoal_component health = SHOAL_ID(Health);
    const void *data = NULL;
    shoal_memory_report report;
    leave_other_error();
    assert_null_gives(shoal_entity_is_null, shoal_spawn, NULL, no_values, 0);
    assert_null_gives(shoal_entity_is_null, shoal_clone, NULL, entity);
    assert_null_refused(shoal_spawn_at, NULL, entity, no_values, 0);
    assert_null_refused(shoal_spawn_many, NULL, &(shoal_spawn_many_def){.count = 1});
    assert_null_refused(shoal_reserve_range, NULL, 0, 1);
    assert_null_refused(shoal_destroy, NULL, entity);
    assert_null_refused(shoal_destroy_many, NULL, &entity, 1);
    assert_null_refused(shoal_add, NULL, entity, health, &(Health){1});
    assert_null_refused(shoal_set, NULL, entity, health, &(Health){1});
    assert_null_refused(shoal_remove, NULL, entity, health);
    assert_null_refused(shoal_clear, NULL, entity);
    assert_null_refused(shoal_change_entity, NULL, entity, &(shoal_change){0});
    assert_null_gives(is_null, shoal_get, NULL, entity, health);
    assert_null_gives(is_null, shoal_get_mut, NULL, entity, health);
    assert_null_gives(!, shoal_get_many, NULL, &entity, 1, health, &data);
    assert_null_refused(shoal_world_trim, NULL, 0, NULL);
    assert_null_refused(shoal_world_validate, NULL);
    assert_null_refused(shoal_world_memory, NULL, &report);
    assert_null_gives(is_null, shoal_query_create, NULL, &(shoal_query_def){0});
    assert_null_gives(is_null, shoal_commands_create, NULL, NULL);
    assert_false(shoal_has(NULL, entity, health));
    assert_false(shoal_is_alive(NULL, entity));
    assert_last_error(NULL, SHOAL_COMPONENT_NAME);
}

static void test_null_queries_and_buffers(void **state) {
    (void)state;
    const shoal_entity entity = {UINT64_MAX};
    const shoal_component health = SHOAL_ID(Health);
    leave_other_error();
    assert_null_refused(shoal_query_destroy_entities, NULL);
    assert_null_refused(shoal_query_change_entities, NULL, &(shoal_change){0});
    assert_null_gives(shoal_entity_is_null, shoal_commands_spawn, NULL, no_values, 0);
    assert_null_refused(shoal_commands_destroy_entity, NULL, entity);
    assert_null_refused(shoal_commands_add, NULL, entity, health, NULL);
    assert_null_refused(shoal_commands_set, NULL, entity, health, &(Health){1});
    assert_null_refused(shoal_commands_remove, NULL, entity, health);
    assert_null_refused(shoal_commands_clear, NULL, entity);
    assert_null_refused(shoal_commands_apply, NULL, NULL);
    assert_ok(shoal_query_destroy(NULL));
    shoal_commands_destroy(NULL);
    assert_last_error(NULL, SHOAL_COMPONENT_NAME);
}

static void test_bad_components(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = shoal_spawn(f.world, no_values, 0);
    const shoal_component bad[] = {{0}, {shoal_component_count() + 1}, {65535}, {UINT32_MAX}};
    for (size_t i = 0; i < 4; i++) {
        const shoal_value value = {bad[i], NULL};
        const shoal_change add = {.add = &value, .add_count = 1};
        const shoal_change remove = {.remove = &bad[i], .remove_count = 1};
        assert_true(shoal_entity_is_null(shoal_spawn(f.world, &value, 1)));
        assert_last_error(f.world, SHOAL_COMPONENT_INVALID);
        assert_status(shoal_add(f.world, entity, bad[i], NULL), SHOAL_COMPONENT_INVALID);
        assert_status(shoal_remove(f.world, entity, bad[i]), SHOAL_COMPONENT_INVALID);
        assert_status(shoal_set(f.world, entity, bad[i], &entity), SHOAL_COMPONENT_INVALID);
        assert_status(shoal_change_entity(f.world, entity, &add), SHOAL_COMPONENT_INVALID);
        assert_status(shoal_change_entity(f.world, entity, &remove), SHOAL_COMPONENT_INVALID);
        assert_null(shoal_get(f.world, entity, bad[i]));
        assert_last_error(f.world, SHOAL_COMPONENT_INVALID);
        assert_false(shoal_has(f.world, entity, bad[i]));
        assert_null(shoal_component_info(bad[i]));
        assert_count(shoal_component_hash(bad[i]), 0);
    }
    assert_count(shoal_world_entity_count(f.world), 1);
    fixture_end(&f);
}

static void test_access_refusals(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1), SHOAL_DEFAULT(Frozen)));
    assert_null(SHOAL_GET(f.world, entity, Position));
    assert_last_error(f.world, SHOAL_COMPONENT_MISSING);
    assert_message_has(f.world, "Position");
    assert_null(SHOAL_GET_MUT(f.world, entity, Position));
    assert_null(shoal_get(f.world, entity, SHOAL_ID(Frozen)));
    assert_last_error(f.world, SHOAL_TERM_WITHOUT_DATA);
    assert_message_has(f.world, "Frozen");
    assert_status(shoal_set(f.world, entity, SHOAL_ID(Position), &(Position){1, 2, 3}), SHOAL_COMPONENT_MISSING);
    assert_status(shoal_set(f.world, entity, SHOAL_ID(Frozen), &entity), SHOAL_TERM_WITHOUT_DATA);
    assert_true(SHOAL_HAS(f.world, entity, Frozen));
    assert_false(SHOAL_HAS(f.world, entity, Position));
    fixture_end(&f);
}

/* ---- the last error ---- */

static void conf_P5_last_error(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_status(shoal_last_error(f.world).status, SHOAL_OK);
    assert_non_null(shoal_last_error(f.world).message);
    shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    assert_ok(shoal_destroy(f.world, entity));
    assert_status(shoal_add(f.world, entity, SHOAL_ID(Position), NULL), SHOAL_ENTITY_DEAD);
    char text[SHOAL_ENTITY_TEXT_SIZE];
    shoal_entity_format(entity, text, sizeof text);
    assert_last_error(f.world, SHOAL_ENTITY_DEAD);
    assert_message_has(f.world, text);
    assert_message_has(f.world, "shoal_add");
    assert_false(shoal_entity_is_null(shoal_spawn(f.world, no_values, 0)));
    assert_last_error(f.world, SHOAL_ENTITY_DEAD);
    assert_false(shoal_is_alive(f.world, (shoal_entity){0}));
    assert_false(shoal_has(f.world, (shoal_entity){0}, SHOAL_ID(Health)));
    assert_last_error(f.world, SHOAL_ENTITY_DEAD);
    assert_status(shoal_destroy(f.world, (shoal_entity){0}), SHOAL_ENTITY_NULL);
    assert_last_error(f.world, SHOAL_ENTITY_NULL);
    assert_message_has(f.world, "shoal_destroy");
    fixture_end(&f);
}

/* The later one of a failing read and a failing change is the last error. */
static void test_last_error_of_reads_and_changes(void **state) {
    (void)state;
    fixture f;
    fixture other;
    fixture_start(&f, NULL);
    fixture_start(&other, NULL);
    shoal_entity entity = shoal_spawn(f.world, no_values, 0);
    for (int round = 0; round < 3; round++) {
        assert_null(SHOAL_GET(f.world, entity, Health));
        assert_last_error(f.world, SHOAL_COMPONENT_MISSING);
        assert_message_has(f.world, "shoal_get");
        assert_status(shoal_destroy(f.world, (shoal_entity){0}), SHOAL_ENTITY_NULL);
        assert_last_error(f.world, SHOAL_ENTITY_NULL);
        assert_message_has(f.world, "shoal_destroy");
    }
    assert_null(SHOAL_GET(f.world, entity, Health));
    assert_status(shoal_last_error(other.world).status, SHOAL_OK);
    assert_null(shoal_get(other.world, (shoal_entity){0}, SHOAL_ID(Health)));
    assert_last_error(other.world, SHOAL_ENTITY_NULL);
    assert_last_error(f.world, SHOAL_ENTITY_NULL);
    fixture_end(&other);
    fixture_end(&f);
}

typedef struct read_job {
    const shoal_world *world;
    shoal_entity entity;
    shoal_component component;
    shoal_status expected;
    char part[64]; /* of the message */
    size_t fault_count;
} read_job;

static void *run_reads(void *user) {
    read_job *job = user;
    for (int i = 0; i < 20000; i++) {
        job->fault_count += shoal_get(job->world, job->entity, job->component) != NULL;
        shoal_error error = shoal_last_error(job->world);
        job->fault_count += error.status != job->expected || strstr(error.message, job->part) == NULL;
    }
    return NULL;
}

/* Several threads may read one world: each has its own failures, and finds the world's last change where it has none.
 */
static void test_last_error_of_each_reading_thread(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    shoal_entity dead = shoal_spawn(f.world, no_values, 0);
    assert_ok(shoal_destroy(f.world, dead));
    assert_status(shoal_set(f.world, entity, SHOAL_ID(Velocity), &(Velocity){0}), SHOAL_COMPONENT_MISSING);
    read_job jobs[] = {{f.world, entity, SHOAL_ID(Position), SHOAL_COMPONENT_MISSING, "component Position", 0},
                       {f.world, dead, SHOAL_ID(Health), SHOAL_ENTITY_DEAD, "", 0}};
    shoal_entity_format(dead, jobs[1].part, sizeof jobs[1].part);
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run_reads, &jobs[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_count(jobs[0].fault_count, 0);
    assert_count(jobs[1].fault_count, 0);
    assert_last_error(f.world, SHOAL_COMPONENT_MISSING);
    assert_message_has(f.world, "shoal_set");
    fixture_end(&f);
}

/* Names may be long; the message stays one line and ends. */
static void test_message_with_a_long_name(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    shoal_component component =
        shoal_component_register(&(shoal_component_def){.name = name, .size = 4, .alignment = 4});
    assert_int_not_equal(component.id, 0);
    shoal_entity entity = shoal_spawn(f.world, no_values, 0);
    assert_null(shoal_get(f.world, entity, component));
    assert_last_error(f.world, SHOAL_COMPONENT_MISSING);
    fixture_end(&f);
}

/* ---- enumeration ---- */

static void test_archetypes_are_listed_by_age(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int i = 0; i < 10; i++) {
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Frozen), SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Position)));
    }
    shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    shoal_archetype_info info = {0};
    uint64_t rows[3] = {0};
    size_t found = 0;
    while (shoal_archetype_next(f.world, &info)) {
        if (info.row_count == 0) {
            continue;
        }
        assert_true(found < 2);
        if (found == 0) {
            assert_count(info.component_count, 3);
            assert_count(info.components[0].id, SHOAL_ID(Position).id);
            assert_count(info.components[1].id, SHOAL_ID(Health).id);
            assert_count(info.components[2].id, SHOAL_ID(Frozen).id);
            assert_count(info.used_bytes, 10 * (8 + 12 + 4));
            assert_count(info.chunk_count, 1);
            assert_count(info.used_bytes + info.unused_bytes, 1024);
            assert_true(info.row_capacity >= 10);
        }
        rows[found++] = info.row_count;
    }
    assert_count(found, 2);
    assert_count(rows[0], 10);
    assert_count(rows[1], 1);
    fixture_end(&f);
}

static void test_entities_are_walked_by_index(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity walker = {0};
    assert_false(shoal_next_entity(f.world, &walker));
    const uint32_t indexes[] = {0, 1, 63, 64, 65, 4095, 4096, 100000, 4000000000u};
    for (size_t i = 9; i > 0; i--) {
        assert_ok(shoal_spawn_at(f.world, shoal_entity_make(f.world, indexes[i - 1], 2), no_values, 0));
    }
    for (size_t i = 0; i < 9; i++) {
        assert_true(shoal_next_entity(f.world, &walker));
        assert_entity(walker, shoal_entity_make(f.world, indexes[i], 2));
    }
    assert_false(shoal_next_entity(f.world, &walker));
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_world_more_than_the_limit),
        cmocka_unit_test(conf_P5_statuses_have_names_and_sentences),
        cmocka_unit_test(conf_P5_limits_and_version),
        cmocka_unit_test(test_refused_definitions),
        cmocka_unit_test(test_accepted_definitions),
        cmocka_unit_test(test_name),
        cmocka_unit_test(test_chunks_grow),
        cmocka_unit_test(test_worlds_are_independent),
        cmocka_unit_test(test_a_thousand_worlds_one_after_the_other),
        cmocka_unit_test(test_many_worlds_at_once),
        cmocka_unit_test(test_worlds_on_several_threads),
        cmocka_unit_test(test_destroy_ends_everything),
        cmocka_unit_test(test_destroy_while_a_view_is_open),
        cmocka_unit_test(test_null_arguments_of_entities),
        cmocka_unit_test(test_null_worlds),
        cmocka_unit_test(test_null_queries_and_buffers),
        cmocka_unit_test(test_bad_components),
        cmocka_unit_test(test_access_refusals),
        cmocka_unit_test(conf_P5_last_error),
        cmocka_unit_test(test_last_error_of_reads_and_changes),
        cmocka_unit_test(test_last_error_of_each_reading_thread),
        cmocka_unit_test(test_message_with_a_long_name),
        cmocka_unit_test(test_archetypes_are_listed_by_age),
        cmocka_unit_test(test_entities_are_walked_by_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
