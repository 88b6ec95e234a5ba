/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/export/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int whole_file_fail(const struct whole_file *file, int code, struct error *error)
{
    char cause[ERROR_CAUSE];
    return error_set(error, code, "cannot write %s of %s: %s", file->path, file->option,
                     error_cause(code, cause));
}

int whole_file_open(struct whole_file *file, const char *option, const char *path,
                    struct error *error)
{
    struct stat status;
    file->option = option;
    file->path = path;
    if (!stat(path, &status) && !S_ISREG(status.st_mode))
        return error_set(error, -EEXIST, "%s %s is no file that can be replaced; name another",
                         option, path);
    if ((size_t)snprintf(file->beside, sizeof file->beside, "%s.XXXXXX", path) >=
        sizeof file->beside)
        return whole_file_fail(file, -ENAMETOOLONG, error);
    file->fd = mkstemp(file->beside);
    return file->fd < 0 ? whole_file_fail(file, -errno, error) : 0;
}

int whole_file_check(const char *option, const char *path, struct error *error)
{
    struct whole_file file;
    int code = whole_file_open(&file, option, path, error);
    if (code)
        return code;
    close(file.fd);
    unlink(file.beside);
    return 0;
}

int whole_file_close(struct whole_file *file, int code, struct error *error)
{
    if (!code && fsync(file->fd))
        code = -errno;
    close(file->fd);
    if (!code && rename(file->beside, file->path))
        code = -errno;
    if (!code)
        return 0;
    unlink(file->beside);
    return whole_file_fail(file, code, error);
}
