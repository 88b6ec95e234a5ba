/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of processes, of this machine or of a recording, where none was named. */
#include <stdio.h>

#include "view/screen/browser.h"

struct picker_view {
    bool recorded;     /* those of a recording are listed */
    enum page_id from; /* to go back to */
    struct table processes;
    struct table of_recording;
};

static struct picker_view *picker_view(const struct browser *browser)
{
    return page_state(browser, PAGE_PICKER);
}

static void open_picker(struct browser *browser, bool recorded)
{
    if (browser->page != PAGE_PICKER)
        picker_view(browser)->from = browser->page;
    browser->page = PAGE_PICKER;
    picker_view(browser)->recorded = recorded;
}

void browser_pick_end(struct browser *browser, bool picked)
{
    table_set(&picker_view(browser)->processes, NULL, NULL, 0);
    table_set(&picker_view(browser)->of_recording, NULL, NULL, 0);
    browser->page = picked ? PAGE_OBJECTS : picker_view(browser)->from;
    /* What was opened belongs to the other process. */
    if (picked) {
        browser->back_count = 0;
        browser->opened.chosen = false;
    }
}

void browser_pick(struct browser *browser, const struct picker_row *rows, size_t count)
{
    open_picker(browser, false);
    table_set(&picker_view(browser)->processes, NULL, rows, count);
}

void browser_pick_recorded(struct browser *browser, const struct picker_row *rows, size_t count)
{
    open_picker(browser, true);
    table_set(&picker_view(browser)->of_recording, NULL, rows, count);
}

static struct table *listed(struct browser *browser)
{
    struct picker_view *view = picker_view(browser);
    return view->recorded ? &view->of_recording : &view->processes;
}

static void picker_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    if (area.rows >= 16) {
        area.row++;
        area.rows--;
    }
    pane_table(browser, canvas, area, listed(browser),
               "No process that could be watched. Start one, or run as its user.");
}

static unsigned picker_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = listed(browser);
    return 1;
}

static bool picker_act(struct browser *browser, enum action action, struct request *request)
{
    const struct table *table = listed(browser);
    const struct picker_row *row = table_selected(table);
    if (action == ACTION_BACK && browser->snapshot && !*table->filter) {
        request->kind = REQUEST_LEAVE;
        return true;
    }
    if (action != ACTION_ENTER || !row)
        return false;
    request->kind = REQUEST_PICK;
    request->pid = row->pid;
    if (!picker_view(browser)->recorded)
        browser_message(browser, "attaching ...");
    return true;
}

static void picker_hint(struct browser *browser, char *out, size_t size)
{
    if (picker_view(browser)->recorded)
        snprintf(out, size, "%s. From a shell: misstop -i FILE -p PID",
                 browser->snapshot ? "Esc goes back to the picture" : "P comes back to this list");
    else
        snprintf(out, size,
                 "\\ and a word narrow the list; F6 sorts. From a shell: misstop -p PID");
}

static void picker_title(const struct browser *browser, char *out, size_t size)
{
    bool recorded = picker_view(browser)->recorded;
    snprintf(out, size, "which process%s? Enter %s the one selected",
             recorded ? " of the recording" : "", recorded ? "shows" : "watches");
}

const struct page picker_page = {
    .name = "Processes",
    .state_size = sizeof(struct picker_view),
    .tables = {{.at = offsetof(struct picker_view, processes),
                .columns = &process_columns,
                .chosen_from = true},
               {.at = offsetof(struct picker_view, of_recording),
                .columns = &recorded_columns,
                .chosen_from = true}},
    .title = picker_title,
    .draw = picker_draw,
    .panes = picker_panes,
    .act = picker_act,
    .hint = picker_hint,
    .bar = {ACTION_ENTER, ACTION_FILTER, ACTION_FIND, ACTION_SORT_NEXT, ACTION_INVERT},
};
