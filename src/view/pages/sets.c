/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 3: a map of all cache sets, and what fills the one under the cursor. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "view/screen/browser.h"
#include "view/widget/chart.h"

struct sets_view {
    uint32_t cursor;
    bool moved;  /* by the user; else it stays on the hottest set */
    int columns; /* of the map, as drawn */
    int cell;    /* width of one */
    int fold;    /* sets in one cell */
    struct area map;
    struct table parts;
};

static struct sets_view *sets_view(const struct browser *browser)
{
    return page_state(browser, PAGE_SETS);
}

enum { LABEL_COLUMNS = 7 };

/* Standard deviations above the mean that chance alone exceeds once in 1000: as hot_sets. */
static const double hot_deviations = 3.09;

/* Samples of a set, all of them taken alike. */
static double sets_map_mean(const struct snapshot_sets *sets)
{
    double all = 0;
    for (uint32_t i = 0; i < sets->sets; i++)
        all += sets->counts[i];
    return all / sets->sets;
}

/* Powers of two, so that sets a page or a half apart stand below each other. */
static void choose_shape(struct browser *browser, struct area area)
{
    struct sets_view *view = sets_view(browser);
    uint32_t sets = browser->snapshot->sets.sets;
    int columns = 1;
    view->fold = 1;
    while (columns * 2 <= area.columns - LABEL_COLUMNS && (uint32_t)columns * 2 <= sets)
        columns *= 2;
    /* Wider cells where they do not cost rows that are not there. */
    int cell = 1;
    while (cell < 4 && columns >= 16 && sets / ((uint32_t)columns / 2) <= (uint32_t)area.rows) {
        columns /= 2;
        cell *= 2;
    }
    while (cell > 1 && cell < 7 && columns * (cell + 1) <= area.columns - LABEL_COLUMNS)
        cell++;
    while ((sets + (uint32_t)(columns * view->fold) - 1) / (uint32_t)(columns * view->fold) >
           (uint32_t)area.rows)
        view->fold *= 2;
    view->columns = columns;
    view->cell = cell;
}

/* Red only where the test speaks of concentration: colours must not say more than it does. */
static enum paint heat_of(const struct snapshot_sets *sets, double count, double mean)
{
    double deviations = mean > 0 ? (count - mean) / sqrt(mean) : 0;
    if (deviations >= hot_deviations && sets->verdict == SETS_CONCENTRATED)
        return PAINT_HEAT_5;
    if (deviations >= hot_deviations && sets->verdict == SETS_UNIFORM)
        return PAINT_HEAT_3;
    return count > 0.5 * mean ? PAINT_HEAT_1 : PAINT_HEAT_0;
}

/* The hottest of the sets folded into one cell: a conflict must not be averaged away. */
static double cell_count(const struct snapshot_sets *sets, uint32_t first, int fold)
{
    double most = 0;
    for (uint32_t i = first; i < first + (uint32_t)fold && i < sets->sets; i++)
        most = fmax(most, sets->counts[i]);
    return most;
}

static void draw_cell(struct browser *browser, struct canvas *canvas, uint32_t index, double top,
                      double mean)
{
    struct sets_view *view = sets_view(browser);
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    const struct area *map = &view->map;
    uint32_t first = index * (uint32_t)view->fold;
    double count = cell_count(sets, first, view->fold);
    int row = map->row + (int)(index / (uint32_t)view->columns);
    int column = map->column + (int)(index % (uint32_t)view->columns) * view->cell;
    int filled = view->cell > 1 ? view->cell - 1 : 1;
    bool chosen = view->cursor / (uint32_t)view->fold == index;
    for (int i = 0; i < filled; i++)
        canvas_text(canvas, row, column + i, 1, heat_of(sets, count, mean),
                    bar_step(top > 0 ? count / top : 0, canvas->ascii));
    if (chosen)
        canvas_flag(canvas, row, column, filled, CELL_CURSOR);
}

/* The map of all sets, and what its steps mean; rows used. */
static int sets_map_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct sets_view *view = sets_view(browser);
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    double mean = sets_map_mean(sets);
    double top = cell_count(sets, 0, (int)sets->sets);
    choose_shape(browser, area);
    int fold = view->fold;
    uint32_t cells = (sets->sets + (uint32_t)fold - 1) / (uint32_t)fold;
    uint32_t columns = (uint32_t)view->columns;
    int rows = (int)((cells + columns - 1) / columns);
    view->map =
        (struct area){area.row, area.column + LABEL_COLUMNS, rows, view->columns * view->cell};
    for (int i = 0; i < rows; i++)
        canvas_format(canvas, area.row + i, area.column, LABEL_COLUMNS - 1, PAINT_DIM, "%6" PRIu32,
                      (uint32_t)i * columns * (uint32_t)fold);
    for (uint32_t i = 0; i < cells; i++)
        draw_cell(browser, canvas, i, top, mean);
    return rows;
}

static void sets_map_legend(const struct snapshot_sets *sets, struct canvas *canvas, int row)
{
    char text[16];
    double top = cell_count(sets, 0, (int)sets->sets);
    int used = LABEL_COLUMNS;
    used += canvas_format(canvas, row, used, canvas->columns - used, PAINT_DIM, "%s 0 to %s %s",
                          bar_step(0, canvas->ascii), bar_step(1, canvas->ascii),
                          text_count(text, top));
    used += canvas_format(canvas, row, used, canvas->columns - used, PAINT_DIM, " samples, mean %s",
                          text_count(text, sets_map_mean(sets)));
    if (sets->verdict == SETS_CONCENTRATED)
        canvas_text(canvas, row, used, canvas->columns - used, PAINT_HEAT_5,
                    "   more than chance allows");
}

/* The set that was clicked; -1: none. */
static long sets_map_at(const struct browser *browser, int row, int column)
{
    struct sets_view *view = sets_view(browser);
    const struct area *map = &view->map;
    if (row < map->row || row >= map->row + map->rows || column < map->column ||
        column >= map->column + map->columns)
        return -1;
    long index = (row - map->row) * view->columns + (column - map->column) / view->cell;
    return index * view->fold;
}

static const double by_chance = 1e-3; /* p below which unevenness is no accident */

enum { PART_ROWS = 6 };

static uint32_t hottest(const struct snapshot_sets *sets)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < sets->sets; i++)
        if (sets->counts[i] > sets->counts[most])
            most = i;
    return most;
}

static void show_parts(struct browser *browser)
{
    struct sets_view *view = sets_view(browser);
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    size_t first = 0;
    while (first < sets->part_count && sets->parts[first].set != view->cursor)
        first++;
    size_t count = 0;
    while (first + count < sets->part_count && sets->parts[first + count].set == view->cursor)
        count++;
    table_set(&view->parts, browser->snapshot, count ? sets->parts + first : NULL, count);
}

static void sets_update(struct browser *browser)
{
    struct sets_view *view = sets_view(browser);
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    if (!sets->sets || !sets->counts)
        return table_set(&view->parts, browser->snapshot, NULL, 0);
    if (!view->moved)
        view->cursor = hottest(sets);
    if (view->cursor >= sets->sets)
        view->cursor = sets->sets - 1;
    show_parts(browser);
}

/* In the one line that a small screen has for it. */
static void draw_short(const struct snapshot_sets *sets, struct canvas *canvas, struct area area)
{
    char text[64];
    bool crowded = sets->verdict == SETS_CONCENTRATED;
    if (crowded)
        snprintf(text, sizeof text, "concentrated, %" PRIu32 " hot", sets->hot_sets);
    canvas_format(canvas, area.row, 0, area.columns, crowded ? PAINT_WARN : PAINT_STRONG,
                  " %s, %" PRIu32 " sets: %s", sets->level ? sets->level : "cache", sets->sets,
                  crowded                         ? text
                  : sets->verdict == SETS_TOO_FEW ? "too few samples"
                                                  : "no set is crowded");
}

static int draw_verdict(const struct snapshot_sets *sets, struct canvas *canvas, struct area area)
{
    char size[16];
    char text[512];
    int rows = 0;
    if (area.rows < 8) {
        draw_short(sets, canvas, area);
        return 1;
    }
    canvas_format(canvas, area.row + rows++, 0, area.columns, PAINT_STRONG,
                  " %s: %" PRIu32 " sets of %" PRIu32 " ways, %" PRIu32 "-byte lines (%s), by %s "
                  "address",
                  sets->level ? sets->level : "cache", sets->sets, sets->ways, sets->line,
                  text_bytes(size, (uint64_t)sets->sets * sets->ways * sets->line),
                  sets->index ? sets->index : "unknown");
    if (sets->verdict == SETS_TOO_FEW)
        snprintf(text, sizeof text, " Too few samples to tell whether the sets are used evenly.");
    else if (sets->verdict == SETS_UNIFORM)
        snprintf(text, sizeof text, " %s: no set is crowded (chi-square %.0f, p = %.2g).",
                 sets->p_value < by_chance ? "Uneven, but by little" : "Even", sets->chi2,
                 sets->p_value);
    else
        snprintf(text, sizeof text,
                 " Concentrated: %" PRIu32 " set%s above chance (chi-square %.0f, p %s %.2g).",
                 sets->hot_sets, sets->hot_sets == 1 ? " is" : "s are", sets->chi2,
                 sets->p_value < 1e-12 ? "<" : "=", fmax(sets->p_value, 1e-12));
    canvas_text(canvas, area.row + rows++, 0, area.columns,
                sets->verdict == SETS_CONCENTRATED ? PAINT_WARN
                : sets->verdict == SETS_UNIFORM    ? PAINT_GOOD
                                                   : PAINT_DIM,
                text);
    if (area.rows >= 14 && sets->reading && *sets->reading)
        canvas_format(canvas, area.row + rows++, 0, area.columns, PAINT_PLAIN, " %s",
                      sets->reading);
    if (area.rows >= 14 && sets->note && *sets->note)
        canvas_format(canvas, area.row + rows++, 0, area.columns, PAINT_DIM, " Note: %s",
                      sets->note);
    return rows;
}

static void draw_chosen(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct sets_view *view = sets_view(browser);
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    double mean = sets_map_mean(sets);
    double count = sets->counts[view->cursor];
    char text[16];
    char times[48] = "";
    if (mean > 0)
        snprintf(times, sizeof times, ", %.1f times the mean", count / mean);
    char lines[64] = "";
    if (sets->lines)
        snprintf(lines, sizeof lines, ", on %" PRIu32 " line%s for %" PRIu32 " ways",
                 sets->lines[view->cursor], sets->lines[view->cursor] == 1 ? "" : "s", sets->ways);
    area.row += pane_title(canvas, area, true, "Set %" PRIu32 ": samples %s%s%s", view->cursor,
                           text_count(text, count), times, lines);
    area.rows--;
    pane_table(browser, canvas, area, &view->parts, "No sample on this set is left in the window.");
}

static void sets_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    sets_view(browser)->map = (struct area){0};
    if (!sets->sets || !sets->counts) {
        canvas_wrap(canvas, area, PAINT_DIM,
                    " The shape of the cache is not known here; -C "
                    "L1=32K,8,64 gives it.");
        return;
    }
    int used = draw_verdict(sets, canvas, area);
    if (area.rows >= 14)
        used++;
    int below = area.rows >= 20 ? PART_ROWS + 4 : area.rows >= 12 ? PART_ROWS + 2 : 3;
    if (area.rows - used - below < 1)
        below = area.rows - used - 1;
    struct area map = {area.row + used, 0, area.rows - used - below, area.columns};
    used += sets_map_draw(browser, canvas, map);
    if (area.rows >= 14) {
        sets_map_legend(sets, canvas, area.row + used);
        used += 2;
    }
    struct area rest = {area.row + used, 0, area.rows - used, area.columns};
    draw_chosen(browser, canvas, rest);
}

static void move_cursor(struct browser *browser, long sets)
{
    long last = (long)browser->snapshot->sets.sets - 1;
    long to = (long)sets_view(browser)->cursor + sets;
    sets_view(browser)->cursor = (uint32_t)(to < 0 ? 0 : to > last ? last : to);
    sets_view(browser)->moved = true;
    show_parts(browser);
}

static bool sets_act(struct browser *browser, enum action action, struct request *request)
{
    struct sets_view *view = sets_view(browser);
    (void)request;
    const struct snapshot *snapshot = browser->snapshot;
    if (!snapshot || !snapshot->sets.sets || !snapshot->sets.counts)
        return false;
    long fold = view->fold ? view->fold : 1;
    long line = view->columns * fold;
    const struct snapshot_set_part *part = table_selected(&view->parts);
    switch (action) {
    case ACTION_LEFT:
        move_cursor(browser, -fold);
        return true;
    case ACTION_RIGHT:
        move_cursor(browser, fold);
        return true;
    case ACTION_UP:
        move_cursor(browser, -line);
        return true;
    case ACTION_DOWN:
        move_cursor(browser, line);
        return true;
    case ACTION_HOME:
        view->moved = false;
        sets_update(browser);
        return true;
    case ACTION_END:
        move_cursor(browser, (long)snapshot->sets.sets);
        return true;
    case ACTION_ENTER:
        if (part && columns_object(snapshot, part->object))
            browser_open_object(browser, columns_object(snapshot, part->object));
        return true;
    default:
        return false;
    }
}

static bool sets_click(struct browser *browser, int row, int column)
{
    long set = sets_map_at(browser, row, column);
    if (set < 0)
        return false;
    move_cursor(browser, set - (long)sets_view(browser)->cursor);
    return true;
}

static void sets_hint(struct browser *browser, char *out, size_t size)
{
    if (sets_view(browser)->fold > 1)
        snprintf(out, size,
                 "Arrows move; a cell shows the hottest of its %d sets. Enter: its object",
                 sets_view(browser)->fold);
    else
        snprintf(out, size,
                 "Arrows move over the sets. Home: hottest. Enter: the object that fills it");
}

static const char *sets_label(struct browser *browser, enum action action)
{
    (void)browser;
    return action == ACTION_HOME ? "Hottest set" : NULL;
}

const struct page sets_page = {
    .name = "Sets",
    .shows = "Each cell is a set of the cache and how many of the samples fell on it; below, the "
             "objects that fill the set under the cursor.",
    .next = "Evenly grey is as it should be. A few hot sets are data at distances of a power of "
            "two, or a line that is read all the time; the verdict says which.",
    .state_size = sizeof(struct sets_view),
    .tables = {{.at = offsetof(struct sets_view, parts), .columns = &part_columns}},
    .update = sets_update,
    .draw = sets_draw,
    .act = sets_act,
    .click = sets_click,
    .hint = sets_hint,
    .label = sets_label,
    .bar = {ACTION_BACK, ACTION_ENTER, ACTION_HOME, ACTION_FREEZE, ACTION_BASIS, ACTION_ZERO,
            ACTION_WRITE},
};
