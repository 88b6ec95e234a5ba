/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the parts of findings_planted.c. Each part has modes; a mode is the work of one
 * program. NAME-fixed does the work of NAME without its problem; other names with the same
 * beginning resemble it and have no problem.
 */
#ifndef MISSTOP_TESTS_LIVE_FINDINGS_PLANTED_H
#define MISSTOP_TESTS_LIVE_FINDINGS_PLANTED_H

#include <stddef.h>
#include <stdint.h>

/* Steps of work, with random choices, between two readings of the clock. */
enum { PLANTED_BATCH = 1 << 16 };

struct planted_mode {
    const char *name;
    void (*make)(size_t count); /* NULL: nothing to make */
    size_t count;
    size_t (*work)(void); /* returns the steps done */
    int threads;
};

/* The last mode has no name. */
extern const struct planted_mode planted_layout_modes[];
extern const struct planted_mode planted_order_modes[];
extern const struct planted_mode planted_page_modes[];
extern const struct planted_mode planted_block_modes[];
extern const struct planted_mode planted_stack_modes[];
extern const struct planted_mode planted_thread_modes[];
extern const struct planted_mode planted_sim_modes[];

extern volatile double planted_sink;
extern __thread int planted_self; /* 0, 1: number of the thread */

/* Marsaglia's xorshift (J. Stat. Soft. 8, 2003). */
static inline uint64_t planted_random(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Returns the numbers 0 to count - 1 in random order; the caller frees them. */
uint32_t *planted_shuffled(size_t count);
/* Returns memory that was written to, aligned to a cache line. */
void *planted_memory(size_t bytes);

#endif
