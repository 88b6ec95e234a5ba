/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen ?: the text of help_text.c, through which one scrolls and finds words. */
#include "view/browser.h"
#include "view/help_screens.h"

#include <stdio.h>

static void help_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct help_writer writer = {.canvas = canvas, .area = area, .top = browser->help.top};
    help_text_write(&writer, browser);
    browser->help.lines = writer.line;
    browser->help.area = area;
    browser->help.ascii = canvas->ascii;
    int row = area.row + browser->help.found - browser->help.top;
    if (browser->help.found >= 0 && row >= area.row && row < area.row + area.rows)
        canvas_flag(canvas, row, area.column, area.columns, CELL_SELECTED);
}

/* The line of a word, of those as wide as drawn last; -1: it has none. */
static int line_of(struct browser *browser, const char *word, int from)
{
    struct canvas none = {.ascii = browser->help.ascii};
    struct help_writer writer = {.canvas = &none,
                                 .area = {.columns = browser->help.area.columns},
                                 .word = word,
                                 .from = from,
                                 .found = -1};
    help_text_write(&writer, browser);
    return writer.found;
}

static void scroll(struct browser *browser, int top)
{
    int last = browser->help.lines - browser->help.area.rows;
    last = last < 0 ? 0 : last;
    browser->help.top = top < 0 ? 0 : top > last ? last : top;
}

/* From the line found last, else from the first in sight; past the end it begins anew. */
static bool go_to_word(struct browser *browser, const char *word, bool from_here)
{
    int from = browser->help.found >= 0 ? browser->help.found + !from_here : browser->help.top;
    int line = line_of(browser, word, from);
    if (line < 0)
        line = line_of(browser, word, 0);
    browser->help.found = line;
    if (line >= 0)
        scroll(browser, line);
    return line >= 0;
}

static bool help_find(struct browser *browser, const char *word, bool from_here)
{
    snprintf(browser->help.word, sizeof browser->help.word, "%s", word);
    return go_to_word(browser, word, from_here);
}

static void find_next(struct browser *browser)
{
    if (!*browser->help.word)
        browser_message(browser, "nothing to find yet: / asks for a word");
    else if (!go_to_word(browser, browser->help.word, false))
        browser_message(browser, "not found");
}

void help_open(struct browser *browser)
{
    if (browser->page == PAGE_HELP) {
        browser_return(browser);
        return;
    }
    browser->help.about = browser->page;
    browser->help.top = 0;
    browser->help.found = -1;
    browser_go(browser, PAGE_HELP);
}

static bool help_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    int rows = browser->help.area.rows;
    int page = rows > 1 ? rows - 1 : 1;
    int top = browser->help.top;
    switch (action) {
    case ACTION_UP:
        top -= 1;
        break;
    case ACTION_DOWN:
        top += 1;
        break;
    case ACTION_PAGE_UP:
        top -= page;
        break;
    case ACTION_PAGE_DOWN:
        top += page;
        break;
    case ACTION_HOME:
        top = 0;
        break;
    case ACTION_END:
        top = browser->help.lines;
        break;
    case ACTION_FIND_NEXT:
        find_next(browser);
        return true;
    case ACTION_FILTER:
        browser_message(browser, "/ finds a word in the help");
        return true;
    default:
        return false;
    }
    scroll(browser, top);
    return true;
}

static void help_hint(struct browser *browser, char *out, size_t size)
{
    int last = browser->help.top + browser->help.area.rows;
    if (last < browser->help.lines)
        snprintf(out, size,
                 "lines %d to %d of %d: PgDn goes on, / finds a word. man misstop has more",
                 browser->help.top + 1, last, browser->help.lines);
    else
        snprintf(out, size, "man misstop has more");
}

static const enum action help_bar[] = {ACTION_BACK, ACTION_PAGE_DOWN, ACTION_PAGE_UP,
                                       ACTION_FIND, ACTION_HOME,      ACTION_NONE};

const struct page help_page = {
    .name = "Help",
    .draw = help_draw,
    .act = help_act,
    .find = help_find,
    .hint = help_hint,
    .bar = help_bar,
};
