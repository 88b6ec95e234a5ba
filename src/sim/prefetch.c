/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/prefetch.h"

static bool next_line(const struct prefetch *prefetch, uint64_t address, uint64_t *next)
{
    *next = (address & ~(uint64_t)(prefetch->line_bytes - 1)) + prefetch->line_bytes;
    return *next != 0;
}

/* A step within a line still leads to the next one, in its direction. */
static uint64_t at_least_a_line(const struct prefetch *prefetch, uint64_t step_bytes)
{
    int64_t step = (int64_t)step_bytes;
    int64_t line = prefetch->line_bytes;
    if (step > -line && step < line)
        step = step < 0 ? -line : line;
    return (uint64_t)step;
}

static bool by_stride(struct prefetch *prefetch, uint32_t ip, uint64_t address, uint64_t *next)
{
    struct prefetch_statement *at = &prefetch->statements[ip % PREFETCH_STATEMENTS];
    if (at->ip != ip || !at->last) {
        *at = (struct prefetch_statement){.ip = ip, .last = address};
        return false;
    }
    uint64_t step_bytes = address - at->last;
    at->steady = step_bytes && step_bytes == at->step_bytes;
    at->step_bytes = step_bytes;
    at->last = address;
    *next = address + at_least_a_line(prefetch, step_bytes);
    return at->steady;
}

bool prefetch_next(struct prefetch *prefetch, uint32_t ip, uint64_t address, uint64_t *next)
{
    if (prefetch->kind == MODEL_NEXT_LINE)
        return next_line(prefetch, address, next);
    return prefetch->kind == MODEL_STRIDE && by_stride(prefetch, ip, address, next);
}
