/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct agent_sizes large = {
    .ring_count = 256, .chunk_count = 1 << 14, .path_count = 1 << 16, .word_count = 1 << 20};

static const char *build_folder(void)
{
    const char *build = getenv("BUILD");
    return build ? build : ".";
}

const char *watch_file(const char *name)
{
    static char path[4096];
    if (strchr(name, '/'))
        return name;
    snprintf(path, sizeof path, "%s/tests/agent/%s", build_folder(), name);
    return path;
}

const char *watch_agent(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/src/agent/libmisstop-agent.so", build_folder());
    return path;
}

static void must(bool condition, const char *what)
{
    if (condition)
        return;
    perror(what);
    abort();
}

static void exec_with_agent(const struct watch *watch, const char *const *words)
{
    static char preload[8192];
    static char variable[64];
    if (watch->preload)
        setenv("LD_PRELOAD", watch->preload, 1);
    if (feed_inherit(watch->feed) ||
        feed_environment(watch->feed, watch_agent(), preload, sizeof preload, variable,
                         sizeof variable, NULL) ||
        putenv(preload) || putenv(variable))
        _exit(126);
    if (watch->address_space_bytes)
        setrlimit(RLIMIT_AS,
                  &(struct rlimit){watch->address_space_bytes, watch->address_space_bytes});
    execvp(watch->by_path ? words[0] : watch_file(words[0]), (char *const *)(uintptr_t)words);
    _exit(127);
}

/* Makes the agent compare its cached paths with those of a fresh unwind. */
static void check_paths(const struct feed *feed)
{
    struct agent_header *header =
        mmap(NULL, AGENT_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, feed_fd(feed), 0);
    must(header != MAP_FAILED, "mmap");
    header->flags |= AGENT_CHECK_PATHS;
    munmap(header, AGENT_HEADER_BYTES);
}

void watch_start(struct watch *watch, const char *const *words)
{
    struct error error = {0};
    int code =
        feed_new_sized(&watch->feed, watch->sizes.ring_count ? &watch->sizes : &large, &error);
    must(!code, error.text);
    if (watch->check_paths)
        check_paths(watch->feed);
    watch->pid = fork();
    must(watch->pid >= 0, "fork");
    if (!watch->pid)
        exec_with_agent(watch, words);
}

static void keep(void *context, const struct feed_event *event)
{
    struct watch *watch = context;
    if (watch->count == watch->room) {
        watch->room = watch->room ? 2 * watch->room : 1 << 16;
        watch->events = realloc(watch->events, watch->room * sizeof *watch->events);
        must(watch->events, "out of memory");
    }
    watch->events[watch->count++] = *event;
}

void watch_read(struct watch *watch)
{
    must(feed_read(watch->feed, UINT64_MAX, keep, watch) >= 0, "feed_read");
}

void watch_run(struct watch *watch, const char *const *words)
{
    watch_start(watch, words);
    while (!waitpid(watch->pid, &watch->status, WNOHANG)) {
        if (!watch->leave_unread)
            watch_read(watch);
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    watch_read(watch);
}

void watch_fini(struct watch *watch)
{
    feed_free(watch->feed);
    free(watch->events);
    *watch = (struct watch){0};
}

size_t watch_count(const struct watch *watch, enum feed_kind kind, uint64_t requested)
{
    size_t count = 0;
    for (size_t i = 0; i < watch->count; i++)
        count += watch->events[i].kind == kind && watch->events[i].requested == requested;
    return count;
}
