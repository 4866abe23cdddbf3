/*
 * What the program has to say when something goes wrong: one line on the standard error stream.
 *
 * A function that fails says why at once, where the names are known, and returns false or NULL; its callers pass that
 * on and add nothing. Calls on the world return a shoal_status, for which the world has the sentence. So each failure
 * gives exactly one line.
 * Thread rule: any.
 */
#ifndef EXAMPLES_MESSAGE_H
#define EXAMPLES_MESSAGE_H

#include <stdbool.h>

#if defined(__GNUC__)
#define MESSAGE_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define MESSAGE_FORMAT
#endif

/* How the line begins; the program defines it. */
extern const char message_program[];

/* Prints the program's name, the text and a newline. Control characters, which may come from a file or from the command
   line, are shown as '?', so that a message is always one line. */
void message_error(const char *format, ...) MESSAGE_FORMAT;

/* Flushes the standard output. A reader that has gone away must not look like success. */
bool message_flush_output(void);

#endif
