/*
 * Error messages of the program: one failure is one line on standard error, whatever bytes an argument had.
 *
 *     shoal layout: --chunk 100: not a multiple of 64
 *
 * Thread: the program has one.
 */
#ifndef SHOAL_TOOL_REPORT_H
#define SHOAL_TOOL_REPORT_H

#if defined(__GNUC__)
#define REPORT_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define REPORT_PRINTF(format_index, first_index)
#endif

/* Prints "shoal NAME: message", or "shoal: message" without a command name. */
void report_error(const char *command_name, const char *format, ...) REPORT_PRINTF(2, 3);

#endif
