/*
 * What the program has to say when something goes wrong: one line on the standard error stream.
 *
 * A function that fails says why at once, where the names are known, and returns false or NULL; its callers pass that
 * on and add nothing. So each failure gives exactly one line.
 * Thread rule: any.
 */
#ifndef BELT_MESSAGE_H
#define BELT_MESSAGE_H

#if defined(__GNUC__)
#define MESSAGE_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define MESSAGE_FORMAT
#endif

/* Prints "belt: ", the text and a newline. Control characters, which may come from a file, are shown as '?', so that
   a message is always one line. */
void message_error(const char *format, ...) MESSAGE_FORMAT;

#endif
