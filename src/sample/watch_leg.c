/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/watch_leg.h"

#include <string.h>

/* ---- registers ---- */

static unsigned slot_of(const struct watch_lines *lines, const struct watch_line *line,
                        const struct watch_word *word)
{
    return (unsigned)(line - lines->at) * 2 + (word == &line->other);
}

void watch_leg_arm(struct watch_lines *lines, struct watch_line *line, struct watch_word *word)
{
    unsigned slot = slot_of(lines, line, word);
    if (slot >= lines->slots)
        return;
    word->asked_ns = word->armed_ns = lines->arms.now_ns(lines->arms.context);
    double cost = lines->arms.arm(lines->arms.context, slot, word->address, &word->armed_ns);
    word->touched_ns = 0;
    word->armed = cost >= 0;
    if (cost < 0) {
        lines->refused = (int)cost;
        return;
    }
    lines->armed++;
    lines->arm_ns += (cost - lines->arm_ns) / 16;
    watch_budget_spend(lines->budget, cost);
}

/* How long the thread has run that the leg began with; UINT64_MAX: not known. */
uint64_t watch_leg_disarm(struct watch_lines *lines, struct watch_line *line,
                          struct watch_word *word)
{
    uint64_t ran_ns = UINT64_MAX;
    if (!word->armed)
        return ran_ns;
    double cost = lines->arms.disarm(lines->arms.context, slot_of(lines, line, word),
                                     line->origin_tid, &ran_ns);
    watch_budget_spend(lines->budget, cost > 0 ? cost : 0);
    word->armed = false;
    return ran_ns;
}

/* ---- results ---- */

struct watch_result *watch_leg_result(struct watch_lines *lines, const struct watch_line *line,
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

static uint64_t off_ns(const struct watch_result *result, uint64_t ran_ns)
{
    uint64_t passed_ns = result->end_ns > result->armed_ns ? result->end_ns - result->armed_ns : 0;
    return ran_ns < passed_ns ? passed_ns - ran_ns : 0;
}

void watch_leg_end(struct watch_lines *lines, struct watch_line *line, enum watch_end end,
                   uint64_t end_ns)
{
    if (!line->sampled.armed)
        return;
    uint64_t ran_ns = watch_leg_disarm(lines, line, &line->sampled);
    struct watch_result *result = watch_leg_result(lines, line, (enum watch_kind)line->leg, end);
    result->end_ns = end_ns;
    result->off_ns = off_ns(result, ran_ns);
}

/* ---- legs ---- */

void watch_leg_begin(struct watch_lines *lines, struct watch_line *line)
{
    line->cpu_ns = lines->budget->cpu_ns;
    watch_leg_arm(lines, line, &line->sampled);
}

/* The same word, from this touch on. */
static void watch_again(struct watch_lines *lines, struct watch_line *line,
                        const struct watch_touch *touch)
{
    line->leg = WATCH_AGAIN;
    line->origin_ns = touch->time_ns;
    line->origin_tid = touch->tid;
    if (line->code_count < WATCH_CODES)
        line->codes[line->code_count++] = touch->ip;
    if (watch_budget_allows(lines->budget, lines->arm_ns + lines->trap_ns))
        watch_leg_begin(lines, line);
}

/* As soon as can be seen, by an instruction that did not touch in this visit yet. */
static bool goes_on(const struct watch_lines *lines, const struct watch_line *line,
                    const struct watch_touch *touch)
{
    double soon_ns = 2 * lines->arm_ns;
    if (line->leg != WATCH_AGAIN || touch->tid != line->origin_tid ||
        line->code_count == WATCH_CODES ||
        (double)touch->time_ns > (double)line->sampled.armed_ns + soon_ns)
        return false;
    for (unsigned i = 0; i < line->code_count; i++)
        if (line->codes[i] == touch->ip)
            return false;
    return true;
}

void watch_leg_touch(struct watch_lines *lines, struct watch_line *line,
                     const struct watch_touch *touch)
{
    if (goes_on(lines, line, touch)) {
        watch_leg_disarm(lines, line, &line->sampled);
        watch_again(lines, line, touch);
        return;
    }
    struct watch_result *result =
        watch_leg_result(lines, line, (enum watch_kind)line->leg, WATCH_TOUCHED);
    result->end_ns = touch->time_ns;
    result->ip = touch->ip;
    result->toucher_tid = touch->tid;
    /* Of another thread's run it is not known what this one did meanwhile. */
    result->off_ns = touch->tid == line->origin_tid ? off_ns(result, touch->ran_ns) : 0;
    watch_leg_disarm(lines, line, &line->sampled);
    if (line->leg == WATCH_FIRST) {
        line->visit_ns = touch->time_ns;
        watch_again(lines, line, touch);
    }
}

bool watch_leg_waited(const struct watch_lines *lines, const struct watch_line *line,
                      uint64_t now_ns)
{
    uint64_t armed_ns = line->sampled.armed_ns;
    return now_ns >= armed_ns + WATCH_LONGEST_NS ||
           (now_ns >= armed_ns + WATCH_ENOUGH_NS &&
            lines->budget->cpu_ns >= line->cpu_ns + WATCH_ENOUGH_NS);
}
