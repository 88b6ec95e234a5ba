/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_write_file.h"

#include "sample/perfdata_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beyond it a write would raise SIGXFSZ, which ends the program. */
static bool beyond_limit(uint64_t past)
{
    struct rlimit limit;
    return past > INT64_MAX || (!getrlimit(RLIMIT_FSIZE, &limit) && past > limit.rlim_cur);
}

int perfdata_file_put(int fd, uint64_t offset, const void *bytes, size_t size)
{
    const char *at = bytes;
    if (beyond_limit(offset + size))
        return -EFBIG;
    while (size) {
        ssize_t written = pwrite(fd, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? -errno : -EIO;
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return 0;
}

int perfdata_file_explain(const char *path, int code, struct error *error)
{
    switch (code) {
    case -ENOSPC:
        return error_set(error, code,
                         "%s: the disk is full, samples are not recorded; free space and "
                         "recording goes on, or name another place with -o, and bound it with "
                         "--record-limit",
                         path);
    case -EDQUOT:
        return error_set(error, code,
                         "%s: your quota is used up, samples are not recorded; free space and "
                         "recording goes on, or bound it with --record-limit",
                         path);
    case -EFBIG:
        return error_set(error, code,
                         "%s is as large as files may be (ulimit -f), samples are not recorded; "
                         "raise it, or take --record-limit with less",
                         path);
    case -EACCES:
    case -EPERM:
    case -EROFS:
        return error_set(error, code, "cannot write %s: %s; name another place with -o", path,
                         strerror(-code));
    case -ENOENT:
    case -ENOTDIR:
        return error_set(error, code, "cannot write %s: there is no such folder; make it first",
                         path);
    default:
        return error_set(error, code, "cannot write %s: %s; samples are not recorded", path,
                         strerror(-code));
    }
}

/* PATH + MIDDLE + .SUFFIX; false if that is too long. */
static bool name_of(char out[PATH_MAX], const char *path, const char *middle, const char *suffix)
{
    int length =
        snprintf(out, PATH_MAX, "%s%s%s%s", path, middle, suffix ? "." : "", suffix ? suffix : "");
    return length > 0 && length < PATH_MAX;
}

static bool numbered(char out[PATH_MAX], const char *path, unsigned number, const char *suffix)
{
    char middle[16] = "";
    if (number)
        snprintf(middle, sizeof middle, ".%u", number);
    return name_of(out, path, middle, suffix);
}

/* An older file goes to PATH.old; a link is moved, never followed. */
static int make_way(const char *name, const char *path, const char *suffix, struct error *error)
{
    char old[PATH_MAX];
    struct stat status;
    if (lstat(name, &status))
        return errno == ENOENT ? 0 : perfdata_file_explain(name, -errno, error);
    if (S_ISDIR(status.st_mode))
        return error_set(error, -EISDIR, "%s is a folder; name a file with -o", name);
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
        return error_set(error, -ENOTSUP,
                         "%s is no regular file; recordings are written to files only", name);
    if (!name_of(old, path, ".old", suffix))
        return perfdata_file_explain(name, -ENAMETOOLONG, error);
    if (status.st_size ? rename(name, old) : unlink(name))
        return error_set(error, -errno,
                         "cannot move the older %s to %s: %s; name another place with -o", name,
                         old, strerror(errno));
    return 0;
}

int perfdata_writer_create(const char *path, const char *suffix, struct error *error)
{
    char name[PATH_MAX];
    if (!name_of(name, path, "", suffix))
        return perfdata_file_explain(path, -ENAMETOOLONG, error);
    int code = make_way(name, path, suffix, error);
    if (code)
        return code;
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? perfdata_file_explain(name, -errno, error) : fd;
}

int perfdata_writer_shift(const char *path, const char *suffix, unsigned files, struct error *error)
{
    char from[PATH_MAX];
    char to[PATH_MAX];
    if (!numbered(to, path, files, suffix))
        return perfdata_file_explain(path, -ENAMETOOLONG, error);
    for (unsigned number = files - 1; number > 0; number--) {
        if (!numbered(from, path, number - 1, suffix) || !numbered(to, path, number, suffix))
            return perfdata_file_explain(path, -ENAMETOOLONG, error);
        if (rename(from, to) && errno != ENOENT)
            return error_set(error, -errno, "cannot move %s to %s: %s", from, to, strerror(errno));
    }
    if (files == 1 && numbered(from, path, 0, suffix) && unlink(from) && errno != ENOENT)
        return error_set(error, -errno, "cannot remove %s: %s", from, strerror(errno));
    return 0;
}
