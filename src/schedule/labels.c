/*
 * Labels; see labels.h. Thread rule: world.
 */
#include "labels.h"

#include <string.h>

#define LABEL_BYTES_MAX 1024 /* of a long chain; cut there */

static char **label_at(const shoal_schedule *schedule, uint32_t label) {
    return (char **)schedule->labels.items + label;
}

const char *label_text(const shoal_schedule *schedule, uint32_t label) {
    if (label == LABEL_SYNC) {
        return "sync";
    }
    return label < schedule->label_count ? *label_at(schedule, label) : "";
}

static size_t text_make(const schedule_task *task, char *text) {
    size_t used = 0;
    for (uint32_t i = 0; i < task->member_count; i++) {
        const char *parts[] = {i > 0 ? " + " : "", task->members[i]->name};
        for (size_t k = 0; k < 2; k++) {
            size_t size = strlen(parts[k]);
            size = size < LABEL_BYTES_MAX - 1 - used ? size : LABEL_BYTES_MAX - 1 - used;
            memcpy(text + used, parts[k], size);
            used += size;
        }
    }
    text[used] = '\0';
    return used;
}

shoal_status labels_intern(shoal_schedule *schedule, schedule_task *task) {
    shoal_memory *memory = &schedule->world->memory;
    char text[LABEL_BYTES_MAX];
    size_t size = text_make(task, text);
    for (uint32_t i = 0; i < schedule->label_count; i++) {
        if (strcmp(*label_at(schedule, i), text) == 0) {
            task->label = i;
            return SHOAL_OK;
        }
    }
    shoal_status status = memory_array_reserve(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->labels,
                                               schedule->label_count + 1u, sizeof(char *));
    char *copy = status == SHOAL_OK ? memory_allocate(memory, SHOAL_PURPOSE_SCHEDULE, size + 1, 16) : NULL;
    if (copy == NULL) {
        return memory_failure(memory);
    }
    memcpy(copy, text, size + 1);
    task->label = schedule->label_count;
    *label_at(schedule, schedule->label_count++) = copy;
    return SHOAL_OK;
}

void labels_free(shoal_schedule *schedule) {
    shoal_memory *memory = &schedule->world->memory;
    for (uint32_t i = 0; i < schedule->label_count; i++) {
        char *text = *label_at(schedule, i);
        memory_release(memory, SHOAL_PURPOSE_SCHEDULE, text, strlen(text) + 1, 16);
    }
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->labels, sizeof(char *));
    schedule->label_count = 0;
}
