/*
 * Reductions: a sum for each block of rows, merged in the order of the rows.
 *
 *     sums     | block 0: sum of reduction 0, of reduction 1 | block 1: ... |
 *     touched  a flag for each block: what no row was in is left out
 *
 * Blocks have a fixed place in their chunk and a fixed number of rows, and are merged one after the other, so floating
 * point sums come to the same bits whoever worked on which block. Thread rule: reduce_block() is for jobs, each block
 * once; the others are for whoever starts or ends the task.
 */
#include <math.h>
#include <string.h>

#include "schedule.h"

/* ---- numbers ---- */

/* The kinds of fields that are numbers, with the least and the greatest of each. */
#define WHOLE_NUMBERS(X)                                                                                               \
    X(SHOAL_FIELD_I8, int8_t, INT8_MIN, INT8_MAX)                                                                      \
    X(SHOAL_FIELD_U8, uint8_t, 0, UINT8_MAX)                                                                           \
    X(SHOAL_FIELD_I16, int16_t, INT16_MIN, INT16_MAX)                                                                  \
    X(SHOAL_FIELD_U16, uint16_t, 0, UINT16_MAX)                                                                        \
    X(SHOAL_FIELD_I32, int32_t, INT32_MIN, INT32_MAX)                                                                  \
    X(SHOAL_FIELD_U32, uint32_t, 0, UINT32_MAX)                                                                        \
    X(SHOAL_FIELD_I64, int64_t, INT64_MIN, INT64_MAX)                                                                  \
    X(SHOAL_FIELD_U64, uint64_t, 0, UINT64_MAX)
#define FLOATING_NUMBERS(X)                                                                                            \
    X(SHOAL_FIELD_F32, float, -HUGE_VALF, HUGE_VALF)                                                                   \
    X(SHOAL_FIELD_F64, double, -HUGE_VAL, HUGE_VAL)

static void number_begin(shoal_reduce_kind kind, shoal_field_kind field, char *number) {
    switch (field) {
#define NUMBER_BEGIN(code, Type, least, greatest)                                                                      \
    case code: {                                                                                                       \
        Type value = kind == SHOAL_REDUCE_SUM ? (Type)0 : kind == SHOAL_REDUCE_MIN ? (greatest) : (least);             \
        memcpy(number, &value, sizeof value);                                                                          \
        break;                                                                                                         \
    }
        WHOLE_NUMBERS(NUMBER_BEGIN)
        FLOATING_NUMBERS(NUMBER_BEGIN)
#undef NUMBER_BEGIN
    default:
        break;
    }
}

/* Works `other` into `number`. Whole numbers wrap; what is no number is never the least or the greatest. */
static void number_merge(shoal_reduce_kind kind, shoal_field_kind field, char *number, const char *other) {
    switch (field) {
#define NUMBER_MERGE(code, Type, sum)                                                                                  \
    case code: {                                                                                                       \
        Type a;                                                                                                        \
        Type b;                                                                                                        \
        memcpy(&a, number, sizeof a);                                                                                  \
        memcpy(&b, other, sizeof b);                                                                                   \
        bool takes = kind == SHOAL_REDUCE_MIN ? b < a : b > a;                                                         \
        Type value = kind == SHOAL_REDUCE_SUM ? (sum) : takes ? b : a;                                                 \
        memcpy(number, &value, sizeof value);                                                                          \
        break;                                                                                                         \
    }
#define WHOLE_MERGE(code, Type, least, greatest) NUMBER_MERGE(code, Type, (Type)((uint64_t)a + (uint64_t)b))
#define FLOATING_MERGE(code, Type, least, greatest) NUMBER_MERGE(code, Type, a + b)
        WHOLE_NUMBERS(WHOLE_MERGE)
        FLOATING_NUMBERS(FLOATING_MERGE)
#undef NUMBER_MERGE
#undef WHOLE_MERGE
#undef FLOATING_MERGE
    default:
        break;
    }
}

/* ---- one sum ---- */

/* Goes through all numbers of a type; `other` is NULL to begin. */
static void fields_work(shoal_reduce_kind kind, const shoal_field *fields, size_t count, char *sum, const char *other) {
    for (size_t i = 0; i < count; i++) {
        const shoal_field *field = &fields[i];
        size_t elements = field->count > 1 ? field->count : 1;
        for (size_t k = 0; k < elements; k++) {
            size_t at = field->offset + k * field->size;
            if (field->kind == SHOAL_FIELD_STRUCT) {
                fields_work(kind, field->fields, field->field_count, sum + at, other != NULL ? other + at : NULL);
            } else if (other == NULL) {
                number_begin(kind, field->kind, sum + at);
            } else {
                number_merge(kind, field->kind, sum + at, other + at);
            }
        }
    }
}

static void sum_begin(const shoal_system *system, const system_reduction *reduction, void *sum) {
    memset(sum, 0, reduction->sum_bytes);
    if (reduction->def.kind != SHOAL_REDUCE_USER) {
        fields_work(reduction->def.kind, reduction->type->def.fields, reduction->type->def.field_count, sum, NULL);
    } else if (reduction->def.begin != NULL) {
        reduction->def.begin(sum, system->def.user);
    }
}

static void sum_merge(const shoal_system *system, const system_reduction *reduction, void *sum, const void *other) {
    if (reduction->def.kind == SHOAL_REDUCE_USER) {
        reduction->def.merge(sum, other, system->def.user);
    } else {
        fields_work(reduction->def.kind, reduction->type->def.fields, reduction->type->def.field_count, sum, other);
    }
}

/* ---- all sums of a run ---- */

static size_t block_bytes(const shoal_system *system) {
    size_t bytes = 0;
    for (size_t i = 0; i < system->def.reduction_count; i++) {
        bytes += system->reductions[i].sum_bytes;
    }
    return bytes;
}

shoal_status reduce_begin(shoal_system *system, size_t block_count) {
    shoal_memory *memory = &system->schedule->world->memory;
    /* One more is for the total. */
    shoal_status status =
        memory_array_reserve(memory, SHOAL_PURPOSE_SCHEDULE, &system->sums, block_count + 1, block_bytes(system));
    status = status == SHOAL_OK
                 ? memory_array_reserve(memory, SHOAL_PURPOSE_SCHEDULE, &system->touched, block_count + 1, sizeof(bool))
                 : status;
    system->has_sums = status == SHOAL_OK;
    system->block_count = status == SHOAL_OK ? block_count : 0;
    if (status == SHOAL_OK) {
        memset(system->touched.items, 0, block_count * sizeof(bool));
    }
    return status;
}

void reduce_block(shoal_system *system, size_t block, void **sums) {
    char *sum = (char *)system->sums.items + block * block_bytes(system);
    ((bool *)system->touched.items)[block] = true;
    for (size_t i = 0; i < system->def.reduction_count; i++) {
        sums[i] = sum;
        sum_begin(system, &system->reductions[i], sum);
        sum += system->reductions[i].sum_bytes;
    }
}

shoal_status reduce_end(shoal_system *system) {
    shoal_world *world = system->schedule->world;
    size_t stride = block_bytes(system);
    const char *sum = system->sums.items;
    char *total = (char *)system->sums.items + system->block_count * stride;
    shoal_status status = SHOAL_OK;
    system->has_sums = false;
    for (size_t i = 0; i < system->def.reduction_count; i++) {
        const system_reduction *reduction = &system->reductions[i];
        sum_begin(system, reduction, total);
        for (size_t block = 0; block < system->block_count; block++) {
            if (((const bool *)system->touched.items)[block]) {
                sum_merge(system, reduction, total, sum + block * stride);
            }
        }
        unique_entry *entry = unique_find(&world->uniques, reduction->type->id);
        if (entry != NULL) {
            memcpy(entry->value, total, reduction->type->def.size);
            entry->tick = world->tick;
        } else {
            status = error_detail(error_thread_record_of(world), SHOAL_NOT_FOUND, "shoal_world_step",
                                  "the unique %s of its reduction %zu was removed", reduction->type->def.name, i);
        }
        sum += reduction->sum_bytes;
        total += reduction->sum_bytes;
    }
    return status;
}

void reduce_free(shoal_system *system) {
    shoal_memory *memory = &system->schedule->world->memory;
    size_t bytes = system->reductions != NULL ? block_bytes(system) : 0; /* the system may be half made */
    if (bytes != 0) {
        memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &system->sums, bytes);
    }
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &system->touched, sizeof(bool));
}

void *shoal_run_sum(const shoal_run *run, size_t number) {
    bool is_there = run != NULL && run->sums_ != NULL && number < run->system->def.reduction_count;
    if (UNLIKELY(!is_there)) {
        error_detail(error_thread_record(), SHOAL_INVALID_ARGUMENT, "shoal_run_sum", "there is no reduction %zu here",
                     number);
        return NULL;
    }
    return run->sums_[number];
}
