/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/snapshot/builders.h"
#include "profile/tables/statistics.h"
#include "sim_abi.h"

/* Minimum lines for a level to be shown. */
enum { LINES_MIN = 64 };

static void read_sums(const struct build *build, const struct use_sums *sums,
                      struct snapshot_use *out)
{
    *out = (struct snapshot_use){
        .lines = build_read(build, &sums->lines),
        .fetched_bytes = build_read(build, &sums->fetched_bytes),
        .used_bytes = build_read(build, &sums->used_bytes),
        .touched_bytes = build_read(build, &sums->touched_bytes),
        .followed_lines = build_read(build, &sums->followed_lines),
        .squares = build_read(build, &sums->squares),
    };
    for (int i = 0; i < LINE_USES; i++)
        out->uses[i] = build_read(build, &sums->uses[i]);
}

/*
 * The followed lines represent all lines, but a few may be alike by chance. Even if all lines of a
 * part were followed, the part may have more lines if some lines of the run were not followed: up
 * to three times as many as a followed line represents (rule of three).
 */
static void use_settle(struct snapshot_use *use, const struct snapshot_use *all)
{
    double part = snapshot_use_spatial(use);
    double line_bytes = use->fetched_bytes / use->lines;
    double mean = use->used_bytes / use->lines;
    double binomial = part * (1 - part);
    double variance = (use->squares / use->lines - mean * mean) / (line_bytes * line_bytes);
    double effective =
        use->followed_lines * binomial / (fmax(variance, 0) + binomial / use->followed_lines);
    double unseen =
        all->followed_lines < all->lines * (1 - 1e-9) ? 3 * all->lines / all->followed_lines : 0;
    double left_out = 1 - use->followed_lines / (use->lines + unseen);
    use->spatial_low = use->spatial_high = part;
    if (!(left_out > 1e-9) || isnan(part))
        return;
    struct snapshot_share interval =
        interval_share(part, binomial > 0 ? effective / left_out : use->followed_lines);
    use->spatial_low = interval.low;
    use->spatial_high = interval.high;
}

/* Large caches may evict nothing while a program runs; a nearer level is then shown. */
void build_uses(struct build *build)
{
    const struct use *use = &build->profile->use;
    struct snapshot_uses *uses = &build->snapshot->uses;
    uint8_t wanted = use->level_of[build->event];
    *uses = (struct snapshot_uses){0};
    for (unsigned level = wanted ? wanted : USE_LEVELS; level-- > 0 && !uses->known;) {
        uses->known = use->all[level].lines.at[BASIS_RUN] >= LINES_MIN;
        uses->level = (uint8_t)level;
    }
    for (unsigned level = 0; level < USE_LEVELS && !uses->known; level++) {
        uses->known = use->all[level].lines.at[BASIS_RUN] > 0;
        uses->level = (uint8_t)level;
    }
    uses->is_nearer = uses->known && uses->level + 1 != wanted;
    if (!uses->known)
        return;
    read_sums(build, &use->all[uses->level], &uses->all);
    use_settle(&uses->all, &uses->all);
}

static const struct use_sums *use_sums_find(const struct build *build, enum use_of of, uint32_t id,
                                            uint64_t offset)
{
    const struct snapshot_uses *uses = &build->snapshot->uses;
    return uses->known ? use_row(&build->profile->use, use_key(of, uses->level, id, offset)) : NULL;
}

struct snapshot_use *build_use_of(struct build *build, const struct snapshot_use *sum)
{
    if (!(sum->lines > 0))
        return NULL;
    struct snapshot_use *use = build_copy(build, sum, sizeof *sum);
    if (use)
        use_settle(use, &build->snapshot->uses.all);
    return use;
}

struct snapshot_use *build_use(struct build *build, enum use_of of, uint32_t id, uint64_t offset)
{
    const struct use_sums *sums = use_sums_find(build, of, id, offset);
    struct snapshot_use sum = {0};
    if (sums)
        read_sums(build, sums, &sum);
    return build_use_of(build, &sum);
}

void build_sum_offset_use(const struct build *build, const struct pair *pair,
                          struct snapshot_use *sum)
{
    const struct use_sums *sums =
        use_sums_find(build, USE_FIELD, PAIR_OBJECT(pair->owner), pair->key);
    struct snapshot_use one;
    if (!sums)
        return;
    read_sums(build, sums, &one);
    snapshot_use_sum(sum, &one);
}

/* Miss-ratio curves of everything, of objects and of source lines. */

enum { LISTED = 64, LOCATED = 512, FIRST_SIZE = 1024 };

double snapshot_reuse_size(unsigned point)
{
    return FIRST_SIZE * exp2(point / 2.0);
}

/* ---- caches to mark ---- */

static void add_cache_mark(struct snapshot_reuse *reuse, const char *name, uint64_t size_bytes,
                           bool simulated)
{
    if (!size_bytes || reuse->mark_count == REUSE_MARKS)
        return;
    for (size_t i = 0; i < reuse->mark_count; i++)
        if (reuse->marks[i].size_bytes == size_bytes)
            return;
    struct snapshot_reuse_mark *mark = &reuse->marks[reuse->mark_count++];
    snprintf(mark->name, sizeof mark->name, "%s", name);
    mark->size_bytes = size_bytes;
    mark->simulated = simulated;
}

static void add_marks(const struct build *build, struct snapshot_reuse *reuse)
{
    static const char *const simulated[SIMULATION_LEVELS_MAX] = {"L1", "L2", "L3", "L4"};
    static const char *const own[] = {"own L1", "own L2", "own L3"};
    const struct snapshot_simulation *simulation = &build->snapshot->simulation;
    const struct profile_options *options = &build->profile->options;
    uint32_t line_bytes = options->geometry.line_bytes ? options->geometry.line_bytes : 64;
    for (uint32_t i = 0; i < simulation->level_count && i < SIMULATION_LEVELS_MAX; i++)
        add_cache_mark(reuse, simulated[i], simulation->level[i].size_bytes, true);
    for (int i = 0; i < 3; i++)
        add_cache_mark(reuse, own[i], options->cache_lines[i] * line_bytes, false);
}

/* ---- one curve ---- */

/*
 * Returns the miss ratio of a cache of `lines` lines with its interval. One in `one_in` lines is
 * watched, and distances are counted in watched lines, so a distance of d lines has an error of the
 * square root of d * one_in, which shifts a step of the curve to another size. The watched lines
 * also have to represent all lines.
 */
static struct snapshot_share miss_ratio_interval(const struct build *build,
                                                 const struct distances_counts *from,
                                                 double correction, double one_in, double lines)
{
    const double sigmas = 1.96, widest = 0.9;
    enum snapshot_basis basis = build->snapshot->basis;
    double reach = fmin(widest, sigmas * sqrt(one_in / lines));
    double uses = build_read(build, &from->uses);
    double first = build_read(build, &from->first);
    double watched = first > 0 ? fmin(uses, fmax(1, first / one_in)) : uses;
    double far_lines = distances_step_up(lines * (1 + reach));
    double near_lines = distances_step_down(lines * (1 - reach));
    double far = fmin(correction * distances_miss_ratio(from, basis, far_lines), 1);
    double near = fmin(correction * distances_miss_ratio(from, basis, near_lines), 1);
    return (struct snapshot_share){
        .value = fmin(correction * distances_miss_ratio(from, basis, lines), 1),
        .low = interval_share(far, watched).low,
        .high = interval_share(near, watched).high,
    };
}

/*
 * Fills in a row. `correction`: accesses estimated from the watched lines, divided by those
 * counted. The watched lines are a random sample in which a hot line has a large weight; the exact
 * count corrects the total (SHARDS-adj, Waldspurger et al. 2015, section 2.4).
 */
static void reuse_row_fill(const struct build *build, const struct distances_counts *from,
                           double correction, struct snapshot_reuse_row *row)
{
    const struct snapshot_reuse *reuse = &build->snapshot->reuse;
    double line_bytes = build->profile->distances.line_bytes;
    double all = build_read(build, &from->weight);
    double of_run = build->profile->distances.all.first.at[BASIS_RUN];
    double one_in = fmax(SIM_REUSE_ONE_IN, of_run / SIM_REUSE_LINES);
    row->object = row->code = UINT32_MAX;
    row->uses = build_read(build, &from->uses);
    row->first = all > 0 ? fmin(correction * build_read(build, &from->first) / all, 1) : NAN;
    for (unsigned i = 0; i < REUSE_POINTS; i++)
        row->miss[i] = miss_ratio_interval(build, from, correction, one_in,
                                           snapshot_reuse_size(i) / line_bytes);
    for (size_t i = 0; i < REUSE_MARKS; i++) {
        double lines = i < reuse->mark_count ? (double)reuse->marks[i].size_bytes / line_bytes : 0;
        row->at[i] = lines > 0 ? miss_ratio_interval(build, from, correction, one_in, lines)
                               : (struct snapshot_share){NAN, NAN, NAN};
    }
}

/* Returns the correction; 1: the two counts cover different times. */
static double reuse_correction(const struct build *build)
{
    const struct snapshot *snapshot = build->snapshot;
    double estimated = build->profile->distances.all.weight.at[BASIS_RUN];
    double counted = (double)snapshot->simulation.accesses;
    bool since_start = !(snapshot->counted_s < snapshot->elapsed_s);
    return since_start && estimated > 0 && counted > 0 ? estimated / counted : 1;
}

static double share_of(const struct build *build, const struct distances_counts *counts)
{
    double all = build_read(build, &build->profile->distances.all.weight);
    return all > 0 ? build_read(build, &counts->weight) / all : NAN;
}

/* Lists all rows of a kind, most accesses first. */
static size_t reuse_sort_rows(const struct distances *distances, enum distances_of of,
                              const struct distances_row **out)
{
    size_t count = 0;
    for (size_t i = 0; i < distances->count; i++)
        if (distances->rows[i].counted_by == of)
            out[count++] = &distances->rows[i];
    SORT_POINTERS(out, count, LARGEST(struct distances_row, counts.weight.at[BASIS_RUN]),
                  SMALLEST(struct distances_row, id));
    return count;
}

/* ---- objects ---- */

static void list_objects(struct build *build, const struct distances_row **sorted, size_t count)
{
    struct snapshot_reuse *reuse = &build->snapshot->reuse;
    for (size_t i = 0; i < count && i < LISTED; i++) {
        struct snapshot_reuse_row *row = &reuse->objects[reuse->object_count++];
        *row = (struct snapshot_reuse_row){.id = sorted[i]->id,
                                           .share = share_of(build, &sorted[i]->counts)};
        reuse_row_fill(build, &sorted[i]->counts, 1, row);
        row->name = build_object_name(build, (uint32_t)sorted[i]->id);
        row->object = build_object_index(build, (uint32_t)sorted[i]->id);
    }
    SORT(reuse->objects, reuse->object_count, LARGEST(struct snapshot_reuse_row, share),
         SMALLEST(struct snapshot_reuse_row, id));
}

/* ---- source lines ---- */

struct located {
    const struct distances_row *row;
    const char *file; /* NULL: not known */
    uint32_t line;
};

/* Sorts by source line; if it is not known, all of a function is one line. */
static int compare_located_line(const void *left, const void *right)
{
    const struct located *a = left;
    const struct located *b = right;
    if (a->row->function != b->row->function)
        return a->row->function < b->row->function ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static void name_line(struct build *build, const struct located *located,
                      struct snapshot_reuse_row *row)
{
    uint32_t function = located->row->function;
    row->function = build_function_name(build, function);
    row->line = located->line;
    row->name =
        located->file ? build_line_name(build, located->file, located->line) : row->function;
    row->id = located->row->id;
    for (size_t i = 0; i < build->snapshot->code_count && row->code == UINT32_MAX; i++)
        if (build->snapshot->code[i].id == function)
            row->code = (uint32_t)i;
}

static void list_lines(struct build *build, const struct distances_row **sorted, size_t count)
{
    struct snapshot_reuse *reuse = &build->snapshot->reuse;
    struct located located[LOCATED] = {0};
    count = count < LOCATED ? count : LOCATED;
    for (size_t i = 0; i < count; i++) {
        located[i].row = sorted[i];
        located[i].file = build_locate(build, sorted[i]->id, &located[i].line);
    }
    qsort(located, count, sizeof *located, compare_located_line);
    for (size_t i = 0, next; i < count && !build->failed; i = next) {
        struct distances_counts sum = located[i].row->counts;
        for (next = i + 1; next < count && !compare_located_line(&located[i], &located[next]);
             next++)
            counted_sum(&sum, &located[next].row->counts, sizeof sum);
        struct snapshot_reuse_row *row = &reuse->lines[reuse->line_count++];
        *row = (struct snapshot_reuse_row){.share = share_of(build, &sum)};
        reuse_row_fill(build, &sum, 1, row);
        name_line(build, &located[i], row);
    }
    SORT(reuse->lines, reuse->line_count, LARGEST(struct snapshot_reuse_row, share),
         SMALLEST(struct snapshot_reuse_row, id));
    reuse->line_count = reuse->line_count < LISTED ? reuse->line_count : LISTED;
}

void build_reuse(struct build *build)
{
    const struct distances *distances = &build->profile->distances;
    struct snapshot_reuse *reuse = &build->snapshot->reuse;
    *reuse = (struct snapshot_reuse){0};
    if (!(distances->all.weight.at[BASIS_RUN] > 0))
        return;
    const struct distances_row **sorted =
        build_scratch(build, distances->count, sizeof(struct distances_row *));
    reuse->objects = build_array(build, LISTED, sizeof *reuse->objects);
    reuse->lines = build_array(build, LOCATED, sizeof *reuse->lines);
    if (!build->failed) {
        reuse->known = true;
        add_marks(build, reuse);
        reuse->all = (struct snapshot_reuse_row){.name = "all", .share = 1};
        reuse_row_fill(build, &distances->all, reuse_correction(build), &reuse->all);
        list_objects(build, sorted, reuse_sort_rows(distances, DISTANCES_OBJECT, sorted));
        list_lines(build, sorted, reuse_sort_rows(distances, DISTANCES_INSTRUCTION, sorted));
    }
    free(sorted);
}
