/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Below Objects: the memory layout of a type of one object, with its cache lines and heat. */
#include "view/screens/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "view/levels.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"
#include "view/words.h"

struct layout_view {
    const struct snapshot_layout *shown; /* NULL: none is known */
    uint32_t object; /* object, and id of the type, that `folds` and `chosen` refer to */
    uint32_t type;
    /* Chosen by the user or by opening a field; otherwise the type with most samples. */
    bool chosen;
    struct layout_rows rows;
    struct layout_folds folds;
    struct table table;
};

static struct layout_view *layout_view(const struct browser *browser)
{
    return browser->states[SCREEN_LAYOUT];
}

/* ---- the lines above the members ---- */

enum { ROWS_FOR_HEAD = 9, ROWS_FOR_READING = 12, READING_ROWS = 2 };

static void draw_name(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_layout *layout = layout_view(browser)->shown;
    char name[COLUMN_TEXT_BYTES];
    char part[48];
    snprintf(part, sizeof part, "%.1f%% of its samples ", layout->share * 100);
    int right = isnan(layout->share) ? 0 : (int)strlen(part);
    if (right + 20 > area.columns)
        right = 0;
    int room = area.columns - right;
    glyph_fit(name, sizeof name, layout->inferred ? "an element" : layout->name, room / 2,
              GLYPH_CUT_MIDDLE, canvas->ascii);
    struct pen pen = {canvas, area.row, area.column, area.column + room};
    pen_part(&pen, PAINT_STRONG, " %s", name);
    pen_part(&pen, PAINT_PLAIN, "  %" PRIu64 " bytes", layout->size);
    glyph_fit(name, sizeof name, browser->opened.object->name, pen.end - pen.column - 6,
              GLYPH_CUT_MIDDLE, canvas->ascii);
    pen_part(&pen, PAINT_DIM, "  in %s", name);
    if (right)
        canvas_text(canvas, area.row, area.column + room, right, paint_heat(layout->share), part);
}

static void draw_alignment(const struct snapshot_layout *layout, struct canvas *canvas,
                           struct area area)
{
    char text[256];
    if (isnan(layout->phase_share)) {
        canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM,
                    " alignment not known yet: drawn as if an element started a cache line");
        return;
    }
    if (layout->phases == 1)
        snprintf(text, sizeof text,
                 " all sampled elements start at byte %" PRIu32 " of a cache line", layout->phase);
    else
        snprintf(text, sizeof text,
                 " elements start at byte %" PRIu32
                 " of a cache line in %.0f%% of samples; %" PRIu32 " alignments seen",
                 layout->phase, layout->phase_share * 100, layout->phases);
    if (layout->straddling > 0)
        text_append(text, sizeof text, "; %.1f%% of accesses cross a line boundary",
                    layout->straddling * 100);
    canvas_text(canvas, area.row, area.column, area.columns, PAINT_PLAIN, text);
}

static void draw_types(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_object *object = browser->opened.object;
    char name[128];
    int used = 1;
    for (size_t i = 0; i < object->layout_count && used < area.columns - 8; i++) {
        const struct snapshot_layout *layout = &object->layouts[i];
        bool on = layout == layout_view(browser)->shown;
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

/* Draws the current type, its alignment, and the interpretation. Returns the rows used. */
static int layout_head(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_layout *layout = layout_view(browser)->shown;
    struct area line = area;
    char known[192];
    char reading[LAYOUT_READING_BYTES];
    bool several = browser->opened.object->layout_count > 1;
    draw_name(browser, canvas, line);
    line.row++;
    if (several && area.rows >= ROWS_FOR_HEAD) {
        draw_types(browser, canvas, line);
        line.row++;
    }
    if (area.rows < ROWS_FOR_READING)
        return line.row - area.row;
    field_known(browser->opened.object, layout, known, sizeof known);
    canvas_format(canvas, line.row, line.column, line.columns, PAINT_DIM, " %s", known);
    line.row++;
    draw_alignment(layout, canvas, line);
    line.row++;
    line.rows = READING_ROWS;
    line.column++;
    line.columns -= 2;
    layout_reading(layout, reading, sizeof reading);
    line.row += canvas_wrap(canvas, line, PAINT_WARN, reading);
    return line.row - area.row;
}

/* A member or line with at least this fraction of the samples counts as hot. */
static const double hot_share = 0.1;

enum { INDENT_MAX = TYPE_DEPTH_MAX };

static bool layout_folded(const struct layout_folds *folds, uint32_t member)
{
    for (unsigned i = 0; i < folds->count; i++)
        if (folds->members[i] == member)
            return true;
    return false;
}

bool layout_fold(struct layout_folds *folds, uint32_t member)
{
    for (unsigned i = 0; i < folds->count; i++)
        if (folds->members[i] == member) {
            folds->members[i] = folds->members[--folds->count];
            return true;
        }
    if (folds->count == sizeof folds->members / sizeof *folds->members)
        return false;
    folds->members[folds->count++] = member;
    return true;
}

uint64_t layout_identity(uint32_t member, uint64_t offset)
{
    return member != TYPE_NO_MEMBER ? member : (1ull << 62) | offset;
}

/* Returns the row with most samples, without nested members; NULL if there are no samples. */
static const struct snapshot_layout_row *layout_hottest(const struct snapshot_layout *layout)
{
    const struct snapshot_layout_row *hottest = NULL;
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        if (!row->has_members && row->samples > (hottest ? hottest->samples : 0))
            hottest = row;
    }
    return hottest;
}

static struct layout_row *layout_rows_add(struct layout_rows *rows)
{
    if (!array_reserve_next(&rows->list, &rows->capacity, rows->count, sizeof *rows->list,
                            ARRAY_UNBOUNDED))
        return NULL;
    struct layout_row *row = &rows->list[rows->count++];
    *row = (struct layout_row){.row = NULL};
    return row;
}

/* Truncates at a character boundary. */
static void set_row_text(struct layout_row *out, const char *text)
{
    text_sanitise(out->text, sizeof out->text, text, strlen(text));
}

static void add_rule(struct layout_rows *rows, const struct snapshot_layout *layout, size_t first,
                     size_t next)
{
    char text[160];
    double share = 0;
    uint64_t used = 0;
    uint64_t cold = 0;
    struct layout_row *out = layout_rows_add(rows);
    if (!out)
        return;
    for (size_t i = first; i < next; i++) {
        share += layout->lines[i].share;
        used += layout->lines[i].used;
        cold += layout->lines[i].cold;
    }
    snprintf(text, sizeof text, "line%s %zu", next - first > 1 ? "s" : "", first);
    if (next - first > 1)
        text_append(text, sizeof text, "-%zu", next - 1);
    if (isfinite(share))
        text_append(text, sizeof text, "  %.1f%%", share * 100);
    text_append(text, sizeof text, "  %" PRIu64 " of %" PRIu64 " bytes used", used,
                layout->lines[next - 1].end - layout->lines[first].start);
    if (cold && share >= hot_share)
        text_append(text, sizeof text, ", %" PRIu64 " cold", cold);
    out->identity = (1ull << 63) | first;
    set_row_text(out, text);
}

static size_t count_member_lines(const struct snapshot_layout *layout,
                                 const struct snapshot_layout_row *row)
{
    size_t line = row->line;
    size_t first = line;
    for (; line < layout->line_count; line++) {
        uint64_t start = layout->lines[line].start;
        if (start > row->member.offset && start - row->member.offset >= row->member.size)
            break;
    }
    return line - first;
}

static const char *kind_text(const struct snapshot_layout_row *row)
{
    switch (row->kind) {
    case LAYOUT_HOLE:
        return "(hole)";
    case LAYOUT_PADDING:
        return "(padding)";
    case LAYOUT_UNKNOWN:
        return "";
    default:
        return row->member.kind == MEMBER_BASE     ? "(base class)"
               : row->member.kind == MEMBER_VTABLE ? "(vtable)"
                                                   : "(no name)";
    }
}

static void name_row(struct layout_row *out, const struct snapshot_layout_row *row, bool folded)
{
    char text[512];
    char bits[16] = "";
    const struct type_member *member = &row->member;
    int indent = member->depth < INDENT_MAX ? member->depth : INDENT_MAX;
    const char *name = member->name && *member->name ? member->name : kind_text(row);
    if (member->bit_size)
        snprintf(bits, sizeof bits, " : %u", member->bit_size);
    if (row->kind == LAYOUT_UNKNOWN && !*name)
        snprintf(text, sizeof text, "+%" PRIu64, member->offset);
    else
        snprintf(text, sizeof text, "%*s%s%s%s", indent * 2, "",
                 !row->has_members ? ""
                 : folded          ? "+ "
                                   : "- ",
                 name, bits);
    set_row_text(out, text);
}

static bool is_union(const struct type_member *member)
{
    return member->type && !strncmp(member->type, "union", 5) &&
           (!member->type[5] || member->type[5] == ' ');
}

/* Adds a note to a row; costly findings take precedence. */
static void note_row(struct layout_row *out, const struct snapshot_layout *layout,
                     const struct snapshot_layout_row *row,
                     const struct snapshot_layout_row *hottest)
{
    const struct type_member *member = &row->member;
    size_t lines = count_member_lines(layout, row);
    bool leaf = !row->has_members;
    bool in_hot_line =
        row->line < layout->line_count && layout->lines[row->line].share >= hot_share;
    if (row->kind != LAYOUT_MEMBER && row->kind != LAYOUT_UNKNOWN) {
        if (in_hot_line)
            snprintf(out->note, sizeof out->note, "empty, fetched along");
    } else if (leaf && lines == 2 && !member->count) {
        snprintf(out->note, sizeof out->note, "STRADDLES 2 lines");
    } else if (row == hottest) {
        snprintf(out->note, sizeof out->note, "hottest");
    } else if (leaf && hottest && row->share >= hot_share && row->line != hottest->line) {
        snprintf(out->note, sizeof out->note, "HOT, on another line");
    } else if (lines > 1) {
        snprintf(out->note, sizeof out->note, "over %zu lines", lines);
    } else if (is_union(member)) {
        snprintf(out->note, sizeof out->note, "its members overlap");
    } else if (leaf && row->kind == LAYOUT_MEMBER && !(row->samples > 0) && in_hot_line) {
        snprintf(out->note, sizeof out->note, "cold, fetched along");
    }
}

void layout_rows_make(struct layout_rows *rows, const struct snapshot_layout *layout,
                      const struct layout_folds *folds)
{
    const struct snapshot_layout_row *hottest = layout_hottest(layout);
    size_t line = 0;
    rows->count = 0;
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        bool folded = row->has_members && layout_folded(folds, row->index);
        size_t next = line;
        while (next < layout->line_count && layout->lines[next].start <= row->member.offset)
            next++;
        /* The lines before the last one are inside the previous member. */
        if (next > line + 1)
            add_rule(rows, layout, line, next - 1);
        if (next > line)
            add_rule(rows, layout, next - 1, next);
        line = next;
        struct layout_row *out = layout_rows_add(rows);
        if (!out)
            return;
        out->row = row;
        out->identity = layout_identity(row->index, row->member.offset);
        name_row(out, row, folded);
        note_row(out, layout, row, hottest);
        while (folded && i + 1 < layout->row_count &&
               layout->rows[i + 1].member.depth > row->member.depth)
            i++;
    }
    if (line < layout->line_count)
        add_rule(rows, layout, line, layout->line_count);
}

static const struct snapshot_layout *layout_find(const struct snapshot_object *object,
                                                 uint32_t type)
{
    for (size_t i = 0; i < object->layout_count; i++)
        if (object->layouts[i].type == type)
            return &object->layouts[i];
    return NULL;
}

/* Resets folds and selection if the object or the type changes. */
static void layout_follow(struct browser *browser, uint32_t object, uint32_t type)
{
    struct layout_view *view = layout_view(browser);
    if (object == view->object && type == view->type)
        return;
    view->chosen &= object == view->object;
    view->object = object;
    view->type = type;
    view->folds.count = 0;
    view->table.selection_moved = false;
}

/* Displays the chosen type, otherwise the one with most samples. Makes the rows only while the
 * screen is displayed. */
static void layout_update(struct browser *browser)
{
    struct layout_view *view = layout_view(browser);
    const struct snapshot_object *object = browser->opened.object;
    const struct snapshot_layout *layout = NULL;
    bool same = object && object->id == view->object;
    view->rows.count = 0;
    view->shown = NULL;
    if (browser->screen == SCREEN_LAYOUT && object && object->layout_count) {
        layout = same && view->chosen ? layout_find(object, view->type) : NULL;
        layout = layout ? layout : &object->layouts[0];
        layout_follow(browser, object->id, layout->type);
        layout_rows_make(&view->rows, layout, &view->folds);
        view->shown = layout;
    }
    table_set(&view->table, browser->snapshot, view->rows.list, view->rows.count);
    const struct snapshot_layout_row *hottest = layout ? layout_hottest(layout) : NULL;
    if (hottest)
        table_prefer(&view->table, layout_identity(hottest->index, hottest->member.offset));
}

const struct layout_row *layout_selected(const struct browser *browser, uint32_t *type)
{
    const struct layout_view *view = layout_view(browser);
    *type = view->type;
    return view->shown ? table_selected(&view->table) : NULL;
}

void browser_open_layout(struct browser *browser, const void *pointer)
{
    const struct snapshot_field *field = pointer;
    const struct snapshot_object *object = browser->opened.object;
    const struct snapshot_layout *layout = layout_find(object, field->type_id);
    if (!object->layout_count) {
        /* Without a layout, open the code directly. */
        struct snapshot_layout none = {.name = ""};
        struct snapshot_layout_row row = {.index = TYPE_NO_MEMBER,
                                          .member = {.offset = (uint64_t)field->offset}};
        browser_open_member(browser, &none, &row);
        return;
    }
    if (layout) {
        layout_follow(browser, object->id, layout->type);
        layout_view(browser)->chosen = true;
        layout_view(browser)->folds.count = 0;
    }
    layout_view(browser)->table.selection_moved = false;
    browser_go(browser, SCREEN_LAYOUT);
    table_select(&layout_view(browser)->table,
                 layout_identity(field->member, (uint64_t)field->offset));
}

/* ---- drawing ---- */

static void layout_draw_nothing(const struct browser *browser, struct canvas *canvas,
                                struct area area)
{
    const struct snapshot_object *object = browser->opened.object;
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
                 " %s is %s: a plain value without members or layout. Detail lists the code that "
                 "uses it.",
                 name, type);
        canvas_wrap(canvas, area, PAINT_DIM, text);
        return;
    }
    snprintf(text, sizeof text,
             " The type of %s is not known, and its sampled offsets show no elements of equal "
             "size. %s Detail lists the offsets and the code.",
             name,
             browser->snapshot->loading.pending_requests
                 ? "Debug information is still being loaded."
                 : "Debug information would provide it (build with "
                   "-g, or install the debug symbols package).");
    canvas_wrap(canvas, area, PAINT_DIM, text);
}

static void layout_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    if (!layout_view(browser)->shown) {
        layout_draw_nothing(browser, canvas, area);
        return;
    }
    area = area_below(area, layout_head(browser, canvas, area));
    pane_table(browser, canvas, area, &layout_view(browser)->table);
}

/* ---- keys ---- */

static void step_type(struct browser *browser, size_t direction)
{
    const struct snapshot_object *object = browser->opened.object;
    if (object->layout_count < 2) {
        browser_message(browser, "this object has only one known type");
        return;
    }
    size_t at = (size_t)(layout_view(browser)->shown - object->layouts);
    at = (at + object->layout_count + direction) % object->layout_count;
    layout_follow(browser, object->id, object->layouts[at].type);
    layout_view(browser)->chosen = true;
    layout_update(browser);
}

/* Folds the selected member, or the member that contains it. */
static void fold_member(struct browser *browser, const struct layout_row *selected)
{
    const struct snapshot_layout *layout = layout_view(browser)->shown;
    const struct snapshot_layout_row *row = selected->row;
    while (!row->has_members && row > layout->rows && row->member.depth) {
        const struct snapshot_layout_row *part = row;
        while (row > layout->rows && row->member.depth >= part->member.depth)
            row--;
    }
    if (!row->has_members) {
        browser_message(browser, "not part of a nested struct: nothing to fold");
        return;
    }
    if (!layout_fold(&layout_view(browser)->folds, row->index))
        browser_message(browser, "too many folded members");
    layout_update(browser);
    table_select(&layout_view(browser)->table, layout_identity(row->index, row->member.offset));
}

static bool layout_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    const struct layout_row *row = table_selected(&layout_view(browser)->table);
    if (!layout_view(browser)->shown)
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
            fold_member(browser, row);
        return true;
    default:
        return false;
    }
}

static void layout_hint(struct browser *browser, char *out, size_t size)
{
    const struct layout_row *row = table_selected(&layout_view(browser)->table);
    if (!layout_view(browser)->shown || !row)
        return;
    const char *name =
        row->row->kind == LAYOUT_MEMBER ? row->text + strspn(row->text, " -+") : row->text;
    snprintf(out, size, "Enter: the source line with most samples on %.60s.%s%s", name,
             browser->opened.object->layout_count > 1 ? "  Left, Right: its other types." : "",
             layout_view(browser)->folds.count ? "  F5: unfold" : "");
}

static void layout_open(struct browser *browser, const void *row)
{
    browser_open_member(browser, layout_view(browser)->shown,
                        ((const struct layout_row *)row)->row);
}

static const char *layout_label(struct browser *browser, enum action action)
{
    const struct snapshot_object *object = browser->opened.object;
    if (action != ACTION_RIGHT)
        return NULL;
    return object && object->layout_count > 1 ? "Other type" : "";
}

static void layout_fini(void *state)
{
    free(((struct layout_view *)state)->rows.list);
}

const struct screen layout_screen = {
    .name = "Layout",
    .description =
        "A struct in memory: members, holes, and cache line boundaries, with each member's "
        "share of the object's samples.",
    .next_step =
        "A line with one hot member is mostly fetched in vain: place hot members next to each "
        "other. The first sentence states the possible gain.",
    .state_size = sizeof(struct layout_view),
    .tables = {{.at = offsetof(struct layout_view, table),
                .columns = &layout_columns,
                .rows_min = 1,
                .open = layout_open,
                .enter = "Code"}},
    .fini = layout_fini,
    .update = layout_update,
    .draw = layout_draw,
    .act = layout_act,
    .hint = layout_hint,
    .label = layout_label,
    .bar = {ACTION_ENTER, ACTION_BACK, ACTION_FOLD, ACTION_RIGHT, ACTION_FIND, ACTION_FILTER,
            SCREEN_ACTION(WHATIF), ACTION_FREEZE, ACTION_SORT_NEXT, ACTION_BASIS, ACTION_WRITE},
};

/* ---- columns of a type's members; separators of cache lines have no values ---- */

/* Returns the offset in bits, so that bit-fields are sorted correctly. */
static struct value member_bit_offset(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_layout_row);
    bool fits = row->member.offset < UINT64_MAX / 8;
    return fits ? value_integer(row->member.offset * 8 + row->member.bit_offset)
                : value_number(NAN);
}

static void format_bits(char *out, size_t size, struct value value)
{
    if (value.integer % 8)
        snprintf(out, size, "%" PRIu64 ":%" PRIu64, value.integer / 8, value.integer % 8);
    else
        snprintf(out, size, "%" PRIu64, value.integer / 8);
}

/* A correct program does not access holes, so a share of 0 is not shown. */
static struct value layout_column_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_layout_row);
    bool gap = row->kind == LAYOUT_HOLE || row->kind == LAYOUT_PADDING;
    return value_number(gap && !(row->samples > 0) ? NAN : row->share);
}

static struct value layout_column_samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_layout_row);
    return value_number(row->samples > 0 ? row->samples + row->count_excess : NAN);
}

static enum paint paint_note(struct value value)
{
    /* Costly findings are in capitals. */
    bool bad = value.kind == VALUE_TEXT && value.text[0] >= 'A' && value.text[0] <= 'Z';
    return bad ? PAINT_BAD : PAINT_DIM;
}

static enum paint paint_member(struct value value)
{
    /* Names that are not from the program are in brackets. */
    bool named = value.kind == VALUE_TEXT && value.text[strspn(value.text, " -+")] != '(';
    return named ? PAINT_STRONG : PAINT_DIM;
}

static const char *layout_parting(const void *pointer)
{
    const struct layout_row *row = pointer;
    return row->row ? NULL : row->text;
}

static const struct column list[] = {
    COLUMN(.title = "OFFSET", .help = "Bytes from the start of the type; 60:1 is bit 1 of byte 60.",
           .from = ROW_OF(struct layout_row, row), .value = member_bit_offset, .width = 6,
           .width_max = 8, .look = COLUMN_RIGHT, .format = format_bits, .paint = paint_dim),
    COLUMN(.title = "SIZE", .help = "Bytes, including all elements of an array.",
           .in = ROW_OF(struct layout_row, row),
           .unknown_if = FIELD(struct snapshot_layout_row, member.bit_size),
           .from = KNOWN(struct snapshot_layout_row, member.size), .width = 5, .rank = 2,
           UNIT_BYTES, .paint = paint_dim),
    COLUMN(.title = "LINE", .help = "The cache line it starts in, for the most frequent alignment.",
           .from = VIA(struct layout_row, row, line), .width = 4, .rank = 9, UNIT_INTEGER,
           .paint = paint_dim),
    COLUMN(.title = "TYPE", .help = "The member's type.",
           .from = VIA(struct layout_row, row, member.type), .width = 8, .width_max = 28, .rank = 2,
           .look = COLUMN_NAME),
    COLUMN(.title = "FIELD",
           .help = "The member, indented by nesting; -: its members follow, F5 folds them.",
           .from = FIELD(struct layout_row, text), .width = 12, .width_max = 40,
           .paint = paint_member),
    COLUMN(.title = "", .from = ROW_OF(struct layout_row, row), .value = layout_column_share,
           .width = 8, .width_max = 24, .rank = 3, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "OF IT", .help = "The member's share of the object's samples of this type.",
           .from = ROW_OF(struct layout_row, row), .value = layout_column_share, .width = 6,
           UNIT_SHARE),
    COLUMN(.title = "SAMPLES", .from = ROW_OF(struct layout_row, row),
           .value = layout_column_samples, .width = 7, .rank = 8, UNIT_COUNT),
    LEVELS_COLUMNS(4, 4, ROW_VIA(struct layout_row, row, levels)),
    RATES_COLUMN_STALL(4, ROW_VIA(struct layout_row, row, rates)),
    RATES_COLUMNS(4, ROW_VIA(struct layout_row, row, rates)),
    USE_COLUMNS(3, ROW_VIA(struct layout_row, row, use)),
    LEVELS_COLUMNS_REST(6, ROW_VIA(struct layout_row, row, levels)),
    LOADS_COLUMNS(4, struct snapshot_layout_row, ROW_OF(struct layout_row, row)),
    COLUMN(.title = "NOTE",
           .help = "Problems, in capitals: STRADDLES two lines; HOT, but on another line than the "
                   "hottest member. Also bytes that are fetched along with hot ones.",
           .from = FIELD(struct layout_row, note), .width = 20, .width_max = 34, .rank = 3,
           .paint = paint_note),
};

const struct columns layout_columns = {
    .title = "Layout",
    TABLE(struct layout_row, list),
    .sort = COLUMNS_AS_THEY_COME,
    .key = FIELD(struct layout_row, identity),
    .parting = layout_parting,
    .code = true,
};
