/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 5: a map of the cache sets, recurring lines, and objects that are sampled together. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"
#include "view/widget/columns.h"
#include "view/words.h"

struct cache_view {
    uint32_t cursor;
    bool moved; /* the user moved the cursor; otherwise it follows the hottest set */
    struct sets_map map;
    struct table parts; /* objects in the set under the cursor */
    struct table lines;
    struct table pairs;
};

static struct cache_view *cache_view(const struct browser *browser)
{
    return browser->states[SCREEN_CACHE];
}

enum {
    PART_ROWS = 6, /* rows of the list below the map */
    BIG_ROWS = 14, /* rows needed for the legend and the lines below the verdict */
    HISTOGRAM_BAR = 32,
    HISTOGRAM_COLUMNS = 56,
    HISTOGRAM_ROWS = SNAPSHOT_RECURRENCE_BINS + 1
};

static uint32_t hottest_set(const struct snapshot_sets *sets)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < sets->sets; i++)
        if (sets->counts[i] > sets->counts[most])
            most = i;
    return most;
}

static bool has_sets_map(const struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    return snapshot && snapshot->sets.sets && snapshot->sets.counts;
}

static void show_set_parts(struct browser *browser)
{
    struct cache_view *view = cache_view(browser);
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    size_t first = 0;
    while (first < sets->part_count && sets->parts[first].set != view->cursor)
        first++;
    size_t count = 0;
    while (first + count < sets->part_count && sets->parts[first + count].set == view->cursor)
        count++;
    table_set(&view->parts, browser->snapshot, count ? sets->parts + first : NULL, count);
}

static void cache_update(struct browser *browser)
{
    struct cache_view *view = cache_view(browser);
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    if (!has_sets_map(browser))
        return table_set(&view->parts, browser->snapshot, NULL, 0);
    if (!view->moved)
        view->cursor = hottest_set(sets);
    if (view->cursor >= sets->sets)
        view->cursor = sets->sets - 1;
    show_set_parts(browser);
}

/* Crowded sets are rarer and more important, so they come first; otherwise describes how lines
 * recur. */
static void cache_verdict(const struct snapshot *snapshot, char *out, size_t size)
{
    if (snapshot->sets.verdict == SETS_CONCENTRATED)
        sets_reading(snapshot, out, size);
    else
        window_reading(snapshot, out, size);
    *out = (char)toupper((unsigned char)*out);
}

/* Draws the verdict and the cache. Returns the rows used. */
static int draw_verdict(const struct snapshot *snapshot, struct canvas *canvas, struct area area)
{
    const struct snapshot_sets *sets = &snapshot->sets;
    bool crowded = sets->verdict == SETS_CONCENTRATED;
    char text[512];
    cache_verdict(snapshot, text, sizeof text);
    struct area verdict = {area.row, 1, area.rows >= BIG_ROWS ? 2 : 1, area.columns - 2};
    int rows = canvas_wrap(canvas, verdict, crowded ? PAINT_WARN : PAINT_STRONG, text);
    if (area.rows < 8)
        return rows;
    if (sets->sets) {
        sets_summary(sets, text, sizeof text);
        canvas_text(canvas, area.row + rows++, 1, area.columns - 1, PAINT_DIM, text);
    }
    if (area.rows >= BIG_ROWS) {
        window_summary(&snapshot->window, text, sizeof text);
        canvas_text(canvas, area.row + rows++, 1, area.columns - 1, PAINT_DIM, text);
        if (*sets_note(sets))
            canvas_text(canvas, area.row + rows++, 1, area.columns - 1, PAINT_DIM, sets_note(sets));
    }
    return rows;
}

static const char *const bin_names[SNAPSHOT_RECURRENCE_BINS] = {"once", "2",     "3-4",   "5-8",
                                                                "9-16", "17-32", "33-64", "65+"};

static void draw_histogram(const struct snapshot_window *window, struct canvas *canvas,
                           struct area area)
{
    uint64_t all = 0;
    char bar[BAR_BYTES(HISTOGRAM_BAR)];
    char text[16];
    for (int i = 0; i < SNAPSHOT_RECURRENCE_BINS; i++)
        all += window->histogram[i];
    canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM,
                "  Lines by their number of samples");
    for (int i = 0; i < SNAPSHOT_RECURRENCE_BINS && i + 1 < area.rows; i++) {
        double part = all ? (double)window->histogram[i] / (double)all : 0;
        bar_fill(bar, sizeof bar, HISTOGRAM_BAR, part, canvas->ascii);
        int row = area.row + 1 + i;
        canvas_format(canvas, row, area.column, 8, PAINT_PLAIN, "%7s", bin_names[i]);
        canvas_text(canvas, row, area.column + 9, HISTOGRAM_BAR, i ? PAINT_HEAT_3 : PAINT_HEAT_1,
                    bar);
        if (window->histogram[i])
            canvas_format(canvas, row, area.column + 10 + HISTOGRAM_BAR,
                          area.columns - 10 - HISTOGRAM_BAR, PAINT_DIM, "%6s  %s%.1f%%",
                          text_count(text, (double)window->histogram[i]), part < 0.0005 ? "<" : " ",
                          fmax(part * 100, 0.1));
    }
}

/* Describes the set under the cursor. */
static void set_title(struct browser *browser, char *out, size_t size)
{
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    uint32_t cursor = cache_view(browser)->cursor;
    double mean = sets_map_mean(sets);
    char count[16];
    snprintf(out, size, "Set %" PRIu32 ": samples %s", cursor,
             text_count(count, sets->counts[cursor]));
    if (mean > 0)
        text_append(out, size, ", %.1f times the mean", sets->counts[cursor] / mean);
    if (sets->lines)
        text_append(out, size, ", on %" PRIu32 " line%s for %" PRIu32 " ways", sets->lines[cursor],
                    sets->lines[cursor] == 1 ? "" : "s", sets->ways);
}

static void draw_lists(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    char title[160] = "";
    unsigned count = browser_panes(browser, panes);
    unsigned shown = browser->pane[SCREEN_CACHE] % count;
    area = area_below(area, pane_tabs(browser, canvas, area, panes, count));
    if (!shown && has_sets_map(browser) && area.rows >= 3) {
        set_title(browser, title, sizeof title);
        canvas_text(canvas, area.row++, 1, area.columns - 1, PAINT_STRONG, title);
        area.rows--;
    }
    if (shown == 1 && area.columns >= 2 * HISTOGRAM_COLUMNS && area.rows >= HISTOGRAM_ROWS) {
        struct area right = {area.row, area.columns - HISTOGRAM_COLUMNS, area.rows,
                             HISTOGRAM_COLUMNS};
        draw_histogram(&browser->snapshot->window, canvas, right);
        area.columns -= HISTOGRAM_COLUMNS + 1;
    }
    pane_table(browser, canvas, area, panes[shown]);
}

static int draw_sets(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct cache_view *view = cache_view(browser);
    return sets_map_draw(&browser->snapshot->sets, &view->map, view->cursor, canvas, area);
}

static int draw_map(struct browser *browser, struct canvas *canvas, struct area area)
{
    cache_view(browser)->map = (struct sets_map){0};
    if (!has_sets_map(browser)) {
        struct area words = {area.row, 1, 1, area.columns - 1};
        return canvas_wrap(canvas, words, PAINT_DIM,
                           "The cache geometry is not known here; -C L1=32K,8,64 sets it.");
    }
    int rows = draw_sets(browser, canvas, area);
    if (rows >= area.rows)
        return rows;
    sets_map_legend(&browser->snapshot->sets, canvas, area.row + rows);
    return rows + 1;
}

static void cache_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    int used = draw_verdict(browser->snapshot, canvas, area);
    if (area.rows >= 2 * BIG_ROWS)
        used++;
    int lists = area.rows >= 2 * BIG_ROWS ? HISTOGRAM_ROWS + 4 : PART_ROWS;
    struct area map = {area.row + used, 0, area.rows - used - lists, area.columns};
    if (map.rows < 1)
        map.rows = 1;
    used += draw_map(browser, canvas, map);
    if (area.rows >= 2 * BIG_ROWS)
        used++;
    draw_lists(browser, canvas, (struct area){area.row + used, 0, area.rows - used, area.columns});
}

void cache_glance(struct browser *browser, struct canvas *canvas, struct area area)
{
    char text[512];
    int used = pane_title(canvas, area, false, "5 Cache");
    cache_verdict(browser->snapshot, text, sizeof text);
    struct area verdict = {area.row + used, area.column + 1, 2, area.columns - 2};
    used += canvas_wrap(
        canvas, verdict,
        browser->snapshot->sets.verdict == SETS_CONCENTRATED ? PAINT_WARN : PAINT_PLAIN, text);
    if (has_sets_map(browser) && area.rows - used >= 2)
        draw_sets(browser, canvas, area_below(area, used));
}

static void move_cursor(struct browser *browser, long sets)
{
    struct cache_view *view = cache_view(browser);
    long last = (long)browser->snapshot->sets.sets - 1;
    long to = (long)view->cursor + sets;
    view->cursor = (uint32_t)(to < 0 ? 0 : to > last ? last : to);
    view->moved = true;
    show_set_parts(browser);
}

/* Handles the keys of the map while the list of its set is displayed. */
static bool move_in_map(struct browser *browser, enum action action)
{
    struct cache_view *view = cache_view(browser);
    long fold = view->map.fold ? view->map.fold : 1;
    switch (action) {
    case ACTION_LEFT:
        move_cursor(browser, -fold);
        return true;
    case ACTION_RIGHT:
        move_cursor(browser, fold);
        return true;
    case ACTION_UP:
        move_cursor(browser, -view->map.columns * fold);
        return true;
    case ACTION_DOWN:
        move_cursor(browser, view->map.columns * fold);
        return true;
    case ACTION_HOME:
        view->moved = false;
        cache_update(browser);
        return true;
    case ACTION_END:
        move_cursor(browser, (long)browser->snapshot->sets.sets);
        return true;
    default:
        return false;
    }
}

static bool cache_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    if (!browser->snapshot)
        return false;
    if (action == ACTION_STACK) {
        browser_pane_step(browser, 1);
        return true;
    }
    return browser_focused(browser, &cache_view(browser)->parts) && has_sets_map(browser) &&
           move_in_map(browser, action);
}

static bool cache_click(struct browser *browser, int row, int column)
{
    long set = sets_map_at(&cache_view(browser)->map, row, column);
    if (set < 0)
        return false;
    browser->pane[SCREEN_CACHE] = 0;
    move_cursor(browser, set - (long)cache_view(browser)->cursor);
    return true;
}

static void cache_hint(struct browser *browser, char *out, size_t size)
{
    const struct cache_view *view = cache_view(browser);
    const struct table *table = browser_table(browser);
    if (table == &view->pairs)
        snprintf(out, size,
                 "High lift: accessed close together, so place them close together. b: sets");
    else if (table == &view->lines)
        snprintf(out, size, "The lines with most samples. Enter: the object. b: sampled together");
    else if (view->map.fold > 1)
        snprintf(out, size,
                 "Arrows move; a cell shows the hottest of its %d sets. Home: hottest. b: lines",
                 view->map.fold);
    else
        snprintf(out, size, "Arrows move over the sets. Home: the hottest. b: recurring lines");
}

static const char *cache_label(struct browser *browser, enum action action)
{
    (void)browser;
    return action == ACTION_HOME    ? "Hottest set"
           : action == ACTION_STACK ? "Sets/lines/together"
                                    : NULL;
}

const struct screen cache_screen = {
    .name = "Cache",
    .description =
        "How evenly the sets of a cache are used, and which lines recur. Each cell of the map "
        "shows the samples of a set. The lists below are the objects in the set under the "
        "cursor, the recurring lines, and the objects that are sampled close together.",
    .next_step =
        "Crowded sets: data at power-of-two distances; pad it. Most lines seen once: more data "
        "than fits in the cache. A few lines repeatedly: see Sharing.",
    .state_size = sizeof(struct cache_view),
    .tables = {{.at = offsetof(struct cache_view, parts), .columns = &part_columns},
               {.at = offsetof(struct cache_view, lines), .columns = &line_columns},
               {.at = offsetof(struct cache_view, pairs), .columns = &pair_columns}},
    .update = cache_update,
    .draw = cache_draw,
    .act = cache_act,
    .click = cache_click,
    .hint = cache_hint,
    .label = cache_label,
    .bar = {ACTION_ENTER, ACTION_STACK, ACTION_HOME, ACTION_FIND, ACTION_FILTER, ACTION_SORT_NEXT,
            ACTION_FREEZE, ACTION_BASIS, ACTION_WRITE},
};

/* ---- columns of recurring lines and of pairs sampled together ---- */

static struct value line_offset(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_recurrence *row = pointer;
    bool known = columns_object(snapshot, row->object);
    return known ? value_signed(row->offset) : value_text(NULL);
}

static const struct column line_list[] = {
    COLUMN(.title = "TIMES", .key = "count", .help = "Samples on the line within the window.",
           .from = FIELD(struct snapshot_recurrence, count), .width = 5, UNIT_COUNT),
    COLUMN(.title = "LINE", .key = "address", .help = "Address of the cache line.",
           .from = FIELD(struct snapshot_recurrence, address), .width = 14, .width_max = 18,
           .rank = 1, .format = format_address, .paint = paint_dim),
    COLUMN(.title = "SET", .key = "set", .help = "Its cache set (the map above).",
           .from = FIELD(struct snapshot_recurrence, set), .width = 5, .rank = 3, UNIT_INTEGER),
    COLUMN(.title = "FUNCS", .key = "functions", .help = "Functions with samples on it.",
           .from = KNOWN(struct snapshot_recurrence, functions), .width = 5, .rank = 4,
           UNIT_INTEGER),
    COLUMN(.title = "OBJECT", OBJECT_NAME(struct snapshot_recurrence, object),
           .unknown_text = "(not listed)", .width = 12, .width_max = 48, .look = COLUMN_NAME,
           .paint = paint_strong),
    COLUMN(.title = "OFFSET", .key = "offset", .value = line_offset, .width = 9, .rank = 2,
           .format = format_offset),
    COLUMN(.key = "object", OBJECT_NAME(struct snapshot_recurrence, object)),
};

const struct columns line_columns = {
    .title = "Recurring lines",
    .empty = "No line has two samples within the window.",
    TABLE(struct snapshot_recurrence, line_list),
    ALL_OF(window.top, window.top_count),
    .key = FIELD(struct snapshot_recurrence, address),
    .object = FIELD(struct snapshot_recurrence, object),
};

/* Uses object ids, because indices change between snapshots. */
static uint64_t pair_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_pair);
    const struct snapshot_object *a = columns_object(snapshot, row->object_a);
    const struct snapshot_object *b = columns_object(snapshot, row->object_b);
    uint64_t objects = (uint64_t)(a ? a->id : UINT32_MAX) << 32 | (b ? b->id : UINT32_MAX);
    return objects ^ row->line_a << 13 ^ row->line_b << 27;
}

static const struct column pair_list[] = {
    COLUMN(.title = "LIFT", .key = "lift",
           .help = "How many times more often than by chance the two are sampled close together.",
           .from = FIELD(struct snapshot_pair, lift), .width = 6, .look = COLUMN_RIGHT,
           .format = format_times),
    COLUMN(.title = "TIMES", .key = "together", .help = "How often they were sampled together.",
           .from = FIELD(struct snapshot_pair, pair_count), .width = 5, .rank = 3, UNIT_COUNT),
    COLUMN(.title = "OBJECT", OBJECT_NAME(struct snapshot_pair, object_a),
           .unknown_text = "(not listed)", .width = 8, .width_max = 48, .look = COLUMN_NAME,
           .paint = paint_strong),
    COLUMN(.title = "LINE", .key = "line_a", .from = KNOWN(struct snapshot_pair, line_a),
           .width = 14, .width_max = 18, .rank = 1, .needs_any_value = true,
           .format = format_address, .paint = paint_dim),
    COLUMN(.title = "WITH", OBJECT_NAME(struct snapshot_pair, object_b),
           .unknown_text = "(not listed)", .width = 8, .width_max = 48, .look = COLUMN_NAME,
           .paint = paint_strong),
    COLUMN(.title = "LINE", .key = "line_b", .from = KNOWN(struct snapshot_pair, line_b),
           .width = 14, .width_max = 18, .rank = 1, .needs_any_value = true,
           .format = format_address, .paint = paint_dim),
    COLUMN(.key = "object_a", OBJECT_NAME(struct snapshot_pair, object_a)),
    COLUMN(.key = "object_b", OBJECT_NAME(struct snapshot_pair, object_b)),
};

const struct columns pair_columns = {
    .title = "Sampled together",
    .empty = "No objects are sampled together more often than by chance.",
    TABLE(struct snapshot_pair, pair_list),
    ALL_OF(window.pairs, window.pair_count),
    .identity = pair_identity,
    .object = FIELD(struct snapshot_pair, object_a),
};
