/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as one JSON object on one line; declared in diff.h. */
#include "view/diff.h"
#include "view/json_part.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *runs(const struct diff_side *side)
{
    json_t *out = json_array();
    for (size_t i = 0; i < side->run_count; i++) {
        const struct report *from = side->runs[i];
        json_t *run = json_object();
        json_set(run, "path", json_text(from->path));
        json_set(run, "comm", json_text_or_null(from->comm));
        json_set(run, "event", json_text_or_null(from->event));
        json_set(run, "basis", json_text_or_null(from->basis));
        json_set(run, "elapsed", json_share(from->elapsed_s));
        json_set(run, "samples", json_count(from->samples));
        json_set(run, "effective", json_count(from->effective));
        json_set(run, "weight", json_count(from->weight));
        json_array_append_new(out, run);
    }
    return out;
}

static void set_times(json_t *out, const struct compare_times *times)
{
    json_set(out, "times", real(times->value));
    json_set(out, "times_low", real(times->low));
    json_set(out, "times_high", real(times->high));
}

static json_t *one_row(enum report_table table, const struct diff_row *row)
{
    static const char *const names[] = {"name", "name", "function"};
    json_t *out = json_object();
    json_set(out, names[table], json_text(row->what->name));
    if (table == REPORT_FIELDS)
        json_set(out, "object", json_text(row->what->object));
    if (table != REPORT_FUNCTIONS)
        json_set(out, "kind", json_text(row->what->kind));
    json_set(out, "module", json_text_or_null(row->what->module));
    json_set(out, "share_a", json_share(row->a));
    json_set(out, "share_b", json_share(row->b));
    json_set(out, "change", json_share(row->share.change));
    json_set(out, "change_low", json_share(row->share.low));
    json_set(out, "change_high", json_share(row->share.high));
    json_set(out, "amount_a", real(isnan(row->a) ? NAN : row->amount_a));
    json_set(out, "amount_b", real(isnan(row->b) ? NAN : row->amount_b));
    set_times(out, &row->times);
    json_set(out, "p", real(row->share.p));
    json_set(out, "p_adjusted", real(row->p_adjusted));
    json_set(out, "design", real(row->design));
    json_set(out, "changed", json_boolean(row->changed));
    json_set(out, "reading", json_text_or_null(diff_reading(row)));
    return out;
}

static json_t *rows(const struct diff *diff, enum report_table table, bool all)
{
    json_t *out = json_array();
    size_t count = all ? diff->count[table] : diff->changed[table];
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, one_row(table, &diff->rows[table][i]));
    return out;
}

static const char *amounts_name(enum diff_amount amounts)
{
    return amounts == DIFF_AMOUNT_OF_RUN                  ? "of-run"
           : amounts == DIFF_AMOUNT_PER_SECOND            ? "per-second"
           : amounts == DIFF_AMOUNT_PER_1000_INSTRUCTIONS ? "per-1000-instructions"
                                                          : NULL;
}

static json_t *change(const struct diff *diff, bool all)
{
    json_t *out = json_object();
    json_t *notes = json_array();
    for (size_t i = 0; i < diff->note_count; i++)
        json_array_append_new(notes, json_text(diff->notes[i]));
    json_set(out, "level", json_real(COMPARE_LEVEL));
    json_set(out, "amounts", json_text(amounts_name(diff->amounts)));
    json_set(out, "amount_unit", json_text(diff_in_time(diff) ? "nanoseconds" : "events"));
    json_set(out, "amount_a", real(diff->a.amount));
    json_set(out, "amount_b", real(diff->b.amount));
    set_times(out, &diff->times);
    json_set(out, "run_a", real(diff->a.weight));
    json_set(out, "run_b", real(diff->b.weight));
    json_set(out, "notes", notes);
    json_set(out, "objects", rows(diff, REPORT_OBJECTS, all));
    json_set(out, "fields", rows(diff, REPORT_FIELDS, all));
    json_set(out, "code", rows(diff, REPORT_FUNCTIONS, all));
    return out;
}

int json_diff_print(FILE *out, const struct diff *diff, bool all)
{
    json_t *root = json_object();
    json_set(root, "version", json_integer(1));
    json_set(root, "a", runs(&diff->a));
    json_set(root, "b", runs(&diff->b));
    json_set(root, "change", change(diff, all));
    return json_line(out, root);
}
