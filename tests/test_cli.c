/*
 * The shoal program as its users meet it: each test runs the binary and looks at standard output, standard
 * error, the exit code and the files that it wrote. The path of the binary comes from the environment variable
 * SHOAL_PROGRAM or as the first argument.
 *
 * Arguments go to the program as they are, without a shell. Invariant of every failure: standard output is
 * empty, and standard error is exactly one line.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <shoal/base.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL}, NULL)
#define ARGUMENTS_MAX 400
#define OPEN_ELEMENTS_MAX 16

static const char *program;
static char directory[] = "/tmp/shoal-cli-XXXXXX";
static char out_path[64];
static char err_path[64];
static char svg_path[64];

/* What the last run did. */
static int exit_code;
static char *out;
static char *err;

static char *file_read(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    fclose(file);
    return text;
}

/* In the child: replaces a stream by a file. */
static void redirect(int stream, const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, stream) < 0) {
        _exit(126);
    }
}

/* Runs the program; standard output goes to `out_file`, or is kept in `out` when that is null. */
static void run(const char *const *arguments, const char *out_file) {
    char *words[ARGUMENTS_MAX + 2] = {(char *)(uintptr_t)program};
    for (size_t i = 0; arguments[i] != NULL; i++) {
        assert_true(i < ARGUMENTS_MAX);
        words[i + 1] = (char *)(uintptr_t)arguments[i];
    }
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        redirect(STDOUT_FILENO, out_file == NULL ? out_path : out_file);
        redirect(STDERR_FILENO, err_path);
        execv(program, words);
        _exit(127);
    }
    int wait_status = 0;
    assert_int_equal(waitpid(child, &wait_status, 0), child);
    assert_true(WIFEXITED(wait_status));
    exit_code = WEXITSTATUS(wait_status);
    free(out);
    free(err);
    out = out_file == NULL ? file_read(out_path) : NULL;
    err = file_read(err_path);
}

static void assert_contains(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not in:\n%s", part, text);
    }
}

static void assert_done(const char *expected_out) {
    assert_string_equal(err, "");
    assert_int_equal(exit_code, 0);
    if (expected_out != NULL) {
        assert_string_equal(out, expected_out);
    }
}

/* The run failed with `code` and one line that names `word`. */
static void assert_failed(int code, const char *word) {
    assert_int_equal(exit_code, code);
    assert_string_equal(out, "");
    assert_contains(err, word);
    assert_memory_equal(err, "shoal", 5);
    char *newline = strchr(err, '\n');
    assert_non_null(newline);
    assert_int_equal(newline[1], '\0');
}

static void help_lists_the_commands(void **state) {
    (void)state;
    RUN("--help");
    assert_done(NULL);
    assert_memory_equal(out, "usage: shoal COMMAND", 20);
    assert_contains(out, "\n  layout ");
    assert_contains(out, "exit codes: 0 done; 1 could not be done");
    char *first = strdup(out);
    RUN("-h");
    assert_done(first);
    free(first);
}

static void version_is_the_library_version(void **state) {
    (void)state;
    RUN("--version");
    assert_done("shoal " SHOAL_VERSION "\n");
}

static void layout_help_wins_over_errors(void **state) {
    (void)state;
    RUN("layout", "--help");
    assert_done(NULL);
    assert_memory_equal(out, "usage: shoal layout", 19);
    static const char *const options[] = {"--chunk", "--svg", "--lines", "--record", "--fields", "default 16K"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        assert_contains(out, options[i]);
    }
    char *first = strdup(out);
    RUN("layout", "--nonsense", "-h");
    assert_done(first);
    free(first);
}

static void bad_commands(void **state) {
    (void)state;
    run((const char *const[]){NULL}, NULL);
    assert_failed(2, "shoal: no command given");
    RUN("layuot");
    assert_failed(2, "shoal: layuot: unknown command");
    RUN("--verbose");
    assert_failed(2, "shoal: --verbose: unknown option");
    RUN("--version", "please");
    assert_failed(2, "shoal: please: ");
    RUN("--help", "please");
    assert_failed(2, "shoal: please: ");
    RUN("");
    assert_failed(2, "unknown command");
}

static void table_of_position_velocity(void **state) {
    (void)state;
    RUN("layout", "--chunk", "4096", "Position:12", "Velocity:12");
    assert_done("chunk     4096 bytes\n"
                "row       32 bytes\n"
                "capacity  122 rows\n"
                "\n"
                "part        size   align  offset     end   bytes\n"
                "(header)                       0      64      64\n"
                "(entity)       8      64      64    1040     976\n"
                "(gap)                       1040    1088      48\n"
                "Position      12      64    1088    2552    1464\n"
                "(gap)                       2552    2560       8\n"
                "Velocity      12      64    2560    4024    1464\n"
                "(tail)                      4024    4096      72\n"
                "\n"
                "used      3904 bytes (95.31%)\n"
                "unused    192 bytes (4.69%): header 64, gaps 56, tail 72\n");
}

static void table_of_position_velocity_health(void **state) {
    (void)state;
    RUN("layout", "--chunk", "4096", "Position:12", "Velocity:12", "Health:4");
    assert_done("chunk     4096 bytes\n"
                "row       36 bytes\n"
                "capacity  112 rows\n"
                "\n"
                "part        size   align  offset     end   bytes\n"
                "(header)                       0      64      64\n"
                "(entity)       8      64      64     960     896\n"
                "Position      12      64     960    2304    1344\n"
                "Velocity      12      64    2304    3648    1344\n"
                "Health         4      64    3648    4096     448\n"
                "\n"
                "used      4032 bytes (98.44%)\n"
                "unused    64 bytes (1.56%): header 64, gaps 0, tail 0\n");
}

/* Columns are aligned by cells: the two ideographs of the name are four cells wide and six bytes long. */
static void table_of_alignment_tag_and_wide_name(void **state) {
    (void)state;
    RUN("layout", "--chunk=1K", "Frozen:0", "\xe4\xbd\x8d\xe7\xbd\xae:12", "Matrix:256:256");
    assert_done("chunk     1024 bytes\n"
                "row       276 bytes\n"
                "capacity  3 rows\n"
                "\n"
                "part        size   align  offset     end   bytes\n"
                "(header)                       0      64      64\n"
                "(entity)       8      64      64      88      24\n"
                "(gap)                         88     128      40\n"
                "\xe4\xbd\x8d\xe7\xbd\xae          12      64     128     164      36\n"
                "(gap)                        164     256      92\n"
                "Matrix       256     256     256    1024     768\n"
                "Frozen         0  a tag, takes no room\n"
                "\n"
                "used      828 bytes (80.86%)\n"
                "unused    196 bytes (19.14%): header 64, gaps 132, tail 0\n");
}

static void chunk_default_and_spellings(void **state) {
    (void)state;
    RUN("layout", "A:8:4", "B:8:4");
    assert_done(NULL);
    assert_contains(out, "chunk     16384 bytes\nrow       24 bytes\ncapacity  680 rows\n");
    char *first = strdup(out);
    static const char *const spellings[] = {"--chunk=16384", "--chunk=16K", "--chunk=16k", "--chunk=016K"};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        RUN("layout", spellings[i], "A:8:4", "B:8:4");
        assert_done(first);
    }
    RUN("layout", "A:8:4", "--chunk", "16K", "B:8:4");
    assert_done(first);
    free(first);
    RUN("layout", "--chunk", "1M", "A:1K");
    assert_done(NULL);
    assert_contains(out, "chunk     1048576 bytes\nrow       1032 bytes\ncapacity  1016 rows\n");
}

static void one_row_is_singular(void **state) {
    (void)state;
    RUN("layout", "--chunk", "192", "A:64");
    assert_done(NULL);
    assert_contains(out, "capacity  1 row\n");
}

static void lines_of_the_seed(void **state) {
    (void)state;
    RUN("layout", "--lines", "64", "--record", "64", "--fields", "24");
    assert_done("64 entities, records of 64 bytes of which a loop needs 24, cache lines of 64 bytes\n"
                "\n"
                "stored as          lines   bytes    used\n"
                "array of structs      64    4096   37.5%\n"
                "columns               24    1536  100.0%\n");
    RUN("layout", "--lines", "1", "--record", "64", "--fields", "24");
    assert_done("1 entity, records of 64 bytes of which a loop needs 24, cache lines of 64 bytes\n"
                "\n"
                "stored as          lines   bytes    used\n"
                "array of structs       1      64   37.5%\n"
                "columns                2     128   18.8%\n");
}

static void lines_beside_a_chunk(void **state) {
    (void)state;
    RUN("layout", "--chunk", "4096", "Position:12", "Velocity:12");
    char *chunk = strdup(out);
    RUN("layout", "--lines", "64", "--record", "64", "--fields", "24");
    char *lines = strdup(out);
    RUN("layout", "--chunk", "4096", "--lines", "64", "--record", "64", "--fields", "24", "Position:12", "Velocity:12");
    assert_done(NULL);
    assert_int_equal(strlen(out), strlen(chunk) + 1 + strlen(lines));
    assert_memory_equal(out, chunk, strlen(chunk));
    assert_string_equal(out + strlen(chunk) + 1, lines);
    free(chunk);
    free(lines);
}

typedef struct bad_case {
    const char *arguments[8];
    const char *message; /* After "shoal layout: ". */
} bad_case;

static const bad_case bad_cases[] = {
    {{"layout"}, "no component given"},
    {{"layout", "--chunk", "4096"}, "no component given"},
    {{"layout", "Position"}, "Position: a component is NAME:SIZE"},
    {{"layout", ""}, "an argument is empty"},
    {{"layout", ":12"}, ":12: the component's name is empty"},
    {{"layout", "Position:"}, "Position:: the component's size is not a number"},
    {{"layout", "Position:12x"}, "Position:12x: the component's size is not a number"},
    {{"layout", "Position:-12"}, "Position:-12: the component's size is not a number"},
    {{"layout", "Position:+12"}, "Position:+12: the component's size is not a number"},
    {{"layout", "Position: 12"}, "Position: 12: the component's size is not a number"},
    {{"layout", "Position:K"}, "Position:K: the component's size is not a number"},
    {{"layout", "Position:0x10"}, "Position:0x10: the component's size is not a number"},
    {{"layout", "Position:99999999999999999999"},
     "Position:99999999999999999999: the component's size is more than 1073741824"},
    {{"layout", "Position:1073741825"}, "Position:1073741825: the component's size is more than 1073741824"},
    {{"layout", "Position:18014398509481985K"}, "Position:18014398509481985K: the component's size is more than"},
    {{"layout", "Position:12:"}, "Position:12:: the component's alignment is not a power of two"},
    {{"layout", "Position:12:0"}, "Position:12:0: the component's alignment is not a power of two"},
    {{"layout", "Position:12:3"}, "Position:12:3: the component's alignment is not a power of two"},
    {{"layout", "Position:8192:8192"},
     "Position:8192:8192: the component's alignment is not a power of two up to 4096"},
    {{"layout", "Position:12:4:4"}, "Position:12:4:4: the component's alignment is not a power of two"},
    {{"layout", "Position:12:8"}, "Position:12:8: the component's size is not a multiple of its alignment"},
    {{"layout", "Position:12", "Position:4"}, "Position:4: a component of this name was given before"},
    {{"layout", "\xff\xfe:12"}, ": the component's name is not UTF-8"},
    {{"layout", "\xed\xa0\x80:12"}, ": the component's name is not UTF-8"},
    {{"layout", "\xc0\xaf:12"}, ": the component's name is not UTF-8"},
    {{"layout", "\xe0\x80\xaf:12"}, ": the component's name is not UTF-8"},
    {{"layout", "\xf4\x90\x80\x80:12"}, ": the component's name is not UTF-8"},
    {{"layout", "\xe4\xbd:12"}, ": the component's name is not UTF-8"},
    {{"layout", "a\nb:12"}, "a?b:12: the component's name has a control character"},
    {{"layout", "\xc2\x85:12"}, ": the component's name has a control character"},
    {{"layout", "A:1", "--chunk"}, "--chunk: the option needs a value"},
    {{"layout", "A:1", "--chunk="}, "--chunk: the value is empty"},
    {{"layout", "A:1", "--chunk", "4K96"}, "--chunk 4K96: not a size"},
    {{"layout", "A:1", "--chunk", "-64"}, "--chunk -64: not a size"},
    {{"layout", "A:1", "--chunk", "4097"}, "--chunk 4097: not a multiple of 64"},
    {{"layout", "A:1", "--chunk", "0"}, "--chunk 0: not a multiple of 64"},
    {{"layout", "A:1", "--chunk", "99999999999999999999"}, "--chunk 99999999999999999999: the number is too large"},
    {{"layout", "A:1", "--chunk", "18014398509481984K"}, "--chunk 18014398509481984K: the number is too large"},
    {{"layout", "A:1", "--chunk", "64", "--chunk", "128"}, "--chunk 128: the option was given before"},
    {{"layout", "A:1", "--chunks", "64"}, "--chunks: unknown option"},
    {{"layout", "A:1", "--chun=64"}, "--chun=64: unknown option"},
    {{"layout", "A:1", "-c"}, "-c: unknown option"},
    {{"layout", "A:1", "--svg"}, "--svg: the option needs a value"},
    {{"layout", "A:1", "--svg", "--chunk", "4096"}, "--svg: the option needs a value"},
    {{"layout", "A:1", "--svg", ""}, "--svg: the value is empty"},
    {{"layout", "--lines", "64"}, "--lines: the option needs --record and --fields"},
    {{"layout", "A:1", "--record", "64"}, "--record: the option needs --lines"},
    {{"layout", "A:1", "--fields", "24"}, "--fields: the option needs --lines"},
    {{"layout", "--lines", "6K", "--record", "64", "--fields", "24"}, "--lines 6K: not a number"},
    {{"layout", "--lines", "64", "--record", "64", "--fields", "23"}, "--fields 23: not an even number"},
    {{"layout", "--lines", "64", "--record", "64", "--fields", "0"}, "--fields 0: not an even number"},
    {{"layout", "--lines", "64", "--record", "64", "--fields", "66"}, "--fields 66: more than the record's 64 bytes"},
    {{"layout", "--lines", "18446744073709551615", "--record", "64", "--fields", "24"},
     "--lines 18446744073709551615: "},
};

static void bad_arguments_get_one_line(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_cases / sizeof bad_cases[0]; i++) {
        run(bad_cases[i].arguments, NULL);
        char expected[200];
        snprintf(expected, sizeof expected, "%s%s",
                 bad_cases[i].message[0] == ':' ? "" : "shoal layout: ", bad_cases[i].message);
        assert_failed(2, expected);
    }
}

static void drawing_needs_a_component(void **state) {
    (void)state;
    RUN("layout", "--lines", "1", "--record", "64", "--fields", "24", "--svg", svg_path);
    assert_failed(2, "--svg: the option needs a component");
    assert_int_not_equal(access(svg_path, F_OK), 0);
}

static void long_names(void **state) {
    (void)state;
    char word[300];
    memset(word, 'n', 256);
    memcpy(word + 256, ":12", 4);
    RUN("layout", word);
    assert_failed(2, "the component's name is longer than 255 bytes");
    RUN("layout", word + 1);
    assert_done(NULL);
    assert_contains(out, "capacity  816 rows\n");
    static char endless[20000];
    memset(endless, 'n', sizeof endless - 1);
    RUN("layout", endless);
    assert_failed(2, "a component is NAME:SIZE");
}

static void row_too_large(void **state) {
    (void)state;
    RUN("layout", "--chunk", "4096", "Position:12", "Map:1M", "--svg", svg_path);
    assert_failed(
        1, "one row does not fit into a chunk of 4096 bytes; the smallest power of two that holds one is 2097152");
    assert_int_not_equal(access(svg_path, F_OK), 0);
    RUN("layout", "--chunk", "192", "A:65");
    assert_failed(1, "into a chunk of 192 bytes; the smallest power of two that holds one is 256");
}

static void drawing_that_cannot_be_written(void **state) {
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/missing/chunk.svg", directory);
    RUN("layout", "--svg", path, "Position:12");
    assert_failed(1, path);
    RUN("layout", "--svg", directory, "Position:12");
    assert_failed(1, directory);
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    RUN("layout", "--svg", "/dev/full", "Position:12");
    assert_failed(1, "--svg /dev/full: cannot write: ");
}

static void output_that_cannot_be_written(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    run((const char *const[]){"layout", "Position:12", NULL}, "/dev/full");
    assert_int_equal(exit_code, 1);
    assert_string_equal(err, "shoal: cannot write to standard output\n");
    run((const char *const[]){"--version", NULL}, "/dev/full");
    assert_int_equal(exit_code, 1);
}

typedef struct element_name {
    char text[16];
} element_name;

/* Returns the end of a tag: its '>', which may stand within quotes before. */
static const char *tag_end(const char *tag) {
    bool quoted = false;
    for (const char *end = tag + 1; *end != '\0'; end++) {
        assert_int_not_equal(*end, '<');
        if (*end == '>' && !quoted) {
            return end;
        }
        quoted = *end == '"' ? !quoted : quoted;
    }
    fail_msg("a tag is not closed: %.60s", tag);
    return tag;
}

/* Notes that a tag opens or closes an element; `open` has the names of the `depth` open ones. */
static void tag_check(const char *tag, const char *end, element_name *open, size_t *depth) {
    char name[sizeof open->text];
    const char *begin = tag[1] == '/' ? tag + 2 : tag + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, " />"), begin);
    if (tag[1] == '/') {
        assert_true(*depth > 0);
        assert_string_equal(name, open[--*depth].text);
    } else if (tag[1] != '?' && end[-1] != '/') {
        assert_true(*depth < OPEN_ELEMENTS_MAX);
        memcpy(open[(*depth)++].text, name, sizeof name);
    }
}

/* Every element is closed in order, and text holds no bare markup. */
static void assert_well_formed(const char *text) {
    element_name open[OPEN_ELEMENTS_MAX] = {{""}};
    size_t depth = 0;
    while (*text != '\0') {
        if (*text == '<') {
            const char *end = tag_end(text);
            tag_check(text, end, open, &depth);
            text = end + 1;
            continue;
        }
        assert_int_not_equal(*text, '>');
        if (*text == '&') {
            assert_int_equal(text[1], '#');
        }
        text++;
    }
    assert_int_equal(depth, 0);
}

static double number_after(const char *text, const char *name) {
    const char *found = strstr(text, name);
    assert_non_null(found);
    return strtod(found + strlen(name), NULL);
}

static void assert_near(double value, double expected) {
    if (value < expected - 0.001 || value > expected + 0.001) {
        fail_msg("%.6f is not near %.6f", value, expected);
    }
}

/* The parts of the drawing cover the chunk, in order, without overlap, and to scale; returns how many they are. */
static size_t assert_to_scale(const char *svg, size_t chunk_bytes) {
    size_t strip_bytes = (size_t)number_after(svg, "One strip is ");
    double scale = 1024 / (double)strip_bytes;
    double left = number_after(strstr(svg, "data-begin"), " x=\"");
    size_t cursor = 0;
    size_t count = 0;
    for (const char *part = strstr(svg, "data-begin"); part != NULL; part = strstr(part + 1, "data-begin")) {
        size_t begin = (size_t)number_after(part, "data-begin=\"");
        size_t end = (size_t)number_after(part, "data-end=\"");
        assert_int_equal(begin, cursor);
        assert_true(begin < end && begin % strip_bytes + (end - begin) <= strip_bytes);
        assert_near(number_after(part, " x=\"") - left, (double)(begin % strip_bytes) * scale);
        assert_near(number_after(part, " width=\""), (double)(end - begin) * scale);
        cursor = end;
        count++;
    }
    assert_int_equal(cursor, chunk_bytes);
    return count;
}

/* Reads and removes the drawing of the last run. */
static char *svg_take(void) {
    assert_done(NULL);
    assert_contains(out, svg_path);
    char *svg = file_read(svg_path);
    assert_int_equal(remove(svg_path), 0);
    assert_well_formed(svg);
    return svg;
}

static void drawing_of_position_velocity(void **state) {
    (void)state;
    RUN("layout", "--chunk", "4096", "--svg", svg_path, "Position:12", "Velocity:12", "Frozen:0");
    char *svg = svg_take();
    /* Eight strips of 512 bytes hold 2, 1, 3, 1, 2, 1, 1 and 2 parts. */
    assert_int_equal(assert_to_scale(svg, 4096), 13);
    assert_contains(svg, "122 rows of 32 bytes, 192 bytes unused (4.69%)");
    assert_contains(svg, ">header</text>");
    assert_contains(svg, ">entity at 64</text>");
    assert_contains(svg, ">Position at 1088</text>");
    assert_contains(svg, ">Velocity at 2560</text>");
    assert_contains(svg, ">tail at 4024</text>");
    assert_contains(svg, ">all gaps</text>");
    assert_contains(svg, ">Frozen</text>");
    assert_contains(svg, "cache line of 64 bytes");
    assert_contains(svg, "<title>Velocity: bytes 2560 to 4024</title>");
    free(svg);
}

static void drawing_escapes_names(void **state) {
    (void)state;
    RUN("layout", "--svg", svg_path, "<&\">]]>:12", "\xef\xbf\xbe:1:1");
    char *svg = svg_take();
    assert_contains(svg, ">&#60;&#38;&#34;&#62;]]&#62; at ");
    assert_null(strstr(svg, "\xef\xbf\xbe"));
    free(svg);
}

static void drawing_of_any_size(void **state) {
    (void)state;
    static const size_t sizes[] = {320, 1024, 4160, 16384, 262144, 1048576, 1049600, 1073741824};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char size[32];
        snprintf(size, sizeof size, "%zu", sizes[i]);
        RUN("layout", "--chunk", size, "--svg", svg_path, "Position:12", "Health:4:4", "Name:7");
        char *svg = svg_take();
        assert_to_scale(svg, sizes[i]);
        free(svg);
    }
}

static void drawing_of_many_columns(void **state) {
    (void)state;
    static char names[300][16];
    const char *arguments[ARGUMENTS_MAX] = {"layout", "--chunk", "256K", "--svg", svg_path};
    for (size_t i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "C%zu:%zu", i, i % 5);
        arguments[5 + i] = names[i];
    }
    run(arguments, NULL);
    char *svg = svg_take();
    assert_true(assert_to_scale(svg, 262144) > 240);
    assert_contains(svg, ">C299</text>");
    free(svg);
}

static int directory_make(void **state) {
    (void)state;
    if (mkdtemp(directory) == NULL) {
        return -1;
    }
    snprintf(out_path, sizeof out_path, "%s/out", directory);
    snprintf(err_path, sizeof err_path, "%s/err", directory);
    snprintf(svg_path, sizeof svg_path, "%s/chunk.svg", directory);
    return 0;
}

static int directory_remove(void **state) {
    (void)state;
    free(out);
    free(err);
    remove(out_path);
    remove(err_path);
    remove(svg_path);
    return remove(directory);
}

int main(int argument_count, char **arguments) {
    program = argument_count > 1 ? arguments[1] : getenv("SHOAL_PROGRAM");
    if (program == NULL || access(program, X_OK) != 0) {
        fprintf(stderr, "test_cli: give the program's path as an argument or in SHOAL_PROGRAM\n");
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_the_commands),
        cmocka_unit_test(version_is_the_library_version),
        cmocka_unit_test(layout_help_wins_over_errors),
        cmocka_unit_test(bad_commands),
        cmocka_unit_test(table_of_position_velocity),
        cmocka_unit_test(table_of_position_velocity_health),
        cmocka_unit_test(table_of_alignment_tag_and_wide_name),
        cmocka_unit_test(chunk_default_and_spellings),
        cmocka_unit_test(one_row_is_singular),
        cmocka_unit_test(lines_of_the_seed),
        cmocka_unit_test(lines_beside_a_chunk),
        cmocka_unit_test(bad_arguments_get_one_line),
        cmocka_unit_test(drawing_needs_a_component),
        cmocka_unit_test(long_names),
        cmocka_unit_test(row_too_large),
        cmocka_unit_test(drawing_that_cannot_be_written),
        cmocka_unit_test(output_that_cannot_be_written),
        cmocka_unit_test(drawing_of_position_velocity),
        cmocka_unit_test(drawing_escapes_names),
        cmocka_unit_test(drawing_of_any_size),
        cmocka_unit_test(drawing_of_many_columns),
    };
    return cmocka_run_group_tests_name("cli", tests, directory_make, directory_remove);
}
