/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/past.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "place.h"
#include "sample.h"
#include "store/form.h"

/* Places as rows (form.h), encoded as differences from an earlier place of the same instruction, as
 * in FILE.misstop. Each segment can be decoded separately. */
enum {
    SEGMENT_BYTES = 1 << 16,
    /* Limit of a new segment, so that half of two segments fit into one. */
    SEGMENT_FILLED = SEGMENT_BYTES / 8 * 7,
    SEGMENT_SLOTS = 1 << 8, /* few, so that they stay cached and are quickly overwritten */
    SEGMENT_COUNT = PLACE_ROW_FIELDS, /* additional field: number of places represented */
    SEGMENT_FIELDS
};

struct segment {
    unsigned char *bytes; /* [SEGMENT_BYTES] */
    size_t used_bytes;
    uint64_t start_ns; /* time of its first place; `end_ns`: of its last */
    uint64_t end_ns;
    uint64_t place_count;
    uint64_t represented_places; /* places of the run that they represent */
};

struct coder {
    uint64_t slots[SEGMENT_SLOTS][SEGMENT_FIELDS];
    uint64_t time_ns;
    size_t at_bytes; /* read position */
};

struct kept_place {
    struct place place;
    uint64_t count;
};

struct past_cursor {
    const struct time_range *ranges;
    size_t count;
    size_t segment; /* current segment, which coder decodes */
    bool has_next;
    struct coder coder;
};

struct past {
    unsigned char *bytes;     /* of all segments */
    struct segment *segments; /* [room], in order of time; the last one is being written */
    size_t count;
    size_t room;
    unsigned char *spare; /* bytes of an additional segment, into which past_thin() writes */
    struct coder writing;
    struct past_cursor cursor;
    struct coder thinned; /* scratch memory of past_thin() */
    struct coder thinning;
    struct prng prng;
};

/* Maximum bytes of slot, time, mask and fields of a place. */
enum { PLACE_BYTES_MAX = (3 + SEGMENT_FIELDS) * NUMBER_BYTES_MAX };

static void coder_begin(struct coder *coder)
{
    *coder = (struct coder){0};
}

static void extend_segment_time(struct segment *segment, uint64_t time_ns)
{
    if (!segment->place_count || time_ns < segment->start_ns)
        segment->start_ns = time_ns;
    if (!segment->place_count || time_ns > segment->end_ns)
        segment->end_ns = time_ns;
}

/* Appends a place; returns false, without writing, if there is no room. */
static bool coder_put(struct coder *coder, struct segment *segment, size_t limit_bytes,
                      const struct place *place, uint64_t count)
{
    uint64_t row[SEGMENT_FIELDS];
    unsigned char *out = segment->bytes + segment->used_bytes;
    if (segment->used_bytes + PLACE_BYTES_MAX > limit_bytes)
        return false;
    place_row_fill(row, place);
    row[SEGMENT_COUNT] = count;
    unsigned slot = place_row_slot(row) % SEGMENT_SLOTS;
    out = number_put(out, slot);
    out = number_put(out, number_of_difference(place->access.time_ns - coder->time_ns));
    out = row_put(out, row, coder->slots[slot], SEGMENT_FIELDS);
    extend_segment_time(segment, place->access.time_ns);
    coder->time_ns = place->access.time_ns;
    segment->used_bytes = (size_t)(out - segment->bytes);
    segment->place_count++;
    segment->represented_places += count;
    return true;
}

/* Decodes the next place; returns false at the end. */
static bool coder_get(struct coder *coder, const struct segment *segment, struct kept_place *kept)
{
    struct numbers from = {segment->bytes + coder->at_bytes, segment->bytes + segment->used_bytes};
    uint64_t slot;
    uint64_t difference;
    if (coder->at_bytes >= segment->used_bytes)
        return false;
    bool whole = number_get(&from, &slot) && slot < SEGMENT_SLOTS &&
                 number_get(&from, &difference) &&
                 row_get(&from, coder->slots[slot], SEGMENT_FIELDS);
    assert(whole); /* only coder_put() writes segments */
    if (!whole)
        return false;
    coder->time_ns += number_to_difference(difference);
    coder->at_bytes = (size_t)(from.at - segment->bytes);
    place_row_read(coder->slots[slot], &kept->place);
    kept->place.access.time_ns = coder->time_ns;
    kept->count = coder->slots[slot][SEGMENT_COUNT];
    return true;
}

/*
 * Thinning of the past: selects two segments, and the places of them that are kept.
 *
 * One of two places of an event is kept, with a probability proportional to its weight, and gets
 * the weight of both. The weight of each object stays the same on average, and the total weight
 * exactly (aggregation of pairs, Cohen, Duffield, Kaplan, Lund and Thorup 2009). The choice is
 * random, because keeping every second place could resonate with a loop.
 */

/* Places with and without an object, for each event; further events share the last kinds. */
enum { KINDS = 2 * SAMPLE_EVENTS_MAX };

static unsigned past_access_kind(const struct access *access)
{
    unsigned event = access->event < SAMPLE_EVENTS_MAX ? access->event : SAMPLE_EVENTS_MAX - 1;
    return 2 * event + (access->reason == REASON_NONE);
}

/* Merges two places into one. */
static void past_join_places(struct past *past, struct kept_place *left,
                             const struct kept_place *right)
{
    uint64_t weight = left->place.access.weight + right->place.access.weight;
    uint64_t count = left->count + right->count;
    double point = (double)(prng_next(&past->prng) >> 11) / (double)(UINT64_C(1) << 53);
    double part = weight ? (double)left->place.access.weight / (double)weight : 0.5;
    if (point >= part)
        *left = *right;
    left->place.access.weight = weight;
    left->count = count;
}

struct thinning_pass {
    struct past *past;
    struct segment out;
    unsigned keep_one_in; /* one of this many places is kept: a power of two */
    struct kept_place waiting[KINDS];
    unsigned joined[KINDS]; /* places that `waiting` represents; 0: none */
};

static bool write_joined_place(struct thinning_pass *sieve, unsigned kind)
{
    const struct kept_place *kept = &sieve->waiting[kind];
    sieve->joined[kind] = 0;
    return coder_put(&sieve->past->thinning, &sieve->out, SEGMENT_BYTES, &kept->place, kept->count);
}

static bool sieve_segment(struct thinning_pass *sieve, const struct segment *segment)
{
    struct kept_place kept;
    coder_begin(&sieve->past->thinned);
    while (coder_get(&sieve->past->thinned, segment, &kept)) {
        unsigned kind = past_access_kind(&kept.place.access);
        if (sieve->joined[kind]++)
            past_join_places(sieve->past, &sieve->waiting[kind], &kept);
        else
            sieve->waiting[kind] = kept;
        if (sieve->joined[kind] == sieve->keep_one_in && !write_joined_place(sieve, kind))
            return false;
    }
    return true;
}

/* Merges two segments; returns false if the result does not fit. */
static bool join_segments(struct thinning_pass *sieve, const struct segment *pair)
{
    coder_begin(&sieve->past->thinning);
    sieve->out = (struct segment){.bytes = sieve->past->spare};
    memset(sieve->joined, 0, sizeof sieve->joined);
    if (!sieve_segment(sieve, &pair[0]) || !sieve_segment(sieve, &pair[1]))
        return false;
    for (unsigned kind = 0; kind < KINDS; kind++)
        if (sieve->joined[kind] && !write_joined_place(sieve, kind))
            return false;
    return true;
}

/*
 * Chooses the pair that is shortest relative to its age, in places of the run: the density of
 * places is then inversely proportional to their age, and the newest part is exact. Excludes the
 * segments being written and read.
 */
static size_t choose_segments_to_join(const struct past *past)
{
    size_t best = past->count;
    double shortest = 0;
    double age = 1;
    for (size_t i = past->count - 1; i-- > 1;) {
        const struct segment *right = &past->segments[i];
        age += (double)right[1].represented_places;
        bool is_read =
            past->cursor.has_next && (past->cursor.segment == i || past->cursor.segment == i - 1);
        double length = (double)(right->represented_places + right[-1].represented_places) / age;
        if (!is_read && (best == past->count || length <= shortest)) {
            shortest = length;
            best = i - 1;
        }
    }
    return best;
}

/* Merges two segments to make room for another: decrements past->count. */
static void past_thin(struct past *past)
{
    struct thinning_pass sieve = {.past = past, .keep_one_in = 2};
    size_t at = choose_segments_to_join(past);
    assert(at < past->count);
    struct segment *pair = &past->segments[at];
    unsigned char *freed[2] = {pair[0].bytes, pair[1].bytes};
    /* Differences between random places need more bytes than before, so fewer may fit. */
    while (!join_segments(&sieve, pair))
        sieve.keep_one_in *= 2;
    pair[0] = sieve.out;
    memmove(pair + 1, pair + 2, (past->count - at - 2) * sizeof *pair);
    past->count--;
    past->segments[past->count].bytes = freed[0];
    past->spare = freed[1];
    if (past->cursor.segment > at)
        past->cursor.segment--;
}

enum { SEGMENTS_MIN = 5 /* so that two can be thinned while one is read and one written */ };

int past_new(struct past **out, size_t bytes)
{
    *out = NULL;
    size_t room = bytes / SEGMENT_BYTES;
    room = room > SEGMENTS_MIN ? room - 1 : SEGMENTS_MIN;
    struct past *past = calloc(1, sizeof *past);
    if (!past)
        return -ENOMEM;
    past->room = room;
    past->bytes = malloc((room + 1) * SEGMENT_BYTES);
    past->segments = calloc(room, sizeof *past->segments);
    if (!past->bytes || !past->segments) {
        past_free(past);
        return -ENOMEM;
    }
    past_clear(past);
    *out = past;
    return 0;
}

void past_free(struct past *past)
{
    if (!past)
        return;
    free(past->bytes);
    free(past->segments);
    free(past);
}

void past_clear(struct past *past)
{
    if (!past)
        return;
    for (size_t i = 0; i < past->room; i++)
        past->segments[i] = (struct segment){.bytes = past->bytes + i * SEGMENT_BYTES};
    past->spare = past->bytes + past->room * SEGMENT_BYTES;
    past->count = 0;
    past->prng = (struct prng){1};
    past_read_end(past);
}

static void open_segment(struct past *past)
{
    if (past->count == past->room)
        past_thin(past);
    struct segment *segment = &past->segments[past->count++];
    *segment = (struct segment){.bytes = segment->bytes};
    coder_begin(&past->writing);
}

static void past_add_row(struct past *past, const struct place *place)
{
    struct segment *last = past->segments + past->count - 1;
    if (!past->count || !coder_put(&past->writing, last, SEGMENT_FILLED, place, 1)) {
        open_segment(past);
        last = past->segments + past->count - 1;
        coder_put(&past->writing, last, SEGMENT_FILLED, place, 1);
    }
}

void past_add_all(struct past *past, const struct place *places, size_t count)
{
    for (size_t i = 0; past && i < count; i++)
        past_add_row(past, &places[i]);
}

/* ---- reading of time ranges ---- */

void past_read_begin(struct past *past, const struct time_range *ranges, size_t count)
{
    past->cursor.ranges = ranges;
    past->cursor.count = count;
    past->cursor.segment = 0;
    past->cursor.has_next = true;
    coder_begin(&past->cursor.coder);
}

void past_read_end(struct past *past)
{
    past->cursor.has_next = false;
    past->cursor.segment = 0;
}

/* Returns the first time range that ends after a time; NULL: none. */
static const struct time_range *time_range_at(const struct past_cursor *cursor, uint64_t time_ns)
{
    size_t low = SORTED_UP_TO(cursor->ranges, cursor->count, end_ns, time_ns);
    return low < cursor->count ? &cursor->ranges[low] : NULL;
}

static bool segment_overlaps_ranges(const struct past_cursor *cursor, const struct segment *segment)
{
    const struct time_range *range = time_range_at(cursor, segment->start_ns);
    return segment->place_count && range && range->start_ns <= segment->end_ns;
}

static bool is_in_time_ranges(const struct past_cursor *cursor, uint64_t time_ns)
{
    const struct time_range *range = time_range_at(cursor, time_ns);
    return range && range->start_ns <= time_ns;
}

/* Goes to the next segment; returns false if there is none. */
static bool next_segment(struct past *past)
{
    coder_begin(&past->cursor.coder);
    if (past->cursor.segment + 1 >= past->count)
        return false;
    past->cursor.segment++;
    return true;
}

size_t past_read(struct past *past, struct place *places, size_t room, uint64_t *seen)
{
    struct past_cursor *cursor = &past->cursor;
    struct kept_place kept;
    size_t count = 0;
    while (cursor->has_next && count < room) {
        const struct segment *segment = &past->segments[cursor->segment];
        bool any = cursor->segment < past->count && segment_overlaps_ranges(cursor, segment);
        if (!any || !coder_get(&cursor->coder, segment, &kept)) {
            cursor->has_next = next_segment(past);
        } else if (is_in_time_ranges(cursor, kept.place.access.time_ns)) {
            places[count++] = kept.place;
            *seen += kept.count;
        }
    }
    return count;
}
