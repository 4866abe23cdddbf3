/*
 * Fleet: ships with turrets and guns, three factions, paths, holdings and losses; an example of every kind of
 * component.
 *
 *     components.c   the types                  scene.c    the world and all queries
 *     ships.c        prefabs, names, copies     systems.c  the order of the systems
 *     sail.c, gunnery.c, place.c, losses.c      the systems
 *     report.c       what is printed
 *     map.c          fleet.svg, with marks.c, labels.c and svg.c
 *     tree.c         fleet_tree.svg
 *
 * The same seed and number of steps give the same course of events, text and pictures.
 */
#include "map.h"
#include "message.h"
#include "options.h"
#include "report.h"
#include "systems.h"
#include "tree.h"

const char message_program[] = "fleet";

enum { EXIT_DONE, EXIT_FAILED, EXIT_ARGUMENTS };

typedef struct fleet_pictures {
    svg_file map, tree;
    tree_rows rows;
} fleet_pictures;

static bool pictures_open(fleet_pictures *pictures, const char *directory) {
    if (!svg_open(&pictures->map, directory, "fleet.svg", map_size)) {
        return false;
    }
    if (!svg_open(&pictures->tree, directory, "fleet_tree.svg", tree_size)) {
        svg_abandon(&pictures->map);
        return false;
    }
    return true;
}

static bool pictures_close(fleet_pictures *pictures, bool keep) {
    if (!keep) {
        svg_abandon(&pictures->map);
        svg_abandon(&pictures->tree);
        return false;
    }
    bool is_map_whole = svg_close(&pictures->map);
    bool is_tree_whole = svg_close(&pictures->tree);
    return is_map_whole && is_tree_whole;
}

static shoal_status show_before(fleet_scene *scene, fleet_pictures *pictures) {
    shoal_status status = report_tree(scene, "before");
    status = status == SHOAL_OK ? map_begin(&pictures->map, scene) : status;
    return status == SHOAL_OK ? tree_begin(&pictures->tree, scene, &pictures->rows) : status;
}

static shoal_status show_after(fleet_scene *scene, fleet_pictures *pictures) {
    shoal_status status = report_tree(scene, "after");
    status = status == SHOAL_OK ? report_summary(scene) : status;
    status = status == SHOAL_OK ? report_refusal(scene) : status;
    status = status == SHOAL_OK ? map_end(&pictures->map, scene) : status;
    status = status == SHOAL_OK ? tree_end(&pictures->tree, scene, &pictures->rows) : status;
    return status == SHOAL_OK ? shoal_world_validate(scene->world) : status;
}

static shoal_status run(fleet_scene *scene, const fleet_options *options, fleet_pictures *pictures) {
    shoal_status status = scene_create(scene, options->seed);
    status = status == SHOAL_OK ? systems_prepare(scene, options->workers) : status;
    status = status == SHOAL_OK ? show_before(scene, pictures) : status;
    for (int step = 0; status == SHOAL_OK && step < options->steps; step++) {
        status = systems_step(scene);
    }
    return status == SHOAL_OK ? show_after(scene, pictures) : status;
}

/* Without a world it was a type or the world itself that could not be made, and NULL has the last error. */
static bool run_all(const fleet_options *options) {
    fleet_scene scene;
    fleet_pictures pictures;
    if (!pictures_open(&pictures, options->output_directory)) {
        return false;
    }
    shoal_status status = run(&scene, options, &pictures);
    if (status != SHOAL_OK) {
        message_error("%s", shoal_last_error(scene.world).message);
    }
    scene_destroy(&scene);
    return pictures_close(&pictures, status == SHOAL_OK);
}

int main(int argc, char **argv) {
    fleet_options options;
    options_result parsed = options_parse(&options, argc, argv);
    if (parsed != OPTIONS_RUN) {
        return parsed == OPTIONS_HELP ? (message_flush_output() ? EXIT_DONE : EXIT_FAILED) : EXIT_ARGUMENTS;
    }
    if (!run_all(&options)) {
        return EXIT_FAILED;
    }
    printf("wrote %s/fleet.svg and %s/fleet_tree.svg\n", options.output_directory, options.output_directory);
    return message_flush_output() ? EXIT_DONE : EXIT_FAILED;
}
