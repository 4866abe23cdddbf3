/*
 * Queries as text, at random: terms that are written as text in one of many ways read back as they were, every
 * allocation of a reading can fail, and random bytes, random tokens and broken valid texts break nothing.
 */
#include "test_query_text.h"

/* ---- memory ---- */

static const char *const valid_texts[] = {
    "write Spot, read Speed, without Asleep, any(Player | Ally), optional ChildOf(up) Spot",
    "any write(Spot | Speed), with disabled Shield, without Docked(down) \"read\" order by Spot.x desc",
    "with Owner(*), with Docked(3:1), Holds(7:65535@12), Spot group by ChildOf desc order by Body.spot.y",
    "with Team(id = -3, side = \"nor\\\"th\", is_hostile = true), Spot, Speed, Body, Player group by Team",
    "Setup(i8 = -128, u64 = 18446744073709551615, f32 = 1.5e-3, leader = 5:2), Team(is_hostile = false)",
    "Setup(part.spot.x = 2, parts[1].weight = 4, numbers[2] = 9, up = 1, leader = 3:0@1), Spot",
};

#define VALID_COUNT (sizeof valid_texts / sizeof *valid_texts)

static void test_every_allocation_can_fail(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (size_t i = 0; i < VALID_COUNT; i++) {
        size_t before = fixture_total_bytes(&f);
        size_t failed_count = 0;
        for (size_t n = 1;; n++) {
            query_text parsed;
            test_set_context("text %zu, allocation %zu", i, n);
            fake_allocator_arm(&f.fake, n, false);
            shoal_status status = query_text_parse(f.world, valid_texts[i], &parsed, CALL);
            if (!fake_allocator_disarm(&f.fake)) {
                assert_ok(status);
                query_text_release(f.world, &parsed);
                break;
            }
            failed_count++;
            assert_status(status, SHOAL_OUT_OF_MEMORY);
            assert_last_error(f.world, SHOAL_OUT_OF_MEMORY);
            assert_null(parsed.terms);
            assert_count(fixture_total_bytes(&f), before);
        }
        assert_true(failed_count >= 2);
        assert_count(fixture_total_bytes(&f), before);
    }
    fixture_end(&f);
}

/* ---- round trips ---- */

typedef struct written {
    char text[4096];
    size_t size;
    rng *random;
} written;

/* With blanks before it, sometimes. */
static void put(written *w, const char *token) {
    static const char *const blanks[] = {"", " ", "\t", "\n  "};
    w->size +=
        (size_t)snprintf(w->text + w->size, sizeof w->text - w->size, "%s%s", blanks[rng_below(w->random, 4)], token);
    assert_true(w->size < sizeof w->text);
}

/* Words need a blank between them. */
static void put_word(written *w, const char *word) {
    w->size += (size_t)snprintf(w->text + w->size, sizeof w->text - w->size, " %s", word);
    assert_true(w->size < sizeof w->text);
}

static void put_component(written *w, shoal_component component) {
    char quoted[600] = "\"";
    const char *name = shoal_component_info(component)->name;
    size_t used = 1;
    for (; *name != '\0'; name++) {
        if (*name == '"' || *name == '\\') {
            quoted[used++] = '\\';
        }
        quoted[used++] = *name;
    }
    quoted[used] = '"';
    quoted[used + 1] = '\0';
    name = shoal_component_info(component)->name;
    bool must_quote = component.id == odd.id || component.id == keyword.id || component.id == umlaut.id;
    put_word(w, must_quote || rng_chance(w->random, 10) ? quoted : name);
}

static void put_format(written *w, const char *format, long long number) {
    char text[64];
    snprintf(text, sizeof text, format, number);
    put(w, text);
}

static void put_team(written *w, const Team *team) {
    char quoted[16];
    put(w, "(");
    if (team->id != 0 || rng_chance(w->random, 50)) {
        put(w, "id"), put(w, "="), put_format(w, "%lld", team->id), put(w, ",");
    }
    put(w, "is_hostile"), put(w, "="), put(w, team->is_hostile ? "true" : "false"), put(w, ",");
    snprintf(quoted, sizeof quoted, "\"%.11s\"", team->side);
    put(w, "side"), put(w, "="), put(w, quoted), put(w, ")");
}

static void put_target(written *w, shoal_entity target) {
    put(w, "(");
    if (shoal_entity_is_null(target)) {
        put(w, "*");
    } else {
        put_format(w, "%lld", shoal_entity_index(target)), put(w, ":");
        put_format(w, "%lld", shoal_entity_generation(target)), put(w, "@");
        put_format(w, "%lld", shoal_entity_world_tag(target));
    }
    put(w, ")");
}

static void put_subject(written *w, const shoal_term *term) {
    static const char *const states[] = {"enabled", "disabled", "either"};
    if (term->state != SHOAL_STATE_ENABLED || rng_chance(w->random, 20)) {
        put_word(w, states[term->state]);
    }
    if (term->traverse != SHOAL_TRAVERSE_SELF) {
        put_component(w, term->along);
        put(w, "("), put(w, term->traverse == SHOAL_TRAVERSE_UP ? "up" : "down"), put(w, ")");
    }
    put_component(w, term->component);
    if (term->value != NULL) {
        put_team(w, term->value);
    } else if (!shoal_entity_is_null(term->target)) {
        put_target(w, term->target);
    }
}

static shoal_term random_term(rng *random, Team *team) {
    const shoal_component plain[] = {SHOAL_ID(Spot), SHOAL_ID(Shield), SHOAL_ID(Asleep), odd, keyword, umlaut};
    const shoal_component relations[] = {SHOAL_ID(Owner), SHOAL_ID(Docked), SHOAL_ID(ChildOf), SHOAL_ID(Holds)};
    shoal_term term = {.access = (shoal_access)(1 + rng_below(random, 6)), .state = (shoal_state)rng_below(random, 3)};
    if (rng_chance(random, 30)) {
        term.traverse = rng_chance(random, 50) ? SHOAL_TRAVERSE_UP : SHOAL_TRAVERSE_DOWN;
        term.along = relations[1 + rng_below(random, 2)];
    }
    switch (rng_below(random, 3)) {
    case 0:
        term.component = plain[rng_below(random, 6)];
        break;
    case 1:
        term.component = relations[rng_below(random, 4)];
        if (rng_chance(random, 60)) {
            term.target = handle_of(rng_next(random) >> 32, rng_below(random, 65536), rng_below(random, 32768));
        }
        break;
    default:
        memset(team, 0, sizeof *team);
        team->id = (int32_t)rng_next(random);
        team->is_hostile = rng_chance(random, 50);
        for (size_t i = rng_below(random, 12); i > 0; i--) {
            team->side[i - 1] = (char)('a' + rng_below(random, 26));
        }
        term.component = SHOAL_ID(Team);
        term.value = rng_chance(random, 80) ? team : NULL;
    }
    return term;
}

/* Terms of one any group must follow each other, as they do in the text. */
static size_t random_terms(rng *random, shoal_term *terms, Team *teams) {
    size_t count = 0;
    uint32_t group = 0;
    for (size_t parts = rng_below(random, 6); parts > 0; parts--) {
        if (rng_chance(random, 70)) {
            terms[count] = random_term(random, &teams[count]);
            count++;
            continue;
        }
        shoal_access access = rng_chance(random, 50) ? SHOAL_ACCESS_ANY_READ : SHOAL_ACCESS_ANY_WRITE;
        group++;
        for (size_t members = 1 + rng_below(random, 3); members > 0; members--) {
            terms[count] = random_term(random, &teams[count]);
            terms[count].access = access;
            terms[count].group = group;
            count++;
        }
    }
    return count;
}

static void put_terms(written *w, const shoal_term *terms, size_t term_count) {
    static const char *const words[] = {"", "read", "write", "with", "without", "optional", "optional write"};
    for (size_t i = 0; i < term_count; i++) {
        bool is_first = i == 0 || terms[i - 1].group != terms[i].group || terms[i].group == 0;
        if (i > 0) {
            put(w, is_first ? "," : "|");
        }
        if (terms[i].group == 0) {
            bool may_drop = terms[i].access == SHOAL_ACCESS_READ && rng_chance(w->random, 50);
            put_word(w, may_drop ? "" : words[terms[i].access]);
        } else if (is_first) {
            put_word(w, terms[i].access == SHOAL_ACCESS_ANY_READ ? "any" : "any write");
            put(w, "(");
        }
        put_subject(w, &terms[i]);
        if (terms[i].group != 0 && (i + 1 == term_count || terms[i + 1].group != terms[i].group)) {
            put(w, ")");
        }
    }
}

static void test_round_trip(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rng random = {test_environment("SHOAL_SEED", 1)};
    uint64_t rounds = test_environment("SHOAL_ROUNDS", 5000);
    for (uint64_t round = 0; round < rounds; round++) {
        shoal_term terms[32];
        Team teams[32];
        written w = {.random = &random};
        w.text[0] = '\0';
        size_t term_count = random_terms(&random, terms, teams);
        put_terms(&w, terms, term_count);
        check_terms(&f, w.text, terms, term_count);
    }
    fixture_end(&f);
}

/* ---- random texts ---- */

/* What was read is whole, or nothing is left of it and the message fits into a line. */
static void check_robust(fixture *f, const char *text) {
    query_text parsed;
    shoal_status status = read_copy(f, text, &parsed);
    if (status == SHOAL_OK) {
        for (size_t i = 0; i < parsed.term_count; i++) {
            assert_non_null(shoal_component_info(parsed.terms[i].component));
            assert_true(parsed.terms[i].access != SHOAL_ACCESS_NONE);
        }
        query_text_release(f->world, &parsed);
        return;
    }
    assert_true(status == SHOAL_TEXT_INVALID || status == SHOAL_COMPONENT_INVALID || status == SHOAL_NOT_FOUND);
    assert_count(parsed.term_count, 0);
    assert_null(parsed.terms);
    assert_last_error(f->world, status);
    const char *message = shoal_last_error(f->world).message;
    assert_non_null(strstr(message, " at "));
    assert_int_equal(message[strlen(message) - 1], '"');
    for (; *message != '\0'; message++) {
        assert_true((unsigned char)*message >= 0x20);
    }
}

static void random_bytes(rng *random, char *text, size_t size) {
    size_t count = rng_below(random, (uint32_t)size);
    for (size_t i = 0; i < count; i++) {
        text[i] = (char)(1 + rng_below(random, 255));
    }
    text[count] = '\0';
}

static void random_tokens(rng *random, char *text, size_t size) {
    static const char *const tokens[] = {"read",
                                         "write",
                                         "with",
                                         "without",
                                         "optional",
                                         "any",
                                         "enabled",
                                         "disabled",
                                         "either",
                                         "up",
                                         "down",
                                         "order",
                                         "by",
                                         "group",
                                         "desc",
                                         "Spot",
                                         "Body",
                                         "Player",
                                         "Shield",
                                         "Owner",
                                         "Docked",
                                         "ChildOf",
                                         "Team",
                                         "Setup",
                                         "Blob",
                                         "(",
                                         ")",
                                         ",",
                                         "|",
                                         "*",
                                         ":",
                                         "@",
                                         "=",
                                         ".",
                                         "[",
                                         "]",
                                         "id",
                                         "side",
                                         "is_hostile",
                                         "part",
                                         "parts",
                                         "spot",
                                         "x",
                                         "numbers",
                                         "3",
                                         "-1",
                                         "1.5e3",
                                         "true",
                                         "false",
                                         "\"Spot\"",
                                         "\"a/b\"",
                                         "\"",
                                         "\\",
                                         "\xC3\xB6",
                                         "\xFF",
                                         "(up)",
                                         "(down)",
                                         "(*)",
                                         "(id = 3)",
                                         "any(",
                                         " ",
                                         "\n",
                                         "f32",
                                         "leader",
                                         "nobody",
                                         "65536",
                                         "order by Spot.x",
                                         "group by Team",
                                         "?",
                                         "\"\\\""};
    size_t used = 0;
    for (size_t i = rng_below(random, 24); i > 0 && used < size; i--) {
        const char *token = tokens[rng_below(random, sizeof tokens / sizeof *tokens)];
        used += (size_t)snprintf(text + used, size - used, "%s%s", rng_chance(random, 80) ? " " : "", token);
    }
    text[used < size ? used : size - 1] = '\0';
}

/* Takes bytes away, puts some in, doubles or changes them, in one of the valid texts. */
static void mutated_text(rng *random, char *text, size_t size) {
    static const char bytes[] = " ,()|*:@=.[]\"\\-09eEaZ_\n\t\x01\xFF";
    snprintf(text, size, "%s", valid_texts[rng_below(random, VALID_COUNT)]);
    for (size_t changes = 1 + rng_below(random, 4); changes > 0; changes--) {
        size_t length = strlen(text);
        size_t at = rng_below(random, (uint32_t)length + 1);
        size_t count = rng_below(random, 8);
        count = count < length - at ? count : length - at;
        switch (rng_below(random, 4)) {
        case 0:
            memmove(text + at, text + at + count, length - at - count + 1);
            break;
        case 1:
            if (length + count < size) {
                memmove(text + at + count, text + at, length - at + 1);
            }
            break;
        case 2:
            text[at] = bytes[rng_below(random, sizeof bytes)]; /* its end too: the text is cut there */
            text[length] = '\0';
            break;
        default:
            snprintf(text + at, size - at, "%s", valid_texts[rng_below(random, VALID_COUNT)]);
        }
    }
}

static void check_random(void (*make)(rng *random, char *text, size_t size), const char *name) {
    fixture f;
    fixture_start(&f, NULL);
    size_t before = fixture_total_bytes(&f);
    rng random = {test_environment("SHOAL_SEED", 1)};
    uint64_t rounds = test_environment("SHOAL_ROUNDS", 100000);
    for (uint64_t round = 0; round < rounds; round++) {
        char text[512];
        make(&random, text, sizeof text);
        test_set_context("%s, round %llu: %.180s", name, (unsigned long long)round, text);
        check_robust(&f, text);
        assert_count(fixture_total_bytes(&f), before);
    }
    fixture_end(&f);
}

static void test_random_bytes(void **state) {
    (void)state;
    check_random(random_bytes, "bytes");
}

static void test_random_tokens(void **state) {
    (void)state;
    check_random(random_tokens, "tokens");
}

static void test_mutated_texts(void **state) {
    (void)state;
    check_random(mutated_text, "mutated");
}

int main(void) {
    types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_can_fail),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_random_tokens),
        cmocka_unit_test(test_mutated_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
