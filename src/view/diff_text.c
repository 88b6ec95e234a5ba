/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as text; declared in diff.h. */
#include "view/diff_columns.h"
#include "base/text.h"
#include "view/text_writer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *amount_words(const struct diff *diff)
{
    bool time = diff_in_time(diff);
    switch (diff->amounts) {
    case DIFF_AMOUNT_PER_SECOND:
        return time ? "time at the accesses per second" : "events per second";
    case DIFF_AMOUNT_PER_1000_INSTRUCTIONS:
        return time ? "time at the accesses per 1,000 instructions"
                    : "events per 1,000 instructions";
    case DIFF_AMOUNT_OF_RUN:
        return "misses of the whole run, counted";
    default:
        return NULL;
    }
}

static void say_run(struct text_writer *writer, const char *side, const struct report *run)
{
    char elapsed[32] = "";
    char samples[16];
    if (!isnan(run->elapsed_s))
        snprintf(elapsed, sizeof elapsed, ", %.1f s", run->elapsed_s);
    text_say(writer, "%s: %s: %s%s, %s samples", side, run->path, *run->comm ? run->comm : "?",
             elapsed, text_count(samples, isnan(run->samples) ? run->effective : run->samples));
}

static void say_totals(struct text_writer *writer, const struct diff *diff)
{
    char a[16];
    char b[16];
    char times[16];
    const char *event = diff->a.runs[0]->event;
    const char *weighs = diff->a.runs[0]->weighs;
    const char *amounts = amount_words(diff);
    bool same = !*weighs || !strcmp(event, weighs);
    text_say(writer, "shares of %s%s%s%s, in points of a hundred: B less A", event,
             same ? "" : " (", same ? "" : weighs, same ? "" : ")");
    if (!amounts) {
        text_say(writer, "amounts are not known: shares only");
        return;
    }
    diff_amount_text(a, diff, diff->a.amount);
    diff_amount_text(b, diff, diff->b.amount);
    diff_times_text(times, &diff->times);
    text_say(writer, "amounts: %s; in all %s -> %s, %s (%.2f..%.2f)", amounts, a, b, times,
             diff->times.low, diff->times.high);
    if (diff->amounts == DIFF_AMOUNT_OF_RUN || isnan(diff->a.weight) || isnan(diff->b.weight))
        return;
    diff_amount_text(a, diff, diff->a.weight);
    diff_amount_text(b, diff, diff->b.weight);
    text_say(writer, "of a whole run: %s -> %s, x%.2f", a, b, diff->b.weight / diff->a.weight);
}

static void say_head(struct text_writer *writer, const struct diff *diff)
{
    for (size_t i = 0; i < diff->a.run_count; i++)
        say_run(writer, "A", diff->a.runs[i]);
    for (size_t i = 0; i < diff->b.run_count; i++)
        say_run(writer, "B", diff->b.runs[i]);
    say_totals(writer, diff);
    for (size_t i = 0; i < diff->note_count; i++)
        text_say(writer, "note: %s", diff->notes[i]);
}

static int say_table(struct text_writer *writer, const struct diff *diff, int table, bool all)
{
    static const char *const names[] = {"objects", "fields", "functions"};
    size_t count = all ? diff->count[table] : diff->changed[table];
    struct diff_line *lines = calloc(count + 1, sizeof *lines);
    if (!lines)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        diff_line_make(&lines[i], diff, &diff->rows[table][i]);
    if (!diff->changed[table])
        text_say(writer, "\n%s: nothing changed beyond chance (%zu compared)", names[table],
                 diff->tested[table]);
    else
        text_say(writer, "\n%s: %zu of %zu changed beyond chance", names[table],
                 diff->changed[table], diff->tested[table]);
    text_rows(writer, diff_columns[table], lines, count, SIZE_MAX);
    free(lines);
    return 0;
}

int diff_print(FILE *out, const struct diff *diff, const struct view_options *options, bool all)
{
    /* Columns ask a snapshot whether they are shown; of this one only for the weight. */
    const struct snapshot known = {.totals.weight = diff->amounts ? 1 : NAN};
    struct text_writer writer;
    int code = text_writer_init(&writer, out, &known, options);
    if (code)
        return code;
    errno = 0;
    say_head(&writer, diff);
    for (int table = 0; table < REPORT_TABLES && !code; table++)
        code = say_table(&writer, diff, table, all);
    if (!code && (fflush(out) == EOF || ferror(out)))
        code = errno ? -errno : -EIO;
    canvas_fini(&writer.line);
    return code;
}
