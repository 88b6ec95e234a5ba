/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of processes, of this machine or of a recording, where none was named. */
#include <stdio.h>

#include "view/screen/browser.h"

static void open_picker(struct browser *browser, bool recorded)
{
    if (browser->page != PAGE_PICKER)
        browser->picker.from = browser->page;
    browser->page = PAGE_PICKER;
    browser->picker.recorded = recorded;
}

void browser_pick_end(struct browser *browser, bool picked)
{
    table_set(&browser->picker.processes, NULL, NULL, 0);
    table_set(&browser->picker.of_recording, NULL, NULL, 0);
    browser->page = picked ? PAGE_OBJECTS : browser->picker.from;
    /* What was opened belongs to the other process. */
    if (picked) {
        browser->back_count = 0;
        browser->detail.chosen = false;
    }
}

void browser_pick(struct browser *browser, const struct picker_row *rows, size_t count)
{
    open_picker(browser, false);
    table_set(&browser->picker.processes, NULL, rows, count);
}

void browser_pick_recorded(struct browser *browser, const struct picker_row *rows, size_t count)
{
    open_picker(browser, true);
    table_set(&browser->picker.of_recording, NULL, rows, count);
}

static struct table *listed(struct browser *browser)
{
    return browser->picker.recorded ? &browser->picker.of_recording : &browser->picker.processes;
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
    if (!browser->picker.recorded)
        browser_message(browser, "attaching ...");
    return true;
}

static void picker_hint(struct browser *browser, char *out, size_t size)
{
    if (browser->picker.recorded)
        snprintf(out, size, "%s. From a shell: misstop -i FILE -p PID",
                 browser->snapshot ? "Esc goes back to the picture" : "P comes back to this list");
    else
        snprintf(out, size,
                 "\\ and a word narrow the list; F6 sorts. From a shell: misstop -p PID");
}

static const enum action picker_bar[] = {ACTION_ENTER,     ACTION_FILTER, ACTION_FIND,
                                         ACTION_SORT_NEXT, ACTION_INVERT, ACTION_NONE};

const struct page picker_page = {
    .name = "Processes",
    .draw = picker_draw,
    .panes = picker_panes,
    .act = picker_act,
    .hint = picker_hint,
    .bar = picker_bar,
};
