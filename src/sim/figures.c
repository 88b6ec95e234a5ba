/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model found, read. */
#include "sim/state.h"

double model_spatial_use(const struct model_figures *figures, uint32_t line_bytes)
{
    uint64_t lines = figures->fetched + figures->prefetched;
    return lines ? 100.0 * (double)figures->used_bytes / ((double)lines * line_bytes)
                 : __builtin_nan("");
}

double model_temporal_use(const struct model_figures *figures)
{
    return figures->used_bytes ? (double)figures->touched_bytes / (double)figures->used_bytes - 1
                               : __builtin_nan("");
}

const struct model_figures *model_total(const struct model *model, uint32_t level)
{
    return level < model->spec.level_count ? &model->total[level] : NULL;
}

static const struct model_figures *of_id(const struct model *model, const struct ids *ids,
                                         uint32_t id, uint32_t level)
{
    const struct model_figures *levels = level < model->spec.level_count ? ids_find(ids, id) : NULL;
    return levels ? &levels[level] : NULL;
}

const struct model_figures *model_of_ip(const struct model *model, uint32_t ip, uint32_t level)
{
    return of_id(model, &model->ips, ip, level);
}

const struct model_figures *model_of_bin(const struct model *model, uint32_t bin, uint32_t level)
{
    return of_id(model, &model->bins, bin, level);
}

uint64_t model_instruction_misses(const struct model *model, uint32_t level)
{
    return level < model->spec.level_count ? model->instruction_misses[level] : 0;
}

uint64_t model_each_pair(const struct model *model, enum model_pairs which, uint32_t level,
                         model_pair_told told, void *context)
{
    const struct tally *tally = &model->pairs[which][level];
    for (uint64_t slot = 0; tally->pairs && slot <= tally->mask; slot++)
        if (tally->pairs[slot].count)
            told(context, tally->pairs[slot].first, tally->pairs[slot].second,
                 tally->pairs[slot].count);
    return tally->overflow;
}

uint64_t model_memory_bytes(const struct model *model)
{
    return model->memory.allocated_bytes;
}

struct model_limits model_limits(const struct model *model)
{
    struct model_limits limits = model->limits;
    limits.users_untold = model->users.untold;
    limits.reuse_untold = model->reuse.untold;
    return limits;
}

double model_stall_cycles(const struct model *model, const double *miss_cycles, uint32_t without)
{
    double cycles = 0;
    for (uint32_t level = 0; level < model->spec.level_count; level++) {
        const struct model_figures *bin = model_of_bin(model, without, level);
        uint64_t misses = model->total[level].misses - (bin ? bin->misses : 0);
        cycles += (double)misses * miss_cycles[level];
    }
    return cycles;
}
