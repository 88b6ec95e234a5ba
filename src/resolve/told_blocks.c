/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks of a bin, and the paths that make them; declared in told.h. */
#include "resolve/told.h"

static void each_block(const struct told *told, const struct blocks *blocks, uint32_t lead,
                       void (*block)(void *context, uint64_t start, uint64_t bytes), void *context)
{
    struct block found;
    for (uint64_t at = 0; blocks_next(blocks, at, &found); at = found.start + 1)
        if (told_lead(told, found.bin) == lead)
            block(context, found.start,
                  found.requested_bytes ? found.requested_bytes : found.usable_bytes);
}

void told_blocks(const struct told *told, uint32_t bin,
                 void (*block)(void *context, uint64_t start, uint64_t bytes), void *context)
{
    uint32_t lead = told_lead(told, bin);
    each_block(told, told->blocks, lead, block, context);
    each_block(told, told->mappings, lead, block, context);
}

/* Those of malloc: of mappings the pair index, path * 2 + 1, is not asked for. */
enum allocation_path told_path(const struct told *told, uint32_t bin, uint32_t path)
{
    struct bin_info info;
    uint32_t its = path < told->path_room / 2 ? told->bin_of_path[path * 2] : 0;
    if (!its || !bins_info(told->bins, its, &info) || !info.lead)
        return ALLOCATION_PATH_UNKNOWN;
    return info.lead == told_lead(told, bin) ? ALLOCATION_PATH_ITS : ALLOCATION_PATH_OTHER;
}
