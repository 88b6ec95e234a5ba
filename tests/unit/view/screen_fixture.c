/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/view/screen_fixture.h"

#include <string.h>

#include "unit.h"

struct browser screen_browser;
struct canvas screen_canvas;

static void give(const struct input *input)
{
    browser_input(&screen_browser, input);
    browser_draw(&screen_browser, &screen_canvas, 0);
}

void screen_press(uint32_t key)
{
    give(&(struct input){.kind = INPUT_KEY, .key = key});
}

void screen_click(int row, int column)
{
    give(&(struct input){.kind = INPUT_CLICK, .row = row, .column = column});
}

void screen_open_on(const struct snapshot *snapshot, int rows, int columns, bool ascii,
                    const char *keys)
{
    browser_init(&screen_browser, NULL);
    canvas_init(&screen_canvas, rows, columns, ascii);
    browser_show(&screen_browser, snapshot, fixture_release);
    browser_draw(&screen_browser, &screen_canvas, 0);
    for (; *keys; keys++)
        screen_press(*keys == '\n'     ? KEYS_ENTER
                     : *keys == '~'    ? KEYS_RIGHT
                     : *keys == '\x02' ? KEYS_F2
                                       : (uint32_t)*keys);
}

void screen_open(enum fixture_kind kind, int rows, int columns, bool ascii, const char *keys)
{
    screen_open_on(fixture_new(kind, 0), rows, columns, ascii, keys);
}

void screen_close(void)
{
    browser_fini(&screen_browser);
    canvas_fini(&screen_canvas);
    assert_int_equal(fixture_alive(), 0);
}

const char *screen_row(int at)
{
    static char line[2048];
    canvas_row_text(&screen_canvas, at, line, sizeof line);
    return line;
}

int screen_row_with(const char *text)
{
    for (int at = 0; at < screen_canvas.rows; at++)
        if (strstr(screen_row(at), text))
            return at;
    return -1;
}

int screen_column_of(int at, const char *text)
{
    char line[2048];
    strcpy(line, screen_row(at));
    char *found = strstr(line, text);
    if (!found)
        return -1;
    *found = '\0';
    return glyph_columns(line, false);
}
