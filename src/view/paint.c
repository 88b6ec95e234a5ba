/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/paint.h"

#include <math.h>
#include <stddef.h>

enum { OWN = -1, RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };

#define BADGE(color256, color8)                                                                    \
    {                                                                                              \
        16, color256, 0, color8, PAINT_BOLD, 0, PAINT_REVERSE                                      \
    }
#define INK(color256, color8)                                                                      \
    {                                                                                              \
        color256, OWN, color8, OWN, 0, 0, 0                                                        \
    }
#define STRONG(color256, color8)                                                                   \
    {                                                                                              \
        color256, OWN, color8, OWN, PAINT_BOLD, PAINT_BOLD, PAINT_BOLD                             \
    }

static const struct paint_look looks[PAINT_COUNT] = {
    [PAINT_PLAIN] = INK(OWN, OWN),
    [PAINT_DIM] = {245, OWN, OWN, OWN, 0, PAINT_FAINT, PAINT_FAINT},
    [PAINT_STRONG] = STRONG(OWN, OWN),
    [PAINT_TITLE] = STRONG(75, CYAN),
    [PAINT_HEADING] = {253, 24, 0, CYAN, 0, 0, PAINT_REVERSE},
    [PAINT_SORTED] = {16, 114, 0, GREEN, PAINT_BOLD, 0, PAINT_REVERSE | PAINT_BOLD},
    [PAINT_PANE] = STRONG(75, CYAN),
    [PAINT_KEY] = {OWN, OWN, OWN, OWN, PAINT_BOLD, PAINT_BOLD, PAINT_BOLD},
    [PAINT_KEY_LABEL] = {16, 73, 0, CYAN, 0, 0, PAINT_REVERSE},
    [PAINT_TAB] = {250, OWN, OWN, OWN, 0, 0, 0},
    [PAINT_TAB_SHOWN] = {16, 75, 0, CYAN, PAINT_BOLD, 0, PAINT_REVERSE},
    [PAINT_LIVE] = BADGE(71, GREEN),
    [PAINT_FROZEN] = BADGE(75, CYAN),
    [PAINT_RECORDED] = BADGE(178, YELLOW),
    [PAINT_GOOD] = INK(71, GREEN),
    [PAINT_WARN] = STRONG(178, YELLOW),
    [PAINT_BAD] = STRONG(203, RED),
    [PAINT_LOAD] = INK(74, CYAN),
    [PAINT_STORE] = INK(176, MAGENTA),
    [PAINT_SELECTED] = {OWN, 238, WHITE, BLUE, PAINT_BOLD, PAINT_BOLD, PAINT_REVERSE},
    [PAINT_CURSOR] = {231, 27, WHITE, BLUE, PAINT_BOLD, PAINT_BOLD, PAINT_REVERSE},
    [PAINT_HEAT_0] = {244, OWN, BLUE, OWN, 0, 0, 0},
    [PAINT_HEAT_1] = INK(73, CYAN),
    [PAINT_HEAT_2] = INK(113, GREEN),
    [PAINT_HEAT_3] = INK(184, YELLOW),
    [PAINT_HEAT_4] = {208, OWN, RED, OWN, 0, 0, PAINT_BOLD},
    [PAINT_HEAT_5] = {196, OWN, RED, OWN, PAINT_BOLD, PAINT_BOLD, PAINT_BOLD},
    [PAINT_SERIES_0] = INK(68, BLUE),
    [PAINT_SERIES_1] = INK(208, YELLOW),
    [PAINT_SERIES_2] = INK(71, GREEN),
    [PAINT_SERIES_3] = INK(167, RED),
    [PAINT_SERIES_4] = INK(140, MAGENTA),
    [PAINT_SERIES_5] = INK(80, CYAN),
};

const struct paint_look *paint_look(enum paint paint)
{
    return &looks[(unsigned)paint < PAINT_COUNT ? paint : PAINT_PLAIN];
}

enum paint paint_heat(double share)
{
    static const double steps[] = {0.01, 0.03, 0.08, 0.20, 0.40};
    unsigned level = 0;
    if (isnan(share))
        return PAINT_PLAIN;
    while (level < sizeof steps / sizeof *steps && share >= steps[level])
        level++;
    return (enum paint)(PAINT_HEAT_0 + level);
}
