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
}

static void code_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    pane_table(browser, canvas, area, &browser->code.functions, "No function has missed yet.");
}

static unsigned code_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->code.functions;
    return 1;
}

static bool code_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    const struct snapshot_code *code = table_selected(&browser->code.functions);
    if (action != ACTION_ENTER || !code)
        return false;
    browser_open_function(browser, code);
    return true;
}

static void code_hint(struct browser *browser, char *out, size_t size)
{
    (void)browser;
    snprintf(out, size,
             "Enter: the source lines and instructions of this function that miss, and on what");
}

static const char *code_enter(struct browser *browser)
{
    return table_selected(&browser->code.functions) ? "Source" : "";
}

static const enum action code_bar[] = {ACTION_ENTER,  ACTION_MATRIX,    ACTION_BACK,   ACTION_FIND,
                                       ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE, ACTION_BASIS,
                                       ACTION_INVERT, ACTION_WRITE,     ACTION_NONE};

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
