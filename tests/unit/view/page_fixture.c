/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/view/page_fixture.h"

#include <string.h>

#include "unit.h"

struct browser page_browser;
struct canvas page_canvas;

static void give(const struct input *input)
{
    browser_input(&page_browser, input);
    browser_draw(&page_browser, &page_canvas, 0);
}

void page_press(uint32_t key)
{
    give(&(struct input){.kind = INPUT_KEY, .key = key});
}

void page_click(int row, int column)
{
    give(&(struct input){.kind = INPUT_CLICK, .row = row, .column = column});
}

void page_open_on(const struct snapshot *snapshot, int rows, int columns, bool ascii,
                  const char *keys)
{
    browser_init(&page_browser, NULL);
    canvas_init(&page_canvas, rows, columns, ascii);
    browser_show(&page_browser, snapshot, fixture_release);
    browser_draw(&page_browser, &page_canvas, 0);
    for (; *keys; keys++)
        page_press(*keys == '\n'     ? KEYS_ENTER
                   : *keys == '~'    ? KEYS_RIGHT
                   : *keys == '\x02' ? KEYS_F2
                                     : (uint32_t)*keys);
}

void page_open(enum fixture_kind kind, int rows, int columns, bool ascii, const char *keys)
{
    page_open_on(fixture_new(kind, 0), rows, columns, ascii, keys);
}

void page_close(void)
{
    browser_fini(&page_browser);
    canvas_fini(&page_canvas);
    assert_int_equal(fixture_alive(), 0);
}

const char *page_row(int at)
{
    static char line[2048];
    canvas_row_text(&page_canvas, at, line, sizeof line);
    return line;
}

int page_row_with(const char *text)
{
    for (int at = 0; at < page_canvas.rows; at++)
        if (strstr(page_row(at), text))
            return at;
    return -1;
}

int page_column_of(int at, const char *text)
{
    char line[2048];
    strcpy(line, page_row(at));
    char *found = strstr(line, text);
    if (!found)
        return -1;
    *found = '\0';
    return glyph_columns(line, false);
}
