/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of the allocation agent in the target: misstop's end of the memory described in
 * agent_abi.h. The target can write to that memory, so nothing in it is trusted: indexes and
 * lengths are copied, then checked; an invalid ring is skipped and counted.
 *
 * To watch a command: feed_refusal() checks beforehand whether it can be preloaded; feed_new(),
 * feed_environment(); in the child, before exec, feed_inherit() and the two variables. Then
 * feed_read() at least every few milliseconds: the rings hold 130,000 allocations with their frees.
 * Used by the resolver and main; one thread.
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

/* FEED_NOTHING: never handed out. */
enum feed_kind { FEED_ALLOC, FEED_FREE, FEED_MAP, FEED_UNMAP, FEED_NOTHING };

struct feed_event {
    enum feed_kind kind;
    uint32_t tid;
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    bool is_timed;    /* a mapping, or an allocation chosen at random: it counts for lifetimes */
    uint64_t address;
    uint64_t requested; /* bytes asked for; FEED_FREE: 0 */
    uint64_t usable;    /* bytes to be had; mappings: whole pages; FEED_FREE: 0 */
    uint32_t path;      /* for feed_path(); 0: unknown */
};

typedef void feed_callback(void *context, const struct feed_event *event);

enum feed_state {
    FEED_NOT_STARTED, /* the target has not come so far, or does not load the agent */
    FEED_RUNNING,
    FEED_GAVE_UP,
};

struct feed_counts {
    uint64_t ring_full; /* events lost because misstop did not read in time */
    uint64_t no_ring;   /* ... because more threads live than there are rings */
    uint64_t damaged;   /* times a ring made no sense and was skipped to its end */
    uint64_t no_path;   /* events without a path: no room for more paths */
    uint64_t paths;     /* distinct paths */
    uint64_t unwound;   /* events without a path remembered by the agent */
    uint64_t checked;   /* with AGENT_CHECK_PATHS: remembered paths compared, */
    uint64_t wrong;     /* ... and found to differ from a fresh unwind */
};

/* Memory for one target. -ENOMEM, or as memfd_create(2) and mmap(2) say. */
int feed_new(struct feed **feed, struct error *error);

/* The same with rings and path tables of another size, for tests and benches. */
int feed_new_sized(struct feed **feed, const struct agent_sizes *sizes, struct error *error);
void feed_free(struct feed *feed);

/* The descriptor that the child inherits. */
int feed_fd(const struct feed *feed);

/*
 * Readable when half of the agent's memory was written since the last feed_read(); whoever polls it
 * reads the 8 bytes. -1: there is none.
 */
int feed_wake_fd(const struct feed *feed);

/* In the child, between fork and exec: lets exec keep the descriptor. 0 or a negative errno. */
int feed_inherit(const struct feed *feed);

/* Before the target starts: it is Valgrind, which becomes other programs before that. */
void feed_hand_on(struct feed *feed);

/*
 * The two variables for the child: "LD_PRELOAD=agent:what was there" and
 * "MISSTOP_AGENT=fd", in this order at the end. The agent takes both out again. -EINVAL: a path
 * that LD_PRELOAD cannot hold (spaces, colons), -ENAMETOOLONG.
 */
int feed_environment(const struct feed *feed, const char *agent_path, char *preload,
                     size_t preload_size, char *variable, size_t variable_size,
                     struct error *error);

/* Whether the command that execvp would find can load the agent; if not, `error` says why. */
enum agent_load feed_refusal(const char *command, struct error *error);

/*
 * Hands out the events of all threads up to a time, merged: time_ns never decreases, and an event
 * never comes before one that led to it (a block's free before its address is given out again). An
 * event of a thread that was interrupted while recording it may come late; it then bears the time
 * of the event before it. Returns the number of events, or a negative errno.
 */
long feed_read(struct feed *feed, uint64_t until_ns, feed_callback *callback, void *context);

/* Return addresses of a path that an event had, innermost first; 0: unknown. */
uint32_t feed_path(const struct feed *feed, uint32_t path, const uint64_t **frames);

/* Events known to be lost, for any reason; the counts show which. */
uint64_t feed_lost(const struct feed *feed);
struct feed_counts feed_counts(const struct feed *feed);

/* `why` (may be NULL): a sentence where it gave up, or where it sees only part of the blocks. */
enum feed_state feed_state(const struct feed *feed, const char **why);

#endif
