/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Below Objects: one object: its hot offsets, the code that accesses it, and its instances. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/levels.h"
#include "view/words.h"
#include "view/screens/rows.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"

struct detail_view {
    struct table fields;
    struct table code;
    struct table instances;
    struct levels_rows answers; /* data of the hardware; empty if it reports no levels */
    struct table levels;
    struct caller_rows callers;
    struct table called_by;
};

static struct detail_view *detail_view(const struct browser *browser)
{
    return browser->states[SCREEN_DETAIL];
}

/* ---- the lines above the lists ---- */

static void explain_place(const struct snapshot *snapshot, const struct snapshot_object *object,
                          char *out, size_t size)
{
    char bytes[16] = "";
    bool blocks = object->bin != UINT32_MAX;
    bool walked = blocks && object->bin < snapshot->heap.bin_count &&
                  snapshot->heap.bins[object->bin].heap.is_size_class;
    snprintf(out, size, "%s%s%s%s%s", object_kind_name(object->kind),
             object->module && *object->module ? " of " : "", object->module ? object->module : "",
             object->size ? ", " : "", object->size ? text_bytes(bytes, object->size) : "");
    if (!object->size)
        text_append(out, size, " at 0x%" PRIx64, object->address);
    else if (blocks && object->blocks != 1)
        text_append(out, size, walked ? " at most" : " live");
    else
        text_append(out, size, " at 0x%" PRIx64 "-0x%" PRIx64, object->address,
                    object->address + object->size);
    if (object->blocks > 1)
        text_append(out, size, ", %" PRIu32 " %s", object->blocks,
                    walked   ? "blocks sampled"
                    : blocks ? "blocks"
                             : "instances");
}

/* Describes an element, by the type with most of the samples or by the offsets. */
static void explain_element(const struct snapshot_object *object, char *out, size_t size)
{
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    if (layout && !layout->inferred && layout->row_count && layout->size)
        snprintf(out, size, "one %s, %" PRIu64 " bytes", layout->name, layout->size);
    else if (object->element_size)
        snprintf(out, size,
                 "looks like an array of %" PRIu64
                 "-byte elements (%.0f%% sure, from the sampled offsets)",
                 object->element_size, object->element_confidence * 100);
}

/* Describes the origin of the memory: the call path of its bin. */
static void explain_origin(const struct heap_bin *heap, char *out, size_t size)
{
    char bytes[16];
    char blocks[16];
    snprintf(out, size, "%s in %s live block%s%s%s", text_bytes(bytes, heap->usable_bytes),
             text_count(blocks, (double)heap->live_blocks), heap->live_blocks == 1 ? "" : "s",
             heap->path ? ", allocated by " : "", heap->path ? heap->path : "");
}

bool object_explain(const struct snapshot *snapshot, const void *pointer, unsigned line,
                    struct explained *out)
{
    static const char *const labels[] = {"Place",  "Type",  "Element", "Memory",
                                         "Levels", "Rates", "Use",     "Watched"};
    ROW(snapshot_object);
    const struct snapshot_watch_object *watched = watch_find(snapshot, row->id);
    char known[192];
    if (line >= sizeof labels / sizeof *labels)
        return false;
    out->label = labels[line];
    out->paint = line == 1 && row->typed[TYPED_DISAGREED] > 0 ? PAINT_WARN : PAINT_PLAIN;
    *out->text = '\0';
    if (line == 0) {
        explain_place(snapshot, row, out->text, sizeof out->text);
    } else if (line == 1 && row->type) {
        field_known(row, NULL, known, sizeof known);
        snprintf(out->text, sizeof out->text, "%s   %s", row->type, known);
    } else if (line == 2) {
        explain_element(row, out->text, sizeof out->text);
    } else if (line == 3 && row->bin < snapshot->heap.bin_count) {
        explain_origin(&snapshot->heap.bins[row->bin].heap, out->text, sizeof out->text);
    } else if (line == 4) {
        levels_sentence(snapshot, row->levels, out->text, sizeof out->text);
    } else if (line == 5) {
        rates_sentence(snapshot, row->rates, out->text, sizeof out->text);
    } else if (line == 6) {
        use_sentence(snapshot, row->use, out->text, sizeof out->text);
    } else if (line == 7 && watched) {
        watch_line(watched, out->text, sizeof out->text);
    }
    return true;
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

/* Draws name, share, and the explanation of the object. Returns the rows used. */
static int detail_head(const struct snapshot *snapshot, const struct snapshot_object *object,
                       struct canvas *canvas, struct area area)
{
    draw_name(object, canvas, area);
    if (area.rows < 9)
        return 1;
    struct area below = area_below(area, 1);
    below.rows = area.rows < 14 ? 1 : below.rows;
    int used = explained_draw(snapshot, &object_columns, object, 1, canvas, below);
    return 1 + used + (area.rows >= 14); /* a blank line below */
}

enum { WIDE_COLUMNS = 100, TALL_ROWS = 16 };

/* Keeps an object that was opened explicitly; otherwise follows the selection in Objects. */
static void detail_update(struct browser *browser)
{
    struct detail_view *view = detail_view(browser);
    const struct snapshot *snapshot = browser->snapshot;
    const struct snapshot_object *object = NULL;
    if (!snapshot)
        return;
    object = browser->opened.chosen ? columns_object_of(snapshot, browser->opened.id)
                                    : objects_selected(browser);
    browser->opened.object = object;
    if (object) {
        browser->opened.id = object->id;
        snprintf(browser->opened.name, sizeof browser->opened.name, "%s", object->name);
    }
    table_set(&view->fields, snapshot, object ? object->fields : NULL,
              object ? object->field_count : 0);
    table_set(&view->code, snapshot, object ? object->code : NULL, object ? object->code_count : 0);
    table_set(&view->instances, snapshot, object ? object->instances : NULL,
              object ? object->instance_count : 0);
    levels_rows_make(&view->answers, object ? object->levels : NULL);
    table_set(&view->levels, snapshot, view->answers.list, view->answers.count);
    caller_rows_make(&view->callers, object ? object->callers : NULL);
    table_set(&view->called_by, snapshot, view->callers.list, view->callers.count);
}

void browser_open_object(struct browser *browser, const struct snapshot_object *object)
{
    browser_leave(browser);
    browser->opened.chosen = true;
    browser->opened.id = object->id;
    detail_view(browser)->fields.selection_moved = false;
    detail_view(browser)->code.selection_moved = false;
    detail_view(browser)->instances.selection_moved = false;
    detail_view(browser)->called_by.selection_moved = false;
    browser->pane[SCREEN_DETAIL] = 0;
    browser_enter(browser, SCREEN_DETAIL);
}

void browser_open_object_row(struct browser *browser, const void *object)
{
    browser_open_object(browser, object);
}

void browser_open_listed(struct browser *browser, uint32_t index)
{
    const struct snapshot_object *object = columns_object(browser->snapshot, index);
    if (object)
        browser_open_object(browser, object);
    else
        browser_message(browser, "this object is not listed now");
}

/* Draws the levels; the title names the samples they are from. */
static void draw_levels(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *levels = &detail_view(browser)->levels;
    char basis[160] = "";
    levels_basis(browser->snapshot, basis, sizeof basis);
    area = area_below(area, pane_title(canvas, area, browser_focused(browser, levels), "%s%s%s",
                                       levels->columns->title, *basis ? ": of " : "", basis));
    pane_table(browser, canvas, area, levels);
}

/* Draws offsets on the left and code above instances on the right. With levels, the instances are
 * below the offsets and the levels below the code. */
static void detail_draw_wide(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct detail_view *view = detail_view(browser);
    int left = area.columns / 2 - 1;
    int upper = area.rows * 3 / 5;
    struct area offsets = {area.row, 0, area.rows, left};
    struct area code = {area.row, left + 2, upper, area.columns - left - 2};
    struct area instances = {area.row + upper, left + 2, area.rows - upper, code.columns};
    if (view->answers.count) {
        struct area levels = instances;
        int lower = area.rows * 3 / 5;
        offsets.rows = upper;
        instances.column = 0;
        instances.columns = left;
        code.rows = area.rows - lower;
        levels.row = area.row + code.rows;
        levels.rows = lower;
        draw_levels(browser, canvas, levels);
    }
    if (view->callers.count) {
        struct area callers = code;
        code.rows /= 2;
        callers.row += code.rows;
        callers.rows -= code.rows;
        pane_titled(browser, canvas, callers, &view->called_by);
    }
    pane_titled(browser, canvas, offsets, &view->fields);
    pane_titled(browser, canvas, code, &view->code);
    pane_titled(browser, canvas, instances, &view->instances);
}

static void detail_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    char text[512];
    struct table *panes[PANES_MAX];
    const struct snapshot_object *object = browser->opened.object;
    if (!object) {
        snprintf(text, sizeof text,
                 browser->opened.chosen
                     ? " %s is not listed now: its share is below 0.1%%. Esc goes back."
                     : "%s No object yet. 1 lists them.",
                 browser->opened.chosen ? browser->opened.name : "");
        canvas_wrap(canvas, area, PAINT_DIM, text);
        return;
    }
    area = area_below(area, detail_head(browser->snapshot, object, canvas, area));
    if (area.columns >= WIDE_COLUMNS && area.rows >= TALL_ROWS)
        detail_draw_wide(browser, canvas, area);
    else
        pane_tabbed(browser, canvas, area, panes, browser_panes(browser, panes));
}

static bool detail_act(struct browser *browser, enum action action, struct request *request)
{
    struct detail_view *view = detail_view(browser);
    const struct snapshot_object *object = browser->opened.object;
    const struct snapshot_instance *instance =
        browser_focused(browser, &view->instances) ? table_selected(&view->instances) : NULL;
    if (object && action == ACTION_FOLD && browser_focused(browser, &view->called_by)) {
        view->callers.folded = !view->callers.folded;
        detail_update(browser);
        return true;
    }
    if (!object || action != ACTION_SEARCH_HERE)
        return false;
    if (!instance)
        return search_open_object(browser, request, object);
    if (instance->size)
        search_open(browser, request, instance->base, instance->base + instance->size,
                    object->name);
    return instance->size;
}

/* Returns true for memory of an allocator that cannot be read from outside; Heap explains it and
 * suggests a remedy. */
static bool is_unnamed_heap(const struct browser *browser)
{
    return browser->opened.object->kind == OBJECT_ANON && browser->snapshot->source.live &&
           !browser->snapshot->heap.bin_count;
}

static void detail_hint(struct browser *browser, char *out, size_t size)
{
    const struct table *table = browser_table(browser);
    const struct snapshot_object *object = browser->opened.object;
    char known[96];
    if (!object)
        return;
    if (table == &detail_view(browser)->called_by && object->callers) {
        callers_known(object->callers, object->samples, known, sizeof known);
        snprintf(out, size, "Enter: that function.  F5: hide or show callers.  %s", known);
    } else if (table == &detail_view(browser)->fields && !object->layout_count)
        snprintf(out, size, "Enter: the code that accesses it.  s: search down to cache lines%s",
                 is_unnamed_heap(browser) ? ".  4, Heap, says why it has no better name" : "");
}

/* Enter on a field without a layout opens the code. */
static const char *detail_label(struct browser *browser, enum action action)
{
    const struct snapshot_object *object = browser->opened.object;
    bool field = object && table_selected(browser_table(browser)) &&
                 browser_focused(browser, &detail_view(browser)->fields);
    return action == ACTION_ENTER && field && !object->layout_count ? "Source" : NULL;
}

static void detail_crumb(const struct browser *browser, char *out, size_t size)
{
    snprintf(out, size, "%s", browser->opened.name);
}

static void detail_fini(void *state)
{
    free(((struct detail_view *)state)->callers.list);
}

const struct screen detail_screen = {
    .name = "Detail",
    .description =
        "One object: its fields or offsets with their samples, the code that accesses it with "
        "its callers, and its blocks. Left and Right switch between the lists.",
    .next_step = "Is it one field or all of them? Enter on a field shows its position in the cache "
                 "line; Enter on a function, the source line that waits.",
    .state_size = sizeof(struct detail_view),
    .tables = {{.at = offsetof(struct detail_view, fields),
                .columns = &field_columns,
                .open = browser_open_layout,
                .enter = "Layout",
                .hint =
                    "Enter: its neighbours in the cache line.  Right: the code that accesses it"},
               {.at = offsetof(struct detail_view, code),
                .columns = &toucher_columns,
                .open = browser_open_function_row,
                .enter = "Source",
                .hint = "Enter: the source lines of this function, and the data they access"},
               {.at = offsetof(struct detail_view, instances),
                .columns = &instance_columns,
                .enter = "",
                .hint = "s: search inside this instance, down to its cache lines"},
               {.at = offsetof(struct detail_view, levels),
                .columns = &levels_columns,
                .rows_min = 1,
                .enter = "",
                .hint = "WAITED: cost of each level. Far levels: make it smaller or closer; hitm: "
                        "threads share it; page walks: huge pages"},
               {.at = offsetof(struct detail_view, called_by),
                .columns = &caller_columns,
                .rows_min = 1,
                .open = callers_open,
                .enter = "Function"}},
    .fini = detail_fini,
    .crumb = detail_crumb,
    .update = detail_update,
    .draw = detail_draw,
    .act = detail_act,
    .hint = detail_hint,
    .label = detail_label,
    .bar = {ACTION_ENTER, ACTION_BACK, ACTION_RIGHT, SCREEN_ACTION(WHATIF), ACTION_SEARCH_HERE,
            ACTION_SORT_NEXT, ACTION_FILTER, ACTION_FIND, ACTION_FREEZE, ACTION_BASIS,
            ACTION_WRITE},
};

/* ---- columns of the offsets in objects, and of their instances ---- */

/* Checks all objects: in batch text, one list contains fields of several objects. */
static bool has_field_type(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        for (size_t k = 0; k < snapshot->objects[i].field_count; k++)
            if (snapshot->objects[i].fields[k].type)
                return true;
    return false;
}

static struct value field_line(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return row->offset < 0 ? value_text(NULL)
                           : value_integer((uint64_t)row->offset /
                                           (snapshot->sets.line ? snapshot->sets.line : 64));
}

static uint64_t field_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    /* Members of a union have the same offset. */
    return (uint64_t)row->offset ^ (uint64_t)row->type_id << 32 ^ (uint64_t)row->member << 48 ^
           (uint64_t)row->unit << 58;
}

/* Returns the share of stalls, from latencies if they are known, otherwise from the event. */
static struct value field_stall_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    double timed = row->levels ? row->levels->stall : NAN;
    return value_number(isnan(timed) && row->rates ? row->rates->stall_share.value : timed);
}

static const struct column field_list[] = {
    COLUMN(.title = "OF IT", .key = "share",
           .help = "Share of the object's samples at this offset.",
           .from = FIELD(struct snapshot_field, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .from = FIELD(struct snapshot_field, share), .width = 8, .width_max = 16,
           .rank = 2, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "FIELD", .key = "name",
           .help = "Its name, lo..hi for one of several bit-fields; otherwise the offset in the "
                   "object, or [*]+N in each array element.",
           .from = FIELD(struct snapshot_field, name), .width = 10, .width_max = 40,
           .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "TYPE", .key = "type", .help = "The field's type.",
           .from = FIELD(struct snapshot_field, type), .width = 8, .width_max = 24, .rank = 3,
           .look = COLUMN_NAME, .shown = has_field_type),
    COLUMN(.title = "OFFSET", .key = "offset",
           .help = "The offset as a number: sort by it to see the layout.",
           .from = FIELD(struct snapshot_field, offset), .width = 8, .rank = 4, UNIT_INTEGER,
           .paint = paint_dim),
    COLUMN(.title = "LINE",
           .help = "Index of the cache line from the start of the object or element.",
           .value = field_line, .width = 6, .rank = 5, UNIT_INTEGER, .paint = paint_dim),
    COLUMN(.title = "BYTES", .key = "size", .help = "Widest access seen.",
           .from = KNOWN(struct snapshot_field, size), .width = 5, .rank = 4, UNIT_INTEGER),
    COLUMN(.title = "SAMPLES", .key = "samples",
           .from = SUM(struct snapshot_field, samples, count_excess), .width = 7, .rank = 1,
           UNIT_COUNT),
    LEVELS_COLUMNS(2, 2, ROW_OF(struct snapshot_field, levels)),
    LOADS_COLUMNS(3, struct snapshot_field, {0}),
    RATES_COLUMN_STALL(2, ROW_OF(struct snapshot_field, rates)),
    RATES_COLUMNS(2, ROW_OF(struct snapshot_field, rates)),
    USE_COLUMNS(1, ROW_OF(struct snapshot_field, use)),
    LEVELS_COLUMNS_REST(4, ROW_OF(struct snapshot_field, levels)),
    COLUMN(.key = "loads", .form = JSON_COUNT, .from = COUNTED(struct snapshot_field, loads)),
    COLUMN(.key = "stores", .form = JSON_COUNT, .from = COUNTED(struct snapshot_field, stores)),
    COLUMN(.from = ROW_OF(struct snapshot_field, levels), .members = &levels_members),
    COLUMN(.from = ROW_OF(struct snapshot_field, rates), .members = &rates_members),
    COLUMN(.from = ROW_OF(struct snapshot_field, use), .members = &use_members),
    COLUMN(.key = "stall_share", .value = field_stall_share),
    COLUMN(.key = "causes", .from = ROW_OF(struct snapshot_field, causes),
           .rows = &causes_figures_members, .json_if = ROW_OF(struct snapshot_field, causes)),
};

const struct columns field_columns = {
    .title = "Fields",
    TABLE(struct snapshot_field, field_list),
    .identity = field_identity,
};

static uint64_t offset_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(hot_offset);
    return (uint64_t)row->object->id << 32 ^ (uint64_t)row->field->offset ^
           (uint64_t)row->field->unit << 58;
}

static const struct column offset_list[] = {
    COLUMN(.title = "OF IT", .from = VIA(struct hot_offset, field, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "FIELD", .from = VIA(struct hot_offset, field, name), .width = 12,
           .width_max = 40, .look = COLUMN_NAME),
    COLUMN(.title = "TYPE", .from = VIA(struct hot_offset, field, type), .width = 8,
           .width_max = 24, .rank = 4, .look = COLUMN_NAME, .shown = has_field_type),
    COLUMN(.title = "BYTES", .from = VIA_KNOWN(struct hot_offset, field, size), .width = 5,
           .rank = 2, UNIT_INTEGER),
    COLUMN(.title = "SAMPLES", .in = ROW_OF(struct hot_offset, field),
           .from = SUM(struct snapshot_field, samples, count_excess), .width = 7, .rank = 1,
           UNIT_COUNT),
    LOADS_COLUMNS(3, struct snapshot_field, ROW_OF(struct hot_offset, field)),
    LEVELS_COLUMNS(2, 2, ROW_VIA(struct hot_offset, field, levels)),
    RATES_COLUMN_STALL(2, ROW_VIA(struct hot_offset, field, rates)),
    RATES_COLUMNS(2, ROW_VIA(struct hot_offset, field, rates)),
    LEVELS_COLUMNS_REST(4, ROW_VIA(struct hot_offset, field, levels)),
    COLUMN(.title = "IN OBJECT", .from = VIA(struct hot_offset, object, name), .width = 14,
           .width_max = 64, .look = COLUMN_NAME),
};

const struct columns offset_columns = {
    .title = "Hot fields",
    TABLE(struct hot_offset, offset_list),
    .identity = offset_identity,
};

static const struct column instance_list[] = {
    COLUMN(.title = "OF IT", .key = "share",
           .help = "Share of the object's samples on this instance.",
           .from = FIELD(struct snapshot_instance, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .from = FIELD(struct snapshot_instance, share), .width = 6, .width_max = 12,
           .rank = 4, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "START", .key = "address", .help = "Start address of the instance.",
           .from = FIELD(struct snapshot_instance, base), .width = 14, .width_max = 18,
           .format = format_address),
    COLUMN(.title = "SIZE", .key = "size", .from = KNOWN(struct snapshot_instance, size),
           .width = 6, .rank = 1, UNIT_BYTES),
    COLUMN(.title = "SAMPLES", .key = "samples",
           .from = SUM(struct snapshot_instance, samples, count_excess), .width = 7, .rank = 2,
           UNIT_COUNT),
    COLUMN(.title = "THREAD", .key = "tid", .help = "The thread with most of its samples.",
           .from = KNOWN(struct snapshot_instance, tid), .width = 7, .rank = 3, UNIT_INTEGER,
           .paint = paint_dim),
};

const struct columns instance_columns = {
    .title = "Instances",
    TABLE(struct snapshot_instance, instance_list),
    .key = FIELD(struct snapshot_instance, base),
};

/* ---- from a member of a type to the code that misses on it ---- */

struct found {
    const struct snapshot_code *code;
    const struct snapshot_instruction *instruction;
};

/* Returns the end of the members [first, end) of a row: its own and the nested ones. */
static uint32_t member_end_of(const struct snapshot_layout *layout,
                              const struct snapshot_layout_row *row)
{
    uint32_t end = row->index + 1;
    for (size_t i = (size_t)(row - layout->rows) + 1;
         i < layout->row_count && layout->rows[i].member.depth > row->member.depth; i++)
        if (layout->rows[i].index != TYPE_NO_MEMBER)
            end = layout->rows[i].index + 1;
    return end;
}

/* Without a type, the fields of the object and of the instruction are both named by their
 * offset. */
static bool is_field_at_offset(const struct snapshot_object *object, uint64_t offset,
                               const char *field)
{
    for (size_t i = 0; field && i < object->field_count; i++)
        if (!object->fields[i].type_id && (uint64_t)object->fields[i].offset == offset &&
            !strcmp(object->fields[i].name, field))
            return true;
    return false;
}

/* Another member can have the same bytes: in a union, or an adjacent bit-field. */
static bool instruction_is_in_member(const struct snapshot_layout_row *row,
                                     const struct snapshot_instruction *instruction)
{
    return instruction->member != TYPE_NO_MEMBER && instruction->offset >= row->member.offset &&
           instruction->offset < row->member.offset + row->member.size;
}

static bool is_on_member(const struct snapshot_object *object, const struct snapshot_layout *layout,
                         const struct snapshot_layout_row *row,
                         const struct snapshot_instruction *instruction)
{
    if (row->index == TYPE_NO_MEMBER)
        return !instruction->type_id &&
               is_field_at_offset(object, row->member.offset, instruction->field);
    return instruction->type_id == layout->type &&
           ((instruction->member >= row->index &&
             instruction->member < member_end_of(layout, row)) ||
            instruction_is_in_member(row, instruction));
}

/* Returns the instruction with most samples on the member, in this object, or in any object if
 * index is UINT32_MAX. */
static struct found hottest_on_member(const struct snapshot *snapshot,
                                      const struct snapshot_object *object,
                                      const struct snapshot_layout *layout,
                                      const struct snapshot_layout_row *row, uint32_t index)
{
    struct found found = {NULL, NULL};
    for (size_t i = 0; i < snapshot->code_count; i++)
        for (size_t k = 0; k < snapshot->code[i].instruction_count; k++) {
            const struct snapshot_instruction *one = &snapshot->code[i].instructions[k];
            if ((index != UINT32_MAX && one->object != index) ||
                !is_on_member(object, layout, row, one) ||
                (found.instruction && one->samples <= found.instruction->samples))
                continue;
            found = (struct found){&snapshot->code[i], one};
        }
    return found;
}

void browser_open_member(struct browser *browser, const struct snapshot_layout *layout,
                         const struct snapshot_layout_row *row)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct snapshot_object *object = browser->opened.object;
    uint32_t index = (uint32_t)(object - snapshot->objects);
    struct found found = hottest_on_member(snapshot, object, layout, row, index);
    if (!found.instruction)
        found = hottest_on_member(snapshot, object, layout, row, UINT32_MAX);
    if (found.instruction) {
        browser_open_instruction(browser, found.code, found.instruction);
    } else if (object->code_count) {
        browser_open_function(browser, &object->code[0]);
        browser_message(browser, "no instruction mainly accesses this member; this is the function "
                                 "with most samples on the object");
    } else {
        browser_message(browser, "no known code accesses it");
    }
}
