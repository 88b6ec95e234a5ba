/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): threads one by one, by their newest
 * samples. */
#ifndef MISSTOP_SNAPSHOT_THREAD_H
#define MISSTOP_SNAPSHOT_THREAD_H

#include "snapshot_share.h"

#include <stddef.h>
#include <stdint.h>

struct snapshot_thread {
    uint32_t tid;
    const char *name; /* what it is called now; NULL: it has ended, or names are unknown */
    double samples;   /* of the ranking event, with an object */
    struct snapshot_share share; /* of those of all threads */
    uint32_t object;             /* that most of them fell on, index into objects; UINT32_MAX */
    const char *object_name;
    double object_share; /* part of the thread's */
    const char *function_name;
    double function_share;
};

/* Of the newest samples, whatever the basis: `recent` of them. */
struct snapshot_threads {
    struct snapshot_thread *list; /* most samples first */
    size_t count;
    size_t left_out; /* with fewer samples than those listed */
    uint64_t recent;
};

/* NULL: not listed. */
const struct snapshot_thread *snapshot_thread(const struct snapshot_threads *threads, uint32_t tid);

#endif
