/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 1: what the process misses on, hottest first. */
#include "view/browser.h"

#include "view/objects_words.h"

#include <stdio.h>

static void objects_update(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    table_set(&browser->objects, snapshot, snapshot->objects, snapshot->object_count);
}

/* Of those that are not in the list, and how they come into it; rows used. */
static int draw_left_out(struct browser *browser, struct canvas *canvas, int row)
{
    char left[160];
    objects_left_out(browser->snapshot, left, sizeof left);
    if (!*left)
        return 0;
    int used = canvas_format(canvas, row, 1, canvas->columns - 1, PAINT_DIM, "%s%s", left,
                             browser->snapshot->objects_all ? "" : ": A lists them");
    browser_zone(browser, row, 1, used, ACTION_ALL_OBJECTS);
    return 1;
}

static void objects_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    enum {
        ROWS_FOR_LEVELS = 14,
        ROWS_FOR_FIELDS = 12,
        ROWS_FOR_TOTALS = 8,
        ROWS_FOR_LEFT_OUT = 10
    };
    int used = header_totals(browser, canvas, area.row,
                             area.rows >= ROWS_FOR_LEVELS   ? 5
                             : area.rows >= ROWS_FOR_FIELDS ? 3
                             : area.rows >= ROWS_FOR_TOTALS ? 2
                             : area.rows >= 6               ? 1
                                                            : 0);
    /* A blank line sets the list off where there is room for it. */
    if (used >= 2 && area.rows >= 20)
        used++;
    area.row += used;
    area.rows -= used;
    if (area.rows >= ROWS_FOR_LEFT_OUT)
        area.rows -= draw_left_out(browser, canvas, area.row + area.rows - 1);
    pane_table(browser, canvas, area, &browser->objects, objects_nothing_yet(browser->snapshot));
}

static unsigned objects_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->objects;
    return 1;
}

static bool objects_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_object *object = table_selected(&browser->objects);
    if (!object)
        return false;
    switch (action) {
    case ACTION_ENTER:
        browser_open_object(browser, object);
        return true;
    case ACTION_SEARCH_HERE:
        if (browser_lies_apart(browser, object))
            return true;
        if (!object->size)
            return false;
        browser->search.inside = 0;
        browser_search_in(request, object->address, object->address + object->size, object->name);
        browser_go(browser, PAGE_SEARCH);
        return true;
    default:
        return false;
    }
}

static void objects_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot_object *object = table_selected(&browser->objects);
    const struct snapshot *snapshot = browser->snapshot;
    char name[160];
    if (!snapshot)
        return;
    header_trust(snapshot, out, size);
    if (*out || !object)
        return;
    glyph_fit(name, sizeof name, object->name, 32, GLYPH_CUT_MIDDLE, false);
    int used = 0;
    if (snapshot->findings.count)
        used = snprintf(out, size, "%zu finding%s: f.  ", snapshot->findings.count,
                        snapshot->findings.count == 1 ? "" : "s");
    used += snprintf(out + used, size - (size_t)used,
                     "Enter: the hot fields of %s and the code that touches them", name);
    if (snapshot->objects_all && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, ".  A: those of 0.1%% and more alone");
}

static const char *objects_enter(struct browser *browser)
{
    return table_selected(&browser->objects) ? "Fields and code" : "";
}

static const enum action objects_bar[] = {
    ACTION_ENTER,       ACTION_FIND,  ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE,
    ACTION_SEARCH_HERE, ACTION_BASIS, ACTION_INVERT, ACTION_WRITE,     ACTION_NEXT_EVENT,
    ACTION_ALL_OBJECTS, ACTION_ZERO,  ACTION_FASTER, ACTION_NONE};

const struct page objects_page = {
    .name = "Objects",
    .update = objects_update,
    .draw = objects_draw,
    .panes = objects_panes,
    .act = objects_act,
    .hint = objects_hint,
    .enter = objects_enter,
    .bar = objects_bar,
};
