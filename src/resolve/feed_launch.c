/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of feed.h that has to do with starting the target: its environment, its kind. */
#include "resolve/feed.h"

#include "agent_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int feed_inherit(const struct feed *feed)
{
    return fcntl(feed_fd(feed), F_SETFD, 0) ? -errno : 0;
}

int feed_environment(const struct feed *feed, const char *agent_path, char *preload,
                     size_t preload_size, char *variable, size_t variable_size, struct error *error)
{
    const char *before = getenv("LD_PRELOAD");
    bool has_before = before && *before;
    if (strpbrk(agent_path, " :"))
        return error_set(error, -EINVAL, "%s: LD_PRELOAD cannot hold a path with spaces or colons",
                         agent_path);
    int length = snprintf(preload, preload_size, "LD_PRELOAD=%s%s%s", agent_path,
                          has_before ? ":" : "", has_before ? before : "");
    int other = snprintf(variable, variable_size, AGENT_VARIABLE "=%d", feed_fd(feed));
    if (length < 0 || (size_t)length >= preload_size || other < 0 || (size_t)other >= variable_size)
        return error_set(error, -ENAMETOOLONG, "LD_PRELOAD would be too long");
    return 0;
}

/* The agent was built with misstop, and can be loaded by what loads misstop. */
static enum agent_load look(struct agent_load_work *work, const char *command, struct error *error)
{
    const char *preload = getenv("LD_PRELOAD");
    if (!agent_load_find(work, command, getenv("PATH"))) {
        error_set(error, -ENOENT, "%s: no such command", command);
        return AGENT_LOAD_UNREADABLE;
    }
    char *path = strdup(work->path);
    struct agent_file linker = agent_load_linker(work, "/proc/self/exe");
    enum agent_load why = path ? agent_load_look(work, path, &linker, NULL) : AGENT_LOAD_UNREADABLE;
    int saved = errno;
    free(path);
    if (why == AGENT_LOAD_UNREADABLE)
        error_set(error, -saved, "cannot read %s: %s", work->path, strerror(saved));
    else if (why != AGENT_LOADABLE)
        error_set(error, -ENOTSUP, "%s %s", work->path, agent_load_words(why));
    else if (preload && agent_load_look(work, work->path, &linker, preload) != AGENT_LOADABLE) {
        error_set(error, -ENOTSUP, "LD_PRELOAD names a sanitizer, which has to come first in it");
        why = AGENT_LOAD_SANITIZER;
    }
    return why;
}

enum agent_load feed_refusal(const char *command, struct error *error)
{
    struct agent_load_work *work = malloc(sizeof *work);
    if (!work) {
        error_set(error, -ENOMEM, "out of memory");
        return AGENT_LOAD_UNREADABLE;
    }
    enum agent_load why = look(work, command, error);
    free(work);
    return why;
}
