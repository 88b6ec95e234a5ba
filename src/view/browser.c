/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/browser.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_S = 5, STATUS_FROM_ROWS = 14 };

const struct page *const browser_pages[PAGE_COUNT] = {
    [PAGE_OBJECTS] = &objects_page,   [PAGE_DETAIL] = &detail_page,
    [PAGE_SETS] = &sets_page,         [PAGE_SEARCH] = &search_page,
    [PAGE_CODE] = &code_page,         [PAGE_WINDOW] = &window_page,
    [PAGE_HEAP] = &heap_page,         [PAGE_LAYOUT] = &layout_page,
    [PAGE_HELP] = &help_page,         [PAGE_SHARING] = &sharing_page,
    [PAGE_TIMELINE] = &timeline_page, [PAGE_FUNCTION] = &function_page,
    [PAGE_PICKER] = &picker_page,     [PAGE_MATRIX] = &matrix_page,
    [PAGE_FINDINGS] = &findings_page, [PAGE_WATCH] = &watch_page,
    [PAGE_CAUSES] = &causes_page,     [PAGE_EVICTIONS] = &evictions_page,
    [PAGE_WHATIF] = &whatif_page,     [PAGE_REUSE] = &reuse_page,
};

void browser_init(struct browser *browser, const struct screen_sources *sources)
{
    struct table *table;
    *browser = (struct browser){0};
    if (sources)
        browser->sources = *sources;
    for (unsigned i = 0; (table = browser_listed_table(browser, i)); i++)
        table_init(table, browser_listed_columns(i));
    matrix_rules_init(&browser->matrix.rules);
}

static void let_go(struct held_snapshot *held)
{
    if (held->snapshot && held->release)
        held->release(held->snapshot);
    *held = (struct held_snapshot){0};
}

void browser_fini(struct browser *browser)
{
    struct table *table;
    for (unsigned i = 0; (table = browser_listed_table(browser, i)); i++)
        table_fini(table);
    free(browser->code.sites);
    source_rows_fini(&browser->code.lines);
    instruction_rows_fini(&browser->code.instructions);
    layout_rows_fini(&browser->layout.rows);
    matrix_rules_fini(&browser->matrix.rules);
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

/* What is wrong with a recording is said once here; the help page keeps it. */
static void tell_trouble(struct browser *browser, const struct snapshot *snapshot)
{
    const struct snapshot_recording *recording = snapshot->recording;
    char text[256];
    if (recording->note) {
        browser_message(browser, recording->note);
    } else if (recording->addresses && snapshot->totals.attributed * 2 < snapshot->totals.samples) {
        snprintf(text, sizeof text, "addresses: %s", recording->addresses);
        browser_message(browser, text);
    }
}

void browser_show(struct browser *browser, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *))
{
    struct held_snapshot next = {snapshot, release};
    if (snapshot->recording && !browser->snapshot)
        tell_trouble(browser, snapshot);
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

void browser_play(struct browser *browser, const struct view_play *play)
{
    browser->replays = true;
    browser->play = *play;
}

void browser_freeze(struct browser *browser)
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

void browser_leave(struct browser *browser)
{
    if (browser->back_count == BACK_MAX) {
        browser->back_count--;
        memmove(browser->back, browser->back + 1, (BACK_MAX - 1) * sizeof *browser->back);
    }
    browser->back[browser->back_count++] = (struct way_back){.page = browser->page,
                                                             .chosen = browser->detail.chosen,
                                                             .object = browser->detail.id,
                                                             .function = browser->code.id};
}

bool browser_return(struct browser *browser)
{
    if (!browser->back_count)
        return false;
    struct way_back way = browser->back[--browser->back_count];
    browser->detail.chosen = way.chosen;
    browser->detail.id = way.object;
    browser->code.id = way.function;
    if (browser->snapshot)
        detail_page.update(browser);
    browser_enter(browser, way.page);
    return true;
}

void browser_go(struct browser *browser, enum page_id page)
{
    if (page == browser->page)
        return;
    browser_leave(browser);
    browser_enter(browser, page);
}

void browser_enter(struct browser *browser, enum page_id page)
{
    browser->page = page;
    if (browser->snapshot && browser_pages[page]->update)
        browser_pages[page]->update(browser);
}

void browser_open_object(struct browser *browser, const struct snapshot_object *object)
{
    browser_leave(browser);
    browser->detail.chosen = true;
    browser->detail.id = object->id;
    browser->detail.fields.pinned = false;
    browser->detail.code.pinned = false;
    browser->detail.instances.pinned = false;
    browser->pane[PAGE_DETAIL] = 0;
    browser_enter(browser, PAGE_DETAIL);
}

void browser_open_listed(struct browser *browser, uint32_t index)
{
    const struct snapshot_object *object = columns_object(browser->snapshot, index);
    if (object)
        browser_open_object(browser, object);
    else
        browser_message(browser, "it is not among the objects listed now");
}

unsigned browser_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    const struct page *page = browser_pages[browser->page];
    return page->panes ? page->panes(browser, panes) : 0;
}

struct table *browser_table(struct browser *browser)
{
    struct table *panes[PANES_MAX];
    unsigned count = browser_panes(browser, panes);
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

bool browser_lies_apart(struct browser *browser, const struct snapshot_object *object)
{
    if (object->bin >= browser->snapshot->heap.bin_count || object->blocks == 1)
        return false;
    browser_message(browser, "its blocks lie apart: S searches everything, and reports blocks");
    return true;
}

void browser_search_in(struct request *request, uint64_t base, uint64_t bound, const char *name)
{
    request->kind = REQUEST_SEARCH_RANGE;
    request->base = base;
    request->bound = bound;
    /* Cut between characters. */
    text_sanitise(request->name, sizeof request->name, name, strlen(name));
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
    struct table *table;
    for (unsigned i = 0; (table = browser_listed_table(browser, i)); i++)
        table->body = (struct area){.rows = 0, .columns = 0};
    browser->zone_count = 0;
    browser->sets.map = browser->search.map = browser->matrix.grid.names =
        browser->causes.grid.names = browser->timeline.map = (struct area){0};
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
        canvas_wrap(canvas, area, PAINT_DIM,
                    browser->replays ? " Reading the recording."
                                     : " Waiting for the first samples.");
    footer_draw(browser, canvas, status ? bar_row - 1 : -1, bar_row);
}
