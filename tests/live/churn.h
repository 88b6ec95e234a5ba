/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log that churn writes. */
#ifndef MISSTOP_TESTS_CHURN_H
#define MISSTOP_TESTS_CHURN_H

#include <stdint.h>

/* Times before and after the calls: CLOCK_MONOTONIC, 0 if it was never freed. */
struct churn_block {
    uint64_t start;
    uint64_t usable_bytes;
    uint64_t alloc_before_ns;
    uint64_t alloc_after_ns;
    uint64_t free_before_ns;
    uint64_t free_after_ns;
};

struct churn_head {
    uint64_t count;
    uint64_t done;
    struct churn_block blocks[];
};

#endif
