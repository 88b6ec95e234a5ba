/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 8: a type of one object as it lies in memory, with its cache lines and heat. */
#include "view/browser.h"

#include <stdio.h>
#include <string.h>

static const struct snapshot_layout *find(const struct snapshot_object *object, uint32_t type)
{
    for (size_t i = 0; i < object->layout_count; i++)
        if (object->layouts[i].type == type)
            return &object->layouts[i];
    return NULL;
}

/* Another object, or another type: what was folded and selected was of the one before. */
static void follow(struct browser *browser, uint32_t object, uint32_t type)
{
    if (object == browser->layout.object && type == browser->layout.type)
        return;
    browser->layout.chosen &= object == browser->layout.object;
    browser->layout.object = object;
    browser->layout.type = type;
    browser->layout.folds.count = 0;
    browser->layout.table.pinned = false;
}

/* The type that was stepped to, else the one with most samples. Rows are made only while
 * somebody looks. */
static void layout_update(struct browser *browser)
{
    const struct snapshot_object *object = browser->detail.object;
    const struct snapshot_layout *layout = NULL;
    bool same = object && object->id == browser->layout.object;
    browser->layout.rows.count = 0;
    browser->layout.shown = NULL;
    if (browser->page == PAGE_LAYOUT && object && object->layout_count) {
        layout = same && browser->layout.chosen ? find(object, browser->layout.type) : NULL;
        layout = layout ? layout : &object->layouts[0];
        follow(browser, object->id, layout->type);
        layout_rows_make(&browser->layout.rows, layout, &browser->layout.folds);
        browser->layout.shown = layout;
    }
    table_set(&browser->layout.table, browser->snapshot, browser->layout.rows.list,
              browser->layout.rows.count);
    const struct snapshot_layout_row *hottest = layout ? layout_hottest(layout) : NULL;
    if (hottest)
        table_prefer(&browser->layout.table,
                     layout_identity(hottest->index, hottest->member.offset));
}

void browser_open_layout(struct browser *browser, const struct snapshot_field *field)
{
    const struct snapshot_object *object = browser->detail.object;
    const struct snapshot_layout *layout = find(object, field->type_id);
    if (!object->layout_count) {
        /* No picture: straight to the code. */
        struct snapshot_layout none = {.name = ""};
        struct snapshot_layout_row row = {.index = TYPE_NO_MEMBER,
                                          .member = {.offset = field->offset}};
        browser_open_member(browser, &none, &row);
        return;
    }
    if (layout) {
        follow(browser, object->id, layout->type);
        browser->layout.chosen = true;
        browser->layout.folds.count = 0;
    }
    browser->layout.table.pinned = false;
    browser_go(browser, PAGE_LAYOUT);
    table_select(&browser->layout.table, layout_identity(field->member, field->offset));
}

static unsigned layout_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->layout.table;
    return browser->layout.shown ? 1 : 0;
}

/* ---- drawing ---- */

static void draw_nothing(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_object *object = browser->detail.object;
    char name[160];
    char text[512];
    if (!object) {
        canvas_wrap(canvas, area, PAINT_DIM,
                    " No object is selected, or it is not listed now. 1 lists them.");
        return;
    }
    glyph_fit(name, sizeof name, object->name, 60, GLYPH_CUT_MIDDLE, canvas->ascii);
    if (object->type) {
        char type[160];
        glyph_fit(type, sizeof type, object->type, 60, GLYPH_CUT_MIDDLE, canvas->ascii);
        snprintf(text, sizeof text,
                 " %s is %s: a plain value without members, which has no layout. 2 Detail lists "
                 "the code that uses it.",
                 name, type);
        canvas_wrap(canvas, area, PAINT_DIM, text);
        return;
    }
    snprintf(text, sizeof text,
             " No type is known of %s, and its sampled offsets show no elements of equal size. %s "
             "2 Detail lists the offsets and the code.",
             name,
             browser->snapshot->reading.waiting
                 ? "Debug information is still being read."
                 : "With debug information (build with -g, or install the package of debug "
                   "symbols) it would have one.");
    canvas_wrap(canvas, area, PAINT_DIM, text);
}

static void layout_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    if (!browser->layout.shown) {
        draw_nothing(browser, canvas, area);
        return;
    }
    int used = layout_head(browser, canvas, area);
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, &browser->layout.table, "No member is known.");
}

/* ---- keys ---- */

static void step_type(struct browser *browser, size_t direction)
{
    const struct snapshot_object *object = browser->detail.object;
    if (object->layout_count < 2) {
        browser_message(browser, "one type only was seen in this object");
        return;
    }
    size_t at = (size_t)(browser->layout.shown - object->layouts);
    at = (at + object->layout_count + direction) % object->layout_count;
    follow(browser, object->id, object->layouts[at].type);
    browser->layout.chosen = true;
    layout_update(browser);
}

/* The member itself, or the one that it is part of. */
static void fold(struct browser *browser, const struct layout_row *selected)
{
    const struct snapshot_layout *layout = browser->layout.shown;
    const struct snapshot_layout_row *row = selected->row;
    while (!row->has_members && row > layout->rows && row->member.depth) {
        const struct snapshot_layout_row *part = row;
        while (row > layout->rows && row->member.depth >= part->member.depth)
            row--;
    }
    if (!row->has_members) {
        browser_message(browser, "not part of a nested struct: there is nothing to fold");
        return;
    }
    if (!layout_fold(&browser->layout.folds, row->index))
        browser_message(browser, "too many members are folded");
    layout_update(browser);
    table_select(&browser->layout.table, layout_identity(row->index, row->member.offset));
}

static bool layout_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    const struct layout_row *row = table_selected(&browser->layout.table);
    if (!browser->layout.shown)
        return false;
    switch (action) {
    case ACTION_LEFT:
        step_type(browser, (size_t)-1);
        return true;
    case ACTION_RIGHT:
        step_type(browser, 1);
        return true;
    case ACTION_FOLD:
        if (row)
            fold(browser, row);
        return true;
    case ACTION_ENTER:
        if (row)
            browser_open_member(browser, browser->layout.shown, row->row);
        return true;
    default:
        return false;
    }
}

static void layout_hint(struct browser *browser, char *out, size_t size)
{
    const struct layout_row *row = table_selected(&browser->layout.table);
    if (!browser->layout.shown || !row)
        return;
    const char *name =
        row->row->kind == LAYOUT_MEMBER ? row->text + strspn(row->text, " -+") : row->text;
    snprintf(out, size, "Enter: the source line with most samples on %.60s.%s%s", name,
             browser->detail.object->layout_count > 1 ? "  Left, Right: its other types." : "",
             browser->layout.folds.count ? "  o: unfold" : "");
}

static const char *layout_enter(struct browser *browser)
{
    return browser->layout.shown ? "Code" : "";
}

static const enum action layout_bar[] = {
    ACTION_ENTER,  ACTION_BACK,   ACTION_FOLD,      ACTION_RIGHT, ACTION_FIND,  ACTION_FILTER,
    ACTION_WHATIF, ACTION_FREEZE, ACTION_SORT_NEXT, ACTION_BASIS, ACTION_WRITE, ACTION_NONE};

const struct page layout_page = {
    .name = "Layout",
    .update = layout_update,
    .draw = layout_draw,
    .panes = layout_panes,
    .act = layout_act,
    .hint = layout_hint,
    .enter = layout_enter,
    .bar = layout_bar,
};
