/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pprof_file.h"

#include "view/pprof.h"
#include "view/whole_file.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>
#include <zlib.h>

static const char option[] = "--pprof";

int pprof_check(const char *path, struct error *error)
{
    return whole_file_check(option, path, error);
}

static int write_packed(int fd, const unsigned char *bytes, size_t size_bytes)
{
    enum { STEP = 1 << 20 };
    int last;
    int own = dup(fd); /* gzclose() closes what it was given, which is not ours */
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
    return code;
}

int pprof_file_write(const char *path, const void *bytes, size_t size_bytes, struct error *error)
{
    struct whole_file file;
    int code = whole_file_open(&file, option, path, error);
    return code ? code : whole_file_close(&file, write_packed(file.fd, bytes, size_bytes), error);
}
