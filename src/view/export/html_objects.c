/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/export/writers.h"
#include "view/levels.h"
#include "view/screens/rows.h"
#include "view/words.h"

/* ---- the layout of a type in cache lines: bytes by heat, and rows as on the screen ---- */

enum { LINE_BYTES = 64, LINES_DRAWN = 24, ROWS = 200, LEFT = 17 };

static unsigned line_bytes(const struct html_writer *writer)
{
    uint32_t line = writer->snapshot->sets.line;
    return line == 32 || line == 128 ? line : LINE_BYTES;
}

/* Draws a member without members in its bytes. The first line can begin before the type does. */
static void draw_member(const struct snapshot_layout *layout, const struct snapshot_layout_row *row,
                        struct canvas *canvas)
{
    bool gap = row->kind == LAYOUT_HOLE || row->kind == LAYOUT_PADDING;
    enum paint paint = row->samples > 0 ? paint_heat(row->share) : PAINT_DIM;
    uint64_t start = row->member.offset;
    for (int line = 0; line < canvas->rows; line++) {
        const struct snapshot_layout_line *on = &layout->lines[line];
        uint64_t from = start > on->start ? start : on->start;
        uint64_t to = row->member.size < on->end - start ? start + row->member.size : on->end;
        uint64_t at = from - on->start + (line ? 0 : layout->phase);
        if (from >= on->end || from >= to || at >= (uint64_t)canvas->columns - LEFT)
            continue;
        for (uint64_t i = at; i < at + (to - from) && i < (uint64_t)canvas->columns - LEFT; i++)
            canvas_text(canvas, line, LEFT + (int)i, 1, paint, "·");
        canvas_format(canvas, line, LEFT + (int)at, (int)(to - from), paint, "|%s",
                      gap || !row->member.name ? "" : row->member.name);
    }
}

/* Draws a row for each line, a column for each byte. */
static void html_layout_draw(struct html_writer *writer, const struct snapshot_layout *layout)
{
    struct canvas canvas;
    size_t lines = layout->line_count < LINES_DRAWN ? layout->line_count : LINES_DRAWN;
    if (!lines || canvas_init(&canvas, (int)lines, LEFT + (int)line_bytes(writer), false))
        return;
    for (int i = 0; i < canvas.rows; i++) {
        int used = canvas_format(&canvas, i, 0, LEFT, PAINT_DIM, "line %d", i);
        if (html_known(layout->lines[i].share))
            canvas_format(&canvas, i, used, LEFT - used - 1, PAINT_DIM, "  %.1f%%",
                          layout->lines[i].share * 100);
    }
    for (size_t i = 0; i < layout->row_count && i < ROWS; i++)
        if (!layout->rows[i].has_members)
            draw_member(layout, &layout->rows[i], &canvas);
    html_picture(writer, &canvas, canvas.rows, "fields in cache lines");
    if (layout->line_count > lines)
        html_markup(writer, "<p class=\"dim\">%zu lines more.</p>\n", layout->line_count - lines);
}

static void write_title(struct html_writer *writer, const struct snapshot_object *object,
                        const struct snapshot_layout *layout)
{
    char known[256];
    field_known(object, layout, known, sizeof known);
    html_printf(writer, "<h3>Layout of %s</h3>\n<p class=\"dim\">%" PRIu64 " bytes",
                layout->inferred ? "one element" : layout->name, layout->size);
    if (html_known(layout->share))
        html_markup(writer, ", %.1f%% of the object's samples", layout->share * 100);
    html_printf(writer, "; %s</p>\n", known);
}

static void html_layout(struct html_writer *writer, const struct snapshot_object *object,
                        const struct snapshot_layout *layout)
{
    const struct layout_folds none = {.count = 0};
    struct layout_rows rows = {.list = NULL};
    char reading[LAYOUT_READING_BYTES];
    write_title(writer, object, layout);
    layout_reading(layout, reading, sizeof reading);
    html_element(writer, "p", "says", reading);
    html_layout_draw(writer, layout);
    layout_rows_make(&rows, layout, &none);
    html_rows(writer, &layout_columns, rows.list, rows.count, ROWS);
    free(rows.list);
}

enum {
    OBJECT_ROWS = 200,
    FIELD_ROWS = 40,
    FIELDS_ALWAYS = 5,
    LEVEL_ROWS = 64,
    CODE_ROWS = 15,
    INSTANCE_ROWS = 12,
    LAYOUTS = 3
};

static const double field_worth_listing = 0.005;

bool html_object_link(const struct snapshot *snapshot, const void *pointer, char *id, size_t size)
{
    const struct snapshot_object *object = pointer;
    size_t index = (size_t)(object - snapshot->objects);
    snprintf(id, size, "o%zu", index + 1);
    return index < HTML_OBJECTS_OPENED;
}

void html_objects(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    if (!snapshot->object_count)
        html_markup(writer, "<p>No object: %s.</p>\n",
                    snapshot->totals.samples ? "no sample could be attributed" : "no samples");
    html_linked_rows(writer, &object_columns, snapshot->objects, snapshot->object_count,
                     OBJECT_ROWS, html_object_link);
    char left[160];
    objects_left_out(snapshot, left, sizeof left);
    if (*left)
        html_printf(writer, "<p class=\"dim\">%s.</p>\n", left);
}

static void write_object_facts(struct html_writer *writer, const struct snapshot_object *object)
{
    const struct snapshot_heap *heap = &writer->snapshot->heap;
    html_markup(writer, "<dl class=\"facts\">\n");
    html_facts(writer, &object_columns, object);
    if (object->bin < heap->bin_count)
        html_facts(writer, &bin_columns, &heap->bins[object->bin]);
    html_markup(writer, "</dl>\n");
}

/* Rows are sorted by samples: returns the index of the first row that is too small to show. */
static size_t fields_worth_listing(const struct snapshot_object *object)
{
    size_t count = 0;
    while (count < object->field_count && count < FIELD_ROWS &&
           (count < FIELDS_ALWAYS || object->fields[count].share >= field_worth_listing))
        count++;
    return count;
}

static void write_object_tables(struct html_writer *writer, const struct snapshot_object *object)
{
    struct levels_rows levels;
    levels_rows_make(&levels, object->levels);
    html_element(writer, "h3", "", object->field_count ? "Fields" : NULL);
    html_rows(writer, &field_columns, object->fields, object->field_count,
              fields_worth_listing(object));
    for (size_t i = 0; i < object->layout_count && i < LAYOUTS; i++)
        html_layout(writer, object, &object->layouts[i]);
    html_element(writer, "h3", "", levels.count ? "Levels that served its accesses" : NULL);
    html_rows(writer, &levels_columns, levels.list, levels.count, LEVEL_ROWS);
    html_element(writer, "h3", "", object->code_count ? "Code that accesses it" : NULL);
    html_linked_rows(writer, &toucher_columns, object->code, object->code_count, CODE_ROWS,
                     html_function_link);
    /* A single instance is the object itself. */
    size_t instances = object->instance_count > 1 ? object->instance_count : 0;
    html_element(writer, "h3", "", instances ? "Instances" : NULL);
    html_rows(writer, &instance_columns, object->instances, instances, INSTANCE_ROWS);
}

/* The id is on the inner element, so that a browser that follows the link opens it. */
static void write_object(struct html_writer *writer, const struct snapshot_object *object,
                         bool open)
{
    char id[32];
    char text[32] = "";
    const struct value share = value_number(object->share.value);
    html_object_link(writer->snapshot, object, id, sizeof id);
    if (share.kind == VALUE_NUMBER && html_known(share.number))
        format_percent(text, sizeof text, share);
    html_details(writer, open);
    html_printf(writer, "<summary><span class=\"strong\">%s</span> %s</summary>\n<div id=\"%s\">\n",
                object->name && *object->name ? object->name : "(no name)", text, id);
    write_object_facts(writer, object);
    write_object_tables(writer, object);
    html_markup(writer, "</div></details>\n");
}

void html_opened_objects(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    for (size_t i = 0; i < snapshot->object_count && i < HTML_OBJECTS_OPENED; i++)
        write_object(writer, &snapshot->objects[i], i == 0);
}

/* ---- the heap and its misses ---- */

enum { BIN_ROWS = 60 };

void html_heap(struct html_writer *writer)
{
    const struct snapshot_heap *heap = &writer->snapshot->heap;
    const struct heap_summary *summary = &heap->summary;
    char bytes[16];
    html_printf(writer, "<p>%s in %" PRIu64 " blocks, known by %s",
                text_bytes(bytes, summary->usable_bytes), summary->live_blocks,
                summary->source ? summary->source : "?");
    if (summary->lost)
        html_markup(writer, ", %" PRIu64 " events lost", summary->lost);
    html_markup(writer, ".</p>\n");
    html_element(writer, "p", "dim", heap_note(writer->snapshot));
    html_rows(writer, &bin_columns, heap->bins, heap->bin_count, BIN_ROWS);
}

/* ---- questions about another layout, and the answers ---- */

static void write_answer(struct html_writer *writer, const struct snapshot_whatif *answer)
{
    struct whatif_row rows[WHATIF_ROWS_MAX];
    char text[WHATIF_TEXT_BYTES];
    whatif_title(answer, text, sizeof text);
    html_element(writer, "p", "says", text);
    html_rows(writer, &whatif_columns, rows, whatif_rows(answer, rows), WHATIF_ROWS_MAX);
    whatif_sentence(answer, text, sizeof text);
    html_element(writer, "p", "says", text);
}

void html_whatif(struct html_writer *writer)
{
    const struct snapshot_whatifs *asked = &writer->snapshot->whatif;
    char text[WHATIF_TEXT_BYTES];
    whatif_summary(asked, text, sizeof text);
    html_element(writer, "p", "says", text);
    if (*text)
        html_rows(writer, &whatif_asked_columns, asked->list, asked->count, WHATIF_MAX);
    for (uint32_t i = 0; i < asked->count; i++)
        write_answer(writer, &asked->list[i]);
}

/* ---- results of hardware watchpoints per object, and the code that touched next ---- */

enum { HTML_WATCH_OBJECT_ROWS = 40, EXPLAINED = 12 };

void html_watch(struct html_writer *writer)
{
    const struct snapshot_watch *watch = &writer->snapshot->watch;
    char text[512];
    size_t explained = 0;
    watch_summary(watch, text, sizeof text);
    html_element(writer, "p", "dim", text);
    if (watch_pace(watch, text, sizeof text))
        html_element(writer, "p", "dim", text);
    html_rows(writer, &watch_columns, watch->objects, watch->count, HTML_WATCH_OBJECT_ROWS);
    for (size_t i = 0; i < watch->count && explained < EXPLAINED; i++)
        if (watch->objects[i].verdict != WATCH_TOO_FEW || !i)
            html_explain(writer, &watch_columns, &watch->objects[i], !explained++);
}
