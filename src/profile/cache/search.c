/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "profile/tables/statistics.h"

static void search_queue_put(struct search_queue *queue, const struct region *region)
{
    KEEP(queue->at, &queue->count, SEARCH_QUEUE_MAX, region, LARGEST(struct region, share));
}

static struct region search_queue_take(struct search_queue *queue, uint32_t index)
{
    struct region region = queue->at[index];
    queue->count--;
    memmove(&queue->at[index], &queue->at[index + 1], (queue->count - index) * sizeof queue->at[0]);
    return region;
}

/* Returns how many of the best regions are final, up to the first that is not. */
static uint32_t search_queue_finals(const struct search_queue *queue)
{
    uint32_t finals = 0;
    while (finals < queue->count && queue->at[finals].final)
        finals++;
    return finals;
}

/* Returns the sum of the shares of regions that can still be split. */
static double search_queue_unsearched(const struct search_queue *queue)
{
    double sum = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (!queue->at[i].final)
            sum += queue->at[i].share;
    return sum;
}

static void search_inside_update(struct search *search);

enum { KEEP_ROUNDS = 6, EXPECTED_SAMPLES = 6 };

static void search_drop(struct search *search, const struct region *region,
                        enum region_reason reason)
{
    uint32_t count =
        search->dropped_count < SEARCH_DROPPED - 1 ? search->dropped_count : SEARCH_DROPPED - 1;
    for (uint32_t i = count; i > 0; i--)
        search->dropped[i] = search->dropped[i - 1];
    search->dropped[0] = *region;
    search->dropped[0].state = REGION_DROPPED;
    search->dropped[0].reason = reason;
    search->dropped_count = count + 1;
}

/* Adds this interval's counter to the average of all measurements of the region. */
static void search_average(const struct search *search, struct region *region)
{
    region->hits += region->weight;
    region->total += search->all_weight;
    region->total_samples += (double)search->all_samples;
    region->share = region->total > 0 ? region->hits / region->total : 0;
    region->iterations++;
}

/* Returns true if the other half of the same split had no miss either: then the whole parent, which
 * was among the best, has no misses in this interval. */
static bool is_sibling_silent(const struct search *search, const struct region *region)
{
    for (uint32_t i = 0; i < search->active_count; i++)
        if (&search->active[i] != region && search->active[i].parent == region->parent)
            return !search->active[i].samples;
    return true;
}

static enum region_state search_found_state(const struct search *search,
                                            const struct region *region)
{
    if (!region->final)
        return REGION_QUEUED;
    return region_size(region) <= search->line_bytes ? REGION_LINE : REGION_OBJECT;
}

/* Drops a region without misses unless it was among the best: it may be in a quiet phase and is
 * kept for some rounds. Too few expected samples do not count as quiet. */
static bool keep_or_drop_silent(struct search *search, struct region *region)
{
    if (region->hits > 0 && region->share * (double)search->all_samples < EXPECTED_SAMPLES) {
        region->state = search_found_state(search, region);
        return true;
    }
    bool was_best = region->selection_share > 0 &&
                    (region->iterations > 1 || is_sibling_silent(search, region));
    if (!was_best) {
        search_drop(search, region, REGION_NO_SAMPLES);
        return false;
    }
    if (++region->zero_rounds > KEEP_ROUNDS) {
        search_drop(search, region, REGION_QUIET);
        return false;
    }
    region->state = REGION_KEPT;
    region->reason = REGION_WAS_BEST;
    if (region->share <= 0)
        region->share = region->selection_share / 2;
    return true;
}

/* Keeps or drops a region without misses; returns true if it was kept as quiet. */
static bool search_queue_silent(struct search *search, struct region *region)
{
    if (!keep_or_drop_silent(search, region))
        return false;
    search_queue_put(&search->queue, region);
    return region->state == REGION_KEPT;
}

/* Queues all measured regions; returns true if a region without misses was kept. */
static bool search_queue_measured(struct search *search)
{
    bool kept = false;
    for (uint32_t i = 0; i < search->active_count; i++)
        search_average(search, &search->active[i]);
    search_inside_update(search);
    for (uint32_t i = 0; i < search->active_count; i++) {
        struct region *region = &search->active[i];
        if (!region->samples && (region->iterations > 1 || !(region->hits > 0))) {
            kept |= search_queue_silent(search, region);
            continue;
        }
        region->zero_rounds = 0;
        region->reason =
            region->is_searched_inside && region->final ? region->reason : REGION_NO_REASON;
        region->state = search_found_state(search, region);
        search_queue_put(&search->queue, region);
    }
    return kept;
}

enum { EXTENTS_LOOKED_AT = 8 };

enum holds { HOLDS_NOTHING_KNOWN, HOLDS_ONE, HOLDS_SEVERAL };

static bool extent_at(const struct place_names *names, uint64_t address,
                      struct object_extent *extent)
{
    union place_answer answer;
    if (!place_ask(names, PLACE_EXTENT, address, &answer))
        return false;
    *extent = answer.extent;
    return extent->base <= address && address < extent->bound;
}

static enum holds region_holds(const struct region *region, const struct place_names *names,
                               struct object_extent *only)
{
    enum holds holds = HOLDS_NOTHING_KNOWN;
    uint64_t address = region->base;
    for (int i = 0; i < EXTENTS_LOOKED_AT && address < region->bound; i++) {
        struct object_extent extent;
        if (!extent_at(names, address, &extent))
            return holds == HOLDS_ONE ? HOLDS_SEVERAL : HOLDS_NOTHING_KNOWN;
        if (extent.object && holds == HOLDS_ONE)
            return HOLDS_SEVERAL;
        if (extent.object) {
            *only = extent;
            holds = HOLDS_ONE;
        }
        address = extent.bound;
    }
    return address < region->bound ? HOLDS_SEVERAL : holds;
}

/* Returns true for large memory that a program manages itself: its name is not specific enough. */
static bool is_worth_opening(const struct place_names *names, const struct object_extent *extent)
{
    union place_answer answer;
    if (extent->bound - extent->base < SEARCH_OPEN_BYTES ||
        !place_ask(names, PLACE_OBJECT, extent->object, &answer))
        return false;
    return answer.object.kind == OBJECT_HEAP || answer.object.kind == OBJECT_ANON ||
           answer.object.kind == OBJECT_MAP;
}

/* Shrinks a region to its mappings: only these can miss. Without any it is unchanged. */
static void trim_gaps(struct region *region, const struct place_names *names)
{
    struct object_extent extent;
    if (extent_at(names, region->base, &extent) && !extent.object && extent.bound < region->bound)
        region->base = extent.bound;
    if (extent_at(names, region->bound - 1, &extent) && !extent.object &&
        extent.base > region->base)
        region->bound = extent.base;
}

/* Sets object, is_searched_inside and final. Shrinks the region to the mappings in it, or to its
 * object if there is only one. `inside`: the user searches within an object. */
static void region_identify(struct region *region, const struct place_names *names, bool inside,
                            uint32_t line_bytes)
{
    struct object_extent only = {0};
    region->object = 0;
    region->is_searched_inside = region->final = false;
    trim_gaps(region, names);
    if (region_holds(region, names, &only) == HOLDS_ONE) {
        region->object = only.object;
        region->base = only.base > region->base ? only.base : region->base;
        region->bound = only.bound < region->bound ? only.bound : region->bound;
        region->is_searched_inside = inside || is_worth_opening(names, &only);
        region->final = !region->is_searched_inside;
    }
    if (region_size(region) <= line_bytes)
        region->final = true;
}

static bool inside_region(const struct region *region, uint64_t point)
{
    return point > region->base && point < region->bound;
}

static bool nearest_edge(const struct region *region, const struct object_extent *extent,
                         uint64_t middle, uint64_t *point)
{
    bool low = inside_region(region, extent->base);
    bool high = inside_region(region, extent->bound);
    if (low && high)
        *point = middle - extent->base < extent->bound - middle ? extent->base : extent->bound;
    else
        *point = low ? extent->base : extent->bound;
    return low || high;
}

static bool aligned_middle(const struct region *region, uint64_t middle, uint32_t line_bytes,
                           uint64_t *point)
{
    uint64_t unit = region_size(region) > 2 * SEARCH_PAGE ? SEARCH_PAGE : line_bytes;
    *point = middle & ~(unit - 1);
    if (!inside_region(region, *point))
        *point += unit;
    return inside_region(region, *point);
}

/* Finds the point at which to halve a region: the middle, moved so that no object is cut. Returns
 * false if the region cannot be split. */
static bool region_split_point(const struct region *region, const struct place_names *names,
                               uint32_t line_bytes, uint64_t *point)
{
    struct object_extent extent;
    uint64_t middle = region->base + region_size(region) / 2;
    if (region->final || region_size(region) <= line_bytes)
        return false;
    if (extent_at(names, middle, &extent)) {
        /* An object that starts in the middle needs no adjustment. In a gap, an edge of the gap is
         * the better point: no round is spent on finding that the gap is empty. */
        if (extent.object && extent.base == middle && inside_region(region, middle)) {
            *point = middle;
            return true;
        }
        if (nearest_edge(region, &extent, middle, point))
            return true;
        if (extent.object)
            return false;
    }
    return aligned_middle(region, middle, line_bytes, point);
}

static void search_measure(struct search *search, const struct region *region);

/*
 * The search inside one object that a program manages itself (an arena, a mapping, a large block)
 * for its hot ranges, pages or lines.
 *
 * Halving, as between objects, decides by two counts, and one unlucky count sends the search down
 * to single lines of evenly used data. Therefore a range is measured in eight pieces until the
 * pieces have enough samples in total, and a chi-square test decides whether it has a hotter part.
 * If not, the range is a result. If so, adjacent pieces of equal density are merged into ranges,
 * which are searched in turn. A page is searched further only if a few of its pieces have nearly
 * all of its samples: three hot lines of a page are separate results, ten hot lines are one page.
 */

enum { FEW_PIECES = 3, FRAME_SAMPLES = 64, FRAME_ROUNDS_MAX = 40, SMALL_PAGES = 16 };

/* Minimum share of all misses for a range to be divided. */
static const double worth_looking = 0.04;
static const double most_of_page = 0.85;
static const double even_p_value = 0.001;
static const double same_density = 1.6; /* ratio of the densities of two neighbours */
static const double uneven_density = 1.5;

/* Returns true if the region is to be searched inside. One such range is measured at a time. */
static bool is_searched_inside(const struct region *region)
{
    return region->is_searched_inside && !region->final && region->state != REGION_KEPT;
}

static void finish_region(struct search *search, struct region *whole, enum region_reason reason)
{
    whole->final = true;
    whole->reason = reason;
    whole->state = search_found_state(search, whole);
    search_queue_put(&search->queue, whole);
}

/* Divides a range into pieces. Returns false if the range became a result at once. */
static bool search_inside_begin(struct search *search, const struct region *whole)
{
    struct search_frame *frame = &search->frame;
    struct region small = *whole;
    if (whole->iterations && whole->share < worth_looking) {
        finish_region(search, &small, REGION_TOO_FEW);
        return false;
    }
    *frame = (struct search_frame){.whole = *whole};
    uint64_t unit =
        region_size(whole) >= SEARCH_PIECES * SEARCH_PAGE ? SEARCH_PAGE : search->line_bytes;
    uint64_t step = (region_size(whole) / SEARCH_PIECES + unit - 1) & ~(unit - 1);
    uint64_t at = whole->base;
    search->splits++;
    while (at < whole->bound) {
        /* The first piece ends at a page or line boundary. */
        uint64_t end = (at & ~(unit - 1)) + (step ? step : unit);
        bool last = frame->count == SEARCH_PIECES - 1 || end >= whole->bound;
        frame->pieces[frame->count++] = (struct region){.base = at,
                                                        .bound = last ? whole->bound : end,
                                                        .object = whole->object,
                                                        .is_searched_inside = true,
                                                        .depth = whole->depth + 1,
                                                        .parent = search->splits,
                                                        .selection_share = whole->share};
        at = last ? whole->bound : end;
    }
    return true;
}

static double frame_samples(const struct search_frame *frame)
{
    double sum = 0;
    for (uint32_t i = 0; i < frame->count; i++)
        sum += frame->pieces[i].share * frame->pieces[i].total_samples;
    return sum;
}

/* Assigns counters to the pieces with the fewest measurements. */
static void search_inside_measure(struct search *search)
{
    struct search_frame *frame = &search->frame;
    bool taken[SEARCH_PIECES] = {false};
    for (uint32_t n = 0; n < frame->count && search->active_count < search->ways_active; n++) {
        uint32_t least = SEARCH_PIECES;
        for (uint32_t i = 0; i < frame->count; i++)
            if (!taken[i] && (least == SEARCH_PIECES ||
                              frame->pieces[i].iterations < frame->pieces[least].iterations))
                least = i;
        taken[least] = true;
        search_measure(search, &frame->pieces[least]);
    }
}

/* Removes the pieces from the counters; returns true if all have been measured enough. */
static bool frame_collect(struct search *search)
{
    struct search_frame *frame = &search->frame;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->active_count; i++) {
        struct region *region = &search->active[i];
        uint32_t piece = 0;
        while (piece < frame->count && frame->pieces[piece].base != region->base)
            piece++;
        if (piece < frame->count)
            frame->pieces[piece] = *region;
        else
            search->active[kept++] = *region;
    }
    search->active_count = kept;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < frame->count; i++)
        if (frame->pieces[i].iterations < least)
            least = frame->pieces[i].iterations;
    frame->rounds++;
    return least && (frame_samples(frame) >= FRAME_SAMPLES || frame->rounds >= FRAME_ROUNDS_MAX);
}

static double region_density(const struct region *region)
{
    return region->share / (double)region_size(region);
}

/* Returns true if the densities differ significantly and by a relevant amount. */
static bool frame_is_uneven(const struct search_frame *frame, double share, double samples)
{
    double mean = share / (double)region_size(&frame->whole);
    double chi2 = 0;
    bool differs = false;
    for (uint32_t i = 0; i < frame->count; i++) {
        const struct region *piece = &frame->pieces[i];
        double expected = samples * (double)region_size(piece) / (double)region_size(&frame->whole);
        double counted = samples * piece->share / share;
        chi2 += (counted - expected) * (counted - expected) / expected;
        differs |=
            region_density(piece) > uneven_density * mean || region_density(piece) < mean / 4;
    }
    return differs && chi2_p_value(chi2, frame->count - 1) < even_p_value;
}

static bool has_like_density(const struct region *group, const struct region *piece)
{
    double a = region_density(group);
    double b = region_density(piece);
    return a <= same_density * b && b <= same_density * a;
}

static void queue_group(struct search *search, const struct region *group)
{
    struct region part = *group;
    if (!(part.share > 0)) {
        search_drop(search, &part, REGION_NO_SAMPLES);
        return;
    }
    region_identify(&part, &search->names, search->is_in_one_object, search->line_bytes);
    part.state = search_found_state(search, &part);
    search_queue_put(&search->queue, &part);
}

/* Merges neighbours of the same density and queues the ranges. */
static void queue_pieces(struct search *search)
{
    const struct search_frame *frame = &search->frame;
    struct region group = frame->pieces[0];
    for (uint32_t i = 1; i < frame->count; i++) {
        const struct region *piece = &frame->pieces[i];
        if (has_like_density(&group, piece)) {
            group.bound = piece->bound;
            group.share += piece->share;
            group.hits = group.share * group.total;
        } else {
            queue_group(search, &group);
            group = *piece;
        }
    }
    queue_group(search, &group);
}

/* Returns the total share of the few pieces with the highest shares. */
static double share_of_top_pieces(const struct search_frame *frame)
{
    bool taken[SEARCH_PIECES] = {false};
    double sum = 0;
    for (uint32_t n = 0; n < FEW_PIECES && n < frame->count; n++) {
        uint32_t most = SEARCH_PIECES;
        for (uint32_t i = 0; i < frame->count; i++)
            if (!taken[i] &&
                (most == SEARCH_PIECES || frame->pieces[i].share > frame->pieces[most].share))
                most = i;
        taken[most] = true;
        sum += frame->pieces[most].share;
    }
    return sum;
}

static void frame_decide(struct search *search)
{
    struct search_frame *frame = &search->frame;
    double samples = frame_samples(frame);
    double share = 0;
    for (uint32_t i = 0; i < frame->count; i++)
        share += frame->pieces[i].share;
    struct region whole = frame->whole;
    whole.total = frame->pieces[0].total;
    whole.total_samples = frame->pieces[0].total_samples;
    whole.share = share;
    whole.hits = share * whole.total;
    whole.iterations = frame->pieces[0].iterations;
    bool small =
        search->is_in_one_object && search->bound - search->base <= SMALL_PAGES * SEARCH_PAGE;
    if (!(share > 0)) {
        whole.samples = 0;
        search_queue_silent(search, &whole);
    } else if (!frame_is_uneven(frame, share, samples)) {
        finish_region(search, &whole, REGION_EVEN);
    } else if (region_size(&whole) <= SEARCH_PAGE && !small &&
               share_of_top_pieces(frame) < most_of_page * share) {
        finish_region(search, &whole, REGION_SEVERAL);
    } else {
        queue_pieces(search);
    }
    frame->count = 0;
}

/* After an interval: removes the pieces, and decides once they have enough samples. */
static void search_inside_update(struct search *search)
{
    if (search->frame.count && frame_collect(search))
        frame_decide(search);
}

/* Merges adjacent results of one object that were cut at a piece boundary. */
static void search_join_neighbours(struct search *search)
{
    struct search_queue *queue = &search->queue;
    for (uint32_t i = 0; i < queue->count; i++)
        for (uint32_t k = 0; k < queue->count; k++) {
            struct region low = queue->at[i];
            struct region high = queue->at[k];
            if (!low.is_searched_inside || !high.is_searched_inside || !low.final || !high.final ||
                low.bound != high.base || low.object != high.object ||
                !has_like_density(&low, &high))
                continue;
            low.bound = high.bound;
            low.share += high.share;
            low.total = low.total < high.total ? low.total : high.total;
            low.total_samples =
                low.total_samples < high.total_samples ? low.total_samples : high.total_samples;
            low.hits = low.share * low.total;
            low.state = search_found_state(search, &low);
            search_queue_take(queue, i > k ? i : k);
            search_queue_take(queue, i > k ? k : i);
            search_queue_put(queue, &low);
            i = UINT32_MAX; /* the queue changed: restart the scan */
            break;
        }
}

static const uint64_t judged_ns = 5000000000;
static const double unsearched_enough = 0.01;
/* Fraction of the explained misses, below which the search restarts. */
static const double explained_lost = 0.75;

/* Returns true if the best n - 1 regions are found, or all that are worth finding (section 2.2). */
static bool search_finished(const struct search *search)
{
    uint32_t finals = search_queue_finals(&search->queue);
    return finals && (finals >= search->ways_active - 1 || finals == search->queue.count ||
                      search_queue_unsearched(&search->queue) < unsearched_enough);
}

/* Returns the index of the best found region, or of the one with the fewest misses measured. */
static uint32_t next_found_region(const struct search_queue *queue, bool best)
{
    uint32_t next = queue->count;
    for (uint32_t i = 0; i < queue->count; i++) {
        if (!queue->at[i].final)
            continue;
        if (best)
            return i;
        if (next == queue->count || queue->at[i].total < queue->at[next].total)
            next = i;
    }
    return next;
}

/* If there are more regions than counters, a quarter of the counters rotates; otherwise a region
 * measured once would keep that share, whatever phase the program was in. */
static void search_settle(struct search *search)
{
    uint32_t fixed = search->ways_active - search->ways_active / 4;
    search->state = SEARCH_SETTLED;
    search->active_count = 0;
    while (search->active_count < search->ways_active) {
        uint32_t next = next_found_region(&search->queue, search->active_count < fixed);
        if (next == search->queue.count)
            break;
        struct region region = search_queue_take(&search->queue, next);
        search_measure(search, &region);
    }
}

double search_explained(const struct search *search)
{
    double sum = 0;
    for (uint32_t i = 0; i < search->active_count; i++)
        sum += search->active[i].final ? search->active[i].share : 0;
    for (uint32_t i = 0; i < search->queue.count; i++)
        sum += search->queue.at[i].final ? search->queue.at[i].share : 0;
    return fmin(sum, 1);
}

/* Checks settled regions over several seconds: the program may use its objects in turn. */
static bool judge_settled_regions(struct search *search)
{
    struct search_recheck *recheck = &search->recheck;
    if (recheck->lasted_ns < judged_ns || recheck->total <= 0)
        return true;
    double now = recheck->hits / recheck->total;
    double before = recheck->expected / recheck->total;
    double noise = 3 * sqrt(now * (1 - now) / recheck->samples);
    *recheck = (struct search_recheck){0};
    return now + noise >= explained_lost * before;
}

/* Returns false if the found regions have lost their misses. */
static bool search_still_explains(struct search *search, uint64_t now_ns)
{
    struct search_recheck *recheck = &search->recheck;
    for (uint32_t i = 0; i < search->active_count; i++) {
        recheck->hits += search->active[i].weight;
        recheck->expected += search->active[i].share * search->all_weight;
        search_average(search, &search->active[i]);
    }
    recheck->total += search->all_weight;
    recheck->samples += (double)search->all_samples;
    recheck->lasted_ns += now_ns - search->started_ns;
    return judge_settled_regions(search);
}

enum { SAMPLES_PER_REGION = 30 };

static const uint64_t interval_first_ns = 100000000;
static const uint64_t interval_longest_ns = 30000000000;
static const uint64_t interval_too_long_ns = 5000000000; /* use fewer ways above this */

void search_init(struct search *search, const struct place_names *names, uint32_t ways,
                 uint32_t line_bytes)
{
    *search = (struct search){.names = *names, .line_bytes = line_bytes};
    search->ways = ways < 2 ? 2 : ways > SEARCH_WAYS_MAX ? SEARCH_WAYS_MAX : ways;
}

static void begin_interval(struct search *search, uint64_t now_ns)
{
    SORT_BY(search->active, search->active_count, base);
    for (uint32_t i = 0; i < search->active_count; i++) {
        search->active[i].weight = 0;
        search->active[i].samples = 0;
    }
    search->all_weight = 0;
    search->all_samples = 0;
    search->started_ns = now_ns;
}

void search_measure_again(struct search *search, uint64_t now_ns)
{
    begin_interval(search, now_ns);
}

static uint64_t count_known_recent(const struct search *search)
{
    return search->recent_count < SEARCH_RECENT ? search->recent_count : SEARCH_RECENT;
}

/* Uses the region's share of the newest samples as its first measurement. */
static void count_recent(const struct search *search, struct region *region)
{
    for (uint64_t i = 0; i < count_known_recent(search); i++) {
        double weight = search->recent_weight[i];
        region->total += weight;
        if (search->recent_address[i] >= region->base && search->recent_address[i] < region->bound)
            region->hits += weight;
    }
    region->total_samples += (double)count_known_recent(search);
}

static void search_measure(struct search *search, const struct region *region)
{
    struct region *measured = &search->active[search->active_count++];
    *measured = *region;
    if (!measured->total_samples)
        count_recent(search, measured);
}

/* Replaces `region` by its two halves; returns false if it cannot be split. */
static bool measure_halves(struct search *search, const struct region *region)
{
    uint64_t point;
    if (!region_split_point(region, &search->names, search->line_bytes, &point))
        return false;
    struct region half = {
        .depth = region->depth + 1, .parent = ++search->splits, .selection_share = region->share};
    for (int upper = 0; upper < 2; upper++) {
        half.base = upper ? point : region->base;
        half.bound = upper ? region->bound : point;
        struct region identified = half;
        region_identify(&identified, &search->names, search->is_in_one_object, search->line_bytes);
        search_measure(search, &identified);
    }
    return true;
}

/* Sets up the first round: divides the range into n parts by repeatedly halving the largest region
 * that is not one object. */
static void make_first_regions(struct search *search)
{
    struct region whole = {
        .base = search->base, .bound = search->bound, .parent = ++search->splits};
    region_identify(&whole, &search->names, search->is_in_one_object, search->line_bytes);
    search->active_count = 0;
    if (is_searched_inside(&whole)) {
        search_inside_begin(search, &whole);
        search_inside_measure(search);
        return;
    }
    search_measure(search, &whole);
    for (bool more = true; more && search->active_count < search->ways_active;) {
        struct region *largest = NULL;
        for (uint32_t i = 0; i < search->active_count; i++)
            if (!search->active[i].object &&
                (!largest || region_size(&search->active[i]) > region_size(largest)))
                largest = &search->active[i];
        struct region region = largest ? *largest : (struct region){.final = true};
        more = measure_halves(search, &region);
        if (more)
            *largest = search->active[--search->active_count];
    }
}

static void begin_search(struct search *search, uint64_t now_ns)
{
    search->state = SEARCH_SEARCHING;
    search->queue.count = 0;
    search->interval_ns = search->shortest_ns = interval_first_ns;
    search->recheck = (struct search_recheck){0};
    search->frame.count = 0;
    search->recent_count = 0;
    search->rounds = 0;
    make_first_regions(search);
    begin_interval(search, now_ns);
}

void search_start(struct search *search, uint64_t base, uint64_t bound, const char *what,
                  uint64_t now_ns)
{
    struct object_extent extent;
    search->base = base < bound ? base : bound;
    search->bound = base < bound ? bound : base;
    search->is_in_one_object = extent_at(&search->names, search->base, &extent) && extent.object &&
                               extent.bound >= search->bound;
    search->ways_active = search->ways;
    search->iteration = search->restarts = search->dropped_count = 0;
    snprintf(search->range_name, sizeof search->range_name, "%s", what ? what : "");
    begin_search(search, now_ns);
}

void search_stop(struct search *search)
{
    search->state = SEARCH_OFF;
    search->active_count = search->queue.count = search->dropped_count = 0;
}

void search_restart(struct search *search, uint64_t now_ns)
{
    search->ways_active = search->ways;
    begin_search(search, now_ns);
}

static void restart_search(struct search *search, uint64_t now_ns)
{
    search->restarts++;
    search_restart(search, now_ns);
}

/* Takes the best regions: pieces or halves of those that can be split, the others whole. */
static void search_choose_regions(struct search *search)
{
    search->active_count = 0;
    if (search->frame.count)
        search_inside_measure(search);
    for (uint32_t i = 0; i < search->queue.count && search->active_count < search->ways_active;) {
        struct region *best = &search->queue.at[i];
        bool split = !best->final && best->state != REGION_KEPT;
        bool inside = is_searched_inside(best);
        if (inside && search->frame.count) {
            i++;
            continue;
        }
        if (inside) {
            struct region whole = search_queue_take(&search->queue, i);
            if (search_inside_begin(search, &whole))
                search_inside_measure(search);
            continue;
        }
        if (split && search->active_count + 2 > search->ways_active) {
            i++;
            continue;
        }
        struct region region = search_queue_take(&search->queue, i);
        region.selection_share = region.share;
        if (split && measure_halves(search, &region))
            continue;
        region.final |= split; /* it cannot be split after all */
        region.state =
            region.state == REGION_KEPT ? REGION_KEPT : search_found_state(search, &region);
        search_measure(search, &region);
    }
}

/* Settles or continues the search. A region ranked too high by one noisy interval drops as it is
 * measured again; unsearched regions that are then above it get its counters. */
static void settle_or_continue(struct search *search)
{
    search_join_neighbours(search);
    if (!search->frame.count && search_finished(search)) {
        search_settle(search);
    } else {
        search->state = SEARCH_SEARCHING;
        search_choose_regions(search);
    }
}

static void step_settled(struct search *search, uint64_t now_ns)
{
    if (!search_still_explains(search, now_ns)) {
        restart_search(search, now_ns);
        return;
    }
    for (uint32_t i = 0; i < search->active_count; i++)
        search_queue_put(&search->queue, &search->active[i]);
    settle_or_continue(search);
    begin_interval(search, now_ns);
}

static void step_searching(struct search *search, uint64_t now_ns)
{
    bool kept = search_queue_measured(search);
    if (kept) {
        search->shortest_ns += search->shortest_ns / 2;
        if (search->shortest_ns > interval_longest_ns)
            search->shortest_ns = interval_longest_ns;
    }
    if (!search->queue.count && !search->frame.count) {
        restart_search(search, now_ns);
        return;
    }
    settle_or_continue(search);
    begin_interval(search, now_ns);
}

/* Reduces the number of ways if samples are rare. */
static void adapt_ways(struct search *search, uint64_t elapsed_ns, uint64_t needed)
{
    search->interval_ns = elapsed_ns;
    if (elapsed_ns > interval_too_long_ns && search->all_samples < 2 * needed &&
        search->ways_active > 3)
        search->ways_active -= 2;
    else if (elapsed_ns < interval_too_long_ns / 4 && search->ways_active < search->ways)
        search->ways_active++;
}

/* Returns the samples that the least measured region would have if the interval ended now. */
static double least_samples_so_far(const struct search *search)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < search->active_count; i++)
        if (!search->active[i].iterations && search->active[i].total_samples < least)
            least = search->active[i].total_samples;
    return (double)search->all_samples + (isfinite(least) ? least : 0);
}

void search_tick(struct search *search, uint64_t now_ns)
{
    /* Before its first sample a recording has no time. */
    if (!search->started_ns)
        search->started_ns = now_ns;
    if (search->state == SEARCH_OFF || now_ns < search->started_ns + search->shortest_ns)
        return;
    uint64_t needed =
        (uint64_t)SAMPLES_PER_REGION * (search->active_count ? search->active_count : 1);
    if (!search->all_samples || least_samples_so_far(search) < (double)needed)
        return;
    adapt_ways(search, now_ns - search->started_ns, needed);
    search->iteration++;
    search->rounds++;
    if (search->state == SEARCH_SETTLED)
        step_settled(search, now_ns);
    else
        step_searching(search, now_ns);
}
