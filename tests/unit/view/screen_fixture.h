/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A browser on a synthetic snapshot, its keys and clicks, and the text of its canvas. For tests of
 * screens; one is open at a time. */
#ifndef TESTS_UNIT_SCREEN_FIXTURE_H
#define TESTS_UNIT_SCREEN_FIXTURE_H

#include "unit/view/snapshot_fixture.h"
#include "view/display/browser.h"

extern struct browser screen_browser;
extern struct canvas screen_canvas;

/*
 * Presses `keys` one after the other; '\n' is Enter, '~' Right, '\x02' F2.
 */
void screen_open(enum fixture_kind kind, int rows, int columns, bool ascii, const char *keys);
/* The same for a snapshot of the test, made from one of fixture_new(); NULL: no snapshot. */
void screen_open_on(const struct snapshot *snapshot, int rows, int columns, bool ascii,
                    const char *keys);
/* Fails if a snapshot was not released. */
void screen_close(void);
int screen_teardown(void **state); /* the same */

/* Presses one key after the other. Returns the request of the last one. */
#define screen_press(...)                                                                          \
    screen_press_keys((const uint32_t[]){__VA_ARGS__},                                             \
                      sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
struct request screen_press_keys(const uint32_t *keys, size_t count);
void screen_type(const char *text);
struct request screen_click(int row, int column);
/* Draws the current state. */
void screen_draw(void);
void screen_resize(int rows, int columns, bool ascii);

/* Returns a row as text, valid until the next call. */
const char *screen_row(int at);
/* Return the first row with a text (-1: none), and the column of a text in a row. */
int screen_row_with(const char *text);
int screen_column_of(int at, const char *text);
struct area screen_find(const char *text);
bool screen_has(const char *text);

#endif
