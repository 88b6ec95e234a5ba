/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes the agent's variables before main(), so that the program and its children see the same
 * environment as without misstop. They are the last two (launch.c, interpose.c). A LD_PRELOAD of
 * the user stays before them in its original place; ld.so uses the last one.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/session.h"

static const char number_name[] = AGENT_VARIABLE "=";
static const char preload_name[] = "LD_PRELOAD=";

/* Removes a variable in place: the environment that main() receives must keep its address. */
static void drop_variable(char **variable)
{
    do
        variable[0] = variable[1];
    while (*variable++);
}

static char **find_last(const char *name, unsigned *count)
{
    char **last = NULL;
    for (char **variable = environ; *variable; variable++)
        if (!strncmp(*variable, name, strlen(name))) {
            last = variable;
            ++*count;
        }
    return last;
}

static void note_library(const char *path, size_t length)
{
    struct stat status;
    if (length >= sizeof session.library)
        return;
    memcpy(session.library, path, length);
    if (!stat(session.library, &status))
        session.file = (struct agent_file){status.st_dev, status.st_ino};
}

/* Removes the agent from a preload list. Valgrind (--sim) puts its own library before the agent, so
 * other entries stay, unless another variable already has the user's list. */
static void drop_preload(char **variable, bool is_copy)
{
    static const char name[] = "/" AGENT_FILE;
    char *value = strchr(*variable, '=') + 1;
    char *end = strstr(value, name);
    if (!end)
        return;
    char *start = end;
    while (start > value && start[-1] != ':')
        start--;
    end += sizeof name - 1;
    note_library(start, (size_t)(end - start));
    if (is_copy)
        drop_variable(variable);
    else if (*end == ':')
        memmove(start, end + 1, strlen(end + 1) + 1);
    else if (start > value)
        start[-1] = '\0';
    else
        drop_variable(variable);
}

/* Fields of /proc/self/stat, counted from 1. */
enum {
    STAT_START_CODE = 26,
    STAT_END_CODE,
    STAT_STACK,
    STAT_START_DATA = 45,
    STAT_END_DATA,
    STAT_START_BRK,
    STAT_ARG_START,
    STAT_ARG_END,
    STAT_ENV_START,
    STAT_ENV_END,
    STAT_FIELDS
};

static bool read_layout(uint64_t fields[STAT_FIELDS])
{
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    char *at = strrchr(text, ')'); /* a name may contain anything */
    for (int field = 3; at && field < STAT_FIELDS; field++) {
        at = strchr(at, ' ');
        if (at)
            fields[field] = strtoull(++at, NULL, 10);
    }
    return at;
}

/* Sets the end of /proc/PID/environ: directly as root, otherwise by passing the whole layout. */
static void end_environment(char *end)
{
    uint64_t fields[STAT_FIELDS];
    if (!raw_syscall(SYS_prctl, PR_SET_MM, PR_SET_MM_ENV_END, (long)end, 0, 0, 0) ||
        !read_layout(fields))
        return;
    struct prctl_mm_map map = {
        .start_code = fields[STAT_START_CODE],
        .end_code = fields[STAT_END_CODE],
        .start_data = fields[STAT_START_DATA],
        .end_data = fields[STAT_END_DATA],
        .start_brk = fields[STAT_START_BRK],
        .brk = (uint64_t)raw_syscall(SYS_brk, 0, 0, 0, 0, 0, 0),
        .start_stack = fields[STAT_STACK],
        .arg_start = fields[STAT_ARG_START],
        .arg_end = fields[STAT_ARG_END],
        .env_start = fields[STAT_ENV_START],
        .env_end = (uint64_t)(uintptr_t)end,
        .exe_fd = UINT32_MAX,
    };
    if (fields[STAT_ENV_END] >= map.env_end && map.env_start <= map.env_end)
        raw_syscall(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, (long)&map, sizeof map, 0, 0);
}

static bool string_follows(const char *second, const char *first)
{
    return second == first + strlen(first) + 1;
}

void session_hide(void)
{
    unsigned numbers = 0;
    unsigned preloads = 0;
    char **number = environ ? find_last(number_name, &numbers) : NULL;
    if (!number)
        return;
    char **preload = find_last(preload_name, &preloads);
    char *first = preload ? *preload : NULL;
    char *second = *number;
    bool are_last = preload && number == preload + 1 && !number[1] &&
                    string_follows(second, first) && !strstr(first, "/vgpreload");
    drop_variable(number);
    if (preload)
        drop_preload(preload, preloads > 1);
    if (!are_last || *preload)
        return;
    memset(first, 0, (size_t)(second + strlen(second) - first));
    end_environment(first);
}
