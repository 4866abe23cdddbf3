/*
 * Animated WebP through libwebp's encoder of animations (libwebpmux).
 *
 * Each pixel of the film is the mean of four of the frame. The pictures are noise to a codec, each ball on its own
 * way, so the quality is moderate: 60 frames of 480 by 480 stay below 3 MB.
 * Thread rule: one thread at a time for each film.
 */
#include "film.h"

#include "message.h"
#include "output.h"

#include <errno.h>
#include <string.h>

#include <webp/encode.h>
#include <webp/mux.h>

#define FRAME_MILLISECONDS 66
#define LAST_FRAME_MILLISECONDS 1000
#define QUALITY 12.0F

bool film_is_supported(void) {
    return true;
}

static bool fail(const char *problem) {
    message_error("cannot make %s: %s", FILM_NAME, problem);
    return false;
}

bool film_begin(bounce_film *film, const bounce_frame *frame) {
    *film = (bounce_film){.width = frame->width / 2, .height = frame->height / 2};
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options)) {
        return fail("another version of libwebp");
    }
    film->encoder = WebPAnimEncoderNew(film->width, film->height, &options);
    return film->encoder != NULL || fail("out of memory");
}

static uint32_t channel_sum(uint32_t a, uint32_t b, unsigned shift) {
    return (a >> shift & 0xFFu) + (b >> shift & 0xFFu);
}

static uint32_t mean(const uint32_t *upper, const uint32_t *lower) {
    uint32_t result = 0xFF000000u;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        uint32_t sum = channel_sum(upper[0], upper[1], shift) + channel_sum(lower[0], lower[1], shift);
        result |= (sum + 2) / 4 << shift;
    }
    return result;
}

static void halve(const bounce_frame *frame, WebPPicture *picture) {
    for (int y = 0; y < picture->height; y++) {
        const uint32_t *upper = frame->pixels + (size_t)(2 * y) * (size_t)frame->width;
        const uint32_t *lower = upper + frame->width;
        uint32_t *to = picture->argb + (ptrdiff_t)y * picture->argb_stride;
        for (int x = 0; x < picture->width; x++) {
            to[x] = mean(upper + (ptrdiff_t)2 * x, lower + (ptrdiff_t)2 * x);
        }
    }
}

bool film_add(bounce_film *film, const bounce_frame *frame) {
    WebPPicture picture;
    WebPConfig config;
    if (!WebPPictureInit(&picture) || !WebPConfigPreset(&config, WEBP_PRESET_PICTURE, QUALITY)) {
        return fail("another version of libwebp");
    }
    picture.use_argb = 1;
    picture.width = film->width;
    picture.height = film->height;
    if (!WebPPictureAlloc(&picture)) {
        return fail("out of memory");
    }
    halve(frame, &picture);
    bool is_added = WebPAnimEncoderAdd(film->encoder, &picture, film->milliseconds, &config) != 0;
    film->milliseconds += FRAME_MILLISECONDS;
    WebPPictureFree(&picture);
    return is_added || fail(WebPAnimEncoderGetError(film->encoder));
}

static bool write_bytes(const WebPData *data, const char *directory) {
    output_file output;
    if (!output_open(&output, directory, FILM_NAME)) {
        return false;
    }
    errno = 0;
    bool is_written = fwrite(data->bytes, 1, data->size, output.file) == data->size;
    return is_written ? output_close(&output) : output_abandon(&output, strerror(errno != 0 ? errno : EIO));
}

bool film_write(bounce_film *film, const char *directory) {
    WebPData data;
    WebPDataInit(&data);
    int end = film->milliseconds - FRAME_MILLISECONDS + LAST_FRAME_MILLISECONDS;
    bool is_made =
        WebPAnimEncoderAdd(film->encoder, NULL, end, NULL) != 0 && WebPAnimEncoderAssemble(film->encoder, &data) != 0;
    bool is_written = is_made ? write_bytes(&data, directory) : fail(WebPAnimEncoderGetError(film->encoder));
    WebPDataClear(&data);
    return is_written;
}

void film_end(bounce_film *film) {
    WebPAnimEncoderDelete(film->encoder);
    film->encoder = NULL;
}
