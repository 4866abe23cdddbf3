/*
 * The files that a program writes. A file that could not be written whole is removed again.
 *
 * An output_file is open from output_open() until output_close() or output_abandon(), of which exactly one is called.
 * Thread rule: any; a file belongs to its caller.
 */
#ifndef EXAMPLES_OUTPUT_H
#define EXAMPLES_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#define OUTPUT_PATH_BYTES 4096

typedef struct output_file {
    FILE *file;
    char path[OUTPUT_PATH_BYTES];
} output_file;

/* Makes the directory if it is not there, and checks that files can be written into it, so that a long run does not
   end with that news. False after one line on the standard error stream, as below. */
bool output_prepare(const char *directory);

/* Opens a file in the directory. */
bool output_open(output_file *output, const char *directory, const char *name);

/* Closes a file that was written whole. False when the last bytes could not be written. */
bool output_close(output_file *output);

/* Closes and removes a file that could not be written, and says why. Always false. */
bool output_abandon(output_file *output, const char *problem);

#endif
