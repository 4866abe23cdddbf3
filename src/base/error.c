/*
 * Stores errors and puts their messages together; see error.h.
 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local error_record thread_record;

error_record *error_thread_record(void) {
    return &thread_record;
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
PRINTF_LIKE(2, 3)
static void message_append(error_record *record, const char *format, ...) {
    size_t used = strlen(record->message);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(record->message + used, sizeof record->message - used, format, arguments);
    va_end(arguments);
}

shoal_error error_message(error_record *record, const char *component_name) {
    record->message[0] = '\0';
    if (record->status == SHOAL_OK) {
        return (shoal_error){.status = SHOAL_OK, .message = "no error"};
    }
    message_append(record, "%s: %s", record->call, shoal_status_name(record->status));
    if (!shoal_entity_is_null(record->entity)) {
        char text[SHOAL_ENTITY_TEXT_SIZE];
        (void)shoal_entity_format(record->entity, text, sizeof text);
        message_append(record, ", entity %s", text);
    }
    if (component_name != NULL) {
        message_append(record, ", component %s", component_name);
    } else if (record->component.id != 0) {
        message_append(record, ", component id %u", record->component.id);
    }
    if (record->detail[0] != '\0') {
        message_append(record, ": %s", record->detail);
    }
    return (shoal_error){.status = record->status, .message = record->message};
}
