/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/watch_lines.h"

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

/* ---- registers ---- */

static unsigned slot_of(const struct watch_lines *lines, const struct watch_line *line,
                        const struct watch_word *word)
{
    return (unsigned)(line - lines->at) * 2 + (word == &line->other);
}

static bool arm(struct watch_lines *lines, struct watch_line *line, struct watch_word *word)
{
    word->asked_ns = word->armed_ns = lines->arms.now_ns(lines->arms.context);
    double cost = lines->arms.arm(lines->arms.context, slot_of(lines, line, word), word->address,
                                  &word->armed_ns);
    word->touched_ns = 0;
    word->armed = cost >= 0;
    if (cost < 0) {
        lines->refused = (int)cost;
        return false;
    }
    lines->armed++;
    lines->arm_ns += (cost - lines->arm_ns) / 16;
    watch_budget_spend(lines->budget, cost);
    return true;
}

static void disarm(struct watch_lines *lines, struct watch_line *line, struct watch_word *word)
{
    if (!word->armed)
        return;
    double cost = lines->arms.disarm(lines->arms.context, slot_of(lines, line, word));
    watch_budget_spend(lines->budget, cost > 0 ? cost : 0);
    word->armed = false;
}

/* ---- results ---- */

static struct watch_result *add_result(struct watch_lines *lines, const struct watch_line *line,
                                       enum watch_kind kind, enum watch_end end)
{
    /* Full only if nobody has taken any for a long time: the oldest goes. */
    if (lines->result_count == WATCH_RESULTS)
        memmove(lines->results, lines->results + 1, --lines->result_count * sizeof *lines->results);
    struct watch_result *result = &lines->results[lines->result_count++];
    *result = (struct watch_result){.kind = (uint8_t)kind,
                                    .end = (uint8_t)end,
                                    .object = line->offer.object,
                                    .origin_tid = line->origin_tid,
                                    .address = line->sampled.address,
                                    .base = line->offer.base,
                                    .origin_ns = line->origin_ns,
                                    .armed_ns = line->sampled.armed_ns};
    return result;
}

static void end_leg(struct watch_lines *lines, struct watch_line *line, enum watch_end end,
                    uint64_t end_ns)
{
    if (line->sampled.armed)
        add_result(lines, line, (enum watch_kind)line->leg, end)->end_ns = end_ns;
    disarm(lines, line, &line->sampled);
}

/* The line is free; a new count of samples begins. */
static void let_go(struct watch_lines *lines, struct watch_line *line)
{
    disarm(lines, line, &line->other);
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
    if (told && !before) {
        struct watch_result *visit =
            add_result(lines, line, WATCH_VISIT, within ? WATCH_TOUCHED : WATCH_EXPIRED);
        visit->end_ns = line->visit_ns;
    }
    disarm(lines, line, &line->other);
}

/* ---- samples ---- */

static bool same_line(uint64_t left, uint64_t right)
{
    return left / WATCH_LINE_BYTES == right / WATCH_LINE_BYTES;
}

static bool is_watched(const struct watch_lines *lines, uint64_t address)
{
    for (unsigned i = 0; i < lines->count; i++) {
        const struct watch_line *line = &lines->at[i];
        if ((line->busy && same_line(line->offer.address, address)) ||
            (line->wanted && same_line(line->next.address, address)))
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
    if (slot_of(lines, line, &line->other) < lines->slots)
        arm(lines, line, &line->other);
    if (!arm(lines, line, &line->sampled))
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
        end_leg(lines, line, WATCH_REPLACED, now_ns);
        disarm(lines, line, &line->other);
    }
    begin(lines, line);
}

/* ---- touches ---- */

/* The same word, from this touch on. */
static void watch_again(struct watch_lines *lines, struct watch_line *line,
                        const struct watch_touch *touch)
{
    line->leg = WATCH_AGAIN;
    line->origin_ns = touch->time_ns;
    line->origin_tid = touch->tid;
    if (watch_budget_allows(lines->budget, lines->arm_ns + lines->trap_ns))
        arm(lines, line, &line->sampled);
}

static void touch_sampled(struct watch_lines *lines, struct watch_line *line,
                          const struct watch_touch *touch)
{
    struct watch_result *result =
        add_result(lines, line, (enum watch_kind)line->leg, WATCH_TOUCHED);
    result->end_ns = touch->time_ns;
    result->ip = touch->ip;
    result->toucher_tid = touch->tid;
    disarm(lines, line, &line->sampled);
    if (line->leg == WATCH_FIRST) {
        line->visit_ns = touch->time_ns;
        watch_again(lines, line, touch);
    }
}

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
            touch_sampled(lines, line, touch);
        } else if (touches(&line->other, touch)) {
            line->other.touched_ns = touch->time_ns;
            disarm(lines, line, &line->other);
        }
    }
}

/* ---- time ---- */

static void step(struct watch_lines *lines, struct watch_line *line, uint64_t now_ns)
{
    if (line->busy && line->sampled.armed && now_ns >= line->sampled.armed_ns + WATCH_LONGEST_NS)
        end_leg(lines, line, WATCH_EXPIRED, now_ns);
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
        end_leg(lines, line, WATCH_DROPPED, now_ns);
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
