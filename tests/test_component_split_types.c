/*
 * The one file that defines the types of test_component_split.h. Local is a type that this file and
 * test_component_split.c each define for themselves, in the same way.
 */
#include "test_component_split.h"

typedef struct Local {
    uint64_t value;
} Local;

SHOAL_COMPONENT_DEFINE(Split, .version = 4,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Split, x), SHOAL_FIELD(Split, y), SHOAL_FIELD(Split, target)))
SHOAL_COMPONENT_DEFINE(Bare)
SHOAL_TAG_DEFINE(SplitTag)
SHOAL_COMPONENT(Local)

shoal_component split_id_of_definer(void) {
    return SHOAL_ID(Split);
}

shoal_component split_local_id_of_definer(void) {
    return SHOAL_ID(Local);
}
