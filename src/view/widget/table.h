/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list that can be navigated, sorted, filtered and searched. The selection follows the same item
 * when a new snapshot moves it; until the user moves the selection, it stays on the first row. */
#ifndef MISSTOP_VIEW_WIDGET_TABLE_H
#define MISSTOP_VIEW_WIDGET_TABLE_H

#include "request.h"
#include "view/display/canvas.h"
#include "view/widget/columns.h"

enum { TABLE_WORD_BYTES = 64 };

struct table {
    const struct columns *columns;
    const struct snapshot *snapshot;
    const char *rows;
    uint32_t *order; /* indices of the displayed rows, sorted */
    size_t shown;
    size_t capacity;
    size_t count;    /* rows before filtering */
    size_t selected; /* index into order */
    size_t top;
    uint64_t identity;    /* identity of the selected row */
    bool selection_moved; /* the user has moved the selection */
    unsigned sort;        /* index into columns->list */
    bool invert;
    bool sort_chosen; /* the user chose the sort column */
    char filter[TABLE_WORD_BYTES];
    char find[TABLE_WORD_BYTES];
    struct area body; /* area where it was drawn, for the mouse; rows 0: not drawn */
    struct layout layout;
    int laid_out;          /* width of the current layout; 0: no layout yet */
    unsigned layout_count; /* number of snapshots with a layout; then it is fixed */
    struct column_choice choice;
};

void table_init(struct table *table, const struct columns *columns);
void table_fini(struct table *table);

/* Makes a new layout: the screen was opened, or the user chose columns. */
void table_lay_out(struct table *table);

/* Sets new rows. They and the snapshot must outlive the next table_set(). */
void table_set(struct table *table, const struct snapshot *snapshot, const void *rows,
               size_t count);

void table_set_all(struct table *table, const struct snapshot *snapshot);

/* Returns the number of displayed rows, without separators. */
size_t table_rows(const struct table *table);

/* Returns the selected row; NULL if there is none. */
const void *table_selected(const struct table *table);

/* Selects the row with this identity, if it is listed. */
void table_select(struct table *table, uint64_t identity);

/* Selects a row of the current list until the user moves the selection. */
void table_prefer(struct table *table, uint64_t identity);

/* Sets the column to sort by until the user chooses another. */
void table_suggest_sort(struct table *table, unsigned column);

/* Moves the selection, clamped at both ends. */
void table_move(struct table *table, long rows);
void table_page(struct table *table, int pages);

void table_filter(struct table *table, const char *part);

/* Selects the next row that contains `part` (starting with the selected one if `here`); returns
 * false if there is none. */
bool table_find(struct table *table, const char *part, bool here);

/* Sorts by the next (1) or previous (-1) displayed column. */
void table_sort_step(struct table *table, int direction);
void table_invert(struct table *table);

/* Draws titles and rows. Only a table with focus shows its selection. */
void table_draw(struct table *table, struct canvas *canvas, struct area area, bool focused);

/* Draws one row, or the titles if `row` is NULL, over the whole width; for batch text. */
void table_draw_row(const struct table *table, const struct layout *layout, struct canvas *canvas,
                    int at_row, int at_column, const void *row);

/* Tagged rows, to be combined, by their identities. */
struct tags {
    uint64_t list[REQUEST_BINS_MAX - 1]; /* one slot is reserved for the row they are merged into */
    uint32_t count;
};
bool tags_have(const struct tags *tags, uint64_t identity);
/* Toggles the tag of a row. Returns NULL if it is now tagged, otherwise a message. */
const char *tags_toggle(struct tags *tags, uint64_t identity);

enum table_hit { TABLE_MISSED, TABLE_TITLE, TABLE_SELECTED, TABLE_AGAIN };

/* Sorts on a title, selects on a row. AGAIN: that row was already selected. */
enum table_hit table_click(struct table *table, int row, int column);

#endif
