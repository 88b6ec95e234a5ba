/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 8: a type of one object as it lies in memory, with its cache lines and heat. */
#include "view/browser.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_FOR_HEAD = 9, ROWS_FOR_READING = 12, READING_ROWS = 2 };

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

/* Rows used. */
static int draw_head(struct browser *browser, struct canvas *canvas, struct area area)
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
    int used = draw_head(browser, canvas, area);
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
    snprintf(out, size, "Enter: the source line that misses most on %.60s.%s%s", name,
             browser->detail.object->layout_count > 1 ? "  Left, Right: its other types." : "",
             browser->layout.folds.count ? "  o: unfold" : "");
}

static const char *layout_enter(struct browser *browser)
{
    return browser->layout.shown ? "Code" : "";
}

static const enum action layout_bar[] = {
    ACTION_ENTER,  ACTION_BACK,      ACTION_FOLD,  ACTION_RIGHT, ACTION_FIND, ACTION_FILTER,
    ACTION_FREEZE, ACTION_SORT_NEXT, ACTION_BASIS, ACTION_WRITE, ACTION_NONE};

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
