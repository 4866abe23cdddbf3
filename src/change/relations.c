/*
 * The public calls on relations; see shoal/relation.h and storage/relation.h.
 *
 * A new link is given by shoal_add(), which knows of hooks, validation and required components; types that have none of
 * these take a shorter way here. What only reads asks the store first and looks at the handles after it found nothing:
 * a store has links between live entities only, so what it finds needs no check.
 * Thread rule: as each call's comment says; errors of reading calls are stored for the thread.
 */
#include "change.h"
#include "loose.h"

static const shoal_entity any_entity = {0};

/* ---- entering ---- */

/* The type of a relation, or NULL and why it is none. */
static ALWAYS_INLINE const component_type *relation_type(shoal_component relation, shoal_status *why) {
    const component_type *type = component_type_find(relation.id);
    if (UNLIKELY(type == NULL) || UNLIKELY(type->def.storage != SHOAL_STORAGE_RELATION)) {
        *why = type == NULL ? SHOAL_COMPONENT_INVALID : SHOAL_COMPONENT_KIND;
        return NULL;
    }
    return type;
}

/* The checks of all calls that change something: world, lock, component, source. Gives the source's record; NULL with
   the error stored, whose status is enter_status(). */
static ALWAYS_INLINE const index_record *relation_enter(shoal_world *world, shoal_component relation,
                                                        shoal_entity source, const component_type **type,
                                                        const char *call) {
    if (UNLIKELY(world == NULL)) {
        world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
        return NULL;
    }
    if (world_is_locked(world)) {
        world_fail_locked(world, call);
        return NULL;
    }
    shoal_status why = SHOAL_OK;
    *type = relation_type(relation, &why);
    if (UNLIKELY(*type == NULL)) {
        world_fail_component(world, why, call, source, relation);
        return NULL;
    }
    const index_record *record = index_find(&world->index, source);
    if (UNLIKELY(record == NULL)) {
        world_fail_entity(world, call, source);
    }
    return record;
}

static shoal_status enter_status(const shoal_world *world) {
    return world != NULL ? world_error(world)->status : SHOAL_INVALID_ARGUMENT;
}

/* Why a reading call has nothing to give: no world, a component that is no relation, or else a bad handle; nothing is
   stored when both handles are good, or the second is null. */
COLD static shoal_status relation_refuse(const shoal_world *world, shoal_component relation, shoal_entity entity,
                                         shoal_entity other, const char *call) {
    shoal_status why = SHOAL_OK;
    if (world == NULL) {
        return world_fail_reader(world, SHOAL_INVALID_ARGUMENT, call, any_entity, relation);
    }
    if (relation_type(relation, &why) == NULL) {
        return world_fail_reader(world, why, call, entity, relation);
    }
    if (index_find(&world->index, entity) == NULL) {
        return world_fail_reader(world, index_why(&world->index, entity), call, entity, relation);
    }
    if (!shoal_entity_is_null(other) && index_find(&world->index, other) == NULL) {
        return world_fail_reader(world, index_why(&world->index, other), call, other, relation);
    }
    return SHOAL_OK;
}

/* The store of a relation; NULL when there is no link yet, or no such relation. */
static ALWAYS_INLINE relation_store *relation_store_of(const shoal_world *world, shoal_component relation) {
    shoal_status why;
    if (UNLIKELY(world == NULL) || UNLIKELY(relation_type(relation, &why) == NULL)) {
        return NULL;
    }
    return store_relation(world, relation.id);
}

/* ---- relating ---- */

/* Links of such a type are bytes, and concern nobody but both ends: rows stay where they are. */
static ALWAYS_INLINE bool type_is_plain(const component_type *type) {
    return LIKELY(!type->hooked) && LIKELY(!type->notifies) && LIKELY(type->def.validate == NULL) &&
           LIKELY(type->def.required_count == 0) && LIKELY(!type->def.split);
}

/* True when the source gets a link that it does not have, and no data that may lie in one that is replaced. */
static ALWAYS_INLINE bool link_is_new(const relation_store *store, shoal_entity source, const shoal_link *link) {
    const relation_link *old = relation_find(store, source, store->is_exclusive ? any_entity : link->target);
    return old == NULL || (old->target.bits != link->target.bits && (link->data == NULL || store->type->def.size == 0));
}

/* True when a glance shows what loose_check_link() finds nearly always: the target is alive, the source has no sources
   that could lead back to it, and there are no names. */
static ALWAYS_INLINE bool link_is_fine(const shoal_world *world, const relation_store *store, shoal_entity source,
                                       shoal_entity target) {
    const index_record *record = index_find(&world->index, target);
    bool is_tree_end = !store->is_acyclic || (source.bits != target.bits && relation_sources(store, source) == NULL);
    return LIKELY(record != NULL) && LIKELY(!(row_of(world, record).archetype->hidden & ARCHETYPE_DYING)) &&
           LIKELY(is_tree_end) && LIKELY(world->names.count == 0);
}

/* loose_link() for a plain type in a world without names. */
static ALWAYS_INLINE void link_plain(shoal_world *world, relation_store *store, shoal_entity source,
                                     shoal_entity target, void *data) {
    uint64_t before = store->link_count;
    (void)relation_add(store, source, target, data);
    if (store->type->def.on_target_destroyed == SHOAL_TARGET_DESTROY) {
        world->cascade_links += store->link_count - before;
    }
    index_set_extra(&world->index, shoal_entity_index(source));
    index_set_extra(&world->index, shoal_entity_index(target));
}

/* Budget: 30 ns with both ends in the cache, of which the store has half. */
static ALWAYS_INLINE shoal_status relate_quick(shoal_world *world, relation_store *store, shoal_entity source,
                                               const shoal_link *link, const char *call) {
    const component_type *type = store->type;
    shoal_status status = SHOAL_OK;
    bool is_fine = link_is_fine(world, store, source, link->target);
    if (UNLIKELY(!is_fine)) {
        status = loose_check_link(world, type, source, link->target, call);
        if (status != SHOAL_OK) {
            return status;
        }
    }
    status = relation_reserve(store, source, link->target);
    if (LIKELY(status == SHOAL_OK) && UNLIKELY(world->doomed.capacity < world->cascade_links + 2)) {
        status = loose_reserve_cascade(world, type, 1);
    }
    if (UNLIKELY(status != SHOAL_OK)) {
        relation_settle(store);
        return world_fail(world, status, call);
    }
    void *data = type->def.size != 0 ? (void *)(uintptr_t)link->data : NULL; /* bytes, which are copied */
    if (LIKELY(is_fine)) {
        link_plain(world, store, source, link->target, data);
    } else {
        (void)loose_link(world, store, source, link->target, data);
    }
    return SHOAL_OK;
}

static ALWAYS_INLINE shoal_status relate(shoal_world *world, shoal_entity source, shoal_component relation,
                                         const shoal_link *link, const char *call) {
    const component_type *type;
    const index_record *record = relation_enter(world, relation, source, &type, call);
    if (UNLIKELY(record == NULL)) {
        return enter_status(world);
    }
    if (UNLIKELY(row_of(world, record).archetype->hidden & ARCHETYPE_DYING)) {
        return error_entity(world_error(world), SHOAL_ENTITY_DYING, call, source);
    }
    relation_store *store = store_relation(world, type->id);
    if (LIKELY(store != NULL) && type_is_plain(type) && LIKELY(link_is_new(store, source, link))) {
        return relate_quick(world, store, source, link, call);
    }
    shoal_status status = shoal_add(world, source, relation, link);
    if (status != SHOAL_OK) {
        world_error(world)->call = call; /* the caller knows nothing of shoal_add() */
    }
    return status;
}

shoal_status shoal_relate(shoal_world *world, shoal_entity source, shoal_component relation, shoal_entity target,
                          const void *data) {
    shoal_link link = {.target = target, .data = data};
    return relate(world, source, relation, &link, "shoal_relate");
}

static shoal_status unrelate(shoal_world *world, shoal_entity source, shoal_component relation, shoal_entity target,
                             const char *call) {
    const component_type *type;
    if (relation_enter(world, relation, source, &type, call) == NULL) {
        return enter_status(world);
    }
    if (!shoal_entity_is_null(target) && index_find(&world->index, target) == NULL) {
        return world_fail_entity(world, call, target);
    }
    relation_store *store = store_relation(world, type->id);
    if (store == NULL || relation_find(store, source, target) == NULL) {
        return SHOAL_OK;
    }
    if (UNLIKELY(type->def.split)) { /* the row moves */
        shoal_status removed = shoal_remove(world, source, relation);
        if (removed != SHOAL_OK) {
            world_error(world)->call = call;
        }
        return removed;
    }
    shoal_status status = loose_check_unlink(world, type, source, call);
    if (status == SHOAL_OK) {
        loose_unlink(world, store, source, target);
    }
    return status;
}

shoal_status shoal_unrelate(shoal_world *world, shoal_entity source, shoal_component relation, shoal_entity target) {
    return unrelate(world, source, relation, target, "shoal_unrelate");
}

shoal_status shoal_set_parent(shoal_world *world, shoal_entity child, shoal_entity parent) {
    static const char call[] = "shoal_set_parent";
    shoal_component child_of = {world != NULL ? world->child_of_id : 0};
    if (shoal_entity_is_null(parent)) {
        return unrelate(world, child, child_of, parent, call);
    }
    shoal_link link = {.target = parent};
    return relate(world, child, child_of, &link, call);
}

shoal_status shoal_order_source(shoal_world *world, shoal_component relation, shoal_entity source,
                                shoal_entity before) {
    static const char call[] = "shoal_order_source";
    const component_type *type;
    if (relation_enter(world, relation, source, &type, call) == NULL) {
        return enter_status(world);
    }
    if (!type->def.exclusive && !type->def.acyclic) {
        return world_fail_component(world, SHOAL_COMPONENT_KIND, call, source, relation);
    }
    if (!shoal_entity_is_null(before) && index_find(&world->index, before) == NULL) {
        return world_fail_entity(world, call, before);
    }
    relation_store *store = store_relation(world, type->id);
    shoal_status status = store != NULL ? relation_order_before(store, source, before) : SHOAL_RELATION_MISSING;
    return status == SHOAL_OK ? SHOAL_OK : world_fail_component(world, status, call, source, relation);
}

/* ---- asking a source ---- */

bool shoal_is_related(const shoal_world *world, shoal_entity source, shoal_component relation, shoal_entity target) {
    world_note_access(world, relation, false, "shoal_is_related");
    const relation_store *store = relation_store_of(world, relation);
    return store != NULL && relation_find(store, source, target) != NULL;
}

static ALWAYS_INLINE shoal_entity target_of(const shoal_world *world, shoal_entity source, shoal_component relation,
                                            const char *call) {
    world_note_access(world, relation, false, call);
    const relation_store *store = relation_store_of(world, relation);
    shoal_entity target = store != NULL ? relation_target(store, source) : any_entity;
    if (UNLIKELY(shoal_entity_is_null(target))) {
        (void)relation_refuse(world, relation, source, any_entity, call);
    }
    return target;
}

shoal_entity shoal_target(const shoal_world *world, shoal_entity source, shoal_component relation) {
    return target_of(world, source, relation, "shoal_target");
}

shoal_entity shoal_parent(const shoal_world *world, shoal_entity entity) {
    shoal_component child_of = {world != NULL ? world->child_of_id : 0};
    return target_of(world, entity, child_of, "shoal_parent");
}

static ALWAYS_INLINE void *data_get(const shoal_world *world, shoal_entity source, shoal_component relation,
                                    shoal_entity target, const char *call) {
    const relation_store *store = relation_store_of(world, relation);
    relation_link *link = store != NULL ? relation_find(store, source, target) : NULL;
    void *data = link != NULL ? relation_link_data(store, link) : NULL;
    if (UNLIKELY(data == NULL) && relation_refuse(world, relation, source, target, call) == SHOAL_OK) {
        shoal_status why = link != NULL ? SHOAL_TERM_WITHOUT_DATA : SHOAL_RELATION_MISSING;
        (void)world_fail_reader(world, why, call, source, relation);
    }
    return data;
}

const void *shoal_relation_get(const shoal_world *world, shoal_entity source, shoal_component relation,
                               shoal_entity target) {
    world_note_access(world, relation, false, "shoal_relation_get");
    return data_get(world, source, relation, target, "shoal_relation_get");
}

void *shoal_relation_get_mut(shoal_world *world, shoal_entity source, shoal_component relation, shoal_entity target) {
    world_note_access(world, relation, true, "shoal_relation_get_mut");
    return data_get(world, source, relation, target, "shoal_relation_get_mut");
}

shoal_target_walk shoal_targets(const shoal_world *world, shoal_entity source, shoal_component relation) {
    world_note_access(world, relation, false, "shoal_targets");
    const relation_store *store = relation_store_of(world, relation);
    relation_link *first = store != NULL ? relation_find(store, source, any_entity) : NULL;
    if (first == NULL) {
        (void)relation_refuse(world, relation, source, any_entity, "shoal_targets");
    }
    return (shoal_target_walk){.store_ = store, .cell_ = first};
}

bool shoal_targets_next(shoal_target_walk *walk) {
    if (walk == NULL || walk->cell_ == NULL) {
        return false;
    }
    const relation_store *store = walk->store_;
    relation_link *link = walk->cell_;
    walk->target = link->target;
    walk->data = relation_link_data(store, link);
    walk->cell_ = relation_link_next(store, link);
    return true;
}

/* ---- asking a target ---- */

/* Budget: with shoal_sources_next() 15 ns for a target that has sources, beside the miss of its list. */
static ALWAYS_INLINE const relation_list *sources_of(const shoal_world *world, shoal_component relation,
                                                     shoal_entity target, const char *call) {
    world_note_access(world, relation, false, call);
    const relation_store *store = relation_store_of(world, relation);
    const relation_list *list = LIKELY(store != NULL) ? relation_sources(store, target) : NULL;
    if (UNLIKELY(list == NULL)) {
        (void)relation_refuse(world, relation, target, any_entity, call);
    }
    return list;
}

shoal_source_walk shoal_sources(const shoal_world *world, shoal_component relation, shoal_entity target) {
    return (shoal_source_walk){.list_ = sources_of(world, relation, target, "shoal_sources")};
}

shoal_source_walk shoal_children(const shoal_world *world, shoal_entity parent) {
    shoal_component child_of = {world != NULL ? world->child_of_id : 0};
    return (shoal_source_walk){.list_ = sources_of(world, child_of, parent, "shoal_children")};
}

bool shoal_sources_next(shoal_source_walk *walk) {
    if (UNLIKELY(walk == NULL) || walk->list_ == NULL) {
        return false;
    }
    return relation_list_run(walk->list_, walk->next_++, &walk->entities, &walk->count);
}

size_t shoal_source_count(const shoal_world *world, shoal_component relation, shoal_entity target) {
    const relation_list *list = sources_of(world, relation, target, "shoal_source_count");
    return list != NULL ? list->count : 0;
}

/* ---- trees ---- */

/* The store of an acyclic relation; NULL also with COMPONENT_KIND stored for another one. */
static const relation_store *tree_store(const shoal_world *world, shoal_component relation, shoal_entity entity,
                                        const char *call) {
    world_note_access(world, relation, false, call);
    shoal_status why = SHOAL_COMPONENT_KIND;
    const component_type *type = world != NULL ? relation_type(relation, &why) : NULL;
    if (type != NULL && LIKELY(type->def.acyclic)) {
        return store_relation(world, relation.id);
    }
    why = world == NULL ? SHOAL_INVALID_ARGUMENT : why;
    (void)world_fail_reader(world, why, call, entity, relation);
    return NULL;
}

uint32_t shoal_depth(const shoal_world *world, shoal_component relation, shoal_entity entity) {
    static const char call[] = "shoal_depth";
    const relation_store *store = tree_store(world, relation, entity, call);
    uint32_t depth = store != NULL ? relation_depth(store, entity) : 0;
    if (depth == 0 && world != NULL && index_find(&world->index, entity) == NULL) {
        (void)relation_refuse(world, relation, entity, any_entity, call);
    }
    return depth;
}

bool shoal_tree_next(const shoal_world *world, shoal_component relation, shoal_entity root, shoal_entity *entity) {
    static const char call[] = "shoal_tree_next";
    if (entity == NULL) {
        (void)world_fail_reader(world, SHOAL_INVALID_ARGUMENT, call, root, relation);
        return false;
    }
    const relation_store *store = tree_store(world, relation, root, call);
    if (store != NULL && LIKELY(relation_tree_next(store, root, entity))) {
        return true;
    }
    /* The end of a walk, or of one that could not begin. A null one is no place in the tree. */
    if (world != NULL && (index_find(&world->index, root) == NULL || index_find(&world->index, *entity) == NULL)) {
        shoal_entity bad = index_find(&world->index, root) == NULL ? root : *entity;
        (void)relation_refuse(world, relation, bad, any_entity, call);
    }
    return false;
}
