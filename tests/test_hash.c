/*
 * Hashes of worlds: equal for equal histories, another for each single thing that differs, the same for all that is no
 * content. Each change is made in a scene of its own and seen by both forms.
 */
#include "support/calls.h"
#include "support/test.h"
#include "test_hash_scene.h"

#include <string.h>

#include "storage/index.h"

static uint64_t hash_of(const scene *s, shoal_hash_form form) {
    uint64_t hash = 0;
    assert_ok(shoal_world_hash(s->world, form, &hash));
    return hash;
}

typedef struct hash_pair {
    uint64_t canonical, layout;
} hash_pair;

static hash_pair hashes_of(const scene *s) {
    return (hash_pair){hash_of(s, SHOAL_HASH_CANONICAL), hash_of(s, SHOAL_HASH_LAYOUT)};
}

/* What is done to a scene. */
typedef struct scene_change {
    const char *name;
    void (*make)(scene *s);
} scene_change;

/* The hashes of a scene before and after; the same again in a second scene gives the same ones. */
static void change_run(const scene_change *change, hash_pair *before, hash_pair *after) {
    test_set_context("%s", change->name);
    for (size_t round = 0; round < 2; round++) {
        scene s;
        scene_start(&s, NULL);
        hash_pair first = hashes_of(&s);
        change->make(&s);
        assert_valid(s.world);
        hash_pair second = hashes_of(&s);
        assert_true(round == 0 || (first.canonical == before->canonical && first.layout == before->layout));
        assert_true(round == 0 || (second.canonical == after->canonical && second.layout == after->layout));
        *before = first;
        *after = second;
        scene_end(&s);
    }
}

/* ---- what counts ---- */

static void change_column(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[3], Position)->z += 1;
}

static void change_sign_of_zero(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Position)->x = -0.0f;
}

static void change_column_with_gaps(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[3], Padded)->kind ^= 0x80;
}

static void change_text(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Label)->text[4] = 'b';
}

static void change_text_end(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Label)->text[4] = '\0';
}

static void change_handle(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Aim)->at[1] = s->ships[3];
}

static void change_handle_generation(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Aim)->at[1].bits ^= UINT64_C(1) << 32;
}

static void change_handle_to_null(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Aim)->at[0] = (shoal_entity){0};
}

static void change_nested(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Aim)->inner[1].count++;
}

static void change_raw(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Raw)->bytes[4]++;
}

static void change_tag(scene *s) {
    assert_ok(shoal_add(s->world, s->ships[4], SHOAL_ID(Marked), NULL));
}

static void change_component(scene *s) {
    assert_ok(shoal_remove(s->world, s->ships[0], SHOAL_ID(Raw)));
}

static void change_owning(scene *s) {
    assert_ok(shoal_remove(s->world, s->ships[0], SHOAL_ID(Owned)));
}

static void change_bit(scene *s) {
    assert_ok(shoal_disable(s->world, s->ships[4], SHOAL_ID(Shield)));
}

static void change_bit_of_tag(scene *s) {
    assert_ok(shoal_disable(s->world, s->ships[3], SHOAL_ID(Awake)));
}

static void change_shared(scene *s) {
    assert_ok(SHOAL_SET(s->world, s->ships[1], Team, 2));
}

static void change_chunk_value(scene *s) {
    assert_ok(SHOAL_SET(s->world, s->ships[0], Zone, 8));
}

static shoal_buffer stops_of(const scene *s) {
    return shoal_buffer_get(s->world, s->ships[0], SHOAL_ID(Stop));
}

static void change_element(scene *s) {
    ((Stop *)shoal_buffer_items(stops_of(s)))[2].count++;
}

static void change_length(scene *s) {
    assert_ok(shoal_buffer_push(stops_of(s), NULL));
}

static void change_to_inline(scene *s) {
    assert_ok(shoal_buffer_resize(stops_of(s), 2));
}

static void change_sparse(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[2], Scan)->value++;
}

static void change_stable(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[2], Fixed)->count++;
}

static void change_sparse_lost(scene *s) {
    assert_ok(shoal_remove(s->world, s->ships[4], SHOAL_ID(Scan)));
}

static void change_sparse_tag(scene *s) {
    assert_ok(shoal_add(s->world, s->ships[1], SHOAL_ID(Spotted), NULL));
}

static void change_link_data(scene *s) {
    Cargo *cargo = shoal_relation_get_mut(s->world, s->ships[2], SHOAL_ID(Cargo), s->dock);
    assert_non_null(cargo);
    cargo->value++;
}

static void change_link(scene *s) {
    assert_ok(shoal_unrelate(s->world, s->ships[2], SHOAL_ID(Cargo), s->dock));
}

/* The last source of each of its targets, so that only the order of the targets is another. */
static void change_order_of_targets(scene *s) {
    assert_ok(shoal_unrelate(s->world, s->ships[0], SHOAL_ID(Knows), s->ships[1]));
    assert_ok(shoal_relate(s->world, s->ships[0], SHOAL_ID(Knows), s->ships[1], NULL));
}

static void change_order_of_sources(scene *s) {
    assert_ok(shoal_order_source(s->world, SHOAL_ID(ChildOf), s->ships[3], s->ships[1]));
}

static void change_parent(scene *s) {
    assert_ok(shoal_set_parent(s->world, s->ships[4], s->dock));
}

static void change_split_target(scene *s) {
    assert_ok(shoal_relate(s->world, s->ships[0], SHOAL_ID(Owner), s->dock, NULL));
}

static void change_name(scene *s) {
    assert_ok(shoal_set_name(s->world, s->ships[0], "fisrt"));
}

static void change_name_lost(scene *s) {
    assert_ok(shoal_set_name(s->world, s->ships[0], NULL));
}

static void change_unique(scene *s) {
    SHOAL_UNIQUE_MUT(s->world, Clock)->value++;
}

static void change_unique_lost(scene *s) {
    assert_ok(shoal_unique_remove(s->world, SHOAL_ID(Motto)));
}

static void change_tick(scene *s) {
    (void)shoal_world_next_tick(s->world);
}

static void change_prefab(scene *s) {
    assert_ok(shoal_make_prefab(s->world, s->dock));
}

static void change_dying(scene *s) {
    assert_ok(shoal_remove(s->world, s->dying, SHOAL_ID(Remains)));
}

static void change_new_entity(scene *s) {
    (void)spawn_one(s->world, NULL, 0);
}

/* The entities are the same as before, but the slot's next handle is not. */
static void change_free_slot(scene *s) {
    assert_ok(shoal_destroy(s->world, spawn_one(s->world, NULL, 0)));
}

static void change_free_generation(scene *s) {
    shoal_entity chosen = shoal_entity_make(s->world, SCENE_FREE, 9);
    assert_ok(shoal_spawn_at(s->world, chosen, NULL, 0));
    assert_ok(shoal_destroy(s->world, chosen));
}

static void change_reserved(scene *s) {
    assert_ok(shoal_reserve_range(s->world, 100, 1));
}

static void change_reserved_two(scene *s) {
    assert_ok(shoal_reserve_range(s->world, 99, 2));
}

static void change_reserved_far(scene *s) {
    assert_ok(shoal_reserve_range(s->world, 1000000, 5));
}

static const scene_change changes[] = {
    {"a column", change_column},
    {"the sign of a zero", change_sign_of_zero},
    {"a column with gaps", change_column_with_gaps},
    {"a text", change_text},
    {"the end of a text", change_text_end},
    {"a handle", change_handle},
    {"the generation of a handle", change_handle_generation},
    {"a handle that becomes null", change_handle_to_null},
    {"a nested field", change_nested},
    {"a byte without a field", change_raw},
    {"a tag", change_tag},
    {"a component less", change_component},
    {"an owning component less", change_owning},
    {"an enable bit", change_bit},
    {"the enable bit of a tag", change_bit_of_tag},
    {"a shared value", change_shared},
    {"a chunk value", change_chunk_value},
    {"an element of a buffer", change_element},
    {"the length of a buffer", change_length},
    {"a buffer that moves into its row", change_to_inline},
    {"a sparse value", change_sparse},
    {"a stable sparse value", change_stable},
    {"a sparse value less", change_sparse_lost},
    {"a sparse tag", change_sparse_tag},
    {"the data of a link", change_link_data},
    {"a link less", change_link},
    {"the order of targets", change_order_of_targets},
    {"the order of sources", change_order_of_sources},
    {"a parent", change_parent},
    {"the target of a split relation", change_split_target},
    {"a name", change_name},
    {"a name less", change_name_lost},
    {"a unique", change_unique},
    {"a unique less", change_unique_lost},
    {"the tick", change_tick},
    {"a prefab", change_prefab},
    {"the end of a dying entity", change_dying},
    {"an entity without components", change_new_entity},
    {"a free slot that was used", change_free_slot},
    {"the generation of a free slot", change_free_generation},
    {"a reserved slot", change_reserved},
    {"two reserved slots", change_reserved_two},
    {"a range that is reserved beyond all slots", change_reserved_far},
};

static void test_hash_sees_each_change(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        hash_pair before, after;
        change_run(&changes[i], &before, &after);
        assert_int_not_equal(before.canonical, after.canonical);
        assert_int_not_equal(before.layout, after.layout);
    }
}

/* No two of them come to the same. */
static void test_hash_tells_all_changes_apart(void **state) {
    (void)state;
    enum { COUNT = sizeof changes / sizeof changes[0] };
    hash_pair after[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        hash_pair before;
        change_run(&changes[i], &before, &after[i]);
        for (size_t other = 0; other < i; other++) {
            assert_int_not_equal(after[i].canonical, after[other].canonical);
            assert_int_not_equal(after[i].layout, after[other].layout);
        }
    }
}

/* ---- what does not count ---- */

SHOAL_TAG(Ghost, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_RELATION(Rival)

static void same_padding(scene *s) {
    ((unsigned char *)SHOAL_GET_MUT(s->world, s->ships[0], Padded))[2] ^= 0xFF;
    ((unsigned char *)&SHOAL_GET_MUT(s->world, s->ships[0], Aim)->inner[1])[1] ^= 0xFF;
    ((unsigned char *)SHOAL_GET_MUT(s->world, s->ships[0], Fixed))[3] ^= 0xFF;
    ((unsigned char *)shoal_buffer_items(stops_of(s)))[9] ^= 0xFF;
}

static void same_behind_text(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Label)->text[8] ^= 0x55;
    SHOAL_UNIQUE_MUT(s->world, Motto)->text[9] ^= 0x55;
}

static void same_tag_in_handles(scene *s) {
    SHOAL_GET_MUT(s->world, s->ships[0], Aim)->at[0].bits ^= UINT64_C(0x1234) << 48;
}

/* The value is another object. */
static void same_owning_value(scene *s) {
    Owned owned;
    owned_make(&owned_tracker, &owned, 77);
    assert_ok(shoal_set(s->world, s->ships[0], SHOAL_ID(Owned), &owned));
    owned_end(&owned_tracker, &owned);
}

static void same_after_write(scene *s) {
    assert_ok(SHOAL_UNIQUE_SET(s->world, Clock, 12));
    assert_ok(SHOAL_SET(s->world, s->ships[2], Scan, 2));
}

static void same_with_query(scene *s) {
    shoal_query *query = make_query(s->world, SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Scan)));
    assert_count(pass_over(query), SCENE_SHIPS);
    assert_non_null(shoal_commands_create(s->world, NULL));
}

static void same_with_more_capacity(scene *s) {
    shoal_buffer stops = stops_of(s);
    for (size_t i = 0; i < 100; i++) {
        assert_ok(shoal_buffer_push(stops, NULL));
    }
    assert_ok(shoal_buffer_resize(stops, 3));
}

/* An archetype, a store and a page of the index that nobody uses any more. */
static void same_after_failure(scene *s) {
    shoal_entity far = shoal_entity_make(s->world, 5000, 1);
    fake_allocator_arm(&s->f.fake, 4, true);
    assert_status(shoal_spawn_at(s->world, far, SHOAL_VALUES(SHOAL_DEFAULT(Marked), SHOAL_DEFAULT(Stop))),
                  SHOAL_OUT_OF_MEMORY);
    assert_true(fake_allocator_disarm(&s->f.fake));
}

/* Stores that were made and hold nothing. */
static void same_with_empty_stores(scene *s) {
    assert_ok(shoal_add(s->world, s->port, SHOAL_ID(Ghost), NULL));
    assert_ok(shoal_remove(s->world, s->port, SHOAL_ID(Ghost)));
    assert_ok(shoal_relate(s->world, s->port, SHOAL_ID(Rival), s->dock, NULL));
    assert_ok(shoal_unrelate(s->world, s->port, SHOAL_ID(Rival), s->dock));
}

static void same_after_trim(scene *s) {
    assert_ok(shoal_world_trim(s->world, 0, NULL));
}

static const scene_change sames[] = {
    {"padding", same_padding},
    {"bytes behind the end of a text", same_behind_text},
    {"the world's tag in handles", same_tag_in_handles},
    {"the value of an owning type", same_owning_value},
    {"a value written again", same_after_write},
    {"a query and a command buffer", same_with_query},
    {"the capacity of a buffer", same_with_more_capacity},
    {"a call that fails", same_after_failure},
    {"stores with nothing in them", same_with_empty_stores},
    {"a trim", same_after_trim},
};

static void test_hash_leaves_out_what_is_no_content(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sames / sizeof sames[0]; i++) {
        hash_pair before, after;
        change_run(&sames[i], &before, &after);
        assert_count(after.canonical, before.canonical);
        assert_count(after.layout, before.layout);
    }
}

/* ---- what counts for the layout alone ---- */

static void reorder_rows(scene *s) {
    assert_ok(shoal_add(s->world, s->ships[1], SHOAL_ID(Marked), NULL));
    assert_ok(shoal_remove(s->world, s->ships[1], SHOAL_ID(Marked)));
}

static void reorder_sparse(scene *s) {
    assert_ok(shoal_remove(s->world, s->ships[1], SHOAL_ID(Scan)));
    assert_ok(SHOAL_ADD(s->world, s->ships[1], Scan, 1));
}

static void reorder_sources(scene *s) {
    assert_ok(shoal_remove(s->world, s->ships[0], SHOAL_ID(Knows)));
    assert_ok(shoal_relate(s->world, s->ships[0], SHOAL_ID(Knows), s->ships[1], NULL));
    assert_ok(shoal_relate(s->world, s->ships[0], SHOAL_ID(Knows), s->ships[2], NULL));
    assert_ok(shoal_relate(s->world, s->ships[3], SHOAL_ID(Knows), s->ships[4], NULL));
    assert_ok(shoal_unrelate(s->world, s->ships[3], SHOAL_ID(Knows), s->ships[4]));
}

static void test_hash_by_layout_sees_the_order_of_rows(void **state) {
    (void)state;
    static const scene_change orders[] = {{"rows", reorder_rows}, {"sparse values", reorder_sparse}};
    hash_pair before, after;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        change_run(&orders[i], &before, &after);
        assert_count(after.canonical, before.canonical);
        assert_int_not_equal(after.layout, before.layout);
    }
    change_run(&(scene_change){"links given anew in the same order", reorder_sources}, &before, &after);
    assert_count(after.canonical, before.canonical);
}

/* Chunks of other sizes: rows of one archetype in several chunks, or all in one. */
static void test_hash_by_handle_knows_no_chunks(void **state) {
    (void)state;
    uint64_t hashes[3];
    static const size_t pinned[3] = {0, 1024, 65536};
    for (size_t i = 0; i < 3; i++) {
        scene s;
        scene_start(&s, &(shoal_world_def){.pinned_chunk_bytes = pinned[i], .move_rows = i == 1});
        for (uint32_t row = 0; row < 300; row++) {
            (void)spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Padded, 1, row), SHOAL_VALUE(Shield, row)));
        }
        hashes[i] = hash_of(&s, SHOAL_HASH_CANONICAL);
        scene_end(&s);
    }
    assert_count(hashes[1], hashes[0]);
    assert_count(hashes[2], hashes[0]);
}

/* ---- slots ---- */

/* Many slots that were used, on pages that a trim puts away: they count as before. */
static void test_hash_of_free_slots_outlasts_a_trim(void **state) {
    (void)state;
    for (uint32_t reserved = 0; reserved < 2; reserved++) {
        scene s;
        scene_start(&s, NULL);
        assert_true(reserved == 0 || shoal_reserve_range(s.world, 9000, 100) == SHOAL_OK);
        hash_pair fresh = hashes_of(&s);
        for (uint32_t slot = 2000; slot < 8000; slot += 1 + slot / 4000) {
            shoal_entity chosen = shoal_entity_make(s.world, slot, (uint16_t)(slot % 5));
            assert_ok(shoal_spawn_at(s.world, chosen, NULL, 0));
            assert_ok(shoal_destroy(s.world, chosen));
        }
        hash_pair used = hashes_of(&s);
        assert_int_not_equal(fresh.canonical, used.canonical);
        assert_ok(shoal_world_trim(s.world, 0, NULL));
        hash_pair trimmed = hashes_of(&s);
        assert_count(trimmed.canonical, used.canonical);
        assert_count(trimmed.layout, used.layout);
        scene_end(&s);
    }
}

static void test_hash_sees_a_retired_slot(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (size_t i = 0; i < 2; i++) {
        scene s;
        scene_start(&s, NULL);
        index_set_generation(s.world, SCENE_FREE, 0xFFFE);
        shoal_entity last = shoal_entity_make(s.world, SCENE_FREE, 0xFFFE);
        assert_ok(shoal_spawn_at(s.world, last, NULL, 0));
        assert_ok(shoal_destroy(s.world, last)); /* the slot is free with its last generation */
        if (i == 1) {
            last = shoal_entity_make(s.world, SCENE_FREE, 0xFFFF);
            assert_ok(shoal_spawn_at(s.world, last, NULL, 0));
            assert_ok(shoal_destroy(s.world, last)); /* the same generation, retired */
        }
        hashes[i] = hash_of(&s, SHOAL_HASH_CANONICAL);
        scene_end(&s);
    }
    assert_int_not_equal(hashes[0], hashes[1]);
}

/* ---- calls ---- */

static void test_hash_refuses_bad_arguments(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    uint64_t hash = 5;
    assert_status(shoal_world_hash(NULL, SHOAL_HASH_CANONICAL, &hash), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_world_hash(s.world, SHOAL_HASH_CANONICAL, NULL), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_world_hash(s.world, (shoal_hash_form)7, &hash), SHOAL_INVALID_ARGUMENT);
    assert_last_error(s.world, SHOAL_INVALID_ARGUMENT);
    assert_count(hash, 5);
    scene_end(&s);
}

static void test_hash_without_memory(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    hash_pair whole = hashes_of(&s);
    size_t bytes = fixture_total_bytes(&s.f);
    for (size_t form = 0; form < 2; form++) {
        size_t failures = 0;
        shoal_status status = SHOAL_OUT_OF_MEMORY;
        while (status == SHOAL_OUT_OF_MEMORY) {
            uint64_t hash = 5;
            fake_allocator_arm(&s.f.fake, failures + 1, true);
            status = shoal_world_hash(s.world, form == 0 ? SHOAL_HASH_CANONICAL : SHOAL_HASH_LAYOUT, &hash);
            failures += fake_allocator_disarm(&s.f.fake);
            assert_true(status == SHOAL_OK || hash == 5);
            assert_count(fixture_total_bytes(&s.f), bytes);
        }
        assert_ok(status);
        assert_count(failures, form == 0 ? 3 : 2);
    }
    assert_count(hash_of(&s, SHOAL_HASH_CANONICAL), whole.canonical);
    scene_end(&s);
}

static void test_hash_with_an_open_view(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    hash_pair closed = hashes_of(&s);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, s.f.everything));
    assert_true(shoal_view_next(&view));
    assert_count(hash_of(&s, SHOAL_HASH_CANONICAL), closed.canonical);
    assert_count(hash_of(&s, SHOAL_HASH_LAYOUT), closed.layout);
    shoal_view_end(&view);
    scene_end(&s);
}

typedef struct Witness {
    uint32_t value;
} Witness;

static shoal_status seen[2]; /* by on_add and on_remove */

static void witness_on_add(const shoal_component_event *event, void *user) {
    (void)user;
    uint64_t hash;
    seen[0] = shoal_world_hash(event->world, SHOAL_HASH_CANONICAL, &hash);
}

static void witness_on_remove(const shoal_component_event *event, void *user) {
    (void)user;
    uint64_t hash;
    seen[1] = shoal_world_hash(event->world, SHOAL_HASH_CANONICAL, &hash);
}

SHOAL_COMPONENT(Witness, .on_add = witness_on_add, .on_remove = witness_on_remove)

static void test_hash_in_the_middle(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    shoal_entity entity = spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Witness, 1)));
    assert_status(seen[0], SHOAL_OK);
    assert_ok(shoal_remove(s.world, entity, SHOAL_ID(Witness)));
    assert_status(seen[1], SHOAL_WORLD_LOCKED);
    shoal_commands *commands = shoal_commands_create(s.world, NULL);
    assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Witness), NULL));
    assert_applied(commands, 1, 0);
    assert_status(seen[0], SHOAL_WORLD_LOCKED);
    scene_end(&s);
}

static void test_hash_of_an_empty_world(void **state) {
    (void)state;
    uint64_t hashes[2][2];
    for (size_t i = 0; i < 2; i++) {
        shoal_world *world = shoal_world_create(NULL);
        assert_ok(shoal_world_hash(world, SHOAL_HASH_CANONICAL, &hashes[i][0]));
        assert_ok(shoal_world_hash(world, SHOAL_HASH_LAYOUT, &hashes[i][1]));
        assert_ok(shoal_world_destroy(world));
    }
    assert_count(hashes[1][0], hashes[0][0]);
    assert_count(hashes[1][1], hashes[0][1]);
}

static void test_hash_unsupported(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    uint64_t hash = 5;
    assert_status(shoal_world_hash(s.world, SHOAL_HASH_CANONICAL, &hash), SHOAL_UNSUPPORTED);
    assert_status(shoal_world_hash(s.world, SHOAL_HASH_LAYOUT, &hash), SHOAL_UNSUPPORTED);
    assert_last_error(s.world, SHOAL_UNSUPPORTED);
    assert_count(hash, 5);
    scene_end(&s);
}

int main(void) {
    kinds_register();
    scene_register(false);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_sees_each_change),
        cmocka_unit_test(test_hash_tells_all_changes_apart),
        cmocka_unit_test(test_hash_leaves_out_what_is_no_content),
        cmocka_unit_test(test_hash_by_layout_sees_the_order_of_rows),
        cmocka_unit_test(test_hash_by_handle_knows_no_chunks),
        cmocka_unit_test(test_hash_of_free_slots_outlasts_a_trim),
        cmocka_unit_test(test_hash_sees_a_retired_slot),
        cmocka_unit_test(test_hash_refuses_bad_arguments),
        cmocka_unit_test(test_hash_without_memory),
        cmocka_unit_test(test_hash_with_an_open_view),
        cmocka_unit_test(test_hash_in_the_middle),
        cmocka_unit_test(test_hash_of_an_empty_world),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(test_hash_unsupported)};
#ifdef TEST_HASHES
    (void)without;
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)tests;
    return cmocka_run_group_tests(without, NULL, NULL);
#endif
}
