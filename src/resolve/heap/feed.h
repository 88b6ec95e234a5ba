/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of the allocation agent in the target: misstop's side of the memory described in
 * agent_abi.h. The target can write to that memory, so nothing in it is trusted: indexes and
 * lengths are copied, then checked; an invalid ring is skipped and counted.
 *
 * To watch a command, call feed_refusal() to check whether the agent can be preloaded, then
 * feed_new() and feed_environment(). In the child, before exec, call feed_inherit() and set the two
 * variables. Then call feed_read() at least every few milliseconds: the rings hold 130,000
 * allocations with their frees. Used by the resolver and main; single-threaded.
 */
#ifndef MISSTOP_RESOLVE_HEAP_FEED_H
#define MISSTOP_RESOLVE_HEAP_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_load.h"
#include "base/error.h"

struct feed;
struct agent_sizes;

/* FEED_NOTHING is never passed to the callback. */
enum feed_kind { FEED_ALLOC, FEED_FREE, FEED_MAP, FEED_UNMAP, FEED_NOTHING };

struct feed_event {
    enum feed_kind kind;
    uint32_t tid;
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    bool is_timed;    /* a mapping, or an allocation chosen at random: it counts for lifetimes */
    uint64_t address;
    uint64_t requested; /* bytes requested; FEED_FREE: 0 */
    uint64_t usable;    /* usable bytes; mappings: whole pages; FEED_FREE: 0 */
    uint32_t path;      /* for feed_path(); 0: unknown */
};

typedef void feed_callback(void *context, const struct feed_event *event);

enum feed_state {
    FEED_NOT_STARTED, /* the target has not loaded the agent yet, or never will */
    FEED_RUNNING,
    FEED_GAVE_UP,
};

struct feed_counts {
    uint64_t ring_full;     /* events lost because misstop did not read in time */
    uint64_t no_ring;       /* ... because there are more threads than rings */
    uint64_t damaged;       /* times a malformed ring was skipped to its end */
    uint64_t no_path;       /* events without a path: no room for more paths */
    uint64_t paths;         /* distinct paths */
    uint64_t unwound;       /* events without a path cached by the agent */
    uint64_t paths_checked; /* with AGENT_CHECK_PATHS: cached paths checked, */
    uint64_t paths_wrong;   /* ... and those that differ from a fresh unwind */
};

/* Sets up the shared memory for one target. -ENOMEM, or errors of memfd_create(2) and mmap(2). */
int feed_new(struct feed **feed, struct error *error);

/* Like feed_new(), with other sizes of rings and path tables, for tests and benches. */
int feed_new_sized(struct feed **feed, const struct agent_sizes *sizes, struct error *error);
void feed_free(struct feed *feed);

int feed_fd(const struct feed *feed);

/* Returns a descriptor that is readable when half of the agent's memory was written since the last
 * feed_read(). The poller reads its 8 bytes. -1: there is none. */
int feed_wake_fd(const struct feed *feed);

/* Lets exec keep the descriptor; called in the child before exec. 0 or a negative errno. */
int feed_inherit(const struct feed *feed);

/* Declares, before the target starts, that it is Valgrind, which executes other programs first. */
void feed_allow_exec(struct feed *feed);

/*
 * Formats the two variables for the child: "LD_PRELOAD=agent:previous value" and
 * "MISSTOP_AGENT=fd", which must be the last two, in this order. The agent removes both. -EINVAL: a
 * path that LD_PRELOAD cannot hold (spaces, colons); -ENAMETOOLONG.
 */
int feed_environment(const struct feed *feed, const char *agent_path, char *preload,
                     size_t preload_size, char *variable, size_t variable_size,
                     struct error *error);

/* Checks whether the command that execvp() finds can load the agent; `error` says why not. */
enum agent_load feed_refusal(const char *command, struct error *error);

/*
 * Passes the events of all threads up to a time to the callback, merged: time_ns never decreases,
 * and an event never precedes its cause (a block is freed before its address is allocated again).
 * If a thread is interrupted while it records an event, the event may come late; it then has the
 * time of the event before it. Returns the number of events, or a negative errno.
 */
long feed_read(struct feed *feed, uint64_t until_ns, feed_callback *callback, void *context);

/* Returns the frames of an event's path: return addresses, innermost first; 0: unknown. */
uint32_t feed_path(const struct feed *feed, uint32_t path, const uint64_t **frames);

/* Returns the number of events known to be lost for any reason; the counts show which. */
uint64_t feed_lost(const struct feed *feed);
struct feed_counts feed_counts(const struct feed *feed);

/* Returns the agent's state. `why` (may be NULL): text if it gave up or sees only some blocks. */
enum feed_state feed_state(const struct feed *feed, const char **why);

#endif
