/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/display/browser.h"

#include <stdio.h>
#include <string.h>

enum { LABEL_COLUMNS = 21 };

static bool is_line_visible(const struct prose_writer *writer)
{
    return writer->line >= writer->top && writer->line < writer->top + writer->area.rows;
}

static int prose_line_row(const struct prose_writer *writer)
{
    return writer->area.row + writer->line - writer->top;
}

/* Searches for the word; a match counts at the line where the entry begins. */
static void search_word(struct prose_writer *writer, const char *label, const char *text)
{
    if (writer->word && writer->found < 0 && writer->line >= writer->from &&
        (strcasestr(label, writer->word) || strcasestr(text, writer->word)))
        writer->found = writer->line;
}

void prose_heading(struct prose_writer *writer, const char *text)
{
    if (writer->say) {
        writer->say(writer->to, PAINT_PANE, NULL, text);
        return;
    }
    if (writer->line)
        writer->line++;
    search_word(writer, "", text);
    if (is_line_visible(writer))
        canvas_text(writer->canvas, prose_line_row(writer), 1, writer->area.columns - 2, PAINT_PANE,
                    text);
    writer->line++;
}

void prose_entry(struct prose_writer *writer, enum paint paint, const char *label, const char *text)
{
    if (writer->say) {
        writer->say(writer->to, paint, label, text);
        return;
    }
    int column = *label ? LABEL_COLUMNS + 3 : 3;
    int columns = writer->area.columns - column - 1;
    search_word(writer, label, text);
    if (is_line_visible(writer))
        canvas_text(writer->canvas, prose_line_row(writer), 3, LABEL_COLUMNS - 1, paint, label);
    while (*text) {
        char line[512];
        int used = 0;
        size_t bytes = 0;
        size_t space = 0;
        struct glyph glyph;
        for (; (glyph = glyph_next(text + bytes, false)).bytes; bytes += glyph.bytes) {
            used += glyph.columns;
            if (text[bytes] == ' ')
                space = bytes;
            if (used > columns) {
                bytes = space ? space : bytes;
                break;
            }
        }
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        if (is_line_visible(writer))
            canvas_text(writer->canvas, prose_line_row(writer), column, columns, PAINT_PLAIN, line);
        writer->line++;
        text += bytes ? bytes : strlen(text);
        text += strspn(text, " ");
    }
}

static struct prose *prose_shown(const struct browser *browser)
{
    return browser->states[browser->screen];
}

void prose_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct prose *prose = prose_shown(browser);
    struct prose_writer writer = {.canvas = canvas, .area = area, .top = prose->top};
    browser_screen(browser)->write(&writer, browser);
    prose->lines = writer.line;
    prose->area = area;
    prose->ascii = canvas->ascii;
    int row = area.row + prose->found - 1 - prose->top;
    if (prose->found && row >= area.row && row < area.row + area.rows)
        canvas_flag(canvas, row, area.column, area.columns, CELL_SELECTED);
}

/* Returns the line of a word, with the width last drawn; -1 if not found. */
static int line_of(struct browser *browser, const char *word, int from)
{
    const struct prose *prose = prose_shown(browser);
    struct canvas none = {.ascii = prose->ascii};
    struct prose_writer writer = {.canvas = &none,
                                  .area = {.columns = prose->area.columns},
                                  .word = word,
                                  .from = from,
                                  .found = -1};
    browser_screen(browser)->write(&writer, browser);
    return writer.found;
}

static void scroll_to(struct prose *prose, int top)
{
    int last = prose->lines - prose->area.rows;
    last = last < 0 ? 0 : last;
    prose->top = top < 0 ? 0 : top > last ? last : top;
}

/* Searches from the line last found, otherwise from the first visible line; wraps at the end. */
static bool go_to_word(struct browser *browser, const char *word, bool from_here)
{
    struct prose *prose = prose_shown(browser);
    int line = line_of(browser, word, prose->found ? prose->found - from_here : prose->top);
    if (line < 0)
        line = line_of(browser, word, 0);
    prose->found = line + 1;
    if (line >= 0)
        scroll_to(prose, line);
    return line >= 0;
}

bool prose_find(struct browser *browser, const char *word, bool from_here)
{
    struct prose *prose = prose_shown(browser);
    snprintf(prose->word, sizeof prose->word, "%s", word);
    return go_to_word(browser, word, from_here);
}

bool prose_act(struct browser *browser, enum action action, struct request *request)
{
    struct prose *prose = prose_shown(browser);
    (void)request;
    int screen = prose->area.rows > 1 ? prose->area.rows - 1 : 1;
    int top = prose->top;
    switch (action) {
    case ACTION_UP:
        top -= 1;
        break;
    case ACTION_DOWN:
        top += 1;
        break;
    case ACTION_PAGE_UP:
        top -= screen;
        break;
    case ACTION_PAGE_DOWN:
        top += screen;
        break;
    case ACTION_HOME:
        top = 0;
        break;
    case ACTION_END:
        top = prose->lines;
        break;
    case ACTION_FIND_NEXT:
        if (!*prose->word)
            browser_message(browser, "no search word yet: / asks for one");
        else if (!go_to_word(browser, prose->word, false))
            browser_message(browser, "not found");
        return true;
    case ACTION_FILTER:
        browser_message(browser, "/ searches this text");
        return true;
    default:
        return false;
    }
    scroll_to(prose, top);
    return true;
}

void prose_hint(struct browser *browser, char *out, size_t size)
{
    const struct prose *prose = prose_shown(browser);
    int last = prose->top + prose->area.rows;
    if (last < prose->lines)
        snprintf(out, size,
                 "lines %d to %d of %d: PgDn continues, / searches. man misstop has more",
                 prose->top + 1, last, prose->lines);
    else
        snprintf(out, size, "man misstop has more");
}
