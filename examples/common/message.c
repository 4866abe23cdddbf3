/*
 * One line on the standard error stream for each failure.
 *
 * The text may hold names and words that come from a file or from the command line, so it is cleaned before it is
 * printed.
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

/* Long enough for two paths and a sentence; what is longer is cut. */
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
    fprintf(stderr, "%s: %s\n", message_program, text);
}

bool message_flush_output(void) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        message_error("cannot write to the standard output");
        return false;
    }
    return true;
}
