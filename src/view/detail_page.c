/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 2: one object: where in it the misses fall, which code makes them, instances. */
#include "view/browser.h"

#include "view/levels_words.h"

#include <stdio.h>

enum { WIDE_COLUMNS = 100, TALL_ROWS = 16 };

static const struct snapshot_object *find(const struct snapshot *snapshot, uint32_t id)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].id == id)
            return &snapshot->objects[i];
    return NULL;
}

/* Drilled into, the object stays; else it is the one selected in Objects. */
static void detail_update(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct snapshot_object *object = NULL;
    if (!snapshot)
        return;
    object = browser->detail.chosen ? find(snapshot, browser->detail.id)
                                    : table_selected(&browser->objects);
    browser->detail.object = object;
    if (object) {
        browser->detail.id = object->id;
        snprintf(browser->detail.name, sizeof browser->detail.name, "%s", object->name);
    }
    table_set(&browser->detail.fields, snapshot, object ? object->fields : NULL,
              object ? object->field_count : 0);
    table_set(&browser->detail.code, snapshot, object ? object->code : NULL,
              object ? object->code_count : 0);
    table_set(&browser->detail.instances, snapshot, object ? object->instances : NULL,
              object ? object->instance_count : 0);
    levels_rows_make(&browser->detail.answers, object ? object->levels : NULL);
    table_set(&browser->detail.levels, snapshot, browser->detail.answers.list,
              browser->detail.answers.count);
}

static const char *const empty_texts[PANES_MAX] = {"No fields or offsets yet.", "No code seen yet.",
                                                   "No single instances are told apart.",
                                                   "Nothing is told of it."};

static unsigned detail_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->detail.fields;
    panes[1] = &browser->detail.code;
    panes[2] = &browser->detail.instances;
    panes[3] = &browser->detail.levels;
    return browser->detail.answers.count ? 4 : 3;
}

static void draw_pane(struct browser *browser, struct canvas *canvas, struct area area, unsigned i)
{
    struct table *panes[PANES_MAX];
    detail_panes(browser, panes);
    bool focused = browser_focused(browser, panes[i]);
    char basis[160] = "";
    if (panes[i] == &browser->detail.levels)
        levels_basis(browser->snapshot, basis, sizeof basis);
    int used = pane_title(canvas, area, focused, "%s%s%s", panes[i]->columns->title,
                          *basis ? ": of " : "", basis);
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, panes[i], empty_texts[i]);
}

/* Offsets left, code over instances right; or instances under offsets, levels under code. */
static void draw_wide(struct browser *browser, struct canvas *canvas, struct area area)
{
    int left = area.columns / 2 - 1;
    int upper = area.rows * 3 / 5;
    struct area offsets = {area.row, 0, area.rows, left};
    struct area code = {area.row, left + 2, upper, area.columns - left - 2};
    struct area instances = {area.row + upper, left + 2, area.rows - upper, code.columns};
    if (browser->detail.answers.count) {
        struct area levels = instances;
        int lower = area.rows * 3 / 5;
        offsets.rows = upper;
        instances.column = 0;
        instances.columns = left;
        code.rows = area.rows - lower;
        levels.row = area.row + code.rows;
        levels.rows = lower;
        draw_pane(browser, canvas, levels, 3);
    }
    draw_pane(browser, canvas, offsets, 0);
    draw_pane(browser, canvas, code, 1);
    draw_pane(browser, canvas, instances, 2);
}

static void draw_narrow(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    unsigned count = detail_panes(browser, panes);
    unsigned shown = browser->pane[PAGE_DETAIL] % count;
    int used = pane_tabs(browser, canvas, area, panes, count);
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, panes[shown], empty_texts[shown]);
}

static void detail_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    char text[512];
    const struct snapshot_object *object = browser->detail.object;
    if (!object) {
        snprintf(text, sizeof text,
                 browser->detail.chosen
                     ? " %s is not listed now: its share is below 0.1%%. Esc goes back."
                     : "%s No object yet. 1 lists them.",
                 browser->detail.chosen ? browser->detail.name : "");
        canvas_wrap(canvas, area, PAINT_DIM, text);
        return;
    }
    int used = detail_head(browser->snapshot, object, canvas, area);
    area.row += used;
    area.rows -= used;
    if (area.columns >= WIDE_COLUMNS && area.rows >= TALL_ROWS)
        draw_wide(browser, canvas, area);
    else
        draw_narrow(browser, canvas, area);
}

static bool detail_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_object *object = browser->detail.object;
    const struct table *table = browser_table(browser);
    const void *row = table_selected(table);
    uint64_t base = object ? object->address : 0;
    uint64_t size = object ? object->size : 0;
    if (!object)
        return false;
    if (action == ACTION_ENTER && table == &browser->detail.code && row) {
        browser_open_function(browser, row);
        return true;
    }
    if (action == ACTION_ENTER && table == &browser->detail.fields && row) {
        browser_open_layout(browser, row);
        return true;
    }
    if (action != ACTION_SEARCH_HERE)
        return false;
    if (table == &browser->detail.instances && row) {
        const struct snapshot_instance *instance = row;
        base = instance->base;
        size = instance->size;
    } else if (browser_lies_apart(browser, object)) {
        return true;
    }
    if (!size)
        return false;
    browser->search.inside = 0;
    browser_search_in(request, base, base + size, object->name);
    browser_go(browser, PAGE_SEARCH);
    return true;
}

/* Memory of an allocator that cannot be read from outside; Heap says so, and what would help. */
static bool nobody_named(const struct browser *browser)
{
    return browser->detail.object->kind == OBJECT_ANON && browser->snapshot->source.live &&
           !browser->snapshot->heap.bin_count;
}

static void detail_hint(struct browser *browser, char *out, size_t size)
{
    const struct table *table = browser_table(browser);
    if (!browser->detail.object)
        return;
    if (table == &browser->detail.levels)
        snprintf(out, size,
                 "WAITED: what each level costs. Far levels: keep it smaller or closer; hitm: "
                 "threads share it; page walks: huge pages");
    else if (table == &browser->detail.code)
        snprintf(out, size, "Enter: the source lines of this function, and the data they access");
    else if (table == &browser->detail.instances)
        snprintf(out, size, "s: search inside this instance, down to its cache lines");
    else if (!browser->detail.object->layout_count)
        snprintf(out, size, "Enter: the code that accesses it.  s: search down to cache lines%s",
                 nobody_named(browser) ? ".  Why it has no better name: 7" : "");
    else
        snprintf(out, size,
                 "Enter: this field among its neighbours, with cache lines.  Right: the code that "
                 "touches these bytes");
}

static const char *detail_enter(struct browser *browser)
{
    const struct table *table = browser_table(browser);
    const struct snapshot_object *object = browser->detail.object;
    if (!object || !table_selected(table) || table == &browser->detail.instances ||
        table == &browser->detail.levels)
        return "";
    return table == &browser->detail.code || !object->layout_count ? "Source" : "Layout";
}

static const enum action detail_bar[] = {
    ACTION_ENTER,  ACTION_BACK, ACTION_RIGHT,  ACTION_WHATIF, ACTION_SEARCH_HERE, ACTION_SORT_NEXT,
    ACTION_FILTER, ACTION_FIND, ACTION_FREEZE, ACTION_BASIS,  ACTION_WRITE,       ACTION_NONE};

const struct page detail_page = {
    .name = "Detail",
    .update = detail_update,
    .draw = detail_draw,
    .panes = detail_panes,
    .act = detail_act,
    .hint = detail_hint,
    .enter = detail_enter,
    .bar = detail_bar,
};
