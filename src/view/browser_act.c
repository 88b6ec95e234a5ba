/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What keys and clicks do; declared in browser.h. */
#include "view/browser.h"

enum { WHEEL_ROWS = 3 };

/* 2 by itself shows what is selected in Objects; 8 does so from there. */
static void go_to_number(struct browser *browser, enum page_id page)
{
    bool from_list = page == PAGE_LAYOUT && browser->page == PAGE_OBJECTS;
    if (page == browser->page)
        return;
    browser_leave(browser);
    if (browser->snapshot && (page == PAGE_DETAIL || from_list)) {
        browser->detail.chosen = false;
        detail_page.update(browser);
    }
    browser_enter(browser, page);
}

static void go_back(struct browser *browser, struct request *request)
{
    struct table *table = browser_table(browser);
    if (table && *table->filter)
        table_filter(table, "");
    else if (browser_return(browser))
        return;
    else if (browser->page != PAGE_OBJECTS && browser->page != PAGE_PICKER)
        browser_enter(browser, PAGE_OBJECTS);
    else if (browser->snapshot && browser->snapshot->stretch)
        browser_now(browser, request);
    else
        browser_message(browser, "q quits");
}

void browser_now(struct browser *browser, struct request *request)
{
    if (browser->frozen)
        browser_freeze(browser);
    if (browser->snapshot && browser->snapshot->stretch)
        request->kind = REQUEST_NOW;
    else
        browser_message(browser, "the run up to now is shown; 0, Phases, selects a stretch of it");
}

static void change_pane(struct browser *browser, int direction)
{
    struct table *panes[PANES_MAX];
    unsigned count = browser_panes(browser, panes);
    unsigned *pane = &browser->pane[browser->page];
    if (count)
        *pane = (*pane + count + (unsigned)direction) % count;
}

static bool move_in_table(struct browser *browser, enum action action)
{
    struct table *table = browser_table(browser);
    if (!table)
        return false;
    switch (action) {
    case ACTION_UP:
        table_move(table, -1);
        return true;
    case ACTION_DOWN:
        table_move(table, 1);
        return true;
    case ACTION_PAGE_UP:
        table_page(table, -1);
        return true;
    case ACTION_PAGE_DOWN:
        table_page(table, 1);
        return true;
    case ACTION_HOME:
        table_move(table, -(long)table->shown);
        return true;
    case ACTION_END:
        table_move(table, (long)table->shown);
        return true;
    case ACTION_SORT_NEXT:
        table_sort_step(table, 1);
        return true;
    case ACTION_SORT_LAST:
        table_sort_step(table, -1);
        return true;
    case ACTION_INVERT:
        table_invert(table);
        return true;
    case ACTION_FIND_NEXT:
        if (!*table->find)
            browser_message(browser, "nothing to find yet: / asks for a word");
        else if (!table_find(table, table->find, false))
            browser_message(browser, "not found");
        return true;
    default:
        return false;
    }
}

static bool move_about(struct browser *browser, enum action action, struct request *request)
{
    switch (action) {
    case ACTION_PAGE_1:
    case ACTION_PAGE_2:
    case ACTION_PAGE_3:
    case ACTION_PAGE_4:
    case ACTION_PAGE_5:
    case ACTION_PAGE_6:
    case ACTION_PAGE_7:
    case ACTION_PAGE_8:
    case ACTION_PAGE_9:
    case ACTION_PAGE_10:
        go_to_number(browser, (enum page_id)(action - ACTION_PAGE_1));
        return true;
    case ACTION_FINDINGS:
        browser_go(browser, PAGE_FINDINGS);
        return true;
    case ACTION_CAUSES:
        browser_go(browser, PAGE_CAUSES);
        return true;
    case ACTION_WHATIF:
        browser_open_whatif(browser);
        return true;
    case ACTION_REUSE:
        browser_go(browser, PAGE_REUSE);
        return true;
    case ACTION_WATCH:
        browser_go(browser, PAGE_WATCH);
        return true;
    case ACTION_NEXT_PAGE:
        return move_about(browser, tabs_next(browser, 1), request);
    case ACTION_LAST_PAGE:
        return move_about(browser, tabs_next(browser, -1), request);
    case ACTION_MATRIX:
        browser_go(browser, PAGE_MATRIX);
        return true;
    case ACTION_HELP:
        help_open(browser);
        return true;
    case ACTION_BACK:
        go_back(browser, request);
        return true;
    case ACTION_LEFT:
        change_pane(browser, -1);
        return true;
    case ACTION_RIGHT:
        change_pane(browser, 1);
        return true;
    case ACTION_NOW:
        browser_now(browser, request);
        return true;
    case ACTION_FREEZE:
        browser_freeze(browser);
        return true;
    case ACTION_FIND:
        prompt_open(browser, PROMPT_FIND);
        return true;
    case ACTION_FILTER:
        prompt_open(browser, PROMPT_FILTER);
        return true;
    default:
        return move_in_table(browser, action);
    }
}

static bool allowed_in_picker(enum action action)
{
    return action == ACTION_QUIT || action == ACTION_SUSPEND || action == ACTION_FIND ||
           action == ACTION_FILTER || action == ACTION_BACK ||
           (action >= ACTION_UP && action <= ACTION_INVERT);
}

static struct request act(struct browser *browser, enum action action)
{
    struct request request = {.kind = REQUEST_NONE};
    const struct page *page = browser_pages[browser->page];
    if (browser->page == PAGE_PICKER && !allowed_in_picker(action))
        return request;
    browser->message_until_ns = 0;
    if (keys_replays(action))
        return play_act(browser, action);
    if (page->act && page->act(browser, action, &request))
        return request;
    if (!move_about(browser, action, &request))
        request.kind = browser_request(browser, action);
    return request;
}

static enum action zone_at(const struct browser *browser, int row, int column)
{
    for (unsigned i = 0; i < browser->zone_count; i++) {
        const struct zone *zone = &browser->zones[i];
        if (row == zone->row && column >= zone->column && column < zone->column + zone->columns)
            return zone->action;
    }
    return ACTION_NONE;
}

static struct request click(struct browser *browser, int row, int column)
{
    struct table *panes[PANES_MAX];
    const struct page *page = browser_pages[browser->page];
    enum action action = zone_at(browser, row, column);
    if (action != ACTION_NONE)
        return act(browser, action);
    if (page->click && page->click(browser, row, column))
        return (struct request){.kind = REQUEST_NONE};
    unsigned count = browser_panes(browser, panes);
    for (unsigned i = 0; i < count; i++) {
        bool focused = panes[i] == browser_table(browser);
        enum table_hit hit = table_click(panes[i], row, column);
        if (hit == TABLE_MISSED)
            continue;
        browser->pane[browser->page] = i;
        if (hit == TABLE_AGAIN && focused)
            return act(browser, ACTION_ENTER);
        break;
    }
    return (struct request){.kind = REQUEST_NONE};
}

struct request browser_input(struct browser *browser, const struct input *input)
{
    struct request none = {.kind = REQUEST_NONE};
    struct table *table = browser_table(browser);
    switch (input->kind) {
    case INPUT_CLICK:
        browser->prompt.kind = PROMPT_NONE;
        return click(browser, input->row, input->column);
    case INPUT_WHEEL_UP:
    case INPUT_WHEEL_DOWN:
        if (!table)
            return act(browser, input->kind == INPUT_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
        table_move(table, input->kind == INPUT_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
        return none;
    default:
        /* Control characters are never part of a word: Ctrl-C and Ctrl-Z work here too. */
        if (browser->prompt.kind != PROMPT_NONE && input->key >= 0x20) {
            prompt_key(browser, input->key, &none);
            return none;
        }
        return act(browser, keys_action(input->key));
    }
}
