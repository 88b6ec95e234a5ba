/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/spec.h"

#include <stddef.h>

/* More lines than any cache has; indexes are 32 bits. */
static const uint64_t LINES_MAX = UINT64_C(1) << 28;

/* Each text once for each level, for there is nothing here to format numbers with. */
#define LEVEL_TEXTS(text)                                                                          \
    {                                                                                              \
        "level 1: " text, "level 2: " text, "level 3: " text, "level 4: " text,                    \
            "instruction cache: " text                                                             \
    }
enum { INSTRUCTION = MODEL_LEVELS_MAX };

static bool power_of_two(uint64_t value)
{
    return value && !(value & (value - 1));
}

static const char *refuse_line(const struct model_level_spec *level, uint32_t index)
{
    static const char *const not_power[] = LEVEL_TEXTS("bytes of a line are no power of two");
    static const char *const out_of_range[] = LEVEL_TEXTS("a line has 4 to 4096 bytes");
    if (level->line_bytes < MODEL_LINE_MIN || level->line_bytes > MODEL_LINE_MAX)
        return out_of_range[index];
    return power_of_two(level->line_bytes) ? NULL : not_power[index];
}

static const char *refuse_ways(const struct model_level_spec *level, uint32_t index)
{
    static const char *const none[] = LEVEL_TEXTS("there are no ways");
    static const char *const many[] = LEVEL_TEXTS("more than 65536 ways");
    static const char *const policy[] = LEVEL_TEXTS("unknown replacement policy");
    static const char *const tree[] = LEVEL_TEXTS("tree-PLRU wants 2, 4, 8, 16, 32 or 64 ways");
    if (!level->ways)
        return none[index];
    if (level->ways > MODEL_WAYS_MAX)
        return many[index];
    if (level->policy > MODEL_RANDOM)
        return policy[index];
    if (level->policy == MODEL_TREE_PLRU &&
        (!power_of_two(level->ways) || level->ways < 2 || level->ways > MODEL_TREE_WAYS_MAX))
        return tree[index];
    return NULL;
}

static const char *refuse_size(const struct model_level_spec *level, uint32_t index)
{
    static const char *const uneven[] = LEVEL_TEXTS("size is no multiple of ways times line");
    static const char *const small[] = LEVEL_TEXTS("size is less than one set");
    static const char *const large[] = LEVEL_TEXTS("more than 2^28 lines");
    uint64_t set_bytes = (uint64_t)level->ways * level->line_bytes;
    if (level->size_bytes < set_bytes)
        return small[index];
    if (level->size_bytes % set_bytes)
        return uneven[index];
    return level->size_bytes / level->line_bytes > LINES_MAX ? large[index] : NULL;
}

static const char *refuse_level(const struct model_level_spec *level, uint32_t index)
{
    const char *why = refuse_line(level, index);
    if (!why)
        why = refuse_ways(level, index);
    return why ? why : refuse_size(level, index);
}

/* How a level goes with the one above it. */
static const char *refuse_pair(const struct model_spec *spec, uint32_t index)
{
    static const char *const shorter[] = LEVEL_TEXTS("lines shorter than those of the level above");
    static const char *const private_below[] = LEVEL_TEXTS("private below a shared level");
    static const char *const lengths[] =
        LEVEL_TEXTS("private levels of several threads have one length of line");
    static const char *const whole[] = LEVEL_TEXTS("inclusive, but asked as cachegrind does");
    const struct model_level_spec *above = &spec->level[index - 1];
    const struct model_level_spec *level = &spec->level[index];
    if (level->line_bytes < above->line_bytes)
        return shorter[index];
    if (above->shared && !level->shared)
        return private_below[index];
    if (spec->threads > 1 && !level->shared && level->line_bytes != above->line_bytes)
        return lengths[index];
    return spec->whole_access_below && level->inclusive ? whole[index] : NULL;
}

static const char *refuse_rest(const struct model_spec *spec)
{
    if (!spec->threads || spec->threads > MODEL_THREADS_MAX)
        return "1 to 126 threads";
    if (spec->prefetch > MODEL_STRIDE)
        return "unknown kind of prefetch";
    if (spec->prefetch && spec->prefetch_level >= spec->level_count)
        return "prefetch into a level that is not there";
    if (spec->users_one_in && !power_of_two(spec->users_one_in))
        return "one line in so many: no power of two";
    if (spec->reuse_one_in && !power_of_two(spec->reuse_one_in))
        return "reuse distances of one line in so many: no power of two";
    if (spec->reuse_one_in > 1u << 16)
        return "reuse distances of less than one line in 65536";
    if (spec->reuse_lines > LINES_MAX)
        return "reuse distances of more than 2^28 lines";
    return NULL;
}

const char *model_spec_refuse(const struct model_spec *spec)
{
    if (!spec->level_count || spec->level_count > MODEL_LEVELS_MAX)
        return "1 to 4 levels";
    const char *why = refuse_rest(spec);
    for (uint32_t i = 0; i < spec->level_count && !why; i++) {
        why = refuse_level(&spec->level[i], i);
        if (!why && i)
            why = refuse_pair(spec, i);
    }
    if (!why && spec->instruction.size_bytes)
        why = refuse_level(&spec->instruction, INSTRUCTION);
    return why;
}

void model_spec_complete(struct model_spec *spec)
{
    const uint32_t ids = 1u << 20;
    if (!spec->ips_max)
        spec->ips_max = ids;
    if (!spec->bins_max)
        spec->bins_max = ids;
    if (!spec->evicted_max)
        spec->evicted_max = 1u << 18;
    if (!spec->pairs_max)
        spec->pairs_max = 1u << 16;
    if (!spec->lines_limit_bytes)
        spec->lines_limit_bytes = UINT64_C(1) << 30;
    if (!spec->seed)
        spec->seed = 1;
}
