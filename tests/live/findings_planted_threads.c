/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines written by two threads. */
#include "findings_planted.h"

#include <stdalign.h>
#include <stdatomic.h>

struct counters {
    uint64_t hits;
    uint64_t misses;
};
struct slot {
    alignas(64) uint64_t count;
};

alignas(64) static volatile struct counters counters;
static volatile struct slot slots[2];
alignas(64) static _Atomic uint64_t total;

__attribute__((noinline)) static size_t count_events(void)
{
    for (int i = 0; i < PLANTED_BATCH; i++)
        planted_self ? counters.misses++ : counters.hits++;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t count_slots(void)
{
    for (int i = 0; i < PLANTED_BATCH; i++)
        slots[planted_self].count++;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t count_total(void)
{
    for (int i = 0; i < PLANTED_BATCH; i++)
        atomic_fetch_add(&total, 1);
    return PLANTED_BATCH;
}

const struct planted_mode planted_thread_modes[] = {
    {"false-sharing", NULL, 0, count_events, 2},
    {"false-sharing-fixed", NULL, 0, count_slots, 2},
    {"true-sharing", NULL, 0, count_total, 2},
    {"true-sharing-clean", NULL, 0, count_total, 1}, /* an atomic used by one thread */
    {NULL, NULL, 0, NULL, 0},
};
