/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands above the members on the Layout screen; declared in browser.h. */
#include "view/browser.h"

#include "view/field_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_FOR_HEAD = 9, ROWS_FOR_READING = 12, READING_ROWS = 2 };

static void draw_name(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_layout *layout = browser->layout.shown;
    char name[COLUMN_TEXT_BYTES];
    char part[48];
    snprintf(part, sizeof part, "%.1f%% of its samples ", layout->share * 100);
    int right = isnan(layout->share) ? 0 : (int)strlen(part);
    if (right + 20 > area.columns)
        right = 0;
    int room = area.columns - right;
    glyph_fit(name, sizeof name, layout->inferred ? "an element" : layout->name, room / 2,
              GLYPH_CUT_MIDDLE, canvas->ascii);
    int used = canvas_format(canvas, area.row, area.column, room, PAINT_STRONG, " %s", name);
    used += canvas_format(canvas, area.row, area.column + used, room - used, PAINT_PLAIN,
                          "  %" PRIu64 " bytes", layout->size);
    glyph_fit(name, sizeof name, browser->detail.object->name, room - used - 6, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    canvas_format(canvas, area.row, area.column + used, room - used, PAINT_DIM, "  in %s", name);
    if (right)
        canvas_text(canvas, area.row, area.column + room, right, paint_heat(layout->share), part);
}

static void draw_alignment(const struct snapshot_layout *layout, struct canvas *canvas,
                           struct area area)
{
    char text[256];
    int used;
    if (isnan(layout->phase_share)) {
        canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM,
                    " alignment not known yet: drawn as if an element began a cache line");
        return;
    }
    if (layout->phases == 1)
        used = snprintf(text, sizeof text,
                        " every element seen begins at byte %" PRIu32 " of a cache line",
                        layout->phase);
    else
        used = snprintf(text, sizeof text,
                        " elements begin at byte %" PRIu32 " of a cache line in %.0f%% of samples; "
                        "%" PRIu32 " alignments seen",
                        layout->phase, layout->phase_share * 100, layout->phases);
    if (layout->straddling > 0)
        snprintf(text + used, sizeof text - (size_t)used, "; %.1f%% of accesses cross a line",
                 layout->straddling * 100);
    canvas_text(canvas, area.row, area.column, area.columns, PAINT_PLAIN, text);
}

/* All types seen in the object, the one shown marked. */
static void draw_types(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_object *object = browser->detail.object;
    char name[128];
    int used = 1;
    for (size_t i = 0; i < object->layout_count && used < area.columns - 8; i++) {
        const struct snapshot_layout *layout = &object->layouts[i];
        bool on = layout == browser->layout.shown;
        int start = used;
        glyph_fit(name, sizeof name, layout->inferred ? "inferred" : layout->name, 40,
                  GLYPH_CUT_MIDDLE, canvas->ascii);
        used += canvas_format(canvas, area.row, area.column + used, area.columns - used,
                              on ? PAINT_TAB_SHOWN : PAINT_TAB, " %s %.0f%% ", name,
                              layout->share * 100);
        browser_zone(browser, area.row, area.column + start, used - start,
                     on ? ACTION_NONE : ACTION_RIGHT);
        used++;
    }
}

int layout_head(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_layout *layout = browser->layout.shown;
    struct area line = area;
    char known[192];
    bool several = browser->detail.object->layout_count > 1;
    draw_name(browser, canvas, line);
    line.row++;
    if (several && area.rows >= ROWS_FOR_HEAD) {
        draw_types(browser, canvas, line);
        line.row++;
    }
    if (area.rows < ROWS_FOR_READING)
        return line.row - area.row;
    field_known(browser->detail.object, layout, known, sizeof known);
    canvas_format(canvas, line.row, line.column, line.columns, PAINT_DIM, " %s", known);
    line.row++;
    draw_alignment(layout, canvas, line);
    line.row++;
    line.rows = READING_ROWS;
    line.column++;
    line.columns -= 2;
    line.row += canvas_wrap(canvas, line, PAINT_WARN, layout->reading);
    return line.row - area.row;
}
