/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/browser.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_S = 5, WHEEL_ROWS = 3, STATUS_FROM_ROWS = 14 };

const struct page *const browser_pages[PAGE_COUNT] = {
    [PAGE_OBJECTS] = &objects_page,   [PAGE_DETAIL] = &detail_page,
    [PAGE_SETS] = &sets_page,         [PAGE_SEARCH] = &search_page,
    [PAGE_CODE] = &code_page,         [PAGE_WINDOW] = &window_page,
    [PAGE_HELP] = &help_page,         [PAGE_FUNCTION] = &function_page,
    [PAGE_PICKER] = &picker_page,
};

static unsigned all_tables(struct browser *browser, struct table *tables[12])
{
    struct table *all[] = {&browser->objects,         &browser->detail.fields,
                           &browser->detail.code,     &browser->detail.instances,
                           &browser->sets.parts,      &browser->search.regions,
                           &browser->search.dropped,  &browser->code.functions,
                           &browser->code.table,      &browser->window.lines,
                           &browser->window.pairs,    &browser->picker.processes};
    memcpy(tables, all, sizeof all);
    return sizeof all / sizeof *all;
}

void browser_init(struct browser *browser, const struct screen_sources *sources)
{
    static const struct columns *const columns[] = {
        &object_columns, &field_columns,    &toucher_columns, &instance_columns,
        &part_columns,   &region_columns,   &dropped_columns, &function_columns,
        &site_columns,   &line_columns,     &pair_columns,    &process_columns};
    struct table *tables[12];
    *browser = (struct browser){0};
    if (sources)
        browser->sources = *sources;
    unsigned count = all_tables(browser, tables);
    for (unsigned i = 0; i < count; i++)
        table_init(tables[i], columns[i]);
}

static void let_go(struct held_snapshot *held)
{
    if (held->snapshot && held->release)
        held->release(held->snapshot);
    *held = (struct held_snapshot){0};
}

void browser_fini(struct browser *browser)
{
    struct table *tables[12];
    unsigned count = all_tables(browser, tables);
    for (unsigned i = 0; i < count; i++)
        table_fini(tables[i]);
    free(browser->code.sites);
    let_go(&browser->held);
    let_go(&browser->newest);
}

static void update(struct browser *browser)
{
    for (int i = 0; i < PAGE_COUNT; i++)
        if (browser_pages[i]->update)
            browser_pages[i]->update(browser);
}

/* The tables point into the old snapshot until they have been updated. */
static void take(struct browser *browser, struct held_snapshot next)
{
    struct held_snapshot old = browser->held;
    browser->held = next;
    browser->snapshot = next.snapshot;
    update(browser);
    let_go(&old);
}

void browser_show(struct browser *browser, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *))
{
    struct held_snapshot next = {snapshot, release};
    if (browser->page == PAGE_PICKER) {
        browser->page = PAGE_OBJECTS;
        browser->back_count = 0;
    }
    if (browser->frozen && browser->snapshot) {
        let_go(&browser->newest);
        browser->newest = next;
    } else {
        take(browser, next);
    }
}

void browser_pick(struct browser *browser, const struct picker_row *rows, size_t count)
{
    browser->page = PAGE_PICKER;
    table_set(&browser->picker.processes, NULL, rows, count);
}

static void freeze(struct browser *browser)
{
    browser->frozen = !browser->frozen && browser->snapshot;
    if (!browser->frozen && browser->newest.snapshot) {
        struct held_snapshot next = browser->newest;
        browser->newest = (struct held_snapshot){0};
        take(browser, next);
    }
}

void browser_message(struct browser *browser, const char *text)
{
    snprintf(browser->message, sizeof browser->message, "%s", text);
    browser->message_until_ns = clock_now_ns() + MESSAGE_S * CLOCK_NS_PER_S;
}

void browser_go(struct browser *browser, enum page_id page)
{
    if (page == browser->page)
        return;
    if (browser->back_count == BACK_MAX) {
        browser->back_count--;
        memmove(browser->back, browser->back + 1, (BACK_MAX - 1) * sizeof *browser->back);
    }
    browser->back[browser->back_count++] = browser->page;
    browser->page = page;
}

void browser_open_object(struct browser *browser, const struct snapshot_object *object)
{
    browser->detail.chosen = true;
    browser->detail.id = object->id;
    browser->detail.fields.pinned = false;
    browser->detail.code.pinned = false;
    browser->detail.instances.pinned = false;
    browser_go(browser, PAGE_DETAIL);
    detail_page.update(browser);
}

void browser_open_function(struct browser *browser, const struct snapshot_code *code)
{
    browser->code.id = code->id;
    browser->code.table.pinned = false;
    browser_go(browser, PAGE_FUNCTION);
    function_page.update(browser);
}

static unsigned panes_of(struct browser *browser, struct table *panes[PANES_MAX])
{
    const struct page *page = browser_pages[browser->page];
    return page->panes ? page->panes(browser, panes) : 0;
}

struct table *browser_table(struct browser *browser)
{
    struct table *panes[PANES_MAX];
    unsigned count = panes_of(browser, panes);
    unsigned focus = browser->pane[browser->page];
    return count ? panes[focus < count ? focus : 0] : NULL;
}

bool browser_focused(struct browser *browser, const struct table *table)
{
    return browser_table(browser) == table;
}

void browser_zone(struct browser *browser, int row, int column, int columns, enum action action)
{
    if (browser->zone_count < ZONES_MAX && action != ACTION_NONE)
        browser->zones[browser->zone_count++] = (struct zone){row, column, columns, action};
}

void browser_search_in(struct request *request, uint64_t base, uint64_t bound, const char *name)
{
    request->kind = REQUEST_SEARCH_RANGE;
    request->base = base;
    request->bound = bound;
    /* Cut between characters. */
    text_sanitise(request->name, sizeof request->name, name, strlen(name));
}

/* 2 by itself shows what is selected in Objects. */
static void go_to_number(struct browser *browser, enum page_id page)
{
    if (page == PAGE_DETAIL && browser->page != PAGE_DETAIL) {
        browser->detail.chosen = false;
        detail_page.update(browser);
    }
    browser_go(browser, page);
}

static void go_round(struct browser *browser, int direction)
{
    int from = browser->page == PAGE_FUNCTION ? PAGE_CODE : (int)browser->page;
    go_to_number(browser, (enum page_id)((from + direction + PAGE_NUMBERED) % PAGE_NUMBERED));
}

static void go_back(struct browser *browser)
{
    struct table *table = browser_table(browser);
    if (table && *table->filter)
        table_filter(table, "");
    else if (browser->back_count)
        browser->page = browser->back[--browser->back_count];
    else if (browser->page != PAGE_OBJECTS && browser->page != PAGE_PICKER)
        browser->page = PAGE_OBJECTS;
    else
        browser_message(browser, "q quits");
}

static void change_pane(struct browser *browser, int direction)
{
    struct table *panes[PANES_MAX];
    unsigned count = panes_of(browser, panes);
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
    case ACTION_UP: table_move(table, -1); return true;
    case ACTION_DOWN: table_move(table, 1); return true;
    case ACTION_PAGE_UP: table_page(table, -1); return true;
    case ACTION_PAGE_DOWN: table_page(table, 1); return true;
    case ACTION_HOME: table_move(table, -(long)table->shown); return true;
    case ACTION_END: table_move(table, (long)table->shown); return true;
    case ACTION_SORT_NEXT: table_sort_step(table, 1); return true;
    case ACTION_SORT_LAST: table_sort_step(table, -1); return true;
    case ACTION_INVERT: table_invert(table); return true;
    case ACTION_FIND_NEXT:
        if (!*table->find)
            browser_message(browser, "nothing to find yet: / asks for a word");
        else if (!table_find(table, table->find, false))
            browser_message(browser, "not found");
        return true;
    default: return false;
    }
}

static bool move_about(struct browser *browser, enum action action)
{
    switch (action) {
    case ACTION_PAGE_1: case ACTION_PAGE_2: case ACTION_PAGE_3: case ACTION_PAGE_4:
    case ACTION_PAGE_5: case ACTION_PAGE_6: case ACTION_PAGE_7:
        go_to_number(browser, (enum page_id)(action - ACTION_PAGE_1));
        return true;
    case ACTION_NEXT_PAGE: go_round(browser, 1); return true;
    case ACTION_LAST_PAGE: go_round(browser, -1); return true;
    case ACTION_HELP: browser_go(browser, PAGE_HELP); return true;
    case ACTION_BACK: go_back(browser); return true;
    case ACTION_LEFT: change_pane(browser, -1); return true;
    case ACTION_RIGHT: change_pane(browser, 1); return true;
    case ACTION_FREEZE: freeze(browser); return true;
    case ACTION_FIND: prompt_open(browser, PROMPT_FIND); return true;
    case ACTION_FILTER: prompt_open(browser, PROMPT_FILTER); return true;
    default: return move_in_table(browser, action);
    }
}

static enum request_kind request_of(struct browser *browser, enum action action)
{
    const struct snapshot *snapshot = browser->snapshot;
    switch (action) {
    case ACTION_QUIT: return REQUEST_QUIT;
    case ACTION_BASIS: return REQUEST_BASIS;
    case ACTION_ZERO: return REQUEST_ZERO;
    case ACTION_FASTER: return REQUEST_FASTER;
    case ACTION_SLOWER: return REQUEST_SLOWER;
    case ACTION_SEARCH_ALL: browser_go(browser, PAGE_SEARCH); return REQUEST_SEARCH_ALL;
    case ACTION_SEARCH_STOP: return REQUEST_SEARCH_STOP;
    case ACTION_WRITE: return REQUEST_WRITE;
    case ACTION_REFRESH: return REQUEST_REFRESH;
    case ACTION_SUSPEND: return REQUEST_SUSPEND;
    case ACTION_NEXT_EVENT:
        if (snapshot && snapshot->source.event_count > 1)
            return REQUEST_NEXT_EVENT;
        browser_message(browser, "one event is sampled; -e l2-miss,stall would sample two");
        return REQUEST_NONE;
    case ACTION_SEARCH_HERE:
        browser_message(browser, "nothing here to search in: select an object or a region");
        return REQUEST_NONE;
    default: return REQUEST_NONE;
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
    if (page->act && page->act(browser, action, &request))
        return request;
    if (!move_about(browser, action))
        request.kind = request_of(browser, action);
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
    unsigned count = panes_of(browser, panes);
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
            prompt_key(browser, input->key);
            return none;
        }
        return act(browser, keys_action(input->key));
    }
}

static void draw_too_small(struct canvas *canvas)
{
    struct area all = {0, 0, canvas->rows, canvas->columns};
    char text[80];
    snprintf(text, sizeof text, "terminal too small (need %dx%d)", BROWSER_COLUMNS_MIN,
             BROWSER_ROWS_MIN);
    canvas_wrap(canvas, all, PAINT_WARN, text);
}

/* Tables that are not drawn must not take clicks. */
static void forget_places(struct browser *browser)
{
    struct table *tables[12];
    unsigned count = all_tables(browser, tables);
    for (unsigned i = 0; i < count; i++)
        tables[i]->body = (struct area){.rows = 0, .columns = 0};
    browser->zone_count = 0;
    browser->sets.map = browser->search.map = (struct area){0};
}

void browser_draw(struct browser *browser, struct canvas *canvas, uint64_t now_ns)
{
    browser->now_ns = now_ns;
    forget_places(browser);
    canvas_clear(canvas);
    if (canvas->rows < BROWSER_ROWS_MIN || canvas->columns < BROWSER_COLUMNS_MIN) {
        draw_too_small(canvas);
        return;
    }
    bool status = canvas->rows >= STATUS_FROM_ROWS;
    int top = header_draw(browser, canvas);
    int bar_row = canvas->rows - 1;
    struct area area = {top, 0, bar_row - status - top, canvas->columns};
    if (browser->snapshot || browser->page == PAGE_PICKER || browser->page == PAGE_HELP)
        browser_pages[browser->page]->draw(browser, canvas, area);
    else
        canvas_wrap(canvas, area, PAINT_DIM, " Waiting for the first samples.");
    footer_draw(browser, canvas, status ? bar_row - 1 : -1, bar_row);
}
