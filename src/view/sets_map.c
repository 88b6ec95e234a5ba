/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/sets_map.h"

#include "base/text.h"
#include "view/bar.h"

#include <inttypes.h>
#include <math.h>

enum { LABEL_COLUMNS = 7 };

/* Standard deviations above the mean that chance alone exceeds once in 1000: as hot_sets. */
static const double hot_deviations = 3.09;

double sets_map_mean(const struct snapshot_sets *sets)
{
    double all = 0;
    for (uint32_t i = 0; i < sets->sets; i++)
        all += sets->counts[i];
    return all / sets->sets;
}

/* Powers of two, so that sets a page or a half apart stand below each other. */
static void choose_shape(struct browser *browser, struct area area)
{
    uint32_t sets = browser->snapshot->sets.sets;
    int columns = 1;
    browser->sets.fold = 1;
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
    while ((sets + (uint32_t)(columns * browser->sets.fold) - 1) /
               (uint32_t)(columns * browser->sets.fold) >
           (uint32_t)area.rows)
        browser->sets.fold *= 2;
    browser->sets.columns = columns;
    browser->sets.cell = cell;
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
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    const struct area *map = &browser->sets.map;
    uint32_t first = index * (uint32_t)browser->sets.fold;
    double count = cell_count(sets, first, browser->sets.fold);
    int row = map->row + (int)(index / (uint32_t)browser->sets.columns);
    int column = map->column + (int)(index % (uint32_t)browser->sets.columns) * browser->sets.cell;
    int filled = browser->sets.cell > 1 ? browser->sets.cell - 1 : 1;
    bool chosen = browser->sets.cursor / (uint32_t)browser->sets.fold == index;
    for (int i = 0; i < filled; i++)
        canvas_text(canvas, row, column + i, 1, heat_of(sets, count, mean),
                    bar_step(top > 0 ? count / top : 0, canvas->ascii));
    if (chosen)
        canvas_flag(canvas, row, column, filled, CELL_CURSOR);
}

int sets_map_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_sets *sets = &browser->snapshot->sets;
    double mean = sets_map_mean(sets);
    double top = cell_count(sets, 0, (int)sets->sets);
    choose_shape(browser, area);
    int fold = browser->sets.fold;
    uint32_t cells = (sets->sets + (uint32_t)fold - 1) / (uint32_t)fold;
    uint32_t columns = (uint32_t)browser->sets.columns;
    int rows = (int)((cells + columns - 1) / columns);
    browser->sets.map = (struct area){area.row, area.column + LABEL_COLUMNS, rows,
                                      browser->sets.columns * browser->sets.cell};
    for (int i = 0; i < rows; i++)
        canvas_format(canvas, area.row + i, area.column, LABEL_COLUMNS - 1, PAINT_DIM, "%6" PRIu32,
                      (uint32_t)i * columns * (uint32_t)fold);
    for (uint32_t i = 0; i < cells; i++)
        draw_cell(browser, canvas, i, top, mean);
    return rows;
}

void sets_map_legend(const struct snapshot_sets *sets, struct canvas *canvas, int row)
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

long sets_map_at(const struct browser *browser, int row, int column)
{
    const struct area *map = &browser->sets.map;
    if (row < map->row || row >= map->row + map->rows || column < map->column ||
        column >= map->column + map->columns)
        return -1;
    long index =
        (row - map->row) * browser->sets.columns + (column - map->column) / browser->sets.cell;
    return index * browser->sets.fold;
}
