/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The past thinned: which two segments, and which of their places stay.
 *
 * Of two places of an event one stays, each as likely as its weight says, and has the weight of
 * both: what an object weighs stays the same on average, and what all weigh to the last digit
 * (aggregation of pairs, Cohen, Duffield, Kaplan, Lund and Thorup 2009). By chance, for every
 * second one would fall in step with a loop.
 */
#include "store/past_state.h"

#include "sample.h"

#include <assert.h>
#include <string.h>

/* Attributed and not, of each event; others are with the last. */
enum { KINDS = 2 * SAMPLE_EVENTS_MAX };

static unsigned kind_of(const struct access *access)
{
    unsigned event = access->event < SAMPLE_EVENTS_MAX ? access->event : SAMPLE_EVENTS_MAX - 1;
    return 2 * event + (access->reason == REASON_NONE);
}

/* One stands for both. */
static void join(struct past *past, struct kept_place *left, const struct kept_place *right)
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

/* Places on their way from two segments into one. */
struct sieve {
    struct past *past;
    struct segment out;
    unsigned each; /* of so many one stays: a power of two */
    struct kept_place waiting[KINDS];
    unsigned joined[KINDS]; /* how many `waiting` stands for; 0: there is none */
};

static bool let_go(struct sieve *sieve, unsigned kind)
{
    const struct kept_place *kept = &sieve->waiting[kind];
    sieve->joined[kind] = 0;
    return coder_put(&sieve->past->thinning, &sieve->out, SEGMENT_BYTES, &kept->place, kept->count);
}

static bool pass(struct sieve *sieve, const struct segment *segment)
{
    struct kept_place kept;
    coder_begin(&sieve->past->thinned);
    while (coder_get(&sieve->past->thinned, segment, &kept)) {
        unsigned kind = kind_of(&kept.place.access);
        if (sieve->joined[kind]++)
            join(sieve->past, &sieve->waiting[kind], &kept);
        else
            sieve->waiting[kind] = kept;
        if (sieve->joined[kind] == sieve->each && !let_go(sieve, kind))
            return false;
    }
    return true;
}

/* false: it does not fit. */
static bool join_segments(struct sieve *sieve, const struct segment *pair)
{
    coder_begin(&sieve->past->thinning);
    sieve->out = (struct segment){.bytes = sieve->past->spare};
    memset(sieve->joined, 0, sizeof sieve->joined);
    if (!pass(sieve, &pair[0]) || !pass(sieve, &pair[1]))
        return false;
    for (unsigned kind = 0; kind < KINDS; kind++)
        if (sieve->joined[kind] && !let_go(sieve, kind))
            return false;
    return true;
}

/*
 * The pair that would be the shortest for its age, in places of the run: so what is kept of a
 * time goes down as one by its age, and the newest part of the memory is exact. Not the segment
 * that is written, nor the one that is read.
 */
static size_t choose_pair(const struct past *past)
{
    size_t best = past->count;
    double shortest = 0;
    double age = 1;
    for (size_t i = past->count - 1; i-- > 1;) {
        const struct segment *right = &past->segments[i];
        age += (double)right[1].seen;
        bool is_read =
            past->reading.goes_on && (past->reading.segment == i || past->reading.segment == i - 1);
        double length = (double)(right->seen + right[-1].seen) / age;
        if (!is_read && (best == past->count || length <= shortest)) {
            shortest = length;
            best = i - 1;
        }
    }
    return best;
}

void past_thin(struct past *past)
{
    struct sieve sieve = {.past = past, .each = 2};
    size_t at = choose_pair(past);
    assert(at < past->count);
    struct segment *pair = &past->segments[at];
    unsigned char *freed[2] = {pair[0].bytes, pair[1].bytes};
    uint64_t before = pair[0].kept + pair[1].kept;
    /* Wild values tell by differences worse than before: then fewer of them stay. */
    while (!join_segments(&sieve, pair))
        sieve.each *= 2;
    pair[0] = sieve.out;
    past->kept -= before - sieve.out.kept;
    memmove(pair + 1, pair + 2, (past->count - at - 2) * sizeof *pair);
    past->count--;
    past->segments[past->count].bytes = freed[0];
    past->spare = freed[1];
    if (past->reading.segment > at)
        past->reading.segment--;
}
