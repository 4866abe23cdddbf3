/*
 * Stores errors and puts their messages together; see error.h.
 */
#include "error.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Thread_local error_record thread_record;
static _Thread_local char thread_message[512];

/* Numbers all errors of the process; relaxed, since only one thread's own are compared. */
static _Atomic uint64_t last_sequence;

error_record *error_thread_record_of(const shoal_world *world) {
    thread_record.about = world;
    return &thread_record;
}

error_record *error_thread_record(void) {
    return error_thread_record_of(NULL);
}

static uint64_t next_sequence(void) {
    return atomic_fetch_add_explicit(&last_sequence, 1, memory_order_relaxed) + 1;
}

void error_begin(error_record *record) {
    *record = (error_record){.sequence = next_sequence()};
}

COLD shoal_status error_set(error_record *record, shoal_status status, const char *call) {
    return error_component(record, status, call, (shoal_entity){0}, (shoal_component){0});
}

COLD shoal_status error_entity(error_record *record, shoal_status status, const char *call, shoal_entity entity) {
    return error_component(record, status, call, entity, (shoal_component){0});
}

COLD shoal_status error_component(error_record *record, shoal_status status, const char *call, shoal_entity entity,
                                  shoal_component component) {
    record->status = status;
    record->call = call;
    record->entity = entity;
    record->component = component;
    record->detail[0] = '\0';
    record->world = record->about;
    record->sequence = next_sequence();
    return status;
}

COLD shoal_status error_detail(error_record *record, shoal_status status, const char *call, const char *format, ...) {
    error_set(record, status, call);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(record->detail, sizeof record->detail, format, arguments);
    va_end(arguments);
    return status;
}

/* Appends to the message, cutting what does not fit. */
PRINTF_LIKE(1, 2)
static void message_append(const char *format, ...) {
    size_t used = strlen(thread_message);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(thread_message + used, sizeof thread_message - used, format, arguments);
    va_end(arguments);
}

shoal_error error_message(const error_record *record, const char *component_name) {
    thread_message[0] = '\0';
    if (record->status == SHOAL_OK) {
        return (shoal_error){.status = SHOAL_OK, .message = "no error"};
    }
    message_append("%s: %s", record->call, shoal_status_name(record->status));
    if (!shoal_entity_is_null(record->entity)) {
        char text[SHOAL_ENTITY_TEXT_SIZE];
        (void)shoal_entity_format(record->entity, text, sizeof text);
        message_append(", entity %s", text);
    }
    if (component_name != NULL) {
        message_append(", component %s", component_name);
    } else if (record->component.id != 0) {
        message_append(", component id %u", record->component.id);
    }
    if (record->detail[0] != '\0') {
        message_append(": %s", record->detail);
    }
    return (shoal_error){.status = record->status, .message = thread_message};
}
