/*
 * The text form of queries: from text to the terms and settings of shoal_query_def. The grammar stands in
 * query_text.c and in docs/guide.md.
 *
 *     "write Position, any(Player | Ally) order by Position.x" -> terms[3], order_by, order_field "x"
 *
 * The reader checks what it must know to read on: that names are known, that a restriction suits the kind of its
 * component, that values fit into their fields. What terms may stand together is checked where queries are made.
 *
 * Invariant "owned": what terms point to (shared values) and the terms themselves are scratch memory of the world and
 * live until query_text_release(). Thread rule: "world".
 */
#ifndef SHOAL_QUERY_QUERY_TEXT_H
#define SHOAL_QUERY_QUERY_TEXT_H

#include <shoal/query.h>

#include "../base/memory.h"

#define QUERY_TEXT_BYTES_MAX ((size_t)64 * 1024)
#define QUERY_TEXT_FIELD_BYTES 256

typedef struct query_text {
    shoal_term *terms; /* NULL when there are none */
    size_t term_count;
    shoal_component order_by;                 /* null: not ordered */
    char order_field[QUERY_TEXT_FIELD_BYTES]; /* empty: not ordered */
    bool descending;
    shoal_component group_by; /* null: not grouped */
    bool groups_descending;
    memory_array term_array; /* holds `terms` */
    memory_array place_array;
    size_t *places; /* where each term names its component, in bytes from the beginning of the text */
    size_t order_place, group_place;
} query_text;

/*
 * Reads `text`, which ends with a zero. A failure leaves `parsed` empty and is stored in the world for `call`:
 * TEXT_INVALID, COMPONENT_INVALID (no such type), NOT_FOUND (no entity at a path), INVALID_ARGUMENT (no text),
 * OUT_OF_MEMORY, MEMORY_LIMIT. The entities of handles are not looked up: they may be dead or foreign.
 */
shoal_status query_text_parse(shoal_world *world, const char *text, query_text *parsed, const char *call);

/* Adds to the error that is stored, of a query that was made of the text, which byte it is about. */
void query_text_blame(shoal_world *world, const char *text, size_t place, const char *call);

/* Gives back what a parse has made; an empty `parsed` is fine. */
void query_text_release(shoal_world *world, query_text *parsed);

#endif
