/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paints as attributes of curses, with 256 colours, 8, or none. */
#include "view/screen_part.h"

#include <stdlib.h>

static attr_t attribute_bits(unsigned attributes)
{
    return (attributes & PAINT_BOLD ? A_BOLD : 0) | (attributes & PAINT_FAINT ? A_DIM : 0) |
           (attributes & PAINT_REVERSE ? A_REVERSE : 0) |
           (attributes & PAINT_UNDERLINE ? A_UNDERLINE : 0);
}

static void set_mono(struct screen_colors *colors)
{
    for (int i = 0; i < PAINT_COUNT; i++) {
        attr_t bits = attribute_bits(paint_look((enum paint)i)->attributes_mono);
        colors->attributes[i][0] = bits;
        colors->attributes[i][1] = bits | A_REVERSE;
    }
}

/* With 256 colours a selected row keeps its own, on a grey ground. */
static void set_256(struct screen_colors *colors)
{
    enum { DIM = 245, DIM_ON_GREY = 250 };
    short pair = 1;
    for (int i = 0; i < PAINT_COUNT; i++) {
        const struct paint_look *look = paint_look((enum paint)i);
        attr_t bits = attribute_bits(look->attributes_256);
        init_pair(pair, look->text_256, look->ground_256);
        colors->pairs[i][0] = pair++;
        colors->attributes[i][0] = bits;
        init_pair(pair, look->text_256 == DIM ? DIM_ON_GREY : look->text_256,
                  PAINT_SELECTED_GROUND);
        colors->pairs[i][1] = pair++;
        colors->attributes[i][1] = bits | A_BOLD;
    }
}

static void set_8(struct screen_colors *colors)
{
    for (short i = 0; i < PAINT_COUNT; i++) {
        const struct paint_look *look = paint_look((enum paint)i);
        init_pair((short)(i + 1), look->text_8, look->ground_8);
        colors->pairs[i][0] = (short)(i + 1);
        colors->attributes[i][0] = attribute_bits(look->attributes_8);
        colors->pairs[i][1] = PAINT_SELECTED + 1;
        colors->attributes[i][1] = attribute_bits(paint_look(PAINT_SELECTED)->attributes_8);
    }
}

void screen_choose_colors(struct screen_colors *colors, const struct view_options *options)
{
    const char *no_color = getenv("NO_COLOR");
    bool wanted = options->color == VIEW_COLOR_ALWAYS ||
                  (options->color == VIEW_COLOR_AUTO && !(no_color && *no_color));
    if (!wanted || !has_colors() || start_color() == ERR || COLORS < 8) {
        set_mono(colors);
        return;
    }
    use_default_colors();
    if (COLORS >= 256 && COLOR_PAIRS > 2 * PAINT_COUNT)
        set_256(colors);
    else
        set_8(colors);
}
