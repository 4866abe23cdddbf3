/*
 * Failure in the middle of a call (see support/failing.h), of every public call that can allocate, on components of all
 * kinds: toggles, cleanup, sparse, shared and chunk values, buffers, relations, names, uniques, required components,
 * prefabs, queries that order and group. test_failing_allocator.c has table components. Conformance G5.
 */
#include "support/components.h"
#include "support/failing.h"
#include "support/full_types.h"
#include "support/test.h"

#include <string.h>

#define SHIP_COUNT 12

typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_commands *commands;
    shoal_query *scans;             /* sparse terms only */
    shoal_query *hulls;             /* all of them change and end */
    shoal_query *sorted;            /* by a field, in groups of a shared value */
    shoal_query *fresh;             /* the same, and never gone through */
    shoal_query *parents_first;     /* looks up as well */
    shoal_entity fleet;             /* the root of the tree, with a name */
    shoal_entity ships[SHIP_COUNT]; /* its children */
    shoal_entity guns[SHIP_COUNT];  /* theirs, the first with names */
    shoal_entity iron;              /* a target of cargo */
    shoal_entity heir;              /* has cleanup components of each sort */
    shoal_entity dying;
    shoal_entity bare;
} scene;

/* ---- values ---- */

/* Values in the form of the library, made and ended around one call. */
typedef struct given {
    full_real reals[FULL_ITEMS_MAX];
    shoal_value values[FULL_ITEMS_MAX];
    size_t count;
} given;

static void given_make(given *g, const full_value *values, size_t count) {
    assert_true(count <= FULL_ITEMS_MAX);
    g->count = count;
    for (size_t i = 0; i < count; i++) {
        full_real_make(&g->reals[i], &values[i]);
        g->values[i] = g->reals[i].value;
    }
}

static void given_end(given *g) {
    for (size_t i = 0; i < g->count; i++) {
        full_real_end(&g->reals[i]);
    }
}

/* ---- the scene ---- */

static shoal_entity spawn_with(scene *s, const full_value *values, size_t count) {
    given g;
    given_make(&g, values, count);
    shoal_entity entity = shoal_spawn(s->world, g.values, g.count);
    given_end(&g);
    assert_false(shoal_entity_is_null(entity));
    return entity;
}

static void scene_spawn(scene *s) {
    s->fleet = spawn_with(s, (full_value[]){full_value_of(FULL_HULL, 1), full_value_of(FULL_FACTION, 1)}, 2);
    s->iron = spawn_with(s, (full_value[]){full_value_of(FULL_ARMOR, 3)}, 1);
    for (size_t i = 0; i < SHIP_COUNT; i++) {
        const full_value ship[] = {full_value_of(FULL_HULL, 50 - i * 3),
                                   full_value_of(FULL_SHIELD, i),
                                   full_value_of(FULL_FACTION, i % 3),
                                   full_value_of(FULL_SCAN, i * 7 % 5),
                                   full_value_of_items(FULL_CREW, i % 4, i),
                                   full_value_of(FULL_BOUNDS, i),
                                   full_value_of(FULL_GUEST, i),
                                   full_link_to(FULL_CHILD_OF, s->fleet, 0),
                                   full_link_to(FULL_CARGO, s->iron, i),
                                   full_link_to(FULL_ORBITS, s->fleet, i)};
        s->ships[i] = spawn_with(s, ship, sizeof ship / sizeof *ship);
        const full_value gun[] = {full_value_of(FULL_GEAR, i), full_link_to(FULL_CHILD_OF, s->ships[i], 0),
                                  full_value_of(FULL_AIM, s->ships[i].bits), full_link_to(FULL_ESCORT, s->ships[i], i),
                                  full_link_to(FULL_OWNER, s->ships[0], 0)};
        s->guns[i] = spawn_with(s, gun, sizeof gun / sizeof *gun);
    }
    const full_value heir[] = {full_value_of(FULL_LEASE, 4),
                               full_value_of(FULL_ESTATE, 5),
                               full_value_of_items(FULL_BILL, 5, 6),
                               full_value_of(FULL_HULL, 7),
                               {.type = FULL_REMAINS}};
    s->heir = spawn_with(s, heir, sizeof heir / sizeof *heir);
    s->dying = spawn_with(s, heir, sizeof heir / sizeof *heir);
    assert_ok(shoal_destroy(s->world, s->dying));
    s->bare = spawn_with(s, heir, 0);
}

static void scene_record(scene *s) {
    full_real crew, cargo, gear;
    full_value values[] = {full_value_of_items(FULL_CREW, 3, 70), full_link_to(FULL_CARGO, s->iron, 71),
                           full_value_of(FULL_GEAR, 72)};
    full_real_make(&crew, &values[0]);
    full_real_make(&cargo, &values[1]);
    full_real_make(&gear, &values[2]);
    const shoal_value spawned[] = {crew.value, gear.value, SHOAL_DEFAULT(Scan), SHOAL_TO(ChildOf, s->ships[1])};
    shoal_entity placeholder = shoal_commands_spawn(s->commands, spawned, 4);
    assert_true(shoal_entity_is_placeholder(placeholder));
    Handle aim = {placeholder};
    assert_ok(shoal_commands_add(s->commands, s->ships[2], full_component(FULL_AIM), &aim));
    assert_ok(shoal_commands_relate(s->commands, s->ships[3], SHOAL_ID(ChildOf), placeholder, NULL));
    assert_ok(shoal_commands_add(s->commands, s->bare, full_component(FULL_CARGO), cargo.value.data));
    assert_ok(shoal_commands_add(s->commands, s->bare, full_component(FULL_TURRET), NULL));
    assert_ok(shoal_commands_set(s->commands, s->ships[4], full_component(FULL_CREW), crew.value.data));
    assert_ok(shoal_commands_disable(s->commands, s->ships[5], full_component(FULL_SHIELD)));
    assert_ok(shoal_commands_unrelate(s->commands, s->ships[6], full_component(FULL_CARGO), s->iron));
    assert_ok(shoal_commands_remove(s->commands, s->ships[7], SHOAL_ID(Scan)));
    assert_ok(shoal_commands_clear(s->commands, s->ships[8]));
    assert_ok(shoal_commands_destroy_entity(s->commands, s->ships[9]));
    assert_ok(shoal_commands_destroy_entity(s->commands, s->heir));
    assert_ok(shoal_commands_remove(s->commands, s->dying, full_component(FULL_ESTATE)));
    full_real_end(&crew);
    full_real_end(&cargo);
    full_real_end(&gear);
}

static shoal_query *query_of_terms(scene *s, const shoal_query_def *def) {
    shoal_query *query = shoal_query_create(s->world, def);
    assert_non_null(query);
    return query;
}

/* Goes through all rows, so that what a view takes without asking is seen as well. */
static shoal_status iterate(shoal_query *query) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        assert_true(view.count > 0);
    }
    return status;
}

static void scene_queries(scene *s) {
    const shoal_term scan = SHOAL_READ(Scan);
    const shoal_term hull = SHOAL_WRITE(Hull);
    const shoal_term grouped[] = {SHOAL_READ(Hull), SHOAL_READ(Faction)};
    const shoal_term up[] = {SHOAL_READ(Hull), SHOAL_UP(Hull)};
    s->scans = query_of_terms(s, &(shoal_query_def){.terms = &scan, .term_count = 1});
    s->hulls = query_of_terms(s, &(shoal_query_def){.terms = &hull, .term_count = 1});
    const shoal_query_def sorted = {.terms = grouped,
                                    .term_count = 2,
                                    .order_by = SHOAL_ID(Hull),
                                    .order_field = "value",
                                    .group_by = SHOAL_ID(Faction)};
    s->sorted = query_of_terms(s, &sorted);
    s->fresh = query_of_terms(s, &sorted);
    s->parents_first =
        query_of_terms(s, &(shoal_query_def){.terms = up, .term_count = 2, .group_by = SHOAL_ID(ChildOf)});
}

static void scene_start(void *scene_bytes, const shoal_world_def *def) {
    scene *s = scene_bytes;
    fixture_start(&s->f, def);
    s->world = s->f.world;
    scene_queries(s);
    s->commands = shoal_commands_create(s->world, NULL);
    assert_non_null(s->commands);
    scene_spawn(s);
    assert_ok(shoal_set_name(s->world, s->fleet, "fleet"));
    assert_ok(shoal_set_name(s->world, s->guns[0], "gun"));
    assert_ok(shoal_disable(s->world, s->ships[3], full_component(FULL_SHIELD)));
    assert_ok(iterate(s->sorted));
    full_write(FULL_HULL, 99, shoal_get_mut(s->world, s->ships[2], SHOAL_ID(Hull)));
    Owned journal;
    owned_make(&owned_tracker, &journal, 8);
    assert_ok(shoal_unique_set(s->world, full_component(FULL_JOURNAL), &journal));
    owned_end(&owned_tracker, &journal);
    scene_record(s);
}

static void scene_end(void *scene_bytes) {
    scene *s = scene_bytes;
    fixture_end(&s->f);
}

static fixture *scene_fixture(void *scene_bytes) {
    return &((scene *)scene_bytes)->f;
}

static shoal_commands *scene_commands(void *scene_bytes) {
    return ((scene *)scene_bytes)->commands;
}

static const failing_scene kinds_scene = {.byte_size = sizeof(scene),
                                          .start = scene_start,
                                          .end = scene_end,
                                          .fixture_of = scene_fixture,
                                          .commands_of = scene_commands};

/* ---- spawning and copies ---- */

static shoal_status spawn_call(scene *s, const full_value *values, size_t count) {
    given g;
    given_make(&g, values, count);
    shoal_entity made = shoal_spawn(s->world, g.values, g.count);
    given_end(&g);
    return failing_status_of(s->world, made);
}

static shoal_status call_spawn_rows(void *scene_bytes) {
    scene *s = scene_bytes;
    const full_value values[] = {full_value_of(FULL_ESTATE, 1),         full_value_of(FULL_BANNER, 2),
                                 full_value_of(FULL_CLIMATE, 3),        full_value_of_items(FULL_CREW, 4, 4),
                                 full_value_of_items(FULL_ROUTE, 3, 0), {.type = FULL_ASLEEP}};
    return spawn_call(s, values, sizeof values / sizeof *values);
}

static shoal_status call_spawn_loose(void *scene_bytes) {
    scene *s = scene_bytes;
    const full_value values[] = {full_value_of(FULL_GUEST, 1),          full_value_of(FULL_RADAR, 2),
                                 full_value_of(FULL_AIM, s->iron.bits), full_link_to(FULL_ESCORT, s->iron, 3),
                                 full_link_to(FULL_GUARDS, s->iron, 0), full_link_to(FULL_CHILD_OF, s->guns[1], 0),
                                 full_link_to(FULL_ORBITS, s->iron, 4), full_link_to(FULL_FLAGSHIP, s->iron, 0)};
    return spawn_call(s, values, sizeof values / sizeof *values);
}

static shoal_status call_spawn_required(void *scene_bytes) {
    return spawn_call(scene_bytes, (full_value[]){full_value_of(FULL_TURRET, 1)}, 1);
}

static shoal_status call_spawn_at(void *scene_bytes) {
    scene *s = scene_bytes;
    given g;
    const full_value values[] = {full_value_of(FULL_GUEST, 1), full_value_of(FULL_FACTION, 2),
                                 full_link_to(FULL_CARGO, s->iron, 3), full_value_of_items(FULL_CREW, 2, 4)};
    given_make(&g, values, 4);
    shoal_status status = shoal_spawn_at(s->world, shoal_entity_make(s->world, 3000000, 1), g.values, g.count);
    given_end(&g);
    return status;
}

static shoal_status call_spawn_many(void *scene_bytes) {
    scene *s = scene_bytes;
    given g;
    const full_value values[] = {full_value_of_items(FULL_CREW, 3, 1),  full_value_of(FULL_GUEST, 2),
                                 full_link_to(FULL_ESCORT, s->iron, 3), full_link_to(FULL_CHILD_OF, s->fleet, 0),
                                 full_value_of(FULL_BANNER, 4),         full_value_of(FULL_CLIMATE, 5)};
    given_make(&g, values, sizeof values / sizeof *values);
    shoal_status status =
        shoal_spawn_many(s->world, &(shoal_spawn_many_def){.count = 60, .values = g.values, .value_count = g.count});
    given_end(&g);
    return status;
}

static shoal_status call_spawn_many_columns(void *scene_bytes) {
    scene *s = scene_bytes;
    enum { ROWS = 9 };
    full_real crews[ROWS];
    shoal_span spans[ROWS];
    shoal_link links[ROWS];
    Number scans[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        full_value crew = full_value_of_items(FULL_CREW, i % 3, i);
        full_real_make(&crews[i], &crew);
        spans[i] = crews[i].span;
        links[i] = (shoal_link){.target = s->ships[i]};
        full_write(FULL_SCAN, i, &scans[i]);
    }
    const shoal_value columns[] = {{full_component(FULL_CREW), spans},
                                   {SHOAL_ID(ChildOf), links},
                                   {SHOAL_ID(Scan), scans},
                                   {full_component(FULL_GEAR), NULL}};
    shoal_status status =
        shoal_spawn_many(s->world, &(shoal_spawn_many_def){.count = ROWS, .columns = columns, .column_count = 4});
    for (size_t i = 0; i < ROWS; i++) {
        full_real_end(&crews[i]);
    }
    return status;
}

static shoal_status call_clone(void *scene_bytes) {
    scene *s = scene_bytes;
    return failing_status_of(s->world, shoal_clone(s->world, s->ships[3]));
}

static shoal_status call_clone_tree(void *scene_bytes) {
    scene *s = scene_bytes;
    return failing_status_of(s->world, shoal_clone_tree(s->world, s->fleet));
}

static shoal_status call_make_prefab(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_make_prefab(s->world, s->ships[2]);
}

static shoal_status call_instantiate(void *scene_bytes) {
    scene *s = scene_bytes;
    given g;
    const full_value values[] = {full_value_of_items(FULL_CREW, 5, 1), full_value_of(FULL_GEAR, 2),
                                 full_value_of(FULL_BANNER, 3),        full_link_to(FULL_CARGO, s->iron, 4),
                                 full_value_of(FULL_RADAR, 5),         full_value_of(FULL_CLIMATE, 6)};
    given_make(&g, values, sizeof values / sizeof *values);
    shoal_status status = shoal_instantiate(
        s->world, s->ships[0],
        &(shoal_instantiate_def){.count = 3, .values = g.values, .value_count = g.count, .parent = s->fleet});
    given_end(&g);
    return status;
}

/* ---- destroying ---- */

static shoal_status call_destroy_cascade(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_destroy(s->world, s->fleet);
}

static shoal_status call_destroy_to_dying(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_destroy(s->world, s->heir);
}

static shoal_status call_destroy_many(void *scene_bytes) {
    scene *s = scene_bytes;
    const shoal_entity entities[] = {s->guns[0], s->heir, s->ships[0], s->dying, s->bare};
    return shoal_destroy_many(s->world, entities, 5);
}

static shoal_status call_query_destroy(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_query_destroy_entities(s->hulls);
}

/* ---- changing ---- */

static shoal_status add_call(scene *s, shoal_entity entity, full_value value) {
    full_real real;
    full_real_make(&real, &value);
    shoal_status status = shoal_add(s->world, entity, real.value.component, real.value.data);
    full_real_end(&real);
    return status;
}

static shoal_status set_call(scene *s, shoal_entity entity, full_value value) {
    full_real real;
    full_real_make(&real, &value);
    shoal_status status = shoal_set(s->world, entity, real.value.component, real.value.data);
    full_real_end(&real);
    return status;
}

static shoal_status call_add_sparse(void *scene_bytes) {
    scene *s = scene_bytes;
    return add_call(s, s->bare, full_value_of(FULL_GUEST, 3));
}

static shoal_status call_add_first_of_its_type(void *scene_bytes) {
    scene *s = scene_bytes;
    return add_call(s, s->bare, full_value_of(FULL_RADAR, 3));
}

static shoal_status call_add_shared(void *scene_bytes) {
    scene *s = scene_bytes;
    return add_call(s, s->ships[1], full_value_of(FULL_BANNER, 3));
}

static shoal_status call_add_chunk(void *scene_bytes) {
    scene *s = scene_bytes;
    return add_call(s, s->ships[1], full_value_of(FULL_CLIMATE, 3));
}

static shoal_status call_add_buffer(void *scene_bytes) {
    scene *s = scene_bytes;
    return add_call(s, s->bare, full_value_of_items(FULL_CREW, 6, 3));
}

static shoal_status call_add_toggle(void *scene_bytes) {
    scene *s = scene_bytes;
    return add_call(s, s->bare, (full_value){.type = FULL_ASLEEP});
}

static shoal_status call_add_requiring(void *scene_bytes) {
    scene *s = scene_bytes;
    return add_call(s, s->bare, full_value_of(FULL_TURRET, 3));
}

static shoal_status call_set_shared(void *scene_bytes) {
    scene *s = scene_bytes;
    return set_call(s, s->ships[1], full_value_of(FULL_FACTION, 77));
}

static shoal_status call_set_buffer(void *scene_bytes) {
    scene *s = scene_bytes;
    return set_call(s, s->ships[3], full_value_of_items(FULL_CREW, 8, 1));
}

static shoal_status call_set_link(void *scene_bytes) {
    scene *s = scene_bytes;
    return set_call(s, s->guns[3], full_link_to(FULL_ESCORT, s->ships[3], 9));
}

static shoal_status call_change(void *scene_bytes) {
    scene *s = scene_bytes;
    given g;
    const full_value values[] = {full_value_of_items(FULL_CREW, 7, 1), full_value_of(FULL_BANNER, 2),
                                 full_value_of(FULL_GUEST, 3), full_link_to(FULL_ESCORT, s->iron, 4),
                                 full_value_of(FULL_TURRET, 5)};
    given_make(&g, values, sizeof values / sizeof *values);
    const shoal_component remove[] = {SHOAL_ID(Scan), SHOAL_ID(Hull), full_component(FULL_CARGO)};
    shoal_status status = shoal_change_entity(s->world, s->ships[4], &(shoal_change){g.values, g.count, remove, 3});
    given_end(&g);
    return status;
}

static shoal_status call_clear(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_clear(s->world, s->ships[5]);
}

static shoal_status call_remove_cleanup(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_remove(s->world, s->dying, full_component(FULL_ESTATE));
}

static shoal_status call_clear_dying(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_clear(s->world, s->dying);
}

static shoal_status query_change_call(scene *s, shoal_query *query) {
    given g;
    const full_value values[] = {full_value_of(FULL_GEAR, 1), full_value_of_items(FULL_CREW, 2, 2),
                                 full_link_to(FULL_CARGO, s->heir, 3), full_value_of(FULL_GUEST, 4)};
    given_make(&g, values, sizeof values / sizeof *values);
    const shoal_component remove[] = {full_component(FULL_SHIELD), full_component(FULL_ORBITS)};
    shoal_status status = shoal_query_change_entities(query, &(shoal_change){g.values, g.count, remove, 2});
    given_end(&g);
    return status;
}

static shoal_status call_query_change(void *scene_bytes) {
    scene *s = scene_bytes;
    return query_change_call(s, s->scans);
}

static shoal_status call_query_change_sorted(void *scene_bytes) {
    scene *s = scene_bytes;
    return query_change_call(s, s->fresh);
}

/* ---- buffers ---- */

static shoal_buffer crew_of(scene *s, size_t ship) {
    shoal_buffer crew = shoal_buffer_get(s->world, s->ships[ship], full_component(FULL_CREW));
    assert_false(shoal_buffer_is_null(crew));
    return crew;
}

static shoal_status call_buffer_push(void *scene_bytes) {
    Owned owned;
    owned_make(&owned_tracker, &owned, 5);
    shoal_status status = shoal_buffer_push(crew_of(scene_bytes, 1), &owned); /* goes to the heap */
    owned_end(&owned_tracker, &owned);
    return status;
}

static shoal_status call_buffer_insert(void *scene_bytes) {
    return shoal_buffer_insert(crew_of(scene_bytes, 2), 1, NULL);
}

static shoal_status call_buffer_erase(void *scene_bytes) {
    return shoal_buffer_erase(crew_of(scene_bytes, 2), 0); /* goes back into the chunk */
}

static shoal_status call_buffer_erase_swap(void *scene_bytes) {
    return shoal_buffer_erase_swap(crew_of(scene_bytes, 3), 0);
}

static shoal_status call_buffer_resize(void *scene_bytes) {
    return shoal_buffer_resize(crew_of(scene_bytes, 3), 40);
}

static shoal_status call_buffer_assign(void *scene_bytes) {
    shoal_buffer crew = crew_of(scene_bytes, 2);
    shoal_buffer other = crew_of(scene_bytes, 3);
    return shoal_buffer_assign(crew, (shoal_span){shoal_buffer_items(other), shoal_buffer_count(other)});
}

/* ---- relations and names ---- */

static shoal_status call_relate(void *scene_bytes) {
    scene *s = scene_bytes;
    const Number count = {0};
    return shoal_relate(s->world, s->bare, full_component(FULL_CARGO), s->iron, &count);
}

static shoal_status call_relate_owning(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_relate(s->world, s->bare, full_component(FULL_ESCORT), s->iron, NULL);
}

static shoal_status call_relate_split(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_relate(s->world, s->ships[0], full_component(FULL_FLAGSHIP), s->ships[1], NULL);
}

static shoal_status call_unrelate(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_unrelate(s->world, s->ships[1], full_component(FULL_CARGO), s->iron);
}

static shoal_status call_set_parent(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_set_parent(s->world, s->ships[5], s->guns[4]);
}

static shoal_status call_set_parent_named(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_set_parent(s->world, s->guns[0], s->ships[7]);
}

static shoal_status call_order_source(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_order_source(s->world, SHOAL_ID(ChildOf), s->ships[9], s->ships[2]);
}

static shoal_status call_set_name(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_set_name(s->world, s->guns[5], "a name that is longer than what is kept in place");
}

static shoal_status call_rename(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_set_name(s->world, s->fleet, "another name that is longer than what is kept in place");
}

/* ---- uniques ---- */

static shoal_status call_unique_set(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_unique_set(s->world, full_component(FULL_CLOCK), NULL);
}

static shoal_status call_unique_set_again(void *scene_bytes) {
    scene *s = scene_bytes;
    Owned owned;
    owned_make(&owned_tracker, &owned, 5);
    shoal_status status = shoal_unique_set(s->world, full_component(FULL_JOURNAL), &owned);
    owned_end(&owned_tracker, &owned);
    return status;
}

static shoal_status call_unique_remove(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_unique_remove(s->world, full_component(FULL_JOURNAL));
}

/* ---- queries ---- */

static shoal_status create_call(scene *s, const shoal_query_def *def) {
    return shoal_query_create(s->world, def) != NULL ? SHOAL_OK : shoal_last_error(s->world).status;
}

static shoal_status call_query_create(void *scene_bytes) {
    scene *s = scene_bytes;
    Number faction;
    full_write(FULL_FACTION, 9, &faction); /* a value that no entity has */
    const shoal_term terms[] = {{.component = SHOAL_ID(Faction), .access = SHOAL_ACCESS_WITH, .value = &faction},
                                SHOAL_UP(Hull),
                                SHOAL_RELATED(ChildOf, s->fleet),
                                {.component = full_component(FULL_GUEST), .access = SHOAL_ACCESS_OPTIONAL_WRITE}};
    return create_call(s, &(shoal_query_def){.terms = terms, .term_count = 4, .group_by = SHOAL_ID(Orbits)});
}

static shoal_status call_query_create_text(void *scene_bytes) {
    return create_call(scene_bytes, &(shoal_query_def){.text = "write Hull, with ChildOf, without Scan, "
                                                               "any(Shield | Guest), optional ChildOf(up) Faction"});
}

static shoal_status call_begin_sorted(void *scene_bytes) {
    scene *s = scene_bytes;
    return iterate(s->fresh);
}

/* The order is known, and a key has changed since. */
static shoal_status call_begin_sorted_again(void *scene_bytes) {
    scene *s = scene_bytes;
    return iterate(s->sorted);
}

static shoal_status call_begin_grouped(void *scene_bytes) {
    scene *s = scene_bytes;
    return iterate(s->parents_first);
}

static shoal_status call_begin_list(void *scene_bytes) {
    scene *s = scene_bytes;
    return iterate(s->scans);
}

static shoal_status call_first_sorted(void *scene_bytes) {
    scene *s = scene_bytes;
    return failing_status_of(s->world, shoal_query_first(s->fresh));
}

/* ---- recording ---- */

static shoal_status record_value(scene *s, shoal_entity entity, full_value value, bool sets) {
    full_real real;
    full_real_make(&real, &value);
    shoal_status status = sets ? shoal_commands_set(s->commands, entity, real.value.component, real.value.data)
                               : shoal_commands_add(s->commands, entity, real.value.component, real.value.data);
    full_real_end(&real);
    return status;
}

static shoal_status call_record_spawn(void *scene_bytes) {
    scene *s = scene_bytes;
    given g;
    const full_value values[] = {full_value_of_items(FULL_CREW, 9, 1),  full_value_of(FULL_GUEST, 2),
                                 full_link_to(FULL_ESCORT, s->iron, 3), full_value_of(FULL_TURRET, 4),
                                 full_value_of(FULL_BANNER, 5),         full_value_of(FULL_CLIMATE, 6)};
    given_make(&g, values, sizeof values / sizeof *values);
    shoal_entity made = shoal_commands_spawn(s->commands, g.values, g.count);
    given_end(&g);
    return failing_status_of(s->world, made);
}

static shoal_status call_record_buffer(void *scene_bytes) {
    scene *s = scene_bytes;
    return record_value(s, s->ships[2], full_value_of_items(FULL_CREW, 10, 1), true);
}

static shoal_status call_record_link(void *scene_bytes) {
    scene *s = scene_bytes;
    return record_value(s, s->bare, full_link_to(FULL_ESCORT, s->iron, 3), false);
}

static shoal_status call_record_requiring(void *scene_bytes) {
    scene *s = scene_bytes;
    return record_value(s, s->iron, full_value_of(FULL_TURRET, 3), false);
}

static shoal_status call_record_shared(void *scene_bytes) {
    scene *s = scene_bytes;
    return record_value(s, s->bare, full_value_of(FULL_BANNER, 3), false);
}

static shoal_status call_record_many(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_relate(s->commands, s->guns[7], SHOAL_ID(ChildOf), s->fleet, NULL);
}

static shoal_status call_record_enable(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_enable(s->commands, s->ships[3], full_component(FULL_SHIELD));
}

static shoal_status call_record_unrelate(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_unrelate(s->commands, s->ships[0], full_component(FULL_CARGO), s->iron);
}

static shoal_status call_apply(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_apply(s->commands, NULL);
}

/* ---- the world ---- */

static shoal_status call_trim(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_world_trim(s->world, 0, NULL);
}

static size_t take_text(void *user, const char *text, size_t size) {
    (void)user;
    (void)text;
    return size;
}

static shoal_status call_print_entity(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_print_entity(s->world, s->ships[3], take_text, NULL);
}

static shoal_status call_print_memory(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_print_memory(s->world, 0, take_text, NULL);
}

static shoal_status call_csv_sorted(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_csv_query(s->fresh, take_text, NULL);
}

/* Without xxHash there is nothing that could fail. */
static shoal_status hash_status(shoal_world *world, shoal_hash_form form) {
    uint64_t hash;
    shoal_status status = shoal_world_hash(world, form, &hash);
    return status == SHOAL_UNSUPPORTED ? SHOAL_OK : status;
}

static shoal_status call_hash(void *scene_bytes) {
    scene *s = scene_bytes;
    return hash_status(s->world, SHOAL_HASH_CANONICAL);
}

static shoal_status call_hash_layout(void *scene_bytes) {
    scene *s = scene_bytes;
    return hash_status(s->world, SHOAL_HASH_LAYOUT);
}

static const failing_call calls[] = {
    {.name = "conf_G5_kinds_spawn_rows", .run = call_spawn_rows},
    {.name = "conf_G5_kinds_spawn_loose", .run = call_spawn_loose},
    {.name = "conf_G5_kinds_spawn_required", .run = call_spawn_required},
    {.name = "conf_G5_kinds_spawn_at", .run = call_spawn_at},
    {.name = "conf_G5_kinds_spawn_many", .run = call_spawn_many},
    {.name = "conf_G5_kinds_spawn_many_from_columns", .run = call_spawn_many_columns},
    {.name = "conf_G5_kinds_clone", .run = call_clone},
    {.name = "conf_G5_kinds_clone_tree", .run = call_clone_tree},
    {.name = "conf_G5_kinds_make_prefab", .run = call_make_prefab},
    {.name = "conf_G5_kinds_instantiate", .run = call_instantiate},
    {.name = "conf_G5_kinds_destroy_cascade", .run = call_destroy_cascade},
    {.name = "conf_G5_kinds_destroy_to_dying", .run = call_destroy_to_dying},
    {.name = "conf_G5_kinds_destroy_many", .run = call_destroy_many},
    {.name = "conf_G5_kinds_query_destroy_entities", .run = call_query_destroy},
    {.name = "conf_G5_kinds_add_sparse", .run = call_add_sparse},
    {.name = "conf_G5_kinds_add_first_of_its_type", .run = call_add_first_of_its_type},
    {.name = "conf_G5_kinds_add_shared", .run = call_add_shared},
    {.name = "conf_G5_kinds_add_chunk", .run = call_add_chunk},
    {.name = "conf_G5_kinds_add_buffer", .run = call_add_buffer},
    {.name = "conf_G5_kinds_add_toggle", .run = call_add_toggle},
    {.name = "conf_G5_kinds_add_requiring", .run = call_add_requiring},
    {.name = "conf_G5_kinds_set_shared", .run = call_set_shared},
    {.name = "conf_G5_kinds_set_buffer", .run = call_set_buffer},
    {.name = "conf_G5_kinds_set_link", .run = call_set_link},
    {.name = "conf_G5_kinds_change_entity", .run = call_change},
    {.name = "conf_G5_kinds_clear", .run = call_clear},
    {.name = "conf_G5_kinds_remove_cleanup", .run = call_remove_cleanup},
    {.name = "conf_G5_kinds_clear_dying", .run = call_clear_dying},
    {.name = "conf_G5_kinds_query_change_entities", .run = call_query_change},
    {.name = "conf_G5_kinds_query_change_sorted", .run = call_query_change_sorted},
    {.name = "conf_G5_buffer_push", .run = call_buffer_push},
    {.name = "conf_G5_buffer_insert", .run = call_buffer_insert},
    {.name = "conf_G5_buffer_erase", .run = call_buffer_erase},
    {.name = "conf_G5_buffer_erase_swap", .run = call_buffer_erase_swap},
    {.name = "conf_G5_buffer_resize", .run = call_buffer_resize},
    {.name = "conf_G5_buffer_assign", .run = call_buffer_assign},
    {.name = "conf_G5_relate", .run = call_relate},
    {.name = "conf_G5_relate_owning", .run = call_relate_owning},
    {.name = "conf_G5_relate_split", .run = call_relate_split},
    {.name = "conf_G5_unrelate", .run = call_unrelate},
    {.name = "conf_G5_set_parent", .run = call_set_parent},
    {.name = "conf_G5_set_parent_of_a_named_one", .run = call_set_parent_named},
    {.name = "conf_G5_order_source", .run = call_order_source},
    {.name = "conf_G5_set_name", .run = call_set_name},
    {.name = "conf_G5_rename", .run = call_rename},
    {.name = "conf_G5_unique_set", .run = call_unique_set},
    {.name = "conf_G5_unique_set_again", .run = call_unique_set_again},
    {.name = "conf_G5_unique_remove", .run = call_unique_remove},
    {.name = "conf_G5_kinds_query_create", .run = call_query_create},
    {.name = "conf_G5_kinds_query_create_text", .run = call_query_create_text},
    {.name = "conf_G5_kinds_begin_sorted", .run = call_begin_sorted},
    {.name = "conf_G5_kinds_begin_grouped", .run = call_begin_grouped},
    {.name = "conf_G5_kinds_begin_sorted_again", .run = call_begin_sorted_again},
    {.name = "conf_G5_kinds_begin_list", .run = call_begin_list},
    {.name = "conf_G5_kinds_first_sorted", .run = call_first_sorted},
    {.name = "conf_G5_kinds_commands_spawn", .run = call_record_spawn, .applied = true},
    {.name = "conf_G5_kinds_commands_set_buffer", .run = call_record_buffer, .applied = true},
    {.name = "conf_G5_kinds_commands_add_link", .run = call_record_link, .applied = true},
    {.name = "conf_G5_kinds_commands_add_requiring", .run = call_record_requiring, .applied = true},
    {.name = "conf_G5_kinds_commands_add_shared", .run = call_record_shared, .applied = true},
    {.name = "conf_G5_kinds_commands_relate", .run = call_record_many, .applied = true},
    {.name = "conf_G5_kinds_commands_enable", .run = call_record_enable, .applied = true},
    {.name = "conf_G5_kinds_commands_unrelate", .run = call_record_unrelate, .applied = true},
    {.name = "conf_G5_kinds_commands_apply", .run = call_apply},
    {.name = "conf_G5_kinds_trim", .run = call_trim, .never_fails = true},
    {.name = "conf_G5_kinds_print_entity", .run = call_print_entity},
    {.name = "conf_G5_kinds_print_memory", .run = call_print_memory},
    {.name = "conf_G5_kinds_csv_query", .run = call_csv_sorted},
    {.name = "conf_G5_kinds_world_hash", .run = call_hash},
    {.name = "conf_G5_kinds_world_hash_by_layout", .run = call_hash_layout},
};
#define CALL_COUNT (sizeof calls / sizeof calls[0])

/* A full world can always be emptied, whatever its entities have, but for what cleanup components keep. */
static void test_destroy_needs_no_memory(void **state) {
    (void)state;
    scene s = {0};
    scene_start(&s, NULL);
    assert_ok(shoal_destroy(s.world, s.heir));
    failing_empty(&s.f, 2);
    scene_end(&s);
}

int main(void) {
    kinds_register();
    full_types_register();
    const struct CMUnitTest others[] = {cmocka_unit_test(test_destroy_needs_no_memory)};
    return failing_run_tests(&kinds_scene, calls, CALL_COUNT, others, 1);
}
