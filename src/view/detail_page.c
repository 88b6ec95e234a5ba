/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 2: one object: where in it the misses fall, which code makes them, instances. */
#include "view/browser.h"

#include "base/text.h"
#include "view/bar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { STRIP_MOST = 128, WIDE_COLUMNS = 100, TALL_ROWS = 16 };

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
}

static int draw_facts(const struct snapshot_object *object, struct canvas *canvas, struct area area)
{
    char size[16];
    char line[512];
    int used = snprintf(line, sizeof line, " %s%s%s", object_kind_name(object->kind),
                        object->module && *object->module ? " of " : "",
                        object->module ? object->module : "");
    if (object->type)
        used += snprintf(line + used, sizeof line - (size_t)used, "   type %.100s", object->type);
    if (object->size && object->bin != UINT32_MAX && object->blocks != 1)
        used += snprintf(line + used, sizeof line - (size_t)used, "   %s live",
                         text_bytes(size, object->size));
    else if (object->size)
        used += snprintf(line + used, sizeof line - (size_t)used,
                         "   %s at 0x%" PRIx64 "-0x%" PRIx64, text_bytes(size, object->size),
                         object->address, object->address + object->size);
    else
        used +=
            snprintf(line + used, sizeof line - (size_t)used, "   at 0x%" PRIx64, object->address);
    if (object->blocks > 1)
        snprintf(line + used, sizeof line - (size_t)used, "   %" PRIu32 " %s", object->blocks,
                 object->bin != UINT32_MAX ? "blocks" : "instances");
    return canvas_text(canvas, area.row, area.column, area.columns, PAINT_PLAIN, line) > 0;
}

static void draw_name(const struct snapshot_object *object, struct canvas *canvas, struct area area)
{
    char fitted[COLUMN_TEXT_BYTES];
    char text[16];
    char figures[96];
    double half = columns_half(&object->share);
    int right =
        snprintf(figures, sizeof figures, "%.1f%% %s%.1f   samples %s ", object->share.value * 100,
                 canvas->ascii ? "+-" : "±", half * 100, text_count(text, object->samples));
    right = glyph_columns(figures, canvas->ascii);
    if (right + 12 > area.columns || isnan(object->share.value))
        right = 0;
    glyph_fit(fitted, sizeof fitted, object->name, area.columns - right - 3, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    canvas_format(canvas, area.row, area.column, area.columns, PAINT_STRONG, " %s", fitted);
    if (right)
        canvas_text(canvas, area.row, area.column + area.columns - right, right,
                    paint_heat(object->share.value), figures);
}

/* Bytes of an element; else from the lowest to the highest offset that was seen. */
static uint64_t strip_range(const struct snapshot_object *object, uint64_t *first)
{
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
    *first = 0;
    if (object->element_size)
        return object->element_size;
    for (size_t i = 0; i < object->field_count; i++) {
        uint64_t end = object->fields[i].offset + object->fields[i].size;
        low = object->fields[i].offset < low ? object->fields[i].offset : low;
        high = end > high ? end : high;
    }
    *first = low;
    return high > low ? high - low : 0;
}

/* Bytes from left to right, heat by where samples fell. */
static void draw_strip(const struct snapshot_object *object, struct canvas *canvas,
                       struct area area)
{
    double heat[STRIP_MOST] = {0};
    uint64_t first;
    uint64_t bytes = strip_range(object, &first);
    int left = canvas_format(canvas, area.row, area.column, area.columns, PAINT_DIM,
                             " +%" PRIu64 " ", first);
    int cells = area.columns - left - 14;
    if (cells > STRIP_MOST)
        cells = STRIP_MOST;
    if (bytes && (uint64_t)cells > bytes)
        cells = (int)bytes;
    if (!bytes || cells < 4)
        return;
    for (size_t i = 0; i < object->field_count; i++) {
        /* In floating point: offset * cells may not fit 64 bits. */
        double at = (double)(object->fields[i].offset - first) / (double)bytes * cells;
        heat[at < cells ? (int)at : cells - 1] += object->fields[i].share;
    }
    for (int i = 0; i < cells; i++)
        canvas_text(canvas, area.row, area.column + left + i, 1,
                    heat[i] > 0 ? paint_heat(heat[i]) : PAINT_DIM,
                    heat[i] > 0     ? bar_step(0.15 + heat[i], canvas->ascii)
                    : canvas->ascii ? "."
                                    : "·");
    canvas_format(canvas, area.row, area.column + left + cells + 1, 13, PAINT_DIM, "+%" PRIu64,
                  first + bytes);
}

static void draw_element(const struct snapshot_object *object, struct canvas *canvas,
                         struct area area)
{
    if (object->element_size)
        canvas_format(canvas, area.row, area.column, area.columns, PAINT_PLAIN,
                      " looks like an array of %" PRIu64
                      "-byte elements (%.0f%% sure, from the sampled offsets); one element:",
                      object->element_size, object->element_confidence * 100);
    else
        canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM,
                    " no element size could be inferred; the offsets seen, from low to high:");
}

/* Where the memory came from: the call path of its bin. */
static void draw_origin(const struct snapshot *snapshot, const struct snapshot_object *object,
                        struct canvas *canvas, struct area area)
{
    const struct heap_bin *heap = &snapshot->heap.bins[object->bin].heap;
    char bytes[16];
    char blocks[16];
    char path[COLUMN_TEXT_BYTES];
    int used = canvas_format(canvas, area.row, area.column, area.columns, PAINT_PLAIN,
                             " %s in %s live blocks", text_bytes(bytes, heap->usable_bytes),
                             text_count(blocks, (double)heap->live_blocks));
    if (!heap->path)
        return;
    used += canvas_text(canvas, area.row, area.column + used, area.columns - used, PAINT_DIM,
                        "   allocated by ");
    glyph_fit(path, sizeof path, heap->path, area.columns - used - 1, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    canvas_text(canvas, area.row, area.column + used, area.columns - used, PAINT_PLAIN, path);
}

static int draw_head(const struct snapshot *snapshot, const struct snapshot_object *object,
                     struct canvas *canvas, struct area area)
{
    struct area line = area;
    int rows = area.rows >= 14 ? 4 : area.rows >= 9 ? 2 : 1;
    draw_name(object, canvas, line);
    line.row++;
    if (rows >= 2)
        draw_facts(object, canvas, line);
    if (rows == 4) {
        line.row++;
        if (object->bin < snapshot->heap.bin_count) {
            draw_origin(snapshot, object, canvas, line);
            line.row++;
            rows++;
        }
        draw_element(object, canvas, line);
        line.row++;
        draw_strip(object, canvas, line);
        rows++; /* a blank line below */
    }
    return rows;
}

static const char *const empty_texts[PANES_MAX] = {"No offsets yet.", "No code seen yet.",
                                                   "No single instances are told apart."};

static unsigned detail_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->detail.fields;
    panes[1] = &browser->detail.code;
    panes[2] = &browser->detail.instances;
    return 3;
}

static void draw_pane(struct browser *browser, struct canvas *canvas, struct area area, unsigned i)
{
    struct table *panes[PANES_MAX];
    detail_panes(browser, panes);
    int used = pane_title(canvas, area, browser_focused(browser, panes[i]), "%s",
                          panes[i]->columns->title);
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, panes[i], empty_texts[i]);
}

/* Offsets left, code over instances right. */
static void draw_wide(struct browser *browser, struct canvas *canvas, struct area area)
{
    int left = area.columns / 2 - 1;
    int upper = area.rows * 3 / 5;
    struct area offsets = {area.row, 0, area.rows, left};
    struct area code = {area.row, left + 2, upper, area.columns - left - 2};
    struct area instances = {area.row + upper, left + 2, area.rows - upper, code.columns};
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
    int used = draw_head(browser->snapshot, object, canvas, area);
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
    browser_search_in(request, base, base + size, object->name);
    browser_go(browser, PAGE_SEARCH);
    return true;
}

static void detail_hint(struct browser *browser, char *out, size_t size)
{
    const struct table *table = browser_table(browser);
    if (!browser->detail.object)
        return;
    if (table == &browser->detail.code)
        snprintf(out, size, "Enter: the instructions of this function that miss, and on what");
    else if (table == &browser->detail.instances)
        snprintf(out, size, "s: search inside this instance, down to its cache lines");
    else
        snprintf(out, size,
                 "Right: the code that touches these bytes.  s: search down to cache lines");
}

static const enum action detail_bar[] = {
    ACTION_BACK, ACTION_RIGHT,  ACTION_ENTER, ACTION_SEARCH_HERE, ACTION_SORT_NEXT, ACTION_FILTER,
    ACTION_FIND, ACTION_FREEZE, ACTION_BASIS, ACTION_WRITE,       ACTION_NONE};

const struct page detail_page = {
    .name = "Detail",
    .update = detail_update,
    .draw = detail_draw,
    .panes = detail_panes,
    .act = detail_act,
    .hint = detail_hint,
    .bar = detail_bar,
};
