/*
 * Error messages of the program; see report.h.
 *
 * A message is formatted into a buffer first, so that control characters from an argument can be replaced:
 * an argument with a newline or an escape sequence must not forge a second line or reach the terminal. A message
 * that is longer than the buffer ends in "...".
 */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void replace_control_characters(char *text) {
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f) {
            *text = '?';
        }
    }
}

void report_error(const char *command_name, const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length < 0) {
        message[0] = '\0';
    } else if ((size_t)length >= sizeof message) {
        memcpy(message + sizeof message - 4, "...", 4);
    }
    replace_control_characters(message);
    const char *space = command_name == NULL ? "" : " ";
    fprintf(stderr, "shoal%s%s: %s\n", space, command_name == NULL ? "" : command_name, message);
}
