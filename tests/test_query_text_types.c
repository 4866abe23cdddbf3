/*
 * The types of test_query_text.h: plain ones with and without a field table, tags, a toggle, relations that are acyclic
 * or not, and shared ones with fields of every kind, without fields, and with hooks.
 */
#include "test_query_text.h"

#define SPOT_FIELDS SHOAL_FIELD(Spot, x), SHOAL_FIELD(Spot, y)
#define PART_FIELDS SHOAL_FIELD(Part, weight), SHOAL_FIELD_NESTED(Part, spot, SPOT_FIELDS)

SHOAL_COMPONENT_DEFINE(Spot, .fields = SHOAL_FIELDS(SPOT_FIELDS))
SHOAL_COMPONENT_DEFINE(Speed)
SHOAL_COMPONENT_DEFINE(Body, .fields = SHOAL_FIELDS(SHOAL_FIELD_NESTED(Body, spot, SPOT_FIELDS),
                                                    SHOAL_FIELD_ARRAY(Body, limbs), SHOAL_FIELD_CHARS(Body, label),
                                                    SHOAL_FIELD(Body, is_on), SHOAL_FIELD(Body, desc),
                                                    SHOAL_FIELD(Body, owner)))
SHOAL_TAG_DEFINE(Asleep)
SHOAL_TAG_DEFINE(Player)
SHOAL_TAG_DEFINE(Ally)
SHOAL_COMPONENT_DEFINE(Shield, .toggle = true)
SHOAL_RELATION_DEFINE(Owner, .exclusive = true)
SHOAL_RELATION_DEFINE(Docked, .acyclic = true)
SHOAL_COMPONENT_DEFINE(Holds, .storage = SHOAL_STORAGE_RELATION)
SHOAL_COMPONENT_DEFINE(Team, .storage = SHOAL_STORAGE_SHARED,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Team, id), SHOAL_FIELD_CHARS(Team, side),
                                              SHOAL_FIELD(Team, is_hostile)))
SHOAL_COMPONENT_DEFINE(Setup, .storage = SHOAL_STORAGE_SHARED,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Setup, i8), SHOAL_FIELD(Setup, u8), SHOAL_FIELD(Setup, i16),
                                              SHOAL_FIELD(Setup, u16), SHOAL_FIELD(Setup, i32), SHOAL_FIELD(Setup, u32),
                                              SHOAL_FIELD(Setup, i64), SHOAL_FIELD(Setup, u64), SHOAL_FIELD(Setup, f32),
                                              SHOAL_FIELD(Setup, f64), SHOAL_FIELD(Setup, leader),
                                              SHOAL_FIELD_NESTED(Setup, part, PART_FIELDS),
                                              SHOAL_FIELD_NESTED_ARRAY(Setup, parts, PART_FIELDS),
                                              SHOAL_FIELD_ARRAY(Setup, numbers), SHOAL_FIELD(Setup, up),
                                              {"opaque", SHOAL_FIELD_STRUCT, offsetof(Setup, opaque), sizeof(Spot), 1,
                                               NULL, 0}))
SHOAL_COMPONENT_DEFINE(Blob, .storage = SHOAL_STORAGE_SHARED)

static bool hooked_copy(void *values, const void *source, size_t count, void *user) {
    (void)user;
    memcpy(values, source, count * sizeof(Hooked));
    return true;
}

static void hooked_dtor(void *values, size_t count, void *user) {
    (void)values, (void)count, (void)user;
}

static bool hooked_equal(const void *a, const void *b, void *user) {
    (void)user;
    return ((const Hooked *)a)->value == ((const Hooked *)b)->value;
}

static uint64_t hooked_hash(const void *value, void *user) {
    (void)user;
    return (uint64_t)((const Hooked *)value)->value;
}

SHOAL_COMPONENT_DEFINE(Hooked, .storage = SHOAL_STORAGE_SHARED, .copy = hooked_copy, .dtor = hooked_dtor,
                       .equal = hooked_equal, .hash = hooked_hash, .fields = SHOAL_FIELDS(SHOAL_FIELD(Hooked, value)))

shoal_component odd, keyword, umlaut;

void types_register(void) {
    shoal_component_slot *const slots[] = {
        &shoal_slot_Spot, &shoal_slot_Speed,  &shoal_slot_Body,  &shoal_slot_Asleep, &shoal_slot_Player,
        &shoal_slot_Ally, &shoal_slot_Shield, &shoal_slot_Owner, &shoal_slot_Docked, &shoal_slot_Holds,
        &shoal_slot_Team, &shoal_slot_Setup,  &shoal_slot_Blob,  &shoal_slot_Hooked, &shoal_slot_ChildOf};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        if (shoal_component_of(slots[i]).id == 0) {
            print_error("%s: %s\n", slots[i]->def.name, shoal_last_error(NULL).message);
            abort();
        }
    }
    odd = shoal_component_register(&(shoal_component_def){.name = "odd \"type\" \\ (1)"});
    keyword = shoal_component_register(&(shoal_component_def){.name = "read"});
    umlaut = shoal_component_register(&(shoal_component_def){.name = "Gr\xC3\xB6\xC3\x9F"
                                                                     "e"});
}
