/*
 * The fixture of fixture.h.
 */
#include "fixture.h"

#include "components.h"
#include "test.h"

#include <stdio.h>

static void fixture_log(void *user, shoal_log_level level, const char *message) {
    fixture *f = user;
    assert_in_range(level, SHOAL_LOG_DEBUG, SHOAL_LOG_ERROR);
    f->log_count[level]++;
    snprintf(f->last_log, sizeof f->last_log, "%s", message);
}

void fixture_start(fixture *f, const shoal_world_def *def) {
    *f = (fixture){.owned_before = owned_tracker.live, .boxed_before = boxed_tracker.live};
    owned_tracker.error_count = 0;
    boxed_tracker.error_count = 0;
    shoal_world_def own = def != NULL ? *def : (shoal_world_def){0};
    own.allocator = fake_allocator_table(&f->fake);
    own.log = fixture_log;
    own.log_user = f;
    f->world = shoal_world_create(&own);
    assert_non_null(f->world);
    f->everything = shoal_query_create(f->world, &(shoal_query_def){.name = "everything"});
    assert_non_null(f->everything);
}

void fixture_end(fixture *f) {
    assert_valid(f->world);
    assert_ok(shoal_world_destroy(f->world));
    f->world = NULL;
    assert_nothing_leaked(&f->fake);
    assert_owned(&owned_tracker, f->owned_before);
    assert_owned(&boxed_tracker, f->boxed_before);
}

size_t fixture_total_bytes(const fixture *f) {
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f->world, &report));
    return report.total_bytes;
}
