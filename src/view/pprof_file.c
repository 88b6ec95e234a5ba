/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pprof_file.h"

#include "view/pprof.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static int fail(struct error *error, int code, const char *path)
{
    return error_set(error, code, "cannot write the profile %s: %s", path, strerror(-code));
}

/* The name of the temporary file, open; negative errno. */
static int open_beside(char *name, size_t size, const char *path, struct error *error)
{
    struct stat status;
    if (!stat(path, &status) && !S_ISREG(status.st_mode))
        return error_set(error, -EEXIST, "--pprof %s is no file that can be replaced; name another",
                         path);
    if ((size_t)snprintf(name, size, "%s.XXXXXX", path) >= size)
        return fail(error, -ENAMETOOLONG, path);
    int fd = mkstemp(name); /* mode 0600 */
    return fd < 0 ? fail(error, -errno, path) : fd;
}

int pprof_check(const char *path, struct error *error)
{
    char name[PATH_MAX];
    int fd = open_beside(name, sizeof name, path, error);
    if (fd < 0)
        return fd;
    close(fd);
    unlink(name);
    return 0;
}

/* The descriptor is closed in any case. */
static int write_packed(int fd, const unsigned char *bytes, size_t size_bytes)
{
    enum { STEP = 1 << 20 };
    int last;
    int own = dup(fd); /* gzclose() closes what it was given, and fsync() comes after it */
    gzFile out = own < 0 ? NULL : gzdopen(own, "wb");
    if (!out && own >= 0)
        close(own);
    bool failed = !out;
    for (size_t at = 0; at < size_bytes && !failed;) {
        unsigned step = size_bytes - at < STEP ? (unsigned)(size_bytes - at) : STEP;
        errno = 0;
        failed = gzwrite(out, bytes + at, step) != (int)step;
        at += step;
    }
    int code = failed ? -(errno ? errno : EIO) : 0;
    errno = 0;
    if (out && (last = gzclose(out)) != Z_OK && !code)
        code = last == Z_ERRNO && errno ? -errno : -EIO;
    if (!code && fsync(fd))
        code = -errno;
    close(fd);
    return code;
}

int pprof_file_write(const char *path, const void *bytes, size_t size_bytes, struct error *error)
{
    char name[PATH_MAX];
    int fd = open_beside(name, sizeof name, path, error);
    if (fd < 0)
        return fd;
    int code = write_packed(fd, bytes, size_bytes);
    if (!code && rename(name, path))
        code = -errno;
    if (!code)
        return 0;
    unlink(name);
    return fail(error, code, path);
}
