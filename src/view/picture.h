/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the picture, each in its own file: the lines on top and below, panes, the line that is
 * typed, heads of pages. The end of browser.h, which says who they are for. */
#ifndef MISSTOP_VIEW_PICTURE_H
#define MISSTOP_VIEW_PICTURE_H

#include "view/browser.h"

/* The line of a replay; what its keys do, which elsewhere say what they are for. (play_*.c) */
struct request play_act(struct browser *browser, enum action action);
/* Its state in a word, which on a small screen stands for the line. */
const char *play_badge(const struct browser *browser);
void play_line_draw(const struct browser *browser, struct canvas *canvas, int row);

/* Of which stretch of the run all is, and the way back; rows used, 0 where it is the run up to now.
 * (stretch_line.c) */
int stretch_line_draw(struct browser *browser, struct canvas *canvas, int row);

/* Title and tabs; rows used. */
int header_draw(struct browser *browser, struct canvas *canvas);
/* The cursor of the chart, the stretch marked, what is asked of it. (timeline_cursor.c) */
struct timeline_chart;
void timeline_cursor_draw(struct browser *browser, const struct timeline_chart *chart,
                          struct canvas *canvas);
bool timeline_cursor_act(struct browser *browser, enum action action);
bool timeline_cursor_click(struct browser *browser, int row, int column);
/* What Enter would show; false: nothing. */
bool timeline_chosen(struct browser *browser, struct request *request);
/* The row of tabs; columns used. What shows the next one in a direction. (tabs.c) */
int tabs_draw(struct browser *browser, struct canvas *canvas, int row);
enum action tabs_next(const struct browser *browser, int direction);
/* Totals and reasons; rows used, at most `rows`. (header_totals.c) */
int header_totals(struct browser *browser, struct canvas *canvas, int row, int rows);
/* The line that says how far to trust the figures; "" when they are fine. */
void header_trust(const struct snapshot *snapshot, char *out, size_t size);

/* Name, share, place, element and origin of the object in Detail; rows used. (detail_head.c) */
int detail_head(const struct snapshot *snapshot, const struct snapshot_object *object,
                struct canvas *canvas, struct area area);

/* The type shown on Layout, its alignment, what the picture says; rows used. (layout_head.c) */
int layout_head(struct browser *browser, struct canvas *canvas, struct area area);

/* Source lines, the instructions of the one selected, and objects of the function opened.
 * (function_gather.c) */
void function_gather(struct browser *browser);
void function_gather_line(struct browser *browser);
void function_gather_sites(struct browser *browser);

/* Tagging, combining, renaming; true: done. What was typed as a new name. (matrix_names.c) */
bool matrix_name_act(struct browser *browser, enum action action);
/* The cursor was put somewhere: it stays on these names. (matrix_page.c) */
void matrix_cursor_moved(struct browser *browser);
void matrix_answer(struct browser *browser, const char *text, struct request *request);

void footer_draw(struct browser *browser, struct canvas *canvas, int status_row, int bar_row);

/* A title above a pane; rows used. */
int pane_title(struct canvas *canvas, struct area area, bool focused, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A table under its title with the number of rows; says `empty` where there are none. */
void pane_table(struct browser *browser, struct canvas *canvas, struct area area,
                struct table *table, const char *empty);
/* Names of the panes, for screens that have room for one only. */
int pane_tabs(struct browser *browser, struct canvas *canvas, struct area area,
              struct table *const panes[], unsigned count);

bool prompt_open(struct browser *browser, enum prompt_kind kind);
/* Asks for one line; page->answer of the page shown gets it. */
void prompt_ask(struct browser *browser, enum prompt_kind kind, const char *text);
void prompt_key(struct browser *browser, uint32_t key, struct request *request);
void prompt_draw(struct browser *browser, struct canvas *canvas, int row);

#endif
