/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads by their names, for the run over time: those whose names differ only in a number at the
 * end are one group, as the threads of a pool are. What a thread counts is added per sample under
 * its dense number; at the end of a period it goes to the group that its name puts it in then.
 * Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_THREAD_GROUPS_H
#define MISSTOP_PROFILE_THREAD_GROUPS_H

#include "place.h"
#include "snapshot_time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    THREAD_NUMBERS = 256,   /* dense numbers; the last one is of all threads beyond */
    THREAD_GROUPS_MAX = 64, /* those beyond count in the last one */
    THREAD_NAME_BYTES = 24  /* TASK_COMM_LEN is 16; a character more, and room to sanitise */
};

struct thread_groups {
    struct {
        uint32_t tid; /* the last one to count */
        bool counted; /* anything since it was taken last */
        double weight[SNAPSHOT_MEASURES];
    } threads[THREAD_NUMBERS];
    char names[THREAD_GROUPS_MAX][THREAD_NAME_BYTES];
    uint32_t count;
};

static inline void thread_groups_add(struct thread_groups *groups, uint32_t number, uint32_t tid,
                                     enum snapshot_measure measure, double weight)
{
    groups->threads[number].tid = tid;
    groups->threads[number].counted = true;
    groups->threads[number].weight[measure] += weight;
}

/* "worker-*" of "worker-12": what groups go by. `out` may be `name`. */
void thread_groups_name(const char *name, char out[THREAD_NAME_BYTES]);

/* What each thread has counted of each measure since this was asked last goes to `take`, with its
 * group. */
void thread_groups_take(struct thread_groups *groups, const struct place_names *names,
                        void (*take)(void *context, uint32_t group,
                                     const double weight[SNAPSHOT_MEASURES]),
                        void *context);

#endif
