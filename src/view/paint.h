/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What text means, and how that looks with 256 colours, 8, and none. Views name a paint;
 * only screen.c (curses) and text.c (escape sequences) turn it into a colour.
 */
#ifndef MISSTOP_VIEW_PAINT_H
#define MISSTOP_VIEW_PAINT_H

enum paint {
    PAINT_PLAIN,
    PAINT_DIM,
    PAINT_STRONG,
    PAINT_TITLE,   /* the program's name */
    PAINT_HEADING, /* titles of columns */
    PAINT_SORTED,  /* title of the column sorted by */
    PAINT_PANE,    /* title of a pane */
    PAINT_KEY,
    PAINT_KEY_LABEL,
    PAINT_TAB,
    PAINT_TAB_SHOWN,
    PAINT_LIVE,
    PAINT_FROZEN,
    PAINT_RECORDED,
    PAINT_GOOD,
    PAINT_WARN,
    PAINT_BAD,
    PAINT_LOAD,
    PAINT_STORE,
    PAINT_SELECTED, /* a row, where its own colours cannot stay */
    PAINT_CURSOR,   /* over the cell of a map */
    PAINT_HEAT_0,   /* cold */
    PAINT_HEAT_1,
    PAINT_HEAT_2,
    PAINT_HEAT_3,
    PAINT_HEAT_4,
    PAINT_HEAT_5, /* hottest */
    PAINT_SERIES_0, /* colours that only tell things apart */
    PAINT_SERIES_1,
    PAINT_SERIES_2,
    PAINT_SERIES_3,
    PAINT_SERIES_4,
    PAINT_SERIES_5,
    PAINT_COUNT
};

enum paint_attribute { PAINT_BOLD = 1, PAINT_FAINT = 2, PAINT_REVERSE = 4, PAINT_UNDERLINE = 8 };

struct paint_look {
    short text_256; /* colour numbers; -1: the terminal's own */
    short ground_256;
    short text_8;
    short ground_8;
    unsigned attributes_256; /* enum paint_attribute */
    unsigned attributes_8;
    unsigned attributes_mono;
};

enum { PAINT_SELECTED_GROUND = 238 }; /* behind the selected row, with 256 colours */

const struct paint_look *paint_look(enum paint paint);

/* Heat of a share, 0..1; PAINT_PLAIN where it is not known. */
enum paint paint_heat(double share);

#endif
