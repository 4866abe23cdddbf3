/*
 * The operations of the model test that record commands and apply them: see model.h. What is recorded goes into
 * the script as well, which the reference world runs when the buffer is applied.
 */
#include "model.h"

#include "naive_compare.h"
#include "test.h"

#include <string.h>

/* A placeholder of the script, or null. */
static shoal_entity pick_placeholder(model *m) {
    size_t start = m->recorded.count != 0 ? rng_below(&m->rig.random, (uint32_t)m->recorded.count) : 0;
    for (size_t i = start; i < m->recorded.count; i++) {
        if (m->recorded.commands[i].kind == SHOAL_COMMAND_SPAWN) {
            return m->recorded.commands[i].target;
        }
    }
    return (shoal_entity){0};
}

static bool can_be_recorded(const model *m, shoal_entity target) {
    naive_outcome refused = NAIVE_ERROR(SHOAL_ENTITY_NULL) | NAIVE_ERROR(SHOAL_ENTITY_FOREIGN);
    return (naive_check(&m->naive, target) & refused) == 0;
}

static void record_spawn(model *m, const value_rules *rules) {
    value_rules spawn_rules = *rules;
    spawn_rules.mistakes = false;
    spawn_rules.max_count = 4;
    value_set set;
    value_set_draw(&set, &m->rig.random, &spawn_rules);
    rig_arm(&m->rig);
    shoal_entity placeholder = shoal_commands_spawn(m->rig.commands, set.real, set.count);
    if (!rig_ran_out(&m->rig, rig_status_of(&m->rig, placeholder))) {
        assert_count(shoal_entity_is_placeholder(placeholder), true);
        for (size_t i = 0; i < m->recorded.count; i++) {
            bool given = m->recorded.commands[i].kind == SHOAL_COMMAND_SPAWN &&
                         shoal_entity_equal(m->recorded.commands[i].target, placeholder);
            assert_count(given, false);
        }
        script_command *command = script_append(&m->recorded, SHOAL_COMMAND_SPAWN, placeholder);
        memcpy(command->values, set.naive, sizeof set.naive);
        command->value_count = set.count;
    }
    value_set_end(&set);
}

static shoal_status record_call(model *m, shoal_command_kind kind, shoal_entity target, const shoal_value *value) {
    switch (kind) {
    case SHOAL_COMMAND_DESTROY:
        return shoal_commands_destroy_entity(m->rig.commands, target);
    case SHOAL_COMMAND_ADD:
        return shoal_commands_add(m->rig.commands, target, value->component, value->data);
    case SHOAL_COMMAND_REMOVE:
        return shoal_commands_remove(m->rig.commands, target, value->component);
    case SHOAL_COMMAND_SET:
        return shoal_commands_set(m->rig.commands, target, value->component, value->data);
    default:
        return shoal_commands_clear(m->rig.commands, target);
    }
}

static void record_on(model *m, shoal_command_kind kind, shoal_entity target, const value_rules *rules) {
    value_set set;
    value_kind limit = kind == SHOAL_COMMAND_SET ? KIND_DATA_COUNT : KIND_COUNT;
    value_set_draw_one(&set, &m->rig.random, rules, (value_kind)rng_below(&m->rig.random, limit));
    if (kind == SHOAL_COMMAND_ADD && rng_chance(&m->rig.random, 20)) {
        value_set_end(&set);
        set.naive[0].has_data = false;
        set.real[0].data = NULL;
    }
    rig_arm(&m->rig);
    shoal_status status = record_call(m, kind, target, &set.real[0]);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome refused = can_be_recorded(m, target) ? 0 : naive_check(&m->naive, target);
        compare_outcome(m->rig.world, status, refused, "recording");
        if (status == SHOAL_OK) {
            script_command *command = script_append(&m->recorded, kind, target);
            command->values[0] = set.naive[0];
            command->value_count = kind == SHOAL_COMMAND_DESTROY || kind == SHOAL_COMMAND_CLEAR ? 0 : 1;
        }
    }
    value_set_end(&set);
}

void model_record_one(model *m, shoal_entity target) {
    if (m->recorded.count == SCRIPT_MAX) {
        return;
    }
    shoal_entity links[LINK_COUNT];
    for (size_t i = 0; i < LINK_COUNT; i++) {
        shoal_entity placeholder = rng_chance(&m->rig.random, 40) ? pick_placeholder(m) : (shoal_entity){0};
        links[i] = shoal_entity_is_null(placeholder) ? m->links[i] : placeholder;
    }
    value_rules rules = {.max_count = 1, .mistakes = true, .links = links, .link_count = LINK_COUNT};
    static const shoal_command_kind kinds[] = {SHOAL_COMMAND_SPAWN,  SHOAL_COMMAND_SPAWN,  SHOAL_COMMAND_DESTROY,
                                               SHOAL_COMMAND_ADD,    SHOAL_COMMAND_ADD,    SHOAL_COMMAND_ADD,
                                               SHOAL_COMMAND_REMOVE, SHOAL_COMMAND_REMOVE, SHOAL_COMMAND_SET,
                                               SHOAL_COMMAND_SET,    SHOAL_COMMAND_CLEAR};
    shoal_command_kind kind = kinds[rng_below(&m->rig.random, sizeof kinds / sizeof kinds[0])];
    if (kind == SHOAL_COMMAND_SPAWN) {
        record_spawn(m, &rules);
    } else {
        record_on(m, kind, target, &rules);
    }
    assert_count(shoal_commands_count(m->rig.commands), m->recorded.count);
}

void model_op_record(model *m) {
    uint32_t count = 1 + rng_below(&m->rig.random, 12);
    shoal_entity favourite = model_pick(m);
    for (uint32_t i = 0; i < count; i++) {
        shoal_entity target = rng_chance(&m->rig.random, 40) ? favourite : model_pick(m);
        shoal_entity placeholder = rng_chance(&m->rig.random, 35) ? pick_placeholder(m) : (shoal_entity){0};
        model_record_one(m, shoal_entity_is_null(placeholder) ? target : placeholder);
    }
}

static void compare_dropped(model *m) {
    assert_count(m->rig.dropped_count, script_dropped(&m->recorded));
    bool seen[SCRIPT_MAX] = {false};
    for (size_t i = 0; i < m->rig.dropped_count; i++) {
        const shoal_dropped_command *dropped = &m->rig.dropped[i];
        assert_true(dropped->record < m->recorded.count);
        const script_command *command = &m->recorded.commands[dropped->record];
        assert_count(seen[dropped->record], false);
        seen[dropped->record] = true;
        assert_count(dropped->kind, command->kind);
        assert_entity(dropped->entity, command->shown);
        bool named = command->value_count == 1 && command->kind != SHOAL_COMMAND_SPAWN;
        assert_count(dropped->component.id, named ? kind_component(command->values[0].type).id : 0);
        assert_count(dropped->status == SHOAL_OK, false);
        compare_outcome(m->rig.world, dropped->status, command->outcome, "a dropped command");
    }
}

static void compare_resolved(model *m) {
    for (size_t i = 0; i < m->recorded.count; i++) {
        const script_command *command = &m->recorded.commands[i];
        if (command->kind == SHOAL_COMMAND_SPAWN) {
            shoal_entity expected = script_resolve(&m->recorded, &m->naive, command->target);
            assert_entity(shoal_commands_resolve(m->rig.commands, command->target), expected);
        } else if (command->kind == SHOAL_COMMAND_DESTROY && command->outcome == 0) {
            rig_keep_stale(&m->rig, command->shown);
        }
    }
}

void model_op_apply(model *m) {
    m->rig.dropped_count = 0;
    shoal_commands_result result = {0};
    rig_arm(&m->rig);
    shoal_status status = shoal_commands_apply(m->rig.commands, &result);
    if (rig_ran_out(&m->rig, status)) {
        assert_count(shoal_commands_count(m->rig.commands), m->recorded.count);
        return;
    }
    naive_outcome outcome = script_apply(&m->recorded, &m->naive);
    compare_outcome(m->rig.world, status, outcome, "shoal_commands_apply");
    if (outcome != 0) {
        assert_count(shoal_commands_count(m->rig.commands), m->recorded.count);
        shoal_commands_discard(m->rig.commands);
    } else {
        assert_count(result.applied, m->recorded.count - script_dropped(&m->recorded));
        assert_count(result.dropped, script_dropped(&m->recorded));
        compare_dropped(m);
        compare_resolved(m);
    }
    assert_count(shoal_commands_count(m->rig.commands), 0);
    m->recorded.count = 0;
}

void model_op_discard(model *m) {
    if (rng_chance(&m->rig.random, 30)) {
        shoal_commands_discard(m->rig.commands);
        m->recorded.count = 0;
        assert_count(shoal_commands_count(m->rig.commands), 0);
    }
}
