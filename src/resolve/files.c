/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/files.h"
#include "sample/kernel.h"
#include "sample/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

static int regular(int fd)
{
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

int files_open(const char *path)
{
    return regular(open(path, FILES_FLAGS));
}

int files_root(pid_t pid)
{
    char text[64];
    snprintf(text, sizeof text, "/proc/%d/root", (int)threads_shown_by(kernel_host(), pid));
    return open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int files_open_below(int root, const char *path, bool follow)
{
    struct open_how how = {.flags = FILES_FLAGS | (follow ? 0 : O_NOFOLLOW),
                           .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    return root < 0 ? -1 : regular((int)syscall(SYS_openat2, root, path, &how, sizeof how));
}

int files_open_in_root(pid_t pid, const char *path, bool follow)
{
    char text[PATH_MAX + 64];
    int root = files_root(pid);
    if (root < 0)
        return -1;
    errno = 0;
    int fd = files_open_below(root, path, follow);
    int cause = errno;
    close(root);
    /* Before Linux 5.6, or behind a filter that does not know the call. */
    if (fd < 0 && (cause == ENOSYS || cause == EPERM)) {
        snprintf(text, sizeof text, "/proc/%d/root%s", (int)threads_shown_by(kernel_host(), pid),
                 path);
        fd = open(text, FILES_FLAGS | O_NOFOLLOW);
    }
    return regular(fd);
}

int files_copy(int fd, uint64_t most_bytes)
{
    struct stat status;
    int copy = -1;
    if (fd < 0)
        return -1;
    if (!fstat(fd, &status) && status.st_size >= 0 && (uint64_t)status.st_size <= most_bytes)
        copy = memfd_create("misstop-copy", MFD_CLOEXEC);
    for (off_t at = 0; copy >= 0 && at < status.st_size;)
        if (sendfile(copy, fd, &at, (size_t)(status.st_size - at)) <= 0)
            break; /* it shrank: what there is will do */
    close(fd);
    return copy;
}
