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

static struct value line_count(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_recurrence);
    return value_integer(row->count);
}

static struct value line_address(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_recurrence);
    return value_integer(row->address);
}

static struct value line_set(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_recurrence);
    return value_integer(row->set);
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

static struct value line_functions(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_recurrence);
    return value_known(row->functions);
}

static uint64_t line_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_recurrence);
    return row->address;
}

static const struct column line_list[] = {
    {"TIMES", "Samples on the line within the window.", 5, 0, 0, COLUMN_RIGHT, NULL, line_count,
     format_count, NULL, NULL},
    {"LINE", "Address of the cache line.", 14, 18, 1, COLUMN_TEXT, NULL, line_address,
     format_address, paint_dim, NULL},
    {"SET", "Its cache set (see Sets).", 5, 0, 3, COLUMN_RIGHT, NULL, line_set, format_integer,
     NULL, NULL},
    {"FUNCS", "Functions with samples on it.", 5, 0, 4, COLUMN_RIGHT, NULL, line_functions,
     format_integer, NULL, NULL},
    {"OBJECT", NULL, 12, 48, 0, COLUMN_NAME, NULL, line_object, NULL, paint_strong, NULL},
    {"OFFSET", NULL, 9, 0, 2, COLUMN_TEXT, NULL, line_offset, format_offset, NULL, NULL},
};

const struct columns line_columns = {
    .title = "Recurring lines",
    .list = line_list,
    .count = sizeof line_list / sizeof *line_list,
    .row_size = sizeof(struct snapshot_recurrence),
    .identity = line_identity,
};

static struct value pair_lift(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_pair);
    return value_number(row->lift);
}

static struct value pair_together(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_pair);
    return value_integer(row->together);
}

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

static struct value pair_line_a(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_pair);
    return value_known(row->line_a);
}

static struct value pair_line_b(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_pair);
    return value_known(row->line_b);
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
    {"LIFT", "How many times more often than by chance samples on the two come close together.", 6,
     0, 0, COLUMN_RIGHT, NULL, pair_lift, format_times, NULL, NULL},
    {"TIMES", "Times they were seen together.", 5, 0, 3, COLUMN_RIGHT, NULL, pair_together,
     format_count, NULL, NULL},
    {"OBJECT", NULL, 8, 48, 0, COLUMN_NAME, NULL, pair_a, NULL, paint_strong, NULL},
    {"LINE", NULL, 14, 18, 1, COLUMN_TEXT, has_lines, pair_line_a, format_address, paint_dim, NULL},
    {"WITH", NULL, 8, 48, 0, COLUMN_NAME, NULL, pair_b, NULL, paint_strong, NULL},
    {"LINE", NULL, 14, 18, 1, COLUMN_TEXT, has_lines, pair_line_b, format_address, paint_dim, NULL},
};

const struct columns pair_columns = {
    .title = "Sampled together",
    .list = pair_list,
    .count = sizeof pair_list / sizeof *pair_list,
    .row_size = sizeof(struct snapshot_pair),
    .identity = pair_identity,
};

static struct value process_pid(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_integer(row->pid);
}

static struct value process_user(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_text(row->user);
}

static struct value process_cpu(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_number(row->cpu_percent / 100);
}

static struct value process_resident(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_known(row->resident_bytes);
}

static struct value process_threads(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_known(row->threads);
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

static struct value process_command(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_text(row->command);
}

static struct value process_samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_integer(row->samples);
}

static struct value process_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_number(row->share);
}

static struct value process_span(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_number(row->span_s);
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
    {"CPU", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, process_cpu, format_percent, paint_share, NULL},
    {"PID", NULL, 7, 0, 0, COLUMN_RIGHT, NULL, process_pid, format_integer, NULL, NULL},
    {"USER", NULL, 8, 12, 4, COLUMN_TEXT, NULL, process_user, NULL, paint_dim, NULL},
    {"MEMORY", NULL, 6, 0, 2, COLUMN_RIGHT, NULL, process_resident, format_bytes, NULL, NULL},
    {"THREADS", NULL, 7, 0, 3, COLUMN_RIGHT, NULL, process_threads, format_integer, NULL, NULL},
    {"STATE", NULL, 7, 0, 5, COLUMN_TEXT, NULL, process_state, NULL, paint_dim, NULL},
    {"COMMAND", NULL, 14, 255, 0, COLUMN_TEXT, NULL, process_command, NULL, paint_strong, NULL},
};

const struct columns process_columns = {
    .title = "Processes",
    .list = process_list,
    .count = sizeof process_list / sizeof *process_list,
    .row_size = sizeof(struct picker_row),
    .identity = process_identity,
};

static const struct column recorded_list[] = {
    {"SHARE", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, process_share, format_percent, paint_share, NULL},
    {"SAMPLES", NULL, 9, 0, 0, COLUMN_RIGHT, NULL, process_samples, format_integer, NULL, NULL},
    {"PID", NULL, 7, 0, 0, COLUMN_RIGHT, NULL, process_pid, format_integer, NULL, NULL},
    {"SAMPLED FOR", NULL, 11, 0, 2, COLUMN_RIGHT, NULL, process_span, format_span, NULL, NULL},
    {"NAME", NULL, 14, 255, 0, COLUMN_TEXT, NULL, process_command, NULL, paint_strong, NULL},
};

const struct columns recorded_columns = {
    .title = "Processes recorded",
    .list = recorded_list,
    .count = sizeof recorded_list / sizeof *recorded_list,
    .row_size = sizeof(struct picker_row),
    .identity = process_identity,
};
