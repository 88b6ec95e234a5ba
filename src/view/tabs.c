/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The row of tabs: each screen's key and name. Where there is no room for all names the nearest to
 * the screen shown keep theirs and the others stand by their key alone; declared in
 * browser.h.
 */
#include "view/browser.h"

static const struct {
    enum page_id page;
    enum action action;
} tabs[] = {
    {PAGE_OBJECTS, ACTION_PAGE_1},   {PAGE_DETAIL, ACTION_PAGE_2}, {PAGE_SETS, ACTION_PAGE_3},
    {PAGE_SEARCH, ACTION_PAGE_4},    {PAGE_CODE, ACTION_PAGE_5},   {PAGE_WINDOW, ACTION_PAGE_6},
    {PAGE_HEAP, ACTION_PAGE_7},      {PAGE_LAYOUT, ACTION_PAGE_8}, {PAGE_SHARING, ACTION_PAGE_9},
    {PAGE_TIMELINE, ACTION_PAGE_10}, {PAGE_MATRIX, ACTION_MATRIX}, {PAGE_FINDINGS, ACTION_FINDINGS},
    {PAGE_WATCH, ACTION_WATCH},      {PAGE_CAUSES, ACTION_CAUSES}, {PAGE_WHATIF, ACTION_WHATIF},
    {PAGE_REUSE, ACTION_REUSE},
};

enum { TABS = sizeof tabs / sizeof *tabs };

/* How much of a tab there is room for. */
enum said { SAID_NOTHING, SAID_KEY, SAID_NAME };

static int tab_of(enum page_id page)
{
    enum page_id shown = page == PAGE_FUNCTION    ? PAGE_CODE
                         : page == PAGE_EVICTIONS ? PAGE_CAUSES
                                                  : page;
    for (int i = 0; i < TABS; i++)
        if (tabs[i].page == shown)
            return i;
    return -1;
}

static bool calls(const struct browser *browser, int tab)
{
    return tabs[tab].page == PAGE_FINDINGS && browser->snapshot &&
           browser->snapshot->findings.count > 0;
}

/* Some screens are there only where something fills them. */
static bool stands(const struct browser *browser, int tab)
{
    enum page_id page = tabs[tab].page;
    const struct snapshot *snapshot = browser->snapshot;
    if (page != PAGE_WATCH && page != PAGE_CAUSES && page != PAGE_WHATIF && page != PAGE_REUSE)
        return true;
    if (page == browser->page || !snapshot)
        return page == browser->page;
    if (page == PAGE_REUSE)
        return snapshot->reuse.told;
    return page == PAGE_WATCH    ? snapshot->watch.on
           : page == PAGE_WHATIF ? snapshot->simulation.level_count > 0
                                 : snapshot->simulation.level_count || snapshot->causes.told;
}

static const char *key_of(int tab)
{
    return keys_binding(tabs[tab].action)->brief;
}

/* Columns that a key, or a name behind it, takes with the blank before it. */
static int cost_of(int tab, enum said said, bool ascii)
{
    const char *text = said == SAID_NAME ? browser_pages[tabs[tab].page]->name : key_of(tab);
    return glyph_columns(text, ascii) + 1;
}

static void say(const struct browser *browser, int tab, enum said said, bool ascii, int *room,
                enum said out[TABS])
{
    int cost = cost_of(tab, said, ascii);
    if (out[tab] != said - 1 || cost > *room || !stands(browser, tab))
        return;
    out[tab] = said;
    *room -= cost;
}

/* Keys come before names, and in each the screen shown, what calls for a look, the nearest. */
static void share_out(const struct browser *browser, int room, bool ascii, enum said out[TABS])
{
    int shown = tab_of(browser->page);
    int middle = shown < 0 ? 0 : shown;
    for (enum said said = SAID_KEY; said <= SAID_NAME; said++) {
        if (shown >= 0)
            say(browser, shown, said, ascii, &room, out);
        for (int i = 0; i < TABS; i++)
            if (calls(browser, i))
                say(browser, i, said, ascii, &room, out);
        for (int away = 0; away < TABS; away++) {
            if (middle + away < TABS)
                say(browser, middle + away, said, ascii, &room, out);
            if (middle - away >= 0)
                say(browser, middle - away, said, ascii, &room, out);
        }
    }
}

/* Columns used; the blank behind it is the next one's too. */
static int draw_tab(struct browser *browser, struct canvas *canvas, int row, int column, int tab,
                    enum said said)
{
    enum paint paint = calls(browser, tab) ? PAINT_WARN : PAINT_TAB;
    int room = canvas->columns - column;
    int used = canvas_format(canvas, row, column, room, paint, " %s", key_of(tab));
    if (said == SAID_NAME)
        used += canvas_format(canvas, row, column + used, room - used, paint, " %s",
                              browser_pages[tabs[tab].page]->name);
    browser_zone(browser, row, column, used, tabs[tab].action);
    return used;
}

int tabs_draw(struct browser *browser, struct canvas *canvas, int row)
{
    enum said said[TABS] = {SAID_NOTHING};
    int room = canvas->columns - 1;
    int wanted = 0;
    int column = 0;
    for (int i = 0; i < TABS; i++)
        if (stands(browser, i))
            wanted += cost_of(i, SAID_KEY, canvas->ascii) + cost_of(i, SAID_NAME, canvas->ascii);
    int apart = wanted + TABS <= room;
    share_out(browser, room, canvas->ascii, said);
    for (int i = 0; i < TABS; i++) {
        if (said[i] == SAID_NOTHING)
            continue;
        int used = draw_tab(browser, canvas, row, column, i, said[i]);
        if (i == tab_of(browser->page))
            canvas_paint(canvas, row, column, used + 1, PAINT_TAB_SHOWN);
        column += used + apart;
    }
    return column + 1;
}

enum action tabs_next(const struct browser *browser, int direction)
{
    int from = tab_of(browser->page);
    if (from < 0)
        from = direction > 0 ? TABS - 1 : 0;
    int to = (from + direction + TABS) % TABS;
    while (!stands(browser, to))
        to = (to + direction + TABS) % TABS;
    return tabs[to].action;
}
