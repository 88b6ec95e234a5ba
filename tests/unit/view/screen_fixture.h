/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One browser on a made-up snapshot, its keys and clicks, and the text of its canvas. For tests
 * that look at screens; one is open at a time. */
#ifndef MISSTOP_UNIT_VIEW_DISPLAY_FIXTURE_H
#define MISSTOP_UNIT_VIEW_DISPLAY_FIXTURE_H

#ifndef TESTS_UNIT_SCREEN_FIXTURE_H
#define TESTS_UNIT_SCREEN_FIXTURE_H

#include "unit/view/snapshot_fixture.h"
#include "view/display/browser.h"

extern struct browser screen_browser;
extern struct canvas screen_canvas;

/* `keys` are pressed one after the other; '\n' is Enter, '~' Right, '\x02' F2. */
void screen_open(enum fixture_kind kind, int rows, int columns, bool ascii, const char *keys);
/* The same on a snapshot of the test's own, made from one of fixture_new(). */
void screen_open_on(const struct snapshot *snapshot, int rows, int columns, bool ascii,
                    const char *keys);
/* Fails where a snapshot was not released. */
void screen_close(void);

void screen_press(uint32_t key);
void screen_click(int row, int column);

/* A row as text, until the next call. */
const char *screen_row(int at);
/* The first row with a text; -1: none. Its position in a row, in columns. */
int screen_row_with(const char *text);
int screen_column_of(int at, const char *text);

#endif

#endif
