/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two sides as a whole: whether they can be compared, and how much there is on each. */
#include "view/diff.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Amounts this close are called the same, whatever their interval says: the same program run
 * twice wanders by as much. */
static const double same_amount = 0.05;

static const double waiting_told = 0.02;

const struct report *diff_run(const struct diff *diff, size_t run)
{
    return run < diff->a.run_count ? diff->a.runs[run] : diff->b.runs[run - diff->a.run_count];
}

/* Nothing of the run has faded. */
static bool is_whole(const struct report *run)
{
    return strcmp(run->basis, "decayed") || !(run->half_life_s > 0);
}

double diff_amount(const struct diff *diff, const struct report *run)
{
    switch (diff->amounts) {
    case DIFF_AMOUNT_PER_SECOND:
        return run->weight / run->covered_s;
    case DIFF_AMOUNT_PER_1000_INSTRUCTIONS:
        return run->weight / run->instructions * 1000;
    case DIFF_AMOUNT_OF_RUN:
        return run->simulated && is_whole(run) ? run->weight : NAN;
    default:
        return NAN;
    }
}

static bool amounts_known(const struct diff *diff, enum diff_amount amounts)
{
    struct diff asked = *diff;
    asked.amounts = amounts;
    for (size_t i = 0; i < diff->a.run_count + diff->b.run_count; i++)
        if (!isfinite(diff_amount(&asked, diff_run(diff, i))))
            return false;
    return true;
}

static void sum_side(struct diff *diff, struct diff_side *side)
{
    double amount = 0;
    double weight = 0;
    for (size_t i = 0; i < side->run_count; i++) {
        side->effective += side->runs[i]->effective;
        amount += diff_amount(diff, side->runs[i]);
        weight += is_whole(side->runs[i]) ? side->runs[i]->weight : NAN;
    }
    side->amount = amount / (double)side->run_count;
    side->weight = weight / (double)side->run_count;
}

static void compare_totals(struct diff *diff)
{
    double amounts[2 * DIFF_RUNS_MOST];
    size_t runs_a = diff->a.run_count;
    if (!diff->several) {
        double times = diff->b.amount / diff->a.amount;
        diff->times = diff->amounts == DIFF_AMOUNT_OF_RUN
                          ? (struct compare_times){times, times, times}
                          : compare_amounts(diff->a.amount, diff->a.effective, diff->b.amount,
                                            diff->b.effective);
        return;
    }
    for (size_t i = 0; i < runs_a + diff->b.run_count; i++)
        amounts[i] = diff_amount(diff, diff_run(diff, i));
    struct comparison difference =
        compare_runs(amounts, runs_a, 0, amounts + runs_a, diff->b.run_count, 0);
    diff->times = compare_times_of(diff->a.amount, &difference);
}

static void note(struct diff *diff, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct diff *diff, const char *format, ...)
{
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < diff->note_count; i++)
        if (!strcmp(diff->notes[i], text))
            return;
    if (diff->note_count == DIFF_NOTES_MOST)
        return;
    const char *kept = arena_string(&diff->arena, text);
    if (kept)
        diff->notes[diff->note_count++] = kept;
}

/* Length without perf's modifiers, which say in what mode and how precisely: "cycles:uP". */
static size_t event_length(const char *event)
{
    const char *colon = strrchr(event, ':');
    bool modifiers = colon && colon[1] && !colon[1 + strspn(colon + 1, "ukhGHIpPSDWe")];
    return modifiers ? (size_t)(colon - event) : strlen(event);
}

static bool same_event(const struct report *a, const struct report *b)
{
    size_t length = event_length(a->event);
    return length == event_length(b->event) && !strncmp(a->event, b->event, length);
}

static int check_run(struct diff *diff, size_t index, struct error *error)
{
    const struct report *first = diff->a.runs[0];
    const struct report *run = diff_run(diff, index);
    if (!(run->effective > 0))
        return error_set(error, -EDOM, "%s has no sample with an address: nothing to compare",
                         run->path);
    if (!same_event(first, run))
        return error_set(error, -EDOM,
                         "%s ranks by %s and %s by %s: that is not the same thing; record both "
                         "with the same event first (-e)",
                         first->path, *first->event ? first->event : "an unknown event", run->path,
                         *run->event ? run->event : "an unknown event");
    if (strcmp(first->comm, run->comm))
        note(diff, "%s is of %s, not of %s", index < diff->a.run_count ? "A" : "B", run->comm,
             first->comm);
    if (!strcmp(run->basis, "decayed") && run->half_life_s > 0)
        note(diff,
             "%s shows its recent past (half-life %g s), not the whole run; key c or -H 0 before "
             "it is written changes that",
             run->path, run->half_life_s);
    if (run->waiting >= waiting_told)
        note(diff,
             "%s: %.0f %% of the samples came before the debugging information was read; their "
             "fields are under offsets, and what is called after its type is not yet",
             run->path, run->waiting * 100);
    if (fabs(log(run->period / first->period)) > 0.1)
        note(diff, "%s has a sample every %.6g events, %s every %.6g", first->path, first->period,
             run->path, run->period);
    return 0;
}

static int check(struct diff *diff, struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < diff->a.run_count + diff->b.run_count && !code; i++)
        code = check_run(diff, i, error);
    if (!diff->several)
        note(diff,
             "the intervals cover how samples fall, not how runs differ from each other; several "
             "runs a side (A1,A2,A3 B1,B2,B3) do");
    return code;
}

int diff_totals(struct diff *diff, struct error *error)
{
    diff->several = diff->a.run_count > 1 && diff->b.run_count > 1;
    diff->amounts = amounts_known(diff, DIFF_AMOUNT_OF_RUN) ? DIFF_AMOUNT_OF_RUN
                    : amounts_known(diff, DIFF_AMOUNT_PER_1000_INSTRUCTIONS)
                        ? DIFF_AMOUNT_PER_1000_INSTRUCTIONS
                    : amounts_known(diff, DIFF_AMOUNT_PER_SECOND) ? DIFF_AMOUNT_PER_SECOND
                                                                  : DIFF_AMOUNT_UNKNOWN;
    int code = check(diff, error);
    if (code)
        return code;
    sum_side(diff, &diff->a);
    sum_side(diff, &diff->b);
    compare_totals(diff);
    return 0;
}

bool diff_in_time(const struct diff *diff)
{
    return strstr(diff->a.runs[0]->event, "clock");
}

static int amount_direction(const struct compare_times *times)
{
    bool same = (times->low <= 1 && times->high >= 1) || fabs(times->value - 1) <= same_amount;
    return same ? 0 : times->value > 1 ? 1 : -1;
}

const char *diff_reading(const struct diff_row *row)
{
    static const char *const words[2][3] = {
        {"less", "same amount; others rose", "more, but others rose more"},
        {"less, but others fell more", "same amount; others fell", "more"}};
    if (!row->changed)
        return "";
    if (isnan(row->a) || isnan(row->b))
        return isnan(row->a) ? "new" : "gone";
    if (isnan(row->times.value))
        return row->share.change > 0 ? "larger share" : "smaller share";
    return words[row->share.change > 0][amount_direction(&row->times) + 1];
}
