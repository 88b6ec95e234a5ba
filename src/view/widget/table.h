/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list one can move in, sort, filter and search, over any rows described by columns.
 * The selection stays on the same thing when a new snapshot moves it; until the user has
 * moved it, it stays on the first row instead. Embedded in the states of screens.
 */
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
    uint32_t *order; /* indices of the rows shown, sorted */
    size_t shown;
    size_t capacity;
    size_t count;    /* rows before filtering */
    size_t selected; /* into order */
    size_t top;
    uint64_t identity; /* of the selected row */
    bool pinned;       /* the user has moved the selection */
    unsigned sort;     /* into columns->list */
    bool invert;
    bool sort_chosen; /* by the user */
    char filter[TABLE_WORD_BYTES];
    char find[TABLE_WORD_BYTES];
    struct area body; /* where it was drawn, for the mouse; rows 0: was not */
    struct layout layout;
    int laid_out;  /* width that the layout is for; 0: it is to be made */
    unsigned fits; /* snapshots that it has been made for; then it stays */
    struct column_choice choice;
};

void table_init(struct table *table, const struct columns *columns);
void table_fini(struct table *table);

/* The columns are chosen and made wide anew: the screen was opened, or the user chose. */
void table_lay_out(struct table *table);

/* New rows. They and the snapshot must outlive the next table_set(). */
void table_set(struct table *table, const struct snapshot *snapshot, const void *rows,
               size_t count);

/* Those that the snapshot lists. */
void table_set_all(struct table *table, const struct snapshot *snapshot);

/* Rows shown, without those that part others. */
size_t table_rows(const struct table *table);

/* The selected row; NULL: there is none. */
const void *table_selected(const struct table *table);

/* Selects the row of this identity; false: not listed. */
bool table_select(struct table *table, uint64_t identity);

/* The same until the user moves the selection, and only for the rows as they are now. */
void table_prefer(struct table *table, uint64_t identity);

/* The column to sort by until the user says another. */
void table_suggest_sort(struct table *table, unsigned column);

/* Moves the selection; clamped at both ends. */
void table_move(struct table *table, long rows);
void table_page(struct table *table, int pages);

void table_filter(struct table *table, const char *part);

/* Selects the next row (from the selected one on if `here`) with `part`; false: none. */
bool table_find(struct table *table, const char *part, bool here);

/* Sorts by the next (1) or previous (-1) column on the screen. */
void table_sort_step(struct table *table, int direction);
void table_invert(struct table *table);

/* Titles and rows. Only a table with focus shows its selection. */
void table_draw(struct table *table, struct canvas *canvas, struct area area, bool focused);

/* One row, or the titles for row NULL, over the whole width; for batch text. */
void table_draw_row(const struct table *table, const struct layout *layout, struct canvas *canvas,
                    int at_row, int at_column, const void *row);

/* Rows tagged to be combined, by their identities. */
struct tags {
    uint64_t list[REQUEST_BINS_MAX - 1]; /* one place stays for the row that they go into */
    uint32_t count;
};
bool tags_have(const struct tags *tags, uint64_t identity);
/* Tags a row or takes its tag off. NULL: it is tagged now; else a message. */
const char *tags_toggle(struct tags *tags, uint64_t identity);

enum table_hit { TABLE_MISSED, TABLE_TITLE, TABLE_SELECTED, TABLE_AGAIN };

/* A click: sorts on a title, selects on a row; AGAIN: that row was selected already. */
enum table_hit table_click(struct table *table, int row, int column);

#endif
