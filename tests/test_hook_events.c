/*
 * The events that on_add, on_set and on_remove are told of, for every kind of component: each way to gain one tells
 * on_add once and before on_set, with a value that is made; each way to lose one tells on_remove once, with the value
 * readable; all values of an operation are in place before any hook; and calls, commands, changes in one move and
 * changes of a query tell the same. Conformance B6, B7, B9, C2, C10, C13, F4, F5, F6, F9, F11.
 *
 * Each case runs in a world of its own. Entities in it: 0 (other) is what relations lead to, 1 (subject) is what gains
 * or loses. A way is a function that makes its change to the component of the scene.
 */
#include "support/fixture.h"
#include "support/test.h"
#include "test_kind_types.h"

#include <stdio.h>
#include <string.h>

#define PAYLOAD 8

typedef struct scene {
    fixture f;
    shoal_world *world;
    size_t type;
    shoal_component component;
    shoal_entity other;
    shoal_entity subject; /* null in ways that make one */
    value_box box;        /* PAYLOAD, or the default where a case says so */
    shoal_commands *commands;
} scene;

static void scene_start(scene *s, size_t type, bool is_given) {
    memset(s, 0, sizeof *s);
    fixture_start(&s->f, NULL);
    s->world = s->f.world;
    s->type = type;
    s->component = component_of(type);
    s->commands = shoal_commands_create(s->world, NULL);
    witness_start(&witnesses[0], s->world);
    s->other = shoal_spawn(s->world, NULL, 0);
    box_make(&s->box, type, PAYLOAD, is_given, s->other);
}

static void scene_end(scene *s) {
    assert_null(witness_fault(&witnesses[0]));
    box_end(&s->box);
    fixture_end(&s->f);
    kind_types_check_ended();
}

static shoal_value scene_value(const scene *s) {
    return (shoal_value){s->component, s->box.data};
}

/* How many events of the scene's component begin with this word. */
static size_t event_count(const scene *s, const char *word) {
    char start[64];
    size_t length = (size_t)snprintf(start, sizeof start, "%s %s ", word, name_of_type(s->type));
    size_t count = 0;
    for (const char *line = witnesses[0].events; *line != '\0'; line += strcspn(line, "\n") + 1) {
        count += strncmp(line, start, length) == 0;
    }
    return count;
}

static size_t event_place(const scene *s, const char *word) {
    char start[64];
    snprintf(start, sizeof start, "%s %s ", word, name_of_type(s->type));
    const char *found = strstr(witnesses[0].events, start);
    return found != NULL ? (size_t)(found - witnesses[0].events) : SIZE_MAX;
}

static bool has_data(size_t type) {
    return item_size(type) != 0;
}

/* What an event shows of a value: chunks and buffers are left out. */
static bool shows_value(size_t type) {
    shoal_storage storage = case_of(type)->storage;
    return has_data(type) && storage != SHOAL_STORAGE_CHUNK && storage != SHOAL_STORAGE_BUFFER;
}

static shoal_query *query_of_subject(scene *s) {
    shoal_component mark = component_of(CASE_MARK);
    assert_ok(shoal_add(s->world, s->subject, mark, NULL));
    const shoal_term term = {.component = mark, .access = SHOAL_ACCESS_WITH};
    shoal_query *query = shoal_query_create(s->world, &(shoal_query_def){.terms = &term, .term_count = 1});
    assert_non_null(query);
    return query;
}

/* Makes a source of copies that has the component, and forgets what that has told. */
static shoal_entity make_original(scene *s) {
    shoal_value value = scene_value(s);
    shoal_entity original = shoal_spawn(s->world, &value, 1);
    assert_false(shoal_entity_is_null(original));
    witness_forget_events(&witnesses[0]);
    return original;
}

/* ---- ways to gain ---- */

typedef enum gain_trait { GAIN_ONE, GAIN_SUBJECT = 1, GAIN_COPY = 2, GAIN_COLUMN = 4, GAIN_THREE = 8 } gain_trait;

typedef struct gain_way {
    const char *name;
    void (*make)(scene *s);
    unsigned traits; /* of gain_trait */
} gain_way;

static void gain_spawn(scene *s) {
    shoal_value value = scene_value(s);
    assert_false(shoal_entity_is_null(shoal_spawn(s->world, &value, 1)));
}

static void gain_spawn_at(scene *s) {
    shoal_value value = scene_value(s);
    assert_ok(shoal_spawn_at(s->world, shoal_entity_make(s->world, 700, 3), &value, 1));
}

static void gain_spawn_many_values(scene *s) {
    shoal_value value = scene_value(s);
    assert_ok(shoal_spawn_many(s->world, &(shoal_spawn_many_def){.count = 3, .values = &value, .value_count = 1}));
}

/* Three values in a row, as columns are given. */
static void gain_spawn_many_columns(scene *s) {
    value_box boxes[3];
    value_item items[3];
    shoal_span spans[3];
    shoal_link links[3];
    memset(items, 0, sizeof items);
    for (size_t i = 0; i < 3; i++) {
        box_make(&boxes[i], s->type, PAYLOAD, true, s->other);
        memcpy((char *)items + i * item_size(s->type), boxes[i].items, item_size(s->type));
        spans[i] = boxes[i].span;
        links[i] = boxes[i].link;
    }
    shoal_storage storage = case_of(s->type)->storage;
    const void *data = storage == SHOAL_STORAGE_BUFFER     ? (const void *)spans
                       : storage == SHOAL_STORAGE_RELATION ? (const void *)links
                                                           : (const void *)items;
    /* The copy hook must not see where these objects lie, so tight values of theirs are made in place. */
    bool owns = case_of(s->type)->form == FORM_OWNED && data == (const void *)items;
    shoal_value column = {s->component, has_data(s->type) && !owns ? data : NULL};
    column.data = storage == SHOAL_STORAGE_RELATION ? data : column.data;
    assert_ok(shoal_spawn_many(s->world, &(shoal_spawn_many_def){.count = 3, .columns = &column, .column_count = 1}));
    for (size_t i = 0; i < 3; i++) {
        box_end(&boxes[i]);
    }
}

static void gain_clone(scene *s) {
    assert_false(shoal_entity_is_null(shoal_clone(s->world, make_original(s))));
}

static void gain_clone_tree(scene *s) {
    shoal_entity original = make_original(s);
    shoal_entity root = shoal_spawn(s->world, NULL, 0);
    assert_ok(shoal_set_parent(s->world, original, root));
    assert_false(shoal_entity_is_null(shoal_clone_tree(s->world, root)));
}

static void gain_instantiate(scene *s) {
    shoal_entity original = make_original(s);
    assert_ok(shoal_instantiate(s->world, original, &(shoal_instantiate_def){.count = 3}));
}

static void gain_instantiate_values(scene *s) {
    shoal_value value = scene_value(s);
    shoal_entity original = shoal_spawn(s->world, NULL, 0);
    assert_ok(shoal_instantiate(s->world, original,
                                &(shoal_instantiate_def){.count = 3, .values = &value, .value_count = 1}));
}

static void gain_add(scene *s) {
    assert_ok(shoal_add(s->world, s->subject, s->component, s->box.data));
}

static void gain_change(scene *s) {
    shoal_value value = scene_value(s);
    assert_ok(shoal_change_entity(s->world, s->subject, &(shoal_change){.add = &value, .add_count = 1}));
}

static void gain_query_change(scene *s) {
    shoal_value value = scene_value(s);
    shoal_query *query = query_of_subject(s);
    assert_ok(shoal_query_change_entities(query, &(shoal_change){.add = &value, .add_count = 1}));
}

static void gain_command_spawn(scene *s) {
    shoal_value value = scene_value(s);
    assert_false(shoal_entity_is_null(shoal_commands_spawn(s->commands, &value, 1)));
    assert_ok(shoal_commands_apply(s->commands, NULL));
}

static void gain_command_add(scene *s) {
    assert_ok(shoal_commands_add(s->commands, s->subject, s->component, s->box.data));
    assert_ok(shoal_commands_apply(s->commands, NULL));
}

static void gain_command_add_to_spawned(scene *s) {
    shoal_entity placeholder = shoal_commands_spawn(s->commands, NULL, 0);
    assert_ok(shoal_commands_add(s->commands, placeholder, s->component, s->box.data));
    assert_ok(shoal_commands_apply(s->commands, NULL));
}

static void gain_relate(scene *s) {
    if (is_relation(s->type)) {
        assert_ok(shoal_relate(s->world, s->subject, s->component, s->other, s->box.link.data));
    } else {
        gain_add(s);
    }
}

static void gain_command_relate(scene *s) {
    if (is_relation(s->type)) {
        assert_ok(shoal_commands_relate(s->commands, s->subject, s->component, s->other, s->box.link.data));
        assert_ok(shoal_commands_apply(s->commands, NULL));
    } else {
        gain_command_add(s);
    }
}

static const gain_way gain_ways[] = {
    {"shoal_spawn", gain_spawn, GAIN_ONE},
    {"shoal_spawn_at", gain_spawn_at, GAIN_ONE},
    {"shoal_spawn_many with values", gain_spawn_many_values, GAIN_THREE},
    {"shoal_spawn_many with columns", gain_spawn_many_columns, GAIN_THREE | GAIN_COLUMN},
    {"shoal_clone", gain_clone, GAIN_COPY},
    {"shoal_clone_tree", gain_clone_tree, GAIN_COPY},
    {"shoal_instantiate", gain_instantiate, GAIN_COPY | GAIN_THREE},
    {"shoal_instantiate with values", gain_instantiate_values, GAIN_THREE},
    {"shoal_add", gain_add, GAIN_SUBJECT},
    {"shoal_change_entity", gain_change, GAIN_SUBJECT},
    {"shoal_query_change_entities", gain_query_change, GAIN_SUBJECT},
    {"shoal_relate", gain_relate, GAIN_SUBJECT},
    {"shoal_commands_spawn", gain_command_spawn, GAIN_ONE},
    {"shoal_commands_add", gain_command_add, GAIN_SUBJECT},
    {"shoal_commands_add to a spawned one", gain_command_add_to_spawned, GAIN_ONE},
    {"shoal_commands_relate", gain_command_relate, GAIN_SUBJECT},
};

/* One value for many rows, or a group, cannot be given row by row. */
static bool way_fits(const gain_way *way, size_t type, bool is_given) {
    shoal_storage storage = case_of(type)->storage;
    if (way->traits & GAIN_COLUMN) {
        bool is_keyed = storage == SHOAL_STORAGE_SHARED || case_of(type)->split;
        return is_given && !is_keyed && storage != SHOAL_STORAGE_CHUNK;
    }
    return true;
}

/* The value that on_add saw is the given one or the default, never what lay there before. */
static void check_added_value(const scene *s, bool is_given) {
    if (!shows_value(s->type)) {
        return;
    }
    bool owns = case_of(s->type)->form == FORM_OWNED;
    char line[96];
    uint32_t expected = is_given ? PAYLOAD : owns ? OWNED_CTOR_PAYLOAD : 0;
    for (const char *event = witnesses[0].events; *event != '\0'; event += strcspn(event, "\n") + 1) {
        int length = snprintf(line, sizeof line, "add %s ", name_of_type(s->type));
        if (strncmp(event, line, (size_t)length) == 0) {
            snprintf(line, sizeof line, "= %u\n", expected);
            assert_memory_equal(event + strcspn(event, "="), line, strlen(line));
        }
    }
}

static void check_gain(const gain_way *way, size_t type, bool is_given) {
    scene s;
    test_set_context("%s, %s%s", way->name, name_of_type(type), is_given ? "" : " by default");
    scene_start(&s, type, is_given);
    s.subject = (way->traits & GAIN_SUBJECT) ? shoal_spawn(s.world, NULL, 0) : (shoal_entity){0};
    way->make(&s);
    size_t count = (way->traits & GAIN_THREE) ? 3 : 1;
    bool makes_default = (way->traits & GAIN_COLUMN) && case_of(type)->form == FORM_OWNED && !is_relation(type) &&
                         case_of(type)->storage != SHOAL_STORAGE_BUFFER;
    bool copies = (way->traits & GAIN_COPY) && case_of(type)->storage != SHOAL_STORAGE_CHUNK;
    bool gives = is_given && !(way->traits & GAIN_COPY) && !makes_default;
    bool sets = has_data(type) && (copies || gives);
    assert_count(event_count(&s, "add"), count);
    assert_count(event_count(&s, "set"), sets ? count : 0);
    assert_count(event_count(&s, "remove"), 0);
    if (sets) {
        assert_at_most(event_place(&s, "add"), event_place(&s, "set"));
    }
    check_added_value(&s, is_given && !makes_default);
    scene_end(&s);
}

static void conf_F4_every_way_to_gain_a_component(void **state) {
    (void)state;
    for (size_t way = 0; way < sizeof gain_ways / sizeof gain_ways[0]; way++) {
        for (size_t trial = 0; trial < 2 * (size_t)CASE_COUNT; trial++) {
            size_t type = TOLD(trial / 2);
            bool is_given = trial % 2 != 0;
            if (way_fits(&gain_ways[way], type, is_given)) {
                check_gain(&gain_ways[way], type, is_given);
            }
        }
    }
    test_set_context("%s", "");
}

/* What fill writes is a value that no caller gave, but it is there when the hook is told. */
static void fill_numbers(void *user, size_t first, size_t count, const shoal_entity *entities, void *const *columns) {
    (void)user;
    (void)first;
    (void)entities;
    for (size_t i = 0; i < count; i++) {
        ((uint32_t *)columns[0])[i] = PAYLOAD;
    }
}

static void conf_F4_filled_rows(void **state) {
    (void)state;
    scene s;
    scene_start(&s, TOLD(CASE_NUMBER), true);
    shoal_value column = {s.component, NULL};
    assert_ok(shoal_spawn_many(
        s.world, &(shoal_spawn_many_def){.count = 3, .columns = &column, .column_count = 1, .fill = fill_numbers}));
    assert_count(event_count(&s, "add"), 3);
    assert_count(event_count(&s, "set"), 0);
    check_added_value(&s, true);
    scene_end(&s);
}

/* ---- ways to lose ---- */

typedef struct lose_way {
    const char *name;
    void (*make)(scene *s);
    bool (*fits)(const kind_case *kind);
    bool destroys; /* cleanup components stay */
} lose_way;

static bool fits_all(const kind_case *kind) {
    (void)kind;
    return true;
}

static bool fits_relations(const kind_case *kind) {
    return kind->storage == SHOAL_STORAGE_RELATION;
}

/* The source stays when the target is destroyed. */
static bool fits_removed_targets(const kind_case *kind) {
    return fits_relations(kind) && kind->policy == SHOAL_TARGET_REMOVE;
}

static bool fits_destroying_targets(const kind_case *kind) {
    return fits_relations(kind) && kind->policy == SHOAL_TARGET_DESTROY;
}

static bool fits_one_target(const kind_case *kind) {
    return fits_relations(kind) && (kind->exclusive || kind->acyclic);
}

static bool fits_dying(const kind_case *kind) {
    return kind->cleanup;
}

static void lose_remove(scene *s) {
    assert_ok(shoal_remove(s->world, s->subject, s->component));
}

static void lose_clear(scene *s) {
    assert_ok(shoal_clear(s->world, s->subject));
}

static void lose_change(scene *s) {
    assert_ok(shoal_change_entity(s->world, s->subject, &(shoal_change){.remove = &s->component, .remove_count = 1}));
}

static void lose_query_change(scene *s) {
    assert_ok(
        shoal_query_change_entities(query_of_subject(s), &(shoal_change){.remove = &s->component, .remove_count = 1}));
}

static void lose_unrelate(scene *s) {
    assert_ok(shoal_unrelate(s->world, s->subject, s->component, s->other));
}

static void lose_destroy(scene *s) {
    assert_ok(shoal_destroy(s->world, s->subject));
}

static void lose_destroy_many(scene *s) {
    const shoal_entity entities[] = {s->subject, shoal_spawn(s->world, NULL, 0), s->subject};
    assert_ok(shoal_destroy_many(s->world, entities, 3));
}

static void lose_query_destroy(scene *s) {
    assert_ok(shoal_query_destroy_entities(query_of_subject(s)));
}

static void lose_with_parent(scene *s) {
    shoal_entity root = shoal_spawn(s->world, NULL, 0);
    shoal_entity parent = shoal_spawn(s->world, SHOAL_VALUES(SHOAL_TO(ChildOf, root)));
    assert_ok(shoal_set_parent(s->world, s->subject, parent));
    assert_ok(shoal_destroy(s->world, root));
}

static void lose_target(scene *s) {
    assert_ok(shoal_destroy(s->world, s->other));
}

static void lose_replaced_target(scene *s) {
    assert_ok(shoal_relate(s->world, s->subject, s->component, shoal_spawn(s->world, NULL, 0), NULL));
}

static void lose_after_death(scene *s) {
    assert_ok(shoal_destroy(s->world, s->subject));
    assert_true(shoal_is_dying(s->world, s->subject));
    assert_count(event_count(s, "remove"), 0);
    assert_ok(shoal_remove(s->world, s->subject, s->component));
}

static void lose_all_after_death(scene *s) {
    assert_ok(shoal_destroy(s->world, s->subject));
    assert_ok(shoal_clear(s->world, s->subject));
    assert_false(shoal_is_alive(s->world, s->subject) && !case_of(s->type)->required[0]);
}

static void lose_command_remove(scene *s) {
    assert_ok(shoal_commands_remove(s->commands, s->subject, s->component));
    assert_ok(shoal_commands_apply(s->commands, NULL));
}

static void lose_command_clear(scene *s) {
    assert_ok(shoal_commands_clear(s->commands, s->subject));
    assert_ok(shoal_commands_apply(s->commands, NULL));
}

static void lose_command_destroy(scene *s) {
    assert_ok(shoal_commands_destroy_entity(s->commands, s->subject));
    assert_ok(shoal_commands_apply(s->commands, NULL));
}

static void lose_command_unrelate(scene *s) {
    assert_ok(shoal_commands_unrelate(s->commands, s->subject, s->component, s->other));
    assert_ok(shoal_commands_apply(s->commands, NULL));
}

static void lose_command_target(scene *s) {
    assert_ok(shoal_commands_destroy_entity(s->commands, s->other));
    assert_ok(shoal_commands_apply(s->commands, NULL));
}

static const lose_way lose_ways[] = {
    {"shoal_remove", lose_remove, fits_all, false},
    {"shoal_clear", lose_clear, fits_all, false},
    {"shoal_change_entity", lose_change, fits_all, false},
    {"shoal_query_change_entities", lose_query_change, fits_all, false},
    {"shoal_unrelate", lose_unrelate, fits_relations, false},
    {"shoal_destroy", lose_destroy, fits_all, true},
    {"shoal_destroy_many", lose_destroy_many, fits_all, true},
    {"shoal_query_destroy_entities", lose_query_destroy, fits_all, true},
    {"a parent that is destroyed", lose_with_parent, fits_all, true},
    {"a target that is destroyed", lose_target, fits_removed_targets, false},
    {"a target that takes its sources along", lose_target, fits_destroying_targets, true},
    {"another target", lose_replaced_target, fits_one_target, false},
    {"shoal_remove of a dying one", lose_after_death, fits_dying, false},
    {"shoal_clear of a dying one", lose_all_after_death, fits_dying, false},
    {"shoal_commands_remove", lose_command_remove, fits_all, false},
    {"shoal_commands_clear", lose_command_clear, fits_all, false},
    {"shoal_commands_destroy_entity", lose_command_destroy, fits_all, true},
    {"shoal_commands_unrelate", lose_command_unrelate, fits_relations, false},
    {"a target that a command destroys", lose_command_target, fits_removed_targets, false},
};

static void check_loss(const lose_way *way, size_t type) {
    scene s;
    char line[96];
    test_set_context("%s, %s", way->name, name_of_type(type));
    scene_start(&s, type, true);
    shoal_value value = scene_value(&s);
    s.subject = shoal_spawn(s.world, &value, 1);
    witness_forget_events(&witnesses[0]);
    way->make(&s);
    bool stays = way->destroys && case_of(type)->cleanup;
    assert_count(event_count(&s, "remove"), stays ? 0 : 1);
    assert_count(event_count(&s, "set"), 0);
    /* The value is what it was; a cell of a chunk or a buffer is not shown. */
    snprintf(line, sizeof line, "remove %s %u to 0 = %u\n", name_of_type(type), shoal_entity_index(s.subject),
             shows_value(type) ? PAYLOAD : 0);
    assert_true(stays || strstr(witnesses[0].events, line) != NULL);
    scene_end(&s);
}

static void conf_F4_every_way_to_lose_a_component(void **state) {
    (void)state;
    for (size_t way = 0; way < sizeof lose_ways / sizeof lose_ways[0]; way++) {
        for (size_t type = CASE_COUNT; type < 2 * (size_t)CASE_COUNT; type++) {
            if (lose_ways[way].fits(case_of(type))) {
                check_loss(&lose_ways[way], type);
            }
        }
    }
    test_set_context("%s", "");
}

/* ---- required components ---- */

/* Kinds that others require, with the one that brings them. */
static const unsigned char requirements[][2] = {
    {CASE_OUTER, CASE_INNER},         {CASE_OUTER, CASE_SPARSE},
    {CASE_INNER, CASE_GATE},          {CASE_LEFT, CASE_RIGHT},
    {CASE_RIGHT, CASE_MARK},          {CASE_RULED, CASE_LEFT},
    {CASE_RULED, CASE_GATE},          {CASE_CLEANUP_NEEDING, CASE_CLEANUP},
    {CASE_SPARSE_NEEDING, CASE_GATE}, {CASE_MANY_NEEDING, CASE_SPARSE},
    {CASE_MANY_NEEDING, CASE_OUTER},
};

/* A component that comes with another is added once, by its default, and nobody has set it. */
static void conf_F4_required_components(void **state) {
    (void)state;
    for (size_t way = 0; way < sizeof gain_ways / sizeof gain_ways[0]; way++) {
        for (size_t i = 0; i < sizeof requirements / sizeof requirements[0]; i++) {
            size_t brings = TOLD(requirements[i][0]);
            if ((gain_ways[way].traits & GAIN_COPY) || !way_fits(&gain_ways[way], brings, true)) {
                continue;
            }
            scene s;
            test_set_context("%s, %s", gain_ways[way].name, name_of_type(brings));
            scene_start(&s, brings, true);
            s.subject = (gain_ways[way].traits & GAIN_SUBJECT) ? shoal_spawn(s.world, NULL, 0) : (shoal_entity){0};
            gain_ways[way].make(&s);
            s.type = TOLD(requirements[i][1]);
            assert_count(event_count(&s, "add"), (gain_ways[way].traits & GAIN_THREE) ? 3 : 1);
            assert_count(event_count(&s, "set"), 0);
            check_added_value(&s, false);
            scene_end(&s);
        }
    }
    test_set_context("%s", "");
}

/* ---- everything is in place ---- */

/* What every event must find at its entity: all told kinds with their values. */
typedef struct in_place {
    shoal_entity other;
    size_t seen;
    char missing[64]; /* the first */
} in_place;

static bool value_is_there(shoal_world *world, shoal_entity entity, size_t type, shoal_entity other) {
    shoal_component component = component_of(type);
    if (!shoal_has(world, entity, component) || !has_data(type)) {
        return shoal_has(world, entity, component);
    }
    if (is_relation(type)) {
        const void *data = shoal_relation_get(world, entity, component, other);
        return data != NULL && item_read(type, data) == PAYLOAD;
    }
    if (case_of(type)->storage == SHOAL_STORAGE_BUFFER) {
        shoal_buffer buffer = shoal_buffer_get(world, entity, component);
        return shoal_buffer_count(buffer) == PAYLOAD % 5 && item_read(type, shoal_buffer_items(buffer)) == PAYLOAD;
    }
    const void *value = shoal_get(world, entity, component);
    return value != NULL && item_read(type, value) == PAYLOAD;
}

static void in_place_check(witness *seen, const char *what, const shoal_component_event *event, void *user) {
    in_place *all = user;
    (void)seen;
    all->seen++;
    for (size_t type = CASE_COUNT; type < 2 * (size_t)CASE_COUNT; type++) {
        if (!value_is_there(event->world, event->entity, type, all->other) && all->missing[0] == '\0') {
            snprintf(all->missing, sizeof all->missing, "%s in %s of %s", name_of_type(type), what,
                     name_of_type(type_of(event->component)));
        }
    }
}

/* Values of all told kinds. */
typedef struct all_values {
    value_box boxes[CASE_COUNT];
    shoal_value values[CASE_COUNT];
    shoal_component components[CASE_COUNT];
} all_values;

static void all_make(all_values *all, shoal_entity other) {
    for (size_t i = 0; i < CASE_COUNT; i++) {
        box_make(&all->boxes[i], TOLD(i), PAYLOAD, true, other);
        all->components[i] = component_of(TOLD(i));
        all->values[i] = (shoal_value){all->components[i], all->boxes[i].data};
    }
}

static void all_end(all_values *all) {
    for (size_t i = 0; i < CASE_COUNT; i++) {
        box_end(&all->boxes[i]);
    }
}

/* The n-th way to give all kinds at once; `original` has them all. False behind the last one. */
static bool give_all(scene *s, const all_values *all, shoal_entity original, size_t way) {
    const shoal_change change = {.add = all->values, .add_count = CASE_COUNT};
    switch (way) {
    case 0:
        assert_false(shoal_entity_is_null(shoal_spawn(s->world, all->values, CASE_COUNT)));
        return true;
    case 1:
        assert_ok(shoal_spawn_at(s->world, shoal_entity_make(s->world, 500, 0), all->values, CASE_COUNT));
        return true;
    case 2:
        assert_ok(shoal_spawn_many(
            s->world, &(shoal_spawn_many_def){.count = 3, .values = all->values, .value_count = CASE_COUNT}));
        return true;
    case 3:
        assert_ok(shoal_change_entity(s->world, s->subject, &change));
        return true;
    case 4:
        assert_ok(shoal_query_change_entities(query_of_subject(s), &change));
        return true;
    case 5:
        assert_false(shoal_entity_is_null(shoal_clone(s->world, original)));
        return true;
    case 6:
        assert_ok(
            shoal_instantiate(s->world, s->subject,
                              &(shoal_instantiate_def){.count = 2, .values = all->values, .value_count = CASE_COUNT}));
        return true;
    case 7:
        assert_false(shoal_entity_is_null(shoal_commands_spawn(s->commands, all->values, CASE_COUNT)));
        assert_ok(shoal_commands_apply(s->commands, NULL));
        return true;
    default:
        return false;
    }
}

/* Kinds that have values which are copied and set. */
static size_t told_with_data(void) {
    size_t count = 0;
    for (size_t i = 0; i < CASE_COUNT; i++) {
        count += has_data(i) && case_of(i)->storage != SHOAL_STORAGE_CHUNK;
    }
    return count;
}

static void conf_F6_all_values_are_there_before_any_hook(void **state) {
    (void)state;
    bool goes_on = true;
    for (size_t way = 0; goes_on; way++) {
        scene s;
        all_values all;
        test_set_context("way %zu", way);
        scene_start(&s, TOLD(CASE_NUMBER), true);
        all_make(&all, s.other);
        shoal_entity original = shoal_spawn(s.world, all.values, CASE_COUNT);
        s.subject = shoal_spawn(s.world, NULL, 0);
        in_place check = {.other = s.other};
        witnesses[0].also = in_place_check;
        witnesses[0].user = &check;
        goes_on = give_all(&s, &all, original, way);
        assert_string_equal(check.missing, "");
        assert_true(!goes_on || check.seen >= CASE_COUNT + told_with_data()); /* all are added, most are set */
        all_end(&all);
        scene_end(&s);
    }
    test_set_context("%s", "");
}

/* Before the first one goes, all are there; of what a destroy takes, too. */
static void removed_check(witness *seen, const char *what, const shoal_component_event *event, void *user) {
    in_place *all = user;
    if (all->seen == 0) {
        in_place_check(seen, what, event, user);
    }
    size_t type = type_of(event->component);
    shoal_entity target = is_relation(type) ? event->target : all->other;
    if (!value_is_there(event->world, event->entity, type, target) && all->missing[0] == '\0') {
        snprintf(all->missing, sizeof all->missing, "%s itself", name_of_type(type));
    }
}

static void conf_F9_values_are_readable_when_they_go(void **state) {
    (void)state;
    for (size_t way = 0; way < 5; way++) {
        scene s;
        all_values all;
        test_set_context("way %zu", way);
        scene_start(&s, TOLD(CASE_NUMBER), true);
        all_make(&all, s.other);
        s.subject = shoal_spawn(s.world, all.values, CASE_COUNT);
        in_place check = {.other = s.other};
        witnesses[0].also = removed_check;
        witnesses[0].user = &check;
        const shoal_change change = {.remove = all.components, .remove_count = CASE_COUNT};
        shoal_status status = way == 0   ? shoal_destroy(s.world, s.subject)
                              : way == 1 ? shoal_clear(s.world, s.subject)
                              : way == 2 ? shoal_change_entity(s.world, s.subject, &change)
                              : way == 3 ? shoal_commands_clear(s.commands, s.subject)
                                         : shoal_commands_destroy_entity(s.commands, s.subject);
        assert_ok(status);
        assert_ok(shoal_commands_apply(s.commands, NULL));
        assert_string_equal(check.missing, "");
        assert_true(check.seen > 0);
        all_end(&all);
        scene_end(&s);
    }
    test_set_context("%s", "");
}

int main(void) {
    kind_types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_F4_every_way_to_gain_a_component),
        cmocka_unit_test(conf_F4_filled_rows),
        cmocka_unit_test(conf_F4_every_way_to_lose_a_component),
        cmocka_unit_test(conf_F4_required_components),
        cmocka_unit_test(conf_F6_all_values_are_there_before_any_hook),
        cmocka_unit_test(conf_F9_values_are_readable_when_they_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
