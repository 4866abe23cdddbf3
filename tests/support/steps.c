/*
 * The world of steps.h.
 */
#include "steps.h"

#include "calls.h"
#include "components.h"

#include <string.h>

static void *steps_allocate(void *context, size_t byte_size, size_t alignment) {
    steps *s = context;
    pthread_mutex_lock(&s->lock);
    shoal_allocator table = fake_allocator_table(&s->fake);
    void *memory = table.allocate(table.context, byte_size, alignment);
    pthread_mutex_unlock(&s->lock);
    return memory;
}

static void steps_release(void *context, void *memory, size_t byte_size, size_t alignment) {
    steps *s = context;
    pthread_mutex_lock(&s->lock);
    shoal_allocator table = fake_allocator_table(&s->fake);
    table.release(table.context, memory, byte_size, alignment);
    pthread_mutex_unlock(&s->lock);
}

static void steps_log(void *user, shoal_log_level level, const char *message) {
    steps *s = user;
    pthread_mutex_lock(&s->lock);
    s->warning_count += level >= SHOAL_LOG_WARNING;
    text_add_bytes(&s->log, message, strlen(message));
    text_add_bytes(&s->log, "\n", 1);
    pthread_mutex_unlock(&s->lock);
}

void steps_start_world(steps *s, const shoal_world_def *world, const shoal_schedule_def *schedule) {
    *s = (steps){0};
    assert_int_equal(pthread_mutex_init(&s->lock, NULL), 0);
    shoal_world_def def = *world;
    def.allocator = (shoal_allocator){steps_allocate, steps_release, s};
    def.log = steps_log;
    def.log_user = s;
    s->world = shoal_world_create(&def);
    assert_non_null(s->world);
    assert_ok(shoal_schedule_configure(s->world, schedule != NULL ? schedule : &(shoal_schedule_def){.alone = true}));
}

void steps_start(steps *s, const shoal_schedule_def *schedule) {
    steps_start_world(s, &(shoal_world_def){0}, schedule);
}

void steps_start_with(steps *s, uint32_t workers) {
    test_set_context("%u workers", workers);
    steps_start(s, &(shoal_schedule_def){.worker_count = workers, .alone = workers == 0});
}

void steps_end(steps *s) {
    assert_valid(s->world);
    assert_ok(shoal_world_destroy(s->world));
    s->world = NULL;
    assert_nothing_leaked(&s->fake);
    text_free(&s->log);
    text_free(&s->order);
    pthread_mutex_destroy(&s->lock);
}

shoal_system *steps_add(steps *s, const shoal_system_def *def) {
    shoal_system_def own = *def;
    own.user = def->user != NULL ? def->user : s;
    shoal_system *system = shoal_system_add(s->world, &own);
    if (system == NULL) {
        print_error("%s\n", shoal_last_error(s->world).message);
    }
    assert_non_null(system);
    return system;
}

void steps_go(steps *s, size_t count) {
    for (size_t i = 0; i < count; i++) {
        shoal_status status = shoal_world_step(s->world, 1000000);
        if (status != SHOAL_OK) {
            print_error("%s\n", shoal_last_error(s->world).message);
        }
        assert_ok(status);
        assert_valid(s->world);
    }
}

shoal_status steps_note(const shoal_run *run) {
    steps *s = run->user;
    const char *name = shoal_system_name(run->system);
    pthread_mutex_lock(&s->lock);
    text_add_bytes(&s->order, name, strlen(name));
    text_add_bytes(&s->order, " ", 1);
    pthread_mutex_unlock(&s->lock);
    return SHOAL_OK;
}

void steps_check_ran(steps *s, const char *expected, const char *file, int line) {
    const char *ran = s->order.text != NULL ? s->order.text : "";
    if (strcmp(ran, expected) != 0) {
        print_error("%s:%d: ran \"%s\", expected \"%s\" %s\n", file, line, ran, expected, test_context);
        _fail(file, line);
    }
    text_free(&s->order);
    s->order = (text_buffer){0};
}

bool steps_logged(const steps *s, const char *part) {
    return s->log.text != NULL && strstr(s->log.text, part) != NULL;
}

void steps_forget_log(steps *s) {
    text_free(&s->log);
    s->log = (text_buffer){0};
    s->warning_count = 0;
}

shoal_system_stats steps_stats(const shoal_system *system) {
    shoal_system_stats stats;
    assert_ok(shoal_system_stats_get(system, &stats));
    return stats;
}

shoal_schedule_stats steps_schedule(const steps *s) {
    shoal_schedule_stats stats;
    assert_ok(shoal_schedule_stats_get(s->world, &stats));
    return stats;
}

uint64_t steps_hash(shoal_world *world, shoal_hash_form form) {
    uint64_t hash = 0;
    assert_ok(shoal_world_hash(world, form, &hash));
    return hash;
}

bool steps_can_hash(shoal_world *world) {
    uint64_t hash = 0;
    return shoal_world_hash(world, SHOAL_HASH_CANONICAL, &hash) != SHOAL_UNSUPPORTED;
}

void steps_spawn(shoal_world *world, size_t count, shoal_entity *entities, const shoal_value *values,
                 size_t value_count) {
    assert_ok(shoal_spawn_many(
        world,
        &(shoal_spawn_many_def){.count = count, .values = values, .value_count = value_count, .entities = entities}));
}

shoal_status steps_count_up(const shoal_run *run, shoal_view *view) {
    (void)run;
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        health[i].value++;
    }
    return SHOAL_OK;
}

void steps_check_health(shoal_world *world, int32_t expected, uint64_t count) {
    shoal_query *query = make_query(world, SHOAL_TERMS(SHOAL_READ(Health)));
    uint64_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Health *health = SHOAL_COLUMN(&view, Health);
        for (size_t i = 0; i < view.count; i++) {
            assert_int_equal(health[i].value, expected);
        }
        rows += view.count;
    }
    assert_count(rows, count);
    assert_ok(shoal_query_destroy(query));
}

size_t steps_write(void *user, const char *text, size_t size) {
    text_add_bytes(user, text, size);
    return size;
}
