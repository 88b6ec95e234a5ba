/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program of this folder under the agent, as misstop would, and keeps every event. */
#ifndef MISSTOP_TESTS_WATCH_H
#define MISSTOP_TESTS_WATCH_H

#include "agent_abi.h"
#include "resolve/heap/feed.h"

#include <stdbool.h>
#include <sys/types.h>

struct watch {
    struct agent_sizes sizes;     /* 0: large enough that nothing is lost */
    uint64_t address_space_bytes; /* limit of it; 0: none */
    const char *preload;          /* LD_PRELOAD that is already there, or NULL */
    bool check_paths;
    bool by_path;      /* the program is found as a shell finds it */
    bool leave_unread; /* read nothing until the program has ended */
    struct feed *feed;
    pid_t pid;
    int status; /* as wait(2) says */
    struct feed_event *events;
    size_t count;
    size_t room;
};

/* NULL-ended words; the program's name is looked up in tests/agent of the build. */
void watch_run(struct watch *watch, const char *const *words);
void watch_fini(struct watch *watch);

/* Path of a file of the build's tests/agent; static. */
const char *watch_file(const char *name);
const char *watch_agent(void);

/* Events of a kind that asked for so many bytes. */
size_t watch_count(const struct watch *watch, enum feed_kind kind, uint64_t requested);

/* Starts it only; the caller reads and waits. */
void watch_start(struct watch *watch, const char *const *words);

/* Reads what there is now. */
void watch_read(struct watch *watch);

#endif
