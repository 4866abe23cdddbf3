/*
 * The operations of the model test of all kinds that record commands and apply them. What is recorded goes into the
 * script as well, which the reference world runs as immediate calls when the buffer is applied; see full_model.h.
 */
#include "full_model.h"

#include "naive_compare.h"
#include "test.h"

#include <string.h>

/* ---- recording ---- */

static size_t placeholders_list(const full_model *m, shoal_entity *own) {
    size_t count = 0;
    for (size_t i = 0; i < m->script_count; i++) {
        if (m->script[i].kind == SHOAL_COMMAND_SPAWN) {
            own[count++] = m->script[i].entity;
        }
    }
    return count;
}

/* Why a handle cannot be recorded; whether it is alive is found out when the buffer is applied. */
static naive_outcome record_check(const full_model *m, shoal_entity entity) {
    return full_check(&m->full, entity) & (NAIVE_ERROR(SHOAL_ENTITY_NULL) | NAIVE_ERROR(SHOAL_ENTITY_FOREIGN));
}

/* The target of a split relation decides over chunks, so it must be known. */
static naive_outcome record_check_value(const full_model *m, const full_value *value) {
    naive_outcome errors = value->type >= FULL_ENTITY_COUNT ? NAIVE_ERROR(SHOAL_COMPONENT_KIND) : 0;
    bool waits = full_def(value->type)->split && shoal_entity_is_placeholder(value->target);
    errors |= waits ? NAIVE_ERROR(SHOAL_ENTITY_PLACEHOLDER) : 0;
    return errors | (full_is(value->type, SHOAL_STORAGE_RELATION) ? record_check(m, value->target) : 0);
}

static full_command *script_add(full_model *m, shoal_command_kind kind, shoal_entity entity) {
    assert_true(m->script_count < FULL_SCRIPT_MAX);
    full_command *command = &m->script[m->script_count++];
    *command = (full_command){.kind = kind, .entity = entity};
    return command;
}

static void record_spawn(full_model *m, full_rules rules) {
    full_set_of set;
    rules.max_count = 6;
    full_set_draw(m, &set, &rules);
    naive_outcome refused = 0;
    for (size_t i = 0; i < set.count; i++) {
        refused |= record_check_value(m, &set.naive[i]);
        for (size_t k = 0; k < i; k++) {
            bool twice = set.naive[k].type == set.naive[i].type;
            refused |= twice ? NAIVE_ERROR(SHOAL_COMPONENT_DUPLICATE) : 0;
        }
    }
    rig_arm(&m->rig);
    shoal_entity placeholder = shoal_commands_spawn(m->rig.commands, set.real, set.count);
    shoal_status status = rig_status_of(&m->rig, placeholder);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, refused, "shoal_commands_spawn");
        if (status == SHOAL_OK) {
            assert_count(shoal_entity_is_placeholder(placeholder), true);
            full_command *command = script_add(m, SHOAL_COMMAND_SPAWN, placeholder);
            memcpy(command->values, set.naive, set.count * sizeof *set.naive);
            command->value_count = set.count;
        }
    }
    full_set_end(&set);
}

static shoal_status record_call(full_model *m, shoal_command_kind kind, shoal_entity entity, const full_value *value,
                                const full_real *real) {
    shoal_component component = real->value.component;
    bool relates = full_is(value->type, SHOAL_STORAGE_RELATION) && rng_chance(&m->rig.random, 50);
    switch (kind) {
    case SHOAL_COMMAND_DESTROY:
        return shoal_commands_destroy_entity(m->rig.commands, entity);
    case SHOAL_COMMAND_ADD:
        return relates ? shoal_commands_relate(m->rig.commands, entity, component, value->target, real->link.data)
                       : shoal_commands_add(m->rig.commands, entity, component, real->value.data);
    case SHOAL_COMMAND_REMOVE:
        return shoal_commands_remove(m->rig.commands, entity, component);
    case SHOAL_COMMAND_SET:
        return shoal_commands_set(m->rig.commands, entity, component, real->value.data);
    case SHOAL_COMMAND_ENABLE:
        return shoal_commands_enable(m->rig.commands, entity, component);
    case SHOAL_COMMAND_DISABLE:
        return shoal_commands_disable(m->rig.commands, entity, component);
    case SHOAL_COMMAND_UNRELATE:
        return shoal_commands_unrelate(m->rig.commands, entity, component, value->target);
    default:
        return shoal_commands_clear(m->rig.commands, entity);
    }
}

static bool names_component(shoal_command_kind kind) {
    return kind != SHOAL_COMMAND_DESTROY && kind != SHOAL_COMMAND_CLEAR && kind != SHOAL_COMMAND_SPAWN;
}

/* A value that fits the command: a set needs data, an unrelate a relation. */
static full_value draw_for(full_model *m, const full_rules *rules, shoal_command_kind kind, shoal_entity entity) {
    bool takes = kind == SHOAL_COMMAND_REMOVE || kind == SHOAL_COMMAND_SET;
    full_type type = takes ? full_draw_present(m, rules, entity) : full_draw_type(m, rules);
    bool wants_toggle = kind == SHOAL_COMMAND_ENABLE || kind == SHOAL_COMMAND_DISABLE;
    if (kind == SHOAL_COMMAND_UNRELATE) {
        type = (full_type)(FULL_RELATION_FIRST + rng_below(&m->rig.random, FULL_RELATION_COUNT));
    } else if (wants_toggle && rng_chance(&m->rig.random, 80)) {
        static const full_type toggles[] = {FULL_SHIELD, FULL_ASLEEP, FULL_LEASE, FULL_CREW};
        type = toggles[rng_below(&m->rig.random, 4)];
    }
    full_value value;
    do {
        value = full_draw_value(m, rules, type);
    } while (kind == SHOAL_COMMAND_SET && !value.has_data && full_has_data(type));
    shoal_entity target = full_target(&m->full, full_is(type, SHOAL_STORAGE_RELATION) ? type : FULL_OWNER, entity);
    bool names_link = kind == SHOAL_COMMAND_SET || kind == SHOAL_COMMAND_UNRELATE;
    if (full_is(type, SHOAL_STORAGE_RELATION) && names_link && rng_chance(&m->rig.random, 60)) {
        value.target = target;
    }
    return value;
}

static naive_outcome record_outcome(const full_model *m, shoal_command_kind kind, shoal_entity entity,
                                    const full_value *value) {
    naive_outcome refused = record_check(m, entity);
    if (kind == SHOAL_COMMAND_ADD || kind == SHOAL_COMMAND_SET) {
        bool null_data = kind == SHOAL_COMMAND_SET && !full_has_data(value->type) &&
                         (!full_is(value->type, SHOAL_STORAGE_RELATION) || shoal_entity_is_null(value->target));
        refused |= null_data ? NAIVE_ERROR(SHOAL_INVALID_ARGUMENT) : 0;
        refused |= record_check_value(m, value);
        bool no_link = kind == SHOAL_COMMAND_SET && full_is(value->type, SHOAL_STORAGE_RELATION) &&
                       shoal_entity_is_null(value->target);
        refused |= no_link ? NAIVE_ERROR(SHOAL_INVALID_ARGUMENT) : 0;
    } else if (names_component(kind)) {
        refused |= value->type >= FULL_ENTITY_COUNT ? NAIVE_ERROR(SHOAL_COMPONENT_KIND) : 0;
        bool has_target = kind == SHOAL_COMMAND_UNRELATE && !shoal_entity_is_null(value->target);
        refused |= has_target ? record_check(m, value->target) : 0;
    }
    return refused;
}

static void record_on(full_model *m, shoal_command_kind kind, shoal_entity entity, const full_rules *rules) {
    full_value value = draw_for(m, rules, kind, entity);
    full_real real;
    full_real_make(&real, &value);
    rig_arm(&m->rig);
    shoal_status status = record_call(m, kind, entity, &value, &real);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, record_outcome(m, kind, entity, &value), "recording");
        if (status == SHOAL_OK) {
            full_command *command = script_add(m, kind, entity);
            command->values[0] = value;
            command->value_count = names_component(kind) ? 1 : 0;
        }
    }
    full_real_end(&real);
}

void full_record_one(full_model *m, shoal_entity entity) {
    if (m->script_count == FULL_SCRIPT_MAX) {
        return;
    }
    shoal_entity own[FULL_SCRIPT_MAX];
    full_rules rules = {.mistakes = true, .own = own, .own_count = placeholders_list(m, own)};
    static const shoal_command_kind kinds[] = {
        SHOAL_COMMAND_SPAWN, SHOAL_COMMAND_SPAWN, SHOAL_COMMAND_DESTROY, SHOAL_COMMAND_ADD,     SHOAL_COMMAND_ADD,
        SHOAL_COMMAND_ADD,   SHOAL_COMMAND_ADD,   SHOAL_COMMAND_REMOVE,  SHOAL_COMMAND_REMOVE,  SHOAL_COMMAND_SET,
        SHOAL_COMMAND_SET,   SHOAL_COMMAND_CLEAR, SHOAL_COMMAND_ENABLE,  SHOAL_COMMAND_DISABLE, SHOAL_COMMAND_UNRELATE};
    shoal_command_kind kind = kinds[rng_below(&m->rig.random, sizeof kinds / sizeof kinds[0])];
    if (kind == SHOAL_COMMAND_SPAWN) {
        record_spawn(m, rules);
    } else {
        record_on(m, kind, entity, &rules);
    }
    assert_count(shoal_commands_count(m->rig.commands), m->script_count);
}

void full_op_record(full_model *m) {
    uint32_t count = 1 + rng_below(&m->rig.random, 12);
    shoal_entity favourite = full_pick(m);
    for (uint32_t i = 0; i < count; i++) {
        shoal_entity own[FULL_SCRIPT_MAX];
        size_t own_count = placeholders_list(m, own);
        shoal_entity entity = rng_chance(&m->rig.random, 40) ? favourite : full_pick(m);
        if (own_count != 0 && rng_chance(&m->rig.random, 35)) {
            entity = own[rng_below(&m->rig.random, (uint32_t)own_count)];
        }
        full_record_one(m, entity);
    }
}

/* ---- applying ---- */

/* The spawn that gave out a placeholder, or NULL. */
static const full_command *find_spawn(const full_model *m, shoal_entity placeholder) {
    for (size_t i = 0; i < m->script_count; i++) {
        bool gave = m->script[i].kind == SHOAL_COMMAND_SPAWN && shoal_entity_equal(m->script[i].entity, placeholder);
        if (gave) {
            return &m->script[i];
        }
    }
    return NULL;
}

/* A handle as it is when its command's turn comes; null for one that names nothing. */
static shoal_entity real_of(const full_model *m, shoal_entity entity) {
    const full_command *spawn = shoal_entity_is_placeholder(entity) ? find_spawn(m, entity) : NULL;
    return spawn != NULL ? spawn->real : entity;
}

static void value_resolve(const full_model *m, full_value *value) {
    value->target = real_of(m, value->target);
    if (full_is_handle(value->type)) {
        value->payload = real_of(m, (shoal_entity){value->payload}).bits;
        for (size_t i = 0; i < value->items.count; i++) {
            value->items.payload[i] = real_of(m, (shoal_entity){value->items.payload[i]}).bits;
        }
    }
}

static naive_outcome run_on(full_model *m, const full_command *command, shoal_entity entity, const full_value *values) {
    switch (command->kind) {
    case SHOAL_COMMAND_DESTROY:
        return full_destroy(&m->full, &entity, 1);
    case SHOAL_COMMAND_ADD:
        return full_add(&m->full, entity, values);
    case SHOAL_COMMAND_REMOVE:
        return full_remove(&m->full, entity, values->type);
    case SHOAL_COMMAND_SET:
        return full_set(&m->full, entity, values);
    case SHOAL_COMMAND_ENABLE:
    case SHOAL_COMMAND_DISABLE:
        return full_enable(&m->full, entity, values->type, command->kind == SHOAL_COMMAND_ENABLE);
    case SHOAL_COMMAND_UNRELATE:
        return full_unrelate(&m->full, entity, values->type, values->target);
    default:
        return full_clear(&m->full, entity);
    }
}

/* A target that never came to be is as bad as a dead one. */
static bool lost_its_target(const full_command *command, const full_value *values) {
    return command->kind == SHOAL_COMMAND_UNRELATE && shoal_entity_is_placeholder(command->values[0].target) &&
           shoal_entity_is_null(values->target);
}

static naive_outcome run_command(full_model *m, full_command *command) {
    full_value values[FULL_SET_MAX] = {{0}};
    for (size_t i = 0; i < command->value_count; i++) {
        values[i] = command->values[i];
        value_resolve(m, &values[i]);
    }
    if (command->kind == SHOAL_COMMAND_SPAWN) {
        naive_outcome outcome = full_spawn(&m->full, values, command->value_count, &command->real);
        command->shown = outcome == 0 ? command->real : command->entity;
        return outcome;
    }
    shoal_entity entity = real_of(m, command->entity);
    command->shown = shoal_entity_is_null(entity) ? command->entity : entity;
    bool is_lost = shoal_entity_is_null(entity) || lost_its_target(command, values);
    return is_lost ? NAIVE_ANY_ERROR : run_on(m, command, entity, values);
}

static bool script_has(const full_model *m, shoal_command_kind kind, size_t more_than) {
    size_t count = 0;
    for (size_t i = 0; i < m->script_count; i++) {
        count += m->script[i].kind == kind;
    }
    return count > more_than;
}

/* Runs all commands, one after the other; false when one found no slot. */
static bool script_run_all(full_model *m) {
    bool had_slots = true;
    for (size_t i = 0; i < m->script_count; i++) {
        m->script[i].real = (shoal_entity){0};
    }
    for (size_t i = 0; i < m->script_count; i++) {
        m->script[i].outcome = run_command(m, &m->script[i]);
        had_slots = had_slots && m->script[i].outcome != NAIVE_ERROR(SHOAL_ENTITY_LIMIT);
    }
    return had_slots;
}

/*
 * Runs the script; the statuses with which the buffer as a whole must refuse, or 0. Near the limit of slots the library
 * counts what a destroy frees without its cascade, and without asking whether it is refused: a buffer that would do may
 * be refused, and a spawn may be dropped.
 */
static naive_outcome script_run(full_model *m, shoal_status status) {
    full_world before;
    full_copy(&before, &m->full);
    bool may_refuse = script_has(m, SHOAL_COMMAND_SPAWN, (size_t)slots_left(&m->full.slots));
    bool may_drop = script_has(m, SHOAL_COMMAND_DESTROY, 0);
    bool had_slots = script_run_all(m);
    bool refused = status == SHOAL_ENTITY_LIMIT ? may_refuse : !had_slots && !may_drop;
    if (refused) {
        full_free(&m->full);
        m->full = before;
    } else {
        full_free(&before);
    }
    return refused ? NAIVE_ERROR(SHOAL_ENTITY_LIMIT) : 0;
}

static size_t script_dropped_count(const full_model *m) {
    size_t count = 0;
    for (size_t i = 0; i < m->script_count; i++) {
        count += m->script[i].outcome != 0;
    }
    return count;
}

static void compare_dropped(full_model *m) {
    bool seen[FULL_SCRIPT_MAX] = {false};
    for (size_t i = 0; i < m->rig.dropped_count; i++) {
        const shoal_dropped_command *dropped = &m->rig.dropped[i];
        assert_true(dropped->record < m->script_count);
        const full_command *command = &m->script[dropped->record];
        assert_count(seen[dropped->record], false);
        seen[dropped->record] = true;
        assert_count(dropped->kind, command->kind);
        assert_entity(dropped->entity, command->shown);
        uint32_t component = names_component(command->kind) ? full_component(command->values[0].type).id : 0;
        assert_count(dropped->component.id, component);
        assert_count(dropped->status == SHOAL_OK, false);
        compare_outcome(m->rig.world, dropped->status, command->outcome, "a dropped command");
    }
    assert_count(m->rig.dropped_count, script_dropped_count(m));
}

static void compare_resolved(full_model *m) {
    for (size_t i = 0; i < m->script_count; i++) {
        const full_command *command = &m->script[i];
        if (command->kind == SHOAL_COMMAND_SPAWN) {
            bool lives = full_check(&m->full, command->real) == 0;
            shoal_entity expected = lives ? command->real : (shoal_entity){0};
            assert_entity(shoal_commands_resolve(m->rig.commands, command->entity), expected);
        } else if (command->kind == SHOAL_COMMAND_DESTROY && command->outcome == 0) {
            rig_keep_stale(&m->rig, command->shown);
        }
    }
}

void full_op_apply(full_model *m) {
    m->rig.dropped_count = 0;
    shoal_commands_result result = {0};
    rig_arm(&m->rig);
    shoal_status status = shoal_commands_apply(m->rig.commands, &result);
    if (rig_ran_out(&m->rig, status)) {
        assert_count(shoal_commands_count(m->rig.commands), m->script_count);
        return;
    }
    naive_outcome outcome = script_run(m, status);
    compare_outcome(m->rig.world, status, outcome, "shoal_commands_apply");
    if (outcome != 0) {
        assert_count(shoal_commands_count(m->rig.commands), m->script_count);
        shoal_commands_discard(m->rig.commands);
    } else {
        compare_dropped(m);
        assert_count(result.dropped, script_dropped_count(m));
        assert_count(result.applied, m->script_count - script_dropped_count(m));
        compare_resolved(m);
    }
    assert_count(shoal_commands_count(m->rig.commands), 0);
    m->script_count = 0;
}

void full_op_discard(full_model *m) {
    if (rng_chance(&m->rig.random, 30)) {
        shoal_commands_discard(m->rig.commands);
        m->script_count = 0;
        assert_count(shoal_commands_count(m->rig.commands), 0);
    }
}
