/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_at(int fd, char *out, size_t size, off_t from, size_t *got)
{
    *got = 0;
    while (*got < size) {
        ssize_t count = pread(fd, out + *got, size - *got, from + (off_t)*got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -errno;
        if (!count)
            break;
        *got += (size_t)count;
    }
    return 0;
}

static void find_last(struct report_file *file)
{
    size_t end = file->size;
    while (end && strchr(" \t\r\n", file->text[end - 1]))
        end--;
    size_t start = end;
    while (start && file->text[start - 1] != '\n')
        start--;
    file->last = file->text + start;
    file->last_size = end - start;
}

static int read_end(struct report_file *file, int fd, off_t size, const char *path,
                    struct error *error)
{
    size_t wanted = size < REPORT_BYTES_MOST ? (size_t)size : REPORT_BYTES_MOST;
    file->text = malloc(wanted + 1);
    if (!file->text)
        return error_set(error, -ENOMEM, "out of memory for %s", path);
    int code = read_at(fd, file->text, wanted, size - (off_t)wanted, &file->size);
    if (code)
        return error_set(error, code, "cannot read %s: %s", path, strerror(-code));
    /* strchr() finds it too. */
    for (char *nul; (nul = memchr(file->text, '\0', file->size));)
        *nul = '?';
    find_last(file);
    if (!file->last_size)
        return error_set(error, -EBADMSG, "%s is empty", path);
    if (file->last == file->text && (off_t)wanted < size)
        return error_set(error, -EFBIG, "the last line of %s is longer than a report can be", path);
    return 0;
}

int report_file_read(struct report_file *file, const char *path, struct error *error)
{
    struct stat status;
    *file = (struct report_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(error, -errno, "cannot open %s: %s", path, strerror(errno));
    int code = 0;
    if (fstat(fd, &status))
        code = error_set(error, -errno, "cannot read %s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        code =
            error_set(error, -ENOTSUP, "%s is no file; give a recording or a saved report", path);
    else
        code = read_end(file, fd, status.st_size, path, error);
    close(fd);
    if (code)
        report_file_free(file);
    return code;
}

void report_file_free(struct report_file *file)
{
    free(file->text);
    *file = (struct report_file){0};
}

bool report_file_is_json(const char *path)
{
    char start[64];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? 0 : read(fd, start, sizeof start);
    ssize_t blank = 0;
    if (fd >= 0)
        close(fd);
    while (blank < got && start[blank] && strchr(" \t\r\n", start[blank]))
        blank++;
    return blank < got && start[blank] == '{';
}
