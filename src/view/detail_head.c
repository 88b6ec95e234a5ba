/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands above the lists of Detail; declared in browser.h. */
#include "view/browser.h"

#include "base/text.h"
#include "view/bar.h"
#include "view/field_words.h"
#include "view/levels_words.h"
#include "view/rates_words.h"
#include "view/use_words.h"
#include "view/watch_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { STRIP_MOST = 128 };

static int draw_facts(const struct snapshot_object *object, struct canvas *canvas, struct area area)
{
    char size[16];
    char line[512];
    int used = snprintf(line, sizeof line, " %s%s%s", object_kind_name(object->kind),
                        object->module && *object->module ? " of " : "",
                        object->module ? object->module : "");
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
    double half = columns_reach(&object->share);
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

/* The type with most of the samples; NULL: none is known. */
static const struct snapshot_layout *leading(const struct snapshot_object *object)
{
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    return layout && !layout->inferred && layout->row_count && layout->size ? layout : NULL;
}

/* Bytes of an element; else from the lowest to the highest offset that was seen. */
static uint64_t strip_range(const struct snapshot_object *object, uint64_t *first)
{
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
    *first = 0;
    if (leading(object))
        return leading(object)->size;
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

/* In floating point: offset * cells may not fit 64 bits. */
static void warm(double *heat, int cells, uint64_t bytes, uint64_t offset, double share)
{
    double at = (double)offset / (double)bytes * cells;
    if (isfinite(share))
        heat[at < cells ? (int)at : cells - 1] += share;
}

static void strip_heat(const struct snapshot_object *object, double *heat, int cells,
                       uint64_t first, uint64_t bytes)
{
    const struct snapshot_layout *layout = leading(object);
    for (size_t i = 0; layout && i < layout->row_count; i++)
        if (!layout->rows[i].has_members)
            warm(heat, cells, bytes, layout->rows[i].member.offset, layout->rows[i].share);
    for (size_t i = 0; !layout && i < object->field_count; i++)
        warm(heat, cells, bytes, object->fields[i].offset - first, object->fields[i].share);
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
    strip_heat(object, heat, cells, first, bytes);
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
    const struct snapshot_layout *layout = leading(object);
    char name[COLUMN_TEXT_BYTES];
    if (layout) {
        glyph_fit(name, sizeof name, layout->name, area.columns / 2, GLYPH_CUT_MIDDLE,
                  canvas->ascii);
        canvas_format(canvas, area.row, area.column, area.columns, PAINT_PLAIN,
                      " one %s, %" PRIu64 " bytes:", name, layout->size);
    } else if (object->element_size) {
        canvas_format(canvas, area.row, area.column, area.columns, PAINT_PLAIN,
                      " looks like an array of %" PRIu64
                      "-byte elements (%.0f%% sure, from the sampled offsets); one element:",
                      object->element_size, object->element_confidence * 100);
    } else if (object->type) {
        canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM,
                    " where in it, from the lowest offset seen to the highest:");
    } else {
        canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM,
                    " no element size could be inferred; the offsets seen, from low to high:");
    }
}

/* Its type, and who says so. */
static void draw_type(const struct snapshot_object *object, struct canvas *canvas, struct area area)
{
    char known[192];
    char name[COLUMN_TEXT_BYTES];
    glyph_fit(name, sizeof name, object->type, area.columns / 2, GLYPH_CUT_MIDDLE, canvas->ascii);
    int used =
        canvas_format(canvas, area.row, area.column, area.columns, PAINT_STRONG, " %s", name);
    field_known(object, NULL, known, sizeof known);
    canvas_format(canvas, area.row, area.column + used, area.columns - used,
                  object->typed[TYPED_DISAGREED] > 0 ? PAINT_WARN : PAINT_DIM, "   %s", known);
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
                             " %s in %s live block%s", text_bytes(bytes, heap->usable_bytes),
                             text_count(blocks, (double)heap->live_blocks),
                             heap->live_blocks == 1 ? "" : "s");
    if (!heap->path)
        return;
    used += canvas_text(canvas, area.row, area.column + used, area.columns - used, PAINT_DIM,
                        "   allocated by ");
    glyph_fit(path, sizeof path, heap->path, area.columns - used - 1, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    canvas_text(canvas, area.row, area.column + used, area.columns - used, PAINT_PLAIN, path);
}

/* What watchpoints saw of it. */
static bool draw_watched(const struct snapshot *snapshot, const struct snapshot_object *object,
                         struct canvas *canvas, struct area area)
{
    char text[256];
    const struct snapshot_watch_object *watched = watch_find(snapshot, object->id);
    if (!watched)
        return false;
    watch_line(watched, text, sizeof text);
    canvas_format(canvas, area.row, area.column, area.columns, PAINT_PLAIN, " %s", text);
    return true;
}

int detail_head(const struct snapshot *snapshot, const struct snapshot_object *object,
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
        if (object->type) {
            draw_type(object, canvas, line);
            line.row++;
            rows++;
        }
        if (object->bin < snapshot->heap.bin_count) {
            draw_origin(snapshot, object, canvas, line);
            line.row++;
            rows++;
        }
        if (levels_line(snapshot, object->levels, canvas, line)) {
            line.row++;
            rows++;
        }
        if (rates_line(snapshot, object->rates, canvas, line)) {
            line.row++;
            rows++;
        }
        if (use_line(snapshot, object->use, canvas, line)) {
            line.row++;
            rows++;
        }
        if (draw_watched(snapshot, object, canvas, line)) {
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
