/*
 * A table keeps its cells as text in one array, row by row, and finds the widths when it is printed.
 *
 * Cell i is in column i % columns. When memory runs out the table drops further cells and remembers it, so that callers
 * need not ask after each cell.
 */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more cell. */
static bool grow(text_table *table) {
    if (table->cell_count < table->cell_capacity) {
        return true;
    }
    size_t capacity = table->cell_capacity > 0 ? 2 * table->cell_capacity : 64;
    void *cells = realloc(table->cells, capacity * sizeof *table->cells);
    if (cells == NULL) {
        table->out_of_memory = true;
        return false;
    }
    table->cells = cells;
    table->cell_capacity = capacity;
    return true;
}

void table_cell(text_table *table, const char *format, ...) {
    if (!grow(table)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(table->cells[table->cell_count++], TABLE_CELL_BYTES, format, arguments);
    va_end(arguments);
}

/* Characters of UTF-8 text: all bytes but those that continue one. */
static size_t text_width(const char *text) {
    size_t width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return width;
}

static size_t column_width(const text_table *table, size_t column, size_t columns) {
    size_t width = 0;
    for (size_t cell = column; cell < table->cell_count; cell += columns) {
        size_t own = text_width(table->cells[cell]);
        width = own > width ? own : width;
    }
    return width;
}

static void print_blanks(size_t count, FILE *file) {
    for (size_t i = 0; i < count; i++) {
        fputc(' ', file);
    }
}

static void print_cell(const text_table *table, size_t cell, size_t width, FILE *file) {
    size_t columns = strlen(table->alignment);
    size_t column = cell % columns;
    size_t blanks = width - text_width(table->cells[cell]);
    bool right = table->alignment[column] == 'r';
    bool last = column + 1 == columns;
    print_blanks(right ? 2 + blanks : 2, file);
    fputs(table->cells[cell], file);
    print_blanks(right || last ? 0 : blanks, file);
    if (last) {
        fputc('\n', file);
    }
}

bool table_print(text_table *table, FILE *file) {
    size_t columns = strlen(table->alignment);
    size_t *widths = calloc(columns, sizeof *widths);
    bool done = widths != NULL && !table->out_of_memory;
    for (size_t column = 0; done && column < columns; column++) {
        widths[column] = column_width(table, column, columns);
    }
    for (size_t cell = 0; done && cell < table->cell_count; cell++) {
        print_cell(table, cell, widths[cell % columns], file);
    }
    free(widths);
    free(table->cells);
    *table = (text_table){.alignment = table->alignment};
    return done;
}

const char *text_grouped(char text[TABLE_GROUPED_BYTES], uint64_t number) {
    char digits[TABLE_GROUPED_BYTES];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    char *to = text;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}
