/*
 * The cells of buffers against naive arrays: every operation on elements of many sizes, with and without hooks, each
 * with the allocator and the hooks failing at every point; layout, growth and shrinking, elements of the buffer itself,
 * refused elements, limits.
 *
 * An element stands for a 32-bit payload: plain types repeat its bytes, each time changed, types with hooks own an
 * object that has it.
 */
#include "support/fake_allocator.h"
#include "support/owned.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "storage/buffer.h"

#define NAIVE_MAX 96
#define ELEMENT_MAX 64
#define CELL_BYTES 4096
#define DEFAULT_PAYLOAD 77u

/* One buffer under test, and what it should hold. The cell may move to the other of two places. */
typedef struct subject {
    component_type type;
    tracker track; /* of types with hooks */
    Owned default_value;
    int64_t base_live; /* objects that the buffer does not own */
    fake_allocator fake;
    shoal_memory memory;
    char *places[2];
    uint32_t place;
    uint32_t naive[NAIVE_MAX];
    size_t naive_count;
} subject;

/* What a subject is made of. */
typedef struct variant {
    const char *name;
    size_t size;
    size_t alignment;
    uint32_t inline_count;
    bool hooked;
    bool ctor;
    bool follows; /* has a move hook */
    bool with_default;
} variant;

static const variant variants[] = {
    {.name = "1 byte", .size = 1, .alignment = 1},
    {.name = "1 byte, 1 inline, default value", .size = 1, .alignment = 1, .inline_count = 1, .with_default = true},
    {.name = "12 bytes", .size = 12, .alignment = 4},
    {.name = "12 bytes, 1 inline", .size = 12, .alignment = 4, .inline_count = 1},
    {.name = "12 bytes, 8 inline, default value", .size = 12, .alignment = 4, .inline_count = 8, .with_default = true},
    {.name = "4 bytes", .size = 4, .alignment = 4},
    {.name = "8 bytes, 2 inline", .size = 8, .alignment = 4, .inline_count = 2},
    {.name = "16 bytes", .size = 16, .alignment = 16},
    {.name = "64 bytes", .size = 64, .alignment = 8},
    {.name = "32 aligned", .size = 32, .alignment = 32},
    {.name = "32 aligned, 8 inline", .size = 32, .alignment = 32, .inline_count = 8},
    {.name = "owned", .size = 8, .alignment = 8, .hooked = true},
    {.name = "owned, ctor, 1 inline", .size = 8, .alignment = 8, .inline_count = 1, .hooked = true, .ctor = true},
    {.name = "owned, move", .size = 8, .alignment = 8, .hooked = true, .follows = true},
    {.name = "owned, ctor, move, 8 inline",
     .size = 8,
     .alignment = 8,
     .inline_count = 8,
     .hooked = true,
     .ctor = true,
     .follows = true},
    {.name = "owned, default value, 1 inline",
     .size = 8,
     .alignment = 8,
     .inline_count = 1,
     .hooked = true,
     .with_default = true},
};

#define VARIANT_COUNT (sizeof variants / sizeof variants[0])

/* ---- subjects ---- */

static void *cell_of(const subject *s) {
    return s->places[s->place];
}

static bool is_owned(const subject *s) {
    return s->type.def.copy != NULL;
}

static unsigned char payload_byte(uint32_t payload, size_t i) {
    return (unsigned char)((payload >> 8 * (i % 4)) * (1 + i / 4 * 2));
}

/* The payloads that elements of this size can tell apart. */
static uint32_t payload_fit(const subject *s, uint64_t drawn) {
    return (uint32_t)drawn & (s->type.def.size < 4 ? 0xFFu : UINT32_MAX);
}

static uint32_t payload_of_default(const subject *s) {
    if (s->type.def.ctor != NULL) {
        return OWNED_CTOR_PAYLOAD;
    }
    return s->type.def.default_value != NULL ? DEFAULT_PAYLOAD : 0;
}

static void plain_write(unsigned char *element, size_t size, uint32_t payload) {
    for (size_t i = 0; i < size; i++) {
        element[i] = payload_byte(payload, i);
    }
}

static void definition_make(subject *s, const variant *v, const void *plain_default) {
    shoal_component_def *def = &s->type.def;
    *def = (shoal_component_def){.name = v->name,
                                 .size = v->size,
                                 .alignment = v->alignment,
                                 .inline_count = v->inline_count,
                                 .storage = SHOAL_STORAGE_BUFFER,
                                 .default_value = v->with_default ? plain_default : NULL,
                                 .user = &s->track};
    if (v->hooked) {
        s->track = (tracker){.name = v->name, .has_ctor = v->ctor, .follows = v->follows};
        def->ctor = v->ctor ? owned_ctor : NULL;
        def->copy = owned_copy;
        def->move = v->follows ? owned_move : NULL;
        def->dtor = owned_dtor;
    }
    if (v->hooked && v->with_default) {
        owned_make(&s->track, &s->default_value, DEFAULT_PAYLOAD);
        def->default_value = &s->default_value;
        s->base_live = 1;
    }
}

static void subject_start(subject *s, const variant *v) {
    static unsigned char plain_default[ELEMENT_MAX];
    plain_write(plain_default, sizeof plain_default, DEFAULT_PAYLOAD);
    *s = (subject){0};
    definition_make(s, v, plain_default);
    component_type *type = &s->type;
    buffer_measure(&type->def, &type->inline_count, &type->inline_offset, &type->value_size, &type->value_alignment);
    s->memory.allocator = fake_allocator_table(&s->fake);
    for (size_t i = 0; i < 2; i++) {
        s->places[i] = aligned_alloc(64, CELL_BYTES);
        assert_non_null(s->places[i]);
        memset(s->places[i], 0xA5, CELL_BYTES);
    }
    assert_true(buffer_make_span(&s->memory, type, cell_of(s), NULL, NULL));
}

static void subject_end(subject *s) {
    buffer_end(&s->memory, &s->type, cell_of(s), 1);
    if (is_owned(s)) {
        assert_owned(&s->track, s->base_live);
    }
    assert_count(s->memory.buffer_heap_count, 0);
    assert_count(s->memory.buffer_heap_bytes, 0);
    assert_count(s->memory.total, 0);
    assert_nothing_leaked(&s->fake);
    free(s->places[0]);
    free(s->places[1]);
}

/* The payload of an element, which must be whole. */
static uint32_t element_read(const subject *s, const void *element) {
    uint32_t payload = 0;
    if (is_owned(s)) {
        assert_true(owned_read(&s->track, element, &payload));
        return payload;
    }
    const unsigned char *bytes = element;
    for (size_t i = 0; i < 4 && i < s->type.def.size; i++) {
        payload |= (uint32_t)bytes[i] << 8 * i;
    }
    for (size_t i = 0; i < s->type.def.size; i++) {
        assert_count(bytes[i], payload_byte(payload, i));
    }
    return payload;
}

static void cell_check(const subject *s, const void *cell, const uint32_t *payloads, size_t count) {
    char reason[256] = "";
    const buffer_cell *head = cell;
    assert_count(head->count, count);
    if (!buffer_validate(&s->type, cell, reason, sizeof reason)) {
        fail_msg("%s at %s", reason, test_context);
    }
    const char *items = buffer_items(&s->type, cell);
    assert_count((uintptr_t)items % s->type.def.alignment, 0);
    for (size_t i = 0; i < count; i++) {
        assert_count(element_read(s, items + i * s->type.def.size), payloads[i]);
    }
}

/* The objects that the buffer owns: a default without ctor is an empty value, which has none. */
static int64_t owned_objects(const subject *s) {
    const Owned *items = buffer_items(&s->type, cell_of(s));
    int64_t live = 0;
    for (size_t i = 0; i < s->naive_count; i++) {
        live += items[i].object != 0;
    }
    return live;
}

static void subject_check(const subject *s) {
    cell_check(s, cell_of(s), s->naive, s->naive_count);
    const buffer_cell *head = cell_of(s);
    size_t heap_bytes = head->heap != NULL ? head->capacity * s->type.def.size : 0;
    assert_count(s->memory.buffer_heap_count, head->heap != NULL ? 1 : 0);
    assert_count(s->memory.buffer_heap_bytes, heap_bytes);
    assert_count(s->memory.purposes[SHOAL_PURPOSE_BUFFER], heap_bytes);
    assert_count(s->fake.live_bytes, heap_bytes);
    if (is_owned(s)) {
        assert_owned(&s->track, s->base_live + owned_objects(s));
    }
}

/* ---- operations, on the naive array and on the cell ---- */

typedef enum operation_kind {
    OPERATION_PUSH,
    OPERATION_INSERT,
    OPERATION_ERASE,
    OPERATION_ERASE_SWAP,
    OPERATION_RESIZE,
    OPERATION_ASSIGN,
    OPERATION_RELOCATE,
    OPERATION_COPY,
    OPERATION_KIND_COUNT
} operation_kind;

typedef enum given_kind { GIVEN_DEFAULT, GIVEN_OWN_ELEMENT, GIVEN_VALUE } given_kind;

typedef struct operation {
    operation_kind kind;
    given_kind given;
    size_t at;
    size_t own;   /* the element of the buffer itself that is given, or the first of them */
    size_t count; /* of resize and assign */
    uint32_t payloads[NAIVE_MAX];
    unsigned char bytes[NAIVE_MAX * ELEMENT_MAX]; /* elements with these payloads */
} operation;

static void given_make(subject *s, operation *op, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned char *element = op->bytes + i * s->type.def.size;
        if (is_owned(s)) {
            owned_make(&s->track, (Owned *)(void *)element, op->payloads[i]);
        } else {
            plain_write(element, s->type.def.size, op->payloads[i]);
        }
    }
}

static void given_end(subject *s, operation *op, size_t count) {
    for (size_t i = 0; is_owned(s) && i < count; i++) {
        owned_end(&s->track, (Owned *)(void *)op->bytes + i);
    }
}

/* How many elements of its own the operation holds. */
static size_t given_count(const operation *op) {
    if (op->given != GIVEN_VALUE) {
        return 0;
    }
    return op->kind == OPERATION_ASSIGN ? op->count : op->kind <= OPERATION_INSERT ? 1 : 0;
}

static void operation_draw(const subject *s, operation *op, rng *random) {
    size_t count = s->naive_count;
    op->kind = (operation_kind)rng_below(random, OPERATION_KIND_COUNT);
    bool full = count == NAIVE_MAX;
    if ((count == 0 || rng_chance(random, 20)) && !full) {
        op->kind = OPERATION_PUSH;
    } else if (full && op->kind <= OPERATION_INSERT) {
        op->kind = OPERATION_ERASE;
    }
    op->given = (given_kind)rng_below(random, 3);
    bool takes_at = op->kind == OPERATION_INSERT;
    op->at = rng_below(random, (uint32_t)count + (takes_at ? 1 : 0) + (count == 0));
    op->own = rng_below(random, (uint32_t)count + (count == 0));
    op->count = rng_below(random, rng_chance(random, 20) ? NAIVE_MAX + 1 : 14);
    if (op->given == GIVEN_OWN_ELEMENT && count == 0) {
        op->given = GIVEN_DEFAULT;
    }
    if (op->kind == OPERATION_ASSIGN && op->given == GIVEN_OWN_ELEMENT && op->count > count - op->own) {
        op->count = count - op->own;
    } else if (op->kind == OPERATION_ASSIGN && op->given == GIVEN_DEFAULT) {
        op->given = GIVEN_VALUE;
    }
    for (size_t i = 0; i < NAIVE_MAX; i++) {
        op->payloads[i] = payload_fit(s, rng_next(random));
    }
}

static uint32_t operation_payload(const subject *s, const operation *op) {
    if (op->given == GIVEN_OWN_ELEMENT) {
        return s->naive[op->own];
    }
    return op->given == GIVEN_VALUE ? op->payloads[0] : payload_of_default(s);
}

static void naive_insert(subject *s, size_t at, uint32_t payload) {
    memmove(s->naive + at + 1, s->naive + at, (s->naive_count - at) * sizeof *s->naive);
    s->naive[at] = payload;
    s->naive_count++;
}

static void naive_assign(subject *s, const operation *op) {
    const uint32_t *from = op->given == GIVEN_OWN_ELEMENT ? s->naive + op->own : op->payloads;
    memmove(s->naive, from, op->count * sizeof *s->naive);
    s->naive_count = op->count;
}

static void naive_apply(subject *s, const operation *op) {
    switch (op->kind) {
    case OPERATION_PUSH:
        naive_insert(s, s->naive_count, operation_payload(s, op));
        break;
    case OPERATION_INSERT:
        naive_insert(s, op->at, operation_payload(s, op));
        break;
    case OPERATION_ERASE:
        s->naive_count--;
        memmove(s->naive + op->at, s->naive + op->at + 1, (s->naive_count - op->at) * sizeof *s->naive);
        break;
    case OPERATION_ERASE_SWAP:
        s->naive[op->at] = s->naive[--s->naive_count];
        break;
    case OPERATION_RESIZE:
        for (size_t i = s->naive_count; i < op->count; i++) {
            s->naive[i] = payload_of_default(s);
        }
        s->naive_count = op->count;
        break;
    case OPERATION_ASSIGN:
        naive_assign(s, op);
        break;
    default:
        break;
    }
}

/* A deep copy lives beside its source, and changing it changes nothing there. */
static shoal_status copy_apply(subject *s) {
    char *copy = s->places[1 - s->place];
    shoal_status why = SHOAL_OK;
    if (!buffer_make_copies(&s->memory, &s->type, copy, cell_of(s), 1, &why)) {
        return why;
    }
    cell_check(s, copy, s->naive, s->naive_count);
    assert_true(s->naive_count == 0 || buffer_items(&s->type, copy) != buffer_items(&s->type, cell_of(s)));
    assert_ok(buffer_erase(&s->memory, &s->type, copy, 0));
    buffer_end(&s->memory, &s->type, copy, 1);
    memset(copy, 0xA5, CELL_BYTES);
    return SHOAL_OK;
}

static shoal_status relocate_apply(subject *s) {
    char *old = cell_of(s);
    s->place = 1 - s->place;
    buffer_relocate(&s->type, cell_of(s), old, 1);
    memset(old, 0xA5, CELL_BYTES);
    return SHOAL_OK;
}

static shoal_status operation_apply(subject *s, const operation *op) {
    void *cell = cell_of(s);
    const char *own = (const char *)buffer_items(&s->type, cell) + op->own * s->type.def.size;
    const void *given = op->given == GIVEN_OWN_ELEMENT ? own
                        : op->given == GIVEN_VALUE     ? (const void *)op->bytes
                                                       : NULL;
    shoal_span span = {.items = given, .count = op->count};
    switch (op->kind) {
    case OPERATION_PUSH:
        return buffer_push(&s->memory, &s->type, cell, given);
    case OPERATION_INSERT:
        return buffer_insert(&s->memory, &s->type, cell, op->at, given);
    case OPERATION_ERASE:
        return buffer_erase(&s->memory, &s->type, cell, op->at);
    case OPERATION_ERASE_SWAP:
        return buffer_erase_swap(&s->memory, &s->type, cell, op->at);
    case OPERATION_RESIZE:
        return buffer_resize(&s->memory, &s->type, cell, op->count);
    case OPERATION_ASSIGN:
        return buffer_assign(&s->memory, &s->type, cell, &span);
    case OPERATION_COPY:
        return copy_apply(s);
    default:
        return relocate_apply(s);
    }
}

/* Runs one operation with the n-th allocation or hook failing for n = 1, 2, ... until it succeeds. */
static void operation_run(subject *s, operation *op, bool hooks_fail) {
    given_make(s, op, given_count(op));
    int64_t base_live = s->base_live;
    s->base_live += is_owned(s) ? (int64_t)given_count(op) : 0;
    shoal_status status = SHOAL_STATUS_COUNT;
    for (size_t n = 1; status != SHOAL_OK; n++) {
        owned_arm(&s->track, hooks_fail ? n : 0);
        fake_allocator_arm(&s->fake, hooks_fail ? 0 : n, false);
        status = operation_apply(s, op);
        bool hook_failed = owned_disarm(&s->track);
        bool memory_failed = fake_allocator_disarm(&s->fake);
        if (status == SHOAL_OK) {
            naive_apply(s, op);
        } else {
            assert_true(hook_failed || memory_failed);
            assert_status(status, hook_failed ? SHOAL_HOOK_FAILED : SHOAL_OUT_OF_MEMORY);
        }
        subject_check(s);
    }
    given_end(s, op, given_count(op));
    s->base_live = base_live;
}

static void random_operations_match_naive_arrays(void **state) {
    (void)state;
    uint64_t seed = test_environment("SHOAL_SEED", 1);
    uint64_t steps = test_environment("SHOAL_STEPS", 6000);
    static operation op;
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        rng random = {seed * 1000 + v};
        subject s;
        subject_start(&s, &variants[v]);
        for (uint64_t step = 0; step < steps; step++) {
            operation_draw(&s, &op, &random);
            test_set_context("%s, seed %u, step %u, operation %d, %zu elements", variants[v].name, (unsigned)seed,
                             (unsigned)step, (int)op.kind, s.naive_count);
            operation_run(&s, &op, is_owned(&s) && rng_chance(&random, 50));
        }
        subject_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- layout ---- */

static component_type measured(size_t size, size_t alignment, uint32_t inline_count) {
    component_type type = {.def = {.name = "measured", .size = size, .alignment = alignment}};
    type.def.inline_count = inline_count;
    buffer_measure(&type.def, &type.inline_count, &type.inline_offset, &type.value_size, &type.value_alignment);
    return type;
}

static void check_layout(component_type type, uint32_t count, uint32_t offset, uint32_t size, uint32_t alignment) {
    test_set_context("elements of %zu bytes aligned to %zu", type.def.size, type.def.alignment);
    assert_count(type.inline_count, count);
    assert_count(type.inline_offset, offset);
    assert_count(type.value_size, size);
    assert_count(type.value_alignment, alignment);
    test_set_context("%s", "");
}

static void layout_fits_into_a_line(void **state) {
    (void)state;
    check_layout(measured(1, 1, 0), 48, 16, 64, 8);
    check_layout(measured(1, 0, 0), 48, 16, 64, 8);
    check_layout(measured(5, 1, 0), 9, 16, 64, 8);
    check_layout(measured(12, 4, 0), 4, 16, 64, 8);
    check_layout(measured(40, 8, 0), 1, 16, 56, 8);
    check_layout(measured(64, 8, 0), 1, 16, 80, 8);
    check_layout(measured(32, 32, 0), 1, 32, 64, 32);
    check_layout(measured(64, 64, 0), 1, 64, 128, 64);
    check_layout(measured(12, 4, 1), 1, 16, 32, 8);
    check_layout(measured(12, 4, 8), 8, 16, 112, 8);
    check_layout(measured(4096, 4096, 2), 2, 4096, 12288, 4096);
    check_layout(measured(1, 1, UINT32_MAX), UINT32_MAX, 16, UINT32_MAX, 8);
    check_layout(measured((size_t)1 << 30, 1, UINT32_MAX), UINT32_MAX, 16, UINT32_MAX, 8);
}

/* ---- growth ---- */

static const buffer_cell *head_of(const subject *s) {
    return cell_of(s);
}

static void push_payload(subject *s, uint32_t payload) {
    static operation op;
    op.kind = OPERATION_PUSH;
    op.given = GIVEN_VALUE;
    op.payloads[0] = payload_fit(s, payload);
    given_make(s, &op, 1);
    assert_ok(operation_apply(s, &op));
    naive_apply(s, &op);
    given_end(s, &op, 1);
}

static void push_up_to(subject *s, size_t count) {
    while (s->naive_count < count) {
        push_payload(s, (uint32_t)s->naive_count * 7 + 1);
    }
}

static void erase_down_to(subject *s, size_t count) {
    static const operation op = {.kind = OPERATION_ERASE, .at = 0};
    while (s->naive_count > count) {
        assert_ok(operation_apply(s, &op));
        naive_apply(s, &op);
    }
}

/* Capacities on the way up double, on the way down halve at a quarter; what fits goes back into the cell. */
static void capacity_follows_the_count(void **state) {
    (void)state;
    static const struct {
        size_t count;
        uint32_t capacity;
        bool on_heap;
    } up[] = {{1, 1, false}, {2, 2, true}, {3, 4, true}, {5, 8, true}, {9, 16, true}, {17, 32, true}},
      down[] = {{9, 32, true}, {8, 16, true}, {5, 16, true}, {4, 8, true}, {2, 4, true}, {1, 1, false}, {0, 1, false}};
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        if (variants[v].inline_count != 1) {
            continue;
        }
        subject s;
        subject_start(&s, &variants[v]);
        for (size_t i = 0; i < sizeof up / sizeof up[0]; i++) {
            push_up_to(&s, up[i].count);
            assert_count(head_of(&s)->capacity, up[i].capacity);
            assert_count(head_of(&s)->heap != NULL, up[i].on_heap);
        }
        for (size_t i = 0; i < sizeof down / sizeof down[0]; i++) {
            erase_down_to(&s, down[i].count);
            assert_count(head_of(&s)->capacity, down[i].capacity);
            assert_count(head_of(&s)->heap != NULL, down[i].on_heap);
            subject_check(&s);
        }
        subject_end(&s);
    }
}

/* A smaller block that cannot be had is no error. */
static void failing_to_shrink_is_no_error(void **state) {
    (void)state;
    subject s;
    subject_start(&s, &variants[3]);
    push_up_to(&s, 32);
    assert_count(head_of(&s)->capacity, 32);
    size_t allocations = s.fake.allocation_count;
    erase_down_to(&s, 9);
    assert_count(s.fake.allocation_count, allocations);
    fake_allocator_arm(&s.fake, 1, true);
    erase_down_to(&s, 3);
    assert_count(head_of(&s)->capacity, 32);
    subject_check(&s);
    assert_true(fake_allocator_disarm(&s.fake));
    erase_down_to(&s, 2);
    assert_count(head_of(&s)->capacity, 4);
    fake_allocator_arm(&s.fake, 1, true);
    erase_down_to(&s, 1);
    assert_false(fake_allocator_disarm(&s.fake));
    assert_null(head_of(&s)->heap);
    subject_end(&s);
}

/* A span is taken with just the room that it needs. */
static void spans_make_cells(void **state) {
    (void)state;
    static operation op;
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        subject s;
        subject_start(&s, &variants[v]);
        uint32_t counts[] = {0, 1, s.type.inline_count, s.type.inline_count + 1, NAIVE_MAX};
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            buffer_end(&s.memory, &s.type, cell_of(&s), 1);
            op = (operation){.kind = OPERATION_ASSIGN, .given = GIVEN_VALUE, .count = counts[i]};
            for (uint32_t p = 0; p < counts[i]; p++) {
                op.payloads[p] = payload_fit(&s, p * 5 + 3);
            }
            given_make(&s, &op, op.count);
            shoal_span span = {.items = op.bytes, .count = op.count};
            shoal_status why = SHOAL_OK;
            assert_true(buffer_make_span(&s.memory, &s.type, cell_of(&s), &span, &why));
            given_end(&s, &op, op.count);
            naive_assign(&s, &op);
            subject_check(&s);
            assert_count(head_of(&s)->capacity, counts[i] > s.type.inline_count ? counts[i] : s.type.inline_count);
        }
        subject_end(&s);
    }
}

/* ---- several cells ---- */

#define CELL_COUNT 3

static void cells_make(subject *s, char *cells, const size_t counts[CELL_COUNT]) {
    for (size_t c = 0; c < CELL_COUNT; c++) {
        char *cell = cells + c * s->type.value_size;
        assert_true(buffer_make_span(&s->memory, &s->type, cell, NULL, NULL));
        assert_ok(buffer_resize(&s->memory, &s->type, cell, counts[c]));
    }
}

static void cells_check(const subject *s, const char *cells, const size_t counts[CELL_COUNT]) {
    uint32_t expected[16];
    for (size_t i = 0; i < 16; i++) {
        expected[i] = payload_of_default(s);
    }
    for (size_t c = 0; c < CELL_COUNT; c++) {
        cell_check(s, cells + c * s->type.value_size, expected, counts[c]);
    }
}

/* Copies cells with the n-th allocation or hook failing for n = 1, 2, ... until it succeeds. */
static void cells_copy(subject *s, char *copies, const char *cells, bool hooks_fail) {
    size_t live_blocks = s->fake.live_count;
    int64_t live_objects = s->track.live;
    bool made = false;
    for (size_t n = 1; !made; n++) {
        shoal_status why = SHOAL_OK;
        owned_arm(&s->track, hooks_fail ? n : 0);
        fake_allocator_arm(&s->fake, hooks_fail ? 0 : n, false);
        made = buffer_make_copies(&s->memory, &s->type, copies, cells, CELL_COUNT, &why);
        bool hook_failed = owned_disarm(&s->track);
        bool memory_failed = fake_allocator_disarm(&s->fake);
        assert_count(made, !hook_failed && !memory_failed);
        if (!made) {
            assert_status(why, hooks_fail ? SHOAL_HOOK_FAILED : SHOAL_OUT_OF_MEMORY);
            assert_count(s->fake.live_count, live_blocks);
            assert_count(s->memory.buffer_heap_count, live_blocks);
            assert_count(s->track.live, live_objects);
        }
    }
}

/* Copies of several cells are made all or none, wherever a hook or an allocation fails; then all move, and end. */
static void copy_and_move_cells(subject *s, bool hooks_fail) {
    static const size_t counts[CELL_COUNT] = {13, 1, 10};
    char *rows[3];
    for (size_t i = 0; i < 3; i++) {
        rows[i] = aligned_alloc(64, CELL_BYTES);
        assert_non_null(rows[i]);
        memset(rows[i], 0xA5, CELL_BYTES);
    }
    cells_make(s, rows[0], counts);
    cells_copy(s, rows[1], rows[0], hooks_fail);
    cells_check(s, rows[1], counts);
    buffer_relocate(&s->type, rows[2], rows[1], CELL_COUNT);
    memset(rows[1], 0xA5, CELL_BYTES);
    cells_check(s, rows[2], counts);
    buffer_end(&s->memory, &s->type, rows[2], CELL_COUNT);
    cells_check(s, rows[0], counts);
    buffer_end(&s->memory, &s->type, rows[0], CELL_COUNT);
    for (size_t i = 0; i < 3; i++) {
        free(rows[i]);
    }
}

static void several_cells_are_copied_whole(void **state) {
    (void)state;
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        subject s;
        subject_start(&s, &variants[v]);
        test_set_context("%s", variants[v].name);
        copy_and_move_cells(&s, false);
        if (is_owned(&s)) {
            copy_and_move_cells(&s, true);
        }
        subject_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- what is refused ---- */

/* Refuses payloads whose lowest bit is set, and counts how often it is asked. */
typedef struct judge {
    size_t asked;
} judge;

static bool judge_validate(const void *value, void *user) {
    uint32_t payload;
    memcpy(&payload, value, sizeof payload);
    ((judge *)user)->asked++;
    return payload % 2 == 0;
}

static void validate_is_asked_for_each_element(void **state) {
    (void)state;
    subject s;
    subject_start(&s, &(variant){.name = "judged", .size = 4, .alignment = 4, .inline_count = 2});
    judge j = {0};
    s.type.def.validate = judge_validate;
    s.type.def.user = &j;
    uint32_t odd_default = 1;
    s.type.def.default_value = &odd_default;
    void *cell = cell_of(&s);
    const uint32_t good[ELEMENT_MAX] = {2, 4, 6}, bad[ELEMENT_MAX] = {2, 4, 5};
    assert_ok(buffer_push(&s.memory, &s.type, cell, &good[0]));
    assert_status(buffer_push(&s.memory, &s.type, cell, &bad[2]), SHOAL_VALUE_REFUSED);
    assert_status(buffer_insert(&s.memory, &s.type, cell, 0, &bad[2]), SHOAL_VALUE_REFUSED);
    assert_count(j.asked, 3);
    assert_ok(buffer_assign(&s.memory, &s.type, cell, &(shoal_span){good, 3}));
    assert_count(j.asked, 6);
    assert_status(buffer_assign(&s.memory, &s.type, cell, &(shoal_span){bad, 3}), SHOAL_VALUE_REFUSED);
    assert_count(head_of(&s)->count, 3);
    assert_memory_equal(buffer_items(&s.type, cell), good, 3 * sizeof *good);
    assert_status(buffer_check_span(&s.type, &(shoal_span){bad, 3}), SHOAL_VALUE_REFUSED);
    assert_ok(buffer_check_span(&s.type, &(shoal_span){bad, 2}));
    assert_ok(buffer_check_span(&s.type, NULL));
    size_t asked = j.asked;
    assert_ok(buffer_push(&s.memory, &s.type, cell, NULL)); /* a default is not given by the caller */
    assert_ok(buffer_resize(&s.memory, &s.type, cell, 6));
    assert_count(j.asked, asked);
    subject_end(&s);
}

static void wrong_places_are_refused(void **state) {
    (void)state;
    subject s;
    subject_start(&s, &variants[2]);
    push_up_to(&s, 5);
    void *cell = cell_of(&s);
    const unsigned char element[12] = {0};
    assert_status(buffer_insert(&s.memory, &s.type, cell, 6, element), SHOAL_INVALID_ARGUMENT);
    assert_status(buffer_insert(&s.memory, &s.type, cell, SIZE_MAX, element), SHOAL_INVALID_ARGUMENT);
    assert_status(buffer_erase(&s.memory, &s.type, cell, 5), SHOAL_INVALID_ARGUMENT);
    assert_status(buffer_erase_swap(&s.memory, &s.type, cell, 5), SHOAL_INVALID_ARGUMENT);
    assert_status(buffer_assign(&s.memory, &s.type, cell, &(shoal_span){NULL, 1}), SHOAL_INVALID_ARGUMENT);
    assert_status(buffer_assign(&s.memory, &s.type, cell, &(shoal_span){element, (size_t)BUFFER_COUNT_MAX + 1}),
                  SHOAL_INVALID_ARGUMENT);
    assert_status(buffer_resize(&s.memory, &s.type, cell, (size_t)BUFFER_COUNT_MAX + 1), SHOAL_INVALID_ARGUMENT);
    assert_status(buffer_resize(&s.memory, &s.type, cell, SIZE_MAX), SHOAL_INVALID_ARGUMENT);
    s.memory.limit = 1 << 20;
    assert_status(buffer_resize(&s.memory, &s.type, cell, BUFFER_COUNT_MAX), SHOAL_MEMORY_LIMIT);
    shoal_status why = SHOAL_OK;
    char *raw = s.places[1];
    const shoal_span many = {element, (size_t)BUFFER_COUNT_MAX + 1};
    assert_false(buffer_make_span(&s.memory, &s.type, raw, &many, &why));
    assert_status(why, SHOAL_INVALID_ARGUMENT);
    subject_check(&s);
    assert_ok(buffer_assign(&s.memory, &s.type, cell, &(shoal_span){NULL, 0}));
    s.naive_count = 0;
    subject_check(&s);
    subject_end(&s);
}

/* A full cell, of which nothing but its head is looked at. */
static void the_last_element_is_the_limit(void **state) {
    (void)state;
    component_type type = measured(1, 1, 0);
    shoal_memory memory = {0};
    char nowhere = 0;
    buffer_cell full = {.heap = &nowhere, .count = BUFFER_COUNT_MAX, .capacity = BUFFER_COUNT_MAX};
    assert_status(buffer_push(&memory, &type, &full, &nowhere), SHOAL_INVALID_ARGUMENT);
    assert_status(buffer_insert(&memory, &type, &full, 0, &nowhere), SHOAL_INVALID_ARGUMENT);
    assert_count(full.count, BUFFER_COUNT_MAX);
}

static void validation_sees_broken_cells(void **state) {
    (void)state;
    subject s;
    subject_start(&s, &variants[2]);
    push_up_to(&s, 6);
    buffer_cell *head = cell_of(&s);
    const buffer_cell whole = *head;
    const buffer_cell broken[] = {
        {whole.heap, 4, whole.capacity},
        {whole.heap, whole.capacity + 1, whole.capacity},
        {NULL, 6, 4},
        {NULL, 2, 8},
        {NULL, 0, 0},
        {(char *)whole.heap + 1, 6, whole.capacity},
        {whole.heap, 6, BUFFER_COUNT_MAX + 1},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char reason[256] = "";
        *head = broken[i];
        assert_false(buffer_validate(&s.type, head, reason, sizeof reason));
        assert_non_null(strstr(reason, "12 bytes"));
    }
    *head = whole;
    subject_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_fits_into_a_line),        cmocka_unit_test(capacity_follows_the_count),
        cmocka_unit_test(failing_to_shrink_is_no_error),  cmocka_unit_test(spans_make_cells),
        cmocka_unit_test(several_cells_are_copied_whole), cmocka_unit_test(validate_is_asked_for_each_element),
        cmocka_unit_test(wrong_places_are_refused),       cmocka_unit_test(the_last_element_is_the_limit),
        cmocka_unit_test(validation_sees_broken_cells),   cmocka_unit_test(random_operations_match_naive_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
