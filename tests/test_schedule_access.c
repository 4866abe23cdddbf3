/*
 * What a system has not declared: in debug builds of the library a step that touched it returns ACCESS_UNDECLARED, and
 * the message and the log name the system, the component and what is missing. What is declared is not reported.
 * Conformance I11. Other builds do not look; the program then checks only that columns stay guarded.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/steps.h"

#include <string.h>

#if defined(SHOAL_DEBUG) && SHOAL_DEBUG >= 1
#define IS_WATCHED 1
#else
#define IS_WATCHED 0
#endif

typedef struct Clock {
    int32_t value;
} Clock;

SHOAL_COMPONENT(Clock, .storage = SHOAL_STORAGE_UNIQUE, .fields = SHOAL_FIELDS(SHOAL_FIELD(Clock, value)))
SHOAL_RELATION(Follows, .exclusive = true)

typedef struct scene scene;

/* What a system does. */
typedef void (*deed)(const shoal_run *run, scene *c);

struct scene {
    steps s;
    deed todo;
    bool refused;        /* the deed itself was */
    shoal_entity entity; /* has Position and Health, follows `other` */
    shoal_entity other;
    shoal_query *velocities;
};

static void read_health(const shoal_run *run, scene *c) {
    (void)SHOAL_GET(run->world, c->entity, Health);
}

static void write_health(const shoal_run *run, scene *c) {
    (void)SHOAL_GET_MUT(run->world, c->entity, Health);
}

/* Refused where it would have to be declared, or reported; what it must not do is to work in silence. */
static void set_health(const shoal_run *run, scene *c) {
    c->refused = SHOAL_SET(run->world, c->entity, Health, 5) != SHOAL_OK;
}

static void read_many_health(const shoal_run *run, scene *c) {
    const void *data[1];
    (void)shoal_get_many(run->world, &c->entity, 1, SHOAL_ID(Health), data);
}

static void write_many_health(const shoal_run *run, scene *c) {
    void *data[1];
    (void)shoal_get_many_mut(run->world, &c->entity, 1, SHOAL_ID(Health), data);
}

static void read_clock(const shoal_run *run, scene *c) {
    (void)c;
    (void)SHOAL_UNIQUE(run->world, Clock);
}

static void write_clock(const shoal_run *run, scene *c) {
    (void)c;
    (void)SHOAL_UNIQUE_MUT(run->world, Clock);
}

static void set_clock(const shoal_run *run, scene *c) {
    c->refused = SHOAL_UNIQUE_SET(run->world, Clock, 3) != SHOAL_OK;
}

static void read_target(const shoal_run *run, scene *c) {
    (void)shoal_target(run->world, c->entity, SHOAL_ID(Follows));
}

static void read_sources(const shoal_run *run, scene *c) {
    shoal_source_walk walk = shoal_sources(run->world, SHOAL_ID(Follows), c->other);
    (void)shoal_sources_next(&walk);
}

static void view_velocities(const shoal_run *run, scene *c) {
    (void)run;
    shoal_view view;
    if (shoal_view_begin(&view, c->velocities) == SHOAL_OK) {
        while (shoal_view_next(&view)) {
            (void)SHOAL_COLUMN_MUT(&view, Velocity);
        }
    }
}

static void record(const shoal_run *run, scene *c) {
    (void)shoal_commands_destroy_entity(run->commands, c->other);
}

static shoal_status do_deed(const shoal_run *run) {
    scene *c = run->user;
    c->todo(run, c);
    return SHOAL_OK;
}

static void scene_start(scene *c) {
    c->refused = false;
    steps_start(&c->s, NULL);
    c->other = spawn_one(c->s.world, SHOAL_VALUES(SHOAL_DEFAULT(Velocity)));
    c->entity = spawn_one(c->s.world,
                          SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_VALUE(Health, 1), SHOAL_TO(Follows, c->other)));
    c->velocities = make_query(c->s.world, SHOAL_TERMS(SHOAL_WRITE(Velocity)));
    assert_ok(SHOAL_UNIQUE_SET(c->s.world, Clock, 1));
}

/* One step with a system that does `todo`. */
static shoal_status step_with(scene *c, deed todo, const shoal_term *lookups, size_t lookup_count, bool commands) {
    scene_start(c);
    c->todo = todo;
    STEPS_ADD(&c->s, "culprit", .once = do_deed, .lookups = lookups, .lookup_count = lookup_count, .commands = commands,
              .user = c);
    STEPS_ADD(&c->s, "bystander", .once = steps_note, .user = &c->s);
    return shoal_world_step(c->s.world, 1);
}

static void check_reported(deed todo, const char *component, const shoal_term *lookups, size_t lookup_count) {
    scene c;
    shoal_status status = step_with(&c, todo, lookups, lookup_count, false);
    if (IS_WATCHED && !(c.refused && status == SHOAL_OK)) {
        assert_status(status, SHOAL_ACCESS_UNDECLARED);
        assert_message_has(c.s.world, "culprit");
        assert_message_has(c.s.world, component);
        assert_true(steps_logged(&c.s, "culprit"));
        assert_true(steps_logged(&c.s, component));
        assert_false(steps_logged(&c.s, "bystander"));
    } else {
        assert_false(steps_logged(&c.s, "culprit"));
    }
    assert_ran(&c.s, "bystander ");
    assert_valid(c.s.world);
    steps_end(&c.s);
}

#define REPORTED(todo, component, ...) check_reported((todo), (component), SHOAL_TERMS(__VA_ARGS__))
#define REPORTED_BARE(todo, component) check_reported((todo), (component), NULL, 0)

static void check_fine(deed todo, const shoal_term *lookups, size_t lookup_count) {
    scene c;
    assert_ok(step_with(&c, todo, lookups, lookup_count, true));
    assert_false(steps_logged(&c.s, "culprit"));
    steps_end(&c.s);
}

#define FINE(todo, ...) check_fine((todo), SHOAL_TERMS(__VA_ARGS__))

static void conf_I11_undeclared_reads(void **state) {
    (void)state;
    REPORTED_BARE(read_health, "Health");
    REPORTED_BARE(read_many_health, "Health");
    REPORTED_BARE(read_clock, "Clock");
    REPORTED_BARE(read_target, "Follows");
    REPORTED_BARE(read_sources, "Follows");
    REPORTED_BARE(view_velocities, "Velocity");
    REPORTED(read_health, "Health", SHOAL_READ(Velocity));
}

static void conf_I11_undeclared_writes(void **state) {
    (void)state;
    REPORTED_BARE(write_health, "Health");
    REPORTED_BARE(write_clock, "Clock");
    REPORTED(write_health, "Health", SHOAL_READ(Health));
    REPORTED(set_health, "Health", SHOAL_READ(Health));
    REPORTED(write_many_health, "Health", SHOAL_READ(Health));
    REPORTED(write_clock, "Clock", SHOAL_READ(Clock));
    REPORTED(set_clock, "Clock", SHOAL_READ(Clock));
    REPORTED(view_velocities, "Velocity", SHOAL_READ(Velocity));
}

static void conf_I11_declared_access_is_fine(void **state) {
    (void)state;
    FINE(read_health, SHOAL_READ(Health));
    FINE(read_health, SHOAL_WRITE(Health));
    FINE(write_health, SHOAL_WRITE(Health));
    FINE(set_health, SHOAL_WRITE(Health));
    FINE(read_many_health, SHOAL_READ(Health));
    FINE(write_many_health, SHOAL_WRITE(Health));
    FINE(read_clock, SHOAL_READ(Clock));
    FINE(write_clock, SHOAL_WRITE(Clock));
    FINE(set_clock, SHOAL_WRITE(Clock));
    FINE(read_target, SHOAL_WITH(Follows));
    FINE(read_sources, SHOAL_WITH(Follows));
    FINE(view_velocities, SHOAL_WRITE(Velocity));
    FINE(record, SHOAL_READ(Health));
}

static void conf_I11_messages_say_what_is_missing(void **state) {
    (void)state;
    scene c;
    char texts[2][512] = {{0}};
    for (size_t i = 0; i < 2; i++) {
        (void)step_with(&c, i == 0 ? read_health : write_health, NULL, 0, false);
        strncpy(texts[i], shoal_last_error(c.s.world).message, sizeof texts[i] - 1);
        steps_end(&c.s);
    }
    if (!IS_WATCHED) {
        skip();
    }
    assert_string_not_equal(texts[0], texts[1]);
}

static void conf_I11_undeclared_commands(void **state) {
    (void)state;
    scene c;
    shoal_status status = step_with(&c, record, NULL, 0, false);
    if (IS_WATCHED) {
        assert_status(status, SHOAL_ACCESS_UNDECLARED);
        assert_message_has(c.s.world, "culprit");
        assert_message_has(c.s.world, "commands");
    }
    assert_true(shoal_is_alive(c.s.world, c.other)); /* refused in every build */
    steps_end(&c.s);
}

static void conf_I11_each_step_reports(void **state) {
    (void)state;
    scene c;
    shoal_status status = step_with(&c, read_health, NULL, 0, false);
    for (size_t i = 0; i < 3; i++) {
        assert_status(status, IS_WATCHED ? SHOAL_ACCESS_UNDECLARED : SHOAL_OK);
        status = shoal_world_step(c.s.world, 1);
    }
    assert_ok(shoal_system_remove(shoal_system_find(c.s.world, "culprit")));
    steps_go(&c.s, 1);
    steps_end(&c.s);
}

/* ---- systems with each ---- */

static shoal_status write_what_is_read(const shoal_run *run, shoal_view *view) {
    shoal_status *seen = run->user;
    seen[0] = SHOAL_COLUMN_MUT(view, Health) != NULL ? SHOAL_OK : shoal_last_error(run->world).status;
    seen[1] = SHOAL_COLUMN(view, Velocity) != NULL ? SHOAL_OK : shoal_last_error(run->world).status;
    return SHOAL_OK;
}

static void test_columns_stay_guarded(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_status seen[2] = {0};
    steps_spawn(s.world, 3, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Velocity)));
    STEPS_ADD(&s, "columns", .each = write_what_is_read, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))},
              .user = seen);
    shoal_world_step(s.world, 1);
    assert_status(seen[0], SHOAL_TERM_READ_ONLY);
    assert_status(seen[1], SHOAL_TERM_MISSING);
    steps_end(&s);
}

static shoal_status look_up_neighbour(const shoal_run *run, shoal_view *view) {
    (void)view;
    (void)SHOAL_GET(run->world, *(const shoal_entity *)run->user, Velocity);
    return SHOAL_OK;
}

static void conf_I11_lookup_in_each(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.worker_count = workers});
        shoal_entity neighbour = spawn_one(s.world, SHOAL_VALUES(SHOAL_DEFAULT(Velocity)));
        steps_spawn(s.world, 10000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        STEPS_ADD(&s, "curious", .each = look_up_neighbour, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))},
                  .user = &neighbour);
        assert_status(shoal_world_step(s.world, 1), IS_WATCHED ? SHOAL_ACCESS_UNDECLARED : SHOAL_OK);
        if (IS_WATCHED) {
            assert_message_has(s.world, "curious");
            assert_message_has(s.world, "Velocity");
        }
        steps_end(&s);
    }
}

/* Writes to what its query only reads, by casting the const away, in one row. */
static shoal_status cast_const_away(const shoal_run *run, shoal_view *view) {
    const shoal_entity *culprit = run->user;
    Health *health = (Health *)(uintptr_t)SHOAL_COLUMN(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        if (view->entities[i].bits == culprit->bits) {
            health[i].value++;
        }
    }
    return SHOAL_OK;
}

static void conf_E9_writes_to_what_is_read(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.worker_count = workers});
        shoal_entity entities[5000];
        steps_spawn(s.world, 5000, entities, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        shoal_entity nobody = {0};
        STEPS_ADD(&s, "culprit", .each = cast_const_away, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))},
                  .user = workers == 1 ? &nobody : &entities[4321]);
        bool is_seen = IS_WATCHED && workers == 2;
        assert_status(shoal_world_step(s.world, 1), is_seen ? SHOAL_ACCESS_UNDECLARED : SHOAL_OK);
        assert_true(steps_logged(&s, "culprit") == is_seen);
        if (is_seen) {
            assert_message_has(s.world, "writes Health");
            assert_message_has(s.world, "SHOAL_WRITE(Health)");
        }
        steps_end(&s);
    }
}

static bool ask_clock(const shoal_run *run) {
    return SHOAL_UNIQUE(run->world, Clock) != NULL;
}

static void conf_I11_condition_reads(void **state) {
    (void)state;
    for (size_t declared = 0; declared < 2; declared++) {
        steps s;
        steps_start(&s, NULL);
        assert_ok(SHOAL_UNIQUE_SET(s.world, Clock, 1));
        shoal_term reads[] = {SHOAL_READ(Clock)};
        STEPS_ADD(&s, "gated", .once = steps_note, .condition = ask_clock, .condition_reads = reads,
                  .condition_read_count = declared);
        bool reported = IS_WATCHED && declared == 0;
        assert_status(shoal_world_step(s.world, 1), reported ? SHOAL_ACCESS_UNDECLARED : SHOAL_OK);
        if (reported) {
            assert_message_has(s.world, "gated");
            assert_message_has(s.world, "Clock");
        }
        steps_end(&s);
    }
}

static shoal_status touch_everything(const shoal_run *run) {
    scene *c = run->user;
    static const deed deeds[] = {read_health, write_health, set_health, read_clock, write_clock, read_target};
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        deeds[i](run, c);
    }
    view_velocities(run, c);
    return SHOAL_OK;
}

static void conf_I11_exclusive_systems_may_all(void **state) {
    (void)state;
    scene c;
    scene_start(&c);
    STEPS_ADD(&c.s, "all", .once = touch_everything, .exclusive = true, .user = &c);
    steps_go(&c.s, 2);
    assert_false(steps_logged(&c.s, "all"));
    steps_end(&c.s);
}

static void conf_I11_outside_of_steps_nothing_is_watched(void **state) {
    (void)state;
    scene c;
    assert_ok(step_with(&c, read_health, SHOAL_TERMS(SHOAL_READ(Health)), false));
    assert_health(c.s.world, c.entity, 1);
    assert_ok(SHOAL_SET(c.s.world, c.entity, Health, 2));
    assert_non_null(SHOAL_UNIQUE_MUT(c.s.world, Clock));
    steps_end(&c.s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_I11_undeclared_reads),
        cmocka_unit_test(conf_I11_undeclared_writes),
        cmocka_unit_test(conf_I11_declared_access_is_fine),
        cmocka_unit_test(conf_I11_messages_say_what_is_missing),
        cmocka_unit_test(conf_I11_undeclared_commands),
        cmocka_unit_test(conf_I11_each_step_reports),
        cmocka_unit_test(test_columns_stay_guarded),
        cmocka_unit_test(conf_I11_lookup_in_each),
        cmocka_unit_test(conf_E9_writes_to_what_is_read),
        cmocka_unit_test(conf_I11_condition_reads),
        cmocka_unit_test(conf_I11_exclusive_systems_may_all),
        cmocka_unit_test(conf_I11_outside_of_steps_nothing_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
