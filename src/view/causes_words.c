/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/causes_words.h"

#include "base/text.h"
#include "view/columns.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS_TOLD = 4, LABEL_COLUMNS = 12, NAME_BYTES = 120 };
static const double least_told = 0.001; /* of what it is a part of */
static const double all_first = 0.995;
static const double least_early = 0.05; /* of the misses: less is nothing to think about */

const char *causes_name(enum miss_cause cause)
{
    static const char *const names[CAUSE_COUNT] = {
        [CAUSE_NOT_TOLD] = "not-told",
        [CAUSE_UNKNOWN] = "unknown",
        [CAUSE_FIRST] = "first",
        [CAUSE_FIRST_HERE] = "first-by-thread",
        [CAUSE_INVALIDATED_TRUE] = "true-sharing",
        [CAUSE_INVALIDATED_FALSE] = "false-sharing",
        [CAUSE_INCLUSION] = "inclusion",
        [CAUSE_CONFLICT] = "conflict",
        [CAUSE_CAPACITY] = "capacity",
    };
    return cause < CAUSE_COUNT ? names[cause] : "unknown";
}

const char *causes_of_name(enum causes_of kind)
{
    static const char *const names[CAUSES_KINDS] = {"object", "function", "thread"};
    return kind < CAUSES_KINDS ? names[kind] : "object";
}

double causes_first(const double share[CAUSE_COUNT])
{
    return share[CAUSE_FIRST] + share[CAUSE_FIRST_HERE];
}

double causes_invalidated(const double share[CAUSE_COUNT])
{
    return share[CAUSE_INVALIDATED_TRUE] + share[CAUSE_INVALIDATED_FALSE];
}

double causes_other(const double share[CAUSE_COUNT])
{
    return share[CAUSE_INCLUSION] + share[CAUSE_UNKNOWN];
}

double causes_early_other(const struct snapshot_causes_figures *figures)
{
    double early = figures->early_same + figures->early_other;
    return early > 0 ? figures->early_other / early : NAN;
}

__attribute__((format(printf, 3, 4))) static void append(char *out, size_t size, const char *format,
                                                         ...)
{
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
}

/* ---- why ---- */

struct part {
    const char *name;
    double share;
};

enum { PARTS = 5 };

static void parts_of(const struct snapshot_causes_figures *figures, struct part parts[PARTS])
{
    const double *share = figures->share;
    struct part found[PARTS] = {{"first references", causes_first(share)},
                                {"capacity", share[CAUSE_CAPACITY]},
                                {"conflict", share[CAUSE_CONFLICT]},
                                {"taken by another thread", causes_invalidated(share)},
                                {"other", causes_other(share)}};
    for (int i = 0; i < PARTS; i++) {
        int at = i;
        for (; at > 0 && parts[at - 1].share < found[i].share; at--)
            parts[at] = parts[at - 1];
        parts[at] = found[i];
    }
}

void causes_why(const struct snapshot_causes_figures *figures, char *out, size_t size)
{
    struct part parts[PARTS];
    parts_of(figures, parts);
    *out = '\0';
    for (int i = 0; i < PARTS && parts[i].share >= least_told; i++)
        append(out, size, "%s%.1f%% %s", i ? ", " : "", 100 * parts[i].share, parts[i].name);
}

void causes_summary(const struct snapshot *snapshot, enum causes_of kind, char *out, size_t size)
{
    const struct snapshot_causes_figures *all = &snapshot->causes.all;
    const struct snapshot_source *source = &snapshot->source;
    const char *event = source->ranking < source->event_count && source->ranking < SAMPLE_EVENTS_MAX
                            ? source->events[source->ranking].name
                            : NULL;
    char why[256];
    char count[16];
    causes_why(all, why, sizeof why);
    snprintf(out, size, "Why %s %s, by %s: %s", text_count(count, all->misses),
             event ? event : "misses", causes_of_name(kind), why);
    if (all->early_same + all->early_other > 0)
        append(out, size, "; thrown out too early: %.1f%% by the object itself, %.1f%% by another",
               100 * all->early_same, 100 * all->early_other);
}

void causes_early(const struct snapshot_causes_figures *figures, char *out, size_t size)
{
    const double *share = figures->share;
    double early = figures->early_same + figures->early_other;
    double all = share[CAUSE_CAPACITY] + share[CAUSE_CONFLICT] + share[CAUSE_INCLUSION];
    *out = '\0';
    if (early < least_early)
        return;
    snprintf(out, size,
             "Too early: %.1f%% of the misses are on lines that had been thrown out to make room, "
             "%.1f%% for the same object, %.1f%% for another",
             100 * early, 100 * figures->early_same, 100 * figures->early_other);
    if (all - early >= least_early)
        append(out, size, "; of %.1f%% more it is not known for which", 100 * (all - early));
    append(out, size, ".");
}

void causes_fields(const struct snapshot *snapshot, const struct snapshot_causes_row *object,
                   char *out, size_t size)
{
    const struct snapshot_object *listed = columns_object(snapshot, object->index);
    int told = 0;
    *out = '\0';
    for (size_t i = 0; listed && i < listed->field_count && told < FIELDS_TOLD; i++) {
        const struct snapshot_causes_figures *figures = listed->fields[i].causes;
        struct part parts[PARTS];
        if (!figures || figures->misses < 0.01 * object->figures.misses)
            continue;
        parts_of(figures, parts);
        append(out, size, "%s%.*s %.1f%% (%.0f%% %s)", told++ ? ", " : "Fields: ", NAME_BYTES,
               listed->fields[i].name, 100 * figures->misses / object->figures.misses,
               100 * parts[0].share, parts[0].name);
    }
}

/* ---- who threw them out ---- */

void causes_evictor(const struct snapshot_evictor *evictor, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s", evictor->function, evictor->object ? " on " : "",
             evictor->object ? evictor->object : "");
}

/* Of a program with one thread there is nothing to tell apart. */
static bool has_threads(const struct snapshot *snapshot)
{
    const struct snapshot_causes_list *list = &snapshot->causes.of[CAUSES_THREADS];
    return list->count > 1 || list->evictions.column_count > 1;
}

void causes_threads(const struct snapshot *snapshot, const struct snapshot_causes_row *row,
                    char *out, size_t size)
{
    *out = '\0';
    for (size_t i = 0; has_threads(snapshot) && i < row->thread_count; i++)
        if (row->threads[i].share >= least_told)
            append(out, size, "%s%s %.1f%%", i ? ", " : "", row->threads[i].name,
                   100 * row->threads[i].share);
}

static void draw_line(struct canvas *canvas, struct area area, const char *label, double share,
                      const char *text)
{
    char percent[16];
    format_percent(percent, sizeof percent, value_number(share));
    canvas_text(canvas, area.row, area.column, LABEL_COLUMNS, PAINT_DIM, label);
    canvas_format(canvas, area.row, area.column + LABEL_COLUMNS, area.columns - LABEL_COLUMNS,
                  PAINT_PLAIN, "%6s  %s", percent, text);
}

static int draw_threads(const struct snapshot *snapshot, const struct snapshot_causes_row *row,
                        struct canvas *canvas, struct area area)
{
    char text[2 * COLUMN_TEXT_BYTES];
    char whole[3 * COLUMN_TEXT_BYTES];
    causes_threads(snapshot, row, text, sizeof text);
    snprintf(whole, sizeof whole, "By threads: %s", text);
    return *text && area.rows > 0 ? canvas_wrap(canvas, area, PAINT_PLAIN, whole) : 0;
}

void causes_draw_evictors(const struct snapshot *snapshot, const struct snapshot_causes_row *row,
                          struct canvas *canvas, struct area area)
{
    char text[2 * COLUMN_TEXT_BYTES];
    int end = area.row + area.rows;
    area.row += draw_threads(snapshot, row, canvas, area);
    for (size_t i = 0; i < row->evictor_count && area.row < end; i++, area.row++) {
        if (row->evictors[i].share < least_told)
            break;
        causes_evictor(&row->evictors[i], text, sizeof text);
        draw_line(canvas, area, i ? "" : "Evicted by", row->evictors[i].share, text);
    }
    if (row->unlisted >= 0.01 && area.row < end)
        draw_line(canvas, area, "", row->unlisted, "others, that found no room in the table");
    else if (!row->evictor_count && !row->thread_count && area.row < end)
        canvas_wrap(canvas, (struct area){area.row, area.column, end - area.row, area.columns},
                    PAINT_DIM,
                    causes_first(row->figures.share) > all_first
                        ? "None of its lines was thrown out of this cache and wanted again. e: "
                          "another level, which is smaller."
                        : "Nothing is known of what threw its lines out: it is told of the event "
                          "that ranks, from when it does.");
}
