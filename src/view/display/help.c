/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen ?: help on the previous screen, all keys, all columns. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "view/display/browser.h"

struct help_view {
    struct prose prose;
    enum screen_id about; /* screen the help was opened from */
};

static struct help_view *help_view(const struct browser *browser)
{
    return browser->states[SCREEN_HELP];
}

enum { HEADING_BYTES = 64 };

/* Writes number keys in one entry, letters individually. */
static void write_screen_keys(struct prose_writer *writer)
{
    char names[256] = "";
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (isdigit((unsigned char)screens[i].key[0])) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     screens[i].screen->name);
        }
    prose_entry(writer, PAINT_STRONG, "1 .. 9", names);
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (*screens[i].key && !isdigit((unsigned char)screens[i].key[0]) &&
            screens[i].screen->key_help)
            prose_entry(writer, PAINT_STRONG, screens[i].key, screens[i].screen->key_help);
}

static void write_keys(struct prose_writer *writer, bool replays)
{
    size_t count;
    const struct key_binding *bindings = keys_all(&count);
    prose_heading(writer, "All keys");
    write_screen_keys(writer);
    for (size_t i = 0; i < count; i++)
        if (bindings[i].help && (replays || !keys_replays(bindings[i].action)))
            prose_entry(writer, PAINT_STRONG, bindings[i].shown, bindings[i].help);
    prose_entry(writer, PAINT_STRONG, "mouse",
                "click selects, click again opens, wheel scrolls; titles sort, tabs and the key "
                "bar work too");
}

/* Writes the columns of a table, except those that this source cannot measure. */
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

/* Returns the tables of the screen that the help was opened from. */
static unsigned panes_of_help_topic(struct browser *browser, struct table *panes[PANES_MAX])
{
    return browser->snapshot ? screen_panes(browser, help_view(browser)->about, panes) : 0;
}

/* Returns true if the screen's columns are explained: those of a simulation or of watchpoints only
 * if there is one. */
static bool is_explained(const struct browser *browser, enum screen_id id)
{
    return !browser->snapshot || screen_filled(id, browser->snapshot);
}

static bool columns_are_chosen_from(const struct screen *screen, const struct columns *columns)
{
    for (const struct screen_table *table = screen->tables; table->columns; table++)
        if (table->columns == columns)
            return table->is_picker;
    return false;
}

static void write_screen(struct prose_writer *writer, struct browser *browser)
{
    char heading[HEADING_BYTES];
    struct table *panes[PANES_MAX];
    const struct screen *screen = screens[help_view(browser)->about].screen;
    if (!screen->description)
        return;
    snprintf(heading, sizeof heading, "This screen: %s", screen->name);
    prose_heading(writer, heading);
    prose_entry(writer, PAINT_PLAIN, "", screen->description);
    prose_entry(writer, PAINT_PLAIN, "", screen->next_step);
    prose_heading(writer, "Keys here");
    for (const enum action *action = screen->bar; *action; action++) {
        const struct key_binding binding = keys_binding(*action);
        if (binding.help)
            prose_entry(writer, PAINT_STRONG, binding.shown, binding.help);
    }
    unsigned count = panes_of_help_topic(browser, panes);
    for (unsigned i = 0; i < count && is_explained(browser, help_view(browser)->about); i++)
        if (!columns_are_chosen_from(screen, panes[i]->columns))
            write_table(writer, browser->snapshot, panes[i]->columns);
}

static bool is_pane_of_help_topic(struct browser *browser, const struct columns *columns)
{
    struct table *panes[PANES_MAX];
    unsigned count = panes_of_help_topic(browser, panes);
    for (unsigned i = 0; i < count; i++)
        if (panes[i]->columns == columns)
            return true;
    return false;
}

static void write_other_columns(struct prose_writer *writer, struct browser *browser)
{
    for (int i = 0; i < SCREEN_COUNT; i++) {
        const struct screen_table *table = screens[i].screen->tables;
        for (; table->columns && is_explained(browser, (enum screen_id)i); table++)
            if (!table->is_picker && !is_pane_of_help_topic(browser, table->columns))
                write_table(writer, browser->snapshot, table->columns);
    }
}

static void help_write(struct prose_writer *writer, struct browser *browser)
{
    write_screen(writer, browser);
    write_keys(writer, browser->replays);
    write_other_columns(writer, browser);
}

static void help_open(struct browser *browser)
{
    help_view(browser)->about = browser->screen;
    help_view(browser)->prose.top = help_view(browser)->prose.found = 0;
    browser_go(browser, SCREEN_HELP);
}

const struct screen help_screen = {
    .name = "Help",
    .state_size = sizeof(struct help_view),
    .write = help_write,
    .open = help_open,
    .draw = prose_draw,
    .act = prose_act,
    .find = prose_find,
    .hint = prose_hint,
    .bar = {ACTION_BACK, ACTION_PAGE_DOWN, ACTION_PAGE_UP, ACTION_FIND, ACTION_HOME},
};
