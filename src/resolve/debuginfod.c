/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/debuginfod.h"

#include "base/files.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ID_MAX = 64, DIGITS = 2 * ID_MAX + 1 };

static const char *const kind_names[] = {"debuginfo", "executable"};

bool debuginfod_available(void)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    return urls && *urls;
}

static bool write_id(char digits[DIGITS], const unsigned char *id, size_t id_size)
{
    if (id_size < 2 || id_size > ID_MAX)
        return false;
    for (size_t i = 0; i < id_size; i++)
        snprintf(digits + 2 * i, 3, "%02x", id[i]);
    return true;
}

/* Where debuginfod-find keeps files (debuginfod_find_debuginfo(3), "CACHE"). */
static int open_below(const char *folder, const char *below, const char *digits, const char *kind)
{
    char path[PATH_MAX];
    if (!folder || !*folder)
        return -1;
    int length = snprintf(path, sizeof path, "%s%s/%s/%s", folder, below, digits, kind);
    return length > 0 && (size_t)length < sizeof path ? files_open(path) : -1;
}

int debuginfod_cached(enum debuginfod_kind kind, const unsigned char *id, size_t id_size)
{
    char digits[DIGITS];
    if (!write_id(digits, id, id_size))
        return -1;
    int fd = open_below(getenv("DEBUGINFOD_CACHE_PATH"), "", digits, kind_names[kind]);
    if (fd < 0)
        fd = open_below(getenv("XDG_CACHE_HOME"), "/debuginfod_client", digits, kind_names[kind]);
    return fd >= 0
               ? fd
               : open_below(getenv("HOME"), "/.cache/debuginfod_client", digits, kind_names[kind]);
}

static void run_find(int out, pid_t parent, const char *kind, const char *digits)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    execlp("debuginfod-find", "debuginfod-find", kind, digits, (char *)NULL);
    _exit(127);
}

/* One line: the path of the file. */
static bool read_path(int in, char path[PATH_MAX])
{
    size_t length = 0;
    ssize_t got;
    while (length < PATH_MAX - 1 && (got = read(in, path + length, PATH_MAX - 1 - length)) > 0)
        length += (size_t)got;
    path[length] = 0;
    path[strcspn(path, "\n")] = 0;
    return *path == '/';
}

int debuginfod_fetch(enum debuginfod_kind kind, const unsigned char *id, size_t id_size)
{
    char digits[DIGITS];
    char path[PATH_MAX];
    int ends[2];
    int status = -1;
    pid_t parent = getpid();
    if (!debuginfod_available() || !write_id(digits, id, id_size) || pipe2(ends, O_CLOEXEC))
        return -1;
    pid_t pid = fork();
    if (!pid)
        run_find(ends[1], parent, kind_names[kind], digits);
    close(ends[1]);
    bool told = pid > 0 && read_path(ends[0], path);
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
    return told && !status ? files_open(path) : -1;
}
