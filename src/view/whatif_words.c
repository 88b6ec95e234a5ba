/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/whatif_words.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double worth_a_word = 0.01;
static const double same_within = 0.01;

const char *whatif_state_name(enum whatif_state state)
{
    static const char *const names[] = {"none", "waits", "counts", "refused"};
    return (unsigned)state < sizeof names / sizeof *names ? names[state] : "none";
}

double whatif_change(double before, double after)
{
    return before > 0 ? (after - before) / before : NAN;
}

static const char *row_name(uint32_t level, uint32_t count)
{
    static const char *const names[] = {"L1 misses", "L2 misses", "L3 misses", "L4 misses"};
    static const char *const last[] = {"L1 misses, to memory", "L2 misses, to memory",
                                       "L3 misses, to memory", "L4 misses, to memory"};
    return level + 1 == count ? last[level] : names[level];
}

size_t whatif_rows(const struct snapshot_whatif *answer, struct whatif_row rows[WHATIF_ROWS_MAX])
{
    uint32_t count = answer->state == WHATIF_COUNTS ? answer->level_count : 0;
    for (uint32_t i = 0; i < count; i++)
        rows[i] =
            (struct whatif_row){row_name(i, count), answer->level[i].before, answer->level[i].after,
                                answer->level[i].object_before, answer->level[i].object_after};
    if (count)
        rows[count++] = (struct whatif_row){"cycles waited", answer->stall_before,
                                            answer->stall_after, NAN, NAN};
    return count;
}

void whatif_summary(const struct snapshot_whatifs *asked, char *out, size_t size)
{
    /* What never missed says what can be had at most, not what to do. */
    bool bound = asked->count > 1 && !strcmp(asked->list[0].question, "never");
    const struct snapshot_whatif *best = &asked->list[bound];
    double change = asked->count ? snapshot_whatif_change(best) : NAN;
    *out = '\0';
    if (asked->count < 2)
        return;
    if (isnan(change))
        snprintf(out, size, "%u questions at a time; none has an answer yet.", asked->count);
    else if (change > -same_within)
        snprintf(out, size, "%u questions at a time, best first: none of them would save time.",
                 asked->count);
    else
        snprintf(
            out, size,
            "%u questions at a time, best first: %.60s, %.40s, would save most, %.1f %% of the "
            "time waited for data.",
            asked->count, best->object, best->question, -100 * change);
}

void whatif_title(const struct snapshot_whatif *answer, char *out, size_t size)
{
    snprintf(out, size, "%s: %s. %s", answer->object ? answer->object : "?",
             answer->question ? answer->question : "?", answer->layout ? answer->layout : "");
}

static size_t say(char *out, size_t size, size_t used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static size_t say(char *out, size_t size, size_t used, const char *format, ...)
{
    va_list arguments;
    if (used >= size)
        return used;
    va_start(arguments, format);
    int length = vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
    return length > 0 ? used + (size_t)length : used;
}

static size_t say_change(const struct snapshot_whatif *answer, char *out, size_t size)
{
    char before[16];
    char after[16];
    const struct snapshot_whatif_level *last = &answer->level[answer->level_count - 1];
    double change = whatif_change(answer->stall_before, answer->stall_after);
    if (!(answer->stall_before > 0))
        return say(out, size, 0, "Nothing has missed since it was asked.");
    size_t used = fabs(change) < same_within
                      ? say(out, size, 0, "It would make no difference to the time waited for data")
                      : say(out, size, 0, "The time waited for data would %s by %.1f %%",
                            change < 0 ? "fall" : "grow", 100 * fabs(change));
    if (!last->after && !last->before)
        return say(out, size, used, "; nothing is fetched from memory either way.");
    return say(out, size, used, "; %s fetches from memory instead of %s.",
               text_count(after, last->after), text_count(before, last->before));
}

/* What keeps the figures from being the whole truth. */
static size_t say_doubts(const struct snapshot_whatif *answer, char *out, size_t size, size_t used)
{
    char number[16];
    const struct snapshot_whatif_level *last = &answer->level[answer->level_count - 1];
    if (!answer->object_accesses)
        used = say(out, size, used, " The object was not accessed since then.");
    if (!answer->settled && last->fresh > worth_a_word * last->after)
        used = say(out, size, used,
                   " %s of them are first touches of its new lines, and may not come again: it "
                   "has not settled yet.",
                   text_count(number, last->fresh));
    if (answer->cut > worth_a_word * answer->object_accesses)
        used = say(out, size, used, " %.0f %% of its accesses span parts that lie apart then.",
                   100 * answer->cut / answer->object_accesses);
    if (answer->blocks_left_out > 0)
        used = say(out, size, used, " %s of its blocks are not followed.",
                   text_count(number, answer->blocks_left_out));
    if (answer->blocks_small > 0)
        used = say(out, size, used, " %s blocks are shorter than an element and stay.",
                   text_count(number, answer->blocks_small));
    return used;
}

void whatif_sentence(const struct snapshot_whatif *answer, char *out, size_t size)
{
    char accesses[16];
    char own[16];
    if (answer->state != WHATIF_COUNTS || !answer->level_count) {
        snprintf(out, size, "%s: %s.", answer->state == WHATIF_REFUSED ? "No answer" : "Not yet",
                 answer->why ? answer->why : "");
        return;
    }
    size_t used = say_change(answer, out, size);
    used = say_doubts(answer, out, size, used);
    say(out, size, used, " Of %s accesses since %s, %s to it.",
        text_count(accesses, answer->accesses), answer->settled ? "it settled" : "asked",
        text_count(own, answer->object_accesses));
}
