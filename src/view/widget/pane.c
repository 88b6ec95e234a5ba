/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Titled parts of a screen. */
#include <stdarg.h>
#include <stdio.h>

#include "view/screen/browser.h"

int pane_title(struct canvas *canvas, struct area area, bool focused, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (area.rows < 1)
        return 0;
    int used = canvas_text(canvas, area.row, area.column, 2, PAINT_PANE,
                           !focused        ? "  "
                           : canvas->ascii ? "> "
                                           : "▸ ");
    canvas_text(canvas, area.row, area.column + used, area.columns - used,
                focused ? PAINT_PANE : PAINT_DIM, text);
    return 1;
}

void pane_table(struct browser *browser, struct canvas *canvas, struct area area,
                struct table *table, const char *empty)
{
    bool focused = browser_focused(browser, table);
    table_draw(table, canvas, area, focused);
    if (table->shown || area.rows < 2)
        return;
    struct area below = {area.row + 1, area.column + 1, area.rows - 1, area.columns - 1};
    canvas_wrap(canvas, below, PAINT_DIM,
                *table->filter ? "No row has the word of the filter; Esc clears it." : empty);
}

int pane_tabs(struct browser *browser, struct canvas *canvas, struct area area,
              struct table *const panes[], unsigned count)
{
    int used = 0;
    if (area.rows < 1)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        bool focused = browser_focused(browser, panes[i]);
        int start = used;
        used += canvas_format(canvas, area.row, area.column + used, area.columns - used,
                              focused ? PAINT_TAB_SHOWN : PAINT_TAB, " %s %zu ",
                              panes[i]->columns->title, table_rows(panes[i]));
        browser_zone(browser, area.row, area.column + start, used - start,
                     focused ? ACTION_NONE : ACTION_RIGHT);
        used++;
    }
    return 1;
}
