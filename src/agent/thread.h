/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State that a thread of the target needs for recording: a ring from the pool, the chunk that it
 * writes, and its caches. A thread takes them at its first event and gives them back when it ends.
 * Each later event (other destructors) takes and gives back a ring. A few threads' state is kept
 * for new threads; other state is unmapped, and its ring goes back to the pool.
 */
#ifndef MISSTOP_AGENT_THREAD_H
#define MISSTOP_AGENT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/path.h"
#include "agent/session.h"

struct thread {
    struct agent_unit *units; /* units of the chunk */
    struct agent_ring *ring;
    uint64_t head;          /* head of the ring, written only by this thread */
    uint64_t chunk_full_at; /* past this the next chunk is needed */
    bool is_passing;        /* taken for a single event */
    bool owner_is_known;    /* the ring has the owner's record for the coming events */
    bool is_large;
    uint32_t index; /* index of the ring */
    uint32_t size_bytes;
    uint32_t untimed_left;         /* allocations until the next timed one */
    uint64_t unmaps;               /* gate.unmaps at the last stamped allocation */
    uint32_t uncontended_events;   /* events since another thread was last alone */
    uint32_t settling_allocations; /* stamped allocations left after it became alone */
    struct path_cache paths;       /* last: fills the rest of size_bytes */
};

enum { THREAD_MASK = AGENT_CHUNK_UNITS - 1 };

extern __thread struct thread *thread_current __attribute__((tls_model("initial-exec")));

/* Returns how many allocations to skip before the next timed one: 0 to twice the mean. */
static inline uint32_t thread_random_gap(uint64_t seed)
{
    uint64_t hash = seed * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return (uint32_t)(hash * (2 * AGENT_TIMED_ONE_IN - 1) >> 32);
}

/* Creates the pool, and the destructor that gives rings back. Call before the gate opens. */
int thread_start(void);

/* Takes a ring for the calling thread. NULL: none is free (counted). Keeps errno. */
struct thread *thread_take(void);

/* Gives the ring back after an event of a thread that takes a ring for each event. */
void thread_give_back(struct thread *thread);

/* Continues in another chunk. Returns false if there is none, and counts the event. */
bool thread_make_room(struct thread *thread);

/* No other thread skips stamps from now on. Called after an event's stamp by a thread that is not
 * gate.single_recorder, which becomes gate.single_recorder after some time without such calls by
 * others. */
void thread_end_single(struct thread *thread);

/* Writes the first record of a new owner. There must be room. */
void thread_report_owner(struct thread *thread);

#endif
