/*
 * The classes that the Small-Body Database knows, from the Sun outwards, with colours that tell neighbours apart on a
 * dark ground.
 *
 * Classes that are not in the table get one of some spare colours by their index, so two of them may share a colour,
 * but the same file always gives the same picture.
 */
#include "palette.h"

#include <stdint.h>
#include <string.h>

typedef struct palette_entry {
    const char *code;
    const char *name;
    uint32_t colour; /* 0xRRGGBB */
} palette_entry;

static const palette_entry entries[] = {
    {"IEO", "Atira, inside the Earth's orbit", 0xFF4D6D},
    {"ATE", "Aten, near the Earth", 0xFF6B57},
    {"APO", "Apollo, near the Earth", 0xFF3838},
    {"AMO", "Amor, near the Earth", 0xFF5C8A},
    {"MCA", "Mars crossers", 0xE66BFF},
    {"IMB", "inner main belt", 0xFFF1A8},
    {"MBA", "main belt", 0xF6B74E},
    {"OMB", "outer main belt", 0xE9683A},
    {"TJN", "Trojans of Jupiter", 0x62D985},
    {"CEN", "Centaurs", 0x48D1E8},
    {"TNO", "beyond Neptune", 0x8195FF},
    {"AST", "other asteroids", 0xFFFFFF},
    {"HTC", "comets, Halley's kind", 0xB8F0E0},
    {"JFC", "comets, Jupiter's family", 0x9BE8C8},
};

static const uint32_t spare_colours[] = {0xC9D1D9, 0xB5E48C, 0xF4A6C0, 0x9AD1FF, 0xE2C28A, 0xC3A6FF};

static const palette_entry *find(const char *code) {
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].code, code) == 0) {
            return &entries[i];
        }
    }
    return NULL;
}

palette_colour palette_of_class(const char *code, size_t class_index) {
    const palette_entry *entry = find(code);
    size_t spares = sizeof spare_colours / sizeof spare_colours[0];
    uint32_t colour = entry != NULL ? entry->colour : spare_colours[class_index % spares];
    return (palette_colour){(colour >> 16 & 0xFF) / 255.0, (colour >> 8 & 0xFF) / 255.0, (colour & 0xFF) / 255.0};
}

const char *palette_class_name(const char *code) {
    const palette_entry *entry = find(code);
    return entry != NULL ? entry->name : "";
}
