/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a thread of the target needs to record: a ring of its own out of the pool, and its caches.
 * A thread takes them at its first event and gives them back when it ends; events after that
 * (other destructors) take and give back a ring each. The pool is a stack, so that few rings are
 * touched however many threads come and go.
 */
#ifndef MISSTOP_AGENT_THREAD_H
#define MISSTOP_AGENT_THREAD_H

#include "agent/path.h"
#include "agent/session.h"

#include <stdbool.h>
#include <stdint.h>

struct thread {
    struct agent_unit *units;
    struct agent_ring *ring;
    uint64_t head;      /* the ring's, ours to move */
    uint64_t full_at;   /* head may not pass this before tail is looked at again */
    uint64_t mask;      /* units of a ring - 1 */
    bool is_passing;    /* taken for one event only */
    bool owner_is_told; /* the reader knows whose events these are */
    uint32_t index;     /* of the ring */
    uint32_t next_free; /* in the pool, + 1 */
    struct path_cache paths;
};

extern __thread struct thread *thread_current __attribute__((tls_model("initial-exec")));

/* Before the gate opens: the pool and the key whose destructor gives rings back. */
int thread_start(void);

/* A ring for the calling thread; NULL: none is free, and that event is counted. Keeps errno. */
struct thread *thread_take(void);

/* After an event of a thread that takes a ring for each. */
void thread_pass(struct thread *thread);

/* Looks how far misstop has read; false: the ring is full, and that event is counted. */
bool thread_make_room(struct thread *thread);

/* First record of a new owner. There must be room. */
void thread_tell_owner(struct thread *thread);

#endif
