/*
 * What the program has to say when something goes wrong: one line on the standard error stream.
 *
 * Calls on the world return a shoal_status up to main.c, which asks the world for the sentence; whatever else fails
 * says why at once and returns false. So each failure gives exactly one line.
 * Thread rule: any.
 */
#ifndef FLEET_MESSAGE_H
#define FLEET_MESSAGE_H

#if defined(__GNUC__)
#define MESSAGE_FORMAT __attribute__((format(printf, 1, 2)))
#else
#define MESSAGE_FORMAT
#endif

/* Prints "fleet: ", the text and a newline. Control characters, which may come from the command line, are shown as
   '?', so that a message is always one line. */
void message_error(const char *format, ...) MESSAGE_FORMAT;

#endif
