/*
 * The arguments of `shoal layout`; see layout_args.h.
 *
 * Two kinds of words: options from one table (--name VALUE or --name=VALUE), and components. A word that begins
 * with -- is never the value of the option before it: that value was forgotten. Each word is checked by itself
 * first, then the words against each other; the first fault is reported with the word that has it and ends
 * the reading.
 */
#include "layout_args.h"

#include "command.h"
#include "number.h"
#include "report.h"
#include "utf8.h"

#include <shoal/base.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 255
#define CHUNK_BYTES_MULTIPLE 64

typedef enum option_kind { OPTION_TEXT, OPTION_COUNT, OPTION_SIZE } option_kind;

typedef struct option_spec {
    const char *name;
    size_t offset; /* Of the layout_option in layout_args. */
    option_kind kind;
} option_spec;

static const option_spec option_specs[] = {
    {"--chunk", offsetof(layout_args, chunk), OPTION_SIZE},   {"--svg", offsetof(layout_args, svg), OPTION_TEXT},
    {"--lines", offsetof(layout_args, lines), OPTION_COUNT},  {"--record", offsetof(layout_args, record), OPTION_SIZE},
    {"--fields", offsetof(layout_args, fields), OPTION_SIZE},
};

static bool bad_word(const char *word, const char *problem) {
    report_error("layout", "%.300s: %s", word, problem); /* Cut, so that the problem stays in the line. */
    return false;
}

static bool bad_option(const option_spec *spec, const char *value, const char *problem) {
    report_error("layout", "%s %.300s: %s", spec->name, value, problem);
    return false;
}

/* The spec whose name is `word`, or what stands before the '=' in it; null when there is none. */
static const option_spec *option_find(const char *word) {
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof option_specs / sizeof option_specs[0]; i++) {
        if (strlen(option_specs[i].name) == length && memcmp(option_specs[i].name, word, length) == 0) {
            return &option_specs[i];
        }
    }
    return NULL;
}

/* Stores one option's value. */
static bool option_take(const option_spec *spec, const char *value, layout_option *option) {
    if (option->text != NULL) {
        return bad_option(spec, value, "the option was given before");
    }
    if (value[0] == '\0') {
        return bad_word(spec->name, "the value is empty");
    }
    number_result result = NUMBER_OK;
    if (spec->kind == OPTION_COUNT) {
        result = number_parse_count(value, strlen(value), &option->value);
    } else if (spec->kind == OPTION_SIZE) {
        result = number_parse_size(value, strlen(value), &option->value);
    }
    option->text = value;
    if (result == NUMBER_TOO_LARGE) {
        return bad_option(spec, value, "the number is too large");
    }
    if (result == NUMBER_MALFORMED) {
        return bad_option(spec, value,
                          spec->kind == OPTION_COUNT ? "not a number" : "not a size in bytes such as 4096 or 16K");
    }
    return true;
}

/* Reads an option at `arguments[*position]` and leaves the position at the last word that belongs to it. */
static bool option_parse(int argument_count, char **arguments, int *position, layout_args *args) {
    const char *word = arguments[*position];
    const option_spec *spec = option_find(word);
    if (spec == NULL) {
        return bad_word(word, "unknown option; see 'shoal layout --help'");
    }
    const char *value = strchr(word, '=');
    if (value != NULL) {
        value++;
    } else if (*position + 1 < argument_count && strncmp(arguments[*position + 1], "--", 2) != 0) {
        value = arguments[++*position];
    } else {
        return bad_word(word, "the option needs a value");
    }
    return option_take(spec, value, (layout_option *)((char *)args + spec->offset));
}

static bool name_check(const char *word, const char *name, size_t length) {
    if (length == 0) {
        return bad_word(word, "the component's name is empty");
    }
    if (length > NAME_BYTES_MAX) {
        return bad_word(word, "the component's name is longer than 255 bytes");
    }
    for (size_t position = 0; position < length;) {
        uint32_t code_point = 0;
        size_t byte_count = utf8_decode(name + position, length - position, &code_point);
        if (byte_count == 0) {
            return bad_word(word, "the component's name is not UTF-8");
        }
        if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0)) {
            return bad_word(word, "the component's name has a control character");
        }
        position += byte_count;
    }
    return true;
}

static bool size_check(const char *word, number_result result, size_t byte_size) {
    if (result == NUMBER_MALFORMED) {
        return bad_word(word, "the component's size is not a number of bytes such as 12 or 2K");
    }
    size_t most = shoal_limits_get().component_bytes;
    if (result == NUMBER_TOO_LARGE || byte_size > most) {
        report_error("layout", "%.300s: the component's size is more than %zu bytes", word, most);
        return false;
    }
    return true;
}

static bool alignment_check(const char *word, number_result result, const layout_component *component) {
    size_t alignment = component->alignment;
    size_t most = shoal_limits_get().component_alignment;
    if (result != NUMBER_OK || alignment == 0 || alignment > most || (alignment & (alignment - 1)) != 0) {
        report_error("layout", "%.300s: the component's alignment is not a power of two up to %zu", word, most);
        return false;
    }
    if (component->byte_size % alignment != 0) {
        return bad_word(word, "the component's size is not a multiple of its alignment");
    }
    return true;
}

/* Reads NAME:SIZE or NAME:SIZE:ALIGN. */
static bool component_parse(const char *word, layout_component *component) {
    size_t name_length = strcspn(word, ":");
    if (word[0] == '\0') {
        return bad_word("an argument is empty", "a component is NAME:SIZE or NAME:SIZE:ALIGN");
    }
    if (word[name_length] == '\0') {
        return bad_word(word, "a component is NAME:SIZE or NAME:SIZE:ALIGN");
    }
    *component = (layout_component){.name = word, .name_length = name_length, .alignment = 1};
    const char *size_text = word + name_length + 1;
    size_t size_length = strcspn(size_text, ":");
    number_result result = number_parse_size(size_text, size_length, &component->byte_size);
    if (!name_check(word, word, name_length) || !size_check(word, result, component->byte_size)) {
        return false;
    }
    if (size_text[size_length] == '\0') {
        return true;
    }
    const char *alignment_text = size_text + size_length + 1;
    result = number_parse_size(alignment_text, strlen(alignment_text), &component->alignment);
    return alignment_check(word, result, component);
}

/* Appends a component, unless one before it has the same name. */
static bool component_take(const char *word, layout_args *args) {
    layout_component *component = &args->components[args->component_count];
    if (!component_parse(word, component)) {
        return false;
    }
    for (size_t i = 0; i < args->component_count; i++) {
        const layout_component *other = &args->components[i];
        if (other->name_length == component->name_length &&
            memcmp(other->name, component->name, other->name_length) == 0) {
            return bad_word(word, "a component of this name was given before");
        }
    }
    args->component_count++;
    return true;
}

static bool chunk_check(layout_args *args) {
    if (args->chunk.text == NULL) {
        args->chunk.value = LAYOUT_DEFAULT_CHUNK_BYTES;
    }
    if (args->chunk.value == 0 || args->chunk.value % CHUNK_BYTES_MULTIPLE != 0) {
        report_error("layout", "--chunk %s: not a multiple of %d", args->chunk.text, CHUNK_BYTES_MULTIPLE);
        return false;
    }
    return true;
}

/* --lines, --record and --fields only make sense together. */
static bool lines_check(const layout_args *args) {
    if (args->lines.text == NULL) {
        return args->record.text != NULL   ? bad_word("--record", "the option needs --lines beside it")
               : args->fields.text != NULL ? bad_word("--fields", "the option needs --lines beside it")
                                           : true;
    }
    if (args->record.text == NULL || args->fields.text == NULL) {
        return bad_word("--lines", "the option needs --record and --fields beside it");
    }
    if (args->fields.value == 0 || args->fields.value % 2 != 0) {
        report_error("layout", "--fields %s: not an even number of bytes above 0", args->fields.text);
        return false;
    }
    if (args->fields.value > args->record.value) {
        report_error("layout", "--fields %s: more than the record's %zu bytes", args->fields.text, args->record.value);
        return false;
    }
    return true;
}

static bool words_check(layout_args *args) {
    if (!chunk_check(args) || !lines_check(args)) {
        return false;
    }
    if (args->component_count == 0 && args->lines.text == NULL) {
        report_error("layout", "no component given; a component is NAME:SIZE or NAME:SIZE:ALIGN");
        return false;
    }
    if (args->component_count == 0 && args->svg.text != NULL) {
        return bad_word("--svg", "the option needs a component to draw");
    }
    return true;
}

int layout_args_parse(int argument_count, char **arguments, layout_args *args) {
    *args = (layout_args){0};
    args->components = calloc((size_t)argument_count + 1, sizeof *args->components);
    if (args->components == NULL) {
        report_error("layout", "out of memory");
        return EXIT_FAILED;
    }
    for (int i = 0; i < argument_count; i++) {
        bool taken = arguments[i][0] == '-' ? option_parse(argument_count, arguments, &i, args)
                                            : component_take(arguments[i], args);
        if (!taken) {
            return EXIT_BAD_ARGUMENTS;
        }
    }
    return words_check(args) ? EXIT_DONE : EXIT_BAD_ARGUMENTS;
}

void layout_args_release(layout_args *args) {
    free(args->components);
    args->components = NULL;
}
