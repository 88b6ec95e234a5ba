/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/watch_lines.h"

#include "sample/watch_leg.h"

#include <string.h>

/* Traps and armings of a watch that goes its whole way. */
enum { WATCH_ARMINGS = 3, WATCH_TRAPS = 3 };

void watch_lines_init(struct watch_lines *lines, const struct watch_arms *arms, unsigned slots,
                      struct watch_budget *budget, double trap_ns, uint64_t seed)
{
    *lines = (struct watch_lines){.arms = *arms,
                                  .budget = budget,
                                  .trap_ns = trap_ns,
                                  .arm_ns = trap_ns,
                                  .prng = {seed},
                                  .slots = slots < WATCH_SLOTS ? slots : WATCH_SLOTS};
    lines->count = (lines->slots + 1) / 2;
}

/* ---- visits ---- */

/* The line is free; a new count of samples begins. */
static void let_go(struct watch_lines *lines, struct watch_line *line)
{
    watch_leg_disarm(lines, line, &line->other);
    line->busy = false;
    line->seen = 0;
}

/* A visit says nothing where the other word was touched in one before, without the sampled. */
static void settle_visit(struct watch_lines *lines, struct watch_line *line, uint64_t now_ns)
{
    const struct watch_word *other = &line->other;
    if (line->visited || !line->visit_ns || now_ns < line->visit_ns + WATCH_VISIT_NS)
        return;
    line->visited = true;
    bool told = other->armed || other->touched_ns;
    bool before = other->touched_ns && other->touched_ns + WATCH_VISIT_NS < line->visit_ns;
    bool within = other->touched_ns && other->touched_ns <= line->visit_ns + WATCH_VISIT_NS;
    if (told && !before)
        watch_leg_result(lines, line, WATCH_VISIT, within ? WATCH_TOUCHED : WATCH_EXPIRED)->end_ns =
            line->visit_ns;
    watch_leg_disarm(lines, line, &line->other);
}

/* ---- samples ---- */

static bool is_watched(const struct watch_lines *lines, uint64_t address)
{
    uint64_t at = address / WATCH_LINE_BYTES;
    for (unsigned i = 0; i < lines->count; i++) {
        const struct watch_line *line = &lines->at[i];
        if ((line->busy && line->offer.address / WATCH_LINE_BYTES == at) ||
            (line->wanted && line->next.address / WATCH_LINE_BYTES == at))
            return true;
    }
    return false;
}

static void draw(struct watch_line *line, const struct watch_offer *offer)
{
    line->wanted = true;
    line->seen += !line->seen;
    line->next = *offer;
}

void watch_lines_offer(struct watch_lines *lines, const struct watch_offer *offer)
{
    lines->offered++;
    if (is_watched(lines, offer->address))
        return;
    for (unsigned i = 0; i < lines->count; i++)
        if (!lines->at[i].busy && !lines->at[i].wanted) {
            draw(&lines->at[i], offer);
            return;
        }
    /* The n-th since it was free replaces what is there in one of n cases. */
    for (unsigned i = 0, drawn = 0; i < lines->count; i++) {
        struct watch_line *line = &lines->at[i];
        uint32_t bound = line->seen < UINT32_MAX ? (uint32_t)++line->seen : UINT32_MAX;
        if (!prng_below(&lines->prng, bound) && !drawn++)
            draw(line, offer);
    }
}

static uint64_t other_word(struct watch_lines *lines, uint64_t sampled)
{
    uint32_t words = WATCH_LINE_BYTES / WATCH_WORD_BYTES;
    uint64_t first = sampled / WATCH_LINE_BYTES * WATCH_LINE_BYTES;
    uint64_t at = sampled % WATCH_LINE_BYTES / WATCH_WORD_BYTES;
    uint64_t further = 1 + prng_below(&lines->prng, words - 1);
    return first + (at + further) % words * WATCH_WORD_BYTES;
}

static void begin(struct watch_lines *lines, struct watch_line *line)
{
    struct watch_offer offer = line->next;
    uint64_t word = offer.address / WATCH_WORD_BYTES * WATCH_WORD_BYTES;
    *line = (struct watch_line){.busy = true,
                                .seen = line->seen,
                                .offer = offer,
                                .leg = WATCH_FIRST,
                                .origin_ns = offer.time_ns,
                                .origin_tid = offer.tid,
                                .sampled = {.address = word},
                                .other = {.address = other_word(lines, word)}};
    /* The sampled word last: what interrupts the target afterwards would put off its touch. */
    watch_leg_arm(lines, line, &line->other);
    watch_leg_begin(lines, line);
    if (!line->sampled.armed)
        let_go(lines, line);
}

static void take_wanted(struct watch_lines *lines, struct watch_line *line, uint64_t now_ns)
{
    line->wanted = false;
    if (!watch_budget_allows(lines->budget,
                             WATCH_ARMINGS * lines->arm_ns + WATCH_TRAPS * lines->trap_ns)) {
        lines->unpaid++;
        return;
    }
    if (line->busy) {
        watch_leg_end(lines, line, WATCH_REPLACED, now_ns);
        watch_leg_disarm(lines, line, &line->other);
    }
    begin(lines, line);
}

/* ---- touches ---- */

static bool touches(const struct watch_word *word, const struct watch_touch *touch)
{
    /* A record of an earlier watch of this word may still be on its way. */
    return word->armed && word->address == touch->address && touch->time_ns >= word->asked_ns;
}

void watch_lines_touch(struct watch_lines *lines, const struct watch_touch *touch)
{
    lines->touches++;
    watch_budget_spend(lines->budget, lines->trap_ns);
    for (unsigned i = 0; i < lines->count; i++) {
        struct watch_line *line = &lines->at[i];
        if (touches(&line->sampled, touch)) {
            watch_leg_touch(lines, line, touch);
        } else if (touches(&line->other, touch)) {
            line->other.touched_ns = touch->time_ns;
            watch_leg_disarm(lines, line, &line->other);
        }
    }
}

/* ---- time ---- */

static void step(struct watch_lines *lines, struct watch_line *line, uint64_t now_ns)
{
    if (line->busy && line->sampled.armed && watch_leg_waited(lines, line, now_ns))
        watch_leg_end(lines, line, WATCH_EXPIRED, now_ns);
    if (line->busy)
        settle_visit(lines, line, now_ns);
    if (line->busy && !line->sampled.armed && (line->visited || !line->visit_ns))
        let_go(lines, line);
    if (line->wanted)
        take_wanted(lines, line, now_ns);
}

void watch_lines_step(struct watch_lines *lines)
{
    uint64_t now_ns = lines->arms.now_ns(lines->arms.context);
    for (unsigned i = 0; i < lines->count; i++)
        step(lines, &lines->at[i], now_ns);
}

void watch_lines_drop(struct watch_lines *lines)
{
    uint64_t now_ns = lines->arms.now_ns(lines->arms.context);
    for (unsigned i = 0; i < lines->count; i++) {
        struct watch_line *line = &lines->at[i];
        line->wanted = false;
        if (!line->busy)
            continue;
        watch_leg_end(lines, line, WATCH_DROPPED, now_ns);
        let_go(lines, line);
    }
}

size_t watch_lines_results(struct watch_lines *lines, uint64_t until_ns, struct watch_result *out,
                           size_t most)
{
    size_t taken = 0;
    size_t kept = 0;
    for (size_t i = 0; i < lines->result_count; i++)
        if (taken < most && lines->results[i].end_ns <= until_ns)
            out[taken++] = lines->results[i];
        else
            lines->results[kept++] = lines->results[i];
    lines->result_count = kept;
    return taken;
}
