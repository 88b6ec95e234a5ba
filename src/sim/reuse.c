/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/reuse.h"

#include "sim/state.h"

uint64_t reuse_bucket_start(uint32_t bucket)
{
    if (bucket < REUSE_STEPS)
        return bucket;
    return (uint64_t)(REUSE_STEPS + bucket % REUSE_STEPS) << (bucket / REUSE_STEPS - 1);
}

static bool sampled(const struct reuse_histogram *histogram)
{
    bool any = histogram->first_256ths != 0;
    for (int i = 0; i < REUSE_BUCKETS && !any; i++)
        any = histogram->accesses_256ths[i] != 0;
    return any;
}

const struct reuse_histogram *reuse_total(const struct model *model)
{
    return sampled(&model->reuse.total) ? &model->reuse.total : NULL;
}

static const struct reuse_histogram *of_id(const struct model *model, const struct ids *ids,
                                           uint32_t id)
{
    struct reuse_histogram *const *place = model->reuse.table ? ids_find(ids, id) : NULL;
    return place ? *place : NULL;
}

const struct reuse_histogram *reuse_of_ip(const struct model *model, uint32_t ip)
{
    return of_id(model, &model->reuse.ips, ip);
}

const struct reuse_histogram *reuse_of_bin(const struct model *model, uint32_t bin)
{
    return of_id(model, &model->reuse.bins, bin);
}

/* Part of a bucket's distances that are at least `lines`. */
static double part_beyond(uint32_t bucket, uint64_t lines)
{
    uint64_t start = reuse_bucket_start(bucket), end = reuse_bucket_start(bucket + 1);
    if (lines <= start)
        return 1;
    return lines >= end ? 0 : (double)(end - lines) / (double)(end - start);
}

double reuse_miss_ratio(const struct reuse_histogram *histogram, uint64_t lines, uint64_t accesses)
{
    double misses = (double)histogram->first_256ths;
    double all = misses;
    for (uint32_t i = 0; i < REUSE_BUCKETS; i++) {
        all += (double)histogram->accesses_256ths[i];
        misses += (double)histogram->accesses_256ths[i] * part_beyond(i, lines);
    }
    if (!all)
        return __builtin_nan("");
    if (accesses)
        all = 256.0 * (double)accesses;
    return misses < all ? misses / all : 1;
}
