/*
 * `shoal layout`: reads the arguments, computes, then draws and prints.
 *
 * Everything that can fail is done before the first line is printed: a run that fails leaves standard output
 * empty. The parts have files of their own: layout_args.c, layout_plan.c, layout_table.c, layout_svg.c.
 */
#include "layout_command.h"

#include "layout_args.h"
#include "layout_plan.h"
#include "layout_svg.h"
#include "layout_table.h"
#include "report.h"

#include <shoal/layout.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char layout_help[] =
    "usage: shoal layout [--chunk SIZE] [--svg FILE] NAME:SIZE[:ALIGN] ...\n"
    "       shoal layout --lines N --record SIZE --fields SIZE\n"
    "\n"
    "Shows how many rows of these components one chunk holds, and where each column lies.\n"
    "\n"
    "  NAME:SIZE        a component of SIZE bytes; SIZE 0 makes it a tag\n"
    "  NAME:SIZE:ALIGN  the same, with an alignment: a power of two up to 4096\n"
    "\n"
    "The chunk has a header of 64 bytes, the entity column (8 bytes a row), then the components in the\n"
    "order given. Each column starts at a multiple of 64, or of its alignment if that is larger.\n"
    "\n"
    "options:\n"
    "  --chunk SIZE     bytes of the chunk, a multiple of 64; default 16K\n"
    "                   (the chunks of a world are powers of two from 1K to 1M)\n"
    "  --svg FILE       also draws the chunk to scale\n"
    "  --lines N        also counts the cache lines that a loop over N entities touches, in an array of\n"
    "                   structs and in two columns; needs no components\n"
    "  --record SIZE    with --lines: bytes of one struct\n"
    "  --fields SIZE    with --lines: bytes at the start of it that the loop needs, half for each column\n"
    "  --help           this text\n"
    "\n"
    "A SIZE may end in K, M or G: 16K is 16384.\n"
    "\n"
    "example: shoal layout --chunk 4096 --svg chunk.svg Position:12 Velocity:12 Health:4\n";

static int svg_write(const layout_plan *plan) {
    const char *path = plan->args->svg.text;
    errno = 0;
    if (layout_svg_write(plan, path)) {
        return EXIT_DONE;
    }
    report_error("layout", "--svg %.300s: cannot write: %s", path, errno == 0 ? "unknown error" : strerror(errno));
    return EXIT_FAILED;
}

static int lines_compute(const layout_args *args, shoal_layout_line_count *lines) {
    if (args->lines.text == NULL ||
        shoal_layout_lines(args->lines.value, args->record.value, args->fields.value, lines) == SHOAL_OK) {
        return EXIT_DONE;
    }
    report_error("layout", "--lines %s: so many records of %zu bytes are more than memory can hold", args->lines.text,
                 args->record.value);
    return EXIT_BAD_ARGUMENTS;
}

/* The chunk and, if asked for, the drawing and the lines. */
static int chunk_show(const layout_args *args, const shoal_layout_line_count *lines) {
    layout_plan plan;
    int code = layout_plan_make(args, &plan);
    if (code == EXIT_DONE && args->svg.text != NULL) {
        code = svg_write(&plan);
    }
    if (code == EXIT_DONE) {
        layout_table_print(&plan);
        if (args->svg.text != NULL) {
            printf("drawing   %s\n", args->svg.text);
        }
        if (args->lines.text != NULL) {
            printf("\n");
            layout_lines_print(args, lines);
        }
    }
    layout_plan_release(&plan);
    return code;
}

static int layout_run(int argument_count, char **arguments) {
    layout_args args;
    shoal_layout_line_count lines = {0};
    int code = layout_args_parse(argument_count, arguments, &args);
    if (code == EXIT_DONE) {
        code = lines_compute(&args, &lines);
    }
    if (code == EXIT_DONE && args.component_count != 0) {
        code = chunk_show(&args, &lines);
    } else if (code == EXIT_DONE) {
        layout_lines_print(&args, &lines);
    }
    layout_args_release(&args);
    return code;
}

const command layout_command = {
    .name = "layout",
    .summary = "where the columns of a chunk lie, and how many rows it holds",
    .help = layout_help,
    .run = layout_run,
};
