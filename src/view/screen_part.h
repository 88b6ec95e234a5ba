/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What screen.c puts together; only its files see curses. Private to src/view/screen*.c. */
#ifndef MISSTOP_VIEW_SCREEN_PART_H
#define MISSTOP_VIEW_SCREEN_PART_H

#include "view/paint.h"
#include "view/view.h"

#include <curses.h>
#include <stdbool.h>
#include <termios.h>

struct input;

/* How each paint looks on this terminal: plain, and in a selected row. */
struct screen_colors {
    attr_t attributes[PAINT_COUNT][2];
    short pairs[PAINT_COUNT][2];
};

/* By the option, NO_COLOR and what the terminal can do. */
void screen_choose_colors(struct screen_colors *colors, const struct view_options *options);

/* false: nothing more waits. An event that means nothing here has key 0. */
bool screen_read(struct input *input);

/* ---- screen_restore.c: what a fatal signal needs ---- */

/* What gives the terminal back is made ready; the modes are those of before curses. */
void screen_arm(const struct termios *before);
/* Curses has given the terminal back itself, or has it again. */
void screen_disarm(void);
void screen_rearm(void);

/* A capability of the terminal by its terminfo name; NULL: it has none. */
const char *screen_capability(const char *name);

#endif
