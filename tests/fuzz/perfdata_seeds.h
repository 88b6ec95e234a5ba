/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds of fuzz_perfdata.c: recordings of every form made here, and real ones, whole and truncated,
 * if available ($SHARED_DATA). */
#ifndef MISSTOP_TESTS_PERFDATA_SEEDS_H
#define MISSTOP_TESTS_PERFDATA_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERFDATA_SEEDS_MAX = 64, PERFDATA_SEED_BYTES_MAX = 2 << 20 };

struct perfdata_seed {
    uint8_t *bytes;
    size_t size;
    bool whole; /* a whole real recording, large: used rarely */
};

extern struct perfdata_seed perfdata_seeds[PERFDATA_SEEDS_MAX];
extern size_t perfdata_seed_count;

/* Makes the seeds. Returns true if real recordings are among them. */
bool perfdata_seeds_make(void);

#endif
