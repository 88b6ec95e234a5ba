/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen ?: the help on the screen it was asked on, all keys, all columns. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "view/screen/browser.h"

struct help_view {
    struct prose prose;
    enum page_id about; /* the screen it was asked on */
};

static struct help_view *help_view(const struct browser *browser)
{
    return page_state(browser, PAGE_HELP);
}

enum { HEADING_BYTES = 64 };

/* Numbers in one entry, letters one by one. */
static void write_page_keys(struct prose_writer *writer)
{
    char names[256] = "";
    for (int i = 0; i < PAGE_COUNT; i++)
        if (isdigit((unsigned char)pages[i].key[0])) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     pages[i].page->name);
        }
    prose_entry(writer, PAINT_STRONG, "1 .. 9", names);
    for (int i = 0; i < PAGE_COUNT; i++)
        if (*pages[i].key && !isdigit((unsigned char)pages[i].key[0]) && pages[i].page->key_help)
            prose_entry(writer, PAINT_STRONG, pages[i].key, pages[i].page->key_help);
}

static void write_keys(struct prose_writer *writer, bool replays)
{
    size_t count;
    const struct key_binding *bindings = keys_all(&count);
    prose_heading(writer, "All keys");
    write_page_keys(writer);
    for (size_t i = 0; i < count; i++)
        if (bindings[i].help && (replays || !keys_replays(bindings[i].action)))
            prose_entry(writer, PAINT_STRONG, bindings[i].shown, bindings[i].help);
    prose_entry(writer, PAINT_STRONG, "mouse",
                "click selects, click again opens, wheel scrolls; titles sort, names and the key "
                "bar act");
}

/* Columns that this source cannot measure are left out. */
static void write_table(struct prose_writer *writer, const struct snapshot *snapshot,
                        const struct columns *columns)
{
    char heading[HEADING_BYTES];
    snprintf(heading, sizeof heading, "Columns: %s", columns->title);
    prose_heading(writer, heading);
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->list[i].help && columns->list[i].title &&
            (!snapshot || columns_shown(columns, i, snapshot)))
            prose_entry(writer, PAINT_STRONG,
                        columns_title(&columns->list[i], writer->canvas->ascii),
                        columns->list[i].help);
}

/* The tables of the screen that the help was asked on. */
static unsigned asked_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    return browser->snapshot ? page_panes(browser, help_view(browser)->about, panes) : 0;
}

/* Columns of a simulation or of watchpoints are explained only where there are any. */
static bool is_explained(const struct browser *browser, enum page_id id)
{
    return !browser->snapshot || page_filled(id, browser->snapshot);
}

static bool chosen_from(const struct page *page, const struct columns *columns)
{
    for (const struct page_table *table = page->tables; table->columns; table++)
        if (table->columns == columns)
            return table->chosen_from;
    return false;
}

static void write_screen(struct prose_writer *writer, struct browser *browser)
{
    char heading[HEADING_BYTES];
    struct table *panes[PANES_MAX];
    const struct page *page = pages[help_view(browser)->about].page;
    if (!page->shows)
        return;
    snprintf(heading, sizeof heading, "This screen: %s", page->name);
    prose_heading(writer, heading);
    prose_entry(writer, PAINT_PLAIN, "", page->shows);
    prose_entry(writer, PAINT_PLAIN, "", page->next);
    prose_heading(writer, "Keys here");
    for (const enum action *action = page->bar; *action; action++) {
        const struct key_binding binding = keys_binding(*action);
        if (binding.help)
            prose_entry(writer, PAINT_STRONG, binding.shown, binding.help);
    }
    unsigned count = asked_panes(browser, panes);
    for (unsigned i = 0; i < count && is_explained(browser, help_view(browser)->about); i++)
        if (!chosen_from(page, panes[i]->columns))
            write_table(writer, browser->snapshot, panes[i]->columns);
}

static bool is_asked(struct browser *browser, const struct columns *columns)
{
    struct table *panes[PANES_MAX];
    unsigned count = asked_panes(browser, panes);
    for (unsigned i = 0; i < count; i++)
        if (panes[i]->columns == columns)
            return true;
    return false;
}

static void write_other_columns(struct prose_writer *writer, struct browser *browser)
{
    for (int i = 0; i < PAGE_COUNT; i++) {
        const struct page_table *table = pages[i].page->tables;
        for (; table->columns && is_explained(browser, (enum page_id)i); table++)
            if (!table->chosen_from && !is_asked(browser, table->columns))
                write_table(writer, browser->snapshot, table->columns);
    }
}

/* All of the help on the screen that it was asked on. */
static void help_write(struct prose_writer *writer, struct browser *browser)
{
    write_screen(writer, browser);
    write_keys(writer, browser->replays);
    write_other_columns(writer, browser);
}

static void help_init(void *state)
{
    ((struct help_view *)state)->prose.write = help_write;
}

static void help_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    prose_draw(&help_view(browser)->prose, browser, canvas, area);
}

static bool help_find(struct browser *browser, const char *word, bool from_here)
{
    return prose_find(&help_view(browser)->prose, browser, word, from_here);
}

void help_open(struct browser *browser)
{
    if (browser->page == PAGE_HELP) {
        browser_return(browser);
        return;
    }
    help_view(browser)->about = browser->page;
    prose_open(&help_view(browser)->prose);
    browser_go(browser, PAGE_HELP);
}

static bool help_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    return prose_act(&help_view(browser)->prose, browser, action);
}

static void help_hint(struct browser *browser, char *out, size_t size)
{
    prose_hint(&help_view(browser)->prose, out, size);
}

const struct page help_page = {
    .name = "Help",
    .state_size = sizeof(struct help_view),
    .init = help_init,
    .draw = help_draw,
    .act = help_act,
    .find = help_find,
    .hint = help_hint,
    .bar = {ACTION_BACK, ACTION_PAGE_DOWN, ACTION_PAGE_UP, ACTION_FIND, ACTION_HOME},
};
