/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log that the program `walked` keeps of its blocks, in memory shared with the test. */
#ifndef MISSTOP_TESTS_WALKED_H
#define MISSTOP_TESTS_WALKED_H

#include <stdatomic.h>
#include <stdint.h>

enum { WALKED_THREADS = 24, WALKED_SLOTS = 6000, WALKED_FREED = 4096 };

/* Written by one thread: `sequence` is odd while it changes. */
struct walked_slot {
    _Atomic uint64_t sequence;
    _Atomic uint64_t pointer; /* 0: no block */
    _Atomic uint64_t usable_bytes;
};

struct walked_thread {
    struct walked_slot slots[WALKED_SLOTS];
    uint64_t freed[WALKED_FREED]; /* ring buffer of the last freed blocks */
    uint64_t freed_count;
};

struct walked {
    _Atomic uint32_t ready; /* threads that have finished and wait */
    _Atomic uint32_t threads;
    _Atomic uint64_t operations;
    struct walked_thread by_thread[WALKED_THREADS];
};

#endif
