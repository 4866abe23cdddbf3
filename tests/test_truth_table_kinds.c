/*
 * The scenes of test_truth_table.h, and the oracle: what shoal_has(), shoal_is_enabled(), shoal_is_related(),
 * shoal_target() and the walks say about one entity. Nothing here knows of queries. Every value is made from the number
 * of its entity and checked against it each time that the oracle reads it.
 */
#include "test_truth_table.h"

#include "support/calls.h"

typedef Numbered InTable, InSparse, InStable, InShared, InChunk, InBuffer, InUnique;
typedef Numbered ToManyData, ToOneData, OnTable, OnBuffer, LeftTable, LeftBuffer, OnLeftTable, Base, Side, Switch;

SHOAL_COMPONENT_DEFINE(InTable)
SHOAL_TAG_DEFINE(InTag)
SHOAL_COMPONENT_DEFINE(InSparse, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_TAG_DEFINE(InSparseTag, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT_DEFINE(InStable, .storage = SHOAL_STORAGE_SPARSE, .stable = true)
SHOAL_COMPONENT_DEFINE(InShared, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT_DEFINE(InChunk, .storage = SHOAL_STORAGE_CHUNK)
SHOAL_COMPONENT_DEFINE(InBuffer, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2)
SHOAL_COMPONENT_DEFINE(InUnique, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_RELATION_DEFINE(ToMany)
SHOAL_COMPONENT_DEFINE(ToManyData, .storage = SHOAL_STORAGE_RELATION)
SHOAL_COMPONENT_DEFINE(ToOneData, .storage = SHOAL_STORAGE_RELATION, .exclusive = true)
SHOAL_COMPONENT_DEFINE(OnTable, .toggle = true)
SHOAL_TAG_DEFINE(OnTag, .toggle = true)
SHOAL_COMPONENT_DEFINE(OnBuffer, .storage = SHOAL_STORAGE_BUFFER, .toggle = true, .inline_count = 2)
SHOAL_COMPONENT_DEFINE(LeftTable, .cleanup = true)
SHOAL_TAG_DEFINE(LeftTag, .cleanup = true)
SHOAL_COMPONENT_DEFINE(LeftBuffer, .storage = SHOAL_STORAGE_BUFFER, .cleanup = true, .inline_count = 2)
SHOAL_COMPONENT_DEFINE(OnLeftTable, .toggle = true, .cleanup = true)
SHOAL_COMPONENT_DEFINE(Base)
SHOAL_COMPONENT_DEFINE(Side, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT_DEFINE(Switch, .toggle = true)
SHOAL_RELATION_DEFINE(Under, .acyclic = true)

static const shoal_value no_values[1];

/* The value of an entity, in every form in which a call may take one. */
typedef struct given_value {
    Numbered numbered;
    Numbered elements[3];
    shoal_span span;
    shoal_link link;
} given_value;

static Numbered numbered(size_t number) {
    return (Numbered){(uint32_t)number, ~(uint32_t)number};
}

static const shoal_component_def *def_of(const truth_scene *scene) {
    return &scene->setup.slot->def;
}

bool truth_is_tag(shoal_component component) {
    return shoal_component_info(component)->size == 0;
}

/* Slots are handed out by index, so that an entity's index is its place. */
size_t truth_number(const truth_scene *scene, shoal_entity entity) {
    size_t number = shoal_entity_index(entity) - shoal_entity_index(scene->entities[0]);
    assert_true(number < scene->count);
    assert_entity(scene->entities[number], entity);
    return number;
}

/* ---- making a scene ---- */

static bool pattern_has(truth_pattern pattern, size_t number) {
    return pattern == TRUTH_ALL || (pattern == TRUTH_ALTERNATE && number % 2 == 0) ||
           (pattern == TRUTH_BLOCKS && number / 48 % 2 == 0);
}

/* Whether the entity gets the type; of a toggle, the pattern says which are enabled. */
static bool gets_subject(const truth_scene *scene, size_t number) {
    if (def_of(scene)->toggle) {
        return !scene->setup.some_lack_it || number % 5 != 4;
    }
    return def_of(scene)->storage != SHOAL_STORAGE_UNIQUE && pattern_has(scene->setup.pattern, number);
}

/* What to give the entity of this number as the value of the type. */
static const void *given_make(const truth_scene *scene, size_t number, given_value *given) {
    given->numbered = numbered(def_of(scene)->storage == SHOAL_STORAGE_SHARED ? number % 3 : number);
    for (size_t i = 0; i < 3; i++) {
        given->elements[i] = numbered(number * 4 + i);
    }
    given->span = (shoal_span){.items = given->elements, .count = number % 4};
    given->link = (shoal_link){.target = scene->entities[number % TRUTH_ANCHORS], .data = &given->numbered};
    switch (def_of(scene)->storage) {
    case SHOAL_STORAGE_BUFFER:
        return &given->span;
    case SHOAL_STORAGE_RELATION:
        return &given->link;
    default:
        return &given->numbered;
    }
}

/* A second target for some sources of a relation that allows several. */
static void relate_again(truth_scene *scene, shoal_entity entity, size_t number) {
    if (def_of(scene)->storage == SHOAL_STORAGE_RELATION && !def_of(scene)->exclusive && number % 4 == 2) {
        Numbered data = numbered(number + 50000);
        assert_ok(
            shoal_relate(scene->f.world, entity, scene->subject, scene->entities[(number + 1) % TRUTH_ANCHORS], &data));
    }
}

/* Switches off what the pattern leaves out. */
static void switch_off(truth_scene *scene, shoal_entity entity, size_t number) {
    if (def_of(scene)->toggle && gets_subject(scene, number) && !pattern_has(scene->setup.pattern, number)) {
        assert_ok(shoal_disable(scene->f.world, entity, scene->subject));
    }
}

static void add_matter(truth_scene *scene, size_t number) {
    shoal_world *world = scene->f.world;
    given_value given;
    Numbered own = numbered(number);
    shoal_value values[4] = {{SHOAL_ID(Base), &own}, {SHOAL_ID(Switch), &own}};
    size_t count = 2;
    if (number % 3 != 1) {
        values[count++] = (shoal_value){SHOAL_ID(Side), &own};
    }
    if (gets_subject(scene, number)) {
        values[count++] = (shoal_value){scene->subject, given_make(scene, number, &given)};
    }
    shoal_entity entity = spawn_one(world, values, count);
    scene->entities[scene->count++] = entity;
    if (gets_subject(scene, number)) {
        relate_again(scene, entity, number);
        switch_off(scene, entity, number);
    }
    if (number * 7 / 3 % 4 == 0) {
        assert_ok(shoal_disable(world, entity, SHOAL_ID(Switch)));
    }
    if (number > 0) {
        assert_ok(shoal_set_parent(world, entity, scene->entities[TRUTH_ANCHORS + (number - 1) / 4]));
    }
    if (number % 10 != 0) {
        assert_ok(shoal_relate(world, entity, SHOAL_ID(Under), scene->entities[scene->count - 2], NULL));
    }
}

static void add_extra(truth_scene *scene, size_t number) {
    shoal_world *world = scene->f.world;
    given_value given;
    shoal_entity entity = spawn_one(world, no_values, 0);
    scene->entities[scene->count++] = entity;
    if (scene->setup.pattern != TRUTH_NONE && def_of(scene)->storage != SHOAL_STORAGE_UNIQUE) {
        assert_ok(shoal_add(world, entity, scene->subject, given_make(scene, number, &given)));
        relate_again(scene, entity, number);
        switch_off(scene, entity, number);
    }
}

void truth_scene_start(truth_scene *scene, const truth_setup *setup) {
    fixture_start(&scene->f, &(shoal_world_def){.pinned_chunk_bytes = setup->chunk_bytes});
    scene->setup = *setup;
    scene->subject = shoal_component_of(setup->slot);
    scene->count = 0;
    for (; scene->count < TRUTH_ANCHORS; scene->count++) {
        scene->entities[scene->count] = spawn_one(scene->f.world, no_values, 0);
    }
    for (size_t i = 0; i < setup->count; i++) {
        add_matter(scene, i);
    }
    for (size_t i = 0; i < TRUTH_EXTRAS; i++) {
        add_extra(scene, setup->count + i);
    }
    if (setup->slot->def.storage == SHOAL_STORAGE_UNIQUE && setup->pattern != TRUTH_NONE) {
        Numbered value = numbered(42);
        assert_ok(shoal_unique_set(scene->f.world, scene->subject, &value));
    }
    const shoal_entity *extras = &scene->entities[TRUTH_ANCHORS + setup->count];
    assert_ok(shoal_add(scene->f.world, extras[1], SHOAL_ID(Prefab), NULL));
    assert_ok(shoal_destroy(scene->f.world, extras[2]));
    assert_ok(shoal_destroy(scene->f.world, extras[4]));
    assert_valid(scene->f.world);
}

void truth_scene_end(truth_scene *scene) {
    fixture_end(&scene->f);
}

/* ---- the oracle ---- */

/* The same for the entity's own component. */
static bool own_is_there(const truth_scene *scene, const shoal_term *term, shoal_entity entity) {
    const shoal_world *world = scene->f.world;
    shoal_component component = term->component;
    const shoal_component_def *def = shoal_component_info(component);
    if (def->storage == SHOAL_STORAGE_UNIQUE) {
        return shoal_unique_has(world, component);
    }
    if (def->storage == SHOAL_STORAGE_RELATION) {
        return shoal_is_related(world, entity, component, term->target);
    }
    if (!shoal_has(world, entity, component)) {
        return false;
    }
    if (term->value != NULL) {
        const Numbered *value = shoal_get(world, entity, component);
        return value->number == ((const Numbered *)term->value)->number;
    }
    return !def->toggle || term->state == SHOAL_STATE_EITHER ||
           shoal_is_enabled(world, entity, component) == (term->state == SHOAL_STATE_ENABLED);
}

static shoal_component along_of(const shoal_term *term) {
    return term->along.id != 0 ? term->along : SHOAL_ID(ChildOf);
}

shoal_entity truth_owner(const truth_scene *scene, const shoal_term *term, shoal_entity entity) {
    const shoal_world *world = scene->f.world;
    if (term->traverse != SHOAL_TRAVERSE_UP) {
        return entity;
    }
    do {
        entity = shoal_target(world, entity, along_of(term));
    } while (!shoal_entity_is_null(entity) && !shoal_has(world, entity, term->component));
    return entity;
}

bool truth_term_is_there(const truth_scene *scene, const shoal_term *term, shoal_entity entity) {
    if (term->traverse != SHOAL_TRAVERSE_DOWN) {
        shoal_entity owner = truth_owner(scene, term, entity);
        return !shoal_entity_is_null(owner) && own_is_there(scene, term, owner);
    }
    for (shoal_entity at = entity; shoal_tree_next(scene->f.world, along_of(term), entity, &at);) {
        if (own_is_there(scene, term, at)) {
            return true;
        }
    }
    return false;
}

const void *truth_value(const truth_scene *scene, const shoal_term *term, shoal_entity entity) {
    const shoal_world *world = scene->f.world;
    shoal_storage storage = shoal_component_info(term->component)->storage;
    shoal_entity owner = truth_owner(scene, term, entity);
    const Numbered *value = NULL;
    if (storage == SHOAL_STORAGE_UNIQUE) {
        value = shoal_unique_has(world, term->component) ? shoal_unique_get(world, term->component) : NULL;
    } else if (storage == SHOAL_STORAGE_RELATION) {
        bool is_there = shoal_is_related(world, entity, term->component, term->target);
        value = is_there ? shoal_relation_get(world, entity, term->component, term->target) : NULL;
    } else if (!shoal_entity_is_null(owner) && shoal_has(world, owner, term->component)) {
        value = shoal_get(world, owner, term->component);
        assert_non_null(value);
    }
    assert_true(value == NULL || value->inverse == ~value->number);
    if (value != NULL && (storage == SHOAL_STORAGE_TABLE || storage == SHOAL_STORAGE_SPARSE)) {
        assert_count(value->number, truth_number(scene, owner) - TRUTH_ANCHORS);
    }
    return value;
}
