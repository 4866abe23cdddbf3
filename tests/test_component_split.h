/*
 * Types that are declared in a header, defined in test_component_split_types.c and used in another file, as a
 * program of several files does it. The two functions give the ids that the defining file sees.
 */
#ifndef SHOAL_TESTS_TEST_COMPONENT_SPLIT_H
#define SHOAL_TESTS_TEST_COMPONENT_SPLIT_H

#include <shoal/shoal.h>

typedef struct Split {
    float x, y;
    shoal_entity target;
} Split;

typedef struct Bare {
    int value;
} Bare;

SHOAL_COMPONENT_DECLARE(Split)
SHOAL_COMPONENT_DECLARE(Bare)
SHOAL_TAG_DECLARE(SplitTag)

shoal_component split_id_of_definer(void);
shoal_component split_local_id_of_definer(void);

#endif
