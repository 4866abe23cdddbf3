/*
 * Writing SVG. Each call writes one element; errors of the stream are looked at once, at the end.
 *
 * Coordinates have two digits, so that a file is the same wherever it is made, as long as rounding is.
 * Thread rule: any; a file belongs to its caller.
 */
#define _POSIX_C_SOURCE 200809L

#include "svg.h"

#include "message.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- files ---- */

static bool directory_make(const char *directory) {
    if (mkdir(directory, 0777) == 0 || errno == EEXIST) {
        return true;
    }
    message_error("cannot make the directory %s: %s", directory, strerror(errno));
    return false;
}

bool svg_open(svg_file *svg, const char *directory, const char *name, svg_point size) {
    *svg = (svg_file){0};
    int length = snprintf(svg->path, sizeof svg->path, "%s/%s", directory, name);
    if (length < 0 || (size_t)length >= sizeof svg->path) {
        message_error("the path of %s in %s is too long", name, directory);
        return false;
    }
    if (!directory_make(directory)) {
        return false;
    }
    svg->file = fopen(svg->path, "wb");
    if (svg->file == NULL) {
        message_error("cannot write %s: %s", svg->path, strerror(errno));
        return false;
    }
    fprintf(svg->file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\">\n"
            "<style>text { font-family: 'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif; }</style>\n"
            "<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n",
            size.x, size.y, size.x, size.y, size.x, size.y);
    return true;
}

/* Only a regular file is removed: the name may lead to a device. */
static void remove_broken(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        remove(path);
    }
}

bool svg_close(svg_file *svg) {
    fputs("</svg>\n", svg->file);
    bool is_broken = ferror(svg->file) != 0;
    errno = is_broken ? EIO : 0;
    if (fclose(svg->file) == 0 && !is_broken) {
        return true;
    }
    message_error("cannot write %s: %s", svg->path, strerror(errno));
    remove_broken(svg->path);
    return false;
}

void svg_abandon(svg_file *svg) {
    fclose(svg->file);
    remove_broken(svg->path);
}

/* ---- elements ---- */

static void write_colour(svg_file *svg, const char *name, uint32_t colour) {
    if (colour == 0) {
        fprintf(svg->file, " %s=\"none\"", name);
    } else {
        fprintf(svg->file, " %s=\"#%06x\"", name, (unsigned)(colour & 0xFFFFFFu));
    }
}

static void write_style(svg_file *svg, const svg_style *style) {
    write_colour(svg, "fill", style->fill);
    if (style->stroke != 0) {
        write_colour(svg, "stroke", style->stroke);
        fprintf(svg->file, " stroke-width=\"%g\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
                style->width > 0 ? style->width : 1.0);
    }
    if (style->dash != NULL) {
        fprintf(svg->file, " stroke-dasharray=\"%s\"", style->dash);
    }
    if (style->opacity > 0 && style->opacity < 1) {
        fprintf(svg->file, " opacity=\"%g\"", style->opacity);
    }
    fputs("/>\n", svg->file);
}

void svg_line(svg_file *svg, svg_point from, svg_point to, const svg_style *style) {
    fprintf(svg->file, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", from.x, from.y, to.x, to.y);
    write_style(svg, style);
}

void svg_rectangle(svg_file *svg, svg_box box, double round, const svg_style *style) {
    fprintf(svg->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" rx=\"%g\"", box.x, box.y, box.width,
            box.height, round);
    write_style(svg, style);
}

void svg_circle(svg_file *svg, svg_point centre, double radius, const svg_style *style) {
    fprintf(svg->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", centre.x, centre.y, radius);
    write_style(svg, style);
}

static void write_points(svg_file *svg, const svg_point *points, size_t count) {
    fputs(" points=\"", svg->file);
    for (size_t i = 0; i < count; i++) {
        fprintf(svg->file, "%s%.2f,%.2f", i == 0 ? "" : " ", points[i].x, points[i].y);
    }
    fputs("\"", svg->file);
}

void svg_polygon(svg_file *svg, const svg_point *points, size_t count, const svg_style *style) {
    fputs("<polygon", svg->file);
    write_points(svg, points, count);
    write_style(svg, style);
}

void svg_polyline(svg_file *svg, const svg_point *points, size_t count, const svg_style *style) {
    fputs("<polyline", svg->file);
    write_points(svg, points, count);
    write_style(svg, style);
}

void svg_cross(svg_file *svg, svg_point centre, double reach, const svg_style *style) {
    svg_line(svg, (svg_point){centre.x - reach, centre.y - reach}, (svg_point){centre.x + reach, centre.y + reach},
             style);
    svg_line(svg, (svg_point){centre.x - reach, centre.y + reach}, (svg_point){centre.x + reach, centre.y - reach},
             style);
}

static void write_escaped(svg_file *svg, const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", svg->file);
            break;
        case '<':
            fputs("&lt;", svg->file);
            break;
        default:
            fputc(*text, svg->file);
        }
    }
}

void svg_text(svg_file *svg, svg_point at, const svg_font *font, const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(svg->file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\"", at.x, at.y, font->size,
            anchors[font->anchor]);
    write_colour(svg, "fill", font->colour);
    if (font->is_bold) {
        fputs(" font-weight=\"bold\"", svg->file);
    }
    if (font->halo != 0) {
        write_colour(svg, "stroke", font->halo);
        fputs(" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"", svg->file);
    }
    fputs(">", svg->file);
    write_escaped(svg, text);
    fputs("</text>\n", svg->file);
}

void svg_clip_begin(svg_file *svg, svg_box box) {
    svg->clip_count++;
    fprintf(svg->file,
            "<clipPath id=\"clip%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n",
            svg->clip_count, box.x, box.y, box.width, box.height);
    fprintf(svg->file, "<g clip-path=\"url(#clip%d)\">\n", svg->clip_count);
}

void svg_clip_end(svg_file *svg) {
    fputs("</g>\n", svg->file);
}

/* ---- measures ---- */

double svg_text_width(const svg_font *font, const char *text) {
    const double letter = font->is_bold ? 0.66 : 0.58; /* of the size, on the average of DejaVu Sans */
    return letter * font->size * (double)strlen(text);
}

static uint32_t channel_paler(uint32_t colour, unsigned shift, double part) {
    double value = (double)(colour >> shift & 0xFFu);
    return (uint32_t)(value + (255.0 - value) * part + 0.5) << shift;
}

uint32_t svg_paler(uint32_t colour, double part) {
    return SVG_COLOUR(channel_paler(colour, 16, part) | channel_paler(colour, 8, part) |
                      channel_paler(colour, 0, part));
}
