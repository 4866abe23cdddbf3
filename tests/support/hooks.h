/*
 * What the static library offers to tests beside its public headers. Declared here, because tests include no
 * header of src/; test programs that use it must be linked with the static library.
 */
#ifndef SHOAL_TESTS_HOOKS_H
#define SHOAL_TESTS_HOOKS_H

#include <shoal/world.h>

/* Sets the generation that a free slot gives to its next entity. */
extern void index_set_generation(struct shoal_world *world, uint32_t index, uint32_t generation);

#endif
