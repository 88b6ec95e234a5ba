/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads under dense numbers, in the order in which they are first seen; those beyond a bound
 * share the number THREADS_MAX. Private to src/profile. */
#ifndef MISSTOP_PROFILE_THREAD_NUMBERS_H
#define MISSTOP_PROFILE_THREAD_NUMBERS_H

#include "base/hash.h"

enum { THREADS_MAX = 255, THREADS_RECENT = 64 };

struct thread_numbers {
    struct hash known;          /* tid -> number */
    uint32_t tids[THREADS_MAX]; /* by number */
    struct {
        uint32_t tid;
        uint32_t number;
        bool known;
    } recent[THREADS_RECENT];
};

void thread_numbers_fini(struct thread_numbers *numbers);
void thread_numbers_clear(struct thread_numbers *numbers);

uint32_t thread_numbers_of(struct thread_numbers *numbers, uint32_t tid);

#endif
