/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search inside one object that a program manages itself (an arena, a mapping, a large block):
 * which range, page or line of it is hot.
 *
 * Halving, as between objects, decides by two counts, and one unlucky count sends the search down to
 * single lines of data that is used evenly. So a range is measured in eight pieces until these have
 * enough samples together, and a chi-square test says whether it has a hotter part. If not, the
 * range is a result. If it has, pieces of equal density become one range each, and those are
 * searched in turn. A page is searched inside only while few of its pieces have nearly all of its samples: three
 * hot lines of a page are results, ten are one page.
 */
#include "profile/chi2.h"
#include "profile/search_part.h"

enum { FEW_PIECES = 3, FRAME_SAMPLES = 64, FRAME_ROUNDS_MAX = 40, SMALL_PAGES = 16 };

static const double worth_looking = 0.04; /* of all misses; below, the range is a result as it is */
static const double most_of_page = 0.85;
static const double even_p_value = 0.001;
static const double same_density = 1.6; /* ratio of the densities of two neighbours */
static const double uneven_density = 1.5;

bool search_inside_wants(const struct region *region)
{
    return region->open && !region->final && region->state != REGION_KEPT;
}

static uint64_t piece_unit(const struct search *search, const struct region *whole)
{
    return region_size(whole) >= SEARCH_PIECES * SEARCH_PAGE ? SEARCH_PAGE : search->line_bytes;
}

static void finish(struct search *search, struct region *whole, const char *reason)
{
    whole->final = true;
    whole->reason = reason;
    whole->state = search_found_state(search, whole);
    search_queue_put(&search->queue, whole);
}

bool search_inside_begin(struct search *search, const struct region *whole)
{
    struct search_frame *frame = &search->frame;
    struct region small = *whole;
    if (whole->iterations && whole->share < worth_looking) {
        finish(search, &small, "too few samples to look inside");
        return false;
    }
    *frame = (struct search_frame){.whole = *whole};
    uint64_t unit = piece_unit(search, whole);
    uint64_t step = (region_size(whole) / SEARCH_PIECES + unit - 1) & ~(unit - 1);
    uint64_t at = whole->base;
    search->splits++;
    while (at < whole->bound) {
        /* The first piece ends where its page or line does. */
        uint64_t end = (at & ~(unit - 1)) + (step ? step : unit);
        bool last = frame->count == SEARCH_PIECES - 1 || end >= whole->bound;
        frame->pieces[frame->count++] = (struct region){.base = at,
                                                        .bound = last ? whole->bound : end,
                                                        .object = whole->object,
                                                        .open = true,
                                                        .depth = whole->depth + 1,
                                                        .parent = search->splits,
                                                        .ranked_share = whole->share};
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

/* Counters for the pieces that were measured least. */
void search_inside_measure(struct search *search)
{
    struct search_frame *frame = &search->frame;
    bool taken[SEARCH_PIECES] = {false};
    for (uint32_t n = 0; n < frame->count && search->active_count < search->ways_now; n++) {
        uint32_t least = SEARCH_PIECES;
        for (uint32_t i = 0; i < frame->count; i++)
            if (!taken[i] && (least == SEARCH_PIECES ||
                              frame->pieces[i].iterations < frame->pieces[least].iterations))
                least = i;
        taken[least] = true;
        search_measure(search, &frame->pieces[least]);
    }
}

/* Takes the pieces out of the counters; returns whether all have been measured enough. */
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

static double density(const struct region *region)
{
    return region->share / (double)region_size(region);
}

/* The densities differ by more than chance, and by enough to be worth telling. */
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
        differs |= density(piece) > uneven_density * mean || density(piece) < mean / 4;
    }
    return differs && chi2_p_value(chi2, frame->count - 1) < even_p_value;
}

static bool like_before(const struct region *group, const struct region *piece)
{
    double a = density(group);
    double b = density(piece);
    return a <= same_density * b && b <= same_density * a;
}

static void put_group(struct search *search, const struct region *group)
{
    struct region part = *group;
    if (!(part.share > 0)) {
        search_drop(search, &part, "no samples");
        return;
    }
    region_identify(&part, &search->names, search->inside, search->line_bytes);
    part.state = search_found_state(search, &part);
    search_queue_put(&search->queue, &part);
}

/* Neighbours of one density are one range. */
static void put_pieces(struct search *search)
{
    const struct search_frame *frame = &search->frame;
    struct region group = frame->pieces[0];
    for (uint32_t i = 1; i < frame->count; i++) {
        const struct region *piece = &frame->pieces[i];
        if (like_before(&group, piece)) {
            group.bound = piece->bound;
            group.share += piece->share;
            group.hits = group.share * group.total;
        } else {
            put_group(search, &group);
            group = *piece;
        }
    }
    put_group(search, &group);
}

/* Share of the pieces that have most, a few of them. */
static double most_of_few(const struct search_frame *frame)
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
    bool small = search->inside && search->bound - search->base <= SMALL_PAGES * SEARCH_PAGE;
    if (!(share > 0)) {
        whole.samples = 0;
        search_queue_silent(search, &whole);
    } else if (!frame_is_uneven(frame, share, samples)) {
        finish(search, &whole, "no hotter part");
    } else if (region_size(&whole) <= SEARCH_PAGE && !small &&
               most_of_few(frame) < most_of_page * share) {
        finish(search, &whole, "used in several lines");
    } else {
        put_pieces(search);
    }
    frame->count = 0;
}

void search_inside_note(struct search *search)
{
    if (search->frame.count && frame_collect(search))
        frame_decide(search);
}

/* Two results of one object side by side, cut where a piece ended, are one. */
void search_join_neighbours(struct search *search)
{
    struct search_queue *queue = &search->queue;
    for (uint32_t i = 0; i < queue->count; i++)
        for (uint32_t k = 0; k < queue->count; k++) {
            struct region low = queue->at[i];
            struct region high = queue->at[k];
            if (!low.open || !high.open || !low.final || !high.final || low.bound != high.base ||
                low.object != high.object || !like_before(&low, &high))
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
            i = UINT32_MAX; /* the queue changed: from the start */
            break;
        }
}
