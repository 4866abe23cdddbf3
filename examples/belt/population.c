/*
 * Spawning bodies and clones, and what the world needs beside them: queries, uniques, systems, workers.
 *
 * Bodies of one class with the same gaps in the catalogue share an archetype; their clones have one of their own, as
 * they lack Name and EarthDistance. The clones of a body are spawned in one call, which copies what they have in common
 * and lets fill_clones() write what they differ in.
 */
#define _POSIX_C_SOURCE 200809L

#include "population.h"

#include "kepler.h"
#include "message.h"
#include "systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void population_report_error(const belt_population *population) {
    message_error("%s", shoal_last_error(population->world).message);
}

static Motion motion_of(const orbit_elements *orbit, double start) {
    return (Motion){
        .mean_anomaly = orbit_mean_anomaly_at(orbit, start),
        .mean_motion = orbit_mean_motion(orbit->semi_major_axis),
        .eccentricity = orbit->eccentricity,
    };
}

static shoal_entity spawn_body(const belt_population *population, const catalogue_body *body) {
    Name name;
    memcpy(name.text, body->name, sizeof name.text);
    OrbitFrame frame = orbit_frame_of(&body->orbit);
    Motion motion = motion_of(&body->orbit, population->start);
    Magnitude magnitude = {body->magnitude};
    CatalogueDistance distance = {body->moid};
    shoal_value values[10] = {
        {SHOAL_ID(Name), &name},        {SHOAL_ID(Orbit), &body->orbit},
        {SHOAL_ID(OrbitFrame), &frame}, {SHOAL_ID(Motion), &motion},
        SHOAL_DEFAULT(Position),        SHOAL_DEFAULT(Velocity),
        SHOAL_DEFAULT(EarthDistance),   {population->class_tags[body->class_index], NULL},
    };
    size_t count = 8;
    if (!isnan(body->magnitude)) {
        values[count++] = (shoal_value){SHOAL_ID(Magnitude), &magnitude};
    }
    if (!isnan(body->moid)) {
        values[count++] = (shoal_value){SHOAL_ID(CatalogueDistance), &distance};
    }
    return shoal_spawn(population->world, values, count);
}

/* What the clones of a body differ in. */
typedef struct clone_source {
    Orbit orbit;
    Motion motion;
    double shift; /* of the mean anomaly from clone to clone, as a part of the circle */
} clone_source;

/* A shoal_fill_fn: columns are Orbit and Motion. */
static void fill_clones(void *user, size_t first, size_t count, const shoal_entity *entities, void *const *columns) {
    const clone_source *source = user;
    Orbit *orbit = columns[0];
    Motion *motion = columns[1];
    (void)entities;
    for (size_t i = 0; i < count; i++) {
        double shift = source->shift * (double)(first + i + 1);
        orbit[i] = source->orbit;
        orbit[i].mean_anomaly = fmod(source->orbit.mean_anomaly + 360.0 * shift, 360.0);
        motion[i] = source->motion;
        motion[i].mean_anomaly = remainder(source->motion.mean_anomaly + 2.0 * KEPLER_PI * shift, 2.0 * KEPLER_PI);
    }
}

static bool spawn_clones(const belt_population *population, const catalogue_body *body, shoal_entity original,
                         size_t clones) {
    clone_source source = {
        .orbit = body->orbit,
        .motion = motion_of(&body->orbit, population->start),
        .shift = 1.0 / (double)(clones + 1),
    };
    OrbitFrame frame = orbit_frame_of(&body->orbit);
    CloneOf clone_of = {original};
    Magnitude magnitude = {body->magnitude};
    shoal_value values[6] = {
        {SHOAL_ID(OrbitFrame), &frame},
        {SHOAL_ID(CloneOf), &clone_of},
        {population->class_tags[body->class_index], NULL},
        SHOAL_DEFAULT(Position),
        SHOAL_DEFAULT(Velocity),
        {SHOAL_ID(Magnitude), &magnitude},
    };
    shoal_spawn_many_def def = {
        .count = clones,
        .values = values,
        .value_count = isnan(body->magnitude) ? 5 : 6,
        .columns = (const shoal_value[]){SHOAL_DEFAULT(Orbit), SHOAL_DEFAULT(Motion)},
        .column_count = 2,
        .fill = fill_clones,
        .user = &source,
    };
    return shoal_spawn_many(population->world, &def) == SHOAL_OK;
}

/* Bodies first, so that their handles do not depend on the number of clones. */
static bool spawn_all(const belt_population *population, size_t clones) {
    const belt_catalogue *catalogue = population->catalogue;
    shoal_entity *entities = malloc(catalogue->body_count * sizeof *entities);
    if (entities == NULL) {
        message_error("out of memory for %zu bodies", catalogue->body_count);
        return false;
    }
    bool done = true;
    for (size_t i = 0; done && i < catalogue->body_count; i++) {
        entities[i] = spawn_body(population, &catalogue->bodies[i]);
        done = !shoal_entity_is_null(entities[i]);
    }
    for (size_t i = 0; done && clones > 0 && i < catalogue->body_count; i++) {
        done = spawn_clones(population, &catalogue->bodies[i], entities[i], clones);
    }
    free(entities);
    if (!done) {
        population_report_error(population);
    }
    return done;
}

static bool make_class_tags(belt_population *population) {
    const belt_catalogue *catalogue = population->catalogue;
    population->class_tags = calloc(catalogue->class_count, sizeof *population->class_tags);
    if (population->class_tags == NULL) {
        message_error("out of memory for %zu classes", catalogue->class_count);
        return false;
    }
    for (size_t i = 0; i < catalogue->class_count; i++) {
        population->class_tags[i] = class_tag(catalogue->classes[i].code);
        if (population->class_tags[i].id == 0) {
            message_error("%s", shoal_last_error(NULL).message);
            return false;
        }
    }
    return true;
}

/* Three quarters of the machine's memory, so that too many clones are an error and not the end of other programs;
   0, no limit, where the size is unknown. */
static size_t memory_limit(void) {
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (size_t)pages / 4 * 3 * (size_t)page_bytes : 0;
#else
    return 0;
#endif
}

static shoal_status make_queries(belt_population *population) {
    population->moving = shoal_query_create(
        population->world, &(shoal_query_def){.name = "moving", .terms = SHOAL_TERMS(SHOAL_READ(Position))});
    population->bodies = shoal_query_create(
        population->world,
        &(shoal_query_def){.name = "bodies",
                           .terms = SHOAL_TERMS(SHOAL_READ(Name), SHOAL_READ(Orbit), SHOAL_OPTIONAL(Magnitude),
                                                SHOAL_READ(EarthDistance), SHOAL_OPTIONAL(CatalogueDistance))});
    return population->moving != NULL && population->bodies != NULL ? SHOAL_OK
                                                                    : shoal_last_error(population->world).status;
}

static shoal_status make_uniques(const belt_population *population, const population_def *def) {
    const Calendar calendar = {
        .start = population->start,
        .step_hours = def->step_hours,
        .last_day = def->days,
        .steps = (int64_t)def->steps,
        .step = -1,
    };
    shoal_status status = shoal_unique_set(population->world, SHOAL_ID(Calendar), &calendar);
    status = status == SHOAL_OK ? shoal_unique_set(population->world, SHOAL_ID(Earth), NULL) : status;
    return status == SHOAL_OK ? SHOAL_UNIQUE_SET(population->world, Closest, .au = INFINITY) : status;
}

static shoal_status configure(shoal_world *world, uint32_t workers) {
    bool is_alone = workers == 1;
    return shoal_schedule_configure(world,
                                    &(shoal_schedule_def){.worker_count = is_alone ? 0 : workers, .alone = is_alone});
}

static bool make_world(belt_population *population, const population_def *def) {
    population->world = shoal_world_create(&(shoal_world_def){.name = "belt", .memory_limit = memory_limit()});
    if (population->world == NULL) {
        population_report_error(population);
        return false;
    }
    shoal_status status = make_queries(population);
    status = status == SHOAL_OK ? make_uniques(population, def) : status;
    status = status == SHOAL_OK ? systems_add(population->world) : status;
    status = status == SHOAL_OK ? configure(population->world, def->workers) : status;
    if (status != SHOAL_OK) {
        population_report_error(population);
    }
    return status == SHOAL_OK;
}

bool population_create(belt_population *population, const belt_catalogue *catalogue, const population_def *def) {
    *population = (belt_population){.catalogue = catalogue, .start = catalogue->latest_epoch};
    if (!make_class_tags(population) || !make_world(population, def) || !spawn_all(population, def->clones) ||
        !population_step(population)) {
        population_destroy(population);
        return false;
    }
    return true;
}

void population_destroy(belt_population *population) {
    shoal_world_destroy(population->world);
    free(population->class_tags);
    *population = (belt_population){0};
}

/* The systems go by the Calendar, not by the time that a step stands for. */
bool population_step(const belt_population *population) {
    bool done = shoal_world_step(population->world, 0) == SHOAL_OK;
    if (!done) {
        population_report_error(population);
    }
    return done;
}

bool population_hash(const belt_population *population, uint64_t *hash) {
    *hash = 0;
    shoal_status status = shoal_world_hash(population->world, SHOAL_HASH_CANONICAL, hash);
    bool done = status == SHOAL_OK || status == SHOAL_UNSUPPORTED;
    if (!done) {
        population_report_error(population);
    }
    return done;
}

size_t population_class_of(const belt_population *population, shoal_entity entity) {
    size_t index = 0;
    while (index + 1 < population->catalogue->class_count &&
           !shoal_has(population->world, entity, population->class_tags[index])) {
        index++;
    }
    return index;
}

shoal_query *population_class_query(const belt_population *population, size_t class_index, shoal_component component,
                                    bool with_clones) {
    const shoal_term terms[] = {
        {.component = component, .access = SHOAL_ACCESS_READ},
        {.component = population->class_tags[class_index], .access = SHOAL_ACCESS_WITH},
        SHOAL_WITHOUT(CloneOf),
    };
    shoal_query *query =
        shoal_query_create(population->world, &(shoal_query_def){.terms = terms, .term_count = with_clones ? 2 : 3});
    if (query == NULL) {
        population_report_error(population);
    }
    return query;
}
