/*
 * Opening, closing and cleaning up of output files. Directories need POSIX; everything else is standard C.
 *
 * A broken file is removed, so that a half-written table is never taken for a whole one. Only a regular file is
 * removed: the name may lead to a device.
 */
#define _POSIX_C_SOURCE 200809L

#include "output.h"

#include "message.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_prepare(const char *directory) {
    struct stat status;
    if (stat(directory, &status) != 0) {
        if (errno == ENOENT && mkdir(directory, 0777) == 0) {
            return true;
        }
        message_error("cannot make the directory %s: %s", directory, strerror(errno));
        return false;
    }
    if (!S_ISDIR(status.st_mode)) {
        message_error("cannot write into %s: %s", directory, strerror(ENOTDIR));
        return false;
    }
    if (access(directory, W_OK | X_OK) != 0) {
        message_error("cannot write into %s: %s", directory, strerror(errno));
        return false;
    }
    return true;
}

bool output_open(output_file *output, const char *directory, const char *name) {
    int length = snprintf(output->path, sizeof output->path, "%s/%s", directory, name);
    output->file = NULL;
    if (length < 0 || (size_t)length >= sizeof output->path) {
        message_error("the path of %s in %s is too long", name, directory);
        return false;
    }
    output->file = fopen(output->path, "wb");
    if (output->file == NULL) {
        message_error("cannot write %s: %s", output->path, strerror(errno));
        return false;
    }
    return true;
}

static void remove_broken(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        remove(path);
    }
}

static bool fail(const output_file *output, const char *problem) {
    message_error("cannot write %s: %s", output->path, problem);
    remove_broken(output->path);
    return false;
}

bool output_close(output_file *output) {
    return fclose(output->file) == 0 || fail(output, strerror(errno));
}

bool output_abandon(output_file *output, const char *problem) {
    fclose(output->file);
    return fail(output, problem);
}
