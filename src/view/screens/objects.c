/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 1. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/answer.h"
#include "view/levels.h"
#include "view/screens/causes.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"
#include "view/words.h"

enum { FINDINGS_SHOWN = 2 };

struct objects_view {
    struct table table;
    struct table fields; /* fields of the selected object; only on wide terminals */
    unsigned on_finding; /* finding under the cursor, from 1; 0: the cursor is in the table */
    /* Sorted by possible wait unless the user chose another column; never reset. */
    bool by_wait;
    struct {
        int row;
        int column;
        int columns;
    } places[FINDINGS_SHOWN]; /* positions of the findings, as drawn */
};

static struct objects_view *objects_view(const struct browser *browser)
{
    return browser->states[SCREEN_OBJECTS];
}

static struct table *objects_table(const struct browser *browser)
{
    return &objects_view(browser)->table;
}

static void objects_init(void *state)
{
    table_init(&((struct objects_view *)state)->fields, &field_columns);
}

static void objects_fini(void *state)
{
    table_fini(&((struct objects_view *)state)->fields);
}

static unsigned findings_shown(const struct browser *browser)
{
    size_t count = browser->snapshot ? browser->snapshot->findings.count : 0;
    return count < FINDINGS_SHOWN ? (unsigned)count : FINDINGS_SHOWN;
}

static struct value object_possible_wait(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return value_number(row->share.value * waits_most(&row->wait));
}

/* Sorts by possible wait, so that cached data does not rank above data that is waited for. */
static unsigned initial_sort_column(const struct objects_view *view)
{
    unsigned column = object_columns.sort;
    for (unsigned i = 0; view->by_wait && i < object_columns.count; i++)
        if (object_columns.list[i].value == object_possible_wait)
            column = i;
    return column;
}

static void objects_update(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    struct objects_view *view = objects_view(browser);
    view->by_wait |= waits_known(snapshot) && answer_kind(snapshot) != WAITS_HARDLY;
    table_suggest_sort(&view->table, initial_sort_column(view));
    if (view->on_finding > findings_shown(browser))
        view->on_finding = findings_shown(browser);
}

/* Draws the number of objects not listed, and the key to list them. Returns the rows used. */
static int draw_unlisted_count(struct browser *browser, struct canvas *canvas, int row)
{
    char left[160];
    objects_left_out(browser->snapshot, left, sizeof left);
    if (!*left)
        return 0;
    int used = canvas_format(canvas, row, 1, canvas->columns - 1, PAINT_DIM, "%s%s", left,
                             browser->snapshot->lists_all_objects ? "" : ": A lists them");
    browser_zone(browser, row, 1, used, ACTION_ALL_OBJECTS);
    return 1;
}

/* Without a finding, names the first object, where the user should look. */
static void describe_no_finding(const struct browser *browser, int columns, char *out, size_t size)
{
    enum { WORDS_COLUMNS = 60, NAME_MIN = 8 };
    const struct snapshot *snapshot = browser->snapshot;
    const struct table *table = objects_table(browser);
    unsigned sort = initial_sort_column(objects_view(browser));
    const struct snapshot_object *first = table->shown ? &snapshot->objects[table->order[0]] : NULL;
    char name[160];
    if (answer_kind(snapshot) == WAITS_HARDLY) {
        snprintf(out, size, "Nothing to do: it hardly waits for memory.");
        return;
    }
    snprintf(out, size, "No known problem so far");
    if (!first || table->invert || table->sort != sort || *table->filter)
        return;
    columns -= WORDS_COLUMNS;
    glyph_fit(name, sizeof name, first->name, columns < NAME_MIN ? NAME_MIN : columns,
              GLYPH_CUT_MIDDLE, false);
    double most = object_possible_wait(snapshot, first).number;
    if (table->sort != object_columns.sort && most > 0)
        text_append(out, size, ". The largest possible wait is for %s, up to %.0f%%.", name,
                    most * 100);
    else if (first->share.value > 0)
        text_append(out, size, ". Most samples are on %s, %.0f%%.", name, first->share.value * 100);
}

/* Draws the most valuable findings, or that there is none. Returns the rows used. */
static int draw_findings(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct objects_view *view = objects_view(browser);
    const struct snapshot *snapshot = browser->snapshot;
    unsigned count = findings_shown(browser);
    char text[256];
    char fitted[256];
    memset(view->places, 0, sizeof view->places);
    if (!count) {
        bool nothing = answer_kind(snapshot) == WAITS_HARDLY;
        describe_no_finding(browser, area.columns, text, sizeof text);
        canvas_text(canvas, area.row, 1, area.columns - 1, nothing ? PAINT_GOOD : PAINT_PLAIN,
                    text);
        return 1;
    }
    int rows = area.columns < 120 && area.rows >= 16 ? (int)count : 1;
    int each = rows > 1 ? area.columns - 2 : (area.columns - 2) / (int)count;
    for (unsigned i = 0; i < count; i++) {
        int row = area.row + (rows > 1 ? (int)i : 0);
        int column = 1 + (rows > 1 ? 0 : (int)i * each);
        answer_finding(&snapshot->findings.list[i], text, sizeof text);
        glyph_fit(fitted, sizeof fitted, text, each - 4, GLYPH_CUT_MIDDLE, canvas->ascii);
        int used = canvas_format(canvas, row, column, each - 1, PAINT_WARN, "%s %s",
                                 canvas->ascii ? "!" : "▸", fitted);
        if (view->on_finding == i + 1)
            canvas_flag(canvas, row, column, used, CELL_SELECTED);
        view->places[i].row = row;
        view->places[i].column = column;
        view->places[i].columns = used;
    }
    return rows;
}

static void draw_fields(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *fields = &objects_view(browser)->fields;
    const struct snapshot_object *object = objects_selected(browser);
    char name[128];
    fields->choice = browser_table_of(browser, &field_columns)->choice;
    table_set(fields, browser->snapshot, object ? object->fields : NULL,
              object ? object->field_count : 0);
    glyph_fit(name, sizeof name, object ? object->name : "", area.columns - 12, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    area = area_below(area, pane_title(canvas, area, false, "Fields of %s", name));
    table_draw(fields, canvas, area, false);
}

static void objects_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    enum {
        WIDE_COLUMNS = 150,
        FIELD_COLUMNS = 56,
        TALL_ROWS = 38,
        GLANCE_ROWS = 11,
        LEFT_ROWS = 10
    };
    if (area.rows >= 7) {
        int used = draw_findings(browser, canvas, area);
        /* A blank line before the list, if there is room. */
        used += area.rows >= 20;
        area = area_below(area, used);
    }
    if (area.rows >= TALL_ROWS - 3) {
        area.rows -= GLANCE_ROWS;
        struct area glance = {area.row + area.rows + 1, 0, GLANCE_ROWS - 1, area.columns / 2 - 1};
        cache_glance(browser, canvas, glance);
        glance.column = area.columns / 2 + 1;
        search_glance(browser, canvas, glance);
    }
    if (area.rows >= LEFT_ROWS)
        area.rows -= draw_unlisted_count(browser, canvas, area.row + area.rows - 1);
    if (area.columns >= WIDE_COLUMNS) {
        struct area right = {area.row, area.columns - FIELD_COLUMNS, area.rows, FIELD_COLUMNS};
        draw_fields(browser, canvas, right);
        area.columns -= FIELD_COLUMNS + 2;
    }
    struct area words = {area.row + 1, area.column + 1, area.rows - 1, area.columns - 1};
    if (browser->snapshot->object_count)
        pane_table(browser, canvas, area, objects_table(browser));
    else
        canvas_wrap(canvas, words, PAINT_DIM, objects_nothing_yet(browser->snapshot));
}

/* Moves up from the first row to the findings above it. */
static bool move_to_findings(struct browser *browser, enum action action)
{
    struct objects_view *view = objects_view(browser);
    unsigned count = findings_shown(browser);
    if (!view->on_finding) {
        if (action != ACTION_UP || !count || view->table.selected)
            return false;
        view->on_finding = 1;
        return true;
    }
    switch (action) {
    case ACTION_UP:
    case ACTION_LEFT:
        view->on_finding -= view->on_finding > 1;
        return true;
    case ACTION_RIGHT:
        view->on_finding += view->on_finding < count;
        return true;
    case ACTION_DOWN:
        view->on_finding = view->on_finding < count ? view->on_finding + 1 : 0;
        return true;
    case ACTION_ENTER:
        findings_open(browser, &browser->snapshot->findings.list[view->on_finding - 1]);
        view->on_finding = 0;
        return true;
    default:
        view->on_finding = 0;
        return false;
    }
}

static bool objects_act(struct browser *browser, enum action action, struct request *request)
{
    if (browser->snapshot && move_to_findings(browser, action))
        return true;
    const struct snapshot_object *object = table_selected(objects_table(browser));
    return object && action == ACTION_SEARCH_HERE && search_open_object(browser, request, object);
}

static bool objects_click(struct browser *browser, int row, int column)
{
    const struct objects_view *view = objects_view(browser);
    for (unsigned i = 0; i < findings_shown(browser); i++)
        if (view->places[i].columns && row == view->places[i].row &&
            column >= view->places[i].column &&
            column < view->places[i].column + view->places[i].columns) {
            findings_open(browser, &browser->snapshot->findings.list[i]);
            return true;
        }
    return false;
}

const struct snapshot_object *objects_selected(const struct browser *browser)
{
    return table_selected(objects_table(browser));
}

static void objects_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot_object *object = objects_selected(browser);
    const struct snapshot *snapshot = browser->snapshot;
    unsigned finding = objects_view(browser)->on_finding;
    char name[160];
    if (!snapshot)
        return;
    if (finding) {
        findings_open_hint(&snapshot->findings.list[finding - 1], out, size);
        return;
    }
    answer_trust(snapshot, out, size);
    if (*out || !object)
        return;
    glyph_fit(name, sizeof name, object->name, 32, GLYPH_CUT_MIDDLE, false);
    snprintf(out, size, "Enter: hot fields of %s and the code that accesses it%s", name,
             snapshot->lists_all_objects ? ".  A: only objects of 0.1% and more"
             : snapshot->findings.count  ? ".  Up: the findings"
                                         : "");
}

static const char *objects_label(struct browser *browser, enum action action)
{
    bool on_finding = action == ACTION_ENTER && objects_view(browser)->on_finding;
    return on_finding ? "Open the finding" : NULL;
}

const struct screen objects_screen = {
    .name = "Objects",
    .description =
        "The data that the process accesses, most costly first. Rows are variables, heap "
        "blocks (by allocation site, type or size), stacks and mappings. Above them: whether "
        "the process waits for memory, and the findings with the largest gain.",
    .next_step =
        "Look at the first rows; +- is the margin of error of the share. Enter opens a row. Up "
        "from the first row goes to the findings; i shows the quality of the samples.",
    .state_size = sizeof(struct objects_view),
    .init = objects_init,
    .fini = objects_fini,
    .tables = {{.at = offsetof(struct objects_view, table),
                .columns = &object_columns,
                .open = browser_open_object_row,
                .enter = "Fields and code"}},
    .update = objects_update,
    .draw = objects_draw,
    .act = objects_act,
    .click = objects_click,
    .hint = objects_hint,
    .label = objects_label,
    .bar = {ACTION_ENTER, ACTION_FIND, ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE,
            ACTION_SEARCH_HERE, ACTION_BASIS, ACTION_INVERT, ACTION_WRITE, ACTION_NEXT_EVENT,
            ACTION_ALL_OBJECTS, ACTION_ZERO, ACTION_FASTER},
};

/* ---- columns of objects ---- */

static struct value object_half_interval(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return value_number(columns_reach(&row->share));
}

static struct value object_column_type(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    bool plain = row->type && !strncmp(row->type, "struct ", 7);
    return value_text(plain ? row->type + 7 : row->type);
}

static struct value object_inferred_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return value_number(row->samples > 0 ? row->inferred / row->samples : NAN);
}

/* Strips the type, which has its own column: "Book<a.b>.vel.y" becomes vel.y. */
static const char *skip_type_prefix(const char *name)
{
    int depth = 0;
    for (const char *at = name; *at; at++) {
        depth += *at == '<';
        depth -= *at == '>';
        if (*at == '.' && !depth && at[1])
            return at + 1;
    }
    return name;
}

/* A block named after its allocation site is described by the type of the field. */
static struct value object_hot_field(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    const struct snapshot_field *field = row->field_count ? &row->fields[0] : NULL;
    if (object_is_spread(row))
        return value_text("(spread)");
    if (!field || !field->type_id)
        return value_text(field ? field->name : NULL);
    const char *member = skip_type_prefix(field->name);
    size_t type_bytes = member > field->name ? (size_t)(member - field->name) - 1 : 0;
    bool named =
        row->kind != OBJECT_HEAP || memmem(row->name, strlen(row->name), field->name, type_bytes);
    return value_text(named ? member : field->name);
}

static struct value hot_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return value_number(row->field_count && !object_is_spread(row) ? row->fields[0].share : NAN);
}

static const float *object_history(const void *pointer)
{
    return ((const struct snapshot_object *)pointer)->history;
}

/* Returns the object's share of an event other than the ranking one. */
static struct value object_event_share(const struct snapshot *snapshot,
                                       const struct snapshot_object *row, enum event_role role)
{
    const struct snapshot_source *source = &snapshot->source;
    for (size_t i = 0; i < source->event_count; i++)
        if (source->events[i].role == role && i != source->ranking)
            return value_number(row->event_share[i]);
    return value_number(NAN);
}

static struct value object_l1_miss_share(const struct snapshot *snapshot, const void *row)
{
    return object_event_share(snapshot, row, EVENT_MISS_L1);
}

static struct value object_l2_miss_share(const struct snapshot *snapshot, const void *row)
{
    return object_event_share(snapshot, row, EVENT_MISS_L2);
}

static struct value object_fill_share(const struct snapshot *snapshot, const void *row)
{
    return object_event_share(snapshot, row, EVENT_MEM_FILL);
}

static struct value object_disagreement(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return value_number(row->type && row->samples > 0 ? row->typed[TYPED_DISAGREED] / row->samples
                                                      : NAN);
}

static bool has_disagreement(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].typed[TYPED_DISAGREED] >= snapshot->objects[i].samples * 0.005 &&
            snapshot->objects[i].typed[TYPED_DISAGREED] > 0)
            return true;
    return false;
}

static enum paint paint_warn(struct value value)
{
    return value.kind == VALUE_NUMBER && value.number >= 0.0005 ? PAINT_WARN : PAINT_DIM;
}

static bool has_inferred(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].inferred > 0)
            return true;
    return false;
}

static struct value stall_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return value_number(levels_stall_share(snapshot, row));
}

static const void *object_heap(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return row->bin < snapshot->heap.bin_count ? &snapshot->heap.bins[row->bin].heap : NULL;
}

static const void *object_layout(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return row->layout_count ? &row->layouts[0] : NULL;
}

static const void *object_causes(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_object);
    return causes_row_of(&snapshot->causes, CAUSES_OBJECTS, row->id);
}

static const struct column object_list[] = {
    COLUMN(.title = "SHARE", .key = "share",
           .help = "The object's share of all attributed samples, weighted by period and age.",
           .from = FIELD(struct snapshot_object, share.value), .width = 6, UNIT_SHARE),
    COLUMN(.title = "±",
           .help = "Margin of error in percentage points: large with few samples, or with many "
                   "unattributed ones.",
           .value = object_half_interval, .width = 4, UNIT_POINTS),
    COLUMN(.title = "MAY WAIT",
           .help = "Upper limit of the time waited here: the share times the upper bound of WAITS. "
                   "Sorted by it, cached data comes last.",
           .value = object_possible_wait, .width = 9, .rank = 2, .shown = waits_known, UNIT_SHARE),
    COLUMN(.title = "", .from = FIELD(struct snapshot_object, share.value), .width = 8,
           .width_max = 12, .rank = 4, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "SAMPLES", .key = "samples",
           .help = "Samples that the share is based on; old ones count less unless the whole run "
                   "is shown.",
           .from = SUM(struct snapshot_object, samples, count_excess), .width = 7, .rank = 5,
           UNIT_COUNT),
    COLUMN(.title = "NAME", .help = "The variable, heap blocks, stack or mapping with the samples.",
           .from = FIELD(struct snapshot_object, name), .width = 14, .width_max = 64,
           .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "KIND", .key = "kind",
           .help =
               "global, heap, stack, tls, map (file), anon, code (data among code), jit, unknown.",
           .from = FIELD(struct snapshot_object, kind), .name = object_kind_name, .width = 7,
           .rank = 1, .paint = paint_dim),
    COLUMN(.title = "TYPE", .help = "Its type, if debug information has it, without \"struct\".",
           .value = object_column_type, .width = 16, .width_max = 28, .rank = 4,
           .look = COLUMN_NAME, .needs_any_value = true),
    COLUMN(.title = "MODULE", .key = "module", .help = "The program or library it belongs to.",
           .from = KNOWN(struct snapshot_object, module), .width = 10, .width_max = 20, .rank = 8,
           .look = COLUMN_NAME, .paint = paint_dim),
    COLUMN(.title = "SIZE", .key = "size", .help = "Bytes it spans.",
           .from = KNOWN(struct snapshot_object, size), .width = 6, .rank = 2, UNIT_BYTES),
    COLUMN(.title = "BLOCKS", .key = "blocks",
           .help = "Instances seen: blocks, or threads for stacks and thread-local variables.",
           .from = KNOWN(struct snapshot_object, blocks), .width = 6, .rank = 10, UNIT_COUNT),
    COLUMN(.title = "THR", .key = "threads",
           .help = "Threads with samples on it (255: that many or more).",
           .from = KNOWN(struct snapshot_object, threads), .width = 3, .rank = 13, UNIT_INTEGER),
    LOADS_COLUMNS(7, struct snapshot_object, {0}),
    WAITS_COLUMNS(3, struct snapshot_object),
    RATES_COLUMN_STALL(6, ROW_OF(struct snapshot_object, rates)),
    COLUMN(.title = "L1", .help = "Its share of first-level misses (event l1-miss).",
           .value = object_l1_miss_share, .width = 6, .rank = 9, .needs_any_value = true,
           UNIT_SHARE),
    COLUMN(.title = "L2", .help = "Its share of second-level misses (event l2-miss).",
           .value = object_l2_miss_share, .width = 6, .rank = 9, .needs_any_value = true,
           UNIT_SHARE),
    COLUMN(.title = "FILL", .help = "Its share of fills from memory (event mem-fill).",
           .value = object_fill_share, .width = 6, .rank = 9, .needs_any_value = true, UNIT_SHARE),
    RATES_COLUMNS(3, ROW_OF(struct snapshot_object, rates)),
    LEVELS_COLUMNS(2, 3, ROW_OF(struct snapshot_object, levels)),
    LEVELS_COLUMNS_REST(5, ROW_OF(struct snapshot_object, levels)),
    COLUMN(.title = "INFER",
           .help = "Share of its samples with an inferred address: of a neighbour, or of one lane "
                   "of a gather.",
           .value = object_inferred_share, .width = 5, .rank = 14, .shown = has_inferred,
           UNIT_PERCENT, .paint = paint_dim),
    COLUMN(.title = "HOT FIELD",
           .help = "The member of its type with most samples; the type is shown if the name does "
                   "not have it. Without a type, [*]+40 is 40 bytes into each array element. "
                   "(spread): no byte or element has 5 %.",
           .value = object_hot_field, .width = 14, .width_max = 28, .rank = 3, .look = COLUMN_NAME),
    COLUMN(.title = "OF IT", .help = "Share of the object's samples on the hot field.",
           .value = hot_share, .width = 5, .rank = 3, UNIT_SHARE),
    COLUMN(.title = "DIFF",
           .help = "Share of its samples for which the code indicates another type than the "
                   "object's own.",
           .value = object_disagreement, .width = 5, .rank = 5, .shown = has_disagreement,
           UNIT_PERCENT, .paint = paint_warn),
    COLUMN(.title = "TREND",
           .help = "Its share in each of the last refreshes; each row has its own scale.",
           .from = FIELD(struct snapshot_object, history[SNAPSHOT_HISTORY - 1]), .width = 8,
           .width_max = SNAPSHOT_HISTORY, .rank = 6, .look = COLUMN_SPARK, .paint = paint_share,
           .series = object_history),
    MEMBER("name", struct snapshot_object, name),
    MEMBER("type", struct snapshot_object, type),
    MEMBER("type_raw", struct snapshot_object, type_raw),
    COLUMN(.key = "type_votes", .known_if = ROW_OF(struct snapshot_object, type),
           .from = FIELD(struct snapshot_object, type_votes)),
    COLUMN(.key = "type_against", .known_if = ROW_OF(struct snapshot_object, type),
           .from = FIELD(struct snapshot_object, type_votes_against)),
    COLUMN(.key = "typed", .from = FIELD(struct snapshot_object, typed[0]), .form = JSON_COUNT,
           .elements = TYPED_COUNT, .element_name = typed_key),
    COLUMN(.key = "address", .from = FIELD(struct snapshot_object, address),
           .format = format_address),
    MEMBER("share_low", struct snapshot_object, share.low),
    MEMBER("share_high", struct snapshot_object, share.high),
    COLUMN(.key = "loads", .form = JSON_COUNT, .from = COUNTED(struct snapshot_object, loads)),
    COLUMN(.key = "stores", .form = JSON_COUNT, .from = COUNTED(struct snapshot_object, stores)),
    COLUMN(.key = "inferred", .form = JSON_COUNT,
           .from = COUNTED(struct snapshot_object, inferred)),
    COLUMN(.from = ROW_OF(struct snapshot_object, levels), .members = &levels_members),
    COLUMN(.key = "stall_share", .value = stall_share),
    MEMBER_KNOWN("element_size", struct snapshot_object, element_size),
    COLUMN(.key = "element_confidence", .known_if = FIELD(struct snapshot_object, element_size),
           .from = FIELD(struct snapshot_object, element_confidence)),
    COLUMN(.from = ROW_OF(struct snapshot_object, rates), .members = &rates_members),
    COLUMN(.from = ROW_OF(struct snapshot_object, use), .members = &use_members),
    COLUMN(.key = "causes", .target = object_causes, .rows = &causes_members,
           .json_if_snapshot = FIELD(struct snapshot, causes.known)),
    COLUMN(.key = "events", .json = json_event_shares),
    COLUMN(.target = object_heap, .members = &heap_members),
    COLUMN(.key = "fields", .from = ROW_OF(struct snapshot_object, fields),
           .count = FIELD(struct snapshot_object, field_count), .rows = &field_columns),
    COLUMN(.key = "layout", .target = object_layout, .rows = &layout_members),
    COLUMN(.key = "layouts", .from = ROW_OF(struct snapshot_object, layouts),
           .count = FIELD(struct snapshot_object, layout_count), .rows = &layout_summary_members),
    COLUMN(.key = "code", .from = ROW_OF(struct snapshot_object, code),
           .count = FIELD(struct snapshot_object, code_count), .rows = &function_columns),
    COLUMN(.key = "callers", .from = ROW_OF(struct snapshot_object, callers),
           .rows = &callers_members, .json_if = ROW_OF(struct snapshot_object, callers)),
    COLUMN(.key = "instances", .from = ROW_OF(struct snapshot_object, instances),
           .count = FIELD(struct snapshot_object, instance_count), .rows = &instance_columns),
    COLUMN(.key = "history", .from = FIELD(struct snapshot_object, history[0]),
           .elements = SNAPSHOT_HISTORY),
};

const struct columns object_columns = {
    .title = "Objects",
    TABLE(struct snapshot_object, object_list),
    ALL_OF(objects, object_count),
    .key = FIELD(struct snapshot_object, id),
    .interval = ROW_IN(struct snapshot_object, share),
    .explain = object_explain,
};
