/*
 * One line on the standard error stream for each failure.
 *
 * The text may hold words of the command line, so it is cleaned before it is printed, and what is longer than two paths
 * and a sentence is cut.
 * Thread rule: any.
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_BYTES 1024

void message_error(const char *format, ...) {
    char text[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            *c = '?';
        }
    }
    fprintf(stderr, "fleet: %s\n", text);
}
