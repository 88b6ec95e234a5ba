/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who evicts whom: opened from Causes (y). */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/pages/causes.h"
#include "view/pages/matrix.h"
#include "view/screen/browser.h"

struct evictions_view {
    struct matrix_table table; /* made while it is shown */
    struct matrix_grid grid;
    uint64_t row; /* identities of what its cursor is on; 0: the totals */
    uint64_t column;
    bool moved; /* by the user */
};

static struct evictions_view *evictions_view(const struct browser *browser)
{
    return page_state(browser, PAGE_EVICTIONS);
}

enum { TITLE_ROWS = 2, WORDS_ROWS = 8, SMALL_ROWS = 12, TEXT_BYTES = 512 };

static struct matrix_grid *grid_of(struct browser *browser)
{
    return &evictions_view(browser)->grid;
}

static const struct matrix_table *table_of(const struct browser *browser)
{
    return &evictions_view(browser)->table;
}

static void evictions_remember(struct browser *browser)
{
    const struct matrix_line *row = matrix_grid_row(grid_of(browser), table_of(browser));
    const struct matrix_line *column = matrix_grid_column(grid_of(browser), table_of(browser));
    evictions_view(browser)->row = row ? row->identity : 0;
    evictions_view(browser)->column = column ? column->identity : 0;
}

/* Who threw most out of the row that the cursor is in. */
static void point_at_strongest(struct matrix_grid *grid, const struct matrix_table *table)
{
    double most = -1;
    for (size_t i = 0; grid->row && i < table->column_count; i++)
        if (table->cells[grid->row - 1][i].share > most) {
            most = table->cells[grid->row - 1][i].share;
            grid->column = i + 1;
        }
}

static void evictions_update(struct browser *browser)
{
    struct evictions_view *view = evictions_view(browser);
    if (browser->page != PAGE_EVICTIONS)
        return;
    evictions_table_make(&view->table, browser->snapshot, causes_kind(browser));
    if (view->row || view->moved)
        matrix_grid_find(grid_of(browser), table_of(browser), view->row, view->column);
    else
        matrix_grid_strongest(grid_of(browser), table_of(browser));
    if (!view->moved)
        point_at_strongest(grid_of(browser), table_of(browser));
    evictions_remember(browser);
}

void browser_open_evictions(struct browser *browser, uint32_t id)
{
    evictions_view(browser)->grid.row = 1;
    evictions_view(browser)->row = (uint64_t)id + 1;
    evictions_view(browser)->moved = false;
    browser_go(browser, PAGE_EVICTIONS);
}

/* ---- drawing ---- */

/* The row of Causes that the cursor is in; NULL: the totals, or the others. */
static const struct snapshot_causes_row *evictions_row_of(struct browser *browser)
{
    const struct snapshot_causes_list *list = &browser->snapshot->causes.of[causes_kind(browser)];
    const struct matrix_line *line = matrix_grid_row(grid_of(browser), table_of(browser));
    for (size_t i = 0; line && line->members && i < list->count; i++)
        if ((uint64_t)list->rows[i].id + 1 == line->identity)
            return &list->rows[i];
    return NULL;
}

static void draw_words(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct matrix_grid *grid = grid_of(browser);
    const struct snapshot_causes_row *row = evictions_row_of(browser);
    char text[TEXT_BYTES];
    evictions_words(table_of(browser), causes_kind(browser), grid->row, grid->column, text,
                    sizeof text);
    int used = canvas_wrap(canvas, area, PAINT_STRONG, text);
    area.row += used;
    area.rows -= used;
    if (row && area.rows > 0)
        causes_draw_evictors(browser->snapshot, row, canvas, area);
}

static void evictions_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct matrix_table *table = table_of(browser);
    char text[TEXT_BYTES];
    grid_of(browser)->names = (struct area){0};
    if (!table->row_count) {
        canvas_wrap(canvas, area, PAINT_DIM,
                    " Nothing is known yet of what threw lines out of this cache: none has come "
                    "back to it. e: another level, of which it is told from then on.");
        return;
    }
    bool small = area.rows < SMALL_ROWS;
    int titles = 0;
    if (!small) {
        struct area title = {area.row, 1, TITLE_ROWS, area.columns - 2};
        evictions_title(browser->snapshot, causes_kind(browser), text, sizeof text);
        titles = canvas_wrap(canvas, title, PAINT_DIM, text);
    }
    int words = small ? 1 : area.rows / 3 < WORDS_ROWS ? area.rows / 3 : WORDS_ROWS;
    struct area grid = {area.row + titles, 0, area.rows - titles - words - !small, area.columns};
    int used = matrix_grid_draw(grid_of(browser), table, canvas, grid);
    struct area below = {grid.row + used + !small, 1, 0, area.columns - 2};
    below.rows = area.row + area.rows - below.row;
    draw_words(browser, canvas, below);
}

/* ---- keys ---- */

static void open_line(struct browser *browser)
{
    const struct matrix_line *line = matrix_grid_row(grid_of(browser), table_of(browser));
    if (!line)
        line = matrix_grid_column(grid_of(browser), table_of(browser));
    if (line)
        causes_open(browser, line->index);
    else
        browser_message(browser, "move to a row or a column first");
}

static bool evictions_act(struct browser *browser, enum action action, struct request *request)
{
    struct evictions_view *view = evictions_view(browser);
    (void)request;
    if (!browser->snapshot)
        return false;
    if (action == ACTION_STACK) {
        causes_step_kind(browser);
        view->row = view->column = 0;
        view->moved = false;
    } else if (action == ACTION_HOME) {
        view->row = view->column = 0;
        view->moved = false;
    } else if (action == ACTION_ENTER && table_of(browser)->row_count) {
        open_line(browser);
        return true;
    } else if (matrix_grid_act(grid_of(browser), table_of(browser), action)) {
        view->moved = true;
        evictions_remember(browser);
        return true;
    } else {
        return false;
    }
    evictions_update(browser);
    return true;
}

static bool evictions_click(struct browser *browser, int row, int column)
{
    struct matrix_grid *grid = grid_of(browser);
    size_t at_row;
    size_t at_column;
    if (!browser->snapshot ||
        !matrix_grid_at(grid, table_of(browser), row, column, &at_row, &at_column))
        return false;
    bool again = at_row == grid->row && at_column == grid->column;
    grid->row = at_row;
    grid->column = at_column;
    evictions_view(browser)->moved = true;
    evictions_remember(browser);
    if (again)
        open_line(browser);
    return true;
}

static const char *evictions_enter(struct browser *browser)
{
    const struct matrix_grid *grid = grid_of(browser);
    if (!table_of(browser)->row_count || (!grid->row && !grid->column))
        return "";
    return causes_kind(browser) == CAUSES_OBJECTS     ? "Object"
           : causes_kind(browser) == CAUSES_FUNCTIONS ? "Function"
                                                      : "";
}

static void evictions_hint(struct browser *browser, char *out, size_t size)
{
    snprintf(out, size, "%s",
             table_of(browser)->row_count
                 ? "Arrows: another cell. Enter: what the row is. b: by object, function, thread. "
                   "Esc: back"
                 : "Esc: back");
}

static const char *evictions_label(struct browser *browser, enum action action)
{
    (void)browser;
    return action == ACTION_HOME ? "Strongest" : NULL;
}

const struct page evictions_page = {
    .name = "Evictions",
    .shows = "Which object replaces lines of which in the simulated caches: the object that was "
             "replaced down, the one that replaced it across.",
    .next = "An object that throws itself out is too large or in its own way; one that is thrown "
            "out by another could be kept apart from it.",
    .state_size = sizeof(struct evictions_view),
    .update = evictions_update,
    .draw = evictions_draw,
    .act = evictions_act,
    .click = evictions_click,
    .hint = evictions_hint,
    .enter = evictions_enter,
    .label = evictions_label,
    .bar = {ACTION_ENTER, ACTION_STACK, ACTION_BACK, ACTION_HOME, ACTION_BASIS, ACTION_NEXT_EVENT,
            ACTION_FREEZE, ACTION_WRITE},
};

enum { NAME_BYTES = 120 };

static const struct snapshot_evictions *evictions_of(const struct snapshot *snapshot,
                                                     enum causes_of kind)
{
    return &snapshot->causes.of[kind].evictions;
}

static struct snapshot_matrix_cell evictions_table_cell_of(const struct snapshot_evictions *from,
                                                           double misses)
{
    return (struct snapshot_matrix_cell){.samples = misses, .share = misses / from->misses};
}

/* By its id, in what Enter opens. */
static uint32_t index_of(const struct snapshot *snapshot, enum causes_of kind, uint32_t id)
{
    if (kind == CAUSES_THREADS)
        return UINT32_MAX;
    size_t count = kind == CAUSES_OBJECTS ? snapshot->object_count : snapshot->code_count;
    for (size_t i = 0; i < count; i++)
        if ((kind == CAUSES_OBJECTS ? snapshot->objects[i].id : snapshot->code[i].id) == id)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* Lines of one side; the others only where they have anything. Returns how many. */
static size_t fill_lines(const struct snapshot *snapshot, enum causes_of kind,
                         const struct snapshot_eviction_line *from, size_t count,
                         struct matrix_line *out)
{
    const struct snapshot_evictions *evictions = evictions_of(snapshot, kind);
    for (size_t i = 0; i < count; i++)
        out[i] = (struct matrix_line){.name = from[i].name,
                                      .identity = (uint64_t)from[i].id + 1,
                                      .index = index_of(snapshot, kind, from[i].id),
                                      .members = 1,
                                      .total = evictions_table_cell_of(evictions, from[i].misses)};
    out[count] =
        (struct matrix_line){.name = "others",
                             .identity = UINT64_MAX,
                             .index = UINT32_MAX,
                             .total = evictions_table_cell_of(evictions, from[count].misses)};
    return count + (from[count].misses > 0);
}

void evictions_table_make(struct matrix_table *table, const struct snapshot *snapshot,
                          enum causes_of kind)
{
    const struct snapshot_evictions *from = evictions_of(snapshot, kind);
    *table = (struct matrix_table){.snapshot = snapshot, .title = "Thrown out", .all = "all"};
    if (!from->row_count)
        return;
    table->row_count = fill_lines(snapshot, kind, from->rows, from->row_count, table->rows);
    table->column_count =
        fill_lines(snapshot, kind, from->columns, from->column_count, table->columns);
    for (size_t i = 0; i <= from->row_count; i++)
        for (size_t k = 0; k <= from->column_count; k++)
            table->cells[i][k] = evictions_table_cell_of(from, from->cells[i][k]);
}

void evictions_title(const struct snapshot *snapshot, enum causes_of kind, char *out, size_t size)
{
    const struct snapshot_causes *causes = &snapshot->causes;
    const struct snapshot_evictions *from = evictions_of(snapshot, kind);
    char misses[16];
    snprintf(out, size, "Who evicts whom: %s. Of %s misses whose evictor is known (%.1f%% of all)",
             kind == CAUSES_OBJECTS ? "lines of the row, thrown out for the column"
                                    : "lines the row missed, thrown out by the column",
             text_count(misses, from->misses), 100 * from->misses / causes->all.misses);
}

static const char *evictions_table_name_of(const struct matrix_line *line, const char *all)
{
    return line ? line->name : all;
}

void evictions_words(const struct matrix_table *table, enum causes_of kind, size_t row,
                     size_t column, char *out, size_t size)
{
    static const char *const all[CAUSES_KINDS] = {"all objects", "all functions", "all threads"};
    static const char *const any[CAUSES_KINDS] = {"any object", "any function", "any thread"};
    const struct matrix_line *whose = row ? &table->rows[row - 1] : NULL;
    const struct matrix_line *by = column ? &table->columns[column - 1] : NULL;
    const struct snapshot_evictions *from = evictions_of(table->snapshot, kind);
    double misses = whose && by ? table->cells[row - 1][column - 1].samples
                    : whose     ? whose->total.samples
                    : by        ? by->total.samples
                                : from->misses;
    bool objects = kind == CAUSES_OBJECTS;
    bool itself = whose && by && whose->members && whose->identity == by->identity;
    bool alike = whose && by && !itself && by->members && !strcmp(whose->name, by->name);
    char count[16];
    int used = snprintf(out, size, "Lines %s %.*s, thrown out by %s%s%.*s%s: %s misses",
                        objects ? "of" : "missed by", NAME_BYTES,
                        evictions_table_name_of(whose, all[kind]), objects ? "accesses to " : "",
                        alike ? "another " : "", NAME_BYTES,
                        itself ? "itself" : evictions_table_name_of(by, any[kind]),
                        by && !by->members ? ", or not known" : "", text_count(count, misses));
    if (whose && by && used > 0 && (size_t)used < size && whose->total.samples > 0)
        snprintf(out + used, size - (size_t)used, "; %.1f%% of the row, %.1f%% of the column",
                 100 * misses / whose->total.samples,
                 by->total.samples > 0 ? 100 * misses / by->total.samples : 0);
}
