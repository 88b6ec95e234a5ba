/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/lines.h"

#include "valgrind/access.h"
#include "valgrind/shared.h"
#include "valgrind/tell.h"
#include "sim/tally.h"

/* One line in so many has its users counted; watched lines miss the model's fast path. */
enum { USERS_ONE_IN = 64 };

_Static_assert(sizeof(struct tally_pair) == sizeof(struct sim_pair), "the model writes them");
_Static_assert(__builtin_offsetof(struct tally_pair, second) ==
                   __builtin_offsetof(struct sim_pair, second),
               "in the same order");

static UInt running;

static ULong ip_of(UInt id)
{
    return id < SIM_INSTRUCTIONS_MAX ? shared->instructions[id].ip : 0;
}

static UInt saturated(ULong count)
{
    return count < 0xffffffff ? (UInt)count : 0xffffffff;
}

static void on_eviction(void *context, const struct model_eviction *eviction)
{
    const struct model_use *use = &eviction->use;
    (void)context;
    if (!(shared->header.use_levels >> eviction->level & 1) ||
        access_is_left_out(eviction->fetched.address))
        return;
    UInt stands = tell_line_due(SIM_LEFT, eviction->level);
    if (!stands)
        return;
    struct sim_line line = {
        .kind = SIM_LEFT,
        .level = (UChar)eviction->level,
        .used_bytes = (UShort)eviction->used_bytes,
        .tid = running,
        .touched_bytes = saturated(use->touched_bytes),
        .ip = ip_of(eviction->fetched.ip),
        .address = eviction->fetched.address,
    };
    for (UInt i = 0; i < SIM_USES; i++)
        line.uses[i] = saturated(use->uses[i]);
    tell_line(&line, stands);
}

static void on_reuse(void *context, const struct model_reuse *reuse)
{
    (void)context;
    UInt due = access_is_left_out(reuse->who.address) ? 0 : tell_line_due(SIM_REUSED, 0);
    if (!due)
        return;
    struct sim_line line = {
        .kind = SIM_REUSED,
        .tid = running,
        .ip = ip_of(reuse->who.ip),
        .address = reuse->who.address,
        .distance = reuse->distance,
    };
    tell_line(&line, due * ((reuse->stands_256ths + 128) / 256));
}

static void *allocate_pairs(void *context, uint32_t which, uint32_t level, size_t size_bytes)
{
    (void)context;
    if (which == MODEL_BIN_EVICTED_BY_BIN || size_bytes > sizeof shared->pairs[0][0])
        return NULL;
    return shared->pairs[which == MODEL_IP_USED_BY_IP ? SIM_USED_BY : SIM_EVICTED_BY][level];
}

void lines_want(struct model_spec *spec, struct model_host *host)
{
    if (!(shared->header.flags & SIM_WANT_USE))
        return;
    spec->use = True;
    spec->users_one_in = USERS_ONE_IN;
    spec->reuse_lines = SIM_REUSE_LINES;
    spec->reuse_one_in = SIM_REUSE_ONE_IN;
    spec->pairs_max = SIM_PAIRS_MAX;
    host->eviction = on_eviction;
    host->reuse = on_reuse;
    host->allocate_pairs = allocate_pairs;
}

void lines_runs(UInt tid)
{
    running = tid;
}
