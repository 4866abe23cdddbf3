/*
 * Aligned tables and grouped numbers for the terminal. Widths count characters, not bytes, as names have accents.
 *
 * A table is filled cell by cell and printed once; printing frees it.
 * Thread rule: any; a table belongs to its caller.
 */
#ifndef BELT_TABLE_H
#define BELT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TABLE_CELL_BYTES 64
#define TABLE_GROUPED_BYTES 32

/* Zero-initialised but for `alignment`, a table is empty. */
typedef struct text_table {
    const char *alignment; /* a letter for each column: 'l' left, 'r' right */
    char (*cells)[TABLE_CELL_BYTES];
    size_t cell_count;
    size_t cell_capacity;
    bool out_of_memory;
} text_table;

#if defined(__GNUC__)
#define TABLE_FORMAT __attribute__((format(printf, 2, 3)))
#else
#define TABLE_FORMAT
#endif

/* Adds the next cell, row by row; text beyond the cell's size is cut. */
void table_cell(text_table *table, const char *format, ...) TABLE_FORMAT;

/* Writes the table with two blanks before each column and frees its cells. False when memory has run out. */
bool table_print(text_table *table, FILE *file);

/* Writes a count with commas, for example "7,098". Returns `text`. */
const char *text_grouped(char text[TABLE_GROUPED_BYTES], uint64_t number);

#endif
