/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap's bins beside their misses, as a snapshot shows them. */
#include "profile/state.h"

#include "profile/snapshot_twins.h"

#include <math.h>
#include <stdlib.h>

enum { BINS_LISTED = 2000 };

/* A leak suspect has grown for so long without a sample on it. */
static const double suspect_age_s = 10;
static const double suspect_growth = 0.05; /* of what it holds, since the mark */

/* The copy's strings are the snapshot's own. */
static void copy_bin(struct build *build, struct heap_bin *bin)
{
    const char **site = arena_array(build->arena, bin->site_count, sizeof *site);
    build->failed |= bin->site_count && !site;
    for (uint32_t i = 0; site && i < bin->site_count; i++)
        site[i] = arena_string(build->arena, bin->site[i]);
    bin->site = site;
    bin->name = arena_string(build->arena, bin->name ? bin->name : "");
    bin->path = arena_string(build->arena, bin->path);
    bin->type = arena_string(build->arena, bin->type);
    build->failed |= !bin->name;
}

static void add_misses(struct build *build, struct snapshot_bin *bin, uint32_t object,
                       const struct tallies *tallies)
{
    if (!object || object >= tallies->ids)
        return;
    const struct tally *tally = tallies_at(tallies, object, build->event);
    double all = build_read(build, &build->profile->all[build->event].weight);
    bin->samples += build_read(build, &tally->samples);
    bin->share += all > 0 ? build_read(build, &tally->weight) / all : 0;
    bin->touched |= tally->samples.at[BASIS_RUN] > 0;
}

/* Those that count under the bin's own name, and under those of types. */
static void fill_misses(struct build *build, struct snapshot_bin *bin)
{
    const struct profile *profile = build->profile;
    uint32_t object = bin->heap.object;
    bin->share = 0;
    for (; object; object = bin->heap.walked ? 0 : build_next_part(build, object)) {
        add_misses(build, bin, object, &profile->objects);
        add_misses(build, bin, object, &profile->holders);
    }
}

static bool is_suspect(const struct snapshot_bin *bin)
{
    const struct heap_bin *heap = &bin->heap;
    return !bin->touched && heap->growth_blocks > 0 && heap->age_s >= suspect_age_s &&
           heap->growth_bytes >= suspect_growth * (double)heap->usable_bytes;
}

/* What decides whether a bin is listed. */
struct rank {
    uint32_t index;
    double share;
    uint64_t bytes;
};

static int most_missed(const void *left, const void *right)
{
    const struct rank *a = left;
    const struct rank *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static size_t rank_bins(struct build *build, struct rank *ranks, size_t room)
{
    const struct place_names *names = &build->profile->options.names;
    struct snapshot_bin bin;
    size_t count = 0;
    for (uint32_t i = 0; count < room && names->heap_bin(names->context, i, &bin.heap); i++) {
        bin = (struct snapshot_bin){.heap = bin.heap};
        fill_misses(build, &bin);
        if (bin.heap.live_blocks || bin.heap.allocations)
            ranks[count++] = (struct rank){i, bin.share, bin.heap.usable_bytes};
    }
    qsort(ranks, count, sizeof *ranks, most_missed);
    return count;
}

/* Blocks that are called after their type are found there: the strongest object of it. */
static uint32_t object_of_type(const struct snapshot *snapshot, const struct snapshot_bin *bin)
{
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        if (object->kind == OBJECT_HEAP && object->type_id == bin->heap.type_id)
            return (uint32_t)i;
    }
    return bin->object;
}

static void list_bin(struct build *build, uint32_t index, struct snapshot_heap *shown)
{
    const struct place_names *names = &build->profile->options.names;
    struct snapshot_bin *bin = &shown->bins[shown->bin_count];
    if (!names->heap_bin(names->context, index, &bin->heap))
        return;
    fill_misses(build, bin);
    copy_bin(build, &bin->heap);
    bin->object = build_object_index(build, bin->heap.object);
    bin->suspect = is_suspect(bin);
    if (bin->object != UINT32_MAX)
        build->snapshot->objects[bin->object].bin = (uint32_t)shown->bin_count;
    if (bin->heap.walked && bin->heap.type_id)
        bin->object = object_of_type(build->snapshot, bin);
    shown->bin_count++;
}

static void list_bins(struct build *build, struct snapshot_heap *shown)
{
    size_t room = shown->summary.bins;
    struct rank *ranks = calloc(room ? room : 1, sizeof *ranks);
    size_t count = ranks ? rank_bins(build, ranks, room) : 0;
    size_t listed = count < BINS_LISTED ? count : BINS_LISTED;
    shown->bins = arena_array(build->arena, listed, sizeof *shown->bins);
    shown->bins_left_out = count - listed;
    build->failed |= !ranks || !shown->bins;
    for (size_t i = 0; i < listed && !build->failed; i++)
        list_bin(build, ranks[i].index, shown);
    build->failed |= !build->failed && !twins_tell_apart(shown, build->arena);
    free(ranks);
}

void build_heap(struct build *build)
{
    const struct place_names *names = &build->profile->options.names;
    struct snapshot_heap *shown = &build->snapshot->heap;
    *shown = (struct snapshot_heap){.summary = {.mark_age_s = NAN}};
    for (size_t i = 0; i < build->snapshot->object_count; i++)
        build->snapshot->objects[i].bin = UINT32_MAX;
    if (build->profile->options.run)
        shown->summary.note = "The heap is known as it is now, not as it was in this stretch of "
                              "the run.";
    if (build->profile->options.run || !names->heap || !names->heap_bin)
        return;
    names->heap(names->context, &shown->summary);
    shown->summary.source = arena_string(build->arena, shown->summary.source);
    shown->summary.note = arena_string(build->arena, shown->summary.note);
    list_bins(build, shown);
}
