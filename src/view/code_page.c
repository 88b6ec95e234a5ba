/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 5: the same misses from the side of the code. */
#include "view/browser.h"

#include <stdio.h>

static void code_update(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    if (snapshot)
        table_suggest_sort(&browser->code.functions, columns_functions_sort(snapshot));
    table_set(&browser->code.functions, snapshot, snapshot->code, snapshot->code_count);
    table_set(&browser->code.threads, snapshot, snapshot->threads.list, snapshot->threads.count);
}

/* A process of one thread has nothing to tell apart. */
static unsigned code_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->code.functions;
    panes[1] = &browser->code.threads;
    return browser->snapshot && browser->snapshot->threads.count > 1 ? 2 : 1;
}

static bool shows_threads(struct browser *browser)
{
    return browser_focused(browser, &browser->code.threads);
}

static void code_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    unsigned count = code_panes(browser, panes);
    int used = count > 1 ? pane_tabs(browser, canvas, area, panes, count) : 0;
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, browser_table(browser), "No function has samples yet.");
}

static bool code_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    const void *row = table_selected(browser_table(browser));
    if (action != ACTION_ENTER || !row)
        return false;
    if (shows_threads(browser))
        browser_open_listed(browser, ((const struct snapshot_thread *)row)->object);
    else
        browser_open_function(browser, row);
    return true;
}

static void code_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot *snapshot = browser->snapshot;
    int used = 0;
    if (snapshot && shows_threads(browser)) {
        used = snprintf(out, size,
                        "Of the newest %llu samples. Enter: the object with most of its samples",
                        (unsigned long long)snapshot->threads.recent);
        if (snapshot->threads.left_out && used > 0 && (size_t)used < size)
            snprintf(out + used, size - (size_t)used,
                     ".  %zu threads with fewer samples are not "
                     "listed",
                     snapshot->threads.left_out);
        return;
    }
    snprintf(out, size,
             "Enter: the source lines and instructions of this function, and the data they access");
}

static const char *code_enter(struct browser *browser)
{
    const struct table *table = browser_table(browser);
    return !table_selected(table) ? "" : shows_threads(browser) ? "Object" : "Source";
}

static const enum action code_bar[] = {ACTION_ENTER, ACTION_RIGHT,  ACTION_MATRIX,    ACTION_BACK,
                                       ACTION_FIND,  ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE,
                                       ACTION_BASIS, ACTION_INVERT, ACTION_WRITE,     ACTION_NONE};

const struct page code_page = {
    .name = "Code",
    .update = code_update,
    .draw = code_draw,
    .panes = code_panes,
    .act = code_act,
    .hint = code_hint,
    .enter = code_enter,
    .bar = code_bar,
};
