/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program of this folder under the agent, like misstop, and stores every event. */
#ifndef MISSTOP_TESTS_WATCH_H
#define MISSTOP_TESTS_WATCH_H

#include "agent_abi.h"
#include "resolve/heap/feed.h"

#include <stdbool.h>
#include <sys/types.h>

struct watch {
    struct agent_sizes sizes;     /* all 0: large enough to lose nothing */
    uint64_t address_space_bytes; /* limit of the program; 0: none */
    const char *preload;          /* existing LD_PRELOAD, or NULL */
    bool check_paths;
    bool by_path;      /* search for the program in PATH */
    bool leave_unread; /* read nothing until the program has ended */
    struct feed *feed;
    pid_t pid;
    int status; /* as from wait(2) */
    struct feed_event *events;
    size_t count;
    size_t room;
};

/* Runs a program to its end. `words` ends with NULL; the program is in tests/agent of the build. */
void watch_run(struct watch *watch, const char *const *words);
void watch_fini(struct watch *watch);

/* Returns the path of a file in tests/agent of the build, in a static buffer. */
const char *watch_file(const char *name);
const char *watch_agent(void);

/* Returns the number of events of a kind with this requested size. */
size_t watch_count(const struct watch *watch, enum feed_kind kind, uint64_t requested);

/* Only starts the program; the caller reads and waits. */
void watch_start(struct watch *watch, const char *const *words);

/* Reads the available events. */
void watch_read(struct watch *watch);

#endif
