/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "profile/snapshot/builders.h"
#include "profile/tables/statistics.h"

/* At most 1,000 objects can have a share of 0.001 or more, apart from rounding. If all objects are
 * requested, the smallest of these shares is used that gives at most LISTED_ALL_MAX rows. */
enum { LISTED_FEW = 64, LISTED_MAX = 1001, LISTED_ALL_MAX = 4000 };
static const double listed_shares[] = {0.001, 0.0001, 0.00001, 0};
enum { LISTED_SHARES = sizeof listed_shares / sizeof *listed_shares };

uint32_t build_next_part(const struct build *build, uint32_t id)
{
    return build->parts ? build->parts[id] : 0;
}

static bool is_part_of_row(const struct build *build, uint32_t id)
{
    return build->part_of && build->part_of[id];
}

static double objects_share(const struct build *build, uint32_t id, uint16_t event)
{
    double all = build_read(build, &build->profile->all[event].weight);
    double own = build_read(build, &tallies_at(&build->profile->objects, id, event)->weight);
    while ((id = build_next_part(build, id)))
        own += build_read(build, &tallies_at(&build->profile->objects, id, event)->weight);
    return all > 0 ? own / all : NAN;
}

static void objects_describe(struct build *build, struct snapshot_object *object)
{
    struct object_desc desc;
    struct type_desc type;
    bool known = build_describe_object(build, object->id, &desc);
    object->name = build_name(build, desc.name);
    object->module = build_name(build, desc.module ? desc.module : "");
    object->type = arena_string(build->arena, desc.type);
    object->type_id = desc.type_id;
    if (build_type(build, desc.type_id, &type))
        object->type_raw = arena_string(build->arena, type.raw ? type.raw : type.name);
    object->type_votes = desc.type_votes;
    object->type_votes_against = desc.type_votes_against;
    object->kind = known ? desc.kind : OBJECT_UNKNOWN;
    object->address = desc.address;
    object->size = desc.size_bytes;
    object->blocks = desc.blocks;
}

/* Adds the blocks of parts, which may have none. */
static void add_blocks(struct build *build, struct snapshot_object *object)
{
    struct object_desc desc;
    bool has_address = object->address;
    /* The oldest part is the last. */
    for (uint32_t id = object->id; (id = build_next_part(build, id));) {
        if (!build_describe_object(build, id, &desc))
            continue;
        object->blocks += desc.blocks;
        object->address = has_address ? object->address : desc.address;
    }
}

/* Fills in the typed counts: shares since the start, applied to the shown weight. */
static void fill_typed(struct snapshot_object *object, const struct object_extra *extra)
{
    double all = 0;
    for (int i = 0; i < TYPED_COUNT; i++)
        all += extra->typed[i];
    for (int i = 0; i < TYPED_COUNT; i++)
        object->typed[i] = all > 0 ? object->samples * extra->typed[i] / all : 0;
}

static void add_tally(struct build *build, struct snapshot_object *object, uint32_t id)
{
    const struct tally *tally = tallies_at(&build->profile->objects, id, build->event);
    object->samples += build_samples(build, &tally->weight);
    object->count_excess += build_samples_over(build, &tally->samples, &tally->weight);
    object->loads += build_samples(build, &tally->loads);
    object->stores += build_samples(build, &tally->stores);
    object->inferred += build_samples(build, &tally->inferred);
}

static void sum_extra(struct object_extra *sum, const struct object_extra *more)
{
    for (int i = 0; i < 4; i++)
        sum->threads[i] |= more->threads[i];
    for (int i = 0; i < TYPED_COUNT; i++)
        sum->typed[i] += more->typed[i];
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        if (!isnan(more->history[i]))
            sum->history[i] = more->history[i] + (isnan(sum->history[i]) ? 0 : sum->history[i]);
}

static void fill_figures(struct build *build, struct snapshot_object *object)
{
    struct profile *profile = build->profile;
    struct object_extra extra = profile->extras[object->id];
    struct build_sums sums = {0};
    add_tally(build, object, object->id);
    build_sum_object(build, object->id, &sums);
    for (uint32_t id = object->id; (id = build_next_part(build, id));) {
        add_tally(build, object, id);
        sum_extra(&extra, &profile->extras[id]);
        build_sum_object(build, id, &sums);
    }
    object->share = build_widen_share(
        build, interval_share(objects_share(build, object->id, build->event),
                              build_effective(build, &profile->all[build->event])));
    for (uint16_t i = 0; i < SAMPLE_EVENTS_MAX; i++)
        object->event_share[i] =
            i < profile->options.event_count ? objects_share(build, object->id, i) : NAN;
    for (int i = 0; i < 4; i++)
        object->threads += (uint32_t)__builtin_popcountll(extra.threads[i]);
    object->threads = object->threads > THREADS_MAX ? THREADS_MAX : object->threads;
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        object->history[i] = extra.history[i];
    fill_typed(object, &extra);
    object->levels = build_levels(build, &sums);
    object->latency = object->levels ? object->levels->latency : NAN;
    object->rates = build_rates(build, &sums.rates);
    object->use = build_use(build, USE_OBJECT, object->id, 0);
}

static bool has_samples(const struct build *build, uint32_t id)
{
    const struct tallies *objects = &build->profile->objects;
    return tallies_at(objects, id, build->event)->samples.at[BASIS_RUN] > 0;
}

/* Returns the share of an object that has had a sample of the ranking event; NAN for other objects,
 * and for parts of another row. */
static double object_own_share(const struct build *build, uint32_t id)
{
    bool any = has_samples(build, id) || build_next_part(build, id);
    return any && !is_part_of_row(build, id) ? objects_share(build, id, build->event) : NAN;
}

/* Finds the objects that are shown under another one because they have no name of their own. */
static void find_parts(struct build *build)
{
    struct profile *profile = build->profile;
    struct object_desc desc;
    for (uint32_t id = 1; id < profile->objects.ids; id++) {
        if (!has_samples(build, id))
            continue;
        build_describe_object(build, id, &desc);
        uint32_t whole = desc.part_of;
        if (!whole || whole == id || tallies_reserve(&profile->objects, whole) != whole ||
            !profile_grow_extras(profile))
            continue;
        if (!build->parts || build->parts_room < profile->objects.ids) {
            uint32_t *parts = build->parts;
            uint32_t *part_of = build->part_of;
            size_t had = build->parts_room;
            build->parts_room = profile->objects.ids;
            build->parts = arena_array(build->arena, profile->objects.ids, sizeof *build->parts);
            build->part_of =
                arena_array(build->arena, profile->objects.ids, sizeof *build->part_of);
            if (had && build->parts && build->part_of) {
                memcpy(build->parts, parts, had * sizeof *parts);
                memcpy(build->part_of, part_of, had * sizeof *part_of);
            }
        }
        if (!build->parts || !build->part_of || build->part_of[whole] || build->parts[id])
            continue;
        build->part_of[id] = whole;
        build->parts[id] = build->parts[whole];
        build->parts[whole] = id;
    }
}

/* A few are always listed, except those that have decayed to nothing. */
static double min_listed(const struct build *build)
{
    size_t counts[LISTED_SHARES] = {0};
    unsigned least = 0;
    bool all = build->snapshot->lists_all_objects;
    size_t most = all ? LISTED_ALL_MAX : LISTED_FEW;
    unsigned shares = all ? LISTED_SHARES : LISTED_SHARES - 1; /* 0 is the last share */
    for (uint32_t id = 0; id < build->profile->objects.ids; id++) {
        double share = object_own_share(build, id);
        for (unsigned i = 0; i < shares; i++)
            counts[i] += share >= listed_shares[i];
    }
    while (least + 1 < shares && counts[least + 1] <= most)
        least++;
    return listed_shares[least];
}

static void index_objects(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    SORT(snapshot->objects, snapshot->object_count, LARGEST(struct snapshot_object, samples),
         SMALLEST(struct snapshot_object, id));
    for (size_t i = 0; i < snapshot->object_count; i++) {
        uint32_t id = snapshot->objects[i].id;
        do
            build->failed |= !hash_put(&build->index, id, (uint32_t)i);
        while ((id = build_next_part(build, id)));
    }
}

void build_objects(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    size_t room = snapshot->lists_all_objects ? LISTED_ALL_MAX : LISTED_MAX;
    snapshot->objects = arena_array(build->arena, room, sizeof *snapshot->objects);
    build->failed = !snapshot->objects;
    find_parts(build);
    build_unplaced(build);
    build_all_levels(build);
    snapshot->objects_min_share = min_listed(build);
    for (uint32_t id = 0; id < build->profile->objects.ids && !build->failed; id++) {
        double share = object_own_share(build, id);
        if (isnan(share))
            continue;
        if (share < snapshot->objects_min_share || snapshot->object_count == room) {
            snapshot->objects_left_out++;
            snapshot->objects_left_share += share;
            continue;
        }
        struct snapshot_object *object = &snapshot->objects[snapshot->object_count++];
        object->id = id;
        objects_describe(build, object);
        add_blocks(build, object);
        fill_figures(build, object);
    }
    index_objects(build);
}

/* Details of the listed objects: fields, layouts and instances. */

enum { INSTANCES = 32 };

/* Merges samples in the same block, from several objects of one row; `all`: a mapping that grew is
 * one block. Returns the number of remaining instances. */
static size_t join_instances(struct snapshot_instance *list, size_t count, bool all)
{
    size_t used = 0;
    SORT(list, count, SMALLEST(struct snapshot_instance, base));
    for (size_t i = 0; i < count; i++) {
        if (!used || (!all && list[used - 1].base != list[i].base)) {
            list[used++] = list[i];
            continue;
        }
        struct snapshot_instance *into = &list[used - 1];
        into->tid = list[i].samples > into->samples ? list[i].tid : into->tid;
        into->size = list[i].size > into->size ? list[i].size : into->size;
        into->samples += list[i].samples;
        into->share += list[i].share;
        into->count_excess += list[i].count_excess;
    }
    return used;
}

static void build_instances(struct build *build, struct snapshot_object *object,
                            const struct pair **pairs, size_t count)
{
    object->instances = build_array(build, count, sizeof *object->instances);
    for (size_t i = 0; object->instances && i < count; i++) {
        double samples = build_samples(build, &pairs[i]->weight);
        object->instances[i] = (struct snapshot_instance){
            .base = pairs[i]->key,
            .size = pairs[i]->size,
            .samples = samples,
            .count_excess = build_samples_over(build, &pairs[i]->samples, &pairs[i]->weight),
            .tid = pairs[i]->extra,
            .share = object->samples > 0 ? samples / object->samples : NAN};
    }
    bool grew = object->kind == OBJECT_ANON && object->blocks == 1;
    if (object->instances && (grew || build_next_part(build, object->id)))
        count = join_instances(object->instances, count, grew);
    if (object->instances && grew && count) {
        object->instances->base = object->address;
        object->instances->size = object->size;
    }
    /* The largest block of a size class may have its own row. */
    if (object->instances && object->kind == OBJECT_HEAP && object->blocks == 1 && count == 1 &&
        !object->type_id && object->instances->size)
        object->size = object->instances->size;
    if (object->instances)
        SORT(object->instances, count, LARGEST(struct snapshot_instance, samples),
             SMALLEST(struct snapshot_instance, base));
    object->instance_count = count < INSTANCES ? count : INSTANCES;
}

/* Builds a row from the pairs of all its objects. */
static void build_part_of_all_objects(struct build *build, struct snapshot_object *object,
                                      size_t all, build_part *part)
{
    const struct pair **sorted = build->profile->sorted;
    const struct pair **list = build_scratch(build, all + 1, sizeof *list);
    size_t count = 0;
    uint32_t id = object->id;
    do {
        size_t first;
        size_t more = list ? pairs_of(sorted, all, PAIR_OWNER(id, build->event), &first) : 0;
        for (size_t i = 0; i < more; i++)
            list[count++] = sorted[first + i];
    } while ((id = build_next_part(build, id)));
    if (list) {
        SORT_POINTERS(list, count, SMALLEST(struct pair, extra), SMALLEST(struct pair, key));
        part(build, object, list, count);
    }
    free(list);
}

size_t build_from(struct build *build, const struct pairs *pairs, build_part *part)
{
    struct snapshot *snapshot = build->snapshot;
    const struct pair **sorted = build->profile->sorted;
    size_t all = pairs_sorted(pairs, build->event, sorted);
    for (size_t i = 0; i < snapshot->object_count && !build->failed; i++) {
        size_t first;
        struct snapshot_object *object = &snapshot->objects[i];
        if (build_next_part(build, object->id)) {
            build_part_of_all_objects(build, object, all, part);
            continue;
        }
        size_t count = pairs_of(sorted, all, PAIR_OWNER(object->id, build->event), &first);
        part(build, object, sorted + first, count);
    }
    return all;
}

void build_details(struct build *build)
{
    build_inferred(build);
    build_from(build, &build->profile->offsets, build_fields);
    build_from(build, &build->profile->instances, build_instances);
}

/* ---- the heap's bins with their misses ---- */

enum { BINS_LISTED = 2000 };

/* A leak suspect has grown for this long without a sample on it. */
static const double suspect_age_s = 10;
static const double suspect_growth = 0.05; /* share of its bytes, since the mark */

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
    bin->was_sampled |= tally->samples.at[BASIS_RUN] > 0;
}

/* Adds misses under the bin's own name and types. A walked bin holds all its samples. */
static void fill_misses(struct build *build, struct snapshot_bin *bin)
{
    const struct profile *profile = build->profile;
    uint32_t object = bin->heap.object;
    bin->share = 0;
    if (bin->heap.is_size_class) {
        add_misses(build, bin, object, &profile->bin_objects);
        return;
    }
    for (; object; object = build_next_part(build, object)) {
        add_misses(build, bin, object, &profile->objects);
        add_misses(build, bin, object, &profile->bin_objects);
    }
}

static bool is_suspect_bin(const struct snapshot_bin *bin)
{
    const struct heap_bin *heap = &bin->heap;
    return !bin->was_sampled && heap->growth_blocks > 0 && heap->age_s >= suspect_age_s &&
           heap->growth_bytes >= suspect_growth * (double)heap->usable_bytes;
}

struct rank {
    uint32_t index;
    double share;
    uint64_t bytes;
};

static size_t rank_bins(struct build *build, struct rank *ranks, size_t room)
{
    union place_answer answer;
    size_t count = 0;
    for (uint32_t i = 0; count < room && build_ask(build, PLACE_BIN, i, &answer); i++) {
        struct snapshot_bin bin = {.heap = answer.bin};
        fill_misses(build, &bin);
        if (bin.heap.live_blocks || bin.heap.allocations)
            ranks[count++] = (struct rank){i, bin.share, bin.heap.usable_bytes};
    }
    SORT(ranks, count, LARGEST(struct rank, share), LARGEST(struct rank, bytes),
         SMALLEST(struct rank, index));
    return count;
}

/* Returns the largest object of the bin's type, under which blocks named by type are counted. */
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
    union place_answer answer;
    struct snapshot_bin *bin = &shown->bins[shown->bin_count];
    if (!build_ask(build, PLACE_BIN, index, &answer))
        return;
    bin->heap = answer.bin;
    fill_misses(build, bin);
    copy_bin(build, &bin->heap);
    bin->object = build_object_index(build, bin->heap.object);
    bin->is_leak_suspect = is_suspect_bin(bin);
    if (bin->object != UINT32_MAX)
        build->snapshot->objects[bin->object].bin = (uint32_t)shown->bin_count;
    if (bin->heap.is_size_class && bin->heap.type_id)
        bin->object = object_of_type(build->snapshot, bin);
    shown->bin_count++;
}

static void list_bins(struct build *build, struct snapshot_heap *shown)
{
    size_t room = shown->summary.bins;
    struct rank *ranks = build_scratch(build, room ? room : 1, sizeof *ranks);
    size_t count = ranks ? rank_bins(build, ranks, room) : 0;
    size_t listed = count < BINS_LISTED ? count : BINS_LISTED;
    shown->bins = build_array(build, listed, sizeof *shown->bins);
    shown->bins_left_out = count - listed;
    for (size_t i = 0; i < listed && !build->failed; i++)
        list_bin(build, ranks[i].index, shown);
    build->failed |= !build->failed && !bins_add_callers(shown, build->arena);
    free(ranks);
}

/* Gives objects the unique names of their bins, for all lists that are built after this one. */
static void name_objects(struct build *build, const struct snapshot_heap *heap)
{
    for (size_t i = 0; i < build->snapshot->object_count; i++) {
        struct snapshot_object *object = &build->snapshot->objects[i];
        if (object->bin < heap->bin_count && heap->bins[object->bin].display_name)
            object->name = heap->bins[object->bin].display_name;
    }
}

void build_heap(struct build *build)
{
    struct snapshot_heap *shown = &build->snapshot->heap;
    union place_answer answer;
    *shown = (struct snapshot_heap){.summary = {.mark_age_s = NAN}};
    for (size_t i = 0; i < build->snapshot->object_count; i++)
        build->snapshot->objects[i].bin = UINT32_MAX;
    if (build->profile->options.run || !build_ask(build, PLACE_HEAP, 0, &answer))
        return;
    shown->summary = answer.heap;
    shown->summary.source = arena_string(build->arena, shown->summary.source);
    shown->summary.note = arena_string(build->arena, shown->summary.note);
    list_bins(build, shown);
    if (!build->failed)
        name_objects(build, shown);
}

/* One call of a bin's path: the function, and the same with file and line if known. */
struct step {
    const char *function;
    size_t length;
    const char *site; /* "function (file:line)"; "": not known */
};

/* The calls of a bin, starting with the innermost. */
struct bin_calls {
    struct snapshot_bin *bin;
    struct step *at;
    unsigned count;
    unsigned named; /* call that the bin is named after; 0: the innermost, or none */
};

static bool step_is_in_name(const char *name, const struct step *step)
{
    return !strncmp(name, step->function, step->length) &&
           (!name[step->length] || name[step->length] == ' ');
}

static bool read_calls(struct bin_calls *calls, struct arena *arena)
{
    static const char between[] = " < ";
    const struct heap_bin *bin = &calls->bin->heap;
    unsigned count = *bin->path ? 1 : 0;
    for (const char *at = bin->path; (at = strstr(at, between)); at += sizeof between - 1)
        count++;
    calls->at = arena_alloc(arena, (count + 1) * sizeof *calls->at);
    if (!calls->at)
        return false;
    const char *function = bin->path;
    for (; calls->count < count; calls->count++) {
        const char *end = strstr(function, between);
        calls->at[calls->count] =
            (struct step){function, end ? (size_t)(end - function) : strlen(function),
                          calls->count < bin->site_count ? bin->site[calls->count] : ""};
        function = end ? end + sizeof between - 1 : "";
    }
    while (calls->named < count && !step_is_in_name(bin->name, &calls->at[calls->named]))
        calls->named++;
    calls->named = calls->named < count ? calls->named : 0;
    return true;
}

static int compare_functions(const struct step *a, const struct step *b)
{
    size_t least = a->length < b->length ? a->length : b->length;
    int order = strncmp(a->function, b->function, least);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Compares two paths from the calls that name the bins; *common: number of equal calls. */
static int compare_paths(const struct bin_calls *a, const struct bin_calls *b, unsigned *common)
{
    for (*common = 0;; ++*common) {
        unsigned at = a->named + *common;
        unsigned other_at = b->named + *common;
        if (at >= a->count || other_at >= b->count)
            return (at < a->count) - (other_at < b->count);
        int order = compare_functions(&a->at[at], &b->at[other_at]);
        if (!order)
            order = strcmp(a->at[at].site, b->at[other_at].site);
        if (order)
            return order;
    }
}

static int compare_bin_names_and_paths(const void *left, const void *right)
{
    const struct bin_calls *a = left;
    const struct bin_calls *b = right;
    unsigned common;
    int names = strcmp(a->bin->heap.name, b->bin->heap.name);
    return names ? names : compare_paths(a, b, &common);
}

/* Finds the first call that distinguishes a bin from the nearest different one in one direction.
 * Updates *index if that call is further out, and *by_line if only the line differs. */
static void distinguish_bin(const struct bin_calls *sorted, size_t count, size_t at, size_t step,
                            unsigned *index, bool *by_line)
{
    const struct bin_calls *calls = &sorted[at];
    for (size_t i = at + step; i < count; i += step) { /* wraps around when it drops below 0 */
        const struct bin_calls *other = &sorted[i];
        unsigned common;
        if (strcmp(calls->bin->heap.name, other->bin->heap.name) != 0)
            return;
        if (!compare_paths(calls, other, &common))
            continue;
        unsigned differs = calls->named + common;
        unsigned other_at = other->named + common;
        bool line = differs < calls->count && other_at < other->count &&
                    !compare_functions(&calls->at[differs], &other->at[other_at]);
        *by_line = differs > *index ? line : differs == *index ? *by_line || line : *by_line;
        *index = differs > *index ? differs : *index;
        return;
    }
}

/* Names a bin "NAME < caller" or "NAME < caller file:line". */
static bool name_bin_by_caller(const struct bin_calls *calls, unsigned index, bool by_line,
                               struct arena *arena)
{
    if (index >= calls->count)
        return true;
    const struct step *step = &calls->at[index];
    const char *place = by_line ? strrchr(step->site, '(') : NULL;
    int length = place ? (int)strcspn(place + 1, ")") : 0;
    calls->bin->display_name =
        arena_printf(arena, "%s < %.*s%s%.*s", calls->bin->heap.name, (int)step->length,
                     step->function, place ? " " : "", length, place ? place + 1 : "");
    return calls->bin->display_name;
}

/* Numbers bins of the same name: calls in one function without line information. */
static bool number_same_names(const struct bin_calls *by_id, size_t count, struct arena *arena)
{
    struct hash given = {0};
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        struct snapshot_bin *bin = by_id[i].bin;
        const char *shown = bin->display_name ? bin->display_name : bin->heap.name;
        const char *name = text_numbered(&given, 0, shown, arena);
        done = name;
        if (name != shown)
            bin->display_name = name;
    }
    hash_fini(&given);
    return done;
}

static int compare_bin_ids(const void *left, const void *right)
{
    uint32_t a = ((const struct bin_calls *)left)->bin->heap.id;
    uint32_t b = ((const struct bin_calls *)right)->bin->heap.id;
    return (a > b) - (a < b);
}

bool bins_add_callers(struct snapshot_heap *heap, struct arena *arena)
{
    struct bin_calls *sorted = calloc(heap->bin_count + 1, sizeof *sorted);
    size_t count = 0;
    bool done = sorted;
    for (size_t i = 0; done && i < heap->bin_count; i++) {
        const struct heap_bin *bin = &heap->bins[i].heap;
        if (!bin->name || !bin->path || bin->renamed)
            continue;
        sorted[count].bin = &heap->bins[i];
        done = read_calls(&sorted[count++], arena);
    }
    if (done)
        qsort(sorted, count, sizeof *sorted, compare_bin_names_and_paths);
    /* In path order, no other bin has more calls in common than the nearest different one. */
    for (size_t i = 0; done && i < count; i++) {
        unsigned index = 0;
        bool by_line = false;
        distinguish_bin(sorted, count, i, (size_t)-1, &index, &by_line);
        distinguish_bin(sorted, count, i, 1, &index, &by_line);
        done = !index || name_bin_by_caller(&sorted[i], index, by_line, arena);
    }
    if (done)
        qsort(sorted, count, sizeof *sorted, compare_bin_ids);
    done = done && number_same_names(sorted, count, arena);
    free(sorted);
    return done;
}

/* Instructions that used or evicted the lines fetched by a listed instruction: future work in Berg
 * and Hagersten (SIP, 2004). Only for instructions that a screen can open. */

enum { FUNCTIONS = 24, INSTRUCTIONS = 1024 };
static const double worth = 0.01; /* minimum share of its function's samples */

/* The hot instructions, sorted by address. */
struct hot_partner {
    uint64_t address;
    struct snapshot_instruction *instruction;
};

struct hot {
    struct hot_partner at[INSTRUCTIONS];
    size_t count;
};

static void partners_gather(const struct build *build, struct hot *hot)
{
    const struct snapshot *snapshot = build->snapshot;
    for (size_t i = 0; i < snapshot->code_count && i < FUNCTIONS; i++)
        for (size_t k = 0; k < snapshot->code[i].instruction_count; k++) {
            struct snapshot_instruction *one = &snapshot->code[i].instructions[k];
            if (one->share >= worth && hot->count < INSTRUCTIONS)
                hot->at[hot->count++] = (struct hot_partner){one->address, one};
        }
    SORT_BY(hot->at, hot->count, address);
}

static struct snapshot_instruction *partners_find_instruction(const struct hot *hot,
                                                              uint64_t address)
{
    size_t at = SORTED_BELOW(hot->at, hot->count, address, address);
    return at < hot->count && hot->at[at].address == address ? hot->at[at].instruction : NULL;
}

static void partners_keep(struct snapshot_partners *partners, const struct line_pair *pair)
{
    struct snapshot_partner one = {.address = pair->second, .count = (double)pair->count};
    partners->all += one.count;
    KEEP(partners->list, &partners->count, SNAPSHOT_PARTNERS, &one,
         LARGEST(struct snapshot_partner, count));
}

static void partners_take_kind(struct build *build, const struct hot *hot, enum line_pairs kind)
{
    uint8_t level = build->snapshot->uses.level;
    union place_answer answer = {.pair.slot = UINT32_MAX};
    while (!build->failed &&
           build_ask(build, PLACE_PAIR, line_pair_number(kind, level, answer.pair.slot + 1),
                     &answer)) {
        struct snapshot_instruction *instruction =
            partners_find_instruction(hot, answer.pair.first);
        if (!instruction)
            continue;
        if (!instruction->partners)
            instruction->partners = build_array(build, LINE_PAIRS, sizeof *instruction->partners);
        if (instruction->partners)
            partners_keep(&instruction->partners[kind], &answer.pair);
    }
}

static void partners_describe(struct build *build, struct snapshot_partner *partner)
{
    union place_answer answer;
    bool known = build_ask(build, PLACE_CODE, partner->address, &answer);
    partner->function = build_function_name(build, known ? answer.code : 0);
    partner->file = build_locate(build, partner->address, &partner->line);
}

void build_partners(struct build *build)
{
    struct hot hot = {0};
    if (!build->snapshot->uses.known)
        return;
    partners_gather(build, &hot);
    for (enum line_pairs kind = 0; kind < LINE_PAIRS && hot.count; kind++)
        partners_take_kind(build, &hot, kind);
    for (size_t i = 0; i < hot.count && !build->failed; i++)
        for (int kind = 0; kind < LINE_PAIRS && hot.at[i].instruction->partners; kind++) {
            struct snapshot_partners *partners = &hot.at[i].instruction->partners[kind];
            for (size_t k = 0; k < partners->count; k++)
                partners_describe(build, &partners->list[k]);
        }
}
