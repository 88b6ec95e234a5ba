/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How lines were used, of everything and of each part. */
#include "profile/state.h"

/* Fewer lines say nothing yet of a level. */
enum { LINES_LEAST = 64 };

static void read_sums(const struct build *build, const struct use_sums *sums,
                      struct snapshot_use *out)
{
    *out = (struct snapshot_use){
        .lines = build_read(build, &sums->lines),
        .fetched_bytes = build_read(build, &sums->fetched_bytes),
        .used_bytes = build_read(build, &sums->used_bytes),
        .touched_bytes = build_read(build, &sums->touched_bytes),
    };
    for (int i = 0; i < LINE_USES; i++)
        out->uses[i] = build_read(build, &sums->uses[i]);
}

/* Where large caches lose nothing while a program runs, the nearer ones do. */
void build_uses(struct build *build)
{
    const struct use *use = &build->profile->use;
    struct snapshot_uses *uses = &build->snapshot->uses;
    uint8_t wanted = use->level_of[build->event];
    *uses = (struct snapshot_uses){0};
    if (!use->rows)
        return;
    for (unsigned level = wanted ? wanted : USE_LEVELS; level-- > 0 && !uses->told;) {
        uses->told = use->all[level].lines.at[BASIS_RUN] >= LINES_LEAST;
        uses->level = (uint8_t)level;
    }
    for (unsigned level = 0; level < USE_LEVELS && !uses->told; level++) {
        uses->told = use->all[level].lines.at[BASIS_RUN] > 0;
        uses->level = (uint8_t)level;
    }
    uses->is_nearer = uses->told && uses->level + 1 != wanted;
    if (uses->told)
        read_sums(build, &use->all[uses->level], &uses->all);
}

static const struct use_sums *find(const struct build *build, enum use_of of, uint32_t id,
                                   uint64_t offset)
{
    const struct snapshot_uses *uses = &build->snapshot->uses;
    return uses->told ? use_row(&build->profile->use, use_key(of, uses->level, id, offset)) : NULL;
}

struct snapshot_use *build_use_of(struct build *build, const struct snapshot_use *sum)
{
    if (!(sum->lines > 0))
        return NULL;
    struct snapshot_use *use = arena_array(build->arena, 1, sizeof *use);
    build->failed |= !use;
    if (use)
        *use = *sum;
    return use;
}

static struct snapshot_use *build_use(struct build *build, enum use_of of, uint32_t id,
                                      uint64_t offset)
{
    const struct use_sums *sums = find(build, of, id, offset);
    struct snapshot_use sum = {0};
    if (sums)
        read_sums(build, sums, &sum);
    return build_use_of(build, &sum);
}

struct snapshot_use *build_object_use(struct build *build, uint32_t object)
{
    return build_use(build, USE_OBJECT, object, 0);
}

struct snapshot_use *build_function_use(struct build *build, uint32_t function)
{
    return build_use(build, USE_FUNCTION, function, 0);
}

struct snapshot_use *build_instruction_use(struct build *build, uint64_t ip)
{
    return build_use(build, USE_INSTRUCTION, 0, ip);
}

void build_sum_offset_use(const struct build *build, const struct pair *pair,
                          struct snapshot_use *sum)
{
    const struct use_sums *sums = find(build, USE_FIELD, PAIR_OBJECT(pair->owner), pair->key);
    struct snapshot_use one;
    if (!sums)
        return;
    read_sums(build, sums, &one);
    snapshot_use_sum(sum, &one);
}
