/*
 * Entity handles as text.
 */
#include <shoal/id.h>

#include <stdio.h>

size_t shoal_entity_format(shoal_entity entity, char *text, size_t size) {
    char whole[SHOAL_ENTITY_TEXT_SIZE];
    int length = 0;
    if (shoal_entity_is_null(entity)) {
        length = snprintf(whole, sizeof whole, "null");
    } else if (shoal_entity_is_placeholder(entity)) {
        length = snprintf(whole, sizeof whole, "placeholder %u", (unsigned)(entity.bits & 0xFFFFFFu));
    } else {
        length = snprintf(whole, sizeof whole, "%u:%u@%u", (unsigned)shoal_entity_index(entity),
                          (unsigned)shoal_entity_generation(entity), (unsigned)shoal_entity_world_tag(entity));
    }
    if (text != NULL && size > 0) {
        (void)snprintf(text, size, "%s", whole);
    }
    return length > 0 ? (size_t)length : 0;
}
