/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 6: how often addresses recur, which do most, and what misses together. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "view/screen/browser.h"
#include "view/widget/chart.h"
#include "view/widget/columns.h"

struct window_view {
    struct table lines;
    struct table pairs;
};

static struct window_view *window_view(const struct browser *browser)
{
    return page_state(browser, PAGE_WINDOW);
}

enum { WIDE_COLUMNS = 100, TALL_ROWS = 18, HISTOGRAM_BAR = 32 };

static const char *const bin_names[SNAPSHOT_RECURRENCE_BINS] = {"once", "2",     "3-4",   "5-8",
                                                                "9-16", "17-32", "33-64", "65+"};

static void window_update(struct browser *browser)
{
    const struct snapshot_window *window = &browser->snapshot->window;
    table_set(&window_view(browser)->lines, browser->snapshot, window->top, window->top_count);
    table_set(&window_view(browser)->pairs, browser->snapshot, window->pairs, window->pair_count);
}

static int draw_facts(const struct snapshot_window *window, struct canvas *canvas, struct area area)
{
    char used[16], entries[16], addresses[16], once[16], again[16];
    char span[32] = "";
    if (window->span_s > 0)
        snprintf(span, sizeof span, " over %.3g s", window->span_s);
    canvas_format(
        canvas, area.row, 0, area.columns, PAINT_PLAIN,
        " Window: %s samples%s (room for %s), %s lines: %s seen once, %s again",
        text_count(used, (double)window->used), span, text_count(entries, (double)window->entries),
        text_count(addresses, (double)window->addresses),
        text_count(once, (double)window->singletons), text_count(again, (double)window->recurring));
    if (area.rows < 6 || !window->reading)
        return 1;
    struct area reading = {area.row + 1, 1, area.rows >= 12 ? 2 : 1, area.columns - 2};
    return 1 + canvas_wrap(canvas, reading, PAINT_STRONG, window->reading);
}

static int draw_histogram(const struct snapshot_window *window, struct canvas *canvas,
                          struct area area)
{
    uint64_t all = 0;
    char bar[BAR_BYTES(HISTOGRAM_BAR)];
    char text[16];
    for (int i = 0; i < SNAPSHOT_RECURRENCE_BINS; i++)
        all += window->histogram[i];
    canvas_text(canvas, area.row, 0, area.columns, PAINT_DIM, "  Lines by their number of samples");
    for (int i = 0; i < SNAPSHOT_RECURRENCE_BINS && i + 1 < area.rows; i++) {
        double part = all ? (double)window->histogram[i] / (double)all : 0;
        bar_fill(bar, sizeof bar, HISTOGRAM_BAR, part, canvas->ascii);
        int row = area.row + 1 + i;
        canvas_format(canvas, row, 0, 8, PAINT_PLAIN, "%7s", bin_names[i]);
        canvas_text(canvas, row, 9, HISTOGRAM_BAR, i ? PAINT_HEAT_3 : PAINT_HEAT_1, bar);
        if (window->histogram[i])
            canvas_format(canvas, row, 10 + HISTOGRAM_BAR, area.columns - 10 - HISTOGRAM_BAR,
                          PAINT_DIM, "%6s  %s%.1f%%",
                          text_count(text, (double)window->histogram[i]), part < 0.0005 ? "<" : " ",
                          fmax(part * 100, 0.1));
    }
    return SNAPSHOT_RECURRENCE_BINS + 1;
}

static const char *const empty_texts[] = {"No line has two samples within the window.",
                                          "No samples come together more often than by chance."};

static void draw_pane(struct browser *browser, struct canvas *canvas, struct area area, unsigned i)
{
    struct table *panes[PANES_MAX];
    browser_panes(browser, panes);
    int used = pane_title(canvas, area, browser_focused(browser, panes[i]), "%s",
                          panes[i]->columns->title);
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, panes[i], empty_texts[i]);
}

static void draw_lists(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    unsigned count = browser_panes(browser, panes);
    unsigned shown = browser->pane[PAGE_WINDOW] % count;
    if (area.columns >= WIDE_COLUMNS) {
        int left = area.columns / 2 - 1;
        struct area lines = {area.row, 0, area.rows, left};
        struct area pairs = {area.row, left + 2, area.rows, area.columns - left - 2};
        draw_pane(browser, canvas, lines, 0);
        draw_pane(browser, canvas, pairs, 1);
        return;
    }
    int used = pane_tabs(browser, canvas, area, panes, count);
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, panes[shown], empty_texts[shown]);
}

static void window_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_window *window = &browser->snapshot->window;
    int used = draw_facts(window, canvas, area);
    if (area.rows >= TALL_ROWS) {
        struct area histogram = {area.row + used + 1, 0, area.rows - used - 1, area.columns};
        used += 2 + draw_histogram(window, canvas, histogram);
    }
    struct area lists = {area.row + used, 0, area.rows - used, area.columns};
    draw_lists(browser, canvas, lists);
}

static bool window_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    const struct table *table = browser_table(browser);
    const void *row = table ? table_selected(table) : NULL;
    if (action != ACTION_ENTER || !row)
        return false;
    uint32_t index = table == &window_view(browser)->lines
                         ? ((const struct snapshot_recurrence *)row)->object
                         : ((const struct snapshot_pair *)row)->object_a;
    const struct snapshot_object *object = columns_object(browser->snapshot, index);
    if (object)
        browser_open_object(browser, object);
    return true;
}

static void window_hint(struct browser *browser, char *out, size_t size)
{
    if (browser_table(browser) == &window_view(browser)->pairs)
        snprintf(out, size,
                 "A high lift: wanted at the same time, so put them together. Enter: opens");
    else
        snprintf(out, size,
                 "Mostly once: more data than a cache keeps. A few, again and again: see 3 Sets");
}

const struct page window_page = {
    .name = "Window",
    .shows = "The newest samples by cache line: how often lines come again, which do most, and "
             "which objects are accessed one after the other.",
    .next =
        "Mostly seen once: the data is larger than the cache, or it is streamed through. Mostly "
        "again: a few lines have the samples; Sets and Sharing show what they have in common.",
    .state_size = sizeof(struct window_view),
    .tables = {{.at = offsetof(struct window_view, lines), .columns = &line_columns},
               {.at = offsetof(struct window_view, pairs), .columns = &pair_columns}},
    .update = window_update,
    .draw = window_draw,
    .act = window_act,
    .hint = window_hint,
    .bar = {ACTION_BACK, ACTION_RIGHT, ACTION_ENTER, ACTION_FIND, ACTION_FILTER, ACTION_SORT_NEXT,
            ACTION_FREEZE, ACTION_WRITE},
};

/* Columns of recurring lines and of what misses together; of the process list. */

#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

static struct value object_name(const struct snapshot *snapshot, uint32_t index)
{
    const struct snapshot_object *object = columns_object(snapshot, index);
    return value_text(object ? object->name : "(not listed)");
}

static struct value line_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_recurrence);
    return object_name(snapshot, row->object);
}

static struct value line_offset(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_recurrence);
    bool known = columns_object(snapshot, row->object);
    return known ? value_integer(row->offset) : value_text(NULL);
}

static uint64_t line_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_recurrence);
    return row->address;
}

static const struct column line_list[] = {
    COLUMN(.title = "TIMES", .key = "count", .after = "address",
           .help = "Samples on the line within the window.",
           .from = FIELD(struct snapshot_recurrence, count), .width = 5, UNIT_COUNT),
    COLUMN(.title = "LINE", .key = "address", .help = "Address of the cache line.",
           .from = FIELD(struct snapshot_recurrence, address), .width = 14, .most = 18, .rank = 1,
           .format = format_address, .paint = paint_dim),
    COLUMN(.title = "SET", .key = "set", .help = "Its cache set (see Sets).",
           .from = FIELD(struct snapshot_recurrence, set), .width = 5, .rank = 3, UNIT_INTEGER),
    COLUMN(.title = "FUNCS", .key = "functions", .after = "offset",
           .help = "Functions with samples on it.",
           .from = KNOWN(struct snapshot_recurrence, functions), .width = 5, .rank = 4,
           UNIT_INTEGER),
    COLUMN(.title = "OBJECT", .value = line_object, .width = 12, .most = 48, .look = COLUMN_NAME,
           .paint = paint_strong),
    COLUMN(.title = "OFFSET", .key = "offset", .after = "object", .value = line_offset, .width = 9,
           .rank = 2, .format = format_offset),
    COLUMN(.key = "object", .in = ROW_IN(struct snapshot_recurrence, object),
           .target = columns_object_at, .from = FIELD(struct snapshot_object, name)),
};

const struct columns line_columns = {
    .title = "Recurring lines",
    TABLE(struct snapshot_recurrence, line_list),
    .identity = line_identity,
};

static struct value pair_a(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_pair);
    return object_name(snapshot, row->object_a);
}

static struct value pair_b(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_pair);
    return object_name(snapshot, row->object_b);
}

static bool has_lines(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->window.pair_count; i++)
        if (snapshot->window.pairs[i].line_a)
            return true;
    return false;
}

/* Objects by their ids, as indices change from one snapshot to the next. */
static uint64_t pair_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_pair);
    const struct snapshot_object *a = columns_object(snapshot, row->object_a);
    const struct snapshot_object *b = columns_object(snapshot, row->object_b);
    uint64_t objects = (uint64_t)(a ? a->id : UINT32_MAX) << 32 | (b ? b->id : UINT32_MAX);
    return objects ^ row->line_a << 13 ^ row->line_b << 27;
}

static const struct column pair_list[] = {
    COLUMN(.title = "LIFT", .key = "lift", .after = "together",
           .help =
               "How many times more often than by chance samples on the two come close together.",
           .from = FIELD(struct snapshot_pair, lift), .width = 6, .look = COLUMN_RIGHT,
           .format = format_times),
    COLUMN(.title = "TIMES", .key = "together", .after = "object_b",
           .help = "Times they were seen together.", .from = FIELD(struct snapshot_pair, together),
           .width = 5, .rank = 3, UNIT_COUNT),
    COLUMN(.title = "OBJECT", .value = pair_a, .width = 8, .most = 48, .look = COLUMN_NAME,
           .paint = paint_strong),
    COLUMN(.title = "LINE", .key = "line_a", .from = KNOWN(struct snapshot_pair, line_a),
           .width = 14, .most = 18, .rank = 1, .shown = has_lines, .format = format_address,
           .paint = paint_dim),
    COLUMN(.title = "WITH", .value = pair_b, .width = 8, .most = 48, .look = COLUMN_NAME,
           .paint = paint_strong),
    COLUMN(.title = "LINE", .key = "line_b", .from = KNOWN(struct snapshot_pair, line_b),
           .width = 14, .most = 18, .rank = 1, .shown = has_lines, .format = format_address,
           .paint = paint_dim),
    COLUMN(.key = "object_a", .in = ROW_IN(struct snapshot_pair, object_a),
           .target = columns_object_at, .from = FIELD(struct snapshot_object, name)),
    COLUMN(.key = "object_b", .in = ROW_IN(struct snapshot_pair, object_b),
           .target = columns_object_at, .from = FIELD(struct snapshot_object, name)),
};

const struct columns pair_columns = {
    .title = "Sampled together",
    TABLE(struct snapshot_pair, pair_list),
    .identity = pair_identity,
};

static struct value process_cpu(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_number(row->cpu_percent / 100);
}

static struct value process_state(const struct snapshot *snapshot, const void *pointer)
{
    static const struct {
        char letter;
        const char *word;
    } states[] = {{'R', "runs"},   {'S', "sleeps"}, {'D', "disk"}, {'T', "stopped"},
                  {'t', "traced"}, {'Z', "zombie"}, {'I', "idle"}};
    ROW(picker_row);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i].letter == row->state)
            return value_text(states[i].word);
    return value_text(NULL);
}

static void format_span(char *out, size_t size, struct value value)
{
    char text[32];
    snprintf(out, size, "%s", play_time_text(text, value.number, 0));
}

static uint64_t process_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return row->pid;
}

static const struct column process_list[] = {
    COLUMN(.title = "CPU", .value = process_cpu, .width = 6, UNIT_SHARE),
    COLUMN(.title = "PID", .from = FIELD(struct picker_row, pid), .width = 7, UNIT_INTEGER),
    COLUMN(.title = "USER", .from = FIELD(struct picker_row, user), .width = 8, .most = 12,
           .rank = 4, .paint = paint_dim),
    COLUMN(.title = "MEMORY", .from = KNOWN(struct picker_row, resident_bytes), .width = 6,
           .rank = 2, UNIT_BYTES),
    COLUMN(.title = "THREADS", .from = KNOWN(struct picker_row, threads), .width = 7, .rank = 3,
           UNIT_INTEGER),
    COLUMN(.title = "STATE", .value = process_state, .width = 7, .rank = 5, .paint = paint_dim),
    COLUMN(.title = "COMMAND", .from = FIELD(struct picker_row, command), .width = 14, .most = 255,
           .paint = paint_strong),
};

const struct columns process_columns = {
    .title = "Processes",
    TABLE(struct picker_row, process_list),
    .identity = process_identity,
};

static const struct column recorded_list[] = {
    COLUMN(.title = "SHARE", .from = FIELD(struct picker_row, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "SAMPLES", .from = FIELD(struct picker_row, samples), .width = 9, UNIT_INTEGER),
    COLUMN(.title = "PID", .from = FIELD(struct picker_row, pid), .width = 7, UNIT_INTEGER),
    COLUMN(.title = "SAMPLED FOR", .from = FIELD(struct picker_row, span_s), .width = 11, .rank = 2,
           .look = COLUMN_RIGHT, .format = format_span),
    COLUMN(.title = "NAME", .from = FIELD(struct picker_row, command), .width = 14, .most = 255,
           .paint = paint_strong),
};

const struct columns recorded_columns = {
    .title = "Processes recorded",
    TABLE(struct picker_row, recorded_list),
    .identity = process_identity,
};
