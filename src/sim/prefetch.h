/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is fetched ahead: it says which line, the model fetches it. Used inside src/sim only. */
#ifndef MISSTOP_SIM_PREFETCH_H
#define MISSTOP_SIM_PREFETCH_H

#include "sim/memory.h"

enum { PREFETCH_STATEMENTS = 256 };

struct prefetch_statement {
    uint32_t ip;
    bool steady; /* the last two steps were the same */
    uint64_t last;
    uint64_t step_bytes; /* modulo 2^64: may go back */
};

struct prefetch {
    struct prefetch_statement statements[PREFETCH_STATEMENTS]; /* of the stride kind, by ip */
    uint8_t kind;                                              /* enum model_prefetch */
    uint32_t line_bytes;
};

/*
 * An access missed, or was the first to use what was fetched ahead: whether another line is to be
 * fetched, and an address in it.
 */
bool prefetch_next(struct prefetch *prefetch, uint32_t ip, uint64_t address, uint64_t *next);

#endif
