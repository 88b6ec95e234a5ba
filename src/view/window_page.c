/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 6: how often addresses recur, which do most, and what misses together. */
#include "view/browser.h"

#include "base/text.h"
#include "view/bar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WIDE_COLUMNS = 100, TALL_ROWS = 18, HISTOGRAM_BAR = 32 };

static const char *const bin_names[SNAPSHOT_RECURRENCE_BINS] = {"once", "2",     "3-4",   "5-8",
                                                                "9-16", "17-32", "33-64", "65+"};

static void window_update(struct browser *browser)
{
    const struct snapshot_window *window = &browser->snapshot->window;
    table_set(&browser->window.lines, browser->snapshot, window->top, window->top_count);
    table_set(&browser->window.pairs, browser->snapshot, window->pairs, window->pair_count);
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

static unsigned window_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->window.lines;
    panes[1] = &browser->window.pairs;
    return 2;
}

static void draw_pane(struct browser *browser, struct canvas *canvas, struct area area, unsigned i)
{
    struct table *panes[PANES_MAX];
    window_panes(browser, panes);
    int used = pane_title(canvas, area, browser_focused(browser, panes[i]), "%s",
                          panes[i]->columns->title);
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, panes[i], empty_texts[i]);
}

static void draw_lists(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    unsigned count = window_panes(browser, panes);
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
    uint32_t index = table == &browser->window.lines
                         ? ((const struct snapshot_recurrence *)row)->object
                         : ((const struct snapshot_pair *)row)->object_a;
    const struct snapshot_object *object = columns_object(browser->snapshot, index);
    if (object)
        browser_open_object(browser, object);
    return true;
}

static void window_hint(struct browser *browser, char *out, size_t size)
{
    if (browser_table(browser) == &browser->window.pairs)
        snprintf(out, size,
                 "A high lift: wanted at the same time, so put them together. Enter: opens");
    else
        snprintf(out, size,
                 "Mostly once: more data than a cache keeps. A few, again and again: see 3 Sets");
}

static const enum action window_bar[] = {ACTION_BACK,   ACTION_RIGHT,  ACTION_ENTER,
                                         ACTION_FIND,   ACTION_FILTER, ACTION_SORT_NEXT,
                                         ACTION_FREEZE, ACTION_WRITE,  ACTION_NONE};

const struct page window_page = {
    .name = "Window",
    .update = window_update,
    .draw = window_draw,
    .panes = window_panes,
    .act = window_act,
    .hint = window_hint,
    .bar = window_bar,
};
