/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen i: the threads, as a trial of how much a screen takes. */
#include "view/screen/browser.h"

static struct table *threads_table(const struct browser *browser)
{
    return page_state(browser, PAGE_THREADS);
}

static void threads_update(struct browser *browser)
{
    const struct snapshot_threads *threads = &browser->snapshot->threads;
    table_set(threads_table(browser), browser->snapshot, threads->list, threads->count);
}

static void threads_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    pane_table(browser, canvas, area, threads_table(browser), "No thread has samples yet.");
}

static bool threads_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_thread *thread = table_selected(threads_table(browser));
    (void)request;
    if (action != ACTION_ENTER || !thread)
        return false;
    browser_open_listed(browser, thread->object);
    return true;
}

const struct page threads_page = {
    .name = "Threads",
    .shows = "Threads by their samples.",
    .next = "Enter opens the object with most of its samples.",
    .key_help = "Threads: samples of each thread",
    .state_size = sizeof(struct table),
    .tables = {{.columns = &thread_columns}},
    .update = threads_update,
    .draw = threads_draw,
    .act = threads_act,
    .bar = {ACTION_ENTER, ACTION_BACK, ACTION_SORT_NEXT},
};
