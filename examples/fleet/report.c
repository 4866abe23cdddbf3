/*
 * Text: each ship with its children and grandchildren by ChildOf and the targets of Holds, faction by faction.
 *
 * The walks over children, targets and sources read only, so they work while a view is open.
 * Thread rule: one thread at a time for each scene.
 */
#include "report.h"

#include "bearing.h"
#include "systems.h"

#include <inttypes.h>
#include <stdio.h>

#define DEGREES(angle) ((double)(angle)*180.0 / (double)BEARING_PI)

#define PATH_BYTES 128

static const char *name_of(const shoal_world *world, shoal_entity entity) {
    const char *name = shoal_name(world, entity);
    return name != NULL ? name : "(no name)";
}

/* ---- the tree ---- */

static void print_place(const fleet_scene *scene, shoal_entity entity, int indent) {
    const WorldTransform *place = SHOAL_GET(scene->world, entity, WorldTransform);
    printf("%*s%-*s at (%6.1f, %6.1f) turned %4.0f", indent, "", 14 - indent, name_of(scene->world, entity),
           (double)place->x, (double)place->y, DEGREES(place->angle));
}

static void print_gun(const fleet_scene *scene, shoal_entity gun) {
    print_place(scene, gun, 6);
    printf("  damage %.0f\n", (double)SHOAL_GET(scene->world, gun, Gun)->damage);
}

static void print_turret(const fleet_scene *scene, shoal_entity turret) {
    char path[PATH_BYTES];
    shoal_entity target = shoal_target(scene->world, turret, SHOAL_ID(AimsAt));
    print_place(scene, turret, 4);
    if (!shoal_entity_is_null(target)) {
        shoal_path(scene->world, target, path, sizeof path);
        printf("  aims at %s", path);
    }
    printf("\n");
    shoal_source_walk guns = shoal_children(scene->world, turret);
    while (shoal_sources_next(&guns)) {
        for (size_t i = 0; i < guns.count; i++) {
            print_gun(scene, guns.entities[i]);
        }
    }
}

static void print_holdings(const fleet_scene *scene, shoal_entity ship) {
    const char *before = "    holds ";
    shoal_target_walk held = shoal_targets(scene->world, ship, SHOAL_ID(Holds));
    while (shoal_targets_next(&held)) {
        printf("%s%s %d", before, name_of(scene->world, held.target), ((const Holds *)held.data)->count);
        before = ", ";
    }
    printf("\n");
}

static void print_ship(const fleet_scene *scene, const shoal_view *view, size_t row) {
    shoal_entity ship = view->entities[row];
    const Hull *hull = SHOAL_COLUMN(view, Hull) + row;
    shoal_buffer path = shoal_view_buffer(view, SHOAL_ID(Waypoint), row);
    print_place(scene, ship, 2);
    printf("  %s, hull %.0f of %.0f, %s%s, %zu points of path%s\n",
           name_of(scene->world, shoal_target(scene->world, ship, SHOAL_ID(BuiltTo))), (double)hull->points,
           (double)hull->full, shoal_is_enabled(scene->world, ship, SHOAL_ID(Sleeping)) ? "asleep" : "awake",
           SHOAL_AT(view, Damaged, row) != NULL ? ", smoking" : "", shoal_buffer_count(path),
           shoal_buffer_is_on_heap(path) ? " on the heap" : "");
    print_holdings(scene, ship);
    shoal_source_walk turrets = shoal_children(scene->world, ship);
    while (shoal_sources_next(&turrets)) {
        for (size_t i = 0; i < turrets.count; i++) {
            print_turret(scene, turrets.entities[i]);
        }
    }
}

static shoal_status print_losses(fleet_scene *scene) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.lost);
    while (shoal_view_next(&view)) {
        const ShipLog *log = SHOAL_COLUMN(&view, ShipLog);
        for (size_t i = 0; i < view.count; i++) {
            printf("dying: %s of %s, last entry at second %d; the loss is not noted yet\n", log[i].name,
                   log[i].faction.name, log[i].second);
        }
    }
    if (status != SHOAL_OK) {
        return status;
    }
    status = shoal_view_begin(&view, scene->query.wrecks);
    while (shoal_view_next(&view)) {
        const Wreck *wreck = SHOAL_COLUMN(&view, Wreck);
        for (size_t i = 0; i < view.count; i++) {
            printf("wreck: %s of %s, last entry at second %d, noted at second %d\n", wreck[i].log.name,
                   wreck[i].log.faction.name, wreck[i].log.second, wreck[i].noted);
        }
    }
    return status;
}

shoal_status report_tree(fleet_scene *scene, const char *title) {
    printf("%s: second %d, %" PRIu64 " entities, angles in degrees\n", title, SHOAL_UNIQUE(scene->world, Clock)->second,
           shoal_world_entity_count(scene->world));
    uint64_t group = UINT64_MAX;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.ships);
    while (shoal_view_next(&view)) {
        if (shoal_view_group(&view) != group) {
            group = shoal_view_group(&view);
            printf("%s\n", SHOAL_ONE(&view, Faction)->name);
        }
        for (size_t i = 0; i < view.count; i++) {
            print_ship(scene, &view, i);
        }
    }
    status = status == SHOAL_OK ? print_losses(scene) : status;
    printf("\n");
    return status;
}

/* ---- the summary ---- */

typedef struct faction_sum {
    const Faction *faction; /* NULL before the first group */
    size_t ships;
    float points, full;
    Bounds bounds;
} faction_sum;

static void print_sum(const faction_sum *sum) {
    if (sum->faction != NULL) {
        printf("  %-8s %zu ships, hulls %4.0f of %4.0f, spread over %4.0f by %4.0f m\n", sum->faction->name, sum->ships,
               (double)sum->points, (double)sum->full, (double)(sum->bounds.right - sum->bounds.left),
               (double)(sum->bounds.bottom - sum->bounds.top));
    }
}

/* One pass: the query puts the ships of a faction together, so a sum is done when the faction changes. */
static shoal_status print_factions(fleet_scene *scene) {
    faction_sum sum = {0};
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.ships);
    while (shoal_view_next(&view)) {
        const Faction *faction = SHOAL_ONE(&view, Faction);
        const Bounds *bounds = SHOAL_ONE(&view, Bounds);
        const Hull *hull = SHOAL_COLUMN(&view, Hull);
        if (faction != sum.faction) {
            print_sum(&sum);
            sum = (faction_sum){.faction = faction, .bounds = *bounds};
        }
        for (size_t i = 0; i < view.count; i++) {
            sum.ships++;
            sum.points += hull[i].points;
            sum.full += hull[i].full;
        }
    }
    print_sum(&sum);
    return status;
}

/* The query is ordered by the hull's points, so the first rows are the answer. */
static shoal_status print_weakest(fleet_scene *scene) {
    size_t shown = 0;
    const size_t most = 3;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.weakest);
    printf("weakest:");
    while (shown < most && shoal_view_next(&view)) {
        const Hull *hull = SHOAL_COLUMN(&view, Hull);
        const ShipLog *log = SHOAL_COLUMN(&view, ShipLog);
        for (size_t i = 0; i < view.count && shown < most; i++, shown++) {
            printf("%s %s (%.0f)", shown == 0 ? "" : ",", log[i].name, (double)hull[i].points);
        }
    }
    shoal_view_end(&view);
    printf("\n");
    return status;
}

/* From the other end of the relation: for each item, who holds it. */
static void print_item(const shoal_world *world, shoal_entity item, float weight) {
    shoal_component holds = SHOAL_ID(Holds);
    int sum = 0;
    shoal_source_walk holders = shoal_sources(world, holds, item);
    while (shoal_sources_next(&holders)) {
        for (size_t i = 0; i < holders.count; i++) {
            sum += ((const Holds *)shoal_relation_get(world, holders.entities[i], holds, item))->count;
        }
    }
    printf("  %-8s %4d on %zu ships, %6.1f kg\n", name_of(world, item), sum, shoal_source_count(world, holds, item),
           (double)weight * sum);
}

static shoal_status print_items(fleet_scene *scene) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.items);
    while (shoal_view_next(&view)) {
        const Item *item = SHOAL_COLUMN(&view, Item);
        for (size_t i = 0; i < view.count; i++) {
            print_item(scene->world, view.entities[i], item[i].weight);
        }
    }
    return status;
}

/* Without what systems need to run, which depends on the number of workers. */
static size_t data_bytes(const shoal_memory_report *memory) {
    const size_t *bytes = memory->purpose_bytes;
    return memory->total_bytes - bytes[SHOAL_PURPOSE_SCHEDULE] - bytes[SHOAL_PURPOSE_COMMAND] -
           bytes[SHOAL_PURPOSE_SCRATCH];
}

static shoal_status print_memory(const fleet_scene *scene) {
    shoal_memory_report memory;
    shoal_status status = shoal_world_memory(scene->world, &memory);
    if (status == SHOAL_OK) {
        printf("memory: %zu bytes for %" PRIu64 " entities, %" PRIu64 " relations, %" PRIu64 " sparse values, %" PRIu64
               " shared values, %" PRIu64 " dying, %" PRIu64 " paths on the heap\n",
               data_bytes(&memory), memory.entity_count, memory.relation_count, memory.sparse_count,
               memory.shared_value_count, memory.dying_count, memory.buffer_heap_count);
    }
    return status;
}

shoal_status report_summary(fleet_scene *scene) {
    const Score *score = SHOAL_UNIQUE(scene->world, Score);
    uint64_t commands = 0, dropped = 0;
    systems_count_commands(scene, &commands, &dropped);
    printf("after %d seconds: %d shots, %d hits, %d sunk, %d woken, %d points of paths reached; %" PRIu64
           " commands, %" PRIu64 " dropped\n",
           SHOAL_UNIQUE(scene->world, Clock)->second, score->shots, score->hits, score->sunk, score->woken,
           score->points_reached, commands, dropped);
    shoal_status status = print_factions(scene);
    status = status == SHOAL_OK ? print_weakest(scene) : status;
    status = status == SHOAL_OK ? print_items(scene) : status;
    return status == SHOAL_OK ? print_memory(scene) : status;
}

shoal_status report_refusal(fleet_scene *scene) {
    shoal_entity pattern = shoal_query_first(scene->query.patterns);
    shoal_status status = shoal_destroy(scene->world, pattern);
    if (status == SHOAL_OK) {
        printf("no ship is built to the first prefab any more, so it could be destroyed\n");
    } else if (status == SHOAL_TARGET_HELD) {
        printf("refused: %s\n", shoal_last_error(scene->world).message);
        return SHOAL_OK;
    }
    return status;
}
