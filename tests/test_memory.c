/*
 * Memory: alignment of columns and rows, huge chunk counts and huge columns, the memory report, the limit, trim,
 * the cost of small archetypes, the last bytes of blocks. Conformance G1, G2, G3, G4 (short), H1, H3; G5 is in
 * test_failing_allocator.c.
 */
#define _DEFAULT_SOURCE

#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"
#include "support/world_dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const shoal_value no_values[1];

/* ---- G1: alignment ---- */

#define ALIGNMENT_COUNT 13

/* Types aligned to 1, 2, 4, ... 4096; a value is filled with one byte. */
typedef struct aligned_world {
    fixture f;
    shoal_component types[ALIGNMENT_COUNT];
    shoal_query *queries[ALIGNMENT_COUNT];
} aligned_world;

static void aligned_start(aligned_world *aligned, const shoal_world_def *def) {
    fixture_start(&aligned->f, def);
    for (size_t i = 0; i < ALIGNMENT_COUNT; i++) {
        aligned->types[i] = aligned_component((size_t)1 << i);
        const shoal_term term = {.component = aligned->types[i], .access = SHOAL_ACCESS_WRITE};
        aligned->queries[i] = shoal_query_create(aligned->f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
        assert_non_null(aligned->queries[i]);
    }
}

static unsigned char aligned_byte(shoal_entity entity, size_t type) {
    return (unsigned char)((size_t)shoal_entity_index(entity) * 31 + type * 7 + shoal_entity_generation(entity));
}

static void aligned_fill(aligned_world *aligned, shoal_entity entity, size_t type) {
    unsigned char *value = shoal_get_mut(aligned->f.world, entity, aligned->types[type]);
    assert_non_null(value);
    memset(value, aligned_byte(entity, type), (size_t)1 << type);
}

static void aligned_give(aligned_world *aligned, shoal_entity entity, size_t type) {
    assert_ok(shoal_add(aligned->f.world, entity, aligned->types[type], NULL));
    aligned_fill(aligned, entity, type);
}

static void aligned_check_view(const shoal_view *view, const unsigned char *column, size_t type) {
    size_t alignment = (size_t)1 << type;
    assert_count((uintptr_t)column % (alignment > 64 ? alignment : 64), 0);
    assert_count((uintptr_t)view->entities % 64, 0);
    for (size_t row = 0; row < view->count; row++) {
        const unsigned char *value = column + row * alignment;
        unsigned char expected = aligned_byte(view->entities[row], type);
        for (size_t i = 0; i < alignment; i++) {
            if (value[i] != expected) {
                assert_count(value[i], expected);
            }
        }
    }
}

static void aligned_check(aligned_world *aligned) {
    for (size_t type = 0; type < ALIGNMENT_COUNT; type++) {
        shoal_view view;
        assert_ok(shoal_view_begin(&view, aligned->queries[type]));
        while (shoal_view_next(&view)) {
            aligned_check_view(&view, shoal_view_write(&view, aligned->types[type]), type);
        }
    }
    assert_valid(aligned->f.world);
}

static void aligned_run(const shoal_world_def *def) {
    aligned_world aligned;
    aligned_start(&aligned, def);
    shoal_world *world = aligned.f.world;
    rng random = {1};
    shoal_entity entities[120];
    for (size_t i = 0; i < 120; i++) {
        entities[i] = spawn_one(world, no_values, 0);
        for (size_t type = 0; type < ALIGNMENT_COUNT; type++) {
            if (i % 4 == 0 || rng_chance(&random, 30)) {
                aligned_give(&aligned, entities[i], type);
            }
        }
    }
    aligned_check(&aligned);
    for (size_t step = 0; step < 600; step++) {
        size_t i = rng_below(&random, 120);
        size_t type = rng_below(&random, ALIGNMENT_COUNT);
        uint32_t roll = rng_below(&random, 10);
        if (roll == 0) {
            assert_ok(shoal_destroy(world, entities[i]));
            entities[i] = spawn_one(world, no_values, 0);
        } else if (roll < 5) {
            assert_ok(shoal_remove(world, entities[i], aligned.types[type]));
        } else {
            aligned_give(&aligned, entities[i], type);
        }
        if (step % 100 == 99) {
            assert_ok(shoal_world_trim(world, 0, NULL));
            aligned_check(&aligned);
        }
    }
    fixture_end(&aligned.f);
}

static void conf_G1_columns_and_rows_are_aligned(void **state) {
    (void)state;
    aligned_run(NULL);
    aligned_run(&(shoal_world_def){.pinned_chunk_bytes = 1024});
    aligned_run(&(shoal_world_def){.pinned_chunk_bytes = 16384});
    aligned_run(&(shoal_world_def){.move_rows = true});
}

/* ---- G3: very many chunks, very large columns ---- */

/* A hook that touches eight bytes of a value only, so that huge values stay unmapped. */
static bool sparse_ctor(void *values, size_t count, void *user) {
    size_t size = *(const size_t *)user;
    for (size_t i = 0; i < count; i++) {
        memset((unsigned char *)values + i * size, 0, 8);
    }
    return true;
}

static bool sparse_copy(void *values, const void *source, size_t count, void *user) {
    size_t size = *(const size_t *)user;
    for (size_t i = 0; i < count; i++) {
        memcpy((unsigned char *)values + i * size, (const unsigned char *)source + i * size, 8);
    }
    return true;
}

static void sparse_move(void *values, void *source, size_t count, void *user) {
    sparse_copy(values, source, count, user);
}

static void sparse_dtor(void *values, size_t count, void *user) {
    (void)values;
    (void)count;
    (void)user;
}

static shoal_component sparse_component(const char *name, size_t *size) {
    return shoal_component_register(&(shoal_component_def){.name = name,
                                                           .size = *size,
                                                           .alignment = 8,
                                                           .ctor = sparse_ctor,
                                                           .copy = sparse_copy,
                                                           .move = sparse_move,
                                                           .dtor = sparse_dtor,
                                                           .user = size});
}

static void write_numbers(shoal_world *world, shoal_component component, const shoal_entity *entities, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t *value = shoal_get_mut(world, entities[i], component);
        assert_non_null(value);
        *value = i * 0x100000001u + 1;
    }
}

static void check_numbers(shoal_world *world, shoal_component component, const shoal_entity *entities, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t *value = shoal_get(world, entities[i], component);
        if (value == NULL || *value != i * 0x100000001u + 1) {
            assert_count(value == NULL ? 0 : *value, i * 0x100000001u + 1);
        }
    }
}

static void run_many_chunks(size_t count) {
    static size_t size = 800;
    shoal_component component = sparse_component("OneToAChunk", &size);
    const shoal_world_def def = {.pinned_chunk_bytes = 1024, .allocator = sparse_allocator_table()};
    shoal_world *world = shoal_world_create(&def);
    assert_non_null(world);
    shoal_entity *entities = calloc(count, sizeof *entities);
    const shoal_value value = {component, NULL};
    assert_ok(shoal_spawn_many(
        world, &(shoal_spawn_many_def){.count = count, .columns = &value, .column_count = 1, .entities = entities}));
    assert_count(report_of(world).chunk_count, count);
    write_numbers(world, component, entities, count);
    check_numbers(world, component, entities, count);
    for (size_t i = 0; i < count; i += 1000) {
        assert_ok(shoal_destroy(world, entities[i]));
        entities[i] = spawn_one(world, &value, 1);
        *(uint64_t *)shoal_get_mut(world, entities[i], component) = i * 0x100000001u + 1;
    }
    check_numbers(world, component, entities, count);
    assert_valid(world);
    assert_count(report_of(world).chunk_count, count);
    free(entities);
    assert_ok(shoal_world_destroy(world));
}

static void conf_G3_more_than_65536_chunks(void **state) {
    (void)state;
    run_many_chunks(((size_t)1 << 16) + 1000);
}

static void conf_G3_more_than_1048576_chunks(void **state) {
    (void)state;
    long free_pages = sysconf(_SC_AVPHYS_PAGES);
    if (free_pages > 0 && free_pages < (3L << 30) / 4096) {
        print_message("skipped: less than 3 GiB of memory are free\n");
        skip();
    }
    run_many_chunks(((size_t)1 << 20) + 1000);
}

static void conf_G3_more_than_4_gib_in_one_column(void **state) {
    (void)state;
    static size_t size = (size_t)5 << 20;
    enum { COUNT = 1000 };
    shoal_component component = sparse_component("FiveMebibytes", &size);
    const shoal_world_def def = {.allocator = sparse_allocator_table()};
    shoal_world *world = shoal_world_create(&def);
    assert_non_null(world);
    static shoal_entity entities[COUNT];
    const shoal_value value = {component, NULL};
    for (size_t i = 0; i < COUNT; i++) {
        entities[i] = spawn_one(world, &value, 1);
    }
    assert_true(report_of(world).chunk_bytes > (uint64_t)4 << 30);
    write_numbers(world, component, entities, COUNT);
    check_numbers(world, component, entities, COUNT);
    assert_ok(shoal_add(world, entities[7], SHOAL_ID(Frozen), NULL));
    assert_ok(shoal_destroy(world, entities[0]));
    check_numbers(world, component, entities + 1, 0);
    assert_count(*(const uint64_t *)shoal_get(world, entities[7], component), 7 * 0x100000001u + 1);
    assert_count(*(const uint64_t *)shoal_get(world, entities[999], component), 999 * 0x100000001u + 1);
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

/* A row of more than 4 GiB: right addresses, or a clean refusal that changes nothing. */
static void conf_G3_more_than_4_gib_in_one_row(void **state) {
    (void)state;
    static size_t size = (size_t)1 << 30;
    static const char *const names[5] = {"GibibyteA", "GibibyteB", "GibibyteC", "GibibyteD", "GibibyteE"};
    assert_count(shoal_limits_get().component_bytes, (size_t)1 << 30);
    const shoal_world_def def = {.allocator = sparse_allocator_table()};
    shoal_world *world = shoal_world_create(&def);
    assert_non_null(world);
    shoal_value values[5];
    for (size_t i = 0; i < 5; i++) {
        values[i] = (shoal_value){sparse_component(names[i], &size), NULL};
        assert_int_not_equal(values[i].component.id, 0);
    }
    shoal_entity entity = shoal_spawn(world, values, 5);
    if (shoal_entity_is_null(entity)) {
        assert_last_error(world, SHOAL_ROW_TOO_LARGE);
        assert_count(shoal_world_entity_count(world), 0);
        entity = spawn_one(world, values, 1);
        assert_status(shoal_change_entity(world, entity, &(shoal_change){.add = values + 1, .add_count = 4}),
                      SHOAL_ROW_TOO_LARGE);
    }
    size_t count = 0;
    shoal_components_of(world, entity, &count);
    assert_true(count == 1 || count == 5);
    for (size_t i = 0; i < count; i++) {
        *(uint64_t *)shoal_get_mut(world, entity, values[i].component) = i + 1;
    }
    for (size_t i = 0; i < count; i++) {
        assert_count(*(const uint64_t *)shoal_get(world, entity, values[i].component), i + 1);
    }
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

static void test_oversize_component(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    Bulky *bulky = calloc(1, sizeof *bulky);
    const size_t last = sizeof bulky->words / sizeof bulky->words[0] - 1;
    shoal_entity entities[4];
    for (uint32_t i = 0; i < 4; i++) {
        bulky->words[0] = i;
        bulky->words[last] = ~i;
        const shoal_value values[] = {{SHOAL_ID(Bulky), bulky}, SHOAL_VALUE(Health, (int32_t)i)};
        entities[i] = spawn_one(f.world, values, 2);
    }
    assert_ok(shoal_add(f.world, entities[2], SHOAL_ID(Frozen), NULL));
    assert_ok(shoal_destroy(f.world, entities[0]));
    for (uint32_t i = 1; i < 4; i++) {
        const Bulky *value = SHOAL_GET(f.world, entities[i], Bulky);
        assert_int_equal(value->words[0], i);
        assert_int_equal(value->words[last], ~i);
        assert_int_equal(SHOAL_GET(f.world, entities[i], Health)->value, (int32_t)i);
    }
    free(bulky);
    fixture_end(&f);
}

/* ---- G4: a short soak ---- */

static void conf_G4_creates_and_destroys_at_page_limits(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rng random = {test_environment("SHOAL_SEED", 7)};
    enum { MOST = 20000 };
    shoal_entity *entities = calloc(MOST, sizeof *entities);
    size_t count = 0;
    for (uint32_t wave = 0; wave < 24; wave++) {
        size_t limits[] = {64, 127, 128, 129, 1023, 1024, 1025, 4095, 4096, 4097, 16384, MOST};
        size_t target = wave % 2 == 0 ? limits[wave / 2 % 12] : rng_below(&random, 300);
        while (count < target) {
            entities[count] = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, (int32_t)count)));
            count++;
        }
        while (count > target) {
            size_t i = rng_below(&random, (uint32_t)count);
            assert_ok(shoal_destroy(f.world, entities[i]));
            entities[i] = entities[--count];
        }
        assert_count(shoal_world_entity_count(f.world), count);
        assert_valid(f.world);
        if (wave % 5 == 4) {
            assert_ok(shoal_world_trim(f.world, 0, NULL));
            assert_valid(f.world);
        }
    }
    free(entities);
    fixture_end(&f);
}

/* ---- the last bytes of blocks ---- */

/* Blocks end where they were asked to end, without the guard of the checking allocator, so that AddressSanitizer and
   valgrind see a read behind one. */
static void *exact_allocate(void *context, size_t byte_size, size_t alignment) {
    (void)context;
    void *memory = NULL;
    size_t real_alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return posix_memalign(&memory, real_alignment, byte_size) == 0 ? memory : NULL;
}

static void exact_release(void *context, void *memory, size_t byte_size, size_t alignment) {
    (void)context;
    (void)byte_size;
    (void)alignment;
    free(memory);
}

static shoal_world *exact_world(shoal_world_def def) {
    def.allocator = (shoal_allocator){.allocate = exact_allocate, .release = exact_release};
    shoal_world *world = shoal_world_create(&def);
    assert_non_null(world);
    return world;
}

/* A change of nothing has no keys; the next change looks at the most recent one first. */
static void test_changes_after_a_change_of_nothing(void **state) {
    (void)state;
    shoal_world *world = exact_world((shoal_world_def){0});
    shoal_commands *commands = shoal_commands_create(world, NULL);
    spawn_one(world, NULL, 0);
    shoal_entity entity = spawn_one(world, NULL, 0);
    assert_ok(shoal_add(world, entity, SHOAL_ID(Health), &(Health){1}));
    assert_ok(shoal_change_entity(world, entity, &(shoal_change){0}));
    assert_ok(shoal_add(world, entity, SHOAL_ID(Letter), NULL));
    assert_ok(shoal_change_entity(world, entity, &(shoal_change){0}));
    assert_ok(shoal_remove(world, entity, SHOAL_ID(Letter)));
    shoal_entity next = spawn_one(world, NULL, 0);
    assert_ok(shoal_change_entity(world, next, &(shoal_change){0}));
    assert_ok(shoal_commands_add(commands, next, SHOAL_ID(Health), &(Health){2}));
    assert_ok(shoal_commands_apply(commands, NULL));
    shoal_entity placeholder = shoal_commands_spawn(commands, NULL, 0);
    assert_ok(shoal_commands_add(commands, placeholder, SHOAL_ID(Health), &(Health){3}));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_int_equal(SHOAL_GET(world, entity, Health)->value, 1);
    assert_int_equal(SHOAL_GET(world, next, Health)->value, 2);
    assert_int_equal(SHOAL_GET(world, shoal_commands_resolve(commands, placeholder), Health)->value, 3);
    assert_false(SHOAL_HAS(world, entity, Letter));
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

/* Reads a column of a view to the end of its last 64 bytes and checks that the chunk goes on so far. */
static void check_padding(const shoal_view *view, const void *column, size_t byte_size, size_t chunk_bytes) {
    const char *chunk = (const char *)view->entities - SHOAL_CHUNK_HEADER_BYTES;
    size_t offset = (size_t)((const char *)column - chunk);
    size_t end = (offset + view->count * byte_size + 63) / 64 * 64;
    assert_count(offset % 64, 0);
    assert_at_most(end, chunk_bytes);
    unsigned sum = 0;
    for (size_t i = offset; i < end; i++) {
        sum += *(const volatile unsigned char *)(chunk + i);
    }
    (void)sum;
}

static void check_padding_of(shoal_world_def def, const shoal_component *components, size_t count, size_t row_count) {
    shoal_world *world = exact_world(def);
    shoal_value values[4] = {{{0}, NULL}};
    shoal_term terms[4] = {{.access = SHOAL_ACCESS_NONE}};
    for (size_t i = 0; i < count; i++) {
        values[i].component = components[i];
        terms[i] = (shoal_term){.component = components[i], .access = SHOAL_ACCESS_READ};
    }
    shoal_query *query = shoal_query_create(world, &(shoal_query_def){.terms = terms, .term_count = count});
    for (size_t row = 0; row < row_count; row++) {
        spawn_one(world, values, count);
    }
    shoal_archetype_info info = {0};
    while (shoal_archetype_next(world, &info) && info.component_count != count) {
    }
    size_t chunk_bytes = (info.used_bytes + info.unused_bytes) / info.chunk_count; /* all have one size here */
    size_t seen_count = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        check_padding(&view, view.entities, SHOAL_ENTITY_BYTES, chunk_bytes);
        for (size_t i = 0; i < count; i++) {
            check_padding(&view, shoal_view_read(&view, components[i]), shoal_component_info(components[i])->size,
                          chunk_bytes);
        }
        seen_count += view.count;
    }
    assert_count(seen_count, row_count);
    assert_ok(shoal_world_destroy(world));
}

static void conf_G2_last_64_bytes_are_inside(void **state) {
    (void)state;
    for (size_t size = 1; size < 700; size = size * 3 / 2 + 1) {
        char name[32];
        snprintf(name, sizeof name, "Padded%zu", size);
        const shoal_component components[] = {
            SHOAL_ID(Letter), SHOAL_ID(Health),
            shoal_component_register(&(shoal_component_def){.name = name, .size = size, .alignment = 1})};
        for (size_t chunk_bytes = 1024; chunk_bytes <= 4096; chunk_bytes *= 2) {
            test_set_context("values of %zu bytes, chunks of %zu", size, chunk_bytes);
            const shoal_world_def def = {.pinned_chunk_bytes = chunk_bytes};
            check_padding_of(def, &components[2], 1, 2000);
            check_padding_of(def, components, 3, 2000);
        }
    }
    for (size_t size = ((size_t)1 << 20) - 200; size < ((size_t)1 << 20) + 200; size += 37) {
        char name[32];
        snprintf(name, sizeof name, "Padded%zu", size);
        test_set_context("values of %zu bytes", size);
        const shoal_component component =
            shoal_component_register(&(shoal_component_def){.name = name, .size = size, .alignment = 1});
        check_padding_of((shoal_world_def){0}, &component, 1, 1);
    }
    test_set_context("");
}

/* ---- H1: many small archetypes ---- */

/* An entity with Position and the tags of the bits of `number`. */
static void spawn_tagged(shoal_world *world, uint32_t number) {
    shoal_value values[16] = {SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)};
    size_t count = 2;
    for (uint32_t bit = 0; bit < 14; bit++) {
        if ((number >> bit & 1) != 0) {
            values[count++] = (shoal_value){numbered_tag(bit), NULL};
        }
    }
    spawn_one(world, values, count);
}

static void conf_H1_small_archetypes_are_small(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (uint32_t i = 0; i < 1024; i++) {
        spawn_tagged(f.world, i);
    }
    assert_at_most(report_of(f.world).total_bytes, 1600000);
    for (uint32_t i = 1024; i < 10000; i++) {
        spawn_tagged(f.world, i);
    }
    assert_count(report_of(f.world).archetype_count >= 10000, true);
    assert_at_most(report_of(f.world).total_bytes, 16000000);
    fixture_end(&f);
}

/* The report shows which archetype wastes most. */
static void conf_H1_the_report_finds_the_worst(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 16384});
    for (int i = 0; i < 500; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)));
    }
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    shoal_archetype_info info = {0};
    shoal_archetype_info worst = {0};
    while (shoal_archetype_next(f.world, &info)) {
        bool first = worst.unused_bytes == 0;
        if (info.row_count != 0 &&
            (first || info.used_bytes * worst.unused_bytes < worst.used_bytes * info.unused_bytes)) {
            worst = info;
        }
        assert_true(info.unused_bytes < 16384);
    }
    assert_count(worst.row_count, 1);
    assert_count(worst.component_count, 1);
    assert_count(worst.components[0].id, SHOAL_ID(Position).id);
    assert_count(worst.used_bytes, 8 + 12);
    assert_count(worst.used_bytes + worst.unused_bytes, 16384);
    fixture_end(&f);
}

/* ---- H3: memory goes back ---- */

/* Trims until nothing comes back; a call that ran out of time may have given nothing, so some are needed. */
static void trim_all(shoal_world *world, uint64_t budget) {
    for (size_t idle_calls = 0; idle_calls < 100; idle_calls++) {
        size_t before = report_of(world).total_bytes;
        size_t released = 0;
        assert_ok(shoal_world_trim(world, budget, &released));
        assert_count(before - report_of(world).total_bytes, released);
        idle_calls = released != 0 ? 0 : idle_calls;
    }
}

/* What may stay after a trim: little, and for each slot its generation and a few bits, so that old handles are
   known for ever. */
static size_t kept_bytes(size_t baseline, size_t slot_count) {
    return baseline + 65536 + slot_count * 3;
}

static void run_shrink(uint64_t budget) {
    fixture f;
    fixture_start(&f, NULL);
    const shoal_term term = SHOAL_READ(Position);
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 77)));
    trim_all(f.world, 0);
    size_t baseline = report_of(f.world).total_bytes;
    enum { COUNT = 300000 };
    const shoal_value values[] = {SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)};
    assert_ok(shoal_spawn_many(f.world, &(shoal_spawn_many_def){.count = COUNT, .values = values, .value_count = 2}));
    size_t full = report_of(f.world).total_bytes;
    assert_true(full > (size_t)COUNT * 32);
    assert_ok(shoal_query_destroy_entities(query));
    trim_all(f.world, budget);
    assert_at_most(report_of(f.world).total_bytes, kept_bytes(baseline, COUNT));
    assert_count(report_of(f.world).peak_bytes >= full, true);
    assert_count(shoal_query_count(query), 0);
    assert_valid(f.world);
    shoal_entity again = spawn_one(f.world, values, 2);
    assert_count(shoal_query_count(query), 1);
    assert_entity(again, shoal_entity_make(f.world, 1, 1));
    assert_int_equal(SHOAL_GET(f.world, shoal_entity_make(f.world, 0, 0), Health)->value, 77);
    fixture_end(&f);
}

static void conf_H3_trim_gives_memory_back(void **state) {
    (void)state;
    run_shrink(0);
}

static void conf_H3_trim_with_a_budget_gets_there_too(void **state) {
    (void)state;
    run_shrink(50);
}

static void conf_H3_a_million_entities(void **state) {
    (void)state;
    shoal_world *world = shoal_world_create(NULL);
    assert_non_null(world);
    size_t baseline = report_of(world).total_bytes;
    enum { COUNT = 1000000 };
    shoal_entity *entities = calloc(COUNT, sizeof *entities);
    const shoal_value values[] = {SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)};
    assert_ok(shoal_spawn_many(
        world, &(shoal_spawn_many_def){.count = COUNT, .values = values, .value_count = 2, .entities = entities}));
    assert_at_most(report_of(world).total_bytes, (size_t)COUNT * 49);
    assert_at_most(report_of(world).chunk_unused_bytes, report_of(world).chunk_used_bytes / 4);
    assert_ok(shoal_destroy_many(world, entities, COUNT));
    assert_count(shoal_world_entity_count(world), 0);
    assert_count(report_of(world).chunk_count, 0);
    assert_ok(shoal_world_trim(world, 0, NULL));
    assert_at_most(report_of(world).total_bytes, kept_bytes(baseline, COUNT));
    for (size_t i = 0; i < COUNT; i += 9973) {
        assert_false(shoal_is_alive(world, entities[i]));
    }
    assert_entity(spawn_one(world, values, 2), shoal_entity_make(world, 0, 1));
    free(entities);
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

/* Generations of free slots survive a trim that gives their page back. */
static void test_trim_keeps_generations(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    enum { COUNT = 20000 };
    for (uint16_t generation = 0; generation < 5; generation++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_entity(shoal_spawn(f.world, no_values, 0), shoal_entity_make(f.world, i, generation));
        }
        assert_ok(shoal_query_destroy_entities(f.everything));
        assert_ok(shoal_world_trim(f.world, 0, NULL));
        assert_valid(f.world);
        for (uint32_t i = 0; i < COUNT; i += 1000) {
            assert_false(shoal_is_alive(f.world, shoal_entity_make(f.world, i, generation)));
        }
    }
    assert_ok(shoal_reserve_range(f.world, 100, 50));
    assert_ok(shoal_world_trim(f.world, 0, NULL));
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t index = shoal_entity_index(shoal_spawn(f.world, no_values, 0));
        assert_count(index, i < 100 ? i : i + 50);
    }
    fixture_end(&f);
}

/* ---- the report and the limit ---- */

static void test_report_sums(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    for (int32_t i = 0; i < 3000; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
        assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Letter), NULL));
        if (i % 7 == 0) {
            assert_ok(shoal_add(f.world, entity, SHOAL_ID(Wide), NULL));
        }
    }
    shoal_memory_report report = report_of(f.world);
    size_t sum = 0;
    for (size_t i = 0; i < SHOAL_PURPOSE_COUNT; i++) {
        assert_non_null(shoal_purpose_name((shoal_purpose)i));
        sum += report.purpose_bytes[i];
    }
    assert_count(sum, report.total_bytes);
    assert_count(report.total_bytes, f.fake.live_bytes);
    assert_count(report.limit_bytes, 0);
    assert_count(report.entity_count, 3000);
    assert_count(report.chunk_used_bytes, 3000 * (8 + 4) + 429 * 256);
    assert_count(report.chunk_used_bytes + report.chunk_unused_bytes, report.chunk_bytes);
    assert_at_most(report.chunk_bytes + report.pool_free_bytes, report.purpose_bytes[SHOAL_PURPOSE_CHUNK]);
    assert_true(report.purpose_bytes[SHOAL_PURPOSE_COMMAND] >= 3000);
    assert_true(report.purpose_bytes[SHOAL_PURPOSE_INDEX] >= (size_t)3000 * 16);
    assert_count(report.query_count, 1);
    assert_true(report.slot_count >= 3000);
    assert_status(shoal_world_memory(f.world, NULL), SHOAL_INVALID_ARGUMENT);
    fixture_end(&f);
}

static void test_empty_world_is_small(void **state) {
    (void)state;
    shoal_world *world = shoal_world_create(NULL);
    assert_non_null(world);
    assert_at_most(report_of(world).total_bytes, 65536);
    assert_ok(shoal_world_destroy(world));
}

/* Spawns until the limit stops it; then nothing has changed, and what is given back can be used again. */
static void test_memory_limit(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.memory_limit = 500000});
    assert_count(report_of(f.world).limit_bytes, 500000);
    shoal_entity entity = {0};
    uint32_t count = 0;
    do {
        entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Wide)));
        count += !shoal_entity_is_null(entity);
        assert_at_most(f.fake.live_bytes, 500000);
    } while (!shoal_entity_is_null(entity));
    assert_last_error(f.world, SHOAL_MEMORY_LIMIT);
    assert_true(count > 100);
    assert_count(shoal_world_entity_count(f.world), count);
    world_dump before = world_dump_take(f.world, f.everything);
    const shoal_value value = SHOAL_DEFAULT(Wide);
    const shoal_spawn_many_def many = {.count = 5000, .values = &value, .value_count = 1};
    assert_status(shoal_spawn_many(f.world, &many), SHOAL_MEMORY_LIMIT);
    world_dump after = world_dump_take(f.world, f.everything);
    assert_same_dump(&after, &before);
    assert_at_most(report_of(f.world).peak_bytes, 500000);
    assert_valid(f.world);
    assert_ok(shoal_query_destroy_entities(f.everything));
    for (uint32_t i = 0; i < count; i++) {
        spawn_one(f.world, &value, 1);
    }
    world_dump_free(&before);
    world_dump_free(&after);
    fixture_end(&f);
}

static void test_limit_below_the_world_itself(void **state) {
    (void)state;
    assert_null(shoal_world_create(&(shoal_world_def){.memory_limit = 64}));
    assert_last_error(NULL, SHOAL_MEMORY_LIMIT);
}

/* An empty chunk goes back at once: a hundred archetypes that are used one after the other share the memory. */
static void test_empty_chunks_are_shared(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 16384});
    size_t after_first = 0;
    for (uint32_t i = 0; i < 100; i++) {
        const shoal_value values[] = {SHOAL_DEFAULT(Wide), {numbered_tag(i), NULL}};
        assert_ok(
            shoal_spawn_many(f.world, &(shoal_spawn_many_def){.count = 2000, .values = values, .value_count = 2}));
        assert_ok(shoal_query_destroy_entities(f.everything));
        size_t chunk_bytes = report_of(f.world).purpose_bytes[SHOAL_PURPOSE_CHUNK];
        after_first = i == 0 ? chunk_bytes : after_first;
        assert_at_most(chunk_bytes, after_first);
        assert_count(report_of(f.world).chunk_count, 0);
    }
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_G1_columns_and_rows_are_aligned),
        cmocka_unit_test(conf_G2_last_64_bytes_are_inside),
        cmocka_unit_test(conf_G3_more_than_65536_chunks),
        cmocka_unit_test(conf_G3_more_than_1048576_chunks),
        cmocka_unit_test(conf_G3_more_than_4_gib_in_one_column),
        cmocka_unit_test(conf_G3_more_than_4_gib_in_one_row),
        cmocka_unit_test(test_oversize_component),
        cmocka_unit_test(conf_G4_creates_and_destroys_at_page_limits),
        cmocka_unit_test(conf_H1_small_archetypes_are_small),
        cmocka_unit_test(conf_H1_the_report_finds_the_worst),
        cmocka_unit_test(conf_H3_trim_gives_memory_back),
        cmocka_unit_test(conf_H3_trim_with_a_budget_gets_there_too),
        cmocka_unit_test(conf_H3_a_million_entities),
        cmocka_unit_test(test_trim_keeps_generations),
        cmocka_unit_test(test_report_sums),
        cmocka_unit_test(test_empty_world_is_small),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_limit_below_the_world_itself),
        cmocka_unit_test(test_empty_chunks_are_shared),
        cmocka_unit_test(test_changes_after_a_change_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
