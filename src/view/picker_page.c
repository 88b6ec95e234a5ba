/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of processes, where misstop is started without one. */
#include "view/browser.h"

#include <stdio.h>

static void picker_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    if (area.rows >= 16) {
        area.row++;
        area.rows--;
    }
    pane_table(browser, canvas, area, &browser->picker.processes,
               "No process that could be watched. Start one, or run as its user.");
}

static unsigned picker_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->picker.processes;
    return 1;
}

static bool picker_act(struct browser *browser, enum action action, struct request *request)
{
    const struct picker_row *row = table_selected(&browser->picker.processes);
    if (action != ACTION_ENTER || !row)
        return false;
    request->kind = REQUEST_PICK;
    request->pid = row->pid;
    browser_message(browser, "attaching ...");
    return true;
}

static void picker_hint(struct browser *browser, char *out, size_t size)
{
    (void)browser;
    snprintf(out, size, "\\ and a word narrow the list; F6 sorts. From a shell: misstop -p PID");
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
