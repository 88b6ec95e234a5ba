/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/input.h"

#include "sample/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Twice the longest piece that is peeked at: a record of 64 KiB with a size before it. */
enum { INPUT_BUFFER_BYTES = 256 * 1024 };

static int refuse_kind(const char *path, int fd, mode_t mode, struct error *error)
{
    if (S_ISDIR(mode))
        return error_set(error, -ENOTSUP, "%s %s", path, foreign_folder(fd));
    return error_set(error, -ENOTSUP, "%s is neither a file nor a pipe; give a recording", path);
}

static int look_at(struct input *input, const char *path, struct error *error)
{
    struct stat status;
    if (fstat(input->fd, &status))
        return error_set(error, -errno, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
        return refuse_kind(path, input->fd, status.st_mode, error);
    input->seekable = S_ISREG(status.st_mode);
    input->written_unix_s = input->seekable ? status.st_mtime : 0;
    input->size_bytes = input->seekable ? (uint64_t)status.st_size : UINT64_MAX;
    input->end = UINT64_MAX;
    return input->seekable ? input_seek(input, 0) : 0;
}

int input_open(struct input *input, const char *path, struct error *error)
{
    bool standard = !strcmp(path, "-");
    *input = (struct input){0};
    input->fd =
        standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0)
        return error_set(error, -errno, "cannot open %s: %s", path, strerror(errno));
    int code = look_at(input, standard ? "standard input" : path, error);
    /* A small file needs no more than its size. */
    input->room =
        input->size_bytes < INPUT_BUFFER_BYTES ? (size_t)input->size_bytes + 1 : INPUT_BUFFER_BYTES;
    if (!code && !(input->buffer = malloc(input->room)))
        code = error_set(error, -ENOMEM, "out of memory");
    if (code)
        input_close(input);
    return code;
}

void input_close(struct input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    free(input->buffer);
    *input = (struct input){.fd = -1};
}

/* A lease for reading is refused while somebody may write (fcntl(2)). It is given back at once;
 * should somebody want to write in between, the signal that says so is dropped. */
int input_has_writer(const struct input *input)
{
    sigset_t broken;
    sigset_t before;
    const struct timespec now = {0};
    sigemptyset(&broken);
    sigaddset(&broken, SIGIO);
    sigprocmask(SIG_BLOCK, &broken, &before);
    int code = fcntl(input->fd, F_SETLEASE, F_RDLCK) ? -errno : 0;
    if (!code)
        fcntl(input->fd, F_SETLEASE, F_UNLCK);
    sigtimedwait(&broken, NULL, &now);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !code ? 0 : code == -EAGAIN ? 1 : -1;
}

static ssize_t read_retrying(int fd, void *out, size_t size)
{
    ssize_t got;
    do
        got = read(fd, out, size);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

uint64_t input_left(const struct input *input)
{
    uint64_t end = input->end < input->size_bytes ? input->end : input->size_bytes;
    if (end == UINT64_MAX)
        return UINT64_MAX;
    return end > input->at ? end - input->at : 0;
}

/* Reads what there is room for; false at the end. */
static bool fill(struct input *input)
{
    size_t waiting = input->past - input->first;
    if (input->first) {
        memmove(input->buffer, input->buffer + input->first, waiting);
        input->first = 0;
        input->past = waiting;
    }
    ssize_t got = read_retrying(input->fd, input->buffer + waiting, input->room - waiting);
    if (got < 0)
        input->failed = (int)got;
    if (got <= 0)
        return false;
    input->past += (size_t)got;
    return true;
}

const unsigned char *input_peek(struct input *input, size_t size_bytes)
{
    if (size_bytes > INPUT_BUFFER_BYTES / 2 || size_bytes > input_left(input))
        return NULL;
    while (input->past - input->first < size_bytes)
        if (!fill(input))
            return NULL;
    return input->buffer + input->first;
}

bool input_skip(struct input *input, uint64_t size_bytes)
{
    if (size_bytes > input_left(input))
        return false;
    while (size_bytes) {
        size_t waiting = input->past - input->first;
        size_t step = size_bytes < waiting ? (size_t)size_bytes : waiting;
        if (!waiting && input->seekable && size_bytes > INPUT_BUFFER_BYTES)
            return !input_seek(input, input->at + size_bytes);
        if (!waiting && !fill(input))
            return false;
        input->first += step;
        input->at += step;
        size_bytes -= step;
    }
    return true;
}

int input_seek(struct input *input, uint64_t offset)
{
    if (offset > INT64_MAX || lseek(input->fd, (off_t)offset, SEEK_SET) < 0)
        return -EINVAL;
    input->first = input->past = 0;
    input->at = offset;
    return 0;
}

long input_read_at(const struct input *input, uint64_t offset, void *out, size_t size)
{
    size_t done = 0;
    while (done < size && offset + done <= INT64_MAX) {
        ssize_t got = pread(input->fd, (char *)out + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (!got)
            break;
        done += (size_t)got;
    }
    return (long)done;
}

/* A file that is gone when we are. Not in /tmp, which often is memory. */
static int unnamed_file(char *folder_out, size_t folder_size)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(folder_out, folder_size, "%s", folder && *folder ? folder : "/var/tmp");
    int fd = open(folder_out, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    /* Not every file system can do that. */
    if (snprintf(path, sizeof path, "%s/misstop-XXXXXX", folder_out) >= (int)sizeof path)
        return -ENAMETOOLONG;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    unlink(path);
    return fd;
}

static int write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno != EINTR)
            return -errno;
        if (put > 0) {
            bytes += put;
            size -= (size_t)put;
        }
    }
    return 0;
}

/* All that waits and all that comes; how many bytes, or a negative errno of either side. */
static int64_t copy_rest(struct input *input, int to)
{
    int64_t copied = 0;
    do {
        size_t waiting = input->past - input->first;
        int code = write_all(to, input->buffer + input->first, waiting);
        if (code)
            return code;
        copied += (int64_t)waiting;
        input->first = input->past = 0;
    } while (fill(input));
    return input->failed ? input->failed : copied;
}

int input_spool(struct input *input, struct error *error)
{
    char folder[256];
    int fd = unnamed_file(folder, sizeof folder);
    if (fd < 0)
        return error_set(error, fd, "cannot make a file in %s to hold the piped recording: %s",
                         folder, strerror(-fd));
    int64_t size = copy_rest(input, fd);
    if (size < 0) {
        close(fd);
        return error_set(error, (int)size,
                         "cannot copy the piped recording to %s (set TMPDIR to a folder with "
                         "room): %s",
                         folder, strerror((int)-size));
    }
    close(input->fd);
    input->fd = fd;
    input->seekable = true;
    input->size_bytes = (uint64_t)size;
    input->failed = 0;
    return input_seek(input, 0);
}
