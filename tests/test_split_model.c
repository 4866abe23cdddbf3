/*
 * Split relations against a naive model: random calls and command buffers on a few entities that are sources and
 * targets of each other by relations of every policy, with components of several kinds beside them. Each call is first
 * made to fail at every allocation, and must then have changed nothing. After each step the world is validated,
 * compared with the model, and asked by queries, which must go by archetypes alone.
 */
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <string.h>

#define SLOTS 20
#define STEPS 250
#define NOBODY (-1)

typedef struct Cost {
    int32_t value;
} Cost;
typedef struct Fleet {
    int32_t value;
} Fleet;
typedef struct Team {
    int32_t value;
} Team;

static int64_t fleet_links; /* by on_add and on_remove */

static void fleet_on_add(const shoal_component_event *event, void *user) {
    (void)event;
    (void)user;
    fleet_links++;
}

static void fleet_on_remove(const shoal_component_event *event, void *user) {
    (void)event;
    (void)user;
    fleet_links--;
}

SHOAL_COMPONENT(Cost)
SHOAL_TAG(Visible)
SHOAL_TAG(Kept, .cleanup = true)
SHOAL_TAG(Near, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT(Team, .storage = SHOAL_STORAGE_SHARED)
SHOAL_RELATION(Squad, .exclusive = true, .split = true)
SHOAL_RELATION_DATA(Fleet, .exclusive = true, .split = true, .required = SHOAL_REQUIRES(SHOAL_SLOT(Visible)),
                    .on_add = fleet_on_add, .on_remove = fleet_on_remove)
SHOAL_RELATION(Crew, .exclusive = true, .split = true, .on_target_destroyed = SHOAL_TARGET_DESTROY)
SHOAL_RELATION(Anchor, .exclusive = true, .split = true, .on_target_destroyed = SHOAL_TARGET_REFUSE)
SHOAL_RELATION(Under, .acyclic = true, .split = true)
SHOAL_RELATION(Plain, .exclusive = true)

enum { COST, VISIBLE, KEPT, NEAR, TEAM, COMPONENTS };
enum { SQUAD, FLEET, CREW, ANCHOR, UNDER, PLAIN, RELATIONS };

static shoal_component component_of(size_t number) {
    shoal_component_slot *const slots[] = {SHOAL_SLOT(Cost), SHOAL_SLOT(Visible), SHOAL_SLOT(Kept), SHOAL_SLOT(Near),
                                           SHOAL_SLOT(Team)};
    return shoal_component_of(slots[number]);
}

static shoal_component relation_of(size_t number) {
    shoal_component_slot *const slots[] = {SHOAL_SLOT(Squad),  SHOAL_SLOT(Fleet), SHOAL_SLOT(Crew),
                                           SHOAL_SLOT(Anchor), SHOAL_SLOT(Under), SHOAL_SLOT(Plain)};
    return shoal_component_of(slots[number]);
}

/* ---- the model ---- */

typedef struct thing {
    shoal_entity handle; /* stays when it is dead */
    bool alive, dying;
    bool has[COMPONENTS];
    int32_t values[COMPONENTS];
    int targets[RELATIONS];
    int32_t data; /* of Fleet */
} thing;

typedef struct model {
    thing things[SLOTS];
} model;

typedef enum op_kind {
    OP_SPAWN,
    OP_DESTROY,
    OP_ADD,
    OP_REMOVE,
    OP_CLEAR,
    OP_RELATE,
    OP_UNRELATE,
    OP_CLONE,
    OP_CHANGE,
    OP_ALL,
    OP_COUNT
} op_kind;

typedef struct op {
    op_kind kind;
    int slot;      /* whose; of a spawn and a clone: the new one's */
    int other;     /* a target, or what is cloned */
    size_t number; /* of a component or relation */
    size_t second; /* of a relation that a change removes */
    int32_t value;
    bool has[COMPONENTS]; /* of a spawn */
    int targets[RELATIONS];
} op;

static bool can_link(const model *m, int source, int target, size_t relation) {
    if (target == NOBODY || !m->things[target].alive || m->things[target].dying) {
        return false;
    }
    for (int at = target; relation == UNDER && at != NOBODY; at = m->things[at].targets[UNDER]) {
        if (at == source) {
            return false;
        }
    }
    return true;
}

static void thing_end(thing *t) {
    *t = (thing){.handle = t->handle};
    for (size_t r = 0; r < RELATIONS; r++) {
        t->targets[r] = NOBODY;
    }
}

/* Destroys one, or two at once. */
static bool model_destroy(model *m, int slot, int second) {
    bool doomed[SLOTS] = {false};
    if (second != NOBODY && !m->things[second].alive) {
        return false;
    }
    doomed[slot] = !m->things[slot].dying;
    doomed[second != NOBODY ? second : slot] = !m->things[second != NOBODY ? second : slot].dying;
    for (int pass = 0; pass < SLOTS; pass++) {
        for (int i = 0; i < SLOTS; i++) {
            int target = m->things[i].targets[CREW];
            doomed[i] = doomed[i] || (target != NOBODY && doomed[target]);
        }
    }
    for (int i = 0; i < SLOTS; i++) {
        int target = m->things[i].targets[ANCHOR];
        if (target != NOBODY && doomed[target] && !doomed[i]) {
            return false;
        }
    }
    for (int i = 0; i < SLOTS; i++) {
        for (size_t r = 0; r < RELATIONS; r++) {
            int target = m->things[i].targets[r];
            m->things[i].targets[r] = target != NOBODY && doomed[target] ? NOBODY : target;
        }
    }
    for (int i = 0; i < SLOTS; i++) {
        if (doomed[i]) {
            bool kept = m->things[i].has[KEPT];
            thing_end(&m->things[i]);
            m->things[i].alive = m->things[i].dying = m->things[i].has[KEPT] = kept;
        }
    }
    return true;
}

static void model_link(thing *t, size_t relation, int target, int32_t value, bool keeps) {
    bool same = t->targets[relation] == target;
    t->targets[relation] = target;
    if (relation == FLEET) {
        t->has[VISIBLE] = true;
        t->data = keeps && same ? t->data : value;
    }
}

static bool model_spawn(model *m, const op *o) {
    thing *t = &m->things[o->slot];
    for (size_t r = 0; r < RELATIONS; r++) {
        if (o->targets[r] != NOBODY && !can_link(m, o->slot, o->targets[r], r)) {
            return false;
        }
    }
    thing_end(t);
    t->alive = true;
    for (size_t r = 0; r < RELATIONS; r++) {
        if (o->targets[r] != NOBODY) {
            model_link(t, r, o->targets[r], o->value, false);
        }
    }
    for (size_t c = 0; c < COMPONENTS; c++) {
        t->has[c] = t->has[c] || o->has[c];
        t->values[c] = o->has[c] && (c == COST || c == TEAM) ? o->value : 0;
    }
    return true;
}

static bool model_remove(model *m, const op *o) {
    thing *t = &m->things[o->slot];
    t->has[o->number] = false;
    t->values[o->number] = 0;
    if (t->dying && !t->has[KEPT]) {
        thing_end(t);
    }
    return true;
}

static bool is_costly(const thing *t) {
    return t->alive && !t->dying && t->has[COST];
}

/* One link for all that have a cost, or for none. */
static bool model_all(model *m, const op *o) {
    for (int i = 0; i < SLOTS; i++) {
        if (is_costly(&m->things[i]) && !can_link(m, i, o->other, o->number)) {
            return false;
        }
    }
    for (int i = 0; i < SLOTS; i++) {
        if (is_costly(&m->things[i])) {
            model_link(&m->things[i], o->number, o->other, o->value, false);
        }
    }
    return true;
}

/* Does the operation; false when its call must fail, and nothing has changed then. */
static bool model_apply(model *m, const op *o) {
    thing *t = &m->things[o->slot];
    if (o->kind == OP_SPAWN) {
        return model_spawn(m, o);
    }
    if (o->kind == OP_ALL) {
        return model_all(m, o);
    }
    if (o->kind == OP_CLONE) {
        const thing *source = &m->things[o->other];
        if (!source->alive || source->dying) {
            return false;
        }
        shoal_entity handle = t->handle;
        *t = *source;
        t->handle = handle;
        return true;
    }
    if (!t->alive) {
        return false;
    }
    switch (o->kind) {
    case OP_DESTROY:
        return model_destroy(m, o->slot, o->other);
    case OP_REMOVE:
        return model_remove(m, o);
    case OP_CLEAR: {
        thing_end(t);
        t->alive = true;
        return true;
    }
    case OP_UNRELATE: {
        if (o->other != NOBODY && !m->things[o->other].alive) {
            return false;
        }
        bool leads = o->other == NOBODY || t->targets[o->number] == o->other;
        t->targets[o->number] = leads ? NOBODY : t->targets[o->number];
        return true;
    }
    default:
        break;
    }
    if (t->dying || (o->kind != OP_ADD && !can_link(m, o->slot, o->other, o->number))) {
        return false;
    }
    if (o->kind == OP_ADD) {
        t->has[o->number] = true;
        t->values[o->number] = o->number == COST || o->number == TEAM ? o->value : 0;
        return true;
    }
    if (o->kind == OP_CHANGE) {
        t->targets[o->second] = NOBODY;
        t->has[COST] = true;
        t->values[COST] = o->value;
    }
    model_link(t, o->number, o->other, o->value, false);
    return true;
}

/* A clear of a dying entity ends it. */
static bool model_do(model *m, const op *o) {
    bool was_dying = m->things[o->slot].alive && m->things[o->slot].dying;
    bool done = model_apply(m, o);
    if (done && o->kind == OP_CLEAR && was_dying) {
        thing_end(&m->things[o->slot]);
    }
    return done;
}

/* ---- the same in the world ---- */

/* All that a call is given; it must stay in place. */
typedef struct given {
    shoal_value values[COMPONENTS + RELATIONS];
    shoal_link links[RELATIONS];
    size_t count;
    int32_t value;
} given;

static shoal_entity handle_of(const model *m, int slot) {
    return slot != NOBODY ? m->things[slot].handle : (shoal_entity){0};
}

static void given_link(given *g, const model *m, size_t relation, int target) {
    g->links[relation] = (shoal_link){.target = handle_of(m, target), .data = relation == FLEET ? &g->value : NULL};
    g->values[g->count++] = (shoal_value){.component = relation_of(relation), .data = &g->links[relation]};
}

static void given_component(given *g, size_t number) {
    g->values[g->count++] =
        (shoal_value){.component = component_of(number), .data = number == COST || number == TEAM ? &g->value : NULL};
}

static void given_make(given *g, const model *m, const op *o) {
    *g = (given){.value = o->value};
    for (size_t c = 0; c < COMPONENTS && o->kind == OP_SPAWN; c++) {
        if (o->has[c]) {
            given_component(g, c);
        }
    }
    for (size_t r = 0; r < RELATIONS && o->kind == OP_SPAWN; r++) {
        if (o->targets[r] != NOBODY) {
            given_link(g, m, r, o->targets[r]);
        }
    }
    if (o->kind == OP_ADD) {
        given_component(g, o->number);
    } else if (o->kind == OP_RELATE || o->kind == OP_CHANGE || o->kind == OP_ALL) {
        given_link(g, m, o->number, o->other);
    }
    if (o->kind == OP_CHANGE) {
        given_component(g, COST);
    }
}

typedef struct subject {
    fixture f;
    model model;
    rng random;
    shoal_query *all_with_cost;
    shoal_query *sources[RELATIONS];
    shoal_query *others[RELATIONS];
} subject;

static shoal_status call_op(subject *s, const op *o, shoal_entity *made) {
    shoal_world *world = s->f.world;
    shoal_entity entity = handle_of(&s->model, o->slot);
    given g;
    given_make(&g, &s->model, o);
    switch (o->kind) {
    case OP_SPAWN:
        if (o->value % 2 == 0) {
            *made = shoal_spawn(world, g.values, g.count);
            return shoal_entity_is_null(*made) ? shoal_last_error(world).status : SHOAL_OK;
        }
        return shoal_spawn_many(
            world, &(shoal_spawn_many_def){.count = 1, .values = g.values, .value_count = g.count, .entities = made});
    case OP_CLONE:
        *made = shoal_clone(world, handle_of(&s->model, o->other));
        return shoal_entity_is_null(*made) ? shoal_last_error(world).status : SHOAL_OK;
    case OP_DESTROY:
        return o->other == NOBODY
                   ? shoal_destroy(world, entity)
                   : shoal_destroy_many(world, (shoal_entity[]){entity, handle_of(&s->model, o->other)}, 2);
    case OP_ADD:
        return shoal_add(world, entity, component_of(o->number), g.values[0].data);
    case OP_REMOVE:
        return shoal_remove(world, entity, component_of(o->number));
    case OP_CLEAR:
        return shoal_clear(world, entity);
    case OP_RELATE:
        return shoal_relate(world, entity, relation_of(o->number), g.links[o->number].target, g.links[o->number].data);
    case OP_UNRELATE:
        return shoal_unrelate(world, entity, relation_of(o->number), handle_of(&s->model, o->other));
    case OP_CHANGE:
        return shoal_change_entity(world, entity,
                                   &(shoal_change){.add = g.values,
                                                   .add_count = g.count,
                                                   .remove = (shoal_component[]){relation_of(o->second)},
                                                   .remove_count = 1});
    default:
        return shoal_query_change_entities(s->all_with_cost, &(shoal_change){.add = g.values, .add_count = g.count});
    }
}

static shoal_status record_op(shoal_commands *commands, const model *m, const op *o, shoal_entity *made) {
    shoal_entity entity = handle_of(m, o->slot);
    given g;
    given_make(&g, m, o);
    switch (o->kind) {
    case OP_SPAWN:
        *made = shoal_commands_spawn(commands, g.values, g.count);
        return SHOAL_OK;
    case OP_DESTROY:
        return shoal_commands_destroy_entity(commands, entity);
    case OP_ADD:
        return shoal_commands_add(commands, entity, component_of(o->number), g.values[0].data);
    case OP_REMOVE:
        return shoal_commands_remove(commands, entity, component_of(o->number));
    case OP_CLEAR:
        return shoal_commands_clear(commands, entity);
    case OP_RELATE:
        return shoal_commands_relate(commands, entity, relation_of(o->number), g.links[o->number].target,
                                     g.links[o->number].data);
    default:
        return shoal_commands_unrelate(commands, entity, relation_of(o->number), handle_of(m, o->other));
    }
}

/* ---- comparing ---- */

static void compare_thing(const subject *s, int slot) {
    const shoal_world *world = s->f.world;
    const thing *t = &s->model.things[slot];
    assert_count(shoal_is_alive(world, t->handle), t->alive);
    if (!t->alive) {
        return;
    }
    assert_count(shoal_is_dying(world, t->handle), t->dying);
    size_t expected = t->dying;
    for (size_t c = 0; c < COMPONENTS; c++) {
        assert_count(shoal_has(world, t->handle, component_of(c)), t->has[c]);
        expected += t->has[c];
        if (t->has[c] && (c == COST || c == TEAM)) {
            assert_count(*(const int32_t *)shoal_get(world, t->handle, component_of(c)), t->values[c]);
        }
    }
    for (size_t r = 0; r < RELATIONS; r++) {
        assert_entity(shoal_target(world, t->handle, relation_of(r)), handle_of(&s->model, t->targets[r]));
        assert_count(shoal_has(world, t->handle, relation_of(r)), t->targets[r] != NOBODY);
        expected += t->targets[r] != NOBODY;
    }
    if (t->targets[FLEET] != NOBODY) {
        const Fleet *fleet = shoal_relation_get(world, t->handle, SHOAL_ID(Fleet), (shoal_entity){0});
        assert_count(fleet->value, t->data);
    }
    size_t listed = 0;
    for (shoal_component component = {0}; shoal_next_component(world, t->handle, &component); listed++) {
    }
    assert_count(listed, expected);
}

/* Entities that are not dying, by what they lead to: -2 means anything, NOBODY nothing. */
static size_t model_count(const model *m, size_t relation, int target) {
    size_t count = 0;
    for (int i = 0; i < SLOTS; i++) {
        const thing *t = &m->things[i];
        int leads_to = t->targets[relation];
        count += t->alive && !t->dying && (target == -2 ? leads_to != NOBODY : leads_to == target);
    }
    return count;
}

/* All rows of one chunk have one target. */
static void check_chunks(const subject *s, size_t relation) {
    shoal_view view;
    assert_ok(shoal_view_begin(&view, s->sources[relation]));
    while (shoal_view_next(&view)) {
        shoal_entity target = shoal_target(s->f.world, view.entities[0], relation_of(relation));
        for (size_t i = 0; i < view.count; i++) {
            assert_entity(shoal_target(s->f.world, view.entities[i], relation_of(relation)), target);
        }
    }
    shoal_view_end(&view);
}

static void compare_queries(subject *s) {
    for (size_t r = 0; r < PLAIN; r++) {
        assert_false(s->sources[r]->is_special);
        assert_count(shoal_query_count(s->sources[r]), model_count(&s->model, r, -2));
        assert_count(shoal_query_count(s->others[r]), model_count(&s->model, r, NOBODY));
        check_chunks(s, r);
    }
    int slot = (int)rng_below(&s->random, SLOTS);
    size_t relation = rng_below(&s->random, PLAIN);
    if (s->model.things[slot].alive) {
        shoal_term term = {
            .component = relation_of(relation), .access = SHOAL_ACCESS_WITH, .target = s->model.things[slot].handle};
        shoal_query *query = shoal_query_create(s->f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
        assert_false(query->is_special);
        assert_count(shoal_query_count(query), model_count(&s->model, relation, slot));
        assert_ok(shoal_query_destroy(query));
    }
}

static void compare(subject *s) {
    assert_valid(s->f.world);
    int64_t links = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        compare_thing(s, slot);
        links += s->model.things[slot].targets[FLEET] != NOBODY;
    }
    assert_count(fleet_links, links);
    compare_queries(s);
}

/* ---- random operations ---- */

static int free_slot(const model *m, const bool *taken) {
    for (int i = 0; i < SLOTS; i++) {
        if (!m->things[i].alive && !taken[i]) {
            return i;
        }
    }
    return NOBODY;
}

static op op_random(subject *s, size_t kinds) {
    static const op_kind frequent[] = {OP_RELATE, OP_RELATE, OP_SPAWN, OP_SPAWN, OP_UNRELATE, OP_ADD, OP_CHANGE};
    rng *random = &s->random;
    op o = {.kind = (op_kind)rng_below(random, (uint32_t)kinds)};
    if (rng_chance(random, 60)) {
        o.kind = frequent[rng_below(random, kinds == OP_COUNT ? 7 : 6)];
    }
    o.slot = (int)rng_below(random, SLOTS);
    bool may_be_alone = o.kind == OP_UNRELATE || o.kind == OP_DESTROY;
    bool is_command = kinds != OP_COUNT;
    o.other = (int)rng_below(random, SLOTS);
    o.other = (may_be_alone && rng_chance(random, 40)) || (o.kind == OP_DESTROY && is_command) ? NOBODY : o.other;
    bool adds = o.kind == OP_ADD || o.kind == OP_REMOVE;
    o.number = rng_below(random, adds ? COMPONENTS : RELATIONS);
    o.second = (o.number + 1 + rng_below(random, RELATIONS - 1)) % RELATIONS;
    o.value = (int32_t)rng_below(random, 4);
    for (size_t c = 0; c < COMPONENTS; c++) {
        o.has[c] = rng_chance(random, c == KEPT ? 15 : 40);
    }
    for (size_t r = 0; r < RELATIONS; r++) {
        o.targets[r] = rng_chance(random, 20) ? (int)rng_below(random, SLOTS) : NOBODY;
    }
    return o;
}

/* A call that has failed at every allocation before it succeeds; nothing is left of the failures. */
static void do_call(subject *s, op *o) {
    static const bool none[SLOTS];
    bool makes = o->kind == OP_SPAWN || o->kind == OP_CLONE;
    o->slot = makes ? free_slot(&s->model, none) : o->slot;
    if (o->slot == NOBODY) {
        return;
    }
    model expected = s->model;
    bool works = model_do(&expected, o);
    shoal_entity made = {0};
    shoal_status status = SHOAL_OUT_OF_MEMORY;
    for (size_t n = 1; status == SHOAL_OUT_OF_MEMORY; n++) {
        fake_allocator_arm(&s->f.fake, n, false);
        status = call_op(s, o, &made);
        bool failed = fake_allocator_disarm(&s->f.fake);
        assert_true(failed || status != SHOAL_OUT_OF_MEMORY);
        if (status == SHOAL_OUT_OF_MEMORY) {
            compare(s);
        }
    }
    if (works) {
        assert_ok(status);
    } else {
        assert_true(status != SHOAL_OK);
    }
    s->model = expected;
    s->model.things[o->slot].handle = makes && works ? made : s->model.things[o->slot].handle;
}

/* Takes one command into the buffer and the model; counts it when it will be dropped. */
static void record_one(subject *s, shoal_commands *commands, model *expected, bool *taken, size_t *dropped) {
    op o = op_random(s, OP_CLONE);
    o.slot = o.kind == OP_SPAWN ? free_slot(expected, taken) : o.slot;
    if (o.slot == NOBODY) {
        return;
    }
    for (size_t r = 0; r < RELATIONS; r++) {
        bool is_placeholder = o.targets[r] != NOBODY && taken[o.targets[r]];
        o.targets[r] = is_placeholder && r != PLAIN ? NOBODY : o.targets[r];
    }
    shoal_entity made = {0};
    shoal_status status = record_op(commands, expected, &o, &made);
    if (o.kind == OP_RELATE && o.number != PLAIN && taken[o.other]) {
        assert_status(status, SHOAL_ENTITY_PLACEHOLDER);
        return;
    }
    assert_ok(status);
    bool works = model_do(expected, &o);
    *dropped += !works;
    if (o.kind == OP_SPAWN) {
        taken[o.slot] = true;
        expected->things[o.slot].handle = made;
    }
}

/* A handle that no call refuses to take, and that is never alive. */
static shoal_entity dead_handle(const subject *s, int slot) {
    return shoal_entity_make(s->f.world, (uint32_t)(1000 + slot), 7);
}

static void do_commands(subject *s) {
    bool taken[SLOTS] = {false};
    size_t dropped = 0;
    size_t count = 1 + rng_below(&s->random, 14);
    model expected = s->model;
    shoal_commands *commands = shoal_commands_create(s->f.world, NULL);
    for (size_t i = 0; i < count; i++) {
        record_one(s, commands, &expected, taken, &dropped);
    }
    shoal_commands_result result = {0};
    shoal_status status = SHOAL_OUT_OF_MEMORY;
    for (size_t n = 1; status == SHOAL_OUT_OF_MEMORY; n++) {
        fake_allocator_arm(&s->f.fake, n, false);
        status = shoal_commands_apply(commands, &result);
        (void)fake_allocator_disarm(&s->f.fake);
        if (status == SHOAL_OUT_OF_MEMORY) {
            compare(s);
        }
    }
    assert_ok(status);
    assert_count(result.dropped, dropped);
    for (int slot = 0; slot < SLOTS; slot++) {
        if (taken[slot]) {
            shoal_entity real = shoal_commands_resolve(commands, expected.things[slot].handle);
            assert_count(!shoal_entity_is_null(real), expected.things[slot].alive);
            expected.things[slot].handle = expected.things[slot].alive ? real : dead_handle(s, slot);
        }
    }
    s->model = expected;
    shoal_commands_destroy(commands);
}

/* ---- the test ---- */

static void subject_start(subject *s, uint64_t seed, bool moves) {
    *s = (subject){.random = {.state = seed}};
    fleet_links = 0;
    fixture_start(&s->f, &(shoal_world_def){.move_rows = moves});
    for (int slot = 0; slot < SLOTS; slot++) {
        thing_end(&s->model.things[slot]);
        s->model.things[slot].handle = dead_handle(s, slot);
    }
    s->all_with_cost =
        shoal_query_create(s->f.world, &(shoal_query_def){.terms = &(shoal_term)SHOAL_WITH(Cost), .term_count = 1});
    assert_non_null(s->all_with_cost);
    for (size_t r = 0; r < RELATIONS; r++) {
        shoal_term term = {.component = relation_of(r), .access = SHOAL_ACCESS_WITH};
        s->sources[r] = shoal_query_create(s->f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
        term.access = SHOAL_ACCESS_WITHOUT;
        s->others[r] = shoal_query_create(s->f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
        assert_non_null(s->others[r]);
    }
}

static void run(uint64_t seed, bool moves) {
    subject s;
    subject_start(&s, seed, moves);
    for (int step = 0; step < STEPS; step++) {
        bool buffered = rng_chance(&s.random, 40);
        op o = op_random(&s, OP_COUNT);
        test_set_context("seed %llu, step %d, %s %d", (unsigned long long)seed, step, buffered ? "commands" : "call",
                         (int)o.kind);
        if (buffered) {
            do_commands(&s);
        } else {
            do_call(&s, &o);
        }
        compare(&s);
    }
    fixture_end(&s.f);
}

static void test_against_model(void **state) {
    (void)state;
    uint64_t first = test_environment("SHOAL_TEST_SEED", 1);
    uint64_t rounds = test_environment("SHOAL_TEST_ROUNDS", 6);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        run(seed, false);
    }
}

static void test_against_model_with_moving_rows(void **state) {
    (void)state;
    run(test_environment("SHOAL_TEST_SEED", 1) + 1000, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_model),
        cmocka_unit_test(test_against_model_with_moving_rows),
    };
    return cmocka_run_group_tests_name("split_model", tests, NULL, NULL);
}
