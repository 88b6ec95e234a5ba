/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State that a thread of the target needs to record: a ring of its own out of the pool, the chunk
 * that it writes, and its caches. A thread takes them at its first event and gives them back when
 * it ends; events after that (other destructors) take and give back a ring each. A few are kept for
 * the threads that come next, the rest goes back to the kernel and to the pool of chunks.
 */
#ifndef MISSTOP_AGENT_THREAD_H
#define MISSTOP_AGENT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/path.h"
#include "agent/session.h"

struct thread {
    struct agent_unit *units; /* of the chunk */
    struct agent_ring *ring;
    uint64_t head;       /* the ring's, ours to move */
    uint64_t full_at;    /* behind this there must be another chunk */
    bool is_passing;     /* taken for one event only */
    bool owner_is_known; /* the reader has the owner's record for these events */
    bool is_large;
    uint32_t index; /* of the ring */
    uint32_t size_bytes;
    uint32_t untimed_left;   /* allocations until one is timed */
    uint64_t unmaps;         /* gate.unmaps when an allocation was last stamped */
    uint32_t calm;           /* events since another thread was seen to be alone */
    uint32_t settling;       /* stamped allocations to come since it is alone */
    struct path_cache paths; /* last: as long as size_bytes allows */
};

enum { THREAD_MASK = AGENT_CHUNK_UNITS - 1 };

extern __thread struct thread *thread_current __attribute__((tls_model("initial-exec")));

/* How many allocations to leave out until one is timed: 0 to twice the mean, from any number. */
static inline uint32_t thread_random_gap(uint64_t seed)
{
    uint64_t hash = seed * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return (uint32_t)(hash * (2 * AGENT_TIMED_ONE_IN - 1) >> 32);
}

/* Before the gate opens: creates the pool and the key with the destructor that gives rings back. */
int thread_start(void);

/* A ring for the calling thread; NULL: none is free, and that event is counted. Keeps errno. */
struct thread *thread_take(void);

/* After an event of a thread that takes a ring for each. */
void thread_pass(struct thread *thread);

/* Goes on in another chunk; false: there is none, and that event is counted. */
bool thread_make_room(struct thread *thread);

/*
 * After an event's stamp, by a thread that is not gate.alone: another one must not leave out stamps
 * from here on. Becomes gate.alone after some time without such.
 */
void thread_crowd(struct thread *thread);

/* First record of a new owner. There must be room. */
void thread_report_owner(struct thread *thread);

#endif
