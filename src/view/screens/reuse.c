/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Misses of caches of any size (--sim): two panes of Causes, and their texts. */
#include "view/screens/causes.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "view/levels.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"
#include "view/widget/columns.h"
#include "view/words.h"

enum { TEXT_ROWS = 2 };

static void draw_title(const struct snapshot_reuse_row *row, struct canvas *canvas,
                       struct area area)
{
    struct pen pen = {canvas, area.row, area.column, area.column + area.columns};
    pen_part(&pen, PAINT_SERIES_0, "%s", canvas->ascii ? " # " : " █ ");
    char name[160];
    glyph_fit(name, sizeof name, row->name, area.columns / 2, GLYPH_CUT_MIDDLE, canvas->ascii);
    pen_part(&pen, PAINT_STRONG, "%s", name);
    pen_part(&pen, PAINT_DIM, "   %s all accesses: miss rate by cache size",
             canvas->ascii ? "o" : "•");
}

void reuse_draw(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                struct canvas *canvas, struct area area)
{
    char text[512];
    int end = area.row + area.rows;
    reuse_advice(reuse, row, text, sizeof text);
    int rows = area.rows < TEXT_ROWS ? area.rows : TEXT_ROWS;
    struct area words = {area.row, 1, rows, area.columns - 2};
    area.row += canvas_wrap(canvas, words, PAINT_WARN, text);
    if (area.row >= end)
        return;
    draw_title(row, canvas, area);
    area.row++;
    area.rows = end - area.row;
    reuse_curve_draw(reuse, row, canvas, area);
}

void reuse_open(struct browser *browser, const void *pointer)
{
    const struct snapshot_reuse_row *row = pointer;
    if (!row->function)
        browser_open_listed(browser, row->object);
    else if (row->code < browser->snapshot->code_count)
        browser_open_function(browser, &browser->snapshot->code[row->code]);
    else
        browser_message(browser, "this function has no misses and is not listed");
}

/* ---- columns of misses by cache size: of objects, and of source lines ---- */

static struct value reuse_miss_ratio(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_share);
    struct value value = value_number(row->value);
    if (value.kind == VALUE_NUMBER && !reuse_is_sure(row)) {
        value.low = row->low;
        value.high = row->high;
    }
    return value;
}

/* The simulated caches are the first marks. */
static bool is_simulated(const struct snapshot *snapshot, size_t mark)
{
    return mark < snapshot->reuse.mark_count && snapshot->reuse.marks[mark].simulated;
}

static bool has_l1(const struct snapshot *snapshot)
{
    return is_simulated(snapshot, 0);
}

static bool has_l2(const struct snapshot *snapshot)
{
    return is_simulated(snapshot, 1);
}

static bool has_l3(const struct snapshot *snapshot)
{
    return is_simulated(snapshot, 2);
}

static const struct snapshot_use *reuse_column_use_of(const struct snapshot *snapshot,
                                                      const struct snapshot_reuse_row *row)
{
    const struct snapshot_object *object = columns_object(snapshot, row->object);
    return object ? object->use : NULL;
}

static struct value row_spatial(const struct snapshot *snapshot, const void *pointer)
{
    return use_spatial(snapshot, reuse_column_use_of(snapshot, pointer));
}

static struct value row_temporal(const struct snapshot *snapshot, const void *pointer)
{
    return use_temporal(snapshot, reuse_column_use_of(snapshot, pointer));
}

#define FIGURES                                                                                    \
    COLUMN(.title = "ACCESS", .help = "Its share of all accesses.",                                \
           .from = FIELD(struct snapshot_reuse_row, share), .width = 7, UNIT_SHARE),               \
        COLUMN(.title = "USES", .help = "Uses of sampled lines that the row is based on.",         \
               .from = FIELD(struct snapshot_reuse_row, uses), .width = 7, .rank = 4, UNIT_COUNT,  \
               .paint = paint_dim),                                                                \
        COLUMN(.title = "FIRST",                                                                   \
               .help = "Share of its accesses that use a line for the first time: they miss in "   \
                       "every cache.",                                                             \
               .from = FIELD(struct snapshot_reuse_row, first), .width = 6, .rank = 2,             \
               UNIT_PERCENT),                                                                      \
        COLUMN(.title = "IN L1",                                                                   \
               .help =                                                                             \
                   "Share of its accesses that miss in a cache of the first level's size, if any " \
                   "line can go "                                                                  \
                   "anywhere in it; an interval if few of its lines were followed.",               \
               .from = ROW_IN(struct snapshot_reuse_row, at[0]), .value = reuse_miss_ratio,        \
               .width = 8, .look = COLUMN_RIGHT, .shown = has_l1, .format = format_rate,           \
               .paint = paint_share),                                                              \
        COLUMN(.title = "IN L2", .help = "The same for the second level's size.",                  \
               .from = ROW_IN(struct snapshot_reuse_row, at[1]), .value = reuse_miss_ratio,        \
               .width = 8, .look = COLUMN_RIGHT, .shown = has_l2, .format = format_rate,           \
               .paint = paint_share),                                                              \
        COLUMN(.title = "IN L3", .help = "The same for the third level's size.",                   \
               .from = ROW_IN(struct snapshot_reuse_row, at[2]), .value = reuse_miss_ratio,        \
               .width = 8, .look = COLUMN_RIGHT, .shown = has_l3, .format = format_rate,           \
               .paint = paint_share)

static const struct column object_list[] = {
    COLUMN(.title = "OBJECT", .from = FIELD(struct snapshot_reuse_row, name), .width = 12,
           .width_max = 48, .look = COLUMN_NAME, .paint = paint_strong),
    FIGURES,
    COLUMN(.title = "SPATIAL", .value = row_spatial, .width = 7, .rank = 1,
           .shown_if = FIELD(struct snapshot, uses.known), UNIT_PERCENT, .paint = paint_spatial),
    COLUMN(.title = "TEMPORAL", .value = row_temporal, .width = 8, .rank = 3, .look = COLUMN_RIGHT,
           .shown_if = FIELD(struct snapshot, uses.known), .format = format_again),
};

const struct columns reuse_columns = {
    .title = "Reuse of objects",
    TABLE(struct snapshot_reuse_row, object_list),
    ALL_OF(reuse.objects, reuse.object_count),
    .sort = COLUMNS_AS_THEY_COME,
    .key = FIELD(struct snapshot_reuse_row, id),
    .object = FIELD(struct snapshot_reuse_row, object),
};

static const struct column line_list[] = {
    COLUMN(.title = "CODE", .help = "The source line, or the function if the line is not known.",
           .from = FIELD(struct snapshot_reuse_row, name), .width = 12, .width_max = 32,
           .look = COLUMN_CODE, .paint = paint_strong),
    COLUMN(.title = "FUNCTION", .from = FIELD(struct snapshot_reuse_row, function), .width = 12,
           .width_max = 40, .rank = 1, .look = COLUMN_NAME),
    FIGURES,
};

const struct columns reuse_line_columns = {
    .title = "Reuse by code",
    TABLE(struct snapshot_reuse_row, line_list),
    ALL_OF(reuse.lines, reuse.line_count),
    .sort = COLUMNS_AS_THEY_COME,
    .key = FIELD(struct snapshot_reuse_row, id),
};

/* A knee is reported if the gain is worth it and at most this fraction of it is left there. */
static const double left_at_knee = 0.1;
static const double worth = 0.02;
static const double sure_width = 0.05;
/* With fewer uses, the figures are not reliable. */
enum { USES_MIN = 30 };

const char *reuse_size_text(char out[16], double size_bytes)
{
    static const char units[] = "KMG";
    double value = size_bytes / 1024;
    int unit = 0;
    for (; value >= 1023.5 && unit < 2; unit++)
        value /= 1024;
    snprintf(out, 16, value < 9.95 && fabs(value - round(value)) > 0.05 ? "%.1f%c" : "%.0f%c",
             value, units[unit]);
    return out;
}

/* Returns the first point with at least nine tenths of the gain that a larger cache can give;
 * REUSE_POINTS if there is no gain. */
static unsigned reuse_knee(const struct snapshot_reuse_row *row)
{
    double last = row->miss[REUSE_POINTS - 1].value;
    double gain = row->miss[0].value - last;
    unsigned point = 0;
    if (!(gain >= worth))
        return REUSE_POINTS;
    while (point + 1 < REUSE_POINTS && row->miss[point].value > last + left_at_knee * gain)
        point++;
    return point;
}

bool reuse_is_sure(const struct snapshot_share *missed)
{
    return !(missed->high - missed->low > sure_width);
}

/* Formats a point of a curve: "25.0%", or "12-55%" if too few lines were watched. */
static void reuse_missed_text(char *out, size_t size, const struct snapshot_share *missed)
{
    if (reuse_is_sure(missed))
        snprintf(out, size, "%.1f%%", 100 * missed->value);
    else
        snprintf(out, size, "%.0f-%.0f%%", 100 * missed->low, 100 * missed->high);
}

void reuse_summary(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_reuse *reuse = &snapshot->reuse;
    char uses[16];
    char cache[16];
    char missed[24];
    snprintf(out, size, "Of all accesses");
    for (size_t i = 0; i < reuse->mark_count; i++)
        if (reuse->marks[i].simulated) {
            reuse_missed_text(missed, sizeof missed, &reuse->all.at[i]);
            text_append(out, size, "%s %s %s %s", i ? "," : "", missed,
                        i ? "in" : "miss in LRU caches of",
                        reuse_size_text(cache, (double)reuse->marks[i].size_bytes));
        }
    text_append(out, size, "; %s uses sampled", text_count(uses, reuse->all.uses));
    if (snapshot->uses.known)
        text_append(out, size, "; SPATIAL of lines evicted from L%u", snapshot->uses.level + 1);
}

/* Returns the smallest simulated cache with at least this size; NULL if there is none. */
static const struct snapshot_reuse_mark *find_mark_of_size(const struct snapshot_reuse *reuse,
                                                           double bytes)
{
    for (size_t i = 0; i < reuse->mark_count; i++)
        if (reuse->marks[i].simulated && (double)reuse->marks[i].size_bytes >= bytes)
            return &reuse->marks[i];
    return NULL;
}

/* Explains that a larger cache, or smaller data, helps. */
static void format_knee(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                        unsigned knee, char *out, size_t size)
{
    char needs[16];
    char missed[24];
    double bytes = snapshot_reuse_size(knee);
    const struct snapshot_reuse_mark *fits = find_mark_of_size(reuse, bytes);
    const struct snapshot_reuse_mark *first = reuse->mark_count ? &reuse->marks[0] : NULL;
    reuse_size_text(needs, bytes);
    reuse_missed_text(missed, sizeof missed, &row->at[0]);
    if (fits && fits == first)
        snprintf(out, size,
                 "Its reuse distance is at most %s: it fits in %s, where its misses are first uses "
                 "and conflict misses.",
                 needs, fits->name);
    else if (fits)
        snprintf(
            out, size,
            "Its reuse distance is at most %s: it fits in %s, and would fit in %s (%s missed) with "
            "%.0f times less other data between two uses: use blocking or smaller elements.",
            needs, fits->name, first->name, missed, ceil(bytes / (double)first->size_bytes));
    else
        snprintf(out, size,
                 "Its reuse distance is %s, more than any cache here holds: do more with the data "
                 "while it is cached (blocking), or make it smaller.",
                 needs);
}

void reuse_advice(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                  char *out, size_t size)
{
    unsigned knee = reuse_knee(row);
    char said[384] = "";
    if (row->uses < USES_MIN) {
        snprintf(out, size, "Only %.0f uses were sampled: the curve is not reliable yet.",
                 row->uses);
        return;
    }
    if (knee < REUSE_POINTS)
        format_knee(reuse, row, knee, said, sizeof said);
    else if (row->first >= worth)
        snprintf(said, sizeof said,
                 "A larger cache would not help: lines are used once, or again immediately. Its "
                 "misses are first uses; use fewer bytes (SPATIAL) or prefetch.");
    else
        snprintf(said, sizeof said,
                 "Its lines are reused immediately: even a small cache holds them.");
    if (row->first < 0.001)
        snprintf(out, size, "%s", said);
    else
        snprintf(out, size, "%.1f%% of its accesses are first uses of a line. %s", 100 * row->first,
                 said);
}
