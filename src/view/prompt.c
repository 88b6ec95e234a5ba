/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line in which a word to find or to filter by is typed; declared in browser.h. */
#include "view/browser.h"

#include <stdio.h>
#include <string.h>

bool prompt_open(struct browser *browser, enum prompt_kind kind)
{
    struct table *table = browser_table(browser);
    if (!table) {
        if (kind != PROMPT_FIND || !browser_pages[browser->page]->find)
            return false;
        browser->prompt = (struct prompt){.kind = kind};
        return true;
    }
    browser->prompt = (struct prompt){.kind = kind, .identity = table->identity};
    snprintf(browser->prompt.before, sizeof browser->prompt.before, "%s", table->filter);
    if (kind == PROMPT_FILTER)
        snprintf(browser->prompt.text, sizeof browser->prompt.text, "%s", table->filter);
    return true;
}

void prompt_ask(struct browser *browser, enum prompt_kind kind, const char *text)
{
    browser->prompt = (struct prompt){.kind = kind};
    snprintf(browser->prompt.text, sizeof browser->prompt.text, "%s", text);
}

static void apply(struct browser *browser, struct table *table)
{
    struct prompt *prompt = &browser->prompt;
    if (!table) {
        prompt->missing =
            *prompt->text && !browser_pages[browser->page]->find(browser, prompt->text, true);
    } else if (prompt->kind == PROMPT_FILTER) {
        table_filter(table, prompt->text);
        prompt->missing = *prompt->text && !table->shown;
    } else {
        /* Typing on looks again from where the search began. */
        table_select(table, prompt->identity);
        prompt->missing = *prompt->text && !table_find(table, prompt->text, true);
    }
}

static void cancel(struct browser *browser, struct table *table)
{
    struct prompt *prompt = &browser->prompt;
    if (prompt->kind == PROMPT_FILTER)
        table_filter(table, "");
    table_select(table, prompt->identity);
    prompt->kind = PROMPT_NONE;
}

static void erase(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
        length--;
    text[length ? length - 1 : 0] = '\0';
}

static void add(char *text, size_t size, uint32_t key)
{
    char bytes[5];
    unsigned length = glyph_encode(bytes, (wchar_t)key);
    size_t used = strlen(text);
    if (used + length < size)
        memcpy(text + used, bytes, length + 1);
}

static void edit(char *text, size_t size, uint32_t key)
{
    if (key == KEYS_BACKSPACE)
        erase(text);
    else if (key >= 0x20 && key != 0x7f && key < KEYS_UP)
        add(text, size, key);
}

static void answer_key(struct browser *browser, uint32_t key, struct request *request)
{
    struct prompt *prompt = &browser->prompt;
    const struct page *page = browser_pages[browser->page];
    edit(prompt->text, sizeof prompt->text, key);
    if (key != KEYS_ENTER && key != KEYS_ESCAPE)
        return;
    bool time = prompt->kind == PROMPT_TIME;
    prompt->kind = PROMPT_NONE;
    if (key == KEYS_ENTER && time) {
        request->kind = *prompt->text ? REQUEST_PLAY_GO : REQUEST_NONE;
        snprintf(request->name, sizeof request->name, "%s", prompt->text);
    } else if (key == KEYS_ENTER && page->answer)
        page->answer(browser, prompt->text, request);
}

void prompt_key(struct browser *browser, uint32_t key, struct request *request)
{
    struct table *table = browser_table(browser);
    struct prompt *prompt = &browser->prompt;
    if (prompt->kind == PROMPT_RENAME || prompt->kind == PROMPT_TIME) {
        answer_key(browser, key, request);
    } else if ((!table && !browser_pages[browser->page]->find) || key == KEYS_ESCAPE) {
        if (table)
            cancel(browser, table);
        prompt->kind = PROMPT_NONE;
    } else if (key == KEYS_ENTER) {
        prompt->kind = PROMPT_NONE;
    } else if (table && (key == KEYS_UP || key == KEYS_DOWN)) {
        table_move(table, key == KEYS_UP ? -1 : 1);
    } else if (key == KEYS_BACKSPACE || (key >= 0x20 && key != 0x7f && key < KEYS_UP)) {
        edit(prompt->text, sizeof prompt->text, key);
        apply(browser, table);
    }
}

void prompt_draw(struct browser *browser, struct canvas *canvas, int row)
{
    const struct prompt *prompt = &browser->prompt;
    const struct table *table = browser_table(browser);
    const char *word = prompt->kind == PROMPT_FIND     ? "Find"
                       : prompt->kind == PROMPT_FILTER ? "Filter"
                       : prompt->kind == PROMPT_TIME   ? "Go to"
                                                       : "New name";
    int used = canvas_format(canvas, row, 0, canvas->columns, PAINT_STRONG, " %s: ", word);
    used += canvas_text(canvas, row, used, canvas->columns - used - 1,
                        prompt->missing ? PAINT_BAD : PAINT_PLAIN, prompt->text);
    canvas_flag(canvas, row, used, 1, CELL_CURSOR);
    used += 3;
    if (prompt->missing)
        canvas_text(canvas, row, used, canvas->columns - used, PAINT_BAD,
                    prompt->kind == PROMPT_FIND ? "not found" : "no row has it");
    else if (prompt->kind == PROMPT_TIME)
        canvas_text(canvas, row, used, canvas->columns - used, PAINT_DIM,
                    "80, 1m20s, 1:20, 50%, +10, -10   Enter goes there, Esc cancels");
    else if (prompt->kind == PROMPT_RENAME)
        canvas_text(canvas, row, used, canvas->columns - used, PAINT_DIM,
                    "Enter keeps, Esc cancels; empty: its own name again");
    else if (table)
        canvas_format(canvas, row, used, canvas->columns - used, PAINT_DIM,
                      "%zu of %zu rows   Enter keeps, Esc cancels", table->shown, table->count);
    else
        canvas_text(canvas, row, used, canvas->columns - used, PAINT_DIM,
                    "Enter keeps, Esc cancels, then n: the next");
}
