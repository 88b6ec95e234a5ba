/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What functions and instructions waited for that has no object. */
#include "profile/state.h"

#include <math.h>
#include <stdio.h>

static const char *note_of(struct build *build, uint32_t reason)
{
    char text[64];
    snprintf(text, sizeof text, "object unknown: %s", access_reason_name((enum reason)reason));
    const char *note = arena_string(build->arena, text);
    build->failed |= !note;
    return note;
}

double build_everything(const struct build *build)
{
    const struct profile *profile = build->profile;
    return build_read(build, &profile->all[build->event].weight) +
           build_read(build, &profile->unplaced.all[build->event].weight);
}

/* Attributed weight by instruction, of those in `unplaced`: sums[i] of the i-th. */
static bool sum_attributed(const struct build *build, double *sums)
{
    const struct pair **sorted = build->profile->unplaced.sorted;
    const struct pairs *code = &build->profile->code;
    struct hash index = {0};
    bool known = true;
    hash_init(&index);
    for (size_t i = 0; i < build->unplaced_count && known; i++) {
        uint32_t *at = hash_insert(&index, sorted[i]->key, NULL);
        known = at;
        if (at)
            *at = (uint32_t)i;
    }
    for (size_t i = 0; i < code->count && known; i++) {
        const struct pair *pair = &code->at[i];
        if (pair->owner == PAIR_EMPTY || PAIR_EVENT(pair->owner) != build->event)
            continue;
        const uint32_t *at = hash_find(&index, pair->key);
        if (at)
            sums[*at] += build_read(build, &pair->weight);
    }
    hash_fini(&index);
    return known;
}

/*
 * Weight of the samples without an object that nothing is known of. Of an instruction of which the
 * part f is without one, the others tell where it goes as far as they are 1 - f of all.
 */
static double unlike_others(struct build *build)
{
    const struct unplaced *unplaced = &build->profile->unplaced;
    double unlike = build_read(build, &unplaced->waited[build->event].weight);
    if (!build->unplaced_count)
        return unlike;
    double *sums = arena_array(build->arena, build->unplaced_count, sizeof *sums);
    if (!sums || !sum_attributed(build, sums))
        return unlike;
    for (size_t i = 0; i < build->unplaced_count; i++) {
        double own = build_read(build, &unplaced->sorted[i]->weight);
        if (own > 0)
            unlike -= own * sums[i] / (own + sums[i]);
    }
    return unlike > 0 ? unlike : 0;
}

void build_unplaced(struct build *build)
{
    struct unplaced *unplaced = &build->profile->unplaced;
    build->unplaced_count = pairs_sorted(&unplaced->code, build->event, unplaced->sorted);
    build->unlike = unlike_others(build);
}

struct snapshot_share build_widened(const struct build *build, struct snapshot_share share)
{
    double all = build_read(build, &build->profile->all[build->event].weight) +
                 build_read(build, &build->profile->unplaced.waited[build->event].weight);
    double unlike = all > 0 ? fmin(build->unlike / all, 1) : 0;
    share.low *= 1 - unlike;
    share.high = share.high * (1 - unlike) + unlike;
    return share;
}

void build_function_unplaced(const struct build *build, struct snapshot_code *code)
{
    const struct unplaced *unplaced = &build->profile->unplaced;
    const struct tally *known = tallies_at(&build->profile->functions, code->id, build->event);
    const struct tally *tally = unplaced_tally(unplaced, code->id, build->event);
    double all = build_everything(build);
    double weight = tally ? build_read(build, &tally->weight) : 0;
    code->unknown_samples = tally ? build_samples(build, &tally->weight) : 0;
    code->unknown_over = tally ? build_over(build, &tally->samples, &tally->weight) : 0;
    code->unknown_share = all > 0 ? weight / all : NAN;
    code->all_share = all > 0 ? (weight + build_read(build, &known->weight)) / all : NAN;
}

static const struct pair **pairs_for(const struct build *build, uint32_t function, size_t *count)
{
    const struct pair **sorted = build->profile->unplaced.sorted;
    size_t first;
    *count = pairs_of(sorted, build->unplaced_count, PAIR_OWNER(function, build->event), &first);
    return sorted + first;
}

void build_note_unplaced(struct build *build, struct snapshot_code *code)
{
    size_t count;
    const struct pair **pairs = pairs_for(build, code->id, &count);
    const struct pair *hottest = NULL;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double samples = build_samples(build, &pairs[i]->weight);
        if (samples > most) {
            most = samples;
            hottest = pairs[i];
        }
    }
    if (!hottest)
        return;
    code->unknown_note = note_of(build, hottest->extra);
    if (!code->address)
        code->address = hottest->key;
}

size_t build_unplaced_most(const struct build *build, uint32_t function)
{
    size_t count;
    pairs_for(build, function, &count);
    return count;
}

/* The row of an address among `used` that stand by it; NULL. */
static struct snapshot_instruction *row_at(struct snapshot_instruction *rows, size_t used,
                                           uint64_t address)
{
    size_t low = 0;
    size_t high = used;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < used && rows[low].address == address ? &rows[low] : NULL;
}

size_t build_join_unplaced(struct build *build, uint32_t function,
                           struct snapshot_instruction *rows, size_t used)
{
    size_t count;
    const struct pair **pairs = pairs_for(build, function, &count);
    size_t known = used;
    for (size_t i = 0; i < count; i++) {
        double samples = build_samples(build, &pairs[i]->weight);
        struct snapshot_instruction *row = row_at(rows, known, pairs[i]->key);
        if (!(samples > 0))
            continue;
        if (!row) {
            row = &rows[used];
            *row = (struct snapshot_instruction){
                .address = pairs[i]->key, .object = UINT32_MAX, .type_id = (uint32_t)used};
            used++;
        }
        row->unknown_samples = samples;
        row->unknown_over = build_over(build, &pairs[i]->samples, &pairs[i]->weight);
        row->unknown_note = note_of(build, pairs[i]->extra);
    }
    return used;
}
